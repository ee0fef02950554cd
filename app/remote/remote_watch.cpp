// Whether an attached server is there, and what it tells of itself. See remote_backend.h.
#include "app/remote/remote_backend.h"
#include "app/remote/remote_status.h"

#include <algorithm>

namespace app {

namespace {

constexpr std::chrono::milliseconds kWatchEvery{1000};
constexpr std::chrono::milliseconds kFirstBackOff{1000};
constexpr std::chrono::milliseconds kLongestBackOff{30'000};
constexpr std::size_t kMostBody = 16 * 1024 * 1024; // of a page of figures

} // namespace

// Once a second: its figures, or else whether it is still there. Where it tells no figures, answers
// that are under way show as much, and a question beside them would interrupt them with
// llama-cpp-python's server.
void RemoteBackend::watch() {
    bool isAnswering = false;
    {
        const std::lock_guard lock(m_mutex);
        isAnswering = !m_asked.empty() && !m_isLost;
    }
    if (isAnswering && !m_hasMetrics) {
        m_hub->after(kWatchEvery, [this] { watch(); });
        return;
    }
    const auto text = std::make_shared<std::string>();
    const auto status = std::make_shared<int>(0);
    RemoteRequest request{.path = m_hasMetrics ? "/metrics" : "/v1/models"};
    request.silence = request.connectTime;
    RemoteListener listener;
    const auto isConnected = std::make_shared<bool>(false);
    listener.onConnected = [isConnected] { *isConnected = true; };
    listener.onHead = [status](const RemoteHead& head) { *status = head.status; };
    listener.onBytes = [text](std::string_view bytes) {
        text->append(bytes.substr(0, kMostBody - text->size()));
    };
    listener.onEnd = [this, text, status, isConnected](const std::string& problem) {
        // Servers that tell their figures between two batches only are silent while they work.
        const bool isBusy = *status == 0 && *isConnected && hasRequests();
        if (isBusy) {
            takeFigures({});
        } else {
            takeLiveness(*status != 0, problem);
        }
        if (*status == 200 && m_hasMetrics) {
            takeFigures(*text);
        } else if (*status != 0 && m_hasMetrics) {
            takeFigures({}); // old ones would stand still
            m_hasMetrics = !isNeverThere(*status);
        }
        const auto pause = std::max(kWatchEvery, m_backOff);
        m_hub->after(pause, [this] { watch(); });
    };
    m_hub->start(std::move(request), std::move(listener));
}

bool RemoteBackend::hasRequests() const {
    const std::lock_guard lock(m_mutex);
    return !m_asked.empty();
}

void RemoteBackend::takeFigures(const std::string& text) {
    const ImportedFigures figures = importMetrics(text);
    const std::lock_guard lock(m_mutex);
    m_imported = figures;
}

void RemoteBackend::takeLiveness(bool isThere, const std::string& problem) {
    bool hasChanged = false;
    {
        const std::lock_guard lock(m_mutex);
        hasChanged = m_isLost == isThere;
        m_isLost = !isThere;
        m_backOff = isThere ? std::chrono::milliseconds(0)
                            : std::clamp(2 * m_backOff, kFirstBackOff, kLongestBackOff);
        m_figures.state = isThere ? engine::EngineState::Idle : engine::EngineState::Failed;
        if (!isThere) {
            m_imported = {};
        }
    }
    if (!hasChanged) {
        return;
    }
    if (isThere) {
        emit(engine::Notice{.kind = "remote_back",
                            .values = {{"address", m_hub->address().text()}}});
    } else {
        emit(engine::Failed{.message = problem, .requestsFailed = 0});
    }
    emit(engine::StateChanged{.state = isThere ? engine::EngineState::Idle
                                               : engine::EngineState::Failed});
}

} // namespace app
