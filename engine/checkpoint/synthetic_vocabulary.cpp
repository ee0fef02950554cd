#include "engine/checkpoint/synthetic_vocabulary.h"

#include "engine/base/ensure.h"
#include "engine/base/utf8.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <unordered_set>
#include <vector>

namespace engine {

namespace {

enum TokenKind : std::int32_t { Normal = 1, Control = 3 };

constexpr std::array<std::string_view, 3> kControls = {"<|endoftext|>", "<|im_start|>",
                                                       "<|im_end|>"};

// Frequent pairs of English, so that merging is exercised; "\xC4\xA0" is how a space is spelled.
constexpr std::array<std::array<std::string_view, 2>, 30> kMerges = {{
    {"t", "h"},          {"i", "n"},         {"e", "r"},
    {"a", "n"},          {"o", "n"},         {"r", "e"},
    {"\xC4\xA0", "t"},   {"\xC4\xA0", "a"},  {"th", "e"},
    {"\xC4\xA0", "s"},   {"\xC4\xA0", "w"},  {"o", "u"},
    {"e", "n"},          {"o", "r"},         {"i", "s"},
    {"\xC4\xA0", "the"}, {"in", "g"},        {"e", "s"},
    {"a", "t"},          {"\xC4\xA0", "c"},  {"e", "d"},
    {"a", "r"},          {"i", "t"},         {"l", "l"},
    {"\xC4\xA0", "o"},   {"\xC4\xA0", "in"}, {"an", "d"},
    {"\xC4\xA0", "and"}, {"\xC4\xA0t", "o"}, {"\xC4\xA0", "\xC4\xA0"},
}};

constexpr std::string_view kChatTemplate =
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + "
    "'<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' "
    "}}{% endif %}";

// The spelling of one byte in a byte-level vocabulary; see tokenizer/byte_alphabet.h.
std::string byteSpelling(unsigned byte, unsigned& nextSpare) {
    const bool isPlain = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    std::string spelling;
    appendUtf8(isPlain ? byte : 256 + nextSpare++, spelling);
    return spelling;
}

// Word number i, " bado" and the like: every number has its own.
std::string fillerWord(std::uint64_t number) {
    constexpr std::string_view kConsonants = "bdfgklmnprstvz";
    constexpr std::string_view kVowels = "aeiou";
    constexpr std::uint64_t kSyllables = kConsonants.size() * kVowels.size();
    std::string word = "\xC4\xA0";
    for (std::uint64_t rest = number + kSyllables; rest > 0; rest /= kSyllables) {
        const std::uint64_t syllable = rest % kSyllables;
        word += kConsonants[syllable / kVowels.size()];
        word += kVowels[syllable % kVowels.size()];
    }
    return word;
}

} // namespace

void writeSyntheticVocabulary(gguf::Writer& writer, std::int64_t size,
                              std::string_view preTokenizer) {
    ensure(size >= kSmallestSyntheticVocabulary, "a synthetic vocabulary is larger than that");
    std::vector<std::string> tokens(kControls.begin(), kControls.end());
    std::vector<std::int32_t> kinds(kControls.size(), Control);
    unsigned nextSpare = 0;
    for (unsigned byte = 0; byte < 256; ++byte) {
        tokens.push_back(byteSpelling(byte, nextSpare));
    }
    std::vector<std::string> merges;
    for (const auto& [left, right] : kMerges) {
        tokens.push_back(fmt::format("{}{}", left, right));
        merges.push_back(fmt::format("{} {}", left, right));
    }
    std::unordered_set<std::string> taken(tokens.begin(), tokens.end());
    for (std::uint64_t number = 0; std::ssize(tokens) < size; ++number) {
        std::string word = fillerWord(number);
        if (taken.insert(word).second) {
            tokens.push_back(std::move(word));
        }
    }
    kinds.resize(tokens.size(), Normal);
    writer.addText("tokenizer.ggml.model", "gpt2");
    writer.addText("tokenizer.ggml.pre", preTokenizer);
    writer.addTexts("tokenizer.ggml.tokens", tokens);
    writer.addIntegers("tokenizer.ggml.token_type", kinds);
    writer.addTexts("tokenizer.ggml.merges", merges);
    writer.addUnsigned("tokenizer.ggml.bos_token_id", 1);
    writer.addUnsigned("tokenizer.ggml.eos_token_id", 2);
    writer.addUnsigned("tokenizer.ggml.padding_token_id", 0);
    writer.addBool("tokenizer.ggml.add_bos_token", false);
    writer.addBool("tokenizer.ggml.add_space_prefix", false);
    writer.addText("tokenizer.chat_template", kChatTemplate);
}

} // namespace engine
