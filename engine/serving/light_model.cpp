#include "engine/serving/light_model.h"

#include <algorithm>

namespace engine {

namespace {

constexpr std::int64_t kBlockShare = 10;

void addCounters(Snapshot& sum, const Snapshot& figures) {
    for (const auto counter : {&Snapshot::promptTokens, &Snapshot::outputTokens,
                               &Snapshot::completed, &Snapshot::cancelled, &Snapshot::failed}) {
        sum.*counter += figures.*counter;
    }
    sum.poolBusyNs += figures.poolBusyNs;
}

bool hasWork(Backend& backend) {
    const Snapshot figures = backend.snapshot();
    return figures.running + figures.waiting > 0;
}

} // namespace

EngineConfig lightConfig(const EngineConfig& main, std::int64_t mainBlocks) {
    EngineConfig config;
    config.maxBatch = main.maxBatch;
    config.tokenBudget = main.tokenBudget;
    config.prefillChunk = main.prefillChunk;
    config.maxWaiting = main.maxWaiting;
    config.blockTokens = main.blockTokens;
    config.kvBlocks = std::max(main.maxBatch, mainBlocks / kBlockShare);
    config.threads = main.threads;
    config.loadMode = main.loadMode;
    config.weightsLayout = main.weightsLayout;
    return config;
}

LightModel::~LightModel() {
    m_thread = {}; // ends loading
}

void LightModel::want(const std::filesystem::path& file, const EngineConfig& config) {
    std::jthread ended; // joined without the lock that it takes
    const std::lock_guard lock(m_mutex);
    if (file == m_wanted) {
        return;
    }
    m_wanted = file;
    m_status = {};
    if (m_backend) {
        m_leaving = std::move(m_backend);
    }
    m_thread.request_stop();
    if (file.empty() || !m_maker) {
        return;
    }
    m_status = {.state = LightModelStatus::State::Loading, .model = file.stem().string()};
    ended = std::move(m_thread);
    m_thread = std::jthread(
        [this, file, config](const std::stop_token& stop) { load(file, config, stop); });
}

void LightModel::load(const std::filesystem::path& file, const EngineConfig& config,
                      const std::stop_token& stop) {
    auto made = m_maker(file, config, stop);
    const std::lock_guard lock(m_mutex);
    if (stop.stop_requested() || m_wanted != file) {
        return;
    }
    if (made) {
        m_backend = std::move(*made);
        m_status = {.state = LightModelStatus::State::Ready,
                    .model = m_backend->capabilities().modelName};
    } else {
        m_status.state = LightModelStatus::State::Failed;
        m_status.reason = made.error().message;
    }
}

std::shared_ptr<Backend> LightModel::ready() const {
    const std::lock_guard lock(m_mutex);
    return m_backend;
}

LightModelStatus LightModel::status() const {
    const std::lock_guard lock(m_mutex);
    return m_status;
}

std::vector<Event> LightModel::takeEvents() {
    std::shared_ptr<Backend> leaving, present;
    {
        const std::lock_guard lock(m_mutex);
        leaving = m_leaving;
        present = m_backend;
    }
    std::vector<Event> kept;
    for (const auto& backend : {leaving, present}) {
        if (!backend) {
            continue;
        }
        const bool isDone = backend == leaving && !hasWork(*backend); // before the last events
        for (Event& event : backend->takeEvents()) {
            if (std::holds_alternative<RequestFinished>(event.body) ||
                std::holds_alternative<Failed>(event.body)) {
                kept.push_back(std::move(event));
            }
        }
        if (isDone) {
            const std::lock_guard lock(m_mutex);
            addCounters(m_past, backend->snapshot());
            m_leaving.reset();
        }
    }
    return kept;
}

void LightModel::cancel(RequestId id) {
    std::shared_ptr<Backend> leaving, present;
    {
        const std::lock_guard lock(m_mutex);
        leaving = m_leaving;
        present = m_backend;
    }
    for (const auto& backend : {leaving, present}) {
        if (backend) {
            backend->cancel(id); // it ignores what is not its own
        }
    }
}

Snapshot LightModel::snapshot() {
    const std::lock_guard lock(m_mutex);
    Snapshot figures = m_backend ? m_backend->snapshot() : Snapshot{};
    m_status.running = figures.running;
    addCounters(figures, m_past);
    if (m_leaving) {
        const Snapshot leaving = m_leaving->snapshot();
        addCounters(figures, leaving);
        figures.running += leaving.running;
        figures.waiting += leaving.waiting;
    }
    return figures;
}

} // namespace engine
