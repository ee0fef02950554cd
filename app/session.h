// The Qt face of a Backend: loads in the background, pumps figures and events into signals,
// submits, edits, runs load. UI thread (or the main thread of a headless program); only values
// cross threads.
#pragma once

#include "app/load/load_generator.h"
#include "app/observe/history.h"
#include "app/store/recorder.h"
#include "engine/backend.h"

#include <QObject>
#include <QString>

#include <filesystem>
#include <memory>
#include <thread>

class QTimer;

namespace app {

class Session final : public QObject {
    Q_OBJECT

public:
    explicit Session(std::filesystem::path runLog, QObject* parent = nullptr);
    ~Session() override;

    // Loads in the background; the old model serves until the new one is ready. Signals
    // loadProgress, then loaded or loadFailed.
    void openModel(const std::filesystem::path& file, const engine::EngineConfig& config);
    void cancelLoading();
    bool isLoading() const;
    bool hasModel() const;
    engine::Backend* backend() const; // null without a model
    engine::Capabilities capabilities() const;

    std::shared_ptr<engine::TokenStream> submit(engine::Request request); // null without a model
    void cancel(engine::RequestId id);
    engine::Result<void> edit(const std::function<void(engine::EngineConfig&)>& change);
    engine::Result<void> setField(std::string_view key, std::string_view valueText);
    engine::ConfigStatus config() const;

    // A recorded run of a workload: begins a run, applies its settings, sends, ends the run.
    engine::Result<void> startLoad(const Workload& workload);
    void stopLoad();
    LoadProgress loadProgress() const;
    bool isLoadRunning() const;
    const Workload* currentWorkload() const;

    // Recording without a workload.
    engine::Result<std::int64_t> startRecording(const QString& name);
    void stopRecording();
    std::optional<std::int64_t> currentRun() const;
    double runSeconds() const; // of the open run
    QString recordingProblem() const;
    std::filesystem::path runLog() const;
    std::vector<std::int64_t> interruptedRuns() const;

    const History& history() const {
        return m_history;
    } // since the model was loaded or the run began
    engine::Snapshot snapshot() const { return m_snapshot; }

Q_SIGNALS:
    void loadProgressed(const QString& phase, qint64 done, qint64 total);
    void modelChanged(); // loaded, or gone
    void loadFailed(const QString& message);
    void ticked(const engine::Snapshot& snapshot); // at the pump's rate, after events
    void eventHappened(const engine::Event& event);
    void configChanged();
    void runChanged();     // recording began or ended
    void loadRunChanged(); // workload began or ended
    void recordingProblemChanged();

private:
    struct Loading;

    void pump();
    void finishLoading();

    std::unique_ptr<Recorder> m_recorder;
    std::unique_ptr<engine::Backend> m_backend;
    std::unique_ptr<Loading> m_loading;
    std::unique_ptr<LoadGenerator> m_generator;
    History m_history;
    engine::Snapshot m_snapshot;
    QTimer* m_timer = nullptr;
};

} // namespace app
