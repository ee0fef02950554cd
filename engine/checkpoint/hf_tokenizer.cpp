#include "engine/checkpoint/hf_tokenizer.h"

#include "engine/base/display_text.h"
#include "engine/base/failure.h"
#include "engine/checkpoint/hf_config_values.h"
#include "engine/checkpoint/hf_split_steps.h"
#include "engine/checkpoint/json_input.h"
#include "engine/checkpoint/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace engine::hf {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view kSpace = "\xE2\x96\x81"; // U+2581 LOWER ONE EIGHTH BLOCK
constexpr std::int64_t kMostTokens = std::int64_t{1} << 20;

enum TokenType : std::int64_t { // tokenizer.ggml.token_type
    Normal = 1,
    Unknown = 2,
    Control = 3,
    UserDefined = 4,
    Unused = 5,
    Byte = 6,
};

class Teller {
public:
    Teller(TokenizerJson document, Metadata& metadata, std::vector<std::string>& notices)
        : m_document(std::move(document)),
          m_metadata(metadata),
          m_notices(notices),
          m_model(jsonChild(m_document.rest, "model")),
          m_types(m_document.tokens.size(), Normal) {
        addAdded();
    }

    void tell() {
        const std::string type = jsonText(m_model, "type").value_or("BPE");
        if (type != "BPE" || m_document.hasScores) {
            throw Failure(ErrorCode::Unsupported,
                          fmt::format("tokenizers of the kind \"{}\" are not supported, only BPE",
                                      m_document.hasScores ? "Unigram" : displayText(type)));
        }
        for (const char* const key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
            if (!jsonText(m_model, key).value_or("").empty()) {
                throw Failure(ErrorCode::Unsupported,
                              fmt::format("the BPE model has a {}, which is not supported", key));
            }
        }
        const SplitSteps steps = readSplitSteps(m_document.rest);
        if (steps.isByteLevel) {
            m_metadata.set("tokenizer.ggml.model", std::string("gpt2"));
        } else if (steps.isSpaced) {
            tellSpaced(steps);
        } else {
            throw Failure(ErrorCode::Unsupported,
                          "the BPE model works neither on bytes nor on SentencePiece's spaces");
        }
        tellSteps(steps);
        std::vector<std::int64_t> types(m_types.begin(), m_types.end());
        m_metadata.set("tokenizer.ggml.tokens", MetadataArray(std::move(m_document.tokens)));
        m_metadata.set("tokenizer.ggml.token_type", MetadataArray(std::move(types)));
    }

    // The first token with this text. Before tell(), which moves the tokens on.
    std::optional<std::int64_t> idOf(const std::string& text) const {
        for (const auto& [id, added] : m_added) {
            if (added == text) {
                return id;
            }
        }
        const auto found = std::ranges::find(m_document.tokens, text);
        return found == m_document.tokens.end() ? std::nullopt
                                                : std::optional(found - m_document.tokens.begin());
    }

private:
    void addAdded() {
        const json added = jsonChild(m_document.rest, "added_tokens");
        bool strips = false;
        for (const json& token : added) {
            const Values values(token, "tokenizer.json: added_tokens");
            const std::int64_t id = values.needed("id", 0, kMostTokens - 1);
            const std::string content = values.text("content").value_or("");
            if (content.empty()) {
                values.refuse("content", fmt::format("token {} has no text", id));
            }
            const auto place = static_cast<std::size_t>(id);
            if (place >= m_document.tokens.size()) {
                m_document.tokens.resize(place + 1);
                m_types.resize(place + 1, Normal);
            }
            const bool isSpecial = values.boolean("special").value_or(false);
            const bool isSpelled = m_document.tokens[place] == content;
            m_document.tokens[place] = content;
            // Plain words among the added tokens ("▁▁") are made by merging all the same, and
            // stand for spaces when they are decoded.
            const bool isWord =
                !isSpecial && isSpelled && content.find(kSpace) != std::string::npos;
            m_types[place] = isSpecial ? Control : isWord ? Normal : UserDefined;
            m_added.emplace_back(id, content);
            strips = strips || values.boolean("lstrip").value_or(false) ||
                     values.boolean("rstrip").value_or(false);
        }
        for (std::size_t i = 0; i < m_types.size(); ++i) {
            if (m_document.tokens[i].empty()) {
                m_types[i] = Unused;
            }
        }
        if (strips) {
            m_notices.emplace_back("Some added tokens of the tokenizer would swallow spaces beside "
                                   "them; those spaces are kept.");
        }
    }

