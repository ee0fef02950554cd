// A run that nobody had to wait for: a small model of an engine in virtual time (steps whose cost
// grows with the batch and with prompt tokens) makes requests with stamps, ledger and token steps,
// seconds and events, and writes them as the recorder would.
#pragma once

#include "app/store/run_store.h"

#include <string>
#include <vector>

namespace tests {

struct ScriptedPhase {
    double seconds = 60.0;
    double ratePerSecond = 12.0;
    int maxBatch = 16;
};

struct ScriptedRun {
    std::string name = "Scripted run";
    std::string requestDigest = "xxh3:77ab000000000000";
    std::uint64_t seed = 1;
    std::vector<ScriptedPhase> phases = {ScriptedPhase{}};
    double stepMs = 5.0;         // a step with an empty batch
    double sequenceMs = 0.35;    // more for each sequence in it
    double promptTokenMs = 0.12; // more for each prompt token
    bool hasEnd = true;          // false: left in state recording
};

// Returns the run's id. Throws std::runtime_error with the store's message.
std::int64_t writeScriptedRun(app::RunStore& store, const ScriptedRun& script);

// A completed request with every stamp, `atMs` after the start: TTFT as given, then tokens at an
// even pace.
engine::RequestRecord makeRecord(engine::TimePoint start, double atMs, double ttftMs,
                                 double tokenMs, int tokens);

} // namespace tests
