// The patterns of one alternative: runs of a kind, with or without a space in front.
#include "engine/tokenizer/character_cursor.h"
#include "engine/tokenizer/splits.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string_view>

namespace engine::splits {

namespace {

using Kind = CharacterClass;

struct Range {
    char32_t first;
    char32_t last;
};

// The letters that DeepSeek LLM's tokenizer lists: the cased ones of Unicode 12, more or less.
constexpr std::array kDeepseekLetters = std::to_array<Range>({
    {'A', 'Z'},         {'a', 'z'},         {0xB5, 0xB5},       {0xC0, 0xD6},
    {0xD8, 0xF6},       {0xF8, 0x1BA},      {0x1BC, 0x1BF},     {0x1C4, 0x293},
    {0x295, 0x2AF},     {0x370, 0x373},     {0x376, 0x376},     {0x377, 0x377},
    {0x37B, 0x37D},     {0x37F, 0x37F},     {0x386, 0x386},     {0x388, 0x38A},
    {0x38C, 0x38C},     {0x38E, 0x3A1},     {0x3A3, 0x3F5},     {0x3F7, 0x481},
    {0x48A, 0x52F},     {0x531, 0x556},     {0x10A0, 0x10C5},   {0x13A0, 0x13F5},
    {0x13F8, 0x13FD},   {0x1C90, 0x1CBA},   {0x1CBD, 0x1CBF},   {0x1D00, 0x1D2B},
    {0x1D6B, 0x1D77},   {0x1D79, 0x1D9A},   {0x1E00, 0x1F15},   {0x1F18, 0x1F1D},
    {0x1F20, 0x1F45},   {0x1F48, 0x1F4D},   {0x1F50, 0x1F57},   {0x1F59, 0x1F59},
    {0x1F5B, 0x1F5B},   {0x1F5D, 0x1F5D},   {0x1F5F, 0x1F7D},   {0x1F80, 0x1FB4},
    {0x1FB6, 0x1FBC},   {0x1FBE, 0x1FBE},   {0x1FC2, 0x1FC4},   {0x1FC6, 0x1FCC},
    {0x1FD0, 0x1FD3},   {0x1FD6, 0x1FDB},   {0x1FE0, 0x1FEC},   {0x1FF2, 0x1FF4},
    {0x1FF6, 0x1FFC},   {0x2102, 0x2102},   {0x2107, 0x2107},   {0x210A, 0x2113},
    {0x2115, 0x2115},   {0x2119, 0x211D},   {0x2124, 0x2124},   {0x2126, 0x2126},
    {0x2128, 0x2128},   {0x212A, 0x212D},   {0x212F, 0x2134},   {0x2139, 0x2139},
    {0x213C, 0x213F},   {0x2145, 0x2149},   {0x214E, 0x214E},   {0x2183, 0x2183},
    {0x2184, 0x2184},   {0x2C00, 0x2C7B},   {0x2C7E, 0x2CE4},   {0x2CEB, 0x2CEE},
    {0x2CF2, 0x2CF2},   {0x2CF3, 0x2CF3},   {0xA640, 0xA66D},   {0xA680, 0xA69B},
    {0xA722, 0xA76F},   {0xA771, 0xA787},   {0xA78B, 0xA78E},   {0xAB70, 0xABBF},
    {0xFB00, 0xFB06},   {0xFB13, 0xFB17},   {0xFF21, 0xFF3A},   {0xFF41, 0xFF5A},
    {0x10400, 0x1044F}, {0x104B0, 0x104D3}, {0x104D8, 0x104FB}, {0x10C80, 0x10CB2},
    {0x10CC0, 0x10CF2}, {0x118A0, 0x118DF}, {0x1E900, 0x1E943},
});

constexpr std::array kDeepseekPunctuation = std::to_array<Range>({
    {'!', '/'},
    {':', '~'},
    {0x2018, 0x201F},
    {0x3000, 0x3002},
    {0xFF01, 0xFF0F},
    {0xFF1A, 0xFF5E},
});

bool isIn(std::span<const Range> ranges, char32_t character) {
    const auto after = std::ranges::upper_bound(ranges, character, {}, &Range::first);
    return after != ranges.begin() && character <= std::prev(after)->last;
}

// Runs of at most `most` characters that belong.
template <class Belongs>
void isolateRuns(std::string_view piece, Pieces& out, const Belongs& belongs,
                 int most = std::numeric_limits<int>::max()) {
    isolate(piece, out, [&](std::string_view text, std::size_t at) {
        int taken = 0;
        return runEnd(text, at, [&](const Character& character) {
            return taken++ < most && belongs(character);
        });
    });
}

// \s?[...]+
template <class Belongs>
void isolateSpacedRuns(std::string_view piece, Pieces& out, const Belongs& belongs) {
    isolate(piece, out, [&](std::string_view text, std::size_t at) {
        const Character first = characterAt(text, at);
        if (first.is(Kind::Space)) {
            const std::size_t end = runEnd(text, first.end, belongs);
            if (end != first.end) {
                return end;
            }
        }
        return runEnd(text, at, belongs); // a space may itself belong: U+3000 does
    });
}

bool isNumber(const Character& character) {
    return character.is(Kind::Number);
}

} // namespace

void eachNumber(std::string_view piece, Pieces& out) {
    isolateRuns(piece, out, isNumber, 1);
}

void numbers(std::string_view piece, Pieces& out) {
    isolateRuns(piece, out, isNumber);
}

void numbersByThree(std::string_view piece, Pieces& out) {
    isolateRuns(piece, out, isNumber, 3);
}

void digitTriples(std::string_view piece, Pieces& out) {
    isolate(piece, out, [](std::string_view text, std::size_t at) {
        const auto isDigit = [&](std::size_t i) { return text[i] >= '0' && text[i] <= '9'; };
        const bool matches =
            text.size() - at >= 3 && isDigit(at) && isDigit(at + 1) && isDigit(at + 2);
        return matches ? at + 3 : at;
    });
}

void eachLineBreak(std::string_view piece, Pieces& out) {
    isolateRuns(
        piece, out, [](const Character& next) { return next.isLineBreak(); }, 1);
}

void trailingSpace(std::string_view piece, Pieces& out) {
    std::size_t begin = 0; // after the last character that is no white space
    for (std::size_t at = 0; at < piece.size();) {
        const Character character = characterAt(piece, at);
        at = character.end;
        if (!character.is(Kind::Space)) {
            begin = at;
        }
    }
    if (begin > 0) {
        out.push_back(piece.substr(0, begin));
    }
    if (begin < piece.size()) {
        out.push_back(piece.substr(begin));
    }
}

void hanAndKana(std::string_view piece, Pieces& out) {
    isolateRuns(piece, out, [](const Character& next) {
        return (next.value >= 0x4E00 && next.value <= 0x9FA5) ||
               (next.value >= 0x3040 && next.value <= 0x30FF);
    });
}

void hanAndHangul(std::string_view piece, Pieces& out) {
    isolateRuns(piece, out, [](const Character& next) {
        return (next.value >= 0x0800 && next.value <= 0x9FA5) ||
               (next.value >= 0xAC00 && next.value <= 0xD7FF);
    });
}

void spacedLetters(std::string_view piece, Pieces& out) {
    isolateSpacedRuns(piece, out, [](const Character& next) { return next.is(Kind::Letter); });
}

void spacedPunctuation(std::string_view piece, Pieces& out) {
    isolateSpacedRuns(piece, out, [](const Character& next) { return next.is(Kind::Punctuation); });
}

void deepseekLetters(std::string_view piece, Pieces& out) {
    isolateSpacedRuns(piece, out,
                      [](const Character& next) { return isIn(kDeepseekLetters, next.value); });
}

void deepseekPunctuation(std::string_view piece, Pieces& out) {
    isolateSpacedRuns(piece, out,
                      [](const Character& next) { return isIn(kDeepseekPunctuation, next.value); });
}

void falconPunctuation(std::string_view piece, Pieces& out) {
    isolateRuns(piece, out, [](const Character& next) {
        constexpr std::u32string_view kMore = U"$+<=>^~|`";
        return next.is(Kind::Punctuation) || kMore.find(next.value) != std::u32string_view::npos;
    });
}

} // namespace engine::splits
