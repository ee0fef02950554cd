// Splits text into words before byte-level BPE, by the rules of the known tokenizer families,
// written by hand (their patterns are the oracle in tests). Pure functions, any thread.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace engine {

// Appends the pieces of one piece: its matches and the gaps between them, in order.
using Split = void (*)(std::string_view piece, std::vector<std::string_view>& out);

struct PreTokenizer {
    std::string_view name;         // tokenizer.ggml.pre
    std::span<const Split> splits; // applied one after the other, each to every piece so far
    bool addsBos = false;          // where the file doesn't say
    bool normalizes = false;       // text to form C first
    bool takesWholeWords = false;  // a word in the vocabulary is one token, whatever the merges say
};

// Null for a name nobody here knows.
const PreTokenizer* findPreTokenizer(std::string_view name);

// The words of valid UTF-8 text, in order; together they are the text.
std::vector<std::string_view> splitWords(const PreTokenizer& rules, std::string_view text);

} // namespace engine
