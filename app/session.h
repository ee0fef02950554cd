// The Qt face of a Backend: loads in the background, pumps figures and events into signals,
// submits, edits, runs load. UI thread (or the main thread of a headless program); only values
// cross threads.
#pragma once

#include "app/compose.h"
#include "app/load/load_generator.h"
#include "app/observe/alarms.h"
#include "app/observe/bookmark.h"
#include "app/observe/history.h"
#include "app/store/recorder.h"
#include "engine/backend.h"
#include "engine/serving.h"

#include <QObject>
#include <QString>

#include <filesystem>
#include <memory>
#include <thread>

class QTimer;

namespace app {

class AnswersOnDisk;

class Session final : public QObject {
    Q_OBJECT

public:
    explicit Session(std::filesystem::path runLog, QObject* parent = nullptr);
    // Records into a log that is open for writing already.
    explicit Session(std::unique_ptr<RunStore> runLog, QObject* parent = nullptr);
    Session(std::filesystem::path runLog, BackendMaker maker, QObject* parent = nullptr);
    ~Session() override;

    // Loads in the background; the old model serves until the new one is ready. Signals
    // loadProgressed, then modelChanged or loadFailed. Replaces a load that is under way.
    void openModel(const std::filesystem::path& file, const engine::EngineConfig& config);
    void cancelLoading(); // ends with modelChanged; the old model stays
    bool isLoading() const;
    bool hasModel() const;
    engine::Backend* backend() const;          // null without a model
    engine::Capabilities capabilities() const; // of the loaded model
    std::filesystem::path modelFile() const;   // as it was opened; empty without a model

    std::shared_ptr<engine::TokenStream> submit(engine::Request request); // null without a model
    void cancel(engine::RequestId id);
    void resetPrefixCache(); // nothing without a model
    engine::Result<void> edit(const std::function<void(engine::EngineConfig&)>& change);
    // A refusal is also an event. Key or flag.
    engine::Result<void> setField(std::string_view key, std::string_view valueText);
    engine::ConfigStatus config() const;
    // Levels of degradation; empty without a model, or where nothing stands around it.
    std::optional<engine::ServingStatus> servingStatus() const;
    // The file for the setting light.model = chosen, of this and every later model.
    void setLightModel(std::filesystem::path file);
    void forgetAnswers(); // the stored ones, also those on disk

    // A recorded run of a workload: applies its settings, begins a run, sends, ends the run when
    // the last answer has ended. A recording that is open ends before. Where the log can't be
    // written the workload runs all the same, without a run; recordingProblem() tells why.
    // `requests`: a list to send instead of the one that the workload plans.
    engine::Result<void> startLoad(const Workload& workload,
                                   std::vector<PlannedRequest> requests = {});
    void stopLoad();
    LoadProgress loadProgress() const; // of the present or last one
    bool isLoadRunning() const;
    const Workload* currentWorkload() const; // of the present or last one; null before the first

    // An experiment has the engine to itself: no workload starts meanwhile. It is recorded as a run
    // where the log can be written; recordingProblem() tells why it can't.
    engine::Result<void> beginExperiment(RunInfo info, const std::string& toml);
    void recordBlock(StoredBlock block);
    void endExperiment(RunState state);
    bool isExperimentRunning() const { return m_isExperimentRunning; }

    // Recording without a workload.
    engine::Result<std::int64_t> startRecording(const QString& name);
    void stopRecording();
    std::optional<std::int64_t> currentRun() const;
    std::optional<std::int64_t> lastRun() const;  // the present run or the one before
    std::optional<std::int64_t> shownRun() const; // that the history is of
    double runSeconds() const;                    // of the open run
    // Limits of goodput, copied into each run that begins.
    void setServiceTarget(double ttftMs, double tpotMs);
    double serviceTtftMs() const { return m_sloTtftMs; }
    double serviceTpotMs() const { return m_sloTpotMs; }
    QString recordingProblem() const;
    std::filesystem::path runLog() const;
    std::vector<std::int64_t> interruptedRuns() const;
    // Ends what is sent, loaded and recorded, before this object goes: whoever calls it can wait
    // until all of the last run is in the log.
    void finishRuns();
    std::optional<UnwrittenRun> unwritten() const;
    // The alarms of the loaded model, evaluated once a second; raised and cleared ones are events.
    const Alarms& alarms() const { return m_alarms; }
    void acknowledgeAlarm(std::size_t rule); // a row of alarmTable()
    void setAlarmSettings(std::vector<AlarmSetting> settings);
    // Changes to runs that are over, in the background; runsEdited tells the outcome.
    void renameRun(std::int64_t run, const QString& name, const QString& note);
    void setTags(std::int64_t run, std::vector<std::string> tags);
    void removeRun(std::int64_t run);
    // Runs of an archive, of another log, or one as JSON, in the background; runsImported tells.
    void importRuns(std::filesystem::path file);
    // Events of a run: of the one that the history shows (empty), or of one that is over. Without a
    // run they live as long as the history.
    void addBookmark(std::optional<std::int64_t> run, const Bookmark& bookmark);
    void removeBookmark(std::optional<std::int64_t> run, const Bookmark& bookmark);

