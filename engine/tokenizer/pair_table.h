// (left, right) -> rank of their merge: looked up several times a character of text, so a slot is
// eight bytes and the table of a vocabulary of 128k tokens 2 MiB. Most pairs are none: a filter of
// an eighth of that says so without a look at the table. Filled once, then for any thread.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace engine {

class PairTable {
public:
    static constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();
    // What a slot has room for.
    static constexpr std::int32_t kMostSymbols = 1 << 21;
    static constexpr std::uint32_t kMostRanks = 1 << 22;

    explicit PairTable(std::size_t pairs)
        : m_slots(std::bit_ceil(2 * pairs + 2), kFree),
          m_filter(std::max<std::size_t>(1, m_slots.size() * kFilterBits / 64)),
          m_shift(64 - std::countr_zero(m_slots.size())) {}

    // Of equal pairs the first counts. Preconditions: symbols and rank are within the bounds above.
    void add(std::int32_t left, std::int32_t right, std::uint32_t rank) {
        const std::uint64_t key = keyOf(left, right);
        const std::uint64_t hash = hashOf(key);
        std::size_t at = hash >> m_shift;
        for (; m_slots[at] != kFree; at = (at + 1) & (m_slots.size() - 1)) {
            if (m_slots[at] >> kRankBits == key) {
                return;
            }
        }
        m_slots[at] = key << kRankBits | rank;
        m_filter[wordOf(hash)] |= std::uint64_t{1} << bitOf(hash);
    }

    std::uint32_t find(std::int32_t left, std::int32_t right) const {
        const std::uint64_t key = keyOf(left, right);
        const std::uint64_t hash = hashOf(key);
        if ((m_filter[wordOf(hash)] >> bitOf(hash) & 1) == 0) {
            return kNever;
        }
        std::size_t at = hash >> m_shift;
        for (; m_slots[at] != kFree; at = (at + 1) & (m_slots.size() - 1)) {
            if (m_slots[at] >> kRankBits == key) {
                return static_cast<std::uint32_t>(m_slots[at]) & (kMostRanks - 1);
            }
        }
        return kNever;
    }

private:
    static constexpr int kSymbolBits = 21, kRankBits = 22;
    static constexpr int kFilterLog = 3; // bits of the filter a slot
    static constexpr std::size_t kFilterBits = std::size_t{1} << kFilterLog;
    // No key: both its symbols would be the greatest, which isn't given out.
    static constexpr std::uint64_t kFree = std::numeric_limits<std::uint64_t>::max();

    static std::uint64_t keyOf(std::int32_t left, std::int32_t right) {
        return std::uint64_t{static_cast<std::uint32_t>(left)} << kSymbolBits |
               static_cast<std::uint32_t>(right);
    }
    static std::uint64_t hashOf(std::uint64_t key) { return key * 0x9E3779B97F4A7C15ULL; }
    // The filter's bit is chosen by the same high bits as the slot and three below them.
    std::size_t wordOf(std::uint64_t hash) const { return hash >> (m_shift - kFilterLog) >> 6; }
    int bitOf(std::uint64_t hash) const {
        return static_cast<int>(hash >> (m_shift - kFilterLog) & 63);
    }

    std::vector<std::uint64_t> m_slots;
    std::vector<std::uint64_t> m_filter;
    int m_shift;
};

} // namespace engine
