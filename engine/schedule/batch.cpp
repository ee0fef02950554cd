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
    const auto refTo = [&](std::int64_t block) {
        return kernels::BlockRef{
            .block = static_cast<std::int32_t>(table[static_cast<std::size_t>(block)]),
            .firstPosition = static_cast<std::int32_t>(block * blockTokens)};
    };
    for (std::int64_t i = 0; i * blockTokens < end; ++i) {
        if (tiers.seesEvenly(own, i, blockTokens)) {
            batch.blocks.push_back(refTo(i));
        }
    }
    slice.blockCount = static_cast<std::int32_t>(batch.blocks.size()) - slice.firstBlock;
    const AttentionTiers::Between between = tiers.between(own, blockTokens);
    const std::int64_t keep = tiers.kept(between.count());
    if (keep > 0 && keep < between.count()) {
        batch.choices.push_back(
            {.slice = static_cast<std::int32_t>(batch.slices.size()),
             .firstCandidate = static_cast<std::int32_t>(batch.candidates.size()),
             .count = static_cast<std::int32_t>(between.count()),
             .keep = static_cast<std::int32_t>(keep)});
        for (std::int64_t i = between.begin; i < between.end; ++i) {
            batch.candidates.push_back(refTo(i));
        }
    }
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
    choices.clear();
    candidates.clear();
    filled.clear();
    adapters.clear();
    wantedAdapters.clear();
}

void Batch::add(std::span<const TokenId> newIds, std::int64_t firstPosition,
                std::span<const BlockId> table, std::int64_t blockTokens,
                const AttentionTiers& tiers) {
    const std::int64_t end = firstPosition + static_cast<std::int64_t>(newIds.size());
    const std::int64_t blockCount = (end + blockTokens - 1) / blockTokens;
    ensure(blockCount <= static_cast<std::int64_t>(table.size()), "every token has its block");
    std::int64_t at = firstPosition;
    do {
        const std::int64_t together = std::min(kChoosingTokens, blockTokens);
        const std::int64_t sliceEnd =
            tiers.isSparse ? std::min(end, (at / together + 1) * together) : end;
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
    for (std::int64_t i = firstPosition / blockTokens;
         tiers.isSparse && (i + 1) * blockTokens <= end; ++i) {
        filled.push_back(static_cast<std::int32_t>(table[static_cast<std::size_t>(i)]));
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

void addAdapterRows(std::vector<AdapterRows>& rows, const Adapter* adapter, std::int64_t first,
                    std::int64_t count) {
    if (adapter == nullptr) {
        return;
    }
    const bool goesOn = !rows.empty() && rows.back().adapter == adapter &&
                        rows.back().first + rows.back().count == first;
    if (goesOn) {
        rows.back().count += count;
    } else {
        rows.push_back({.adapter = adapter, .first = first, .count = count});
    }
}

void buildBatch(std::span<const Slice> slices, std::int64_t blockTokens, Batch& batch) {
    batch.clear();
    for (const Slice& slice : slices) {
        const Sequence& sequence = *slice.sequence;
        const auto first = static_cast<std::size_t>(sequence.cached());
        addAdapterRows(batch.adapters, sequence.adapter, batch.tokens(), slice.tokens);
        batch.add(sequence.tokens().subspan(first, static_cast<std::size_t>(slice.tokens)),
                  sequence.cached(), sequence.blocks(), blockTokens, sequence.tiers);
        if (slice.wantsLogits) {
            addAdapterRows(batch.wantedAdapters, sequence.adapter,
                           static_cast<std::int64_t>(batch.logitRows.size()), 1);
            batch.wantLastRow();
        }
    }
}

} // namespace engine
