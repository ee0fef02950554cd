// What a token sees of its sequence under tiered sparse attention, block by block: the first
// tokens, a window before its own block, and evenly spread blocks of what lies between. It depends
// on positions alone, so neither batches nor chunks change it. The design left open what "sampled"
// means: blocks that are spread evenly need no look at their keys, and a block that is left out
// once is left out for ever. Pure.
#pragma once

#include <cstdint>

namespace engine {

struct AttentionTiers {
    bool isSparse = false; // else all is seen
    std::int64_t first = 1024;
    std::int64_t window = 512;
    std::int64_t share = 30; // percent of the blocks in between

    // Whether tokens of `queryBlock` see `block`, both counted from the sequence's beginning.
    bool sees(std::int64_t queryBlock, std::int64_t block, std::int64_t blockTokens) const {
        const std::int64_t firstBlocks = (first + blockTokens - 1) / blockTokens;
        const std::int64_t windowBegin = queryBlock * blockTokens - window;
        if (!isSparse || block < firstBlocks || (block + 1) * blockTokens > windowBegin) {
            return true;
        }
        const std::int64_t between = block - firstBlocks;
        return (between + 1) * share / 100 > between * share / 100;
    }
    bool operator==(const AttentionTiers&) const = default;
};

} // namespace engine
