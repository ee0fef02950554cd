// Text from files, made fit to show: valid UTF-8, no control characters, bounded. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace engine {

// Invalid bytes and control characters become U+FFFD; what is longer than `limitBytes` is cut at a
// character and ends in an ellipsis.
std::string displayText(std::string_view text, std::size_t limitBytes = 120);

} // namespace engine
