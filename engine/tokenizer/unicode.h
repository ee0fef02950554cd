// The classes of characters that pre-tokenizers tell apart (Unicode 16.0). Any thread.
#pragma once

#include <array>
#include <cstddef>
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

// The same as sets of bits, for loops over text: one bit a class, and two more.
namespace traits {
inline constexpr std::uint8_t kSpace = 1, kLetter = 2, kNumber = 4, kPunctuation = 8, kSymbol = 16,
                              kMark = 32;
inline constexpr std::uint8_t kLineBreak = 64;  // CR and LF, which are kSpace as well
inline constexpr std::uint8_t kHanOrKana = 128; // U+4E00 to U+9FA5 and U+3040 to U+30FF
} // namespace traits

inline constexpr std::size_t kBasicPlane = 0x10000;
extern const std::array<std::uint8_t, kBasicPlane> kBasicTraits;
std::uint8_t traitsBeyondBasic(char32_t character);

inline std::uint8_t traitsOf(char32_t character) {
    return character < kBasicPlane ? kBasicTraits[character] : traitsBeyondBasic(character);
}

} // namespace engine
