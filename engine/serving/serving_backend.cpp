#include "engine/serving/serving_backend.h"

#include "engine/serving/overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <ranges>

namespace engine {

namespace {

constexpr std::chrono::seconds kEvaluateEvery{1};

std::string figure(const std::optional<double>& value) {
    return value ? fmt::format("{:.0f}", *value) : std::string();
}

// How long a request waited for its first token, as far as it says something about the load: of
// requests that nobody waits for, or that were answered by something else, nothing.
bool isOfLight(const RequestRecord& record) {
    return (record.tags & static_cast<std::uint32_t>(SampleTag::LightModel)) != 0;
}

// A request says how long it waited once: with its first token, or at its end without one.
const RequestRecord* watchedRecord(const Event& event) {
    if (const auto* first = std::get_if<FirstToken>(&event.body)) {
        return first->record.get();
    }
    const auto* finished = std::get_if<RequestFinished>(&event.body);
    const bool hasOnlyEnd =
        finished != nullptr && finished->record && !finished->record->stamps.firstVisible;
    return hasOnlyEnd ? finished->record.get() : nullptr;
}

std::optional<Nanoseconds> watchedTtft(const RequestRecord& record) {
    constexpr auto kLeftOut = kNotComputed | static_cast<std::uint32_t>(SampleTag::WarmUp) |
                              static_cast<std::uint32_t>(SampleTag::Cold);
    if (record.lane != Lane::Realtime || (record.tags & kLeftOut) != 0) {
        return std::nullopt;
    }
    if (record.reason == FinishReason::Deadline && !record.stamps.firstVisible &&
        record.stamps.received && record.stamps.finished) {
        return *record.stamps.finished - *record.stamps.received; // at least
    }
    return record.ttftFromReceived();
}

} // namespace

ServingBackend::ServingBackend(ServingParts parts)
    : m_now(std::move(parts.now)),
      m_requested(parts.main->config().requested),
      m_random(std::random_device{}()),
      m_main(std::move(parts.main)),
      m_ahead(parts.ahead),
      m_keepsSettings(parts.keepsSettings),
      m_fileFormat(m_main->capabilities().fileFormat),
      m_modelPath(m_main->capabilities().modelPath),
      m_digest(m_main->capabilities().modelDigest),
      m_light(std::move(parts.makeLight)) {}

ServingBackend::~ServingBackend() = default;

std::shared_ptr<TokenStream> ServingBackend::open(Request request) {
    if (level() > 0) {
        request.tags |= static_cast<std::uint32_t>(SampleTag::Degraded);
    }
    return m_main->open(std::move(request));
}

void ServingBackend::append(RequestId id, std::string text) {
    m_main->append(id, std::move(text));
}

void ServingBackend::truncate(RequestId id, std::size_t bytes) {
    m_main->truncate(id, bytes);
}

void ServingBackend::complete(RequestId id, Completion completion) {
    m_main->complete(id, std::move(completion));
}

EngineConfig ServingBackend::requested() const {
    const std::lock_guard lock(m_configMutex);
    return m_requested;
}

EngineConfig ServingBackend::under(int level, const EngineConfig& requested) const {
    return m_keepsSettings ? requested
                           : underLevel(level, requested, weightBitsOf(requested, m_fileFormat));
}

Result<void> ServingBackend::apply(const EngineConfig& requested) {
    const EngineConfig wanted = under(level(), requested);
    return m_main->edit([&wanted](EngineConfig& config) { config = wanted; });
}

// Whether nothing that a level changes is still on its way.
bool ServingBackend::isInForce() const {
    constexpr std::array<std::string_view, 2> kChanged = {"batching.policy", "weights.precision"};
    const ConfigStatus status = m_main->config();
    return std::ranges::none_of(status.fields, [&kChanged](const FieldStatus& field) {
        return std::ranges::find(kChanged, field.key) != kChanged.end() &&
               (field.state == FieldState::Pending || field.state == FieldState::Preparing);
    });
}

Result<void> ServingBackend::edit(const std::function<void(EngineConfig&)>& change) {
    // As in ConfigBox: `change` may look at this backend, and is made again where another edit came
    // in between.
    for (;;) {
        std::uint64_t seen = 0;
        EngineConfig edited;
        {
            const std::lock_guard lock(m_configMutex);
            seen = m_version;
            edited = m_requested;
        }
        change(edited);
        if (auto valid = validate(edited); !valid) {
            return valid;
        }
        const std::lock_guard lock(m_configMutex);
        if (m_version != seen) {
            continue;
        }
        if (auto applied = apply(edited); !applied) {
            return applied;
        }
        if (edited != m_requested) {
            m_isEvaluationDue.store(edited.serving != m_requested.serving,
                                    std::memory_order_relaxed);
            m_requested = edited;
            ++m_version;
        }
        return {};
    }
}

ConfigStatus ServingBackend::config() const {
    const std::lock_guard lock(m_configMutex);
    ConfigStatus status = m_main->config();
    status.version += m_version;
    return heldStatus(m_keepsSettings ? 0 : level(), m_requested, std::move(status),
                      weightBitsOf(m_requested, m_fileFormat));
}

Capabilities ServingBackend::capabilities() const {
    return m_main->capabilities();
}

Snapshot ServingBackend::snapshot() {
    Snapshot snapshot = m_main->snapshot();
    const Snapshot light = m_light.snapshot();
    snapshot.level = level();
    snapshot.running += light.running;
    snapshot.waiting += light.waiting;
    snapshot.promptTokens += light.promptTokens;
    snapshot.outputTokens += light.outputTokens;
    snapshot.cancelled += light.cancelled;
    snapshot.poolBusyNs += light.poolBusyNs;
    snapshot.weightsBytes += light.weightsBytes;
    snapshot.kvBytes += light.kvBytes;
    snapshot.kvBlocksPacked += light.kvBlocksPacked;
    snapshot.kvPackedBytes += light.kvPackedBytes;
    snapshot.kvUnpackedBytes += light.kvUnpackedBytes;
    snapshot.kvRestores += light.kvRestores;
    snapshot.cachedAnswers = m_storedAnswers.load(std::memory_order_relaxed);
    snapshot.lightAnswers = m_lightAnswers.load(std::memory_order_relaxed);
    snapshot.completed += light.completed + snapshot.cachedAnswers;
    snapshot.received += light.completed + light.cancelled +
                         static_cast<std::uint64_t>(light.running + light.waiting) +
                         snapshot.cachedAnswers;
    return snapshot;
}

// What the light model did not take is asked of the main one, and told once, by it.
std::vector<Event> ServingBackend::takeEvents() {
    std::vector<Event> events = m_main->takeEvents();
    std::vector<Event> others = m_light.takeEvents();
    std::erase_if(others, [](const Event& event) {
        const auto* finished = std::get_if<RequestFinished>(&event.body);
        return finished != nullptr && finished->record && isRefusal(*finished->record);
    });
    {
        const std::lock_guard lock(m_routesMutex);
        std::ranges::move(m_ownEvents, std::back_inserter(others));
        m_ownEvents.clear();
    }
    if (!others.empty()) {
        std::ranges::move(others, std::back_inserter(events));
        std::ranges::stable_sort(events, {}, &Event::time);
    }
    for (Event& event : events) {
        event.sequence = m_nextEvent++;
    }
    watch(events);
    const TimePoint now = m_now();
    const bool isDue = m_isEvaluationDue.exchange(false, std::memory_order_relaxed);
    if (isDue || !m_evaluated || now - *m_evaluated >= kEvaluateEvery) {
        m_evaluated = now;
        evaluate(now);
    }
    return events;
}

// What the light model answers is no sample of the engine's health, but it is what a change to or
// from level 2 did for who asks.
void ServingBackend::watch(const std::vector<Event>& events) {
    for (const Event& event : events) {
        if (const auto* finished = std::get_if<RequestFinished>(&event.body);
            finished != nullptr && finished->record && isOfLight(*finished->record)) {
            const RequestRecord& light = *finished->record;
            if (const auto ttft = light.ttftFromReceived(); ttft && light.lane == Lane::Realtime) {
                m_effects.add(event.time, *light.stamps.received, *ttft);
            }
            continue;
        }
        const RequestRecord* record = watchedRecord(event);
        if (record == nullptr) {
            continue;
        }
        if (const auto ttft = watchedTtft(*record); ttft && record->stamps.received) {
            m_breaker.add(event.time, *record->stamps.received, *ttft);
            m_effects.add(event.time, *record->stamps.received, *ttft);
        }
    }
}

void ServingBackend::evaluate(TimePoint now) {
    const EngineConfig wanted = requested();
    const ServingConfig& settings = wanted.serving;
    limitAnswers(settings);
    prepareLight(wanted);
    tellLight();
    prepareWeights(wanted);
    const bool isInForce = this->isInForce();
    if (!isInForce) {
        m_effects.postpone(now);
    }
    const auto change =
        m_breaker.evaluate(settings, now,
                           {.noise = std::uniform_real_distribution<double>(0.0, 1.0)(m_random),
                            .isInForce = isInForce,
                            .waiting = m_main->snapshot().waiting});
    if (change && change->before != change->after) {
        const auto window = std::chrono::milliseconds(settings.windowMs);
        m_effects.begin(change->before, change->after, window, now);
        {
            const std::lock_guard lock(m_configMutex);
            m_level.store(change->after, std::memory_order_relaxed);
            ++m_version;
            if (const auto applied = apply(m_requested); !applied) {
                post(EventSource::Serving, {.kind = "degradation_refused",
                                            .values = {{"level", std::to_string(change->after)},
                                                       {"reason", applied.error().message}}});
            }
        }
    }
    if (change) {
        const bool isTryingMain = change->cause == BreakerCause::TrialBegan && change->after == 1;
        m_trialLeft.store(isTryingMain ? settings.trialRequests : 0, std::memory_order_relaxed);
        m_isTryingMain.store(isTryingMain, std::memory_order_relaxed);
        announce(*change);
    }
    const auto effect = m_effects.evaluate(now);
    if (effect) {
        announce(*effect);
    }
    const std::lock_guard lock(m_statusMutex);
    m_status.mode = settings.degradation;
    m_status.level = m_breaker.level();
    m_status.isTrying = m_breaker.isTrying();
    m_status.p90Ms = m_breaker.figures().p90Ms;
    m_status.lowMs = m_breaker.figures().lowMs;
    m_status.n = m_breaker.figures().n;
    m_status.untilTrial = m_breaker.untilTrial(now);
    m_status.recovery = m_breaker.recovery();
    if (effect) {
        m_status.effect = effect;
    } else if (change && change->before != change->after) {
        m_status.effect.reset();
    }
}

void ServingBackend::announce(const BreakerChange& change) {
    Notice notice{.kind = "degradation_changed",
                  .values = {{"before", std::to_string(change.before)},
                             {"after", std::to_string(change.after)},
                             {"cause", std::string(name(change.cause))},
                             {"n", std::to_string(change.figures.n)}}};
    const auto add = [&notice](const char* key, std::string value) {
        if (!value.empty()) {
            notice.values.emplace_back(key, std::move(value));
        }
    };
    add("p90_ms", figure(change.figures.p90Ms));
    add("low_ms", figure(change.figures.lowMs));
    if (change.limitMs > 0.0) {
        add("limit_ms", figure(change.limitMs));
    }
    add("recovery_s",
        fmt::format("{:.0f}", std::chrono::duration<double>(change.recovery).count()));
    post(EventSource::Serving, std::move(notice));
}

void ServingBackend::announce(const LevelEffect& effect) {
    Notice notice{.kind = "degradation_effect",
                  .values = {{"before", std::to_string(effect.before)},
                             {"after", std::to_string(effect.after)},
                             {"verdict", std::string(name(effect.verdict))},
                             {"before_ms", figure(effect.beforeMs)},
                             {"after_ms", figure(effect.afterMs)},
                             {"n_before", std::to_string(effect.beforeN)},
                             {"n_after", std::to_string(effect.afterN)}}};
    post(EventSource::Serving, std::move(notice));
}

void ServingBackend::resetPrefixCache() {
    m_main->resetPrefixCache();
}

void ServingBackend::post(EventSource source, Notice notice) {
    m_main->post(source, std::move(notice));
}

Result<std::vector<TokenId>> ServingBackend::tokenize(std::string_view text) const {
    return m_main->tokenize(text);
}

Result<std::string> ServingBackend::detokenize(std::span<const TokenId> ids) const {
    return m_main->detokenize(ids);
}

Result<std::string> ServingBackend::tokenBytes(TokenId id) const {
    return m_main->tokenBytes(id);
}

ServingStatus ServingBackend::servingStatus() const {
    const ConfigStatus status = m_main->config();
    ServingStatus result;
    {
        const std::lock_guard lock(m_statusMutex);
        result = m_status;
    }
    result.level = level();
    result.light = m_light.status();
    result.answers = m_answers.status();
    result.actions = levelActions(result.level, requested(), status, m_fileFormat, result.light,
                                  m_ahead != nullptr ? m_ahead->weightsAhead() : WeightsAhead{});
    if (m_keepsSettings) {
        for (LevelAction& action : result.actions) {
            if (!action.target.empty()) {
                action.state = ActionState::Unavailable;
                action.reason = "An attached server keeps its own settings.";
            }
        }
    }
    return result;
}

void ServingBackend::setLightModel(std::filesystem::path file) {
    {
        const std::lock_guard lock(m_statusMutex);
        m_lightFile = std::move(file);
    }
    m_isEvaluationDue.store(true, std::memory_order_relaxed);
}

void ServingBackend::forgetAnswers() {
    m_answers.clear();
}

void ServingBackend::limitAnswers(const ServingConfig& settings) {
    m_answers.limit(static_cast<std::uint64_t>(settings.answersMib) << 20U,
                    std::chrono::milliseconds(settings.answersTtlMs));
}

std::vector<KeptAnswer> ServingBackend::keptAnswers() const {
    return m_answers.all(m_now());
}

// From the one used longest ago on, so that the order stays. What is here already is newer.
void ServingBackend::addAnswers(std::vector<KeptAnswer> answers) {
    limitAnswers(requested().serving);
    const TimePoint now = m_now();
    for (KeptAnswer& kept : std::views::reverse(answers)) {
        if (!m_answers.holds(kept.key)) {
            m_answers.keep(std::move(kept.key), std::move(kept.answer), now - kept.age);
        }
    }
}

// Ready before it is needed: level 2 is no time to load a model.
void ServingBackend::prepareLight(const EngineConfig& wanted) {
    const ServingConfig& settings = wanted.serving;
    std::filesystem::path file;
    if (settings.degradation != DegradationMode::Off && settings.usesLightModelAtLevel2) {
        if (settings.lightModel == LightModelChoice::Same) {
            file = m_modelPath;
        } else if (settings.lightModel == LightModelChoice::Chosen) {
            const std::lock_guard lock(m_statusMutex);
            file = m_lightFile;
        }
    }
    m_light.want(file, lightConfig(wanted, m_main->snapshot().kvBlocksTotal));
}

// Once for each outcome of loading one.
void ServingBackend::tellLight() {
    const LightModelStatus light = m_light.status();
    if (std::exchange(m_toldLight, light.state) == light.state) {
        return;
    }
    if (light.state == LightModelStatus::State::Ready) {
        post(EventSource::Serving,
             {.kind = "light_model_ready", .values = {{"model", light.model}}});
    } else if (light.state == LightModelStatus::State::Failed) {
        post(EventSource::Serving, {.kind = "light_model_failed",
                                    .values = {{"model", light.model}, {"reason", light.reason}}});
    }
}

// Those of level 1, while it is not in force: an overload is no time to convert them.
void ServingBackend::prepareWeights(const EngineConfig& wanted) {
    if (m_ahead == nullptr) {
        return;
    }
    const EngineConfig light = under(1, wanted);
    const bool isArmed = wanted.serving.degradation == DegradationMode::Auto && level() == 0;
    m_ahead->prepareWeights(isArmed && light.precision != wanted.precision
                                ? std::optional(light.precision)
                                : std::nullopt);
}

std::unique_ptr<Backend> withServing(ServingParts parts) {
    return std::make_unique<ServingBackend>(std::move(parts));
}

} // namespace engine
