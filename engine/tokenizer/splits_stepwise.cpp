// The families whose patterns are several steps, each applied to every piece of the one before.
#include "engine/tokenizer/splits.h"
#include "engine/tokenizer/text_scan.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <vector>

namespace engine::splits {

namespace {

using namespace engine::traits;

using Pieces = std::vector<std::string_view>;
using Step = void (*)(std::string_view piece, Pieces& out);

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

// Appends matches and the gaps between them. match(at, end) returns the end of the match that
// begins at `at`, or `at` where none does.
template <class Match>
void isolate(std::string_view piece, Pieces& out, const Match& match) {
    const auto add = [&out](const char* begin, const char* end) {
        if (begin < end) {
            out.emplace_back(begin, static_cast<std::size_t>(end - begin));
        }
    };
    const char* const end = piece.data() + piece.size();
    const char* gap = piece.data();
    for (const char* at = gap; at < end;) {
        const char* const next = match(at, end);
        if (next == at) {
            at += characterAt(at).length;
            continue;
        }
        add(gap, at);
        add(at, next);
        at = gap = next;
    }
    add(gap, end);
}

// Runs of at most `most` characters that belong.
template <class Belongs>
void isolateRuns(std::string_view piece, Pieces& out, const Belongs& belongs,
                 int most = std::numeric_limits<int>::max()) {
    isolate(piece, out, [&](const char* at, const char* end) {
        for (int taken = 0; at < end && taken < most; ++taken) {
            const Character next = characterAt(at);
            if (!belongs(next)) {
                break;
            }
            at += next.length;
        }
        return at;
    });
}

// \s?[...]+
template <class Belongs>
void isolateSpacedRuns(std::string_view piece, Pieces& out, const Belongs& belongs) {
    const auto run = [&](const char* at, const char* end) {
        while (at < end) {
            const Character next = characterAt(at);
            if (!belongs(next)) {
                break;
            }
            at += next.length;
        }
        return at;
    };
    isolate(piece, out, [&](const char* at, const char* end) {
        const Character first = characterAt(at);
        if (first.is(kSpace)) {
            const char* const second = at + first.length;
            const char* const last = run(second, end);
            if (last != second) {
                return last;
            }
        }
        return run(at, end); // a space may itself belong: U+3000 does
    });
}

bool isNumber(const Character& character) {
    return character.is(kNumber);
}

void eachNumber(std::string_view piece, Pieces& out) { // \p{N}
    isolateRuns(piece, out, isNumber, 1);
}

void numberRuns(std::string_view piece, Pieces& out) { // \p{N}+
    isolateRuns(piece, out, isNumber);
}

void digitTriples(std::string_view piece, Pieces& out) { // [0-9][0-9][0-9]
    isolate(piece, out, [](const char* at, const char* end) {
        const bool matches = end - at >= 3 && std::all_of(at, at + 3, [](char byte) {
                                 return byte >= '0' && byte <= '9';
                             });
        return matches ? at + 3 : at;
    });
}

void eachLineBreak(std::string_view piece, Pieces& out) { // [\r\n]
    isolateRuns(
        piece, out, [](const Character& next) { return next.is(kLineBreak); }, 1);
}

void trailingSpace(std::string_view piece, Pieces& out) { // \s+$
    std::size_t begin = 0;                                // after the last that is no white space
    for (std::size_t at = 0; at < piece.size();) {
        const Character character = characterAt(piece.data() + at);
        at += character.length;
        if (!character.is(kSpace)) {
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

void hanAndHangul(std::string_view piece, Pieces& out) { // U+0800 to U+9FA5, Hangul syllables
    isolateRuns(piece, out, [](const Character& next) {
        return (next.value >= 0x0800 && next.value <= 0x9FA5) ||
               (next.value >= 0xAC00 && next.value <= 0xD7FF);
    });
}

void spacedLetters(std::string_view piece, Pieces& out) { // \s?\p{L}+
    isolateSpacedRuns(piece, out, [](const Character& next) { return next.is(kLetter); });
}

void spacedPunctuation(std::string_view piece, Pieces& out) { // \s?\p{P}+
    isolateSpacedRuns(piece, out, [](const Character& next) { return next.is(kPunctuation); });
}

void deepseekLetters(std::string_view piece, Pieces& out) { // \s?[cased letters, by list]+
    isolateSpacedRuns(piece, out,
                      [](const Character& next) { return isIn(kDeepseekLetters, next.value); });
}

void deepseekPunctuation(std::string_view piece, Pieces& out) { // \s?[!-/:-~ and wide forms]+
    isolateSpacedRuns(piece, out,
                      [](const Character& next) { return isIn(kDeepseekPunctuation, next.value); });
}

void falconPunctuation(std::string_view piece, Pieces& out) { // [\p{P}\$\+<=>\^~\|`]+
    isolateRuns(piece, out, [](const Character& next) {
        constexpr std::u32string_view kMore = U"$+<=>^~|`";
        return next.is(kPunctuation) || kMore.find(next.value) != std::u32string_view::npos;
    });
}

void gpt2Words(std::string_view piece, Pieces& out) {
    class Sink final : public WordSink {
    public:
        explicit Sink(Pieces& pieces) : m_pieces(pieces) {}
        void take(std::span<const std::string_view> words) override {
            m_pieces.insert(m_pieces.end(), words.begin(), words.end());
        }

    private:
        Pieces& m_pieces;
    };
    Sink sink(out);
    gpt2(piece, sink);
}

void inSteps(std::string_view text, WordSink& sink, std::span<const Step> steps) {
    Pieces pieces;
    if (!text.empty()) {
        pieces.push_back(text);
    }
    Pieces finer;
    for (const Step step : steps) {
        finer.clear();
        for (const std::string_view piece : pieces) {
            step(piece, finer);
        }
        pieces.swap(finer);
    }
    sink.take(pieces);
}

} // namespace

void deepseekLlm(std::string_view text, WordSink& sink) {
    constexpr std::array<Step, 6> kSteps = {eachLineBreak, deepseekLetters, deepseekPunctuation,
                                            trailingSpace, hanAndHangul,    numberRuns};
    inSteps(text, sink, kSteps);
}

void deepseekCoder(std::string_view text, WordSink& sink) {
    constexpr std::array<Step, 5> kSteps = {eachLineBreak, spacedLetters, spacedPunctuation,
                                            hanAndHangul, eachNumber};
    inSteps(text, sink, kSteps);
}

void falcon(std::string_view text, WordSink& sink) {
    constexpr std::array<Step, 3> kSteps = {falconPunctuation, gpt2Words, digitTriples};
    inSteps(text, sink, kSteps);
}

} // namespace engine::splits
