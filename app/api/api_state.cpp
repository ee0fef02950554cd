#include "app/api/api_state.h"

#include "app/store/event_json.h"

#include <nlohmann/json.hpp>

namespace app {

namespace {

constexpr std::size_t kKeptEvents = 1024;

std::string eventJson(const engine::Event& event) {
    const EventRow row = eventRow(event);
    nlohmann::ordered_json line;
    line["sequence"] = event.sequence;
    line["t_ns"] = event.time.time_since_epoch().count();
    line["step"] = event.step;
    line["source"] = engine::name(event.source);
    line["kind"] = row.kind;
    line["payload"] = nlohmann::ordered_json::parse(row.payloadJson, nullptr, false);
    return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

} // namespace

void ApiState::setBackend(engine::Backend* backend) {
    std::optional<engine::Capabilities> model;
    if (backend != nullptr) {
        model = backend->capabilities();
    }
    const std::string name = model ? model->modelName : std::string();
    bool isOther = false;
    {
        const std::lock_guard lock(m_backendMutex);
        isOther = backend != m_backend;
        m_backend = backend;
        m_model = std::move(model);
    }
    const std::lock_guard lock(m_mutex);
    m_modelName = name;
    if (isOther && backend != nullptr) {
        m_metrics = {}; // those of one model are none of the next
    }
}

void ApiState::update(const std::vector<engine::Event>& events, const engine::Snapshot& figures,
                      std::vector<std::string> raisedAlarms) {
    std::vector<std::string> texts;
    texts.reserve(events.size());
    for (const engine::Event& event : events) {
        texts.push_back(eventJson(event));
    }
    const std::lock_guard lock(m_mutex);
    for (std::size_t i = 0; i < events.size(); ++i) {
        addEvent(events[i], std::move(texts[i]));
    }
    m_figures = figures;
    m_alarms = std::move(raisedAlarms);
}

void ApiState::addEvent(const engine::Event& event, std::string json) {
    const auto* finished = std::get_if<engine::RequestFinished>(&event.body);
    if (finished != nullptr && finished->record) {
        m_metrics.add(*finished->record);
    }
    m_events.push_back({.number = ++m_lastEvent, .json = std::move(json)});
    if (m_events.size() > kKeptEvents) {
        m_events.pop_front();
    }
}

std::optional<engine::Capabilities> ApiState::model() const {
    const std::lock_guard lock(m_backendMutex);
    return m_model;
}

std::shared_ptr<engine::TokenStream> ApiState::submit(engine::Request request) {
    const std::lock_guard lock(m_backendMutex);
    return m_backend != nullptr ? m_backend->submit(std::move(request)) : nullptr;
}

std::shared_ptr<engine::TokenStream> ApiState::open(engine::Request request) {
    const std::lock_guard lock(m_backendMutex);
    return m_backend != nullptr ? m_backend->open(std::move(request)) : nullptr;
}

void ApiState::cancel(engine::RequestId id) {
    withBackend([id](engine::Backend& backend) { backend.cancel(id); });
}

engine::Snapshot ApiState::figures() const {
    const std::lock_guard lock(m_mutex);
    return m_figures;
}

std::string ApiState::metricsText() const {
    const std::lock_guard lock(m_mutex);
    return m_metrics.text(m_figures, m_modelName, m_alarms);
}

std::vector<ApiEvent> ApiState::eventsAfter(std::uint64_t number) const {
    const std::lock_guard lock(m_mutex);
    std::vector<ApiEvent> events;
    for (const ApiEvent& event : m_events) {
        if (event.number > number) {
            events.push_back(event);
        }
    }
    return events;
}

std::uint64_t ApiState::lastEvent() const {
    const std::lock_guard lock(m_mutex);
    return m_lastEvent;
}

} // namespace app
