// The families whose patterns come down to one pass. Alternatives are tried in the pattern's order;
// runs are greedy, and where the pattern would step back the code says so. Steps that go before the
// main pattern are boundaries here: what they take ends a piece as the end of the text does.
#include "engine/tokenizer/splits.h"

#include "engine/tokenizer/text_scan.h"

#include <cstring>

namespace engine::splits {

namespace {

using namespace engine::traits;

enum class LetterCase : std::uint8_t { Exact, Ignored };

char32_t lowered(char32_t letter) {
    constexpr char32_t kLongS = 0x17F; // folds to s in Unicode
    if (letter >= 'A' && letter <= 'Z') {
        return letter + ('a' - 'A');
    }
    return letter == kLongS ? U's' : letter;
}

// 's|'t|'re|'ve|'m|'ll|'d : its end, or `at`.
template <LetterCase kCase>
const char* contraction(const char* at, const char* end) {
    if (*at != '\'' || end - at < 2) {
        return at;
    }
    const auto letterOf = [](const Character& character) {
        return kCase == LetterCase::Ignored ? lowered(character.value) : character.value;
    };
    const Character first = characterAt(at + 1);
    const char* const afterFirst = at + 1 + first.length;
    const char32_t letter = letterOf(first);
    if (letter == 's' || letter == 't' || letter == 'm' || letter == 'd') {
        return afterFirst;
    }
    if (afterFirst >= end || (letter != 'r' && letter != 'v' && letter != 'l')) {
        return at;
    }
    const Character second = characterAt(afterFirst);
    const char32_t wanted = letter == 'l' ? U'l' : U'e';
    return letterOf(second) == wanted ? afterFirst + second.length : at;
}

// A run of white space that begins at `at`.
struct SpaceRun {
    const char* afterBreak; // after its last line break; `at` where it has none
    const char* last;       // where its last character begins
    const char* end;
    bool isFollowed; // by something in the same piece
};

template <std::uint8_t kBoundary>
SpaceRun spaceRun(const char* at, const char* end) {
    SpaceRun run{at, at, at, false};
    while (run.end < end) {
        const Character character = characterAt(run.end);
        if (!character.is(kSpace)) {
            run.isFollowed = !character.is(kBoundary);
            break;
        }
        run.last = run.end;
        run.end += character.length;
        if (character.is(kLineBreak)) {
            run.afterBreak = run.end;
        }
    }
    return run;
}

// \s+(?!\S)|\s+ : all of the run but its last character where something else follows, so that this
// one can lead the next word.
const char* whiteSpace(const char* at, const SpaceRun& run) {
    return run.isFollowed && run.last > at ? run.last : run.end;
}

// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
template <std::uint8_t kBoundary>
const char* matchGpt2(const char* at, const char* end) {
    const char* const contracted = contraction<LetterCase::Exact>(at, end);
    if (contracted != at) {
        return contracted;
    }
    const char* const begin = *at == ' ' && end - at > 1 ? at + 1 : at;
    const Character first = characterAt(begin);
    if (first.is(kLetter)) {
        return runEnd(begin, end, [](std::uint8_t next) { return (next & kLetter) != 0; });
    }
    if (first.is(kSpace) || first.is(kBoundary)) {
        return whiteSpace(at, spaceRun<kBoundary>(at, end));
    }
    if (first.is(kNumber)) {
        return runEnd(begin, end, [](std::uint8_t next) { return (next & kNumber) != 0; });
    }
    return runEnd(begin, end,
                  [](std::uint8_t next) { return (next & (kSpace | kLetter | kNumber)) == 0; });
}

// \p{N}{1,most} : from a number on.
const char* numbers(const char* at, const char* end, int most) {
    for (; most > 0 && at < end; --most) {
        const Character next = characterAt(at);
        if (!next.is(kNumber)) {
            break;
        }
        at += next.length;
    }
    return at;
}

// What the patterns of Llama 3, Qwen 2 and Qwen 3.5 differ in.
struct ModernRules {
    int mostDigits = 1;
    std::uint8_t word = kLetter; // the traits that make words
};

// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|
// \s*[\r\n]+|\s+(?!\S)|\s+
template <ModernRules kRules>
const char* matchModern(const char* at, const char* end) {
    constexpr auto isWord = [](std::uint8_t next) { return (next & kRules.word) != 0; };
    const char* const contracted = contraction<LetterCase::Ignored>(at, end);
    if (contracted != at) {
        return contracted;
    }
    const Character first = characterAt(at);
    const char* const second = at + first.length;
    // letters, led by one character that is neither letter, number nor line break
    if (isWord(first.traits)) {
        return runEnd(second, end, isWord);
    }
    if (first.is(kNumber)) {
        return numbers(at, end, kRules.mostDigits);
    }
    if (!first.is(kLineBreak)) {
        const char* const word = runEnd(second, end, isWord);
        if (word != second) {
            return word;
        }
    }
    // other characters and the line breaks after them
    const char* const begin = *at == ' ' ? second : at;
    const char* const other = runEnd(begin, end, [](std::uint8_t next) {
        return (next & (kSpace | kNumber | kRules.word)) == 0;
    });
    if (other != begin) {
        return runEnd(other, end, isLineBreak);
    }
    const SpaceRun run = spaceRun<0>(at, end);
    return run.afterBreak != at ? run.afterBreak : whiteSpace(at, run);
}

constexpr std::uint8_t kMarked = kPunctuation | kSymbol;

// kOutside: traits of what ends the piece. Numbers, Han and kana are pieces of their own, and the
// main pattern goes over those of Han and kana as well: they have marks and punctuation, too.
template <std::uint8_t kOutside>
bool isDeepseekWord(std::uint8_t next) {
    return (next & (kLetter | kMark)) != 0 && (next & kOutside) == 0;
}

template <std::uint8_t kOutside>
bool isDeepseekMarked(std::uint8_t next) {
    return (next & kMarked) != 0 && (next & kOutside) == 0;
}

const char* asciiLettersEnd(const char* at, const char* end) {
    while (at < end && ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z'))) {
        ++at;
    }
    return at;
}

// [!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|
//  ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
// `at` where nothing matches. Precondition: what is at `at` is in the piece.
template <std::uint8_t kOutside>
const char* matchDeepseekV3(const char* at, const char* end) {
    const Character first = characterAt(at);
    const char* const second = at + first.length;
    if (isDeepseekWord<kOutside>(first.traits)) {
        return runEnd(second, end, isDeepseekWord<kOutside>);
    }
    if (first.is(kMarked)) {
        // one ASCII punctuation character and the ASCII letters after it
        const char* const word = first.value < 0x80 ? asciiLettersEnd(second, end) : second;
        return word != second
                   ? word
                   : runEnd(runEnd(second, end, isDeepseekMarked<kOutside>), end, isLineBreak);
    }
    // letters and marks, led by one character that is no line break, punctuation or symbol
    if (!first.is(kLineBreak)) {
        const char* const word = runEnd(second, end, isDeepseekWord<kOutside>);
        if (word != second) {
            return word;
        }
    }
    if (first.value == ' ') {
        const char* const other = runEnd(second, end, isDeepseekMarked<kOutside>);
        if (other != second) {
            return runEnd(other, end, isLineBreak);
        }
    }
    const SpaceRun run = spaceRun<kOutside>(at, end);
    return run.afterBreak != at ? run.afterBreak : whiteSpace(at, run);
}

// For patterns that match everywhere.
template <class Match>
void splitBy(std::string_view text, WordSink& sink, const Match& match) {
    Words words(sink);
    const char* const end = text.data() + text.size();
    for (const char* at = text.data(); at < end;) {
        const char* const next = match(at, end);
        words.add(at, next);
        at = next;
    }
    words.flush();
}

} // namespace

void gpt2(std::string_view text, WordSink& sink) {
    splitBy(text, sink, matchGpt2<0>);
}

void gpt2SingleNumbers(std::string_view text, WordSink& sink) {
    splitBy(text, sink, [](const char* at, const char* end) {
        const Character first = characterAt(at);
        return first.is(kNumber) ? at + first.length : matchGpt2<kNumber>(at, end);
    });
}

void llama3(std::string_view text, WordSink& sink) {
    splitBy(text, sink, matchModern<ModernRules{.mostDigits = 3, .word = kLetter}>);
}

void qwen2(std::string_view text, WordSink& sink) {
    splitBy(text, sink, matchModern<ModernRules{.mostDigits = 1, .word = kLetter}>);
}

void qwen35(std::string_view text, WordSink& sink) {
    splitBy(text, sink, matchModern<ModernRules{.mostDigits = 1, .word = kLetter | kMark}>);
}

namespace {

bool isHanOrKana(std::uint8_t next) {
    return (next & kHanOrKana) != 0;
}

bool isHanOrKanaWord(std::uint8_t next) {
    return isHanOrKana(next) && (next & (kLetter | kMark)) != 0;
}

// A piece of Han and kana that is not letters throughout.
void splitHanAndKana(const char* at, const char* end, Words& words) {
    const char* gap = at;
    while (at < end) {
        const char* const next = matchDeepseekV3<kNumber>(at, end);
        if (next == at) {
            at += characterAt(at).length;
            continue;
        }
        words.add(gap, at);
        words.add(at, next);
        at = gap = next;
    }
    words.add(gap, end);
}

} // namespace

void deepseekV3(std::string_view text, WordSink& sink) {
    Words words(sink);
    const char* const end = text.data() + text.size();
    const char* gap = text.data(); // what nothing matched since the last word
    for (const char* at = gap; at < end;) {
        const Character first = characterAt(at);
        const char* next = at;
        if (first.is(kHanOrKana)) {
            next = runEnd(at, end, isHanOrKanaWord);
            const char* const piece = runEnd(next, end, isHanOrKana);
            if (piece != next) {
                words.add(gap, at);
                splitHanAndKana(at, piece, words);
                at = gap = piece;
                continue;
            }
        } else if (first.is(kNumber)) {
            next = numbers(at, end, 3);
        } else {
            next = matchDeepseekV3<kNumber | kHanOrKana>(at, end);
        }
        if (next == at) {
            at += first.length;
            continue;
        }
        words.add(gap, at);
        words.add(at, next);
        at = gap = next;
    }
    words.add(gap, end);
    words.flush();
}

void lines(std::string_view text, WordSink& sink) {
    splitBy(text, sink, [](const char* at, const char* end) {
        if (*at == '\n') {
            while (at < end && *at == '\n') {
                ++at;
            }
            return at;
        }
        const auto* const next =
            static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
        return next == nullptr ? end : next;
    });
}

} // namespace engine::splits
