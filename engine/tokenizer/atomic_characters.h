// The characters that byte-level merging always puts together first, whatever stands around them:
// words of Chinese then start from characters instead of from three times as many bytes.
// Immutable; any thread.
#pragma once

#include "engine/tokenizer/bpe_rules.h"

#include <array>
#include <cstdint>
#include <vector>

namespace engine {

class AtomicCharacters {
public:
    // `bytes`: the symbol of each byte. The precondition of the argument below is that text is
    // valid UTF-8 and that every byte has a symbol.
    AtomicCharacters(const BpeRules& rules, const std::array<std::int32_t, 256>& bytes);

    // The symbol of a character of the basic plane from U+0080 up; -1: only its bytes.
    std::int32_t symbolOf(char32_t character) const { return m_symbols[character]; }

private:
    std::vector<std::int32_t> m_symbols;
};

} // namespace engine
