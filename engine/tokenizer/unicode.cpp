#include "engine/tokenizer/unicode.h"

#include <algorithm>
#include <array>
#include <cstddef>

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

constexpr std::size_t kDirect = 0x10000; // the basic plane is looked up directly

constexpr auto kBasicPlane = [] {
    std::array<CharacterClass, kDirect> classes{};
    for (const ClassRange& range : kRanges) {
        for (std::size_t code = range.first; code <= range.last && code < kDirect; ++code) {
            classes[code] = range.characterClass;
        }
    }
    return classes;
}();

} // namespace

CharacterClass classOf(char32_t character) {
    if (character < kDirect) {
        return kBasicPlane[character];
    }
    const auto* const after = std::ranges::upper_bound(kRanges, character, {}, &ClassRange::first);
    const ClassRange& candidate = *(after - 1); // kRanges starts below the basic plane's end
    return character <= candidate.last ? candidate.characterClass : CharacterClass::Other;
}

} // namespace engine
