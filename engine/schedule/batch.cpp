#include "engine/schedule/batch.h"

#include "engine/base/ensure.h"

namespace engine {

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
                std::span<const BlockId> table, std::int64_t blockTokens) {
    const std::int64_t end = firstPosition + static_cast<std::int64_t>(newIds.size());
    const std::int64_t blockCount = (end + blockTokens - 1) / blockTokens;
    ensure(blockCount <= static_cast<std::int64_t>(table.size()), "every token has its block");
    slices.push_back({.firstRow = static_cast<std::int32_t>(ids.size()),
                      .tokens = static_cast<std::int32_t>(newIds.size()),
                      .firstPosition = static_cast<std::int32_t>(firstPosition),
                      .firstBlock = static_cast<std::int32_t>(blocks.size()),
                      .blockCount = static_cast<std::int32_t>(blockCount)});
    for (std::int64_t i = 0; i < blockCount; ++i) {
        blocks.push_back({.block = static_cast<std::int32_t>(table[static_cast<std::size_t>(i)]),
                          .firstPosition = static_cast<std::int32_t>(i * blockTokens)});
    }
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
                  sequence.cached(), sequence.blocks(), blockTokens);
        if (slice.wantsLogits) {
            batch.wantLastRow();
        }
    }
}

} // namespace engine
