// Rows of the table of runs, and what is asked about a run as a whole. Throws DatabaseFailure.
#pragma once

#include "app/store/run_store.h"
#include "app/store/sqlite.h"

namespace app {

std::int64_t insertRun(const Database& database, const RunInfo& info); // with its tags
// Newest first. `run`: only that one.
std::vector<RunInfo> readRuns(const Database& database, std::optional<std::int64_t> run = {});
// Last time that any row of the run tells, ns; 0 without rows.
std::int64_t lastTime(const Database& database, std::int64_t run);
// "sha256:..." over the run's requests, samples, events and settings: names and values of every
// column that is not NULL, so columns added later change nothing.
std::string runDigest(const Database& database, std::int64_t run);

} // namespace app
