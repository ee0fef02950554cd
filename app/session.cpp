#include "app/session.h"

#include "app/answers_on_disk.h"
#include "app/session_loading.h"

#include <QTimer>

#include <fmt/format.h>

#include <algorithm>

namespace app {

namespace {

constexpr std::chrono::milliseconds kPumpEvery{100};

std::unexpected<engine::Error> refused(engine::ErrorCode code, std::string message) {
    return std::unexpected(engine::Error{code, std::move(message)});
}

std::unexpected<engine::Error> noModel() {
    return refused(engine::ErrorCode::NotFound, "No model is loaded; open one first.");
}

} // namespace

Session::Session(std::filesystem::path runLog, QObject* parent)
    : Session(std::move(runLog), composeBackend, parent) {}

Session::Session(std::filesystem::path runLog, BackendMaker maker, QObject* parent)
    : Session(std::make_unique<Recorder>(std::move(runLog)), std::move(maker), parent) {}

Session::Session(std::unique_ptr<RunStore> runLog, QObject* parent)
    : Session(std::make_unique<Recorder>(std::move(runLog)), composeBackend, parent) {}

Session::Session(std::unique_ptr<Recorder> recorder, BackendMaker maker, QObject* parent)
    : QObject(parent),
      m_runLog(recorder->file()),
      m_maker(std::move(maker)),
      m_recorder(std::move(recorder)),
      m_answersOnDisk(
          std::make_unique<AnswersOnDisk>(*this, m_runLog.parent_path() / "answers.json")),
      m_timer(new QTimer(this)) {
    m_history.reset(engine::Clock::now());
    connect(m_timer, &QTimer::timeout, this, &Session::pump);
    m_timer->start(kPumpEvery);
}

// From the outside in: what sends, what loads, the recording, the engine, the recorder last.
Session::~Session() {
    finishRuns();
    m_recorder->attach(nullptr);
    m_answersOnDisk->write();
    m_answersOnDisk.reset();
    m_backend.reset();
}

void Session::finishRuns() {
    m_generator.reset();
    m_loadings.clear();
    if (m_recorder->currentRun()) {
        if (m_isLoadRunning) {
            settle(); // what the generator cancelled is told as such
        }
        m_recorder->endRun(m_isLoadRunning ? RunState::Interrupted : RunState::Finished);
    }
    m_isLoadRunning = false;
}

// Until nobody is served any more, or a moment is over.
void Session::settle() {
    constexpr std::chrono::milliseconds kPatience{500};
    constexpr std::chrono::milliseconds kPause{10};
    const auto limit = engine::Clock::now() + kPatience;
    const auto isBusy = [this] {
        const engine::Snapshot figures = m_recorder->snapshot();
        return figures.running + figures.waiting > 0;
    };
    while (isBusy() && engine::Clock::now() < limit) {
        std::this_thread::sleep_for(kPause);
    }
}

void Session::openModel(const std::filesystem::path& file, const engine::EngineConfig& config) {
    cancelLoading();
    m_loadings.push_back(std::make_unique<Loading>(*this, file, config));
}

void Session::cancelLoading() {
    if (!m_loadings.empty()) {
        m_loadings.back()->cancel();
    }
}

bool Session::isLoading() const {
    return !m_loadings.empty();
}

bool Session::hasModel() const {
    return m_backend != nullptr;
}

engine::Backend* Session::backend() const {
    return m_backend.get();
}

engine::Capabilities Session::capabilities() const {
    return m_capabilities;
}

std::filesystem::path Session::modelFile() const {
    return m_modelFile;
}

void Session::finishLoading(const Loading* loading) {
    const auto found = std::find_if(m_loadings.begin(), m_loadings.end(),
                                    [&](const auto& owned) { return owned.get() == loading; });
    if (found == m_loadings.end()) {
        return;
    }
    const bool isCurrent = *found == m_loadings.back();
    const std::unique_ptr<Loading> ended = std::move(*found);
    m_loadings.erase(found);
    if (!isCurrent) {
        return; // replaced by a later one, whose end is what counts
    }
    auto result = ended->take();
    if (result) {
        takeBackend(std::move(*result), ended->file());
    } else if (result.error().code == engine::ErrorCode::Cancelled) {
        Q_EMIT modelChanged();
    } else {
        post(engine::EventSource::App, {"load_failed", {{"message", result.error().message}}});
        Q_EMIT loadFailed(QString::fromStdString(result.error().message));
    }
}

void Session::takeBackend(std::unique_ptr<engine::Backend> backend, std::filesystem::path file) {
    if (m_isLoadRunning) {
        m_lastProgress = m_generator->progress();
        m_generator.reset(); // cancels what runs; the engine lets go within a step
        closeLoad(RunState::Interrupted);
    }
    m_generator.reset();            // it refers to the backend that goes
    Q_EMIT backendLeaving();        // as may others
    if (m_recorder->currentRun()) { // another model's figures are another run
        endRun(m_isExperimentRunning ? RunState::Interrupted : RunState::Finished);
    }
    m_recorder->attach(nullptr);
    // Joining an engine can take as long as its step; nobody waits for that here.
    m_retiring = std::jthread([old = std::move(m_backend)]() mutable { old.reset(); });
    m_backend = std::move(backend);
    setLightModel(m_lightModel);
    m_capabilities = m_backend->capabilities();
    m_modelFile = std::move(file);
    const engine::ConfigStatus config = m_backend->config();
    m_configVersion = config.version;
    m_history.reset(engine::Clock::now());
    m_history.resetQuality(config.effective.attention);
    m_alarms.reset();
    m_recorder->attach(m_backend.get());
    m_snapshot = m_recorder->snapshot();
    post(engine::EventSource::App, {"model_loaded", {{"model", m_capabilities.modelName}}});
    Q_EMIT modelChanged();
    Q_EMIT configChanged();
}

std::shared_ptr<engine::TokenStream> Session::submit(engine::Request request) {
    return m_backend ? m_backend->submit(std::move(request)) : nullptr;
}

void Session::cancel(engine::RequestId id) {
    if (m_backend) {
        m_backend->cancel(id);
    }
}

void Session::resetPrefixCache() {
    if (m_backend) {
        m_backend->resetPrefixCache();
    }
}

engine::Result<void> Session::edit(const std::function<void(engine::EngineConfig&)>& change) {
    return m_backend ? m_backend->edit(change) : noModel();
}

engine::Result<void> Session::setField(std::string_view key, std::string_view valueText) {
    const engine::Field* field = engine::findField(key);
    if (field == nullptr) {
        return refused(
            engine::ErrorCode::NotFound,
            fmt::format("There is no setting \"{}\"; `headway fields` lists them.", key));
    }
    if (!m_backend) {
        return noModel();
    }
    engine::EngineConfig parsed = m_backend->config().requested;
    engine::Result<void> result = engine::setFromText(*field, parsed, valueText);
    if (result) {
        const std::int64_t value = field->get(parsed);
        result = m_backend->edit(
            [field, value](engine::EngineConfig& config) { field->set(config, value); });
    }
    if (!result) {
        post(engine::EventSource::Operator, {"edit_refused",
                                             {{"field", std::string(field->key)},
                                              {"value", std::string(valueText)},
                                              {"reason", result.error().message}}});
    }
    return result;
}

engine::ConfigStatus Session::config() const {
    return m_backend ? m_backend->config() : engine::ConfigStatus{};
}

std::optional<engine::ServingStatus> Session::servingStatus() const {
    engine::Serving* serving = m_backend ? m_backend->serving() : nullptr;
    return serving != nullptr ? std::optional(serving->servingStatus()) : std::nullopt;
}

void Session::setLightModel(std::filesystem::path file) {
    m_lightModel = std::move(file);
    if (engine::Serving* serving = m_backend ? m_backend->serving() : nullptr) {
        serving->setLightModel(m_lightModel);
    }
}

void Session::forgetAnswers() {
    m_answersOnDisk->forget();
}

void Session::post(engine::EventSource source, engine::Notice notice) {
    if (m_backend) {
        m_backend->post(source, std::move(notice));
    }
}

// An engine that has failed stays so. A server elsewhere is looked for at growing distances, and
// may be back after the next.
void Session::endLostLoad() {
    constexpr std::chrono::seconds kServerMayComeBack{45};
    if (m_snapshot.state != engine::EngineState::Failed) {
        m_failedSince.reset();
        return;
    }
    const engine::TimePoint now = engine::Clock::now();
    m_failedSince = m_failedSince.value_or(now);
    const bool mayComeBack =
        m_backend->capabilities().device == "attached" && now - *m_failedSince < kServerMayComeBack;
    if (m_isLoadRunning && !mayComeBack) {
        m_generator->stop(); // every further request would only fail
    }
}

void Session::pump() {
    for (const engine::Event& event : m_recorder->takeEvents()) {
        m_history.addEvent(event);
        Q_EMIT eventHappened(event);
    }
    if (m_backend) {
        m_snapshot = m_recorder->snapshot();
        m_history.addSnapshot(m_snapshot);
        watchAlarms();
        const std::uint64_t version = m_backend->config().version;
        if (version != m_configVersion) {
            m_configVersion = version;
            Q_EMIT configChanged();
        }
        endLostLoad();
    }
    if (std::string problem = m_recorder->problem(); problem != m_problem) {
        m_problem = std::move(problem);
        Q_EMIT recordingProblemChanged();
    }
    Q_EMIT ticked(m_snapshot);
}

} // namespace app
