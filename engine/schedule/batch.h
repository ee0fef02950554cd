// A step's slices as flat arrays, the only thing a model sees of them. Engine thread.
#pragma once

#include "engine/schedule/policy.h"
#include "kernels/ops.h"

#include <cstdint>
#include <vector>

namespace engine {

class Adapter;

// Rows [first, first + count) that are computed with an adapter.
struct AdapterRows {
    const Adapter* adapter = nullptr;
    std::int64_t first = 0;
    std::int64_t count = 0;
};

// A slice whose tokens may choose for themselves, in layers that keep bounds of their keys, which
// of the blocks between its first ones and its window they see. The slice's own list has them
// spread evenly.
struct BlockChoice {
    std::int32_t slice = 0;          // index into Batch::slices
    std::int32_t firstCandidate = 0; // index into Batch::candidates
    std::int32_t count = 0;
    std::int32_t keep = 0; // of each token
};

struct Batch {
    // Tokens that choose together are computed together: enough for a tile of rows.
    static constexpr std::int64_t kChoosingTokens = 16;

    std::vector<TokenId> ids;            // [tokens]
    std::vector<std::int32_t> positions; // [tokens]
    std::vector<std::int32_t> slots;     // [tokens] block * blockTokens + offset
    std::vector<kernels::AttentionSlice> slices;
    std::vector<kernels::BlockRef> blocks;
    // The same two for layers with a window and for recent keys, where their memory is another
    // (placeWindows()); else empty.
    std::vector<std::int32_t> windowSlots;
    std::vector<kernels::BlockRef> windowBlocks;
    std::vector<std::int32_t> logitRows; // rows whose logits are wanted, ascending
    // Of sparse attention, by slice.
    std::vector<BlockChoice> choices;
    std::vector<kernels::BlockRef> candidates;
    std::vector<std::int32_t> filled; // blocks whose last token is in this step
    // Ascending; of all rows, and of those of logitRows.
    std::vector<AdapterRows> adapters;
    std::vector<AdapterRows> wantedAdapters;

    std::int64_t tokens() const { return static_cast<std::int64_t>(ids.size()); }
    void clear();
    // Appends the sequence's next `tokens` tokens. Precondition: their blocks are in `table`.
    // Under sparse attention they are cut where positions are multiples of kChoosingTokens.
    void add(std::span<const TokenId> ids, std::int64_t firstPosition,
             std::span<const BlockId> table, std::int64_t blockTokens,
             const AttentionTiers& tiers = {});
    // The last row's logits are wanted.
    void wantLastRow();
};

// Adds to the last of `rows` where it is the same adapter's; nothing without an adapter.
void addAdapterRows(std::vector<AdapterRows>& rows, const Adapter* adapter, std::int64_t first,
                    std::int64_t count);

// Rewrites `batch`, so that its arrays keep their memory from step to step.
void buildBatch(std::span<const Slice> slices, std::int64_t blockTokens, Batch& batch);

} // namespace engine
