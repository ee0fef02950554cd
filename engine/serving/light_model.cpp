#include "engine/serving/light_model.h"

#include <algorithm>
#include <utility>

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
    if (m_present.backend) {
        m_leaving.push_back(std::exchange(m_present, {}));
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
        m_present = {.backend = std::move(*made), .holds = std::make_shared<const char>()};
        m_status = {.state = LightModelStatus::State::Ready,
                    .model = m_present.backend->capabilities().modelName};
    } else {
        m_status.state = LightModelStatus::State::Failed;
        m_status.reason = made.error().message;
    }
}

LightModel::Hold LightModel::ready() const {
    const std::lock_guard lock(m_mutex);
    return {.backend = m_present.backend.get(), .hold = m_present.holds};
}

std::vector<std::shared_ptr<Backend>> LightModel::all() const {
    const std::lock_guard lock(m_mutex);
    std::vector<std::shared_ptr<Backend>> backends;
    for (const Held& leaving : m_leaving) {
        backends.push_back(leaving.backend);
    }
    if (m_present.backend) {
        backends.push_back(m_present.backend);
    }
    return backends;
}

LightModelStatus LightModel::status() const {
    const std::lock_guard lock(m_mutex);
    return m_status;
}

// Leaving ones that nobody waits for. Holds tell that, figures may be older than a request; but an
// answer ends before it is in the figures, so those are read a round later.
std::vector<LightModel::Held> LightModel::takeIdle() {
    std::vector<Held> idle;
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_leaving, [&](Held& leaving) {
        const Snapshot figures = leaving.backend->snapshot();
        const bool isIdle =
            leaving.holds.use_count() == 1 && figures.running + figures.waiting == 0;
        if (isIdle && leaving.wasIdle) {
            addCounters(m_past, figures);
            idle.push_back(std::move(leaving));
            return true;
        }
        leaving.wasIdle = isIdle;
        return false;
    });
    return idle;
}

// Its first tokens are no latency samples: only ends are told.
std::vector<Event> LightModel::takeEvents() {
    const std::vector<Held> gone = takeIdle(); // before their last events are taken
    std::vector<Event> kept;
    const auto takeOf = [&kept](Backend& backend) {
        for (Event& event : backend.takeEvents()) {
            if (std::holds_alternative<RequestFinished>(event.body) ||
                std::holds_alternative<Failed>(event.body)) {
                kept.push_back(std::move(event));
            }
        }
    };
    for (const Held& leaving : gone) {
        takeOf(*leaving.backend);
    }
    for (const auto& backend : all()) {
        takeOf(*backend);
    }
    return kept;
}

void LightModel::cancel(RequestId id) {
    for (const auto& backend : all()) {
        backend->cancel(id); // it ignores what is not its own
    }
}

Snapshot LightModel::snapshot() {
    const std::lock_guard lock(m_mutex);
    Snapshot figures = m_present.backend ? m_present.backend->snapshot() : Snapshot{};
    m_status.running = figures.running;
    addCounters(figures, m_past);
    for (const Held& held : m_leaving) {
        const Snapshot leaving = held.backend->snapshot();
        addCounters(figures, leaving);
        figures.running += leaving.running;
        figures.waiting += leaving.waiting;
    }
    return figures;
}

} // namespace engine
