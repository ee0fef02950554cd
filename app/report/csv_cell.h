// A field of a CSV file (RFC 4180), for every table that is written. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace app {

// Quoted where it has to be.
std::string csvField(std::string_view value);
// Text that somebody else wrote: a spreadsheet would run what begins like a formula, blanks before
// it skipped, so that an apostrophe makes it text (OWASP, CSV injection).
std::string csvText(std::string_view value);
// An absent number, or one that is not finite, is an empty field.
std::string csvNumber(const std::optional<double>& value);
std::string csvNumber(const std::optional<double>& value, int decimals);

} // namespace app
