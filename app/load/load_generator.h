// Sends a planned request list to a Backend on an absolute schedule from its own thread: late is
// recorded as late, so an overloaded machine can't hide its waiting times. start() and stop() from
// one thread; progress() from any. The backend outlives the generator.
#pragma once

#include "app/load/workload.h"
#include "engine/backend.h"

#include <functional>
#include <memory>

namespace app {

// Above this median lag the generator, not the engine, is what a run measures.
inline constexpr double kLagLimitMs = 10.0;

struct LoadProgress {
    bool isRunning = false;
    double seconds = 0.0, totalSeconds = 0.0; // answers may end after the last stage
    int stage = 0;
    std::int64_t planned = 0; // open loop; a closed loop sends as many as it can
    std::int64_t sent = 0, finished = 0;
    std::int64_t completed = 0, cancelled = 0, failed = 0, rejected = 0; // add up to finished
    // Requests a second: what the present stage asks for (0: a closed loop, or over), and what was
    // sent in the last 10 s.
    double wantedRate = 0.0, achievedRate = 0.0;
    // Sent minus due, over the whole run. A closed loop's request is due when its user is free.
    double lagP50Ms = 0.0, lagP99Ms = 0.0;
    bool isBehind = false; // median lag above kLagLimitMs
};

class LoadGenerator {
public:
    // `onFinished` is called once, on the load thread, when the last answer has ended or stop() was
    // asked. It must not destroy the generator.
    LoadGenerator(engine::Backend& backend, Workload workload, std::vector<PlannedRequest> requests,
                  PromptLibrary library, std::function<void()> onFinished = {});
    ~LoadGenerator(); // stops and joins
    LoadGenerator(const LoadGenerator&) = delete;
    LoadGenerator& operator=(const LoadGenerator&) = delete;

    void start();
    void stop(); // no new requests; what runs is cancelled; returns at once
    LoadProgress progress() const;
    const Workload& workload() const;

private:
    class Runner;
    std::unique_ptr<Runner> m_runner;
};

} // namespace app
