#include "engine/tokenizer/vocabulary.h"

#include "engine/base/failure.h"
#include "engine/base/utf8.h"
#include "engine/checkpoint/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace engine {

namespace {

constexpr std::size_t kMostTokens = std::size_t{1} << 20;

constexpr std::array<std::string_view, 15> kSpecialNames = {
    "bos",  "eos",     "eot",     "eom",     "unknown", "padding", "seperator", "cls",
    "mask", "fim_pre", "fim_suf", "fim_mid", "fim_pad", "fim_rep", "fim_sep"};

// Texts at which models end an answer, whatever the file's keys say.
constexpr std::array<std::string_view, 27> kEndTexts = {
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "</s>",
    "<|eom_id|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<eos>",
    "<turn|>",
    "<|tool_response>",
    "<\xEF\xBD\x9C"
    "end\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>",
    "[e~[",
    "<|fim_pad|>",
    "<|repo_name|>",
    "<|file_sep|>",
    "<fim_pad>",
    "<file_sep>"};

constexpr std::array<std::string_view, 6> kEndNames = {"eos",     "eot",     "eom",
                                                       "fim_pad", "fim_rep", "fim_sep"};

[[noreturn]] void fail(ErrorCode code, const std::string& message) {
    throw Failure(code, message);
}

} // namespace

Vocabulary::Vocabulary(const Checkpoint& checkpoint) {
    readPieces(checkpoint);
    readKinds(checkpoint);
    readSpecials(checkpoint);
    markEnds(checkpoint);
}

void Vocabulary::readPieces(const Checkpoint& checkpoint) {
    const auto* const tokens = checkpoint.strings("tokenizer.ggml.tokens");
    if (tokens == nullptr || tokens->empty()) {
        fail(ErrorCode::Unsupported, "The model file has no vocabulary (tokenizer.ggml.tokens).");
    }
    if (tokens->size() > kMostTokens) {
        fail(ErrorCode::TooLarge,
             fmt::format("The vocabulary has {} tokens; at most {} are supported.", tokens->size(),
                         kMostTokens));
    }
    m_pieces.reserve(tokens->size());
    for (const std::string& token : *tokens) {
        // Text is matched as valid UTF-8 only, so a broken spelling could never be met anyway.
        m_pieces.push_back(token.empty()        ? fmt::format("[EMPTY_{}]", m_pieces.size())
                           : isValidUtf8(token) ? token
                                                : repairedUtf8(token));
    }
    m_byPiece.reserve(m_pieces.size());
    for (std::size_t id = 0; id < m_pieces.size(); ++id) {
        m_byPiece.try_emplace(m_pieces[id], static_cast<TokenId>(id));
    }
}

void Vocabulary::readKinds(const Checkpoint& checkpoint) {
    m_kinds.assign(m_pieces.size(), TokenKind::Normal);
    const auto* const kinds = checkpoint.integers("tokenizer.ggml.token_type");
    if (kinds == nullptr) {
        return;
    }
    if (kinds->size() < m_pieces.size()) {
        fail(ErrorCode::Corrupt, fmt::format("tokenizer.ggml.token_type lists {} of {} tokens.",
                                             kinds->size(), m_pieces.size()));
    }
    for (std::size_t id = 0; id < m_pieces.size(); ++id) {
        const std::int64_t kind = (*kinds)[id];
        if (kind >= static_cast<std::int64_t>(TokenKind::Normal) &&
            kind <= static_cast<std::int64_t>(TokenKind::Byte)) {
            m_kinds[id] = static_cast<TokenKind>(kind);
        }
    }
}

void Vocabulary::readSpecials(const Checkpoint& checkpoint) {
    for (const std::string_view name : kSpecialNames) {
        const auto id = checkpoint.integer(fmt::format("tokenizer.ggml.{}_token_id", name));
        // Ids out of range occur in files of old converters: such a token does not exist.
        if (id && *id >= 0 && *id < size()) {
            m_specials.emplace(name, static_cast<TokenId>(*id));
        }
    }
}

namespace {

// Whether merging plain text can make this token: then it is a word, whatever it looks like.
// ("</s>" is a word of Qwen's vocabulary, the end tag of struck-out text.)
bool isMade(const std::vector<std::string>* merges, std::string_view text) {
    const auto makes = [text](const std::string& merge) {
        const std::size_t space = merge.find(' ', 1);
        return space != std::string::npos && merge.size() == text.size() + 1 &&
               text.starts_with(std::string_view(merge).substr(0, space)) &&
               text.ends_with(std::string_view(merge).substr(space + 1));
    };
    return merges != nullptr && std::ranges::any_of(*merges, makes);
}

} // namespace

void Vocabulary::markEnds(const Checkpoint& checkpoint) {
    m_isEnd.assign(m_pieces.size(), false);
    const auto* const merges = checkpoint.strings("tokenizer.ggml.merges");
    const auto mark = [this](std::optional<TokenId> id) {
        if (id) {
            m_isEnd[static_cast<std::size_t>(*id)] = true;
            m_kinds[static_cast<std::size_t>(*id)] = TokenKind::Control;
        }
    };
    for (const std::string_view text : kEndTexts) {
        const auto id = find(text);
        if (id && (kind(*id) != TokenKind::Normal || !isMade(merges, text))) {
            mark(id);
        }
    }
    for (const std::string_view name : kEndNames) {
        mark(special(name));
    }
}

std::string_view Vocabulary::piece(TokenId id) const {
    return contains(id) ? std::string_view(m_pieces[static_cast<std::size_t>(id)])
                        : std::string_view();
}

std::optional<TokenId> Vocabulary::find(std::string_view piece) const {
    const auto found = m_byPiece.find(piece);
    return found == m_byPiece.end() ? std::nullopt : std::optional(found->second);
}

bool Vocabulary::isEndOfGeneration(TokenId id) const {
    return contains(id) && m_isEnd[static_cast<std::size_t>(id)];
}

bool Vocabulary::isReserved(TokenId id) const {
    const TokenKind kind = m_kinds[static_cast<std::size_t>(id)];
    return kind != TokenKind::Normal && kind != TokenKind::UserDefined;
}

std::optional<TokenId> Vocabulary::special(std::string_view name) const {
    const auto found = m_specials.find(std::string(name));
    return found == m_specials.end() ? std::nullopt : std::optional(found->second);
}

} // namespace engine
