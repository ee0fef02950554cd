// The one consumer of a Backend's events and the one writer of the run log. Own thread, 20 Hz:
// stores, then queues copies for the window. Without an open run it only passes on. A failing write
// raises a problem, keeps what it has up to a bound, and tries again.
#pragma once

#include "app/store/run_store.h"
#include "engine/backend.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace app {

class Recorder {
public:
    // Opens `file` for writing on the recorder thread; problem() tells why it can't record, if so.
    explicit Recorder(std::filesystem::path file);
    ~Recorder(); // ends an open run, flushes, joins

    // The backend whose events are consumed; null detaches. Waits until the previous one is let go.
    void attach(engine::Backend* backend);

    // Returns when the run exists in the log (or the reason why not).
    engine::Result<std::int64_t> beginRun(RunInfo info);
    void endRun(RunState state = RunState::Finished);
    std::optional<std::int64_t> currentRun() const;

    // Copies for one reader (the pump): everything since the last call.
    std::vector<engine::Event> takeEvents();
    // Newest snapshot the recorder saw.
    engine::Snapshot snapshot() const;
    // Empty while recording works; else why it does not ("Another console writes to ...").
    std::string problem() const;
    std::vector<std::int64_t> interruptedAtOpen() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace app
