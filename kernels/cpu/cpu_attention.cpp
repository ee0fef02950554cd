#include "kernels/cpu/attention_call.h"
#include "kernels/cpu/check_view.h"
#include "kernels/cpu/token_store.h"
#include "kernels/thread_pool.h"

#include <algorithm>

namespace kernels::cpu {

namespace {

// [blocks, kvHeads, blockTokens, dim] in the coding's own format.
bool isStored(const View& rows, KvCoding coding, std::int64_t dim, std::int64_t plainTail) {
    const bool isPlain = isPlainCoding(coding);
    const Format format = coding == KvCoding::F32 ? Format::F32
                          : isPlain               ? Format::F16
                                                  : Format::I8;
    return rows.format == format && rows.shape.rank() == 4 &&
           rows.shape[3] == (isPlain ? dim : kvRowBytes(coding, dim, plainTail));
}

void checkCache(const KvLayer& kv, std::int64_t keyDim, std::int64_t valueDim) {
    require(isStored(kv.keys, kv.keyCoding, keyDim, kv.plainTail) && kv.keys.shape[1] > 0 &&
                kv.plainTail >= 0 && kv.plainTail <= keyDim,
            "attention: keys are [blocks, kvHeads, blockTokens, keyDim] as the layer codes them");
    if (kv.keyCoding == KvCoding::Channel4) {
        require(isStored(kv.recent, KvCoding::F16, keyDim, 0) &&
                    kv.recent.shape[1] == kv.keys.shape[1] &&
                    kv.recent.shape[2] == kv.keys.shape[2] && kv.blockTokens() % kKvGroup == 0 &&
                    kv.values.data != nullptr && kv.plainTail == 0,
                "attention: keys coded by channel come in blocks of whole groups of 32, with the "
                "recent ones in F16 and values apart");
    }
    require(kv.keyCoding != KvCoding::Channel16 ||
                (kv.values.data != nullptr && kv.blockTokens() % kKvVector == 0),
            "attention: keys element by element come in blocks of whole sixteens with values "
            "apart");
    require(kv.values.data == nullptr ||
                (isStored(kv.values, kv.valueCoding, valueDim, 0) &&
                 kv.valueCoding != KvCoding::Channel4 && kv.valueCoding != KvCoding::Channel16 &&
                 kv.values.shape[0] == kv.keys.shape[0] && kv.values.shape[1] == kv.keys.shape[1] &&
                 kv.values.shape[2] == kv.keys.shape[2]),
            "attention: values are [blocks, kvHeads, blockTokens, valueDim] as the layer codes "
            "them");
}

void checkBatch(const View& q, const KvLayer& kv, const AttentionBatch& batch) {
    for (const BlockRef& block : batch.blocks) {
        require(block.block >= 0 && block.block < kv.keys.shape[0],
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
    // A full slice of any length may stand beside one whose tokens chose for themselves.
    constexpr std::int32_t kMostChoosing = 32;
    for (const AttentionSlice& slice : batch.slices) {
        require(slice.firstRow >= 0 && slice.tokens >= 0 &&
                    slice.firstRow + slice.tokens <= q.shape[0] && slice.firstBlock >= 0 &&
                    slice.blockCount >= 0 &&
                    static_cast<std::size_t>(slice.firstBlock) +
                            static_cast<std::size_t>(slice.blockCount) <=
                        batch.blocks.size(),
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
    checkCache(kv, q.shape[2], out.shape[2]);
    require(q.shape[1] % kv.keys.shape[1] == 0, "attention: heads are a multiple of kvHeads");
    require(kv.values.data != nullptr || out.shape[2] <= q.shape[2] - kv.plainTail,
            "attention: values are no longer than their keys");
    checkBatch(q, kv, batch);
}

// Beyond every position, and far enough from the end of the numbers to be subtracted from.
constexpr std::int32_t kNoWindow = 1 << 30;
// Single tokens that even out over the workers whole.
constexpr std::int64_t kSlicesPerThread = 4;

// Whether a slice sees what the one before it stores in this step: single tokens of one sequence
// that are neighbours. The earlier one's block is then the last that it sees, or the one before.
bool seesTheOneBefore(const AttentionBatch& batch, std::size_t index, const KvSlots& slots,
                      std::int64_t blockTokens) {
    const AttentionSlice& slice = batch.slices[index];
    const std::int64_t end = std::int64_t{slice.firstBlock} + slice.blockCount;
    if (slice.firstBlock < 0 || slice.blockCount < 0 || std::ssize(batch.blocks) < end ||
        slots.slots.size() < index || blockTokens < 1) {
        return true; // wrong, and refused where all is looked at
    }
    const std::int64_t stored = slots.slots[index - 1] / blockTokens;
    for (std::int64_t i = std::max<std::int64_t>(slice.firstBlock, end - 2); i < end; ++i) {
        if (batch.blocks[static_cast<std::size_t>(i)].block == stored) {
            return true;
        }
    }
    return false;
}

std::int64_t paddedTo16(std::int64_t n) {
    return (n + 15) / 16 * 16;
}

StoredRows rowsOf(const View& stored, KvCoding coding, std::int64_t kvHead, std::int64_t dim,
                  std::int64_t plainTail) {
    if (stored.data == nullptr) {
        return {};
    }
    const std::int64_t rowBytes = kvRowBytes(coding, dim, plainTail);
    const std::int64_t headBytes = stored.shape[2] * rowBytes;
    return {.data = static_cast<const std::byte*>(stored.data) + kvHead * headBytes,
            .blockStride = stored.shape[1] * headBytes,
            .rowBytes = rowBytes,
            .coding = coding,
            .dim = static_cast<int>(dim),
            .plainTail = static_cast<int>(plainTail)};
}

} // namespace

// Checks and plans; memory for partial sums of one tile for each worker, or of every span where the
// plan is split.
CpuOps::AttentionCall::AttentionCall(CpuOps& ops, View q, const KvLayer& kv,
                                     const AttentionBatch& batch, const AttentionRule& rule,
                                     View out)
    : m_kernels(ops.m_kernels),
      m_plan(ops.m_plan),
      m_q(q),
      m_out(out),
      m_kv(kv),
      m_rule(rule),
      m_window(rule.window > 0 ? std::min(rule.window, kNoWindow) : kNoWindow) {
    checkArguments(q, kv, batch, out);
    const std::int64_t dim = q.shape[2];
    const std::int64_t valueDim = out.shape[2];
    const std::int64_t blockTokens = kv.blockTokens();
    const std::int32_t granule =
        kv.keyCoding == KvCoding::Channel4 ? static_cast<std::int32_t>(kKvGroup) : 0;
    ops.m_plan.make(batch, kv.keys.shape[1], q.shape[1], m_window, granule, ops.m_pool.threads());
    const std::int64_t rows = m_plan.rowsAtMost();
    m_partialFloats = rows * (paddedTo16(valueDim) + kPartialTail);
    m_scratchFloats = (paddedTo16(dim) + paddedTo16(valueDim)) * paddedTo16(blockTokens) +
                      rows * paddedTo16(blockTokens) + kRowStates * paddedTo16(rows);
    m_scratch = ops.workerScratch(static_cast<std::size_t>(m_scratchFloats + 2 * m_partialFloats) *
                                  sizeof(float));
    const auto partialBytes = static_cast<std::size_t>(m_plan.partials() * m_partialFloats) * 4;
    if (ops.m_partials.bytes() < partialBytes) {
        ops.m_partials = Buffer();
        ops.m_partials = Buffer::cpu(Format::I8, Shape{static_cast<std::int64_t>(partialBytes)});
    }
    m_partials = static_cast<float*>(ops.m_partials.view().data);
}

AttentionTile CpuOps::AttentionCall::tileOf(const QueryTile& query, int worker) const {
    const std::int64_t heads = m_q.shape[1];
    const std::int64_t dim = m_q.shape[2];
    const std::int64_t valueDim = m_out.shape[2];
    const std::int64_t group = heads / m_kv.keys.shape[1];
    const std::int64_t first = query.firstRow * heads + query.kvHead * group;
    AttentionTile tile{};
    tile.q = m_q.f32() + first * dim;
    tile.out = m_out.f32() + first * valueDim;
    tile.queryStride = heads * dim;
    tile.outStride = heads * valueDim;
    tile.tokens = query.tokens;
    tile.firstToken = query.firstToken;
    tile.heads = static_cast<int>(group);
    tile.keyDim = static_cast<int>(dim);
    tile.valueDim = static_cast<int>(valueDim);
    tile.firstPosition = query.firstPosition;
    tile.keys = rowsOf(m_kv.keys, m_kv.keyCoding, query.kvHead, dim, m_kv.plainTail);
    tile.values = m_kv.values.data != nullptr
                      ? rowsOf(m_kv.values, m_kv.valueCoding, query.kvHead, valueDim, 0)
                      : tile.keys;
    tile.recent = rowsOf(m_kv.recent, KvCoding::F16, query.kvHead, dim, 0);
    tile.blockTokens = static_cast<int>(m_kv.blockTokens());
    tile.scale = m_rule.scale;
    tile.window = m_window;
    tile.scoreCap = m_rule.scoreCap;
    tile.scratch = reinterpret_cast<float*>(m_scratch.of(worker));
    return tile;
}

void CpuOps::AttentionCall::attendSpan(const QueryTile& query, std::int32_t index,
                                       AttentionTile& tile, float* partial) const {
    tile.partial = partial;
    tile.blockCount = 0;
    if (index < query.spanCount) {
        const AttentionSpan& span =
            m_plan.spans()[static_cast<std::size_t>(query.firstSpan + index)];
        tile.blocks = m_plan.blocks().data() + span.firstBlock;
        tile.blockCount = span.blockCount;
    }
    m_kernels.attendSpan(tile);
}

const std::byte* CpuOps::AttentionCall::firstKeys(std::size_t index) const {
    if (index >= m_plan.tiles().size() || m_plan.tiles()[index].spanCount == 0) {
        return nullptr;
    }
    const QueryTile& query = m_plan.tiles()[index];
    const AttentionSpan& span = m_plan.spans()[static_cast<std::size_t>(query.firstSpan)];
    const StoredRows keys =
        rowsOf(m_kv.keys, m_kv.keyCoding, query.kvHead, m_q.shape[2], m_kv.plainTail);
    return keys.data +
           m_plan.blocks()[static_cast<std::size_t>(span.firstBlock)].block * keys.blockStride;
}

void CpuOps::AttentionCall::attendTile(std::size_t index, std::size_t next, int worker) const {
    const QueryTile& query = m_plan.tiles()[index];
    float* total = reinterpret_cast<float*>(m_scratch.of(worker)) + m_scratchFloats;
    AttentionTile tile = tileOf(query, worker);
    tile.nextKeys = query.spanCount <= 1 ? firstKeys(next) : nullptr;
    attendSpan(query, 0, tile, total);
    for (std::int32_t span = 1; span < query.spanCount; ++span) {
        tile.nextKeys = span + 1 == query.spanCount ? firstKeys(next) : nullptr;
        attendSpan(query, span, tile, total + m_partialFloats);
        m_kernels.mergeSpans(total, total + m_partialFloats, tile.tokens * tile.heads,
                             tile.valueDim);
    }
    tile.partial = total;
    m_kernels.finishAttention(tile);
}

void CpuOps::AttentionCall::attendUnit(AttentionUnit unit, int worker) const {
    const QueryTile& query = m_plan.tiles()[static_cast<std::size_t>(unit.tile)];
    AttentionTile tile = tileOf(query, worker);
    attendSpan(query, unit.span, tile,
               m_partials + (query.firstPartial + unit.span) * m_partialFloats);
}

void CpuOps::AttentionCall::mergeTile(std::size_t index, int worker) const {
    const QueryTile& query = m_plan.tiles()[index];
    AttentionTile tile = tileOf(query, worker);
    float* total = m_partials + query.firstPartial * m_partialFloats;
    for (std::int32_t span = 1; span < query.spanCount; ++span) {
        m_kernels.mergeSpans(total, total + span * m_partialFloats, tile.tokens * tile.heads,
                             tile.valueDim);
    }
    tile.partial = total;
    m_kernels.finishAttention(tile);
}

void CpuOps::attention(View q, const KvLayer& kv, const AttentionBatch& batch,
                       const AttentionRule& rule, View out) {
    const AttentionCall call(*this, q, kv, batch, rule, out);
    const auto& units = m_plan.units();
    const auto unitCount = static_cast<std::int64_t>(units.size());
    if (!m_plan.isSplit()) {
        m_pool.parallelFor(unitCount, 1, [&](std::int64_t begin, std::int64_t end, int worker) {
            for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
                const std::size_t next = i + 1 < units.size() ? i + 1 : i;
                call.attendTile(static_cast<std::size_t>(units[i].tile),
                                static_cast<std::size_t>(units[next].tile), worker);
            }
        });
        return;
    }
    m_pool.parallelFor(unitCount, 1, [&](std::int64_t begin, std::int64_t end, int worker) {
        for (std::int64_t i = begin; i < end; ++i) {
            call.attendUnit(units[static_cast<std::size_t>(i)], worker);
        }
    });
    constexpr std::int64_t kMergesPerPiece = 8;
    m_pool.parallelFor(static_cast<std::int64_t>(m_plan.tiles().size()), kMergesPerPiece,
                       [&](std::int64_t begin, std::int64_t end, int worker) {
                           for (std::int64_t i = begin; i < end; ++i) {
                               call.mergeTile(static_cast<std::size_t>(i), worker);
                           }
                       });
}

// Where a token reads no keys of the step but its own, whoever stores them can go on with them
// while they are in its cache: one join fewer, and no lines that two cores pass to and fro.
void CpuOps::ropeAndAttend(View q, View k, View v, const RopeSpec& rope,
                           std::span<const std::int32_t> positions, KvSlots slots,
                           const KvLayer& kv, const AttentionBatch& batch,
                           const AttentionRule& rule, View out) {
    const auto tokens = static_cast<std::int64_t>(batch.slices.size());
    bool isOnePass = tokens == q.shape[0] && tokens >= kSlicesPerThread * m_pool.threads() &&
                     kv.keyCoding != KvCoding::Channel4;
    for (std::size_t i = 0; isOnePass && i < batch.slices.size(); ++i) {
        isOnePass = batch.slices[i].tokens == 1 &&
                    batch.slices[i].firstRow == static_cast<std::int32_t>(i) &&
                    (i == 0 || !seesTheOneBefore(batch, i, slots, kv.blockTokens()));
    }
    if (!isOnePass) {
        Ops::ropeAndAttend(q, k, v, rope, positions, slots, kv, batch, rule, out);
        return;
    }
    checkTokenStore(q, k, v, rope, positions, slots, kv);
    const TokenStore store(*this, q, k, v, rope, positions, slots, kv);
    const AttentionCall call(*this, q, kv, batch, rule, out);
    const auto kvHeads = static_cast<std::size_t>(k.shape[1]);
    m_pool.parallelFor(tokens, 1, [&](std::int64_t begin, std::int64_t end, int worker) {
        for (std::int64_t token = begin; token < end; ++token) {
            store.put(token);
            if (token + 1 < tokens) {
                store.askFor(token + 1);
            }
            for (std::size_t head = 0; head < kvHeads; ++head) {
                const std::size_t tile = static_cast<std::size_t>(token) * kvHeads + head;
                call.attendTile(tile, tile + 1, worker);
            }
        }
    });
}

} // namespace kernels::cpu
