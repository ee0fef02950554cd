// Splitters made from patterns as tokenizer.json spells them: the known families' by hand, any
// other by PCRE2. Loading thread; the splitters are for any thread.
#pragma once

#include "engine/tokenizer/splitter.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace engine {

// What becomes of a pattern's matches. Names and meaning as in tokenizer.json.
enum class SplitBehavior : std::uint8_t {
    Isolated, // matches and what lies between them: each a piece
    Removed,
    MergedWithPrevious,
    MergedWithNext,
    Contiguous // neighbouring matches are one piece
};

// One step; the next one is applied to each piece apart.
struct SplitStep {
    std::string pattern; // Oniguruma's dialect, as far as tokenizers use it
    bool isLiteral = false;
    SplitBehavior behavior = SplitBehavior::Isolated;
    bool inverts = false; // what does not match counts as the matches
};

// A pattern is a program from outside: this is what it may cost.
struct PatternLimits {
    std::uint32_t stepsOfMatch = 100'000'000; // backtracking in one match, as PCRE2 counts it
    std::chrono::milliseconds whole{20'000};  // of one text; looked at between matches
};

// The hand-written splitter where the steps are those of a known family, else PCRE2's. Throws
// Failure for a pattern that PCRE2 doesn't take; names it.
std::unique_ptr<Splitter> makeSplitter(const std::vector<SplitStep>& steps);
// Always PCRE2's.
std::unique_ptr<Splitter> makePatternSplitter(const std::vector<SplitStep>& steps,
                                              PatternLimits limits = {});

} // namespace engine
