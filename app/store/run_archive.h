// Runs as files of their own: an archive is a log that holds one run. Any thread with logs of its
// own.
#pragma once

#include "app/store/sqlite.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace app {

// Copies one run, or every run, with all that belongs to it; columns by name. A run whose uuid is
// there already is left out. Returns the new ids. Throws DatabaseFailure; within the caller's
// transaction.
std::vector<std::int64_t> copyRuns(const Database& from, const Database& to,
                                   std::optional<std::int64_t> run);

// `target` must not exist.
engine::Result<void> archiveRun(const std::filesystem::path& log, std::int64_t run,
                                const std::filesystem::path& target);

} // namespace app
