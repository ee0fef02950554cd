// Who answers a request: the store, the light model, or the engine. See serving_backend.h.
#include "engine/serving/serving_backend.h"

#include <algorithm>

namespace engine {

namespace {

bool isOfNumbers(std::string_view key) {
    return key.ends_with("precision") || key.starts_with("attention.");
}

// All that an answer is computed with beside the model, as it was asked for.
std::string numbersOf(const std::optional<Attention>& own, const EngineConfig& wanted) {
    EngineConfig config = wanted;
    config.attention = own.value_or(wanted.attention);
    std::string text;
    for (const Field& field : fieldTable()) {
        const bool isUsed = config.attention == Attention::Sparse ||
                            !field.key.starts_with("attention.") || field.key == "attention.mode";
        if (isOfNumbers(field.key) && isUsed) {
            text += " " + valueText(field, config);
        }
    }
    return text;
}

// Not while others are on their way, or can't be had: answers are computed with the old ones then.
bool areNumbersInForce(const ConfigStatus& status) {
    return std::ranges::all_of(status.fields, [](const FieldStatus& field) {
        return !isOfNumbers(field.key) || field.state == FieldState::InForce;
    });
}

} // namespace

bool isRefusal(const RequestRecord& record) {
    const Outcome ended = outcome(record.reason);
    return ended == Outcome::Rejected ||
           (record.reason == FinishReason::Failed && !record.stamps.firstVisible);
}

std::shared_ptr<TokenStream> ServingBackend::submit(Request request) {
    const EngineConfig wanted = requested();
    const ServingConfig& settings = wanted.serving;
    const int level = this->level();
    if (level > 0) {
        request.tags |= static_cast<std::uint32_t>(SampleTag::Degraded);
    }
    const bool gives =
        settings.usesAnswersAlways || (settings.usesAnswersAtLevel2 && level >= kHighestLevel);
    // Under a level answers are given, but those of lighter weights are not kept for later.
    const bool keeps =
        level == 0 &&
        (settings.usesAnswersAlways ||
         (settings.usesAnswersAtLevel2 && settings.degradation != DegradationMode::Off));
    const std::string adapter = adapterDigest(request);
    std::string key = gives || keeps ? keyOf(request, adapter, wanted) : std::string();
    if (gives && !key.empty()) {
        if (const auto known = m_answers.find(key, m_now())) {
            return replay(*known, request);
        }
    }
    // The light model has no adapters.
    if (request.adapter.empty() && handsToLight(settings)) {
        if (auto light = m_light.ready(); light.backend != nullptr) {
            return submitToLight(std::move(light), std::move(request));
        }
    }
    const bool isKept = keeps && !key.empty() && areNumbersInForce(m_main->config());
    return submitToMain(std::move(request), isKept ? std::move(key) : std::string(), adapter);
}

// Empty where the request names none, or one that is not loaded and will be refused.
std::string ServingBackend::adapterDigest(const Request& request) const {
    Adapters* adapters = request.adapter.empty() ? nullptr : m_main->adapters();
    if (adapters == nullptr) {
        return {};
    }
    for (const AdapterInfo& info : adapters->adapterStatus().loaded) {
        if (info.name == request.adapter) {
            return info.digest;
        }
    }
    return {};
}

// Other numbers are another model, and so is an adapter: by its numbers, as names are given anew.
std::string ServingBackend::keyOf(const Request& request, const std::string& adapter,
                                  const EngineConfig& wanted) const {
    if (!request.adapter.empty() && adapter.empty()) {
        return {};
    }
    return answerKey(request, m_digest + adapter + numbersOf(request.attention, wanted),
                     wanted.serving.keepsSampledAnswers ? SampledAnswers::Keep
                                                        : SampledAnswers::Leave);
}

// Level 2 as it is, or, while the level below it is tried, all but the few it is judged by.
bool ServingBackend::handsToLight(const ServingConfig& settings) {
    if (!settings.usesLightModelAtLevel2) {
        return false;
    }
    if (level() >= kHighestLevel) {
        return true;
    }
    return m_isTryingMain.load(std::memory_order_relaxed) &&
           m_trialLeft.fetch_sub(1, std::memory_order_relaxed) <= 0;
}

std::shared_ptr<TokenStream> ServingBackend::submitToMain(Request request, std::string key,
                                                          const std::string& adapter) {
    const std::optional<Attention> attention = request.attention;
    Request named;
    named.adapter = request.adapter;
    auto stream = m_main->submit(std::move(request));
    if (key.empty() || adapterDigest(named) != adapter) { // another was loaded under its name
        return stream;
    }
    const std::string numbers = numbersOf(attention, requested());
    const auto relay = std::make_shared<RelayedStream>(
        stream->id(), [this, key = std::move(key), numbers, attention](RelayedStream& ended,
                                                                       const TokenStream& source) {
            const auto record = source.record();
            const bool isOfOne =
                record && (record->tags & static_cast<std::uint32_t>(SampleTag::Mixed)) == 0 &&
                numbersOf(attention, requested()) == numbers && areNumbersInForce(m_main->config());
            if (isOfOne && outcome(record->reason) == Outcome::Completed) {
                m_answers.keep(key,
                               std::make_shared<const StoredAnswer>(
                                   StoredAnswer{.pieces = ended.pieces(),
                                                .reason = record->reason,
                                                .promptTokens = record->promptTokens,
                                                .outputTokens = record->outputTokens}),
                               m_now());
            }
            return false;
        });
    relay->follow(stream);
    return relay->stream();
}

std::shared_ptr<TokenStream> ServingBackend::submitToLight(LightModel::Hold light,
                                                           Request request) {
    Request asked = request;
    asked.tags |= static_cast<std::uint32_t>(SampleTag::LightModel);
    m_lightAnswers.fetch_add(1, std::memory_order_relaxed);
    const auto source = light.backend->submit(std::move(asked));
    {
        const std::lock_guard lock(m_routesMutex);
        m_routes.emplace(source->id(), Route{});
    }
    const auto relay = std::make_shared<RelayedStream>(
        source->id(), [this, request = std::move(request), hold = std::move(light.hold)](
                          RelayedStream& ended, const TokenStream& from) mutable {
            hold.reset(); // first: the main model's answer may end before this returns
            return endLight(ended, from, request);
        });
    relay->follow(source);
    return relay->stream();
}

// True where the answer goes on elsewhere.
bool ServingBackend::endLight(RelayedStream& relay, const TokenStream& source, Request& request) {
    const auto record = source.record();
    const bool isFromLight = isLightId(source.id());
    if (isFromLight && !relay.hasShown() && record && isRefusal(*record)) {
        askMainInstead(relay, std::move(request));
        return true;
    }
    if (isFromLight && record && outcome(record->reason) == Outcome::Failed) {
        m_lightFailures.fetch_add(1, std::memory_order_relaxed);
    }
    const std::lock_guard lock(m_routesMutex);
    m_routes.erase(relay.stream()->id());
    return false;
}

// No request is lost because the light model is small, full, or has failed.
void ServingBackend::askMainInstead(RelayedStream& relay, Request request) {
    m_lightAnswers.fetch_sub(1, std::memory_order_relaxed);
    const auto instead = m_main->submit(std::move(request));
    bool isCancelled = false; // while it was on its way
    {
        const std::lock_guard lock(m_routesMutex);
        Route& route = m_routes[relay.stream()->id()];
        route.main = instead->id();
        isCancelled = route.isCancelled;
    }
    if (isCancelled) {
        m_main->cancel(instead->id());
    }
    relay.follow(instead);
}

void ServingBackend::cancel(RequestId id) {
    if (isStoredId(id)) {
        return; // it has ended
    }
    if (!isLightId(id)) {
        m_main->cancel(id);
        return;
    }
    std::optional<RequestId> main;
    {
        const std::lock_guard lock(m_routesMutex);
        const auto found = m_routes.find(id);
        if (found == m_routes.end()) {
            return; // it has ended
        }
        found->second.isCancelled = true;
        main = found->second.main;
    }
    if (main) {
        m_main->cancel(*main);
    } else {
        m_light.cancel(id);
    }
}

// At once and whole; nobody's sample of anything.
std::shared_ptr<TokenStream> ServingBackend::replay(const StoredAnswer& answer,
                                                    const Request& request) {
    auto record = std::make_shared<RequestRecord>();
    const TimePoint now = Clock::now();
    record->lane = request.lane;
    record->label = request.label;
    record->reason = answer.reason;
    record->tags = request.tags | static_cast<std::uint32_t>(SampleTag::Cached);
    record->promptTokens = answer.promptTokens;
    record->outputTokens = answer.outputTokens;
    record->maxTokens = request.maxTokens;
    record->deadline = request.deadline;
    if (request.scheduled) {
        record->stamps.scheduled = std::min(*request.scheduled, now);
    }
    record->stamps.received = now;
    record->stamps.firstVisible = record->stamps.lastToken = record->stamps.finished = now;
    Event event;
    event.time = now;
    event.source = EventSource::Serving;
    {
        const std::lock_guard lock(m_routesMutex);
        record->id = RequestId{m_nextStoredId++};
        event.body = RequestFinished{.record = record};
        m_ownEvents.push_back(std::move(event));
    }
    m_storedAnswers.fetch_add(1, std::memory_order_relaxed);
    auto stream = std::make_shared<TokenStream>(record->id);
    for (const TokenStream::Chunk& piece : answer.pieces) {
        pushPiece(*stream, piece);
    }
    stream->finish(answer.reason, {}, record);
    return stream;
}

} // namespace engine
