// How vocabularies of characters (SentencePiece, Gemma) spell: spaces as U+2581, and tokens for
// single bytes. Immutable; any thread.
#pragma once

#include "engine/tokenizer/vocabulary.h"

#include <array>
#include <string>
#include <string_view>

namespace engine {

// The text with U+2581 for every space, after one more where `addsPrefix`.
std::string spelledWithSpaces(std::string_view text, bool addsPrefix);

class ByteTokens {
public:
    explicit ByteTokens(const Vocabulary& vocabulary); // "<0x00>" to "<0xFF>"

    // -1 where the vocabulary has none.
    TokenId of(char byte) const { return m_ids[static_cast<unsigned char>(byte)]; }
    bool hasAllOf(std::string_view bytes) const;
    // Appends the bytes that a token stands for.
    void append(const Vocabulary& vocabulary, TokenId id, std::string& out) const;

private:
    std::array<TokenId, 256> m_ids{};
};

} // namespace engine
