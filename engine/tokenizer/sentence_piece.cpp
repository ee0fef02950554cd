// SentencePiece-style BPE ("llama"): characters as symbols, spaces as U+2581, merges by score,
// bytes where the vocabulary lacks a character. A whole text is one word.
#include "engine/base/failure.h"
#include "engine/base/utf8.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/tokenizer/merge_symbols.h"
#include "engine/tokenizer/text_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace engine {

namespace {

constexpr std::string_view kSpace = "\xE2\x96\x81"; // U+2581 LOWER ONE EIGHTH BLOCK
// Begins and lengths are 32-bit, and a space grows threefold.
constexpr std::size_t kLongestText = std::size_t{1} << 30;

class SentencePiece final : public TextModel {
public:
    SentencePiece(const Checkpoint& checkpoint, const Vocabulary& vocabulary)
        : m_vocabulary(vocabulary),
          m_addsSpacePrefix(checkpoint.boolean("tokenizer.ggml.add_space_prefix").value_or(true)) {
        rankScores(checkpoint);
        for (std::size_t byte = 0; byte < m_byteTokens.size(); ++byte) {
            m_byteTokens[byte] = vocabulary.find(fmt::format("<0x{:02X}>", byte)).value_or(-1);
        }
    }

    void encode(std::string_view text, std::vector<TokenId>& out) const override {
        if (text.empty()) {
            return;
        }
        if (text.size() > kLongestText) {
            throw Failure(ErrorCode::TooLarge, "The text is too long to be tokenized.");
        }
        const std::string spelled = spelling(text);
        MergeScratch scratch;
        std::string_view rest = spelled;
        while (!rest.empty()) {
            const std::size_t length = utf8Step(rest).length;
            const auto begin = static_cast<std::uint32_t>(spelled.size() - rest.size());
            scratch.symbols.push_back(Symbol{.id = tokenOf(rest.substr(0, length)),
                                             .begin = begin,
                                             .length = static_cast<std::uint32_t>(length)});
            rest.remove_prefix(length);
        }
        mergeSymbols(scratch, [&](const Symbol& left, const Symbol& right) {
            const TokenId id =
                tokenOf(std::string_view(spelled).substr(left.begin, left.length + right.length));
            return id < 0 ? Merge{}
                          : Merge{.priority = m_priorities[static_cast<std::size_t>(id)], .id = id};
        });
        for (const Symbol& symbol : scratch.symbols) {
            if (symbol.length != 0) {
                emit(symbol, spelled, out);
            }
        }
    }

    std::string bytesOf(TokenId id) const override {
        const std::string_view piece = m_vocabulary.piece(id);
        switch (m_vocabulary.kind(id)) {
        case TokenKind::Byte: {
            const auto* const byte = std::ranges::find(m_byteTokens, id);
            return byte == m_byteTokens.end()
                       ? std::string(piece)
                       : std::string(1, static_cast<char>(byte - m_byteTokens.begin()));
        }
        case TokenKind::UserDefined:
        case TokenKind::Control:
        case TokenKind::Unknown:
            return std::string(piece);
        default:
            return withSpaces(piece);
        }
    }

    bool addsSpacePrefix() const override { return m_addsSpacePrefix; }

private:
    // Priority of a token as a merge: its place among all scores from the best down; equal scores
    // share a place, so that the leftmost of them goes first.
    void rankScores(const Checkpoint& checkpoint) {
        const auto count = static_cast<std::size_t>(m_vocabulary.size());
        const auto* const scores = checkpoint.numbers("tokenizer.ggml.scores");
        if (scores == nullptr || scores->size() < count) {
            throw Failure(ErrorCode::Corrupt,
                          "The vocabulary has no score for every token (tokenizer.ggml.scores).");
        }
        const auto scoreOf = [scores](std::size_t id) {
            return std::isnan((*scores)[id]) ? -INFINITY : (*scores)[id];
        };
        std::vector<std::size_t> order(count);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::sort(order,
                          [&](std::size_t a, std::size_t b) { return scoreOf(a) > scoreOf(b); });
        m_priorities.resize(count);
        std::uint32_t place = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0 && scoreOf(order[i]) < scoreOf(order[i - 1])) {
                ++place;
            }
            m_priorities[order[i]] = place;
        }
    }

    std::string spelling(std::string_view text) const {
        std::string spelled(m_addsSpacePrefix ? kSpace : "");
        spelled.reserve(text.size() + text.size() / 2);
        for (const char byte : text) {
            if (byte == ' ') {
                spelled += kSpace;
            } else {
                spelled += byte;
            }
        }
        return spelled;
    }

    static std::string withSpaces(std::string_view piece) {
        std::string text;
        while (!piece.empty()) {
            const std::size_t space = piece.find(kSpace);
            text += piece.substr(0, space);
            if (space == std::string_view::npos) {
                break;
            }
            text += ' ';
            piece.remove_prefix(space + kSpace.size());
        }
        return text;
    }

    // -1 where no token that text may make is spelled so.
    TokenId tokenOf(std::string_view spelled) const {
        const auto id = m_vocabulary.find(spelled);
        return id && !m_vocabulary.isReserved(*id) ? *id : -1;
    }

    void emit(const Symbol& symbol, std::string_view spelled, std::vector<TokenId>& out) const {
        if (symbol.id >= 0) {
            out.push_back(symbol.id);
            return;
        }
        for (const char byte : spelled.substr(symbol.begin, symbol.length)) {
            const TokenId id = m_byteTokens[static_cast<std::uint8_t>(byte)];
            const auto known = id >= 0 ? std::optional(id) : m_vocabulary.special("unknown");
            if (known) {
                out.push_back(*known);
            }
        }
    }

    const Vocabulary& m_vocabulary;
    bool m_addsSpacePrefix;
    std::vector<std::uint32_t> m_priorities;
    std::array<TokenId, 256> m_byteTokens{};
};

} // namespace

std::unique_ptr<TextModel> makeSentencePiece(const Checkpoint& checkpoint,
                                             const Vocabulary& vocabulary) {
    return std::make_unique<SentencePiece>(checkpoint, vocabulary);
}

} // namespace engine
