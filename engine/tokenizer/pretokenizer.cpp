#include "engine/tokenizer/pretokenizer.h"

#include "engine/tokenizer/splits.h"

#include <algorithm>
#include <array>

namespace engine {

namespace {

constexpr std::string_view kGpt2Text =
    R"re('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)re";

constexpr std::array kGpt2 = std::to_array<std::string_view>({kGpt2Text});
constexpr std::array kSingleNumbers = std::to_array<std::string_view>({R"re(\p{N})re", kGpt2Text});
constexpr std::array kLlama3 = std::to_array<std::string_view>(
    {R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N)re"
     R"re(}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)re"});
constexpr std::array kQwen2 = std::to_array<std::string_view>(
    {R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\)re"
     R"re(r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)re"});
constexpr std::array kQwen35 = std::to_array<std::string_view>(
    {R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p)re"
     R"re({M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)re"});
// The letters of the second step are the cased ones of Unicode 12, more or less.
constexpr std::array kDeepseekLlm = std::to_array<std::string_view>(
    {R"re([)re"
     "\r\n"
     R"re(])re",
     R"re(\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ)re"
     R"re(-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-ώᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ)re"
     R"re(-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+)re",
     R"re(\s?[!-/:-~！-／：-～‘-‟　-。]+)re", R"re(\s+$)re", R"re([一-龥ࠀ-一가-퟿]+)re",
     R"re(\p{N}+)re"});
constexpr std::array kDeepseekCoder = std::to_array<std::string_view>(
    {R"re([)re"
     "\r\n"
     R"re(])re",
     R"re(\s?\p{L}+)re", R"re(\s?\p{P}+)re", R"re([一-龥ࠀ-一가-퟿]+)re", R"re(\p{N})re"});
constexpr std::array kDeepseekV3 =
    std::to_array<std::string_view>({R"re(\p{N}{1,3})re", R"re([一-龥぀-ゟ゠-ヿ]+)re",
                                     R"re([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^)re"
                                     "\r\n"
                                     R"re(\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[)re"
                                     "\r\n"
                                     R"re(]*|\s*[)re"
                                     "\r\n"
                                     R"re(]+|\s+(?!\S)|\s+)re"});
constexpr std::array kFalcon = std::to_array<std::string_view>(
    {R"re([\p{P}\$\+<=>\^~\|`]+)re", kGpt2Text, R"re([0-9][0-9][0-9])re"});
constexpr std::array kLines = std::to_array<std::string_view>({R"re([^\n]+|[\n]+)re"});
constexpr std::array kGpt4o = std::to_array<std::string_view>(
    {R"re([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:)re"
     R"re('s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{)re"
     R"re(Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}])re"
     R"re(+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)re"});
constexpr std::array kTekken = std::to_array<std::string_view>(
    {R"re([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\)re"
     R"re(r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}|)re"
     R"re( ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)re"});

