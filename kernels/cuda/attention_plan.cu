#include "kernels/cuda/attention_plan.h"

#include <algorithm>

namespace kernels::cuda {

namespace {

// The blocks of a slice that a tile may see, in spans.
void addSpans(AttentionPlan& plan, QueryTile& tile, const AttentionBatch& batch,
              const AttentionSlice& slice, std::int32_t window, std::int32_t blockTokens) {
    tile.firstSpan = static_cast<std::int32_t>(plan.spans.size());
    const std::int32_t last = tile.firstPosition + tile.tokens - 1;
    const std::int32_t first = window > 0 ? tile.firstPosition - window + 1 : 0;
    std::int32_t spanOfLast = -1;
    for (std::int32_t i = slice.firstBlock; i < slice.firstBlock + slice.blockCount; ++i) {
        const BlockRef& block = batch.blocks[static_cast<std::size_t>(i)];
        if (block.firstPosition > last || block.firstPosition + blockTokens <= first) {
            continue;
        }
        const std::int32_t span = block.firstPosition / kSpanTokens;
        if (span != spanOfLast || tile.firstSpan == static_cast<std::int32_t>(plan.spans.size())) {
            plan.spans.push_back(
                {.firstBlock = static_cast<std::int32_t>(plan.blocks.size()), .blockCount = 0});
            spanOfLast = span;
        }
        ++plan.spans.back().blockCount;
        plan.blocks.push_back({.block = block.block,
                               .firstPosition = block.firstPosition,
                               .tokens = block.tokens,
                               .recent = batch.recent.empty()
                                             ? -1
                                             : batch.recent[static_cast<std::size_t>(i)].block});
    }
    tile.spanCount = static_cast<std::int32_t>(plan.spans.size()) - tile.firstSpan;
}

void addUnits(AttentionPlan& plan) {
    for (std::size_t t = 0; t < plan.tiles.size(); ++t) {
        const QueryTile& tile = plan.tiles[t];
        const std::int32_t pieces = plan.isSplit ? std::max(tile.spanCount, 1) : 1;
        for (std::int32_t i = 0; i < pieces; ++i) {
            plan.units.push_back(
                {.tile = static_cast<std::int32_t>(t),
                 .firstSpan = tile.firstSpan + i,
                 .spanCount = plan.isSplit ? std::min(tile.spanCount, 1) : tile.spanCount,
                 .partial = plan.partials++});
        }
    }
}

} // namespace

AttentionPlan planAttention(const AttentionBatch& batch, std::int32_t window,
                            const AttentionSizes& sizes) {
    AttentionPlan plan;
    for (const AttentionSlice& slice : batch.slices) {
        for (std::int32_t token = 0; token < slice.tokens;) {
            const std::int32_t position = slice.firstPosition + token;
            std::int32_t count = std::min(sizes.tokensOfTile, slice.tokens - token);
            if (sizes.isByGroup) {
                constexpr auto kGroupTokens = static_cast<std::int32_t>(kKvGroup);
                count = std::min(count, kGroupTokens - position % kGroupTokens);
            }
            QueryTile tile{.firstRow = slice.firstRow + token,
                           .firstToken = token,
                           .tokens = count,
                           .firstPosition = position,
                           .firstSpan = 0,
                           .spanCount = 0};
            addSpans(plan, tile, batch, slice, window, sizes.blockTokens);
            plan.hasPartials = plan.hasPartials || tile.spanCount > 1;
            plan.tiles.push_back(tile);
            token += count;
        }
    }
    const auto whole = static_cast<std::int64_t>(plan.tiles.size()) * sizes.headTiles;
    plan.isSplit = plan.hasPartials && whole < sizes.wantedUnits;
    addUnits(plan);
    return plan;
}

} // namespace kernels::cuda
