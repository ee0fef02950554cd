// The arguments "[DB] RUN..." of the commands that read a run log. Main thread.
#pragma once

#include "app/store/run_store.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace app {

struct RunArguments {
    std::filesystem::path runLog; // the user's own where none was given
    std::vector<std::int64_t> runs;
};

// Run ids are integers; any other first argument is a database. CommandError for anything else.
RunArguments parseRunArguments(const std::vector<std::string>& arguments);
// For reading only; CommandError with the remedy where it can't be opened.
std::unique_ptr<RunStore> openForReading(const std::filesystem::path& runLog);

} // namespace app