// A new family is a row here and, if it is to be fast, a function in splits.h.
constexpr std::array kPreTokenizers = {
    PreTokenizer{.name = "gpt-2", .patterns = kGpt2, .split = splits::gpt2},
    PreTokenizer{.name = "mpt", .patterns = kGpt2, .split = splits::gpt2},
    PreTokenizer{.name = "smollm", .patterns = kSingleNumbers, .split = splits::gpt2SingleNumbers},
    PreTokenizer{
        .name = "starcoder", .patterns = kSingleNumbers, .split = splits::gpt2SingleNumbers},
    PreTokenizer{.name = "refact", .patterns = kSingleNumbers, .split = splits::gpt2SingleNumbers},
    PreTokenizer{
        .name = "command-r", .patterns = kSingleNumbers, .split = splits::gpt2SingleNumbers},
    PreTokenizer{.name = "llama-bpe",
                 .patterns = kLlama3,
                 .split = splits::llama3,
                 .addsBos = true,
                 .takesWholeWords = true},
    PreTokenizer{.name = "llama3",
                 .patterns = kLlama3,
                 .split = splits::llama3,
                 .addsBos = true,
                 .takesWholeWords = true},
    PreTokenizer{.name = "llama-v3",
                 .patterns = kLlama3,
                 .split = splits::llama3,
                 .addsBos = true,
                 .takesWholeWords = true},
    PreTokenizer{.name = "qwen2", .patterns = kQwen2, .split = splits::qwen2, .normalizes = true},
    PreTokenizer{
        .name = "deepseek-r1-qwen", .patterns = kQwen2, .split = splits::qwen2, .normalizes = true},
    PreTokenizer{.name = "megrez", .patterns = kQwen2, .split = splits::qwen2, .normalizes = true},
    PreTokenizer{
        .name = "qwen35", .patterns = kQwen35, .split = splits::qwen35, .normalizes = true},
    PreTokenizer{.name = "deepseek-llm", .patterns = kDeepseekLlm, .split = splits::deepseekLlm},
    PreTokenizer{
        .name = "deepseek-coder", .patterns = kDeepseekCoder, .split = splits::deepseekCoder},
    PreTokenizer{.name = "deepseek-v3", .patterns = kDeepseekV3, .split = splits::deepseekV3},
    PreTokenizer{.name = "joyai-llm", .patterns = kDeepseekV3, .split = splits::deepseekV3},
    PreTokenizer{.name = "falcon", .patterns = kFalcon, .split = splits::falcon},
    PreTokenizer{.name = "gemma4", .patterns = kLines, .split = splits::lines},
    PreTokenizer{.name = "gpt-4o", .patterns = kGpt4o},
    PreTokenizer{.name = "llama4", .patterns = kGpt4o, .addsBos = true},
    PreTokenizer{.name = "tekken", .patterns = kTekken, .addsBos = true, .takesWholeWords = true},
};

class HandSplitter final : public Splitter {
public:
    explicit HandSplitter(SplitFunction function) : m_split(function) {}
    void split(std::string_view text, WordSink& sink) const override { m_split(text, sink); }

private:
    SplitFunction m_split;
};

std::vector<SplitStep> stepsOf(const PreTokenizer& rules) {
    std::vector<SplitStep> steps;
    for (const std::string_view pattern : rules.patterns) {
        steps.push_back({.pattern = std::string(pattern)});
    }
    return steps;
}

// As its own patterns are: steps that isolate what they match.
bool isSame(const PreTokenizer& rules, const std::vector<SplitStep>& steps) {
    return std::ranges::equal(steps, rules.patterns,
                              [](const SplitStep& step, std::string_view pattern) {
                                  return step.pattern == pattern && !step.isLiteral &&
                                         !step.inverts && step.behavior == SplitBehavior::Isolated;
                              });
}

} // namespace

const std::string_view kGpt2Pattern = kGpt2Text;

std::span<const PreTokenizer> preTokenizers() {
    return kPreTokenizers;
}

const PreTokenizer* findPreTokenizer(std::string_view name) {
    const auto* const found = std::ranges::find(kPreTokenizers, name, &PreTokenizer::name);
    return found == kPreTokenizers.end() ? nullptr : found;
}

const PreTokenizer* findPreTokenizer(const std::vector<SplitStep>& steps) {
    const auto* const found = std::ranges::find_if(
        kPreTokenizers, [&](const PreTokenizer& row) { return isSame(row, steps); });
    return found == kPreTokenizers.end() ? nullptr : found;
}

std::string preTokenizerNames() {
    std::string names;
    for (const PreTokenizer& row : kPreTokenizers) {
        names += (names.empty() ? "" : ", ") + std::string(row.name);
    }
    return names;
}

std::unique_ptr<Splitter> makeSplitter(const PreTokenizer& rules) {
    return rules.split != nullptr ? std::make_unique<HandSplitter>(rules.split)
                                  : makePatternSplitter(stepsOf(rules));
}

std::unique_ptr<Splitter> makeSplitter(const std::vector<SplitStep>& steps) {
    for (const PreTokenizer& row : kPreTokenizers) {
        if (row.split != nullptr && isSame(row, steps)) {
            return std::make_unique<HandSplitter>(row.split);
        }
    }
    return makePatternSplitter(steps);
}

std::vector<std::string_view> wordsOf(const Splitter& splitter, std::string_view text) {
    class Sink final : public WordSink {
    public:
        void take(std::span<const std::string_view> taken) override {
            words.insert(words.end(), taken.begin(), taken.end());
        }
        std::vector<std::string_view> words;
    };
    Sink sink;
    splitter.split(text, sink);
    return std::move(sink.words);
}

} // namespace engine
