#include "app/store/event_json.h"

#include "app/json_depth.h"
#include "app/store/columns.h"

#include <nlohmann/json.hpp>

#include <array>

namespace app {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kConfigApplied = "config_applied";
constexpr std::string_view kPhaseTimed = "phase_timed";
constexpr std::string_view kPreempted = "preempted";
constexpr std::string_view kBatchEnded = "batch_ended";
constexpr std::string_view kStateChanged = "state_changed";
constexpr std::string_view kFailed = "failed";
constexpr std::string_view kFirstToken = "first_token"; // told to readers of the API, never stored
constexpr std::string_view kRequestFinished = "request_finished";

struct Encoder {
    Json payload = Json::object();

    std::string_view operator()(const engine::ConfigApplied& body) {
        payload["from_step"] = body.fromStep;
        Json& changes = payload["changes"] = Json::array();
        for (const engine::FieldChange& change : body.changes) {
            changes.push_back(
                {{"field", change.key}, {"before", change.before}, {"after", change.after}});
        }
        return kConfigApplied;
    }
    std::string_view operator()(const engine::FirstToken& body) {
        if (body.record) {
            payload["request_id"] = static_cast<std::uint64_t>(body.record->id);
            if (const auto ttft = body.record->ttft()) {
                payload["ttft_ns"] = ttft->count();
            }
        }
        return kFirstToken;
    }
    std::string_view operator()(const engine::RequestFinished& body) {
        payload["request_id"] =
            body.record ? static_cast<std::uint64_t>(body.record->id) : std::uint64_t{0};
        return kRequestFinished;
    }
    std::string_view operator()(const engine::PhaseTimed& body) {
        payload = {{"phase", body.phase},
                   {"duration_ns", body.duration.count()},
                   {"items", body.items},
                   {"bytes", body.bytes}};
        return kPhaseTimed;
    }
    std::string_view operator()(const engine::Preempted& body) {
        payload = {{"request_id", static_cast<std::uint64_t>(body.id)}, {"tokens", body.tokens}};
        return kPreempted;
    }
    std::string_view operator()(const engine::BatchEnded& body) {
        payload = {{"batch", body.batch},
                   {"requests", body.requests},
                   {"duration_ns", body.duration.count()},
                   {"tail_ns", body.tail.count()},
                   {"last_request_id", static_cast<std::uint64_t>(body.last)},
                   {"waiting", body.waiting}};
        return kBatchEnded;
    }
    std::string_view operator()(const engine::StateChanged& body) {
        payload["state"] = engine::name(body.state);
        return kStateChanged;
    }
    std::string_view operator()(const engine::Failed& body) {
        payload = {{"message", body.message}, {"requests_failed", body.requestsFailed}};
        return kFailed;
    }
    std::string_view operator()(const engine::Notice& body) {
        for (const auto& [key, value] : body.values) {
            payload[key] = value;
        }
        return body.kind;
    }
};

engine::EngineState stateOf(const std::string& name) {
    for (int i = 0; i <= static_cast<int>(engine::EngineState::Failed); ++i) {
        const auto state = static_cast<engine::EngineState>(i);
        if (engine::name(state) == name) {
            return state;
        }
    }
    return engine::EngineState::Failed;
}

engine::ConfigApplied configApplied(const Json& payload) {
    engine::ConfigApplied body;
    body.fromStep = payload.at("from_step");
    for (const Json& change : payload.at("changes")) {
        body.changes.push_back({.key = change.at("field"),
                                .before = change.at("before"),
                                .after = change.at("after")});
    }
    return body;
}

engine::Notice notice(const std::string& kind, const Json& payload) {
    engine::Notice body{.kind = kind, .values = {}};
    if (payload.is_object()) {
        for (const auto& [key, value] : payload.items()) {
            body.values.emplace_back(key,
                                     value.is_string() ? value.get<std::string>() : value.dump());
        }
    }
    return body;
}

decltype(engine::Event::body) bodyOf(const std::string& kind, const Json& payload) {
    if (kind == kConfigApplied) {
        return configApplied(payload);
    }
    if (kind == kPhaseTimed) {
        return engine::PhaseTimed{
            .phase = payload.at("phase"),
            .duration = engine::Nanoseconds(payload.at("duration_ns").get<std::int64_t>()),
            .items = payload.at("items"),
            .bytes = payload.at("bytes")};
    }
    if (kind == kPreempted) {
        return engine::Preempted{
            .id = engine::RequestId{payload.at("request_id").get<std::uint64_t>()},
            .tokens = payload.at("tokens")};
    }
    if (kind == kBatchEnded) {
        const auto nanoseconds = [&payload](const char* key) {
            return engine::Nanoseconds(payload.at(key).get<std::int64_t>());
        };
        return engine::BatchEnded{
            .batch = payload.at("batch"),
            .requests = payload.at("requests"),
            .duration = nanoseconds("duration_ns"),
            .tail = nanoseconds("tail_ns"),
            .last = engine::RequestId{payload.at("last_request_id").get<std::uint64_t>()},
            .waiting = payload.at("waiting")};
    }
    if (kind == kStateChanged) {
        return engine::StateChanged{.state = stateOf(payload.at("state"))};
    }
    if (kind == kFailed) {
        return engine::Failed{.message = payload.at("message"),
                              .requestsFailed = payload.at("requests_failed")};
    }
    return notice(kind, payload);
}

} // namespace

EventRow eventRow(const engine::Event& event) {
    Encoder encoder;
    const std::string kind(std::visit(encoder, event.body));
    return {.kind = kind,
            .payloadJson = encoder.payload.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

engine::Event eventOf(const StoredEvent& stored) {
    engine::Event event;
    event.sequence = static_cast<std::uint64_t>(stored.sequence);
    event.step = stored.step;
    event.time = engine::TimePoint(engine::Nanoseconds(stored.timeNs));
    event.source = eventSourceOf(stored.source);
    const Json payload = parseBounded<Json>(stored.payloadJson);
    try {
        event.body = bodyOf(stored.kind, payload);
    } catch (const Json::exception&) {
        event.body = notice(stored.kind, payload); // a payload of another version or a damaged one
    }
    return event;
}

} // namespace app
