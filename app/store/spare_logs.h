// Logs that headless runs wrote beside the run log because another program held it: what of them is
// not in the log yet. Any thread; opens them for reading only.
#pragma once

#include "engine/error.h"

#include <filesystem>
#include <vector>

namespace app {

struct SpareLog {
    std::filesystem::path file; // "runs-2.db" beside "runs.db"
    int missing = 0;            // runs that the log does not have; more than 0
};
// In the order of their numbers. What can't be read, and what is being written, is left out.
std::vector<SpareLog> spareLogs(const std::filesystem::path& log);

} // namespace app
