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

// How much is kept in memory while writing fails, or nobody takes the copies.
struct RecorderLimits {
    std::size_t events = 100'000;   // beyond, events other than requests and settings are dropped
    std::size_t requests = 500'000; // beyond, these too; either marks the run incomplete
    std::size_t copies = 100'000;   // the oldest are dropped
};

// What is not in the log yet of a run that has ended, because writing fails.
struct UnwrittenRun {
    std::int64_t run = 0;
    std::int64_t requests = 0; // 0: only how it ended
    std::string problem;
};

class Recorder {
public:
    // Opens `file` for writing on the recorder thread; problem() tells why it can't record, if so.
    explicit Recorder(std::filesystem::path file, RecorderLimits limits = {});
    // Writes a log that the caller has opened; it belongs to the recorder thread from now on.
    explicit Recorder(std::unique_ptr<RunStore> opened, RecorderLimits limits = {});
    ~Recorder(); // ends an open run, flushes, joins
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    const std::filesystem::path& file() const;

    // The backend whose events are consumed; null detaches. What the previous one still held is
    // taken; it is not touched after this returns.
    void attach(engine::Backend* backend);

    // Returns when the run exists in the log (or the reason why not). Model and machine are filled
    // in from the attached backend where the caller left them empty.
    engine::Result<std::int64_t> beginRun(RunInfo info);
    // Returns when all of it is in the log; where writing fails the rest follows when it can.
    void endRun(RunState state = RunState::Finished);
    std::optional<std::int64_t> currentRun() const;

    // Changes to runs that are over, made by the one writer. They return at once; the answer comes
    // on the recorder thread. A run that is being recorded can't be removed.
    using Answer = std::function<void(engine::Result<void>)>;
    void renameRun(std::int64_t run, std::string name, std::string note, Answer answer);
    void removeRun(std::int64_t run, Answer answer);
    // What happened until now goes to the log at once; the answer comes when it is there.
    void flush(Answer answer);
    // Any other change of the log.
    void change(std::function<engine::Result<void>(RunStore&)> body, Answer answer);

    // Copies for one reader (the pump): everything since the last call.
    std::vector<engine::Event> takeEvents();
    // Newest snapshot the recorder saw.
    engine::Snapshot snapshot() const;
    // Empty while recording works; else why it does not ("Another console writes to ...").
    std::string problem() const;
    std::vector<std::int64_t> interruptedAtOpen() const;
    // It is tried again every second, and once more at the end; then it is lost.
    std::optional<UnwrittenRun> unwritten() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace app
