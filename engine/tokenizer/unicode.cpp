#include "engine/tokenizer/unicode.h"

#include <algorithm>

namespace engine {

namespace {

struct ClassRange {
    char32_t first;
    char32_t last;
    CharacterClass characterClass;
};

constexpr std::array kRanges = std::to_array<ClassRange>({
#include "engine/tokenizer/unicode_tables.inc"
});

constexpr std::uint8_t traitOf(CharacterClass characterClass) {
    switch (characterClass) {
    case CharacterClass::Space:
        return traits::kSpace;
    case CharacterClass::Letter:
        return traits::kLetter;
    case CharacterClass::Number:
        return traits::kNumber;
    case CharacterClass::Punctuation:
        return traits::kPunctuation;
    case CharacterClass::Symbol:
        return traits::kSymbol;
    case CharacterClass::Mark:
        return traits::kMark;
    case CharacterClass::Other:
        break;
    }
    return 0;
}

constexpr std::array<std::uint8_t, kBasicPlane> basicTraits() {
    std::array<std::uint8_t, kBasicPlane> table{};
    for (const ClassRange& range : kRanges) {
        for (std::size_t code = range.first; code <= range.last && code < kBasicPlane; ++code) {
            table[code] = traitOf(range.characterClass);
        }
    }
    table['\r'] |= traits::kLineBreak;
    table['\n'] |= traits::kLineBreak;
    for (std::size_t code = 0x3040; code <= 0x30FF; ++code) {
        table[code] |= traits::kHanOrKana;
    }
    for (std::size_t code = 0x4E00; code <= 0x9FA5; ++code) {
        table[code] |= traits::kHanOrKana;
    }
    return table;
}

} // namespace

constinit const std::array<std::uint8_t, kBasicPlane> kBasicTraits = basicTraits();

CharacterClass classOf(char32_t character) {
    const auto* const after = std::ranges::upper_bound(kRanges, character, {}, &ClassRange::first);
    if (after == kRanges.begin()) {
        return CharacterClass::Other;
    }
    const ClassRange& candidate = *(after - 1);
    return character <= candidate.last ? candidate.characterClass : CharacterClass::Other;
}

std::uint8_t traitsBeyondBasic(char32_t character) {
    return traitOf(classOf(character));
}

} // namespace engine
