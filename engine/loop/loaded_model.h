// A model file opened and prepared for a device, with everything it borrows; shared by the engine
// and the evaluator. Loading runs on the calling thread.
#pragma once

#include "engine/backend.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/loop/step_gate.h"
#include "engine/model/model.h"
#include "engine/tokenizer/tokenizer.h"
#include "kernels/thread_pool.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace engine {

using OpsFactory = std::function<std::unique_ptr<kernels::Ops>(kernels::ThreadPool&)>;

struct LoadSettings {
    EngineConfig config;
    std::function<void(const LoadProgress&)> progress;
    std::stop_token stop;
    OpsFactory makeOps; // empty: the CPU's best
    // Empty: measured, which reads far more memory than the caches hold.
    std::optional<double> readBytesPerSecond;
    std::shared_ptr<StepGate> gate = {}; // shared with another engine on the same cores
    std::uint64_t firstId = 1;           // of requests, so that two engines' ids differ
    std::function<bool(const std::string& name)> onMatrix = {}; // as of WeightOptions
};

// Members are destroyed from the last to the first: nothing outlives what it borrows.
struct LoadedModel {
    std::filesystem::path path;
    std::unique_ptr<Checkpoint> checkpoint;
    std::unique_ptr<Tokenizer> tokenizer; // null where only logits are wanted
    std::unique_ptr<ChatFormat> chat;     // null where the file has none that is known
    std::unique_ptr<kernels::ThreadPool> pool;
    std::unique_ptr<kernels::Ops> ops;
    std::unique_ptr<Checkpoint>
        weightsFile; // the file opened again, where `model` borrows from that
    std::unique_ptr<Model> model;
    std::vector<PhaseTimed> phases;
    double readBytesPerSecond = 0.0; // of the settings, or measured; where answers are wanted

    // Error where the file was shortened while its bytes are in use.
    Result<void> stillWhole() const {
        return weightsFile ? weightsFile->stillWhole() : checkpoint->stillWhole();
    }
};

enum class TokenizerUse : std::uint8_t { Needed, Unneeded };

// Throws Failure, Interrupted on stop.
LoadedModel loadModel(const std::filesystem::path& path, const LoadSettings& settings,
                      TokenizerUse tokenizerUse);

// Threads of a configuration: 0 is every core.
int threadCount(const EngineConfig& config);

// What products are computed in, "INT8 x Q4_1".
std::string computingOf(const ModelSpec& spec);

// What the model is and what it runs on; context and speed are the engine's to add.
Capabilities describe(const LoadedModel& loaded);

// Runs a phase of loading, keeps its duration.
template <class Work>
auto timedPhase(LoadedModel& loaded, std::string phase, std::uint64_t bytes, Work work) {
    const TimePoint begin = Clock::now();
    auto result = work();
    loaded.phases.push_back(
        {.phase = std::move(phase), .duration = Clock::now() - begin, .items = 1, .bytes = bytes});
    return result;
}

} // namespace engine
