// A field of the settings table in words, for help texts and lists. English, for scripts as well;
// any thread.
#pragma once

#include "engine/config.h"

#include <string>

namespace app {

std::string allowedText(const engine::Field& field);    // "1..1024 req", "single|continuous"
std::string defaultText(const engine::Field& field);    // "16", "0 (from memory)"
std::string_view name(engine::TakesEffect takesEffect); // "next step", "drained", "reload"

} // namespace app
