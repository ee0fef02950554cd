#include "engine/tokenizer/tokenizer.h"

#include "engine/base/display_text.h"
#include "engine/base/failure.h"
#include "engine/base/utf8.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/tokenizer/special_matcher.h"
#include "engine/tokenizer/text_model.h"
#include "engine/tokenizer/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace engine {

namespace {

constexpr std::string_view kWideBar = "\xEF\xBD\x9C"; // U+FF5C FULLWIDTH VERTICAL LINE

// Marks of roles and reasoning: files often call them user-defined, but content must not make them.
bool looksLikeControl(std::string_view text) {
    const bool isBarred = text.size() > 4 && text.starts_with("<|") && text.ends_with("|>");
    const bool isWideBarred = text.starts_with("<\xEF\xBD\x9C") && text.ends_with("\xEF\xBD\x9C>");
    return isBarred || isWideBarred || text == "<think>" || text == "</think>" ||
           (text.find(kWideBar) != std::string_view::npos &&
            text.find("DSML") != std::string_view::npos);
}

// One row a kind of tokenizer. See gguf: tokenizer.ggml.model.
struct Rules {
    std::string pre;
    std::unique_ptr<TextModel> model;
    bool addsBos = false; // where the file doesn't say
};

struct Kind {
    std::string_view name;
    Rules (*make)(const Checkpoint& checkpoint, const Vocabulary& vocabulary);
};

Rules makeByteLevel(const Checkpoint& checkpoint, const Vocabulary& vocabulary) {
    const std::string pre(checkpoint.text("tokenizer.ggml.pre").value_or("gpt-2"));
    const PreTokenizer* const rules = findPreTokenizer(pre);
    if (rules == nullptr) {
        throw Failure(ErrorCode::Unsupported,
                      fmt::format("The pre-tokenizer \"{}\" of this model is not supported; "
                                  "supported are {}.",
                                  displayText(pre), preTokenizerNames()));
    }
    return {
        .pre = pre, .model = makeBpe(checkpoint, vocabulary, *rules), .addsBos = rules->addsBos};
}

Rules makeScored(const Checkpoint& checkpoint, const Vocabulary& vocabulary) {
    return {.pre = "SentencePiece",
            .model = makeSentencePiece(checkpoint, vocabulary),
            .addsBos = true};
}

constexpr std::array kKinds = {Kind{"gpt2", makeByteLevel}, Kind{"llama", makeScored}};

class FileTokenizer final : public Tokenizer {
public:
    FileTokenizer(const Checkpoint& checkpoint, std::string_view model,
                  Rules (*make)(const Checkpoint&, const Vocabulary&))
        : m_vocabulary(checkpoint),
          m_rules(make(checkpoint, m_vocabulary)),
          m_description(fmt::format("{} / {}", model, m_rules.pre)),
          m_addsBos(checkpoint.boolean("tokenizer.ggml.add_bos_token").value_or(m_rules.addsBos)),
          m_bos(m_vocabulary.special("bos")) {
        constexpr TokenId kFirstScored = 1; // <s> of files that don't say
        if (!m_bos && model == "llama" && m_vocabulary.contains(kFirstScored)) {
            m_bos = kFirstScored;
        }
        collectBytes();
        collectSpecials();
    }

    std::vector<TokenId> encode(std::string_view text, SpecialTokens special) const override {
        Output output;
        encodePiece(text, special, output);
        finishText(output);
        return std::move(output.ids);
    }

    std::vector<TokenId> encode(std::span<const PromptPiece> pieces) const override {
        Output output;
        for (const PromptPiece& piece : pieces) {
            encodePiece(piece.text, piece.special, output);
        }
        finishText(output);
        return std::move(output.ids);
    }

    void appendBytes(TokenId id, std::string& out, bool showControl) const override {
        if (!m_vocabulary.contains(id) || (isControl(id) && !showControl)) {
            return;
        }
        const auto index = static_cast<std::size_t>(id);
        out.append(m_bytes, m_begins[index], m_begins[index + 1] - m_begins[index]);
    }

