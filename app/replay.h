// A recorded run, or a trace of another system, as a list of requests to send again; and what a
// simulation and a real run made of that list, side by side. Pure; any thread.
#pragma once

#include "app/load/trace.h"
#include "app/store/run_store.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace app {

struct Replay {
    // Stands for the list in forms and reports. Plans the very list only where isOwnList.
    Workload workload;
    std::vector<PlannedRequest> requests;
    bool isOwnList = false;
    std::string origin;       // "run 12", "Azure trace"
    std::int64_t skipped = 0; // of a trace: without an answer when they were recorded
};
// The list that the run's workload and seed make, where the run sent just that; else its requests
// as they were recorded, with texts of about their lengths. Settings of the run are not part of it.
engine::Result<Replay> replayOf(const RunData& run);
Replay replayOf(const Trace& trace, const std::string& traceName);
// A file of Azure, BurstGPT or Mooncake; damage is told with its line, and nothing of it is used.
engine::Result<Replay> loadReplay(const std::filesystem::path& trace);
// Whether the name is that of a trace rather than of a workload file.
bool isTraceFile(const std::filesystem::path& file);
// Only the requests of the first seconds.
Replay shortened(Replay replay, double seconds);

// One figure of a run as it was recorded, simulated and really run again.
struct ReplayRow {
    std::string_view key;  // "ttft_p50_ms"
    std::string_view name; // "TTFT p50 ms"
    std::optional<double> recorded, simulated, real;
    std::optional<double> error; // of the simulation, as a share of what was real
};
std::vector<ReplayRow> replayRows(const std::optional<RunSummary>& recorded,
                                  const std::optional<RunSummary>& simulated,
                                  const std::optional<RunSummary>& real);

} // namespace app
