// Sends a planned request list to a Backend on an absolute schedule from its own thread: late is
// recorded as late. start() and stop() from one thread; progress() from any.
#pragma once

#include "app/load/workload.h"
#include "engine/backend.h"

#include <functional>
#include <memory>

namespace app {

struct LoadProgress {
    bool isRunning = false;
    double seconds = 0.0, totalSeconds = 0.0;
    int stage = 0;
    std::int64_t planned = 0, sent = 0, finished = 0;
    double wantedRate = 0.0,
           achievedRate =
               0.0; // requests a second over the last 10 s; wanted is empty (0) for closed loops
    double lagP50Ms = 0.0, lagP99Ms = 0.0;
};

class LoadGenerator {
public:
    // `onFinished` is called on the load thread when the last answer has ended or stop() was asked.
    LoadGenerator(engine::Backend& backend, Workload workload, std::vector<PlannedRequest> requests,
                  std::function<void()> onFinished = {});
    ~LoadGenerator(); // stops and joins
    LoadGenerator(const LoadGenerator&) = delete;
    LoadGenerator& operator=(const LoadGenerator&) = delete;

    void start();
    void stop(); // no new requests; what runs is cancelled; returns at once
    LoadProgress progress() const;
    const Workload& workload() const;

private:
    struct State;
    std::shared_ptr<State> m_state;
};

} // namespace app