    std::string_view pieceText(TokenId id) const override { return m_vocabulary.piece(id); }
    bool isEndOfGeneration(TokenId id) const override { return m_vocabulary.isEndOfGeneration(id); }
    bool isControl(TokenId id) const override {
        return m_vocabulary.contains(id) && (m_vocabulary.kind(id) == TokenKind::Control ||
                                             m_vocabulary.kind(id) == TokenKind::Unknown);
    }
    std::optional<TokenId> find(std::string_view piece) const override {
        return m_vocabulary.find(piece);
    }
    std::optional<TokenId> bos() const override { return m_bos; }
    bool addsBos() const override { return m_addsBos && m_bos.has_value(); }
    bool addsSpacePrefix() const override { return m_rules.model->addsSpacePrefix(); }
    std::int64_t size() const override { return m_vocabulary.size(); }
    std::string description() const override { return m_description; }

private:
    struct Output {
        std::vector<TokenId> ids;
        std::string text; // plain text not yet encoded: words may go on in the next piece
    };

    void collectBytes() {
        m_begins.reserve(static_cast<std::size_t>(m_vocabulary.size()) + 1);
        for (TokenId id = 0; id < m_vocabulary.size(); ++id) {
            m_begins.push_back(m_bytes.size());
            m_bytes += m_rules.model->bytesOf(id);
        }
        m_begins.push_back(m_bytes.size());
    }

    void collectSpecials() {
        for (TokenId id = 0; id < m_vocabulary.size(); ++id) {
            const TokenKind kind = m_vocabulary.kind(id);
            const std::string_view piece = m_vocabulary.piece(id);
            if (kind == TokenKind::Control || kind == TokenKind::Unknown ||
                kind == TokenKind::UserDefined) {
                m_inTemplates.add(piece, id);
            }
            if (kind == TokenKind::UserDefined && !looksLikeControl(piece)) {
                m_inContent.add(piece, id);
            }
        }
    }

    void encodePiece(std::string_view raw, SpecialTokens special, Output& output) const {
        const std::string repaired = isValidUtf8(raw) ? std::string() : repairedUtf8(raw);
        const std::string_view text = repaired.empty() ? raw : std::string_view(repaired);
        const SpecialMatcher& matcher =
            special == SpecialTokens::Parse ? m_inTemplates : m_inContent;
        std::size_t at = 0;
        while (const auto match = matcher.next(text, at)) {
            output.text += text.substr(at, match->begin - at);
            finishText(output);
            output.ids.push_back(match->id);
            at = match->end;
        }
        output.text += text.substr(at);
    }

    void finishText(Output& output) const {
        if (!output.text.empty()) {
            m_rules.model->encode(output.text, output.ids);
            output.text.clear();
        }
    }

    Vocabulary m_vocabulary;
    Rules m_rules; // its model refers to m_vocabulary
    std::string m_description;
    bool m_addsBos;
    std::optional<TokenId> m_bos;
    std::string m_bytes; // of all tokens, one after the other
    std::vector<std::size_t> m_begins;
    SpecialMatcher m_inTemplates;
    SpecialMatcher m_inContent;
};

} // namespace

Result<std::unique_ptr<Tokenizer>> makeTokenizer(const Checkpoint& checkpoint) {
    return atTheDoor([&]() -> std::unique_ptr<Tokenizer> {
        const auto model = checkpoint.text("tokenizer.ggml.model");
        if (!model) {
            throw Failure(ErrorCode::Unsupported,
                          "The model file has no tokenizer (tokenizer.ggml.model).");
        }
        const auto* const kind = std::ranges::find(kKinds, *model, &Kind::name);
        if (kind == kKinds.end()) {
            throw Failure(ErrorCode::Unsupported,
                          fmt::format("Tokenizers of the kind \"{}\" are not supported.",
                                      displayText(*model)));
        }
        return std::make_unique<FileTokenizer>(checkpoint, *model, kind->make);
    });
}

std::string detokenize(const Tokenizer& tokenizer, std::span<const TokenId> ids, bool showControl) {
    std::string bytes;
    for (const TokenId id : ids) {
        tokenizer.appendBytes(id, bytes, showControl);
    }
    if (tokenizer.addsSpacePrefix() && bytes.starts_with(' ')) {
        bytes.erase(0, 1);
    }
    return repairedUtf8(bytes);
}

} // namespace engine
