// What the threads of the API may see of the session: the backend as long as it is there, the
// newest figures, the last events, and the histograms of what was answered. The session's side
// (main thread) sets it, the server's thread reads.
#pragma once

#include "app/api/api_metrics.h"
#include "engine/backend.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace app {

struct ApiEvent {
    std::uint64_t number = 0; // of this list: grows by one
    std::string json;         // one line
};

class ApiState {
public:
    // Main thread. A backend that goes is taken back before it does; nullptr waits for the calls
    // that are under way, none of which blocks.
    void setBackend(engine::Backend* backend);
    // What happened together with the figures read after it: a reader never sees a request that
    // its figures don't hold yet.
    void update(const std::vector<engine::Event>& events, const engine::Snapshot& figures,
                std::vector<std::string> raisedAlarms);

    // Any thread. Empty where no model is loaded.
    std::optional<engine::Capabilities> model() const;
    std::shared_ptr<engine::TokenStream> submit(engine::Request request);
    std::shared_ptr<engine::TokenStream> open(engine::Request request);
    void cancel(engine::RequestId id);
    // Runs with the backend locked; false where there is none. Must not block.
    template <class Use>
    bool withBackend(const Use& use) const {
        const std::lock_guard lock(m_backendMutex);
        if (m_backend == nullptr) {
            return false;
        }
        use(*m_backend);
        return true;
    }
    engine::Snapshot figures() const;
    std::string metricsText() const;
    // Events after `number`, oldest first; what has fallen out of the list is missing.
    std::vector<ApiEvent> eventsAfter(std::uint64_t number) const;
    std::uint64_t lastEvent() const;

private:
    void addEvent(const engine::Event& event, std::string json);

    mutable std::mutex m_backendMutex;
    engine::Backend* m_backend = nullptr;
    std::optional<engine::Capabilities> m_model;

    mutable std::mutex m_mutex; // of what follows
    engine::Snapshot m_figures;
    std::vector<std::string> m_alarms;
    ApiMetrics m_metrics;
    std::deque<ApiEvent> m_events;
    std::uint64_t m_lastEvent = 0;
    std::string m_modelName;
};

} // namespace app
