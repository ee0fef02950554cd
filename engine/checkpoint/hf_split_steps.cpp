#include "engine/checkpoint/hf_split_steps.h"

#include "engine/base/display_text.h"
#include "engine/base/failure.h"
#include "engine/checkpoint/json_input.h"

#include <fmt/format.h>

namespace engine::hf {

namespace {

using nlohmann::json;

constexpr std::string_view kSpace = "\xE2\x96\x81"; // U+2581 LOWER ONE EIGHTH BLOCK
// What ByteLevel applies where it says use_regex: the pattern of GPT-2.
constexpr const char* kGpt2 =
    R"re('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)re";

[[noreturn]] void refuse(std::string_view what, std::string_view kind) {
    throw Failure(ErrorCode::Unsupported,
                  fmt::format("{} \"{}\" is not supported", what, displayText(std::string(kind))));
}

std::string textOf(const json& object, const char* key) {
    return jsonText(object, key).value_or("");
}

// The members of a Sequence, or the one thing itself; nothing for null.
std::vector<json> flattened(const json& step, const char* members) {
    std::vector<json> all;
    if (!step.is_object()) {
        return all;
    }
    if (textOf(step, "type") != "Sequence") {
        return {step};
    }
    for (const json& member : jsonChild(step, members)) {
        for (json& inner : flattened(member, members)) {
            all.push_back(std::move(inner));
        }
    }
    return all;
}

struct Pattern {
    std::string text;
    bool isLiteral = false;
};

Pattern patternOf(const json& step) {
    const json pattern = jsonChild(step, "pattern");
    if (pattern.is_string()) {
        return {pattern.get<std::string>(), true};
    }
    if (!pattern.is_object()) {
        refuse("a pattern", "of no kind");
    }
    const std::string literal = textOf(pattern, "String");
    return literal.empty() ? Pattern{textOf(pattern, "Regex"), false} : Pattern{literal, true};
}

void readNormalizer(const json& step, SplitSteps& result) {
    const std::string type = textOf(step, "type");
    if (type == "NFC") {
        result.normalizesToC = true;
    } else if (type == "Replace") {
        const Pattern pattern = patternOf(step);
        if (pattern.text != " " || textOf(step, "content") != kSpace) {
            refuse("the normaliser", "Replace of " + pattern.text);
        }
        result.isSpaced = true;
    } else if (type == "Prepend") {
        if (textOf(step, "prepend") != kSpace) {
            refuse("the normaliser", "Prepend of " + textOf(step, "prepend"));
        }
        result.isSpaced = true;
        result.prependsSpace = true;
    } else {
        refuse("the normaliser", type);
    }
}

void readByteLevel(const json& step, SplitSteps& result) {
    if (jsonFlag(step, "add_prefix_space", false)) {
        refuse("the pre-tokenizer", "ByteLevel with add_prefix_space");
    }
    result.isByteLevel = true;
    if (jsonFlag(step, "use_regex", true)) {
        result.steps.push_back({.pattern = kGpt2});
    }
}

void readMetaspace(const json& step, SplitSteps& result) {
    const std::string replacement = textOf(step, "replacement");
    if (!replacement.empty() && replacement != kSpace) {
        refuse("the pre-tokenizer", "Metaspace of " + replacement);
    }
    if (jsonFlag(step, "split", true)) {
        result.steps.push_back(
            {.pattern = std::string(kSpace), .behavior = "MergedWithNext", .isLiteral = true});
    }
    const std::string scheme = textOf(step, "prepend_scheme");
    result.isSpaced = true;
    result.prependsOnce = true;
    result.prependsSpace =
        scheme.empty() ? jsonFlag(step, "add_prefix_space", true) : scheme != "never";
}

void readPreTokenizer(const json& step, SplitSteps& result) {
    const std::string type = textOf(step, "type");
    if (type == "Split") {
        const Pattern pattern = patternOf(step);
        const std::string behavior = textOf(step, "behavior");
        if (pattern.text.empty()) {
            refuse("the pre-tokenizer", "Split without a pattern");
        }
        if (result.isSpaced && pattern.isLiteral && pattern.text == " ") {
            return; // there are no spaces left (Gemma)
        }
        result.steps.push_back({.pattern = pattern.text,
                                .behavior = behavior.empty() ? "Isolated" : behavior,
                                .isLiteral = pattern.isLiteral,
                                .inverts = jsonFlag(step, "invert", false)});
    } else if (type == "ByteLevel") {
        readByteLevel(step, result);
    } else if (type == "Digits") {
        const bool isEach = jsonFlag(step, "individual_digits", false);
        result.steps.push_back({.pattern = isEach ? R"(\p{N})" : R"(\p{N}+)"});
    } else if (type == "Punctuation") {
        const std::string behavior = textOf(step, "behavior");
        result.steps.push_back({.pattern = R"([!-/:-@\[-`{-~\p{P}])",
                                .behavior = behavior.empty() ? "Isolated" : behavior});
    } else if (type == "WhitespaceSplit") {
        result.steps.push_back({.pattern = R"(\s+)", .behavior = "Removed"});
    } else if (type == "Metaspace") {
        readMetaspace(step, result);
    } else {
        refuse("the pre-tokenizer", type);
    }
}

} // namespace

SplitSteps readSplitSteps(const json& tokenizer) {
    SplitSteps result;
    for (const json& step : flattened(jsonChild(tokenizer, "normalizer"), "normalizers")) {
        readNormalizer(step, result);
    }
    for (const json& step : flattened(jsonChild(tokenizer, "pre_tokenizer"), "pretokenizers")) {
        readPreTokenizer(step, result);
    }
    for (const json& step : flattened(jsonChild(tokenizer, "decoder"), "decoders")) {
        result.isByteLevel = result.isByteLevel || textOf(step, "type") == "ByteLevel";
    }
    return result;
}

} // namespace engine::hf
