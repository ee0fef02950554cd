// What takes events does: it watches first tokens, judges the level once a second, and prepares
// what a level needs. See serving_backend.h; the thread that takes events only.
#include "engine/serving/overlay.h"
#include "engine/serving/serving_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace engine {

namespace {

constexpr std::chrono::seconds kEvaluateEvery{1};

std::string figure(const std::optional<double>& value) {
    return value ? fmt::format("{:.0f}", *value) : std::string();
}

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

// At least as long as this somebody waited for a text that did not come. Who gave up early says
// nothing: a little more patience, and it might have come.
std::optional<Nanoseconds> waitedInVain(const RequestRecord& record, Nanoseconds patience) {
    if (record.stamps.firstVisible || !record.stamps.received || !record.stamps.finished) {
        return std::nullopt;
    }
    const Nanoseconds waited = *record.stamps.finished - *record.stamps.received;
    const bool counts = record.reason == FinishReason::Deadline ||
                        (record.reason == FinishReason::Cancelled && waited > patience);
    return counts ? std::optional(waited) : std::nullopt;
}

// How long a request waited for its first token, as far as it says something about the load: of
// requests that nobody waits for, or that were answered by something else, nothing.
std::optional<Nanoseconds> watchedTtft(const RequestRecord& record, Nanoseconds patience) {
    constexpr auto kLeftOut = kNotComputed | static_cast<std::uint32_t>(SampleTag::WarmUp) |
                              static_cast<std::uint32_t>(SampleTag::Cold);
    if (record.lane != Lane::Realtime || (record.tags & kLeftOut) != 0) {
        return std::nullopt;
    }
    const auto waited = waitedInVain(record, patience);
    return waited ? waited : record.ttftFromReceived();
}

} // namespace

// Whether nothing that a level changes is still on its way.
bool ServingBackend::isInForce() const {
    constexpr std::array<std::string_view, 2> kChanged = {"batching.policy", "weights.precision"};
    const ConfigStatus status = m_main->config();
    return std::ranges::none_of(status.fields, [&kChanged](const FieldStatus& field) {
        return std::ranges::find(kChanged, field.key) != kChanged.end() &&
               (field.state == FieldState::Pending || field.state == FieldState::Preparing);
    });
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
    const auto patience = std::chrono::milliseconds(requested().serving.level1Ms);
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
        if (const auto ttft = watchedTtft(*record, patience); ttft && record->stamps.received) {
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

} // namespace engine
