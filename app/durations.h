// Spans of time as people type and read them. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace app {

// Seconds of "250ms", "60s", "5min", "1h" (also "60", "1.5min"); empty for anything else,
// negative, endless or not a number.
std::optional<double> parseDuration(std::string_view text);
// "0:42", "12:05", "1:02:03"
std::string durationText(double seconds);

} // namespace app
