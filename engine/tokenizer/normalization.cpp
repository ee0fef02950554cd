#include "engine/tokenizer/normalization.h"

#include "engine/base/utf8.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace engine {

namespace {

struct Decomposition {
    char32_t code;
    std::array<char32_t, 4> parts; // 0 after the last
};

struct Composition {
    char32_t first;
    char32_t second;
    char32_t composed;
};

struct CombiningRange {
    char32_t begin;
    char32_t end; // the last one
    std::uint8_t order;
};

constexpr std::array kDecompositions = std::to_array<Decomposition>({
#include "engine/tokenizer/unicode_decompositions.inc"
});
constexpr std::array kCompositions = std::to_array<Composition>({
#include "engine/tokenizer/unicode_compositions.inc"
});
constexpr std::array kCombining = std::to_array<CombiningRange>({
#include "engine/tokenizer/unicode_combining.inc"
});

// Characters that are in form C, order 0, and never joined to what goes before them: where most
// text lies. (What follows may be joined to them.) A test compares every one with the tables.
struct InertRange {
    char32_t first, last;
};
constexpr std::array kInert = std::to_array<InertRange>({
    {0x0, 0x2FF},
    {0x400, 0x482},
    {0x48A, 0x52F},
    {0x2010, 0x2027},
    {0x2030, 0x20CF},
    {0x3000, 0x3029},
    {0x3030, 0x3098},
    {0x309B, 0x9FFF},
    {0xAC00, 0xD7A3},
    {0xFF01, 0xFFEF},
    {0x1F300, 0x1FAFF},
});

// Hangul syllables are composed of jamo by arithmetic (Unicode, section 3.12).
namespace hangul {
constexpr char32_t kSyllables = 0xAC00, kLeading = 0x1100, kVowels = 0x1161, kTrailing = 0x11A7;
constexpr char32_t kLeadingCount = 19, kVowelCount = 21, kTrailingCount = 28;
constexpr char32_t kSyllableCount = kLeadingCount * kVowelCount * kTrailingCount;
} // namespace hangul

struct Marked {
    char32_t code = 0;
    std::uint8_t order = 0; // canonical combining class
};

std::uint8_t orderOf(char32_t code) {
    const auto* const after =
        std::ranges::upper_bound(kCombining, code, {}, &CombiningRange::begin);
    if (after == kCombining.begin() || code > (after - 1)->end) {
        return 0;
    }
    return (after - 1)->order;
}

void appendDecomposed(char32_t code, std::vector<Marked>& out) {
    const auto push = [&out](char32_t part) { out.push_back({part, orderOf(part)}); };
    if (code >= hangul::kSyllables && code < hangul::kSyllables + hangul::kSyllableCount) {
        const char32_t index = code - hangul::kSyllables;
        const char32_t pair = index / hangul::kTrailingCount;
        push(hangul::kLeading + pair / hangul::kVowelCount);
        push(hangul::kVowels + pair % hangul::kVowelCount);
        if (index % hangul::kTrailingCount != 0) {
            push(hangul::kTrailing + index % hangul::kTrailingCount);
        }
        return;
    }
    const auto* const found =
        std::ranges::lower_bound(kDecompositions, code, {}, &Decomposition::code);
    if (found == kDecompositions.end() || found->code != code) {
        push(code);
        return;
    }
    for (const char32_t part : found->parts) {
        if (part != 0) {
            push(part);
        }
    }
}

// 0 where the two don't compose.
char32_t composed(char32_t first, char32_t second) {
    using namespace hangul;
    if (first >= kLeading && first < kLeading + kLeadingCount && second >= kVowels &&
        second < kVowels + kVowelCount) {
        return kSyllables +
               ((first - kLeading) * kVowelCount + (second - kVowels)) * kTrailingCount;
    }
    const bool isOpen = first >= kSyllables && first < kSyllables + kSyllableCount &&
                        (first - kSyllables) % kTrailingCount == 0;
    if (isOpen && second > kTrailing && second < kTrailing + kTrailingCount) {
        return first + (second - kTrailing);
    }
    const auto isBefore = [](const Composition& row, const Composition& wanted) {
        return row.first != wanted.first ? row.first < wanted.first : row.second < wanted.second;
    };
    const Composition wanted{first, second, 0};
    const auto* const found =
        std::lower_bound(kCompositions.begin(), kCompositions.end(), wanted, isBefore);
    const bool isIt =
        found != kCompositions.end() && found->first == first && found->second == second;
    return isIt ? found->composed : 0;
}

// Marks in the order of their classes; equal ones stay as they are.
void reorder(std::vector<Marked>& text) {
    for (auto at = text.begin(); at != text.end();) {
        if (at->order == 0) {
            ++at;
            continue;
        }
        const auto end =
            std::find_if(at, text.end(), [](const Marked& mark) { return mark.order == 0; });
        std::stable_sort(at, end,
                         [](const Marked& a, const Marked& b) { return a.order < b.order; });
        at = end;
    }
}

// Joins each character with the last starter before it, unless a mark stands between that blocks.
void compose(std::vector<Marked>& text) {
    std::size_t kept = 0;
    std::size_t starter = text.size(); // none yet
    std::uint8_t lastOrder = 0;        // of what stands between the starter and here
    for (const Marked next : text) {
        const bool isAdjacent = starter < kept && kept == starter + 1;
        const bool isBlocked = !isAdjacent && (lastOrder == 0 || lastOrder >= next.order);
        if (starter < kept && !isBlocked) {
            const char32_t joined = composed(text[starter].code, next.code);
            if (joined != 0) {
                text[starter].code = joined;
                continue;
            }
        }
        if (next.order == 0) {
            starter = kept;
        }
        lastOrder = next.order;
        text[kept++] = next;
    }
    text.resize(kept);
}

} // namespace

namespace {

bool isInert(char32_t code) {
    if (code <= kInert[0].last) {
        return true;
    }
    const auto* const after = std::ranges::upper_bound(kInert, code, {}, &InertRange::first);
    return after != kInert.begin() && code <= (after - 1)->last;
}

void appendNormalized(std::string_view text, std::vector<Marked>& characters, std::string& out) {
    characters.clear();
    for (std::string_view rest = text; !rest.empty();) {
        const Utf8Step step = utf8Step(rest);
        appendDecomposed(step.character, characters);
        rest.remove_prefix(step.length);
    }
    reorder(characters);
    compose(characters);
    for (const Marked& character : characters) {
        appendUtf8(character.code, out);
    }
}

} // namespace

// Inert characters are taken over as they are; the work is on what lies between them, together with
// the one before it.
std::string normalizedC(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    std::vector<Marked> characters;
    std::size_t taken = 0;    // what is in the result
    std::size_t previous = 0; // where the last inert character begins
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = static_cast<unsigned char>(text[at]);
        const Utf8Step step = byte < 0x80 ? Utf8Step{.character = byte} : utf8Step(text.substr(at));
        if (isInert(step.character)) {
            previous = at;
            at += step.length;
            continue;
        }
        const std::size_t begin = std::max(previous, taken);
        while (at < text.size()) {
            const Utf8Step next = utf8Step(text.substr(at));
            if (isInert(next.character)) {
                break;
            }
            at += next.length;
        }
        result += text.substr(taken, begin - taken);
        appendNormalized(text.substr(begin, at - begin), characters, result);
        taken = previous = at;
    }
    result += text.substr(taken);
    return result;
}

} // namespace engine
