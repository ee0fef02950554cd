// Reading valid UTF-8 character by character, with classes, for the split patterns.
#pragma once

#include "engine/base/utf8.h"
#include "engine/tokenizer/unicode.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace engine::splits {

struct Character {
    char32_t value = 0;
    std::size_t end = 0; // where the next one begins
    CharacterClass kind = CharacterClass::Other;

    bool is(CharacterClass wanted) const { return kind == wanted; }
    bool isLineBreak() const { return value == '\r' || value == '\n'; }
};

// Precondition: at < text.size().
inline Character characterAt(std::string_view text, std::size_t at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) {
        return {byte, at + 1, classOf(byte)};
    }
    const Utf8Step step = utf8Step(text.substr(at));
    return {step.character, at + step.length, classOf(step.character)};
}

// The end of the run of characters from `at` that satisfy `belongs`; `at` itself if there is none.
template <class Belongs>
std::size_t runEnd(std::string_view text, std::size_t at, const Belongs& belongs) {
    while (at < text.size()) {
        const Character character = characterAt(text, at);
        if (!belongs(character)) {
            break;
        }
        at = character.end;
    }
    return at;
}

// Appends matches and the gaps between them. match(piece, at) returns the end of the match that
// begins at `at`, or `at` where none does.
template <class Match>
void isolate(std::string_view piece, std::vector<std::string_view>& out, const Match& match) {
    std::size_t gap = 0;
    std::size_t at = 0;
    while (at < piece.size()) {
        const std::size_t end = match(piece, at);
        if (end == at) {
            at = characterAt(piece, at).end;
            continue;
        }
        if (gap < at) {
            out.push_back(piece.substr(gap, at - gap));
        }
        out.push_back(piece.substr(at, end - at));
        at = gap = end;
    }
    if (gap < piece.size()) {
        out.push_back(piece.substr(gap));
    }
}

} // namespace engine::splits
