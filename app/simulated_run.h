// A workload run through the engine's policies in virtual time, with the costs that a recorded run
// measured; told in the figures of a run. Pure; any thread.
#pragma once

#include "app/load/workload.h"
#include "app/store/run_store.h"
#include "engine/simulate.h"

#include <array>
#include <optional>
#include <vector>

namespace app {

// For so long steps took so much longer than the costs say.
struct PaceSpan {
    double seconds = 0.0;
    double factor = 1.0;
};

// What a recorded run knows about its machine and model.
struct SimulationProfile {
    engine::EngineConfig config; // in force at its end
    engine::CostModel cost;
    std::vector<PaceSpan> paces; // from the load's begin; empty in runs of earlier versions
    // Tokens of a prompt = fixed + perToken * the length that the workload asks for: chat formats
    // add some, and passages are cut by a rule of thumb. Not known of a run whose list was not its
    // workload's own.
    double fixedTokens = 0.0, perToken = 1.0;
    // Of the prompt tokens those that the prefix cache knew; where it is on, simulated prompts are
    // shorter by as much.
    double hitShare = 0.0;
    double sloTtftMs = 800, sloTpotMs = 100;
};

// A run's figures for the requests of each lane; empty where there is none in it.
using LaneSummaries = std::array<std::optional<RunSummary>, 2>;
LaneSummaries laneSummaries(const RunInfo& info,
                            const std::vector<const engine::RequestRecord*>& records);

// Error where the run holds no step costs.
engine::Result<SimulationProfile> profileOf(const RunData& run);

struct SimulatedRun {
    RunSummary summary;
    LaneSummaries lanes;
    engine::Simulation simulation;
};
// The machine's paces return as often as the load needs them, beginning with the one of that index:
// with 0 each comes when it did in the recorded run.
engine::Result<SimulatedRun> simulateWorkload(const Workload& workload,
                                              const SimulationProfile& profile,
                                              const engine::EngineConfig& config,
                                              std::size_t firstPace = 0);
// The same of a list that the workload only stands for: of a trace, or as it was recorded.
engine::Result<SimulatedRun> simulateRequests(const Workload& workload,
                                              const std::vector<PlannedRequest>& requests,
                                              const SimulationProfile& profile,
                                              const engine::EngineConfig& config,
                                              std::size_t firstPace = 0);

// The same requests while the machine is slow and fast at other times than it was: what of a figure
// is chance. Some simulations, the one as recorded first; one where paces are not known.
engine::Result<std::vector<SimulatedRun>> simulateSpread(const Workload& workload,
                                                         const SimulationProfile& profile,
                                                         const engine::EngineConfig& config);

} // namespace app
