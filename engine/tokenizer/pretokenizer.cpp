#include "engine/tokenizer/pretokenizer.h"

#include "engine/tokenizer/splits.h"

#include <algorithm>

namespace engine {

namespace {

constexpr std::array<Split, 1> kGpt2 = {splits::gpt2};
constexpr std::array<Split, 2> kSingleNumbers = {splits::eachNumber, splits::gpt2};
constexpr std::array<Split, 1> kLlama3 = {splits::llama3};
constexpr std::array<Split, 1> kQwen2 = {splits::qwen2};
constexpr std::array<Split, 1> kQwen35 = {splits::qwen35};
constexpr std::array<Split, 6> kDeepseekLlm = {splits::eachLineBreak,       splits::deepseekLetters,
                                               splits::deepseekPunctuation, splits::trailingSpace,
                                               splits::hanAndHangul,        splits::numbers};
constexpr std::array<Split, 5> kDeepseekCoder = {splits::eachLineBreak, splits::spacedLetters,
                                                 splits::spacedPunctuation, splits::hanAndHangul,
                                                 splits::eachNumber};
constexpr std::array<Split, 3> kDeepseekV3 = {splits::numbersByThree, splits::hanAndKana,
                                              splits::deepseekV3};
constexpr std::array<Split, 3> kFalcon = {splits::falconPunctuation, splits::gpt2,
                                          splits::digitTriples};

// One row a name. A new family is a row here and, if need be, a split in splits.h.
constexpr std::array kPreTokenizers = {
    PreTokenizer{.name = "gpt-2", .splits = kGpt2},
    PreTokenizer{.name = "mpt", .splits = kGpt2},
    PreTokenizer{.name = "smollm", .splits = kSingleNumbers},
    PreTokenizer{.name = "starcoder", .splits = kSingleNumbers},
    PreTokenizer{.name = "refact", .splits = kSingleNumbers},
    PreTokenizer{.name = "command-r", .splits = kSingleNumbers},
    PreTokenizer{.name = "llama-bpe", .splits = kLlama3, .addsBos = true, .takesWholeWords = true},
    PreTokenizer{.name = "llama3", .splits = kLlama3, .addsBos = true, .takesWholeWords = true},
    PreTokenizer{.name = "llama-v3", .splits = kLlama3, .addsBos = true, .takesWholeWords = true},
    PreTokenizer{.name = "qwen2", .splits = kQwen2, .normalizes = true},
    PreTokenizer{.name = "deepseek-r1-qwen", .splits = kQwen2, .normalizes = true},
    PreTokenizer{.name = "megrez", .splits = kQwen2, .normalizes = true},
    PreTokenizer{.name = "qwen35", .splits = kQwen35, .normalizes = true},
    PreTokenizer{.name = "deepseek-llm", .splits = kDeepseekLlm},
    PreTokenizer{.name = "deepseek-coder", .splits = kDeepseekCoder},
    PreTokenizer{.name = "deepseek-v3", .splits = kDeepseekV3},
    PreTokenizer{.name = "joyai-llm", .splits = kDeepseekV3},
    PreTokenizer{.name = "falcon", .splits = kFalcon},
};

} // namespace

const PreTokenizer* findPreTokenizer(std::string_view name) {
    const auto* const found = std::ranges::find(kPreTokenizers, name, &PreTokenizer::name);
    return found == kPreTokenizers.end() ? nullptr : found;
}

std::vector<std::string_view> splitWords(const PreTokenizer& rules, std::string_view text) {
    std::vector<std::string_view> pieces;
    if (text.empty()) {
        return pieces;
    }
    pieces.push_back(text);
    std::vector<std::string_view> finer;
    for (const Split split : rules.splits) {
        finer.clear();
        for (const std::string_view piece : pieces) {
            split(piece, finer);
        }
        pieces.swap(finer);
    }
    return pieces;
}

} // namespace engine
