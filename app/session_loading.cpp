#include "app/session_loading.h"

#include <QMetaObject>

#include <exception>

namespace app {

namespace {

constexpr std::chrono::milliseconds kAnnounceEvery{50}; // and at every new phase

} // namespace

Session::Loading::Loading(Session& session, std::filesystem::path file,
                          const engine::EngineConfig& config)
    : m_session(session),
      m_file(std::move(file)),
      m_thread([this, maker = session.m_maker, config](const std::stop_token& stop) {
          run(maker, config, stop);
      }) {}

void Session::Loading::run(const BackendMaker& maker, const engine::EngineConfig& config,
                           const std::stop_token& stop) {
    try {
        m_result = maker(
            m_file, config, [this](const engine::LoadProgress& progress) { announce(progress); },
            stop);
    } catch (const std::exception& error) {
        m_result = std::unexpected(engine::Error{
            engine::ErrorCode::Internal,
            m_file.filename().string() + " could not be loaded: " + error.what() + "."});
    }
    QMetaObject::invokeMethod(
        &m_session, [this, session = &m_session] { session->finishLoading(this); },
        Qt::QueuedConnection);
}

void Session::Loading::announce(const engine::LoadProgress& progress) {
    const engine::TimePoint now = engine::Clock::now();
    if (progress.phase == m_phase && now - m_announced < kAnnounceEvery) {
        return;
    }
    m_phase = progress.phase;
    m_announced = now;
    QMetaObject::invokeMethod(
        &m_session,
        [session = &m_session, progress] {
            Q_EMIT session->loadProgressed(QString::fromStdString(progress.phase), progress.done,
                                           progress.total);
        },
        Qt::QueuedConnection);
}

} // namespace app
