#include "kernels/cpu/attention_plan.h"

#include <algorithm>

namespace kernels::cpu {

namespace {

constexpr int kTileQueryRows = 64;         // enough to pay for widening a block of keys
constexpr std::int32_t kSpanTokens = 512;  // positions whose sums are merged as one
constexpr std::size_t kUnitsPerThread = 4; // fewer units than this split into spans

} // namespace

void AttentionPlan::make(const AttentionBatch& batch, std::int64_t kvHeads, std::int64_t heads,
                         std::int32_t window, std::int32_t granule, int threads) {
    m_tiles.clear();
    m_spans.clear();
    m_blocks.clear();
    m_units.clear();
    m_blocks.reserve(batch.blocks.size());
    for (std::size_t i = 0; i < batch.blocks.size(); ++i) {
        const BlockRef& block = batch.blocks[i];
        m_blocks.push_back({.block = block.block,
                            .firstPosition = block.firstPosition,
                            .recent = batch.recent.empty() ? 0 : batch.recent[i].block,
                            .tokens = block.tokens});
    }
    const auto group = static_cast<int>(heads / kvHeads);
    const int tileTokens = std::max(1, kTileQueryRows / group);
    m_rowsAtMost = tileTokens * group;
    for (const AttentionSlice& slice : batch.slices) {
        addSlice(slice, kvHeads, window, granule, tileTokens);
    }
    addUnits(threads);
}

void AttentionPlan::addSlice(const AttentionSlice& slice, std::int64_t kvHeads, std::int32_t window,
                             std::int32_t granule, int tileTokens) {
    const auto firstSpan = static_cast<std::int32_t>(m_spans.size());
    for (std::int32_t i = 0; i < slice.blockCount; ++i) {
        const std::int32_t index = slice.firstBlock + i;
        const auto& block = m_blocks[static_cast<std::size_t>(index)];
        const bool continues =
            i > 0 && m_blocks[static_cast<std::size_t>(index - 1)].firstPosition / kSpanTokens ==
                         block.firstPosition / kSpanTokens;
        if (continues) {
            ++m_spans.back().blockCount;
        } else {
            m_spans.push_back({index, 1});
        }
    }
    const auto endSpan = static_cast<std::int32_t>(m_spans.size());
    std::int32_t tokens = 0;
    for (std::int32_t token = 0; token < slice.tokens; token += tokens) {
        tokens = std::min(slice.tokens - token, tileTokens);
        if (granule > 0) {
            tokens = std::min(tokens, granule - (slice.firstPosition + token) % granule);
        }
        const std::int32_t lastPosition = slice.firstPosition + token + tokens - 1;
        const auto positionOf = [&](std::int32_t span) {
            const std::int32_t block = m_spans[static_cast<std::size_t>(span)].firstBlock;
            return m_blocks[static_cast<std::size_t>(block)].firstPosition;
        };
        // Spans before every row's window and after every row's position would add exactly 0.
        const std::int32_t firstSeen = slice.firstPosition + token - window + 1;
        std::int32_t begin = firstSpan;
        while (begin + 1 < endSpan && positionOf(begin + 1) <= firstSeen) {
            ++begin;
        }
        std::int32_t end = begin;
        while (end < endSpan && positionOf(end) <= lastPosition) {
            ++end;
        }
        for (std::int32_t head = 0; head < kvHeads; ++head) {
            m_tiles.push_back({.firstRow = slice.firstRow + token,
                               .tokens = tokens,
                               .firstToken = token,
                               .firstPosition = slice.firstPosition + token,
                               .kvHead = head,
                               .firstSpan = begin,
                               .spanCount = end - begin,
                               .firstPartial = 0});
        }
    }
}

void AttentionPlan::addUnits(int threads) {
    m_isSplit = threads > 1 && m_tiles.size() < kUnitsPerThread * static_cast<std::size_t>(threads);
    m_partials = 0;
    for (std::size_t i = 0; i < m_tiles.size(); ++i) {
        QueryTile& tile = m_tiles[i];
        tile.firstPartial = m_partials;
        m_partials += std::max(tile.spanCount, 1);
        const std::int32_t units = m_isSplit ? std::max(tile.spanCount, 1) : 1;
        for (std::int32_t span = 0; span < units; ++span) {
            m_units.push_back({static_cast<std::int32_t>(i), span});
        }
    }
    if (!m_isSplit) {
        m_partials = 0;
        std::stable_sort(m_units.begin(), m_units.end(), [&](AttentionUnit a, AttentionUnit b) {
            const QueryTile& first = m_tiles[static_cast<std::size_t>(a.tile)];
            const QueryTile& second = m_tiles[static_cast<std::size_t>(b.tile)];
            return first.firstPosition > second.firstPosition;
        });
    }
}

} // namespace kernels::cpu
