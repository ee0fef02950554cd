#include "engine/schedule/batch.h"

#include "engine/base/ensure.h"

#include <algorithm>

namespace engine {

namespace {

// With the blocks that its tokens see.
void addSlice(Batch& batch, kernels::AttentionSlice slice, std::span<const BlockId> table,
              std::int64_t blockTokens, const AttentionTiers& tiers) {
    slice.firstBlock = static_cast<std::int32_t>(batch.blocks.size());
    const std::int64_t end = std::int64_t{slice.firstPosition} + slice.tokens;
    const std::int64_t own = slice.firstPosition / blockTokens;
    for (std::int64_t i = 0; i * blockTokens < end; ++i) {
        if (tiers.sees(own, i, blockTokens)) {
            batch.blocks.push_back(
                {.block = static_cast<std::int32_t>(table[static_cast<std::size_t>(i)]),
                 .firstPosition = static_cast<std::int32_t>(i * blockTokens)});
        }
    }
    slice.blockCount = static_cast<std::int32_t>(batch.blocks.size()) - slice.firstBlock;
    batch.slices.push_back(slice);
}

} // namespace

void Batch::clear() {
    ids.clear();
    positions.clear();
    slots.clear();
    slices.clear();
    blocks.clear();
    windowSlots.clear();
    windowBlocks.clear();
    logitRows.clear();
}

void Batch::add(std::span<const TokenId> newIds, std::int64_t firstPosition,
                std::span<const BlockId> table, std::int64_t blockTokens,
                const AttentionTiers& tiers) {
    const std::int64_t end = firstPosition + static_cast<std::int64_t>(newIds.size());
    const std::int64_t blockCount = (end + blockTokens - 1) / blockTokens;
    ensure(blockCount <= static_cast<std::int64_t>(table.size()), "every token has its block");
    std::int64_t at = firstPosition;
    do {
        const std::int64_t blockEnd = (at / blockTokens + 1) * blockTokens;
        const std::int64_t sliceEnd = tiers.isSparse ? std::min(end, blockEnd) : end;
        addSlice(*this,
                 {.firstRow = static_cast<std::int32_t>(ids.size()) +
                              static_cast<std::int32_t>(at - firstPosition),
                  .tokens = static_cast<std::int32_t>(sliceEnd - at),
                  .firstPosition = static_cast<std::int32_t>(at),
                  .firstBlock = 0,
                  .blockCount = 0},
                 table, blockTokens, tiers);
        at = sliceEnd;
    } while (at < end);
    for (std::int64_t position = firstPosition; position < end; ++position) {
        const auto block =
            static_cast<std::int64_t>(table[static_cast<std::size_t>(position / blockTokens)]);
        ids.push_back(newIds[static_cast<std::size_t>(position - firstPosition)]);
        positions.push_back(static_cast<std::int32_t>(position));
        slots.push_back(static_cast<std::int32_t>(block * blockTokens + position % blockTokens));
    }
}

void Batch::wantLastRow() {
    logitRows.push_back(static_cast<std::int32_t>(ids.size()) - 1);
}

void buildBatch(std::span<const Slice> slices, std::int64_t blockTokens, Batch& batch) {
    batch.clear();
    for (const Slice& slice : slices) {
        const Sequence& sequence = *slice.sequence;
        const auto first = static_cast<std::size_t>(sequence.cached());
        batch.add(sequence.tokens().subspan(first, static_cast<std::size_t>(slice.tokens)),
                  sequence.cached(), sequence.blocks(), blockTokens, sequence.tiers);
        if (slice.wantsLogits) {
            batch.wantLastRow();
        }
    }
}

} // namespace engine
