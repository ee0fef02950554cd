// What commands are told: "[DB] RUN...", a model, a run log to record into. Main thread.
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
// The run of a --profile: "DB:RUN", or a run of the user's own log.
RunData loadProfileRun(const std::string& text);

// The model that was named, or the default model; CommandError where there is neither, with
// `command` as what to type.
std::filesystem::path modelToOpen(const std::string& named, const std::string& command);
// Open for writing, so that no other program comes between. A log that another program writes is
// left alone: a run gets one of its own beside it. Empty: the user's own log.
std::unique_ptr<RunStore> usableRunLog(const std::string& named);

} // namespace app
