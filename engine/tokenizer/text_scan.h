// Reading valid UTF-8 by traits of characters, and handing words on: what the split patterns that
// are written by hand are made of. Any thread.
#pragma once

#include "engine/tokenizer/splitter.h"
#include "engine/tokenizer/unicode.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace engine::splits {

struct Character {
    char32_t value = 0;
    std::uint32_t length = 1; // bytes
    std::uint8_t traits = 0;

    bool is(std::uint8_t any) const { return (traits & any) != 0; }
};

// Precondition: `at` is where a character of valid UTF-8 begins.
inline Character characterAt(const char* at) {
    const auto byte = [at](int i) {
        return static_cast<char32_t>(static_cast<unsigned char>(at[i]));
    };
    const char32_t lead = byte(0);
    if (lead < 0x80) {
        return {lead, 1, kBasicTraits[lead]};
    }
    if (lead < 0xE0) {
        const char32_t value = (lead & 0x1F) << 6 | (byte(1) & 0x3F);
        return {value, 2, kBasicTraits[value]};
    }
    if (lead < 0xF0) {
        const char32_t value = (lead & 0xF) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
        return {value, 3, kBasicTraits[value]};
    }
    const char32_t value =
        (lead & 7) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
    return {value, 4, traitsOf(value)};
}

// The end of the run of characters whose traits satisfy `belongs`.
template <class Belongs>
const char* runEnd(const char* at, const char* end, const Belongs& belongs) {
    while (at < end) {
        const auto byte = static_cast<unsigned char>(*at);
        if (byte < 0x80) {
            if (!belongs(kBasicTraits[byte])) {
                break;
            }
            ++at;
            continue;
        }
        const Character character = characterAt(at);
        if (!belongs(character.traits)) {
            break;
        }
        at += character.length;
    }
    return at;
}

inline bool isSpace(std::uint8_t traits) {
    return (traits & engine::traits::kSpace) != 0;
}
inline bool isLineBreak(std::uint8_t traits) {
    return (traits & engine::traits::kLineBreak) != 0;
}

// Gathers words and hands them on, some hundred at a time.
class Words {
public:
    explicit Words(WordSink& sink) : m_sink(sink) {}
    Words(const Words&) = delete;
    Words& operator=(const Words&) = delete;

    // Nothing where the word is empty.
    void add(const char* begin, const char* end) {
        if (begin == end) {
            return;
        }
        m_words[m_count++] = std::string_view(begin, static_cast<std::size_t>(end - begin));
        if (m_count == m_words.size()) {
            flush();
        }
    }
    void flush() {
        m_sink.take(std::span(m_words).first(m_count));
        m_count = 0;
    }

private:
    WordSink& m_sink;
    std::array<std::string_view, 256> m_words;
    std::size_t m_count = 0;
};

} // namespace engine::splits
