#include "kernels/cpu/attention_plan.h"
#include "kernels/cpu/check_view.h"
#include "kernels/cpu/cpu_ops.h"
#include "kernels/thread_pool.h"

#include <algorithm>

namespace kernels::cpu {

namespace {

void checkArguments(const View& q, const KvLayer& kv, const AttentionBatch& batch,
                    const View& out) {
    require(isF32(q) && isF32(out) && q.shape.rank() == 3 && out.shape.rank() == 3 &&
                q.shape[0] == out.shape[0] && q.shape[1] == out.shape[1],
            "attention: q is [tokens, heads, keyDim] and out [tokens, heads, valueDim] in F32");
    require(kv.keys.format == Format::F16 && kv.keys.shape.rank() == 4 &&
                kv.keys.shape[3] == q.shape[2] && kv.keys.shape[1] > 0 &&
                q.shape[1] % kv.keys.shape[1] == 0,
            "attention: keys are [blocks, kvHeads, blockTokens, keyDim] F16, and heads a multiple "
            "of kvHeads");
    if (kv.values.data == nullptr) {
        require(out.shape[2] <= q.shape[2], "attention: values are no longer than their keys");
    } else {
        require(kv.values.format == Format::F16 && kv.values.shape.rank() == 4 &&
                    kv.values.shape[0] == kv.keys.shape[0] &&
                    kv.values.shape[1] == kv.keys.shape[1] &&
                    kv.values.shape[2] == kv.keys.shape[2] && kv.values.shape[3] == out.shape[2],
                "attention: values are [blocks, kvHeads, blockTokens, valueDim] F16");
    }
    for (const BlockRef& block : batch.blocks) {
        require(block.block >= 0 && block.block < kv.keys.shape[0],
                "attention: a block is outside the cache");
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

std::int64_t paddedTo16(std::int64_t n) {
    return (n + 15) / 16 * 16;
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
    const std::int64_t valueRow = hasValues ? valueDim : dim;
    // Beyond every position, and far enough from the end of the numbers to be subtracted from.
    constexpr std::int32_t kNoWindow = 1 << 30;
    const std::int32_t window = rule.window > 0 ? std::min(rule.window, kNoWindow) : kNoWindow;
    m_plan.make(batch, kvHeads, heads, window, m_pool.threads());

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
        const std::int64_t cacheRow = query.kvHead * blockTokens;
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
        tile.keys = static_cast<const std::uint16_t*>(kv.keys.data) + cacheRow * dim;
        tile.values = static_cast<const std::uint16_t*>(hasValues ? kv.values.data : kv.keys.data) +
                      cacheRow * valueRow;
        tile.keyBlockStride = kvHeads * blockTokens * dim;
        tile.valueBlockStride = kvHeads * blockTokens * valueRow;
        tile.valueRowStride = static_cast<int>(valueRow);
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
