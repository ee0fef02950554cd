// Runs of a file into a run log: an archive, another log, or one run as JSON. The thread that
// writes the log.
#pragma once

#include "app/store/run_store.h"

#include <filesystem>
#include <vector>

namespace app {

// The new ids; empty where every run of the file is in the log already. Nothing is half imported.
engine::Result<std::vector<std::int64_t>> importFile(RunStore& log,
                                                     const std::filesystem::path& file);

} // namespace app
