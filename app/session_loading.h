// One model being loaded: its thread, its progress and its result. Made and taken by the session on
// the main thread; progress and end arrive there as queued calls.
#pragma once

#include "app/session.h"

#include <thread>

namespace app {

class Session::Loading {
public:
    Loading(Session& session, std::filesystem::path file, const engine::EngineConfig& config);

    void cancel() { m_thread.request_stop(); }
    const std::filesystem::path& file() const { return m_file; }
    // After the end was announced.
    engine::Result<std::unique_ptr<engine::Backend>> take() { return std::move(m_result); }

private:
    void run(const BackendMaker& maker, const engine::EngineConfig& config,
             const std::stop_token& stop);
    void announce(const engine::LoadProgress& progress);

    Session& m_session;
    const std::filesystem::path m_file;
    engine::Result<std::unique_ptr<engine::Backend>> m_result;
    std::string m_phase; // announced last; the loading thread's own, as is the time
    engine::TimePoint m_announced{};
    std::jthread m_thread; // last: joined before what it uses
};

} // namespace app
