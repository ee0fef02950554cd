// Experiments without a window: loads the model once, runs them one after the other, and ends the
// event loop. Main thread; needs a QCoreApplication.
#pragma once

#include "app/experiment/experiment_run.h"
#include "app/progress_line.h"
#include "app/session.h"

#include <optional>
#include <string>
#include <vector>

namespace app {

class HeadlessExperiment final : public QObject {
    Q_OBJECT

public:
    HeadlessExperiment(std::filesystem::path model, engine::EngineConfig config,
                       std::vector<Experiment> experiments, std::unique_ptr<RunStore> runLog);
    ~HeadlessExperiment() override;
    // Before exec(): what comes next in each experiment, and the limits of goodput.
    void setSchedule(BlockSchedule schedule) { m_schedule = std::move(schedule); }
    void setServiceTarget(double ttftMs, double tpotMs) {
        m_session.setServiceTarget(ttftMs, tpotMs);
    }

    enum class End : std::uint8_t { Done, Failed, Interrupted };
    // Blocks in the event loop until the last one has ended and is in the log.
    End exec();
    const std::string& message() const { return m_message; } // why it failed
    const std::vector<std::int64_t>& runs() const { return m_runs; }
    const engine::Capabilities& capabilities() const { return m_capabilities; }

private:
    void begin();
    void next();
    void finishOne();
    void interrupt();
    void end(End end, std::string message = {});

    std::vector<Experiment> m_experiments;
    std::size_t m_next = 0;
    Session m_session;
    ProgressLine m_progress;
    BlockSchedule m_schedule;
    std::unique_ptr<ExperimentRun> m_run;
    engine::Capabilities m_capabilities;
    std::vector<std::int64_t> m_runs;
    End m_end = End::Failed;
    std::string m_message;
    bool m_isInterrupted = false;
    bool m_hasBegun = false;
};

} // namespace app
