#include "engine/tokenizer/tokenizer_source.h"

#include "engine/base/display_text.h"
#include "engine/base/failure.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/hf_keys.h"
#include "engine/tokenizer/json_source.h"
#include "engine/tokenizer/pretokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace engine {

namespace {

// tokenizer.ggml.model
struct ModelRow {
    std::string_view name;
    TokenModel model;
};

constexpr std::array kModels = {
    ModelRow{"gpt2", TokenModel::ByteBpe},
    ModelRow{"llama", TokenModel::SentencePiece},
    ModelRow{"gemma4", TokenModel::CharacterBpe},
};

constexpr std::array<std::string_view, 15> kSpecialNames = {
    "bos",  "eos",     "eot",     "eom",     "unknown", "padding", "seperator", "cls",
    "mask", "fim_pre", "fim_suf", "fim_mid", "fim_pad", "fim_rep", "fim_sep"};

void usePreTokenizer(const PreTokenizer& rules, TokenizerSource& source) {
    source.preName = rules.name;
    source.splitter = makeSplitter(rules);
    source.normalizes = rules.normalizes;
    source.takesWholeWords = rules.takesWholeWords;
    source.addsBos = rules.addsBos;
}

void readPreTokenizer(const Checkpoint& checkpoint, TokenizerSource& source) {
    constexpr std::string_view kAtFirst = "gpt-2"; // what files without the key mean
    const auto pre = checkpoint.text("tokenizer.ggml.pre").value_or(kAtFirst);
    const PreTokenizer* const rules = findPreTokenizer(pre);
    if (rules == nullptr) {
        throw Failure(ErrorCode::Unsupported,
                      fmt::format("The pre-tokenizer \"{}\" of this model is not supported; "
                                  "supported are {}.",
                                  displayText(pre), preTokenizerNames()));
    }
    usePreTokenizer(*rules, source);
}

template <class Element>
std::span<const Element> spanOf(const std::vector<Element>* list) {
    return list == nullptr ? std::span<const Element>() : std::span<const Element>(*list);
}

TokenModel modelOf(std::string_view name) {
    const auto* const row = std::ranges::find(kModels, name, &ModelRow::name);
    if (row == kModels.end()) {
        std::string names;
        for (const ModelRow& known : kModels) {
            names += (names.empty() ? "" : ", ") + std::string(known.name);
        }
        throw Failure(ErrorCode::Unsupported,
                      fmt::format("Tokenizers of the kind \"{}\" are not supported; supported are "
                                  "{}.",
                                  displayText(name), names));
    }
    return row->model;
}

} // namespace

TokenizerSource tokenizerSourceOf(const Checkpoint& checkpoint) {
    if (const auto reason = checkpoint.text(hf::kUnsupportedKey)) {
        throw Failure(ErrorCode::Unsupported, std::string(*reason));
    }
    const auto name = checkpoint.text("tokenizer.ggml.model");
    if (!name) {
        throw Failure(ErrorCode::Unsupported,
                      "The model file has no tokenizer (tokenizer.ggml.model).");
    }
    TokenizerSource source;
    source.model = modelOf(*name);
    source.modelName = *name;
    source.tokens = spanOf(checkpoint.strings("tokenizer.ggml.tokens"));
    source.kinds = spanOf(checkpoint.integers("tokenizer.ggml.token_type"));
    const auto* const merges = checkpoint.strings("tokenizer.ggml.merges");
    if (merges == nullptr && source.model != TokenModel::SentencePiece) {
        throw Failure(ErrorCode::Corrupt, "The model file has no merges (tokenizer.ggml.merges).");
    }
    source.merges = spanOf(merges);
    source.scores = spanOf(checkpoint.numbers("tokenizer.ggml.scores"));
    for (const std::string_view special : kSpecialNames) {
        if (const auto id =
                checkpoint.integer(fmt::format("tokenizer.ggml.{}_token_id", special))) {
            source.specials.emplace(special, *id);
        }
    }
    source.ends = spanOf(checkpoint.integers(hf::kEndIdsKey));
    switch (source.model) {
    case TokenModel::ByteBpe:
        if (!useJsonRules(checkpoint, source)) {
            readPreTokenizer(checkpoint, source);
        }
        break;
    case TokenModel::CharacterBpe:
        if (!useJsonRules(checkpoint, source)) {
            usePreTokenizer(*findPreTokenizer("gemma4"), source);
        }
        source.addsBos = true;
        source.addsSpacePrefix =
            checkpoint.boolean("tokenizer.ggml.add_space_prefix").value_or(false);
        source.addsPrefixOnce = checkpoint.boolean(hf::kPrefixOnceKey).value_or(false);
        break;
    case TokenModel::SentencePiece: {
        constexpr std::int64_t kFirstScored = 1; // <s> of files that don't say
        source.preName = "SentencePiece";
        source.addsBos = true;
        source.addsSpacePrefix =
            checkpoint.boolean("tokenizer.ggml.add_space_prefix").value_or(true);
        source.specials.emplace("bos", kFirstScored);
        break;
    }
    }
    source.addsBos = checkpoint.boolean("tokenizer.ggml.add_bos_token").value_or(source.addsBos);
    return source;
}

} // namespace engine
