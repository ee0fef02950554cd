// Merging adjacent symbols in order of priority, lowest first and leftmost among equals: the common
// core of byte-level BPE (priority: rank) and SentencePiece (priority: order of score). O(n log n).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace engine {

// One symbol of a word, in a doubly linked list by index.
struct Symbol {
    std::int32_t id = -1;
    std::uint32_t begin = 0;  // bytes of the text
    std::uint32_t length = 0; // 0: merged away
    std::uint32_t previous = 0;
    std::uint32_t next = 0;
    std::uint32_t priority = 0; // of merging with `next`
    std::int32_t merged = -1;   // what that makes
};

struct Merge {
    static constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t priority = kNever;
    std::int32_t id = -1;
};

// Working memory of mergeSymbols, kept from word to word by the caller.
struct MergeScratch {
    std::vector<Symbol> symbols;
    std::vector<std::uint64_t> queue; // priority << 32 | index of the left symbol, a min-heap
};

// Merges scratch.symbols in place; what remains are the symbols with a length, in order.
// mergeOf(left, right) tells what a pair of adjacent symbols makes.
template <class MergeOf>
void mergeSymbols(MergeScratch& scratch, const MergeOf& mergeOf) {
    auto& symbols = scratch.symbols;
    auto& queue = scratch.queue;
    const auto count = static_cast<std::uint32_t>(symbols.size());
    constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    // A short word's best pair is found sooner by looking at all of them.
    constexpr std::uint32_t kShort = 24;
    const bool isShort = count <= kShort;

    const auto rate = [&](std::uint32_t left) {
        Symbol& symbol = symbols[left];
        const Merge merge = symbol.next == kNone ? Merge{} : mergeOf(symbol, symbols[symbol.next]);
        symbol.priority = merge.priority;
        symbol.merged = merge.id;
    };
    const auto key = [&](std::uint32_t left) {
        return std::uint64_t{symbols[left].priority} << 32 | left;
    };
    // The best pair's left symbol, or kNone.
    const auto takeBest = [&]() -> std::uint32_t {
        if (isShort) {
            std::uint32_t best = kNone;
            for (std::uint32_t i = 0; i < count; ++i) {
                if (symbols[i].length != 0 && symbols[i].priority != Merge::kNever &&
                    (best == kNone || symbols[i].priority < symbols[best].priority)) {
                    best = i;
                }
            }
            return best;
        }
        while (!queue.empty()) {
            const std::uint64_t best = queue.front();
            std::ranges::pop_heap(queue, std::greater<>());
            queue.pop_back();
            const auto left = static_cast<std::uint32_t>(best);
            // Entries are not removed when their pair goes; a symbol that is gone or has another
            // priority by now tells.
            if (symbols[left].length != 0 && key(left) == best) {
                return left;
            }
        }
        return kNone;
    };
    const auto offer = [&](std::uint32_t left) {
        rate(left);
        if (!isShort && symbols[left].priority != Merge::kNever) {
            queue.push_back(key(left));
            std::ranges::push_heap(queue, std::greater<>());
        }
    };

    queue.clear();
    for (std::uint32_t i = 0; i < count; ++i) {
        symbols[i].previous = i == 0 ? kNone : i - 1;
        symbols[i].next = i + 1 == count ? kNone : i + 1;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        rate(i);
        if (!isShort && symbols[i].priority != Merge::kNever) {
            queue.push_back(key(i));
        }
    }
    std::ranges::make_heap(queue, std::greater<>());

    for (std::uint32_t left = takeBest(); left != kNone; left = takeBest()) {
        Symbol& symbol = symbols[left];
        Symbol& gone = symbols[symbol.next];
        symbol.id = symbol.merged;
        symbol.length += gone.length;
        gone.length = 0;
        symbol.next = gone.next;
        if (symbol.next != kNone) {
            symbols[symbol.next].previous = left;
        }
        offer(left);
        if (symbol.previous != kNone) {
            offer(symbol.previous);
        }
    }
}

} // namespace engine
