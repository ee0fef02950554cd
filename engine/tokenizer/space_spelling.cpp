#include "engine/tokenizer/space_spelling.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {

namespace {

constexpr std::string_view kSpace = "\xE2\x96\x81"; // U+2581 LOWER ONE EIGHTH BLOCK

} // namespace

std::string spelledWithSpaces(std::string_view text, bool addsPrefix) {
    std::string spelled(addsPrefix ? kSpace : "");
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

ByteTokens::ByteTokens(const Vocabulary& vocabulary) {
    for (std::size_t byte = 0; byte < m_ids.size(); ++byte) {
        m_ids[byte] = vocabulary.find(fmt::format("<0x{:02X}>", byte)).value_or(-1);
    }
}

bool ByteTokens::hasAllOf(std::string_view bytes) const {
    return std::ranges::all_of(bytes, [this](char byte) { return of(byte) >= 0; });
}

void ByteTokens::append(const Vocabulary& vocabulary, TokenId id, std::string& out) const {
    std::string_view piece = vocabulary.piece(id);
    const TokenKind kind = vocabulary.kind(id);
    if (kind == TokenKind::Byte) {
        const auto* const byte = std::ranges::find(m_ids, id);
        if (byte != m_ids.end()) {
            out += static_cast<char>(byte - m_ids.begin());
            return;
        }
    }
    if (kind != TokenKind::Normal && kind != TokenKind::Unused) {
        out += piece;
        return;
    }
    for (std::size_t space = piece.find(kSpace); space != std::string_view::npos;
         space = piece.find(kSpace)) {
        out += piece.substr(0, space);
        out += ' ';
        piece.remove_prefix(space + kSpace.size());
    }
    out += piece;
}

} // namespace engine
