// The session's runs: workloads and recordings. See session.h.
#include "app/run_import.h"
#include "app/session.h"

#include <fmt/format.h>

namespace app {

namespace {

// Of what stands around an engine, as levels; an attached server keeps all others as they are.
bool isOfServing(const engine::EngineConfig& config, const std::string& key,
                 const std::string& value) {
    engine::EngineConfig changed = config;
    const engine::Field* field = engine::findField(key);
    if (field == nullptr || !engine::setFromText(*field, changed, value)) {
        return true; // refused where it is applied, with the reason
    }
    changed.serving = config.serving;
    return changed == config;
}

} // namespace

engine::Result<void> Session::applySettings(const Workload& workload) {
    const bool isAttached = m_backend->capabilities().device == "attached";
    for (const auto& [key, value] : workload.settings) {
        if (isAttached && !isOfServing(config().requested, key, value)) {
            continue;
        }
        if (auto set = setField(key, value); !set) {
            return set;
        }
    }
    const engine::ConfigStatus status = config();
    for (const auto& [key, value] : workload.settings) {
        const engine::Field* field = engine::findField(key);
        if (field != nullptr && field->takesEffect == engine::TakesEffect::Reload &&
            field->get(status.requested) != field->get(status.effective)) {
            return std::unexpected(engine::Error{
                engine::ErrorCode::Busy,
                fmt::format("The workload asks for {} = {}, which needs the model to be loaded "
                            "again; reload it and start once more.",
                            key, value)});
        }
    }
    return {};
}

engine::Result<void> Session::startLoad(const Workload& workload,
                                        std::vector<PlannedRequest> requests) {
    if (!m_backend) {
        return std::unexpected(
            engine::Error{engine::ErrorCode::NotFound, "No model is loaded; open one first."});
    }
    if (m_isLoadRunning) {
        return std::unexpected(engine::Error{engine::ErrorCode::Busy,
                                             "A workload is running; stop it before the next."});
    }
    if (m_isExperimentRunning) {
        return std::unexpected(
            engine::Error{engine::ErrorCode::Busy,
                          "An experiment is running; stop it before the next workload."});
    }
    if (auto valid = validateWorkload(workload); !valid) {
        return valid;
    }
    auto library = PromptLibrary::fromResources();
    if (!library) {
        return std::unexpected(library.error());
    }
    if (auto applied = applySettings(workload); !applied) {
        return applied;
    }
    stopRecording();
    if (requests.empty()) {
        requests = planRequests(workload);
    }
    RunInfo info;
    info.name = workload.name;
    info.workloadName = workload.name;
    info.workloadToml = workloadToml(workload);
    info.requestDigest = requestListDigest(requests, *library);
    info.seed = workload.seed;
    const auto run = beginRun(std::move(info));
    m_loadRun = run ? std::optional(*run) : std::nullopt;
    m_isLoadRunning = true;
    m_wasLoadStopped = false;
    m_workload = workload;
    const int number = ++m_loadNumber;
    m_generator = std::make_unique<LoadGenerator>(
        *m_backend, workload, std::move(requests), std::move(*library), [this, number] {
            // From the load thread; a session that is gone by then gets nothing.
            QMetaObject::invokeMethod(
                this, [this, number] { finishLoad(number); }, Qt::QueuedConnection);
        });
    m_generator->start();
    Q_EMIT loadRunChanged();
    return {};
}

void Session::stopLoad() {
    if (m_isLoadRunning) {
        m_wasLoadStopped = true;
        m_generator->stop();
    }
}

void Session::finishLoad(int number) {
    if (!m_isLoadRunning || number != m_loadNumber) {
        return; // of a load that was closed before
    }
    const bool hasFailed = m_recorder->snapshot().state == engine::EngineState::Failed;
    closeLoad(hasFailed          ? RunState::Failed
              : m_wasLoadStopped ? RunState::Interrupted
                                 : RunState::Finished);
}

void Session::closeLoad(RunState state) {
    m_isLoadRunning = false;
    // The operator may have ended the run, or begun another recording since.
    if (m_loadRun && m_recorder->currentRun() == m_loadRun) {
        endRun(state);
    }
    Q_EMIT loadRunChanged();
}

LoadProgress Session::loadProgress() const {
    return m_generator ? m_generator->progress() : m_lastProgress;
}

bool Session::isLoadRunning() const {
    return m_isLoadRunning;
}

const Workload* Session::currentWorkload() const {
    return m_workload ? &*m_workload : nullptr;
}

// The answer comes on the recorder thread, which the session outlives.
std::function<void(engine::Result<void>)> Session::announceEdit() {
    return [this](const engine::Result<void>& result) {
        const QString problem = result ? QString() : QString::fromStdString(result.error().message);
        QMetaObject::invokeMethod(
            this, [this, problem] { Q_EMIT runsEdited(problem); }, Qt::QueuedConnection);
    };
}

void Session::renameRun(std::int64_t run, const QString& name, const QString& note) {
    m_recorder->renameRun(run, name.toStdString(), note.toStdString(), announceEdit());
}

void Session::setTags(std::int64_t run, std::vector<std::string> tags) {
    m_recorder->change(
        [run, tags = std::move(tags)](RunStore& store) { return store.setTags(run, tags); },
        announceEdit());
}

void Session::removeRun(std::int64_t run) {
    m_recorder->removeRun(run, announceEdit());
}

void Session::importRuns(std::filesystem::path file) {
    const auto ids = std::make_shared<std::vector<std::int64_t>>();
    m_recorder->change(
        [file = std::move(file), ids](RunStore& store) -> engine::Result<void> {
            auto imported = importFile(store, file);
            if (!imported) {
                return std::unexpected(imported.error());
            }
            *ids = std::move(*imported);
            return {};
        },
        // On the recorder thread; a session that is gone by then gets nothing.
        [this, ids](const engine::Result<void>& done) {
            const QString problem = done ? QString() : QString::fromStdString(done.error().message);
            QMetaObject::invokeMethod(
                this,
                [this, ids, problem] {
                    Q_EMIT runsImported(static_cast<int>(ids->size()),
                                        ids->empty() ? 0 : ids->front(), problem);
                },
                Qt::QueuedConnection);
        });
}

void Session::addBookmark(std::optional<std::int64_t> run, const Bookmark& bookmark) {
    mark(run, bookmarkNotice(bookmark), bookmark.seconds);
}

void Session::removeBookmark(std::optional<std::int64_t> run, const Bookmark& bookmark) {
    mark(run, bookmarkRemovedNotice(bookmark), bookmark.seconds);
}

void Session::mark(std::optional<std::int64_t> run, engine::Notice notice, double seconds) {
    const std::optional<std::int64_t> open = currentRun();
    if (open && (!run || run == open)) {
        post(engine::EventSource::Operator, std::move(notice));
        m_recorder->flush(announceEdit()); // who shows the run reads it anew
        return;
    }
    engine::Event event;
    event.source = engine::EventSource::Operator;
    event.body = std::move(notice);
    if (!run) {
        event.time = engine::Clock::now();
        m_history.addEvent(event);
        Q_EMIT eventHappened(event);
        run = shownRun();
        if (!run) {
            return;
        }
    }
    event.time = engine::TimePoint{} + std::chrono::duration_cast<engine::Nanoseconds>(
                                           std::chrono::duration<double>(seconds));
    m_recorder->change(
        [run = *run, event = std::move(event)](RunStore& store) {
            return store.append(run, engine::TimePoint{},
                                {.events = {event}, .samples = {}, .settings = {}});
        },
        announceEdit());
}

engine::Result<void> Session::beginExperiment(RunInfo info, const std::string& toml) {
    if (!m_backend) {
        return std::unexpected(
            engine::Error{engine::ErrorCode::NotFound, "No model is loaded; open one first."});
    }
    if (m_isLoadRunning || m_isExperimentRunning) {
        return std::unexpected(
            engine::Error{engine::ErrorCode::Busy,
                          m_isLoadRunning ? "A workload is running; stop it before the experiment."
                                          : "Another experiment is running; stop it first."});
    }
    stopRecording();
    const std::string experiment = info.workloadName;
    const auto run = beginRun(std::move(info));
    m_experimentRun = run ? std::optional(*run) : std::nullopt;
    m_isExperimentRunning = true;
    if (run) {
        m_recorder->change(
            [id = *run, experiment, toml](RunStore& store) {
                return store.addExperiment(id, experiment, toml);
            },
            announceEdit());
    }
    Q_EMIT experimentChanged();
    return {};
}

void Session::recordBlock(StoredBlock block) {
    if (m_experimentRun) {
        m_recorder->change([run = *m_experimentRun, block = std::move(block)](
                               RunStore& store) { return store.addBlock(run, block); },
                           announceEdit());
    }
}

void Session::endExperiment(RunState state) {
    if (!m_isExperimentRunning) {
        return;
    }
    m_isExperimentRunning = false;
    if (m_experimentRun && m_recorder->currentRun() == m_experimentRun) {
        endRun(state);
    }
    m_experimentRun.reset();
    Q_EMIT experimentChanged();
}

engine::Result<std::int64_t> Session::startRecording(const QString& name) {
    if (!m_backend) {
        return std::unexpected(
            engine::Error{engine::ErrorCode::NotFound, "No model is loaded; open one first."});
    }
    if (const auto open = m_recorder->currentRun()) {
        return std::unexpected(
            engine::Error{engine::ErrorCode::Busy,
                          fmt::format("Run {} is being recorded; end it before the next.", *open)});
    }
    RunInfo info;
    info.name = name.toStdString();
    return beginRun(std::move(info));
}

void Session::stopRecording() {
    if (m_recorder->currentRun()) {
        endRun(RunState::Finished);
    }
}

engine::Result<std::int64_t> Session::beginRun(RunInfo info) {
    info.sloTtftMs = m_sloTtftMs;
    info.sloTpotMs = m_sloTpotMs;
    auto run = m_recorder->beginRun(std::move(info));
    m_runStart = engine::Clock::now();
    m_history.reset(m_runStart);
    if (run) {
        m_lastRun = *run;
    }
    Q_EMIT runChanged();
    return run;
}

void Session::endRun(RunState state) {
    m_recorder->endRun(state);
    Q_EMIT runChanged();
}

std::optional<std::int64_t> Session::currentRun() const {
    return m_recorder->currentRun();
}

std::optional<std::int64_t> Session::lastRun() const {
    return m_lastRun;
}

std::optional<std::int64_t> Session::shownRun() const {
    return m_history.start() == m_runStart ? m_lastRun : std::nullopt;
}

double Session::runSeconds() const {
    return m_recorder->currentRun()
               ? std::chrono::duration<double>(engine::Clock::now() - m_runStart).count()
               : 0.0;
}

void Session::setServiceTarget(double ttftMs, double tpotMs) {
    m_sloTtftMs = ttftMs;
    m_sloTpotMs = tpotMs;
}

QString Session::recordingProblem() const {
    return QString::fromStdString(m_recorder->problem());
}

std::filesystem::path Session::runLog() const {
    return m_runLog;
}

std::optional<UnwrittenRun> Session::unwritten() const {
    return m_recorder->unwritten();
}

std::vector<std::int64_t> Session::interruptedRuns() const {
    return m_recorder->interruptedAtOpen();
}

} // namespace app
