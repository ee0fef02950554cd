// Settings and events over the API: the same edits as in the window. See api.h.
#include "app/api/api.h"
#include "app/api/api_request.h"
#include "engine/serving.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>

namespace app {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::milliseconds kEventsEvery{200};

std::string dumped(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// What tensors of each kind are held in, and why where that is not what was asked for.
Json weightsJson(const std::vector<engine::WeightGroupStatus>& groups) {
    Json rows = Json::array();
    for (const engine::WeightGroupStatus& group : groups) {
        Json row = {{"group", group.group},
                    {"requested", group.requested},
                    {"effective", group.effective},
                    {"tensors", group.tensors},
                    {"bytes", group.bytes}};
        if (!group.reason.empty()) {
            row["reason"] = group.reason;
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

Json configJson(const engine::ConfigStatus& status) {
    Json fields = Json::array();
    for (const engine::FieldStatus& field : status.fields) {
        Json row = {{"field", field.key},
                    {"requested", field.requested},
                    {"effective", field.effective},
                    {"state", engine::name(field.state)}};
        if (!field.reason.empty()) {
            row["reason"] = field.reason;
        }
        fields.push_back(std::move(row));
    }
    Json config = {{"version", status.version}, {"fields", std::move(fields)}};
    if (!status.weights.empty()) {
        config["weights"] = weightsJson(status.weights);
    }
    return config;
}

// "8", 8 and true are all the text that a flag takes.
std::string valueOf(const nlohmann::json& value, const std::string& key) {
    if (value.is_string()) {
        return value;
    }
    if (value.is_boolean()) {
        return value.get<bool>() ? "on" : "off";
    }
    if (value.is_number_integer()) {
        return value.dump();
    }
    throw ApiFailure(
        400,
        fmt::format("The value of {} is a text, a whole number, true or false.", key.substr(0, 80)),
        {}, key.substr(0, 80));
}

Json effectJson(const engine::LevelEffect& effect) {
    const auto number = [](const std::optional<double>& value) {
        return value ? Json(*value) : Json();
    };
    return {{"before", effect.before},
            {"after", effect.after},
            {"before_ms", number(effect.beforeMs)},
            {"after_ms", number(effect.afterMs)},
            {"n_before", effect.beforeN},
            {"n_after", effect.afterN},
            {"verdict", engine::name(effect.verdict)}};
}

Json degradationJson(const engine::ServingStatus& status, const engine::EngineConfig& requested) {
    const engine::Field& mode = *engine::findField("degradation.mode");
    Json json = {{"mode", engine::valueText(mode, requested)},
                 {"level", status.level},
                 {"trying", status.isTrying},
                 {"n", status.n}};
    json["p90_ms"] = status.p90Ms ? Json(*status.p90Ms) : Json();
    json["low_ms"] = status.lowMs ? Json(*status.lowMs) : Json();
    if (status.untilTrial) {
        json["until_trial_s"] = std::chrono::duration<double>(*status.untilTrial).count();
    }
    Json& actions = json["actions"] = Json::array();
    for (const engine::LevelAction& action : status.actions) {
        actions.push_back({{"level", action.level},
                           {"setting", action.field},
                           {"before", action.before},
                           {"after", action.after},
                           {"state", engine::name(action.state)},
                           {"reason", action.reason}});
    }
    if (status.effect) {
        json["effect"] = effectJson(*status.effect);
    }
    return json;
}

// One who listens. Sends only what has been read, so that a slow listener misses events and is told
// so instead of holding them.
class EventFeed : public std::enable_shared_from_this<EventFeed> {
public:
    EventFeed(std::shared_ptr<ApiState> state, std::shared_ptr<HttpExchange> exchange,
              std::uint64_t after)
        : m_state(std::move(state)),
          m_exchange(std::move(exchange)),
          m_last(after) {}

    void start() {
        m_exchange->beginStream({.contentType = "text/event-stream; charset=utf-8",
                                 .headers = {{"X-Accel-Buffering", "no"}}});
        m_exchange->write(": events\n\n");
        send();
    }

private:
    void send() {
        if (m_exchange->isGone()) {
            return;
        }
        if (!m_exchange->isWriting()) {
            std::string text;
            for (const ApiEvent& event : m_state->eventsAfter(m_last)) {
                if (event.number != m_last + 1) {
                    text += fmt::format("event: missed\ndata: {{\"count\": {}}}\n\n",
                                        event.number - m_last - 1);
                }
                m_last = event.number;
                text += fmt::format("id: {}\ndata: {}\n\n", event.number, event.json);
            }
            m_exchange->write(text);
        }
        m_exchange->after(kEventsEvery, [self = shared_from_this()] { self->send(); });
    }

    std::shared_ptr<ApiState> m_state;
    std::shared_ptr<HttpExchange> m_exchange;
    std::uint64_t m_last;
};

} // namespace

void Api::showConfig(const ApiCall& call) {
    engine::ConfigStatus status;
    if (!m_state->withBackend([&](engine::Backend& backend) { status = backend.config(); })) {
        throw ApiFailure(503, "No model is loaded.", "no_model");
    }
    call.exchange->respond({.body = dumped(configJson(status))});
}

// All fields or none.
void Api::patchConfig(const ApiCall& call) {
    const nlohmann::json body = parsedBody(call.request);
    std::vector<std::pair<const engine::Field*, std::int64_t>> values;
    for (const auto& [key, value] : body.items()) {
        const engine::Field* field = engine::findField(key);
        if (field == nullptr) {
            throw ApiFailure(400, fmt::format("There is no setting \"{}\".", key.substr(0, 80)),
                             "unknown_field", key.substr(0, 80));
        }
        engine::EngineConfig parsed;
        if (const auto set = engine::setFromText(*field, parsed, valueOf(value, key)); !set) {
            throw ApiFailure(400, set.error().message, {}, std::string(field->key));
        }
        values.emplace_back(field, field->get(parsed));
    }
    engine::Result<void> edited;
    engine::ConfigStatus status;
    const bool isThere = m_state->withBackend([&](engine::Backend& backend) {
        edited = backend.edit([&values](engine::EngineConfig& config) {
            for (const auto& [field, value] : values) {
                field->set(config, value);
            }
        });
        status = backend.config();
    });
    if (!isThere) {
        throw ApiFailure(503, "No model is loaded.", "no_model");
    }
    if (!edited) {
        throw ApiFailure(400, edited.error().message, "refused");
    }
    call.exchange->respond({.body = dumped(configJson(status))});
}

void Api::showDegradation(const ApiCall& call) {
    std::optional<Json> json;
    const bool isThere = m_state->withBackend([&](engine::Backend& backend) {
        if (engine::Serving* serving = backend.serving()) {
            json = degradationJson(serving->servingStatus(), backend.config().requested);
        }
    });
    if (!isThere || !json) {
        throw ApiFailure(503, isThere ? "Nothing degrades here." : "No model is loaded.");
    }
    call.exchange->respond({.body = dumped(*json)});
}

// {"mode": "auto"}: the same edit as of the setting degradation.mode.
void Api::setDegradation(const ApiCall& call) {
    const nlohmann::json body = parsedBody(call.request);
    const auto found = body.find("mode");
    const engine::Field& field = *engine::findField("degradation.mode");
    engine::EngineConfig parsed;
    const auto set = found == body.end()
                         ? engine::Result<void>(std::unexpected(
                               engine::Error{engine::ErrorCode::Invalid, "mode is missing."}))
                         : engine::setFromText(field, parsed, valueOf(*found, "mode"));
    if (!set) {
        throw ApiFailure(400, set.error().message, {}, "mode");
    }
    engine::Result<void> edited;
    m_state->withBackend([&](engine::Backend& backend) {
        edited = backend.edit(
            [&](engine::EngineConfig& config) { field.set(config, field.get(parsed)); });
    });
    if (!edited) {
        throw ApiFailure(400, edited.error().message, "refused");
    }
    showDegradation(call);
}

// From the header that browsers and clients send when they come back, else from now on.
void Api::events(const ApiCall& call) {
    std::uint64_t after = m_state->lastEvent();
    if (const std::string_view text = call.request.header("last-event-id"); !text.empty()) {
        std::uint64_t number = 0;
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (code == std::errc{} && end == text.data() + text.size() && number < after) {
            after = number;
        }
    }
    std::make_shared<EventFeed>(m_state, call.exchange, after)->start();
}

} // namespace app
