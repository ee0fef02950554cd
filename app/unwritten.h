// What a command does at its end about a run that can't be written to the log: it waits. Main
// thread; needs a QCoreApplication.
#pragma once

#include "app/session.h"

#include <chrono>
#include <optional>
#include <string>

namespace app {

// Until the run that has ended is whole in the log, says so, and ends at Ctrl-C or when `patience`
// is over. Empty: nothing is lost; else the sentence that says what is.
std::optional<std::string>
waitUntilWritten(const Session& session, std::chrono::seconds patience = std::chrono::minutes(5));

// "3 requests of run 12"
std::string unwrittenText(const UnwrittenRun& run);

} // namespace app
