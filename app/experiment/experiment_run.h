// Runs an experiment on a session: takes turns between the sides, switches settings live, drains,
// warms up, measures, marks what was disturbed, and puts the settings back. Polled by a timer; what
// it measured stays when it is stopped. Main thread; the session outlives it.
#pragma once

#include "app/experiment/block_work.h"
#include "app/experiment/process_memory.h"
#include "app/experiment/verdict.h"
#include "app/session.h"

#include <QObject>

#include <functional>
#include <optional>

class QTimer;

namespace app {

enum class ExperimentPhase : std::uint8_t {
    Ready,
    Calibrating, // what the engine can do, for rates that are shares of it
    Switching,   // settings of the next side, and the engine runs empty
    WarmingUp,
    Measuring,
    Draining, // answers that are under way
    Finished,
    Stopped,
    Failed
};

// What comes next: a side, and for how long it is measured. Empty: the end.
struct NextBlock {
    int side = 0, round = 0;
    double measureSeconds = 1.0;
};
// From the blocks so far. Without one, sides take turns.
using BlockSchedule = std::function<std::optional<NextBlock>(const std::vector<Block>& blocks)>;

class ExperimentRun final : public QObject {
    Q_OBJECT

public:
    ExperimentRun(Session& session, Experiment experiment, QObject* parent = nullptr);
    ExperimentRun(Session& session, Experiment experiment, BackendMaker maker,
                  QObject* parent = nullptr);
    void setSchedule(BlockSchedule schedule) { m_schedule = std::move(schedule); } // before start()
    // Goes on after blocks that were measured before, of the same experiment on the same model:
    // they count in the verdict and are in the new run, at times before its begin. `rateFactor`: of
    // the run that measured them. Before start().
    void continueAfter(std::vector<Block> earlier, std::optional<double> rateFactor);
    // Of a rate that is a share of what the engine can do; empty until that is measured.
    std::optional<double> rateFactor() const;
    ~ExperimentRun() override; // stops; settings are put back

    engine::Result<void> start();
    void stop();
    bool isRunning() const;

    const Experiment& experiment() const { return m_experiment; }
    const std::vector<Block>& blocks() const { return m_blocks; }
    const ExperimentVerdict& verdict() const { return m_verdict; }
    ExperimentPhase phase() const { return m_phase; }
    int blockNumber() const { return m_next + 1; } // of the present block, from 1
    int round() const { return m_block.round; }
    int side() const { return m_block.side; }          // of the present block
    double blockBegin() const { return m_blockBegin; } // seconds of the run
    double secondsLeft() const;                        // about
    QString message() const { return m_message; }      // why it failed or ended early
    std::optional<std::int64_t> run() const { return m_run; }
    const std::string& requestDigest() const { return m_digest; }

Q_SIGNALS:
    void changed();  // phase or blocks
    void finished(); // ended, stopped or failed

private:
    void tick();
    bool planBlock(); // false: there is none left
    void recordBlock(const Block& block);
    void beginBlock();
    void continueSwitching();
    void startWork();
    void watchWork();
    void closeBlock();
    void finishCalibration(const WorkOutcome& outcome);
    void takeEvent(const engine::Event& event);
    void watchMachine();
    std::vector<Contamination> contamination(const WorkOutcome& outcome,
                                             const MeasuredWindow& window) const;
    engine::Result<void> apply(const SettingTexts& settings);
    SettingTexts settingsOf(int side) const;
    void end(ExperimentPhase phase, QString message = {});
    void setPhase(ExperimentPhase phase);
    double runSeconds(engine::TimePoint time) const;
    void fail(const engine::Error& error);

    Session& m_session;
    const Experiment m_experiment;
    const BackendMaker m_maker;
    QTimer* m_timer = nullptr;
    ExperimentPhase m_phase = ExperimentPhase::Ready;
    engine::EngineConfig m_original;    // put back at the end
    std::pair<double, double> m_target; // TTFT and TPOT of goodput, ms: one for every block
    bool m_isEngineGone = false;
    double m_rateFactor = 1.0;
    bool m_isRateKnown = false;
    bool m_isCalibrated = true;
    BlockSchedule m_schedule;
    NextBlock m_block; // the present one
    int m_next = 0;    // its index
    std::unique_ptr<BlockWork> m_work;
    double m_blockBegin = 0.0;
    engine::TimePoint m_since{};        // of the phase
    engine::TimePoint m_collectUntil{}; // records still come in
    Records m_records;                  // of the present block
    std::int64_t m_foreign = 0;         // requests of others in it
    std::vector<std::pair<engine::TimePoint, std::string>> m_edits;
    engine::TimePoint m_workBegin{}; // warming up included
    std::optional<ProcessorTimes> m_timesAtBegin, m_timesAtEnd;
    std::vector<double> m_clocks;
    engine::TimePoint m_nextClock{};
    std::vector<Block> m_blocks;
    ExperimentVerdict m_verdict;
    std::optional<std::int64_t> m_run;
    std::string m_digest;
    QString m_message;
};

} // namespace app
