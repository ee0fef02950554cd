// From texts to numbers: a hash index over texts that lie elsewhere. Filled once, then for any
// thread.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace engine {

class TextIndex {
public:
    static constexpr std::int32_t kNone = -1;

    explicit TextIndex(std::size_t expected = 0) : m_slots(std::bit_ceil(2 * expected + 2)) {}

    // textOf(number) gives the text that was added under it. Of equal texts the first counts: false
    // for a later one.
    template <class TextOf>
    bool add(std::string_view text, std::int32_t number, const TextOf& textOf) {
        if (2 * (m_count + 1) > m_slots.size()) {
            grow();
        }
        const std::uint32_t hash = hashOf(text);
        std::size_t at = hash & (m_slots.size() - 1);
        for (; m_slots[at].number != kNone; at = (at + 1) & (m_slots.size() - 1)) {
            if (m_slots[at].hash == hash && textOf(m_slots[at].number) == text) {
                return false;
            }
        }
        m_slots[at] = {hash, number};
        ++m_count;
        return true;
    }

    template <class TextOf>
    std::int32_t find(std::string_view text, const TextOf& textOf) const {
        const std::uint32_t hash = hashOf(text);
        std::size_t at = hash & (m_slots.size() - 1);
        for (; m_slots[at].number != kNone; at = (at + 1) & (m_slots.size() - 1)) {
            if (m_slots[at].hash == hash && textOf(m_slots[at].number) == text) {
                return m_slots[at].number;
            }
        }
        return kNone;
    }

private:
    struct Slot {
        std::uint32_t hash = 0;
        std::int32_t number = kNone;
    };

    static std::uint32_t hashOf(std::string_view text) {
        return static_cast<std::uint32_t>(XXH3_64bits(text.data(), text.size()));
    }

    void grow() {
        std::vector<Slot> old(2 * m_slots.size());
        old.swap(m_slots);
        for (const Slot& slot : old) {
            if (slot.number != kNone) {
                std::size_t at = slot.hash & (m_slots.size() - 1);
                while (m_slots[at].number != kNone) {
                    at = (at + 1) & (m_slots.size() - 1);
                }
                m_slots[at] = slot;
            }
        }
    }

    std::vector<Slot> m_slots;
    std::size_t m_count = 0;
};

} // namespace engine
