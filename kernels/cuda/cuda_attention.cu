// Attention over paged keys and values: prefill and decode, grouped heads, windows, capped scores,
// and latent rows whose first elements are the values.
#include "kernels/cuda/attention_kernel.cuh"
#include "kernels/cuda/call.h"
#include "kernels/cuda/kv_view.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/require.h"

#include <algorithm>

namespace kernels::cuda {

namespace {

// A block is a unit of the plan and some heads of one kv head. Reads the unit's keys and values
// once for all its queries; shared: 4 * (16 keyDim + 32 * 68 + 16 * 32) bytes.
template <int kChunks>
__global__ void __launch_bounds__(kAttentionThreads, 1) attendTile(AttentionArguments arguments) {
    TileAttention<kChunks>(arguments).run();
}

// A block is a tile and some heads of one kv head, a warp some of its queries. Reads the sums of
// all spans of the tile, in ascending order, and writes its rows.
template <int kChunks>
__global__ void __launch_bounds__(kAttentionThreads)
    mergeTile(AttentionArguments a, const std::int32_t* firstPartials) {
    const QueryTile tile = a.tiles[blockIdx.x];
    const int kvHead = static_cast<int>(blockIdx.y) / a.tilesOfGroup;
    const int firstHead =
        kvHead * a.headsOfGroup + static_cast<int>(blockIdx.y) % a.tilesOfGroup * a.headsOfTile;
    const int heads = min(a.headsOfTile, (kvHead + 1) * a.headsOfGroup - firstHead);
    const int lane = static_cast<int>(threadIdx.x % kWarpLanes);
    for (int row = static_cast<int>(threadIdx.x / kWarpLanes); row < tile.tokens * heads;
         row += kAttentionWarps) {
        RowSums<kChunks> sums;
        for (int span = 0; span < max(tile.spanCount, 1); ++span) {
            const std::int64_t place =
                static_cast<std::int64_t>(firstPartials[blockIdx.x] + span) * gridDim.y +
                blockIdx.y;
            const RowSums<kChunks> further = loadSums<kChunks>(
                a.partials + (place * kTileRows + row) * (a.valueDim + 2), a.valueDim, lane);
            if (span == 0) {
                sums = further;
            } else {
                mergeSums(sums, further);
            }
        }
        const std::int64_t global =
            static_cast<std::int64_t>(tile.firstRow + row / heads) * a.heads + firstHead +
            row % heads;
        writeOut(sums, a.out + global * a.valueDim, a.valueDim, lane);
    }
}

struct Kernels {
    void (*attend)(AttentionArguments);
    void (*merge)(AttentionArguments, const std::int32_t*);
};

// One switch, which ends in an error, not in a slow guess.
Kernels kernelsFor(std::int64_t keyDim, std::int64_t valueDim) {
    require(keyDim <= kMostKeyElements && valueDim <= kMostValueElements,
            "attention: the CUDA backend has keys of at most " + std::to_string(kMostKeyElements) +
                " and values of at most " + std::to_string(kMostValueElements) +
                " elements: choose the CPU");
    if (valueDim <= kChunk) {
        return {attendTile<1>, mergeTile<1>};
    }
    if (valueDim <= 2 * kChunk) {
        return {attendTile<2>, mergeTile<2>};
    }
    if (valueDim <= 4 * kChunk) {
        return {attendTile<4>, mergeTile<4>};
    }
    return {attendTile<8>, mergeTile<8>};
}

void checkBatch(const View& q, const KvLayer& kv, const AttentionBatch& batch) {
    for (const BlockRef& block : batch.blocks) {
        require(block.block >= 0 && block.block < kv.keys.shape[0] && block.firstPosition >= 0,
                "attention: a block is outside the cache");
    }
    if (kv.keyCoding == KvCoding::Channel4) {
        require(batch.recent.size() == batch.blocks.size(),
                "attention: as many recent blocks as blocks are needed");
        for (std::size_t i = 0; i < batch.blocks.size(); ++i) {
            require(batch.recent[i].block >= 0 && batch.recent[i].block < kv.recent.shape[0] &&
                        batch.blocks[i].firstPosition % kKvGroup == 0,
                    "attention: a recent block is outside the cache, or begins inside a group");
        }
    }
    constexpr std::int32_t kMostChoosing = 32; // bits of BlockRef::tokens
    for (const AttentionSlice& slice : batch.slices) {
        require(slice.firstRow >= 0 && slice.tokens >= 0 &&
                    std::int64_t{slice.firstRow} + slice.tokens <= q.shape[0] &&
                    slice.firstBlock >= 0 && slice.blockCount >= 0 && slice.firstPosition >= 0 &&
                    std::int64_t{slice.firstBlock} + slice.blockCount <= std::ssize(batch.blocks),
                "attention: a slice reaches outside q or the block list");
        const auto own = batch.blocks.subspan(static_cast<std::size_t>(slice.firstBlock),
                                              static_cast<std::size_t>(slice.blockCount));
        require(slice.tokens <= kMostChoosing ||
                    std::ranges::all_of(
                        own, [](const BlockRef& block) { return block.tokens == kAllTokens; }),
                "attention: tokens see blocks of their own in slices of at most 32");
    }
}

void checkArguments(const View& q, const KvLayer& kv, const AttentionBatch& batch,
                    const View& out) {
    require(isF32(q) && isF32(out) && q.shape.rank() == 3 && out.shape.rank() == 3 &&
                q.shape[0] == out.shape[0] && q.shape[1] == out.shape[1],
            "attention: q is [tokens, heads, keyDim] and out [tokens, heads, valueDim] in F32");
    checkLayer(kv, q.shape[2], out.shape[2], "attention");
    require(q.shape[1] % kv.keys.shape[1] == 0, "attention: heads are a multiple of kvHeads");
    require(kv.values.data != nullptr || out.shape[2] <= q.shape[2] - kv.plainTail,
            "attention: values are no longer than their keys");
    checkBatch(q, kv, batch);
}

} // namespace

void CudaOps::attention(View q, const KvLayer& kv, const AttentionBatch& batch,
                        const AttentionRule& rule, View out) {
    checkArguments(q, kv, batch, out);
    const Kernels kernels = kernelsFor(q.shape[2], out.shape[2]);
    Call call(*this);
    const bool isChannel = kv.keyCoding == KvCoding::Channel4;
    const bool hasValues = kv.values.data != nullptr;
    const auto keyDim = static_cast<int>(q.shape[2]);
    const auto valueDim = static_cast<int>(out.shape[2]);
    const auto kvHeads = static_cast<int>(kv.keys.shape[1]);
    const auto headsOfGroup = static_cast<int>(q.shape[1]) / kvHeads;
    const int headsOfTile = std::min(headsOfGroup, kTileRows);
    const int tilesOfGroup = (headsOfGroup + headsOfTile - 1) / headsOfTile;
    constexpr int kUnitsOfProcessor = 4;
    AttentionBatch seen = batch;
    seen.recent = isChannel ? batch.recent : std::span<const BlockRef>();
    const AttentionPlan plan =
        planAttention(seen, rule.window,
                      {.blockTokens = static_cast<std::int32_t>(kv.blockTokens()),
                       .headTiles = kvHeads * tilesOfGroup,
                       .tokensOfTile = kTileRows / headsOfTile,
                       .wantedUnits = kUnitsOfProcessor * call.processors(),
                       .isByGroup = isChannel});
    if (plan.tiles.empty()) {
        return;
    }
    Arena& arena = call.arena();
    const auto headTiles = static_cast<unsigned>(kvHeads * tilesOfGroup);
    float* partials = plan.hasPartials
                          ? arena.take<float>(static_cast<std::size_t>(plan.partials) * headTiles *
                                              kTileRows * static_cast<std::size_t>(valueDim + 2))
                          : nullptr;
    const AttentionArguments arguments{
        .q = call.in(q),
        .out = call.out(out),
        .keys = storedRows(kv.keys, const_cast<std::byte*>(call.bytesIn(kv.keys)), kv.keyCoding,
                           keyDim, static_cast<int>(kv.plainTail)),
        .values = hasValues ? storedRows(kv.values, const_cast<std::byte*>(call.bytesIn(kv.values)),
                                         kv.valueCoding, valueDim, 0)
                            : StoredRows{},
        .recent = isChannel ? storedRows(kv.recent, const_cast<std::byte*>(call.bytesIn(kv.recent)),
                                         KvCoding::F16, keyDim, 0)
                            : StoredRows{},
        .blocks = arena.upload(plan.blocks),
        .spans = arena.upload(plan.spans),
        .tiles = arena.upload(plan.tiles),
        .units = arena.upload(plan.units),
        .partials = partials,
        .heads = static_cast<int>(q.shape[1]),
        .keyDim = keyDim,
        .valueDim = valueDim,
        .headsOfGroup = headsOfGroup,
        .headsOfTile = headsOfTile,
        .tilesOfGroup = tilesOfGroup,
        .isValueInKey = !hasValues,
        .isSplit = plan.isSplit,
        .scale = rule.scale,
        .window = rule.window,
        .scoreCap = rule.scoreCap};
    call.start(
        kernels.attend,
        {.grid = dim3(static_cast<unsigned>(plan.units.size()), headTiles),
         .block = dim3(kAttentionThreads),
         .sharedBytes = SharedSize()
                            .add<float>(static_cast<std::size_t>(kTileRows * queryPitch(keyDim)))
                            .add<float>(kKeysAtOnce * kChunkPitch)
                            .add<float>(kTileRows * kKeysAtOnce)
                            .bytes()},
        arguments);
    if (plan.isSplit) {
        std::vector<std::int32_t> firstPartials;
        for (const AttentionUnit& unit : plan.units) {
            if (static_cast<std::size_t>(unit.tile) == firstPartials.size()) {
                firstPartials.push_back(unit.partial);
            }
        }
        call.start(kernels.merge,
                   {.grid = dim3(static_cast<unsigned>(plan.tiles.size()), headTiles),
                    .block = dim3(kAttentionThreads)},
                   arguments, arena.upload(firstPartials));
    }
    call.finish();
}

} // namespace kernels::cuda
