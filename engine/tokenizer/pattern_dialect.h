// Patterns of tokenizers in the dialect of PCRE2. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace engine {

// Oniguruma's dialect to PCRE2's, where they differ and tokenizers use it: \s is the property
// White_Space, \w has marks, \h is a hexadecimal digit, classes nest and intersect ([a-z&&[^x]]).
std::string pcrePattern(std::string_view pattern);
// A pattern that matches just this text.
std::string literalPattern(std::string_view text);

} // namespace engine
