// What happens in one block: a workload, loading the model, typed prompts, texts to encode. Each
// works on a thread of its own and is polled. Made, started, stopped and asked on one thread; the
// backend outlives it.
#pragma once

#include "app/compose.h"
#include "app/experiment/block.h"
#include "engine/backend.h"

#include <filesystem>
#include <memory>

namespace app {

struct WorkOutcome {
    engine::TimePoint from, to;                 // what was measured
    std::map<std::string, BlockFigure> figures; // beside those that records tell
    std::string problem;                        // why nothing could be measured
    std::int64_t ended = 0;                     // requests, whose records follow
    double lagP50Ms = 0.0;
    bool isWhole = false; // not stopped before its time
};

class BlockWork {
public:
    virtual ~BlockWork() = default; // stops and joins
    virtual void start() = 0;
    virtual void stop() = 0; // cancels what is left; returns at once
    virtual bool isFinished() const = 0;
    // When the measured time is over and only answers are awaited.
    virtual engine::TimePoint measuredTo() const = 0;
    // Once it is finished.
    virtual WorkOutcome outcome() const = 0;
};

// What loading once more measures: the model itself, or two tenants of it, each with an adapter:
// over a copy of the model of their own, or over the one.
enum class Tenants : std::uint8_t { None, Copies, Adapters };

struct WorkSetup {
    engine::Backend* backend = nullptr;
    Workload workload; // of this block
    double warmupSeconds = 0.0, measureSeconds = 1.0;
    bool isTyped = false;
    Tenants tenants = Tenants::None;
    // For loading once more.
    BackendMaker maker;
    std::filesystem::path model;
    engine::EngineConfig config;
};
engine::Result<std::unique_ptr<BlockWork>> makeBlockWork(Method method, WorkSetup setup);

} // namespace app
