// One workload run without a window: loads the model, runs, records, and ends the event loop. Main
// thread; needs a QCoreApplication.
#pragma once

#include "app/progress_line.h"
#include "app/session.h"

#include <optional>
#include <string>

namespace app {

class HeadlessRun final : public QObject {
    Q_OBJECT

public:
    HeadlessRun(std::filesystem::path model, engine::EngineConfig config, Workload workload,
                std::unique_ptr<RunStore> runLog);

    // Before exec(): this list is sent instead of the one that the workload plans.
    void setRequests(std::vector<PlannedRequest> requests) { m_requests = std::move(requests); }

    enum class End : std::uint8_t { Done, Failed, Interrupted };
    // Blocks in the event loop until the run has ended and is in the log.
    End exec();
    const std::string& message() const { return m_message; } // why it failed
    std::optional<std::int64_t> run() const { return m_run; }
    // What of it did not get into the log.
    const std::optional<UnwrittenRun>& unwritten() const { return m_unwritten; }

private:
    void begin();
    void followLoad();
    void interrupt();
    void end(End end, std::string message = {});

    Workload m_workload;
    std::vector<PlannedRequest> m_requests; // empty: planned
    Session m_session;
    ProgressLine m_progress;
    End m_end = End::Failed;
    std::string m_message;
    std::optional<std::int64_t> m_run;
    std::optional<UnwrittenRun> m_unwritten;
    bool m_isInterrupted = false;
};

} // namespace app
