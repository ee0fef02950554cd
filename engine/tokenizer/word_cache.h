// Ids of short words that were met before. One a thread at a time: the caller sees to that.
#pragma once

#include "engine/request.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace engine {

class WordCache {
public:
    static constexpr std::size_t kLongest = 15; // bytes of a word
    static constexpr std::size_t kMostIds = 4;

    // The bytes of a word and, in the last byte, their number.
    struct Key {
        std::uint64_t low = 0, high = 0;
    };

    WordCache() : m_entries(kEntries) {}

    // `readableEnd`: how far the text goes on behind the word.
    static Key keyOf(std::string_view word, const char* readableEnd) {
        static_assert(std::endian::native == std::endian::little);
        std::array<std::uint64_t, 2> bytes{};
        if (readableEnd - word.data() >= 16) {
            std::memcpy(bytes.data(), word.data(), 16);
            const std::size_t length = word.size();
            constexpr std::uint64_t kAll = ~std::uint64_t{0};
            bytes[0] &= length >= 8 ? kAll : kAll >> (64 - 8 * length);
            bytes[1] &= length <= 8 ? 0 : kAll >> (128 - 8 * length);
        } else {
            std::memcpy(bytes.data(), word.data(), word.size());
        }
        return {bytes[0], bytes[1] | std::uint64_t{word.size()} << 56};
    }

    // Writes kMostIds ids to `out` and returns how many of them count; 0: not met before.
    std::size_t find(const Key& key, TokenId* out) const {
        const Entry& entry = m_entries[slotOf(key)];
        // The number of ids is in the four bits that the word's length leaves.
        if (entry.low != key.low || (entry.high ^ key.high) << 4 != 0) {
            return 0;
        }
        std::memcpy(out, entry.ids.data(), sizeof(entry.ids));
        return entry.high >> 60;
    }

    void remember(const Key& key, std::span<const TokenId> ids) {
        if (ids.empty() || ids.size() > kMostIds) {
            return;
        }
        Entry& entry = m_entries[slotOf(key)];
        entry.low = key.low;
        entry.high = key.high | std::uint64_t{ids.size()} << 60;
        std::memcpy(entry.ids.data(), ids.data(), ids.size_bytes());
    }

private:
    static constexpr std::size_t kBits = 14;
    static constexpr std::size_t kEntries = std::size_t{1} << kBits; // 512 KiB

    struct alignas(32) Entry {
        std::uint64_t low = 0, high = 0;
        std::array<TokenId, kMostIds> ids{};
    };

    static std::size_t slotOf(const Key& key) {
        const std::uint64_t mixed =
            (key.low ^ std::rotl(key.high * 0x9E3779B97F4A7C15ULL, 32)) * 0xD6E8FEB86659FD93ULL;
        return mixed >> (64 - kBits);
    }

    std::vector<Entry> m_entries;
};

} // namespace engine
