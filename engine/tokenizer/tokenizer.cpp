#include "engine/tokenizer/tokenizer.h"

#include "engine/base/failure.h"
#include "engine/base/utf8.h"
#include "engine/tokenizer/special_matcher.h"
#include "engine/tokenizer/text_model.h"
#include "engine/tokenizer/tokenizer_source.h"
#include "engine/tokenizer/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace engine {

namespace {

// One row a kind of tokenizer.
struct Kind {
    TokenModel model;
    std::unique_ptr<TextModel> (*make)(const TokenizerSource& source, const Vocabulary& vocabulary);
};

constexpr std::array kKinds = {
    Kind{TokenModel::ByteBpe, makeByteBpe},
    Kind{TokenModel::CharacterBpe, makeCharacterBpe},
    Kind{TokenModel::SentencePiece, makeSentencePiece},
};

std::unique_ptr<TextModel> makeModel(const TokenizerSource& source, const Vocabulary& vocabulary) {
    return std::ranges::find(kKinds, source.model, &Kind::model)->make(source, vocabulary);
}

class FileTokenizer final : public Tokenizer {
public:
    explicit FileTokenizer(const TokenizerSource& source)
        : m_vocabulary(source),
          m_model(makeModel(source, m_vocabulary)),
          m_description(fmt::format("{} / {}", source.modelName, source.preName)),
          m_addsBos(source.addsBos),
          m_addsSpacePrefix(source.addsSpacePrefix),
          m_bos(m_vocabulary.special("bos")) {
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
    bool addsSpacePrefix() const override { return m_addsSpacePrefix; }
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
            m_model->appendBytes(id, m_bytes);
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
            if (kind == TokenKind::UserDefined && !m_vocabulary.isMark(id)) {
                m_inContent.add(piece, id);
            }
        }
        m_inTemplates.close();
        m_inContent.close();
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
            m_model->encode(output.text, output.ids);
            output.text.clear();
        }
    }

    Vocabulary m_vocabulary;
    std::unique_ptr<TextModel> m_model; // refers to m_vocabulary
    std::string m_description;
    bool m_addsBos, m_addsSpacePrefix;
    std::optional<TokenId> m_bos;
    std::string m_bytes; // of all tokens, one after the other
    std::vector<std::size_t> m_begins;
    SpecialMatcher m_inTemplates;
    SpecialMatcher m_inContent;
};

} // namespace

Result<std::unique_ptr<Tokenizer>> makeTokenizer(const TokenizerSource& source) {
    return atTheDoor(
        [&]() -> std::unique_ptr<Tokenizer> { return std::make_unique<FileTokenizer>(source); });
}

Result<std::unique_ptr<Tokenizer>> makeTokenizer(const Checkpoint& checkpoint) {
    return atTheDoor([&]() -> std::unique_ptr<Tokenizer> {
        return std::make_unique<FileTokenizer>(tokenizerSourceOf(checkpoint));
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
