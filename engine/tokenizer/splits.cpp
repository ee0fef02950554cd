// The patterns with several alternatives. Alternatives are tried in the pattern's order; runs are
// greedy, and where the pattern would step back the code says so.
#include "engine/tokenizer/splits.h"

#include "engine/tokenizer/character_cursor.h"

#include <array>

namespace engine::splits {

namespace {

using Kind = CharacterClass;

enum class LetterCase : std::uint8_t { Exact, Ignored };

char32_t lowered(const Character& character) {
    constexpr char32_t kLongS = 0x17F; // folds to s in Unicode
    if (character.value >= 'A' && character.value <= 'Z') {
        return character.value + ('a' - 'A');
    }
    return character.value == kLongS ? U's' : character.value;
}

// 's|'t|'re|'ve|'m|'ll|'d
std::size_t contraction(std::string_view piece, std::size_t at, LetterCase letterCase) {
    if (piece[at] != '\'' || at + 1 >= piece.size()) {
        return at;
    }
    const auto letterOf = [letterCase](const Character& character) {
        return letterCase == LetterCase::Ignored ? lowered(character) : character.value;
    };
    const Character first = characterAt(piece, at + 1);
    const char32_t letter = letterOf(first);
    if (letter == 's' || letter == 't' || letter == 'm' || letter == 'd') {
        return first.end;
    }
    if (first.end >= piece.size()) {
        return at;
    }
    const Character second = characterAt(piece, first.end);
    const char32_t next = letterOf(second);
    const bool matches =
        ((letter == 'r' || letter == 'v') && next == 'e') || (letter == 'l' && next == 'l');
    return matches ? second.end : at;
}

// \s+(?!\S)|\s+ : a run of white space; all but its last character where something else follows,
// so that this one can lead the next word. `at` where there is none.
std::size_t whiteSpace(std::string_view piece, std::size_t at) {
    std::size_t last = at;
    std::size_t end = at;
    while (end < piece.size()) {
        const Character character = characterAt(piece, end);
        if (!character.is(Kind::Space)) {
            return last > at ? last : end;
        }
        last = end;
        end = character.end;
    }
    return end;
}

// \s*[\r\n]+ : white space up to the last line break of the run.
std::size_t lineBreaks(std::string_view piece, std::size_t at) {
    std::size_t afterBreak = at;
    while (at < piece.size()) {
        const Character character = characterAt(piece, at);
        if (!character.is(Kind::Space)) {
            break;
        }
        at = character.end;
        if (character.isLineBreak()) {
            afterBreak = at;
        }
    }
    return afterBreak;
}

// Where a match begins that an optional space may lead.
std::size_t afterOptionalSpace(std::string_view piece, std::size_t at) {
    return piece[at] == ' ' && at + 1 < piece.size() ? at + 1 : at;
}

std::size_t matchGpt2(std::string_view piece, std::size_t at) {
    const std::size_t contracted = contraction(piece, at, LetterCase::Exact);
    if (contracted != at) {
        return contracted;
    }
    const std::size_t begin = afterOptionalSpace(piece, at);
    const Kind kind = characterAt(piece, begin).kind;
    const auto isOther = [](const Character& character) {
        return !character.is(Kind::Space) && !character.is(Kind::Letter) &&
               !character.is(Kind::Number);
    };
    switch (kind) {
    case Kind::Space:
        return whiteSpace(piece, at);
    case Kind::Letter:
    case Kind::Number:
        return runEnd(piece, begin, [kind](const Character& next) { return next.is(kind); });
    default:
        return runEnd(piece, begin, isOther);
    }
}

// What the patterns of Llama 3, Qwen 2 and Qwen 3.5 differ in.
struct ModernRules {
    int mostDigits = 1;
    bool joinsMarks = false;
};

template <ModernRules kRules>
bool isWordCharacter(const Character& character) {
    return character.is(Kind::Letter) || (kRules.joinsMarks && character.is(Kind::Mark));
}

template <ModernRules kRules>
std::size_t matchModern(std::string_view piece, std::size_t at) {
    const std::size_t contracted = contraction(piece, at, LetterCase::Ignored);
    if (contracted != at) {
        return contracted;
    }
    const auto isWord = isWordCharacter<kRules>;
    const Character first = characterAt(piece, at);
    // letters, led by one character that is neither letter, number nor line break
    if (isWord(first)) {
        return runEnd(piece, first.end, isWord);
    }
    if (first.is(Kind::Number)) {
        std::size_t end = first.end;
        for (int digits = 1; digits < kRules.mostDigits && end < piece.size(); ++digits) {
            const Character next = characterAt(piece, end);
            if (!next.is(Kind::Number)) {
                break;
            }
            end = next.end;
        }
        return end;
    }
    if (!first.isLineBreak()) {
        const std::size_t word = runEnd(piece, first.end, isWord);
        if (word != first.end) {
            return word;
        }
    }
    // other characters and the line breaks after them
    const std::size_t begin = afterOptionalSpace(piece, at);
    const std::size_t other = runEnd(piece, begin, [isWord](const Character& character) {
        return !character.is(Kind::Space) && !character.is(Kind::Number) && !isWord(character);
    });
    if (other != begin) {
        return runEnd(piece, other, [](const Character& next) { return next.isLineBreak(); });
    }
    const std::size_t broken = lineBreaks(piece, at);
    return broken != at ? broken : whiteSpace(piece, at);
}

bool isLetterOrMark(const Character& character) {
    return character.is(Kind::Letter) || character.is(Kind::Mark);
}

bool isPunctuationOrSymbol(const Character& character) {
    return character.is(Kind::Punctuation) || character.is(Kind::Symbol);
}

bool isAsciiLetter(const Character& character) {
    return (character.value >= 'A' && character.value <= 'Z') ||
           (character.value >= 'a' && character.value <= 'z');
}

std::size_t matchDeepseekV3(std::string_view piece, std::size_t at) {
    const Character first = characterAt(piece, at);
    // one ASCII punctuation character and the ASCII letters after it
    if (first.value < 0x80 && isPunctuationOrSymbol(first)) {
        const std::size_t word = runEnd(piece, first.end, isAsciiLetter);
        if (word != first.end) {
            return word;
        }
    }
    // letters and marks, led by one character that is no line break, punctuation or symbol
    if (isLetterOrMark(first)) {
        return runEnd(piece, first.end, isLetterOrMark);
    }
    if (!first.isLineBreak() && !isPunctuationOrSymbol(first)) {
        const std::size_t word = runEnd(piece, first.end, isLetterOrMark);
        if (word != first.end) {
            return word;
        }
    }
    const std::size_t begin = afterOptionalSpace(piece, at);
    const std::size_t other = runEnd(piece, begin, isPunctuationOrSymbol);
    if (other != begin) {
        return runEnd(piece, other, [](const Character& next) { return next.isLineBreak(); });
    }
    const std::size_t broken = lineBreaks(piece, at);
    return broken != at ? broken : whiteSpace(piece, at);
}

} // namespace

void gpt2(std::string_view piece, Pieces& out) {
    isolate(piece, out, matchGpt2);
}

void llama3(std::string_view piece, Pieces& out) {
    isolate(piece, out, matchModern<ModernRules{.mostDigits = 3, .joinsMarks = false}>);
}

void qwen2(std::string_view piece, Pieces& out) {
    isolate(piece, out, matchModern<ModernRules{.mostDigits = 1, .joinsMarks = false}>);
}

void qwen35(std::string_view piece, Pieces& out) {
    isolate(piece, out, matchModern<ModernRules{.mostDigits = 1, .joinsMarks = true}>);
}

void deepseekV3(std::string_view piece, Pieces& out) {
    isolate(piece, out, matchDeepseekV3);
}

} // namespace engine::splits
