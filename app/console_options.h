// What the command line asks of the window. A value, made by the command line, read by the console.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace app {

struct ConsoleOptions {
    std::optional<std::filesystem::path> model;  // empty: the default model, or first start
    std::optional<std::filesystem::path> runLog; // empty: the user's run log
    std::string workload; // a built-in name or a file that starts once the model is loaded
    std::vector<std::pair<std::string, std::string>> settings; // field key, value text
    // Pictures of every page go here, from a recorded run of the demo; then the console ends.
    std::optional<std::filesystem::path> screenshots;
};

} // namespace app
