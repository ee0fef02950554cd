// The known families of pre-tokenizers: their patterns, and who splits by hand what they say. One
// row a name. Any thread.
#pragma once

#include "engine/tokenizer/pattern_splitter.h"
#include "engine/tokenizer/splitter.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

using SplitFunction = void (*)(std::string_view text, WordSink& sink);

struct PreTokenizer {
    std::string_view name; // tokenizer.ggml.pre
    // As tokenizer.json spells them; applied one after the other, each to every piece so far.
    std::span<const std::string_view> patterns;
    SplitFunction split = nullptr; // the same by hand; null: PCRE2 does it
    bool addsBos = false;          // where the file doesn't say
    bool normalizes = false;       // text to form C first
    bool takesWholeWords = false;  // a word in the vocabulary is one token, whatever the merges say
};

std::span<const PreTokenizer> preTokenizers();
// Null for a name nobody here knows.
const PreTokenizer* findPreTokenizer(std::string_view name);
// The family with just these steps; null where none has them.
const PreTokenizer* findPreTokenizer(const std::vector<SplitStep>& steps);
// The names, for messages: "gpt-2, mpt, ...".
std::string preTokenizerNames();

std::unique_ptr<Splitter> makeSplitter(const PreTokenizer& rules);

// What tokenizer.json's ByteLevel applies where it says use_regex.
extern const std::string_view kGpt2Pattern;

// The words of a text all at once.
std::vector<std::string_view> wordsOf(const Splitter& splitter, std::string_view text);

} // namespace engine
