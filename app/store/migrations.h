// Brings a log to this program's form: numbered scripts from the resources, each in one
// transaction, with a copy of the file beside it before an older log is changed.
#pragma once

#include "app/store/sqlite.h"

#include <filesystem>
#include <string>
#include <vector>

namespace app {

inline constexpr std::int64_t kApplicationId = 0x48445759; // "HDWY"

struct Migration {
    int version = 0; // user_version after it
    std::string sql;
};
std::vector<Migration> migrations(); // resources/store/NNN_*.sql, ascending
int newestVersion(const std::vector<Migration>& list);

enum class LogKind : std::uint8_t { Empty, Ours, Newer, Foreign };
LogKind kindOf(const Database& database, int newest);

// Precondition: kindOf is Empty or Ours. Returns the backup's path where one was made.
std::optional<std::filesystem::path> migrate(Database& database, const std::vector<Migration>& list,
                                             const std::filesystem::path& file);
// Adds the columns that follow the engine's tables and are not there yet.
void addTableColumns(Database& database);

} // namespace app
