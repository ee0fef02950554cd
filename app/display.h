// Whether a window can open here, found out before Qt is asked: Qt ends the process where it can't.
#pragma once

#include <optional>
#include <string>

namespace app {

// Empty, or why no window can open. Where only Wayland can be reached Qt is told to use it; so this
// is asked before the application object is made.
std::optional<std::string> displayProblem();

} // namespace app
