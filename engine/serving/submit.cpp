// Who answers a request: the store, the light model, or the engine. See serving_backend.h.
#include "engine/serving/serving_backend.h"

namespace engine {

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
    // Under a level answers are given, but those of lighter weights are not kept for later, nor
    // those of weights that are still being changed.
    const bool keeps =
        level == 0 && m_isSettled.load(std::memory_order_relaxed) &&
        (settings.usesAnswersAlways ||
         (settings.usesAnswersAtLevel2 && settings.degradation != DegradationMode::Off));
    std::string key = gives || keeps ? keyOf(request, wanted) : std::string();
    if (gives && !key.empty()) {
        if (const auto known = m_answers.find(key, m_now())) {
            return replay(*known, request);
        }
    }
    if (handsToLight(settings)) {
        if (auto light = m_light.ready(); light.backend != nullptr) {
            return submitToLight(std::move(light), std::move(request));
        }
    }
    return submitToMain(std::move(request), keeps ? std::move(key) : std::string());
}

// Other weights are another model.
std::string ServingBackend::keyOf(const Request& request, const EngineConfig& wanted) const {
    const Field* precision = findField("--precision");
    const std::string model =
        m_digest + (precision != nullptr ? " " + valueText(*precision, wanted) : std::string());
    return answerKey(request, model,
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

std::shared_ptr<TokenStream> ServingBackend::submitToMain(Request request, std::string key) {
    auto stream = m_main->submit(std::move(request));
    if (key.empty()) {
        return stream;
    }
    const auto relay = std::make_shared<RelayedStream>(
        stream->id(),
        [this, key = std::move(key)](RelayedStream& ended, const TokenStream& source) {
            const auto record = source.record();
            constexpr auto kOfBoth = static_cast<std::uint32_t>(SampleTag::Mixed) |
                                     static_cast<std::uint32_t>(SampleTag::ConfigChanged);
            if (record && outcome(record->reason) == Outcome::Completed &&
                (record->tags & kOfBoth) == 0) {
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
    const auto relay = std::make_shared<RelayedStream>(
        source->id(), [this, request = std::move(request), hold = std::move(light.hold)](
                          RelayedStream& ended, const TokenStream& from) mutable {
            hold.reset(); // first: the main model's answer may end before this returns
            return askMainInstead(ended, from, request);
        });
    relay->follow(source);
    return relay->stream();
}

// No request is lost because the light model is small, full, or has failed.
bool ServingBackend::askMainInstead(RelayedStream& relay, const TokenStream& source,
                                    Request request) {
    const RequestId id = relay.stream()->id();
    const auto record = source.record();
    const bool isFromLight = static_cast<std::uint64_t>(source.id()) >= kFirstLightId;
    if (!isFromLight || !relay.pieces().empty() || !record || !isRefusal(*record)) {
        const std::lock_guard lock(m_routesMutex);
        m_routes.erase(id);
        return false;
    }
    m_lightAnswers.fetch_sub(1, std::memory_order_relaxed);
    const auto instead = m_main->submit(std::move(request));
    {
        const std::lock_guard lock(m_routesMutex);
        m_routes.emplace(id, instead->id());
    }
    relay.follow(instead);
    return true;
}

void ServingBackend::cancel(RequestId id) {
    const auto number = static_cast<std::uint64_t>(id);
    if (number >= kFirstStoredId) {
        return; // it has ended
    }
    if (number < kFirstLightId) {
        m_main->cancel(id);
        return;
    }
    std::optional<RequestId> route;
    {
        const std::lock_guard lock(m_routesMutex);
        if (const auto found = m_routes.find(id); found != m_routes.end()) {
            route = found->second;
        }
    }
    if (route) {
        m_main->cancel(*route);
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