    void tellSteps(const SplitSteps& steps) {
        std::vector<std::string> patterns, behaviors;
        std::vector<bool> literals, inverts;
        for (const SplitStepText& step : steps.steps) {
            patterns.push_back(step.pattern);
            behaviors.push_back(step.behavior);
            literals.push_back(step.isLiteral);
            inverts.push_back(step.inverts);
        }
        m_metadata.set(kSplitPatternsKey, MetadataArray(std::move(patterns)));
        m_metadata.set(kSplitBehaviorsKey, MetadataArray(std::move(behaviors)));
        m_metadata.set(kSplitLiteralsKey, MetadataArray(std::move(literals)));
        m_metadata.set(kSplitInvertsKey, MetadataArray(std::move(inverts)));
        m_metadata.set(kNormalizerKey, std::string(steps.normalizesToC ? "NFC" : "none"));
        m_metadata.set(kIgnoreMergesKey, jsonFlag(m_model, "ignore_merges", false));
        m_metadata.set("tokenizer.ggml.merges", MetadataArray(std::move(m_document.merges)));
    }

    // Merges of characters, with SentencePiece's spaces and tokens for single bytes.
    void tellSpaced(const SplitSteps& steps) {
        m_metadata.set("tokenizer.ggml.model", std::string("gemma4"));
        m_metadata.set("tokenizer.ggml.add_space_prefix", steps.prependsSpace);
        m_metadata.set(kPrefixOnceKey, steps.prependsOnce);
        if (const auto unknown = jsonText(m_model, "unk_token")) {
            if (const auto id = idOf(*unknown)) {
                m_types[static_cast<std::size_t>(*id)] = Unknown;
                m_metadata.set("tokenizer.ggml.unknown_token_id", *id);
            }
        }
        for (std::size_t id = 0; id < m_types.size(); ++id) {
            const std::string& token = m_document.tokens[id];
            const bool isByte =
                token.size() == 6 && token.starts_with("<0x") && token.ends_with('>');
            if (isByte && m_types[id] == Normal && jsonFlag(m_model, "byte_fallback", false)) {
                m_types[id] = Byte;
            }
        }
    }

    TokenizerJson m_document;
    Metadata& m_metadata;
    std::vector<std::string>& m_notices;
    json m_model;
    std::vector<TokenType> m_types;
    std::vector<std::pair<std::int64_t, std::string>> m_added;
};

// A token of tokenizer_config.json: a text, or an object that has one.
std::optional<std::string> tokenText(const json& config, const char* key) {
    const auto found = config.find(key);
    if (found == config.end()) {
        return std::nullopt;
    }
    return found->is_object() ? jsonText(*found, "content") : jsonText(config, key);
}

std::vector<std::int64_t> idsOf(const json& document, const char* key) {
    std::vector<std::int64_t> ids;
    const json said = jsonChild(document, key);
    for (const json& id : said.is_array() ? said : json::array({said})) {
        if (id.is_number_integer() && id >= 0 && id < kMostTokens) {
            ids.push_back(id.get<std::int64_t>());
        }
    }
    return ids;
}

// Whether the post-processor puts a token before every text.
bool beginsWithToken(const json& processor) {
    if (!processor.is_object()) {
        return false;
    }
    const std::string type = jsonText(processor, "type").value_or("");
    if (type == "Sequence") {
        const json inner = jsonChild(processor, "processors");
        return std::ranges::any_of(inner, [](const json& one) {
            return one.is_object() && jsonText(one, "type") == "TemplateProcessing" &&
                   beginsWithToken(one);
        });
    }
    const json single = jsonChild(processor, "single");
    return type == "TemplateProcessing" && single.is_array() && !single.empty() &&
           single.front().is_object() && single.front().contains("SpecialToken");
}

