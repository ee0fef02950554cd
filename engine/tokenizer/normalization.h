// Unicode normalization form C, for the tokenizers that ask for it (Qwen's). Any thread.
#pragma once

#include <string>
#include <string_view>

namespace engine {

// The text with every character composed where Unicode composes it. Precondition: valid UTF-8.
// Source: Unicode 16, annex 15.
std::string normalizedC(std::string_view text);

} // namespace engine
