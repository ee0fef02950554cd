#include "engine/tokenizer/vocabulary.h"

#include "engine/base/failure.h"
#include "engine/base/utf8.h"
#include "engine/tokenizer/tokenizer_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace engine {

namespace {

constexpr std::size_t kMostTokens = std::size_t{1} << 20;

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

constexpr std::string_view kWideBar = "\xEF\xBD\x9C"; // U+FF5C FULLWIDTH VERTICAL LINE

// Marks of roles, reasoning and tools: files often call them user-defined, but content must not
// make them.
bool looksLikeMark(std::string_view text) {
    constexpr std::array<std::string_view, 8> kMarks = {
        "<think>",         "</think>",         "<tool_call>",   "</tool_call>",
        "<tool_response>", "</tool_response>", "<tool_result>", "</tool_result>"};
    const bool isTagged = text.size() > 4 && text.starts_with('<') && text.ends_with('>');
    const bool isBarred = isTagged && (text.starts_with("<|") || text.ends_with("|>"));
    return isBarred || (isTagged && text.find(kWideBar) != std::string_view::npos) ||
           std::ranges::find(kMarks, text) != kMarks.end() ||
           (text.find(kWideBar) != std::string_view::npos &&
            text.find("DSML") != std::string_view::npos);
}

[[noreturn]] void fail(ErrorCode code, const std::string& message) {
    throw Failure(code, message);
}

} // namespace

Vocabulary::Vocabulary(const TokenizerSource& source)
    : m_byPiece(std::min(source.tokens.size(), kMostTokens)) {
    readPieces(source);
    readKinds(source);
    collectMarks();
    readSpecials(source);
    markEnds(source);
}

void Vocabulary::readPieces(const TokenizerSource& source) {
    if (source.tokens.empty()) {
        fail(ErrorCode::Unsupported, "The model file has no vocabulary (tokenizer.ggml.tokens).");
    }
    if (source.tokens.size() > kMostTokens) {
        fail(ErrorCode::TooLarge,
             fmt::format("The vocabulary has {} tokens; at most {} are supported.",
                         source.tokens.size(), kMostTokens));
    }
    m_kinds.assign(source.tokens.size(), TokenKind::Normal);
    m_begins.reserve(source.tokens.size() + 1);
    for (const std::string& token : source.tokens) {
        m_begins.push_back(m_text.size());
        // Text is matched as valid UTF-8 only, so a broken spelling could never be met anyway.
        m_text += token.empty()        ? fmt::format("[EMPTY_{}]", m_begins.size() - 1)
                  : isValidUtf8(token) ? token
                                       : repairedUtf8(token);
    }
    m_begins.push_back(m_text.size());
    const auto textOf = [this](TokenId id) { return known(id); };
    for (TokenId id = 0; id < size(); ++id) {
        m_hasTwins = !m_byPiece.add(known(id), id, textOf) || m_hasTwins;
    }
}

void Vocabulary::readKinds(const TokenizerSource& source) {
    if (source.kinds.empty()) {
        return;
    }
    if (source.kinds.size() < m_kinds.size()) {
        fail(ErrorCode::Corrupt, fmt::format("tokenizer.ggml.token_type lists {} of {} tokens.",
                                             source.kinds.size(), m_kinds.size()));
    }
    for (std::size_t id = 0; id < m_kinds.size(); ++id) {
        const std::int64_t kind = source.kinds[id];
        if (kind >= static_cast<std::int64_t>(TokenKind::Normal) &&
            kind <= static_cast<std::int64_t>(TokenKind::Byte)) {
            m_kinds[id] = static_cast<TokenKind>(kind);
        }
    }
}

void Vocabulary::collectMarks() {
    m_isMark.assign(m_kinds.size(), false);
    for (TokenId id = 0; id < size(); ++id) {
        m_isMark[static_cast<std::size_t>(id)] =
            kind(id) == TokenKind::UserDefined && looksLikeMark(known(id));
    }
}

void Vocabulary::readSpecials(const TokenizerSource& source) {
    for (const auto& [name, id] : source.specials) {
        // Ids out of range occur in files of old converters: such a token does not exist.
        if (id >= 0 && id < size()) {
            m_specials.emplace(name, static_cast<TokenId>(id));
        }
    }
}

namespace {

// Whether merging plain text can make this token: then it is a word, whatever it looks like.
// ("</s>" is a word of Qwen's vocabulary, the end tag of struck-out text.)
bool isMade(std::span<const std::string> merges, std::string_view text) {
    const auto makes = [text](const std::string& merge) {
        if (merge.size() != text.size() + 1) {
            return false;
        }
        const std::size_t space = merge.find(' ', 1);
        return space != std::string::npos &&
               text.starts_with(std::string_view(merge).substr(0, space)) &&
               text.ends_with(std::string_view(merge).substr(space + 1));
    };
    return std::ranges::any_of(merges, makes);
}

} // namespace

void Vocabulary::markEnds(const TokenizerSource& source) {
    m_isEnd.assign(m_kinds.size(), false);
    const auto mark = [this](std::optional<TokenId> id) {
        if (id) {
            m_isEnd[static_cast<std::size_t>(*id)] = true;
            m_kinds[static_cast<std::size_t>(*id)] = TokenKind::Control;
        }
    };
    for (const std::string_view text : kEndTexts) {
        const auto id = find(text);
        if (id && (kind(*id) != TokenKind::Normal || !isMade(source.merges, text))) {
            mark(id);
        }
    }
    for (const std::string_view name : kEndNames) {
        mark(special(name));
    }
    for (const std::int64_t id : source.ends) {
        mark(id >= 0 && id < size() ? std::optional(static_cast<TokenId>(id)) : std::nullopt);
    }
}

std::optional<TokenId> Vocabulary::find(std::string_view piece) const {
    const TokenId id = m_byPiece.find(piece, [this](TokenId other) { return known(other); });
    return id == TextIndex::kNone ? std::nullopt : std::optional(id);
}

bool Vocabulary::isEndOfGeneration(TokenId id) const {
    return contains(id) && m_isEnd[static_cast<std::size_t>(id)];
}

std::optional<TokenId> Vocabulary::special(std::string_view name) const {
    const auto found = m_specials.find(name);
    return found == m_specials.end() ? std::nullopt : std::optional(found->second);
}

} // namespace engine