    // Since the model was loaded or the run began, whichever is later.
    const History& history() const { return m_history; }
    engine::Snapshot snapshot() const { return m_snapshot; }

Q_SIGNALS:
    void loadProgressed(const QString& phase, qint64 done, qint64 total);
    void backendLeaving(); // the present one is about to go: nobody may call it any more
    void modelChanged();   // loaded, gone, or loading was cancelled
    void loadFailed(const QString& message);
    void ticked(const engine::Snapshot& snapshot); // at the pump's rate, after events
    void eventHappened(const engine::Event& event);
    void configChanged();
    void runChanged();        // recording began or ended
    void loadRunChanged();    // workload began or ended
    void experimentChanged(); // an experiment began or ended
    void recordingProblemChanged();
    void alarmsChanged();                    // evaluated, acknowledged, or other settings
    void runsEdited(const QString& problem); // a run was renamed or removed; empty: it worked
    // So many runs from this one on; none: all of the file were there already, or the problem.
    void runsImported(int count, qint64 first, const QString& problem);

private:
    class Loading;

    Session(std::unique_ptr<Recorder> recorder, BackendMaker maker, QObject* parent);
    void pump();
    void settle();
    void finishLoading(const Loading* loading);
    void takeBackend(std::unique_ptr<engine::Backend> backend, std::filesystem::path file);
    engine::Result<void> applySettings(const Workload& workload);
    engine::Result<std::int64_t> beginRun(RunInfo info);
    void endRun(RunState state);
    void finishLoad(int number);
    void closeLoad(RunState state);
    void post(engine::EventSource source, engine::Notice notice);
    void mark(std::optional<std::int64_t> run, engine::Notice notice, double seconds);
    void watchAlarms();
    void endLostLoad();
    std::function<void(engine::Result<void>)> announceEdit();

    const std::filesystem::path m_runLog;
    const BackendMaker m_maker;
    std::unique_ptr<Recorder> m_recorder;
    std::unique_ptr<engine::Backend> m_backend;
    engine::Capabilities m_capabilities;
    std::filesystem::path m_modelFile, m_lightModel;
    std::vector<std::unique_ptr<Loading>> m_loadings; // the last one counts, others are cancelled
    std::jthread m_retiring;                          // takes down a replaced backend
    std::unique_ptr<LoadGenerator> m_generator;
    int m_loadNumber = 0;               // of the generator, to know late announcements
    std::optional<Workload> m_workload; // of the present or last load
    LoadProgress m_lastProgress;        // once the generator is gone
    bool m_isLoadRunning = false;
    bool m_wasLoadStopped = false;
    bool m_isExperimentRunning = false;
    std::optional<std::int64_t> m_experimentRun;
    std::optional<std::int64_t> m_loadRun, m_lastRun;
    engine::TimePoint m_runStart{};
    double m_sloTtftMs = RunInfo{}.sloTtftMs, m_sloTpotMs = RunInfo{}.sloTpotMs;
    History m_history;
    engine::Snapshot m_snapshot;
    std::optional<engine::TimePoint> m_failedSince; // its state
    Alarms m_alarms;
    engine::TimePoint m_nextAlarms{};
    std::uint64_t m_configVersion = 0;
    std::string m_problem;
    std::unique_ptr<AnswersOnDisk> m_answersOnDisk;
    QTimer* m_timer = nullptr;
};

} // namespace app
