// UTF-8, one character at a time. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace engine {

inline constexpr char32_t kReplacement = 0xFFFD;
inline constexpr std::string_view kReplacementText = "\xEF\xBF\xBD";

enum class Utf8 : std::uint8_t {
    Valid,
    Invalid,    // can never become a character: `length` bytes are its maximal subpart
    Incomplete, // the text ends inside a character that so far is well formed
};

struct Utf8Step {
    char32_t character = kReplacement; // of Valid
    std::size_t length = 1;            // bytes taken
    Utf8 state = Utf8::Valid;
};

// The character at the start of `text`, which is not empty.
// Rejects overlong forms, surrogates and what lies above U+10FFFF. Source: Unicode 15, table 3-7
// and section 3.9, "U+FFFD substitution of maximal subparts".
Utf8Step utf8Step(std::string_view text);

bool isValidUtf8(std::string_view text);

// Each maximal invalid subpart becomes one U+FFFD.
std::string repairedUtf8(std::string_view text);

void appendUtf8(char32_t character, std::string& out);

// Bytes of the longest prefix of at most `limit` bytes that does not cut a character of valid text.
std::size_t utf8Floor(std::string_view text, std::size_t limit);

} // namespace engine
