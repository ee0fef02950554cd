#include "kernels/cpu/attention_plan.h"
#include "kernels/cpu/check_view.h"
#include "kernels/cpu/cpu_ops.h"
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
    for (const AttentionSlice& slice : batch.slices) {
        require(slice.firstRow >= 0 && slice.tokens >= 0 &&
                    slice.firstRow + slice.tokens <= q.shape[0] && slice.firstBlock >= 0 &&
                    slice.blockCount >= 0 &&
                    static_cast<std::size_t>(slice.firstBlock) +
                            static_cast<std::size_t>(slice.blockCount) <=
                        batch.blocks.size(),
                "attention: a slice reaches outside q or the block list");
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

void CpuOps::attention(View q, const KvLayer& kv, const AttentionBatch& batch,
                       const AttentionRule& rule, View out) {
    checkArguments(q, kv, batch, out);
    const std::int64_t heads = q.shape[1];
    const std::int64_t dim = q.shape[2];
    const std::int64_t valueDim = out.shape[2];
    const std::int64_t kvHeads = kv.keys.shape[1];
    const std::int64_t blockTokens = kv.blockTokens();
    const bool hasValues = kv.values.data != nullptr;
    // Beyond every position, and far enough from the end of the numbers to be subtracted from.
    constexpr std::int32_t kNoWindow = 1 << 30;
    const std::int32_t window = rule.window > 0 ? std::min(rule.window, kNoWindow) : kNoWindow;
    const std::int32_t granule =
        kv.keyCoding == KvCoding::Channel4 ? static_cast<std::int32_t>(kKvGroup) : 0;
    m_plan.make(batch, kvHeads, heads, window, granule, m_pool.threads());

    // Memory: partial sums of one tile for each worker, or of every span where the plan is split.
    const std::int64_t rows = m_plan.rowsAtMost();
    const std::int64_t partialFloats = rows * (paddedTo16(valueDim) + kPartialTail);
    const std::int64_t scratchFloats =
        (paddedTo16(dim) + paddedTo16(valueDim)) * paddedTo16(blockTokens) +
        rows * paddedTo16(blockTokens) + kRowStates * paddedTo16(rows);
    const std::int64_t workerFloats = scratchFloats + 2 * partialFloats;
    const WorkerScratch scratch =
        workerScratch(static_cast<std::size_t>(workerFloats) * sizeof(float));
    const auto partialBytes = static_cast<std::size_t>(m_plan.partials() * partialFloats) * 4;
    if (m_partials.bytes() < partialBytes) {
        m_partials = Buffer();
        m_partials = Buffer::cpu(Format::I8, Shape{static_cast<std::int64_t>(partialBytes)});
    }
    auto* partials = static_cast<float*>(m_partials.view().data);

    const auto tileOf = [&](const QueryTile& query, int worker) {
        const std::int64_t head = query.kvHead * (heads / kvHeads);
        const std::int64_t first = query.firstRow * heads + head;
        AttentionTile tile{};
        tile.q = q.f32() + first * dim;
        tile.out = out.f32() + first * valueDim;
        tile.queryStride = heads * dim;
        tile.outStride = heads * valueDim;
        tile.tokens = query.tokens;
        tile.heads = static_cast<int>(heads / kvHeads);
        tile.keyDim = static_cast<int>(dim);
        tile.valueDim = static_cast<int>(valueDim);
        tile.firstPosition = query.firstPosition;
        tile.keys = rowsOf(kv.keys, kv.keyCoding, query.kvHead, dim, kv.plainTail);
        tile.values =
            hasValues ? rowsOf(kv.values, kv.valueCoding, query.kvHead, valueDim, 0) : tile.keys;
        tile.recent = rowsOf(kv.recent, KvCoding::F16, query.kvHead, dim, 0);
        tile.blockTokens = static_cast<int>(blockTokens);
        tile.scale = rule.scale;
        tile.window = window;
        tile.scoreCap = rule.scoreCap;
        tile.scratch = reinterpret_cast<float*>(scratch.of(worker));
        return tile;
    };
    const auto attendSpan = [&](const QueryTile& query, std::int32_t index, AttentionTile& tile,
                                float* partial) {
        tile.partial = partial;
        tile.blockCount = 0;
        if (index < query.spanCount) {
            const AttentionSpan& span =
                m_plan.spans()[static_cast<std::size_t>(query.firstSpan + index)];
            tile.blocks = m_plan.blocks().data() + span.firstBlock;
            tile.blockCount = span.blockCount;
        }
        m_kernels.attendSpan(tile);
    };
    const auto& units = m_plan.units();
    const auto unitCount = static_cast<std::int64_t>(units.size());

    if (!m_plan.isSplit()) {
        m_pool.parallelFor(unitCount, 1, [&](std::int64_t begin, std::int64_t end, int worker) {
            float* total = reinterpret_cast<float*>(scratch.of(worker)) + scratchFloats;
            for (std::int64_t i = begin; i < end; ++i) {
                const AttentionUnit unit = units[static_cast<std::size_t>(i)];
                const QueryTile& query = m_plan.tiles()[static_cast<std::size_t>(unit.tile)];
                AttentionTile tile = tileOf(query, worker);
                attendSpan(query, 0, tile, total);
                for (std::int32_t span = 1; span < query.spanCount; ++span) {
                    attendSpan(query, span, tile, total + partialFloats);
                    m_kernels.mergeSpans(total, total + partialFloats, tile.tokens * tile.heads,
                                         tile.valueDim);
                }
                tile.partial = total;
                m_kernels.finishAttention(tile);
            }
        });
        return;
    }
    m_pool.parallelFor(unitCount, 1, [&](std::int64_t begin, std::int64_t end, int worker) {
        for (std::int64_t i = begin; i < end; ++i) {
            const AttentionUnit unit = units[static_cast<std::size_t>(i)];
            const QueryTile& query = m_plan.tiles()[static_cast<std::size_t>(unit.tile)];
            AttentionTile tile = tileOf(query, worker);
            attendSpan(query, unit.span, tile,
                       partials + (query.firstPartial + unit.span) * partialFloats);
        }
    });
    constexpr std::int64_t kMergesPerPiece = 8;
    m_pool.parallelFor(static_cast<std::int64_t>(m_plan.tiles().size()), kMergesPerPiece,
                       [&](std::int64_t begin, std::int64_t end, int worker) {
                           for (std::int64_t i = begin; i < end; ++i) {
                               const QueryTile& query = m_plan.tiles()[static_cast<std::size_t>(i)];
                               AttentionTile tile = tileOf(query, worker);
                               float* total = partials + query.firstPartial * partialFloats;
                               for (std::int32_t span = 1; span < query.spanCount; ++span) {
                                   m_kernels.mergeSpans(total, total + span * partialFloats,
                                                        tile.tokens * tile.heads, tile.valueDim);
                               }
                               tile.partial = total;
                               m_kernels.finishAttention(tile);
                           }
                       });
}

} // namespace kernels::cpu
