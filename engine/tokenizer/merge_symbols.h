// Merging adjacent symbols in order of priority, lowest first and leftmost among equals: the core
// of BPE (priority: rank) and SentencePiece (priority: order of score) for words of any length. O(n
// log n); where a merge never makes a better pair possible, as in trained vocabularies, about n.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace engine {

inline constexpr std::uint32_t kNeverMerged = std::numeric_limits<std::uint32_t>::max();

// One symbol of a word, in a doubly linked list by index.
struct Symbol {
    std::int32_t id = -1;
    std::uint32_t begin = 0; // in the text
    std::uint32_t end = 0;   // the same as begin: merged away
    std::uint32_t previous = 0;
    std::uint32_t next = 0;
    std::uint32_t priority = kNeverMerged; // of merging with `next`

    bool isGone() const { return begin == end; }
};

// Working memory of mergeSymbols, kept from word to word by the caller.
class MergeScratch {
public:
    std::vector<Symbol> symbols;

    // The pair whose left symbol is at `position` has this priority now.
    void offer(std::uint32_t priority, std::uint32_t position) {
        if (priority >= m_bucketOf.size()) {
            m_bucketOf.resize(std::size_t{priority} + 1, kNone);
        }
        if (m_bucketOf[priority] == kNone) {
            m_bucketOf[priority] = takeBucket();
            m_waiting.push_back(priority);
            std::ranges::push_heap(m_waiting, std::greater<>());
        }
        m_buckets[m_bucketOf[priority]].add(position);
    }

    bool isEmpty() const { return m_waiting.empty(); }
    std::uint32_t bestPriority() const { return m_waiting.front(); }

    // The leftmost position of the best priority; it may be out of date.
    std::uint32_t takeBest() {
        const std::uint32_t priority = m_waiting.front();
        Bucket& bucket = m_buckets[m_bucketOf[priority]];
        const std::uint32_t position = bucket.take();
        if (bucket.isEmpty()) {
            m_free.push_back(m_bucketOf[priority]);
            m_bucketOf[priority] = kNone;
            std::ranges::pop_heap(m_waiting, std::greater<>());
            m_waiting.pop_back();
        }
        return position;
    }

    // Gives back what an unusually long word took.
    void trim() {
        constexpr std::size_t kKept = std::size_t{1} << 16;
        if (symbols.capacity() > kKept) {
            *this = MergeScratch();
        }
    }

private:
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    // Positions of one priority. They nearly always come in order; else they become a heap.
    class Bucket {
    public:
        bool isEmpty() const { return m_at == m_positions.size(); }

        void add(std::uint32_t position) {
            if (!m_isHeap && !isEmpty() && position < m_positions.back()) {
                m_positions.erase(m_positions.begin(),
                                  m_positions.begin() + static_cast<std::ptrdiff_t>(m_at));
                m_at = 0;
                std::ranges::make_heap(m_positions, std::greater<>());
                m_isHeap = true;
            }
            m_positions.push_back(position);
            if (m_isHeap) {
                std::ranges::push_heap(m_positions, std::greater<>());
            }
        }

        std::uint32_t take() {
            std::uint32_t position = 0;
            if (m_isHeap) {
                std::ranges::pop_heap(m_positions, std::greater<>());
                position = m_positions.back();
                m_positions.pop_back();
            } else {
                position = m_positions[m_at++];
            }
            if (isEmpty()) {
                m_positions.clear();
                m_at = 0;
                m_isHeap = false;
            }
            return position;
        }

    private:
        std::vector<std::uint32_t> m_positions;
        std::size_t m_at = 0;
        bool m_isHeap = false;
    };

    std::uint32_t takeBucket() {
        if (m_free.empty()) {
            m_buckets.emplace_back();
            return static_cast<std::uint32_t>(m_buckets.size() - 1);
        }
        const std::uint32_t bucket = m_free.back();
        m_free.pop_back();
        return bucket;
    }

    std::vector<Bucket> m_buckets;
    std::vector<std::uint32_t> m_free;     // buckets without a priority
    std::vector<std::uint32_t> m_bucketOf; // by priority
    std::vector<std::uint32_t> m_waiting;  // priorities with a bucket, a min-heap
};

// Merges scratch.symbols in place; what remains are those that are not gone, in order.
// rules.priorityOf(left, right): of the pair, or kNeverMerged; rules.merged(left, right): its id.
template <class Rules>
void mergeSymbols(MergeScratch& scratch, const Rules& rules) {
    auto& symbols = scratch.symbols;
    const auto count = static_cast<std::uint32_t>(symbols.size());
    constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    const auto rate = [&](std::uint32_t left) {
        Symbol& symbol = symbols[left];
        symbol.priority =
            symbol.next == kNone ? kNeverMerged : rules.priorityOf(symbol, symbols[symbol.next]);
        if (symbol.priority != kNeverMerged) {
            scratch.offer(symbol.priority, left);
        }
    };
    for (std::uint32_t i = 0; i < count; ++i) {
        symbols[i].previous = i == 0 ? kNone : i - 1;
        symbols[i].next = i + 1 == count ? kNone : i + 1;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        rate(i);
    }
    while (!scratch.isEmpty()) {
        const std::uint32_t priority = scratch.bestPriority();
        const std::uint32_t left = scratch.takeBest();
        Symbol& symbol = symbols[left];
        // Positions are not taken back when their pair goes; the symbol tells.
        if (symbol.isGone() || symbol.priority != priority) {
            continue;
        }
        Symbol& gone = symbols[symbol.next];
        symbol.id = rules.merged(symbol, gone);
        symbol.end = gone.end;
        gone.end = gone.begin;
        symbol.next = gone.next;
        if (symbol.next != kNone) {
            symbols[symbol.next].previous = left;
        }
        rate(left);
        if (symbol.previous != kNone) {
            rate(symbol.previous);
        }
    }
}

} // namespace engine
