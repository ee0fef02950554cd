// SentencePiece-style BPE ("llama"): characters as symbols, spaces as U+2581, merges by score,
// bytes where the vocabulary lacks a character. A whole text is one word.
#include "engine/base/failure.h"
#include "engine/base/utf8.h"
#include "engine/tokenizer/merge_symbols.h"
#include "engine/tokenizer/scratch_pool.h"
#include "engine/tokenizer/space_spelling.h"
#include "engine/tokenizer/text_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace engine {

namespace {

// Begins and lengths are 32-bit, and a space grows threefold.
constexpr std::size_t kLongestText = std::size_t{1} << 30;

class SentencePiece final : public TextModel {
public:
    SentencePiece(const TokenizerSource& source, const Vocabulary& vocabulary)
        : m_vocabulary(vocabulary),
          m_addsSpacePrefix(source.addsSpacePrefix),
          m_bytes(vocabulary) {
        rankScores(source.scores);
    }

    void encode(std::string_view text, std::vector<TokenId>& out) const override {
        if (text.empty()) {
            return;
        }
        if (text.size() > kLongestText) {
            throw Failure(ErrorCode::TooLarge, "The text is too long to be tokenized.");
        }
        const std::string spelled = spelledWithSpaces(text, m_addsSpacePrefix);
        const auto scratch = m_scratches.borrow();
        scratch->symbols.clear();
        for (std::size_t at = 0; at < spelled.size();) {
            const std::size_t length = utf8Step(std::string_view(spelled).substr(at)).length;
            scratch->symbols.push_back(
                Symbol{.id = tokenOf(std::string_view(spelled).substr(at, length)),
                       .begin = static_cast<std::uint32_t>(at),
                       .end = static_cast<std::uint32_t>(at + length)});
            at += length;
        }
        mergeSymbols(*scratch, ByScore{*this, spelled});
        for (const Symbol& symbol : scratch->symbols) {
            if (!symbol.isGone()) {
                emit(symbol, spelled, out);
            }
        }
        scratch->trim();
    }

    void appendBytes(TokenId id, std::string& out) const override {
        m_bytes.append(m_vocabulary, id, out);
    }

private:
    struct ByScore {
        const SentencePiece& model;
        std::string_view spelled;
        std::uint32_t priorityOf(const Symbol& left, const Symbol& right) const {
            const TokenId id = merged(left, right);
            return id < 0 ? kNeverMerged : model.m_priorities[static_cast<std::size_t>(id)];
        }
        TokenId merged(const Symbol& left, const Symbol& right) const {
            return model.tokenOf(spelled.substr(left.begin, right.end - left.begin));
        }
    };

    // Priority of a token as a merge: its place among all scores from the best down; equal scores
    // share a place, so that the leftmost of them goes first.
    void rankScores(std::span<const double> scores) {
        const auto count = static_cast<std::size_t>(m_vocabulary.size());
        if (scores.size() < count) {
            throw Failure(ErrorCode::Corrupt,
                          "The vocabulary has no score for every token (tokenizer.ggml.scores).");
        }
        const auto scoreOf = [scores](std::size_t id) {
            return std::isnan(scores[id]) ? -INFINITY : scores[id];
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
        for (const char byte : spelled.substr(symbol.begin, symbol.end - symbol.begin)) {
            const TokenId id = m_bytes.of(byte);
            const auto known = id >= 0 ? std::optional(id) : m_vocabulary.special("unknown");
            if (known) {
                out.push_back(*known);
            }
        }
    }

    const Vocabulary& m_vocabulary;
    bool m_addsSpacePrefix;
    std::vector<std::uint32_t> m_priorities;
    ByteTokens m_bytes;
    ScratchPool<MergeScratch> m_scratches;
};

} // namespace

std::unique_ptr<TextModel> makeSentencePiece(const TokenizerSource& source,
                                             const Vocabulary& vocabulary) {
    return std::make_unique<SentencePiece>(source, vocabulary);
}

} // namespace engine
