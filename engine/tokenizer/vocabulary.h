// The tokens of a checkpoint, as its metadata lists them. Immutable after loading; any thread.
#pragma once

#include "engine/request.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace engine {

class Checkpoint;

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
    explicit Vocabulary(const Checkpoint& checkpoint);
    Vocabulary(const Vocabulary&) = delete;
    Vocabulary& operator=(const Vocabulary&) = delete;

    std::int64_t size() const { return static_cast<std::int64_t>(m_pieces.size()); }
    bool contains(TokenId id) const { return id >= 0 && id < size(); }
    // The vocabulary's own spelling; valid UTF-8. Empty for an id out of range.
    std::string_view piece(TokenId id) const;
    TokenKind kind(TokenId id) const { return m_kinds[static_cast<std::size_t>(id)]; }
    // The first token of that spelling.
    std::optional<TokenId> find(std::string_view piece) const;
    bool isEndOfGeneration(TokenId id) const;
    // Never made from text by merging: control, unknown, byte and unused tokens.
    bool isReserved(TokenId id) const;

    // tokenizer.ggml.<name>_token_id where it is in range.
    std::optional<TokenId> special(std::string_view name) const;

private:
    void readPieces(const Checkpoint& checkpoint);
    void readKinds(const Checkpoint& checkpoint);
    void readSpecials(const Checkpoint& checkpoint);
    void markEnds(const Checkpoint& checkpoint);

    std::vector<std::string> m_pieces;
    std::vector<TokenKind> m_kinds;
    std::vector<bool> m_isEnd;
    std::unordered_map<std::string_view, TokenId> m_byPiece; // views into m_pieces
    std::unordered_map<std::string, TokenId> m_specials;
};

} // namespace engine
