// A step's slices as flat arrays, the only thing a model sees of them. Engine thread.
#pragma once

#include "engine/schedule/policy.h"
#include "kernels/ops.h"

#include <cstdint>
#include <vector>

namespace engine {

struct Batch {
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

    std::int64_t tokens() const { return static_cast<std::int64_t>(ids.size()); }
    void clear();
    // Appends the sequence's next `tokens` tokens. Precondition: their blocks are in `table`.
    // Under sparse attention they are as many slices as they lie in blocks.
    void add(std::span<const TokenId> ids, std::int64_t firstPosition,
             std::span<const BlockId> table, std::int64_t blockTokens,
             const AttentionTiers& tiers = {});
    // The last row's logits are wanted.
    void wantLastRow();
};

// Rewrites `batch`, so that its arrays keep their memory from step to step.
void buildBatch(std::span<const Slice> slices, std::int64_t blockTokens, Batch& batch);

} // namespace engine