void tellSpecials(const fs::path& folder, const Teller& teller, const json& processor,
                  Config& config) {
    const json beside = readJsonObject(folder / "tokenizer_config.json");
    const json generation = readJsonObject(folder / "generation_config.json");
    const json names = beside.is_object() ? beside : json::object();
    for (const auto& [key, name] :
         {std::pair("bos_token", "bos"), std::pair("eos_token", "eos"),
          std::pair("pad_token", "padding"), std::pair("unk_token", "unknown")}) {
        const auto text = tokenText(names, key);
        auto id = text ? teller.idOf(*text) : std::nullopt;
        const std::string field = std::string(key) + "_id";
        for (const json* document : {&generation, &std::as_const(config.model)}) {
            const auto said = id ? std::vector<std::int64_t>() : idsOf(*document, field.c_str());
            id = said.empty() ? id : said.front();
        }
        if (id) {
            config.metadata.set(fmt::format("tokenizer.ggml.{}_token_id", name), *id);
        }
    }
    auto ends = idsOf(generation, "eos_token_id");
    if (ends.empty()) {
        ends = idsOf(config.model, "eos_token_id");
    }
    if (!ends.empty()) {
        config.metadata.set(kEndIdsKey, MetadataArray(std::move(ends)));
    }
    config.metadata.set("tokenizer.ggml.add_bos_token",
                        jsonFlag(names, "add_bos_token", beginsWithToken(processor)));
}

void tellSampling(const fs::path& folder, Metadata& metadata) {
    const json generation = readJsonObject(folder / "generation_config.json");
    const Values values(generation, "generation_config.json");
    for (const auto& [key, name] : {std::pair("temperature", "temp"), std::pair("top_p", "top_p"),
                                    std::pair("min_p", "min_p")}) {
        if (const auto value = values.number(key)) {
            metadata.set(fmt::format("general.sampling.{}", name), *value);
        }
    }
    if (const auto value = values.integer("top_k")) {
        metadata.set("general.sampling.top_k", *value);
    }
}

// A file of its own, or a field: one text, or several by name.
void tellChatTemplate(const fs::path& folder, Metadata& metadata) {
    constexpr const char* kKey = "tokenizer.chat_template";
    if (auto text = readSmallFile(folder / "chat_template.jinja", kLargestDocument)) {
        metadata.set(kKey, std::move(*text));
        return;
    }
    const json beside = readJsonObject(folder / "tokenizer_config.json");
    if (!beside.is_object()) {
        return;
    }
    if (auto text = jsonText(beside, "chat_template")) {
        metadata.set(kKey, std::move(*text));
        return;
    }
    for (const json& named : jsonChild(beside, "chat_template")) {
        const auto name = named.is_object() ? jsonText(named, "name") : std::nullopt;
        auto text = named.is_object() ? jsonText(named, "template") : std::nullopt;
        if (name && text) {
            metadata.set(*name == "default" ? kKey : fmt::format("{}.{}", kKey, *name),
                         std::move(*text));
        }
    }
}

} // namespace

void addTokenizer(const fs::path& folder, Config& config, std::vector<std::string>& notices) {
    tellSampling(folder, config.metadata);
    tellChatTemplate(folder, config.metadata);
    auto text = readSmallFile(folder / "tokenizer.json", kLargestTokenizer);
    if (!text) {
        config.metadata.set(kUnsupportedKey,
                            std::string("The model has no tokenizer: tokenizer.json is missing in "
                                        "its folder. Put it there, or open a GGUF file."));
        return;
    }
    TokenizerJson document = parseTokenizerJson(*text, "tokenizer.json");
    text.reset();
    const json processor = jsonChild(document.rest, "post_processor");
    try {
        Teller teller(std::move(document), config.metadata, notices);
        tellSpecials(folder, teller, processor, config);
        teller.tell();
    } catch (const Failure& failure) {
        if (failure.code() != ErrorCode::Unsupported) {
            throw;
        }
        std::string reason = failure.what();
        reason += reason.ends_with('.') ? "" : ".";
        config.metadata.set(kUnsupportedKey,
                            "The tokenizer of this model can't be used: " + reason);
    }
}

} // namespace engine::hf
