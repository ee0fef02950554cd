// The classes of characters that pre-tokenizers tell apart (Unicode 16.0). Any thread.
#pragma once

#include <cstdint>

namespace engine {

// Space is the property White_Space; the others are general categories L, N, P, S and M. No
// character has two.
enum class CharacterClass : std::uint8_t {
    Other,
    Space,
    Letter,
    Number,
    Punctuation,
    Symbol,
    Mark
};

CharacterClass classOf(char32_t character);

} // namespace engine
