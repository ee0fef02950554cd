// Whether a run log is sound, and what can be saved of one that is not. Reads the damaged file
// only; what is saved goes into a new one. Any thread.
#pragma once

#include "engine/error.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace app {

struct LogCheck {
    bool isSound = false;
    std::vector<std::string> problems; // in SQLite's words, some of them
    std::int64_t runs = 0;             // that can be read
};
engine::Result<LogCheck> checkLog(const std::filesystem::path& file);

struct SavedTable {
    std::string table;
    std::int64_t rows = 0;
    bool isWhole = false; // read from end to end
};
struct Salvage {
    std::vector<SavedTable> tables;
    std::int64_t runs = 0;
    std::int64_t namelessRuns = 0; // whose own row was lost
};
// `target` must not exist.
engine::Result<Salvage> salvageLog(const std::filesystem::path& file,
                                   const std::filesystem::path& target);

} // namespace app
