// A workload run through the engine's policies in virtual time, with the costs that a recorded run
// measured; told in the figures of a run. Pure; any thread.
#pragma once

#include "app/load/workload.h"
#include "app/store/run_store.h"
#include "engine/simulate.h"

namespace app {

// What a recorded run knows about its machine and model.
struct SimulationProfile {
    engine::EngineConfig config; // in force at its end
    engine::CostModel cost;
    // Tokens of a prompt = fixed + perToken * the length that the workload asks for: chat formats
    // add some, and passages are cut by a rule of thumb.
    double fixedTokens = 0.0, perToken = 1.0;
    double sloTtftMs = 800, sloTpotMs = 100;
};

// Error where the run holds no step costs.
engine::Result<SimulationProfile> profileOf(const RunData& run);

struct SimulatedRun {
    RunSummary summary;
    engine::Simulation simulation;
};
engine::Result<SimulatedRun> simulateWorkload(const Workload& workload,
                                              const SimulationProfile& profile,
                                              const engine::EngineConfig& config);

} // namespace app
