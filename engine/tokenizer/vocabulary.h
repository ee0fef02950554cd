// The tokens of a file. Immutable after loading; any thread.
#pragma once

#include "engine/request.h"
#include "engine/tokenizer/text_index.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

struct TokenizerSource;

// tokenizer.ggml.token_type
enum class TokenKind : std::uint8_t {
    Normal = 1,
    Unknown = 2,
    Control = 3,
    UserDefined = 4,
    Unused = 5,
    Byte = 6
};

class Vocabulary {
public:
    // Throws Failure: lists that don't fit together, a size beyond reason.
    explicit Vocabulary(const TokenizerSource& source);
    Vocabulary(const Vocabulary&) = delete;
    Vocabulary& operator=(const Vocabulary&) = delete;

    std::int64_t size() const { return static_cast<std::int64_t>(m_kinds.size()); }
    bool contains(TokenId id) const { return id >= 0 && id < size(); }
    // The vocabulary's own spelling; valid UTF-8. Empty for an id out of range.
    std::string_view piece(TokenId id) const {
        return contains(id) ? known(id) : std::string_view();
    }
    TokenKind kind(TokenId id) const { return m_kinds[static_cast<std::size_t>(id)]; }
    // The first token of that spelling.
    std::optional<TokenId> find(std::string_view piece) const;
    bool isEndOfGeneration(TokenId id) const;
    // A user-defined token that looks like a mark of roles, reasoning or tools.
    bool isMark(TokenId id) const { return m_isMark[static_cast<std::size_t>(id)]; }
    // Never made from text by merging: control, unknown, byte and unused tokens, and marks.
    bool isReserved(TokenId id) const {
        return kind(id) != TokenKind::Normal && (kind(id) != TokenKind::UserDefined || isMark(id));
    }
    // Two tokens have one spelling.
    bool hasTwins() const { return m_hasTwins; }

    // By name ("bos", "eot", ...), where it is in range.
    std::optional<TokenId> special(std::string_view name) const;

private:
    std::string_view known(TokenId id) const {
        const auto index = static_cast<std::size_t>(id);
        return std::string_view(m_text).substr(m_begins[index],
                                               m_begins[index + 1] - m_begins[index]);
    }
    void readPieces(const TokenizerSource& source);
    void readKinds(const TokenizerSource& source);
    void collectMarks();
    void readSpecials(const TokenizerSource& source);
    void markEnds(const TokenizerSource& source);

    std::string m_text; // all pieces, one after the other
    std::vector<std::size_t> m_begins;
    std::vector<TokenKind> m_kinds;
    std::vector<bool> m_isEnd, m_isMark;
    TextIndex m_byPiece;
    bool m_hasTwins = false;
    std::map<std::string, TokenId, std::less<>> m_specials;
};

} // namespace engine
