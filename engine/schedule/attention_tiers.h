// What a token sees of its sequence under tiered sparse attention, block by block: the first
// tokens, a window before its own block, and a share of the blocks in between. Which of those is
// the token's own choice, layer by layer, where a layer keeps bounds of its keys (BlockChooser);
// else they are spread evenly, which needs no look at the keys. Either way it depends on the
// sequence alone, so neither batches nor chunks change it. Pure.
#pragma once

#include <algorithm>
#include <cstdint>

namespace engine {

struct AttentionTiers {
    bool isSparse = false; // else all is seen
    std::int64_t first = 1024;
    std::int64_t window = 512;
    std::int64_t share = 30; // percent of the blocks in between

    // Blocks [begin, end) are between the first ones and the window of tokens of `queryBlock`, all
    // counted from the sequence's beginning.
    struct Between {
        std::int64_t begin = 0, end = 0;
        std::int64_t count() const { return end - begin; }
    };
    Between between(std::int64_t queryBlock, std::int64_t blockTokens) const {
        const std::int64_t begin = (first + blockTokens - 1) / blockTokens;
        const std::int64_t windowBegin = queryBlock * blockTokens - window;
        const std::int64_t end = windowBegin > 0 ? windowBegin / blockTokens : 0;
        return {begin, std::max(begin, isSparse ? end : 0)};
    }
    // How many of them are seen.
    std::int64_t kept(std::int64_t count) const { return count * share / 100; }
    // Whether they are where nobody chooses.
    bool seesEvenly(std::int64_t queryBlock, std::int64_t block, std::int64_t blockTokens) const {
        const Between sampled = between(queryBlock, blockTokens);
        if (block < sampled.begin || block >= sampled.end) {
            return true;
        }
        return kept(block - sampled.begin + 1) > kept(block - sampled.begin);
    }
    bool operator==(const AttentionTiers&) const = default;
};

} // namespace engine
