// The split patterns of the pre-tokenizers, one function each. See pretokenizer.h.
#pragma once

#include <string_view>
#include <vector>

namespace engine::splits {

using Pieces = std::vector<std::string_view>;

// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
void gpt2(std::string_view piece, Pieces& out);
// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|
// \s*[\r\n]+|\s+(?!\S)|\s+
void llama3(std::string_view piece, Pieces& out);
// The same with \p{N} for \p{N}{1,3}.
void qwen2(std::string_view piece, Pieces& out);
// The same as qwen2 with marks joined to letters.
void qwen35(std::string_view piece, Pieces& out);
// [!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|
//  ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
void deepseekV3(std::string_view piece, Pieces& out);

void eachNumber(std::string_view piece, Pieces& out);          // \p{N}
void numbers(std::string_view piece, Pieces& out);             // \p{N}+
void numbersByThree(std::string_view piece, Pieces& out);      // \p{N}{1,3}
void digitTriples(std::string_view piece, Pieces& out);        // [0-9][0-9][0-9]
void eachLineBreak(std::string_view piece, Pieces& out);       // [\r\n]
void trailingSpace(std::string_view piece, Pieces& out);       // \s+$
void hanAndKana(std::string_view piece, Pieces& out);          // Han to U+9FA5, kana
void hanAndHangul(std::string_view piece, Pieces& out);        // U+0800 to U+9FA5, Hangul syllables
void spacedLetters(std::string_view piece, Pieces& out);       // \s?\p{L}+
void spacedPunctuation(std::string_view piece, Pieces& out);   // \s?\p{P}+
void deepseekLetters(std::string_view piece, Pieces& out);     // \s?[cased letters, by list]+
void deepseekPunctuation(std::string_view piece, Pieces& out); // \s?[!-/:-~ and wide forms]+
void falconPunctuation(std::string_view piece, Pieces& out);   // [\p{P}\$\+<=>\^~\|`]+

} // namespace engine::splits
