#include "app/headless_run.h"

#include "app/command/command.h"
#include "app/interrupt.h"
#include "app/unwritten.h"

#include <QCoreApplication>

namespace app {

HeadlessRun::HeadlessRun(std::filesystem::path model, engine::EngineConfig config,
                         Workload workload, std::unique_ptr<RunStore> runLog)
    : m_workload(std::move(workload)),
      m_session(std::move(runLog)) {
    connect(&m_session, &Session::loadProgressed, this,
            [this](const QString& phase, qint64 done, qint64 total) {
                m_progress.showLoading(phase, done, total);
            });
    connect(&m_session, &Session::loadFailed, this,
            [this](const QString& reason) { end(End::Failed, reason.toStdString()); });
    connect(&m_session, &Session::modelChanged, this, &HeadlessRun::begin);
    connect(&m_session, &Session::loadRunChanged, this, &HeadlessRun::followLoad);
    connect(&m_session, &Session::recordingProblemChanged, this, [this] {
        if (const QString problem = m_session.recordingProblem(); !problem.isEmpty()) {
            m_progress.clear();
            printNote("Recording: " + problem.toStdString());
        }
    });
    connect(&m_session, &Session::ticked, this, [this] {
        if (m_session.isLoadRunning()) {
            m_progress.showLoad(m_session);
        }
    });
    m_session.openModel(model, config);
}

HeadlessRun::End HeadlessRun::exec() {
    {
        const InterruptWatch watch([this] { interrupt(); });
        QCoreApplication::exec();
    }
    m_progress.clear();
    if (auto lost = waitUntilWritten(m_session)) {
        m_unwritten = m_session.unwritten();
        m_end = End::Failed;
        m_message += (m_message.empty() ? "" : " ") + *lost;
    }
    return m_end;
}

void HeadlessRun::begin() {
    if (m_isInterrupted || !m_session.hasModel()) {
        end(End::Interrupted, "Interrupted while the model was loading; nothing was recorded.");
        return;
    }
    m_progress.clear();
    if (const auto started = m_session.startLoad(m_workload, m_requests); !started) {
        end(End::Failed, started.error().message);
        return;
    }
    m_run = m_session.currentRun();
    if (!m_run) {
        m_session.stopLoad();
        end(End::Failed, "Nothing can be recorded: " + m_session.recordingProblem().toStdString());
    }
}

void HeadlessRun::followLoad() {
    if (m_session.isLoadRunning() || !m_run) {
        return;
    }
    const bool hasFailed = m_session.snapshot().state == engine::EngineState::Failed;
    if (hasFailed) {
        end(End::Failed, "The engine stopped; the run holds what was recorded until then.");
    } else {
        end(m_isInterrupted ? End::Interrupted : End::Done);
    }
}

void HeadlessRun::interrupt() {
    m_isInterrupted = true;
    if (m_session.isLoadRunning()) {
        m_session.stopLoad(); // the end follows, with everything recorded
    } else if (m_session.isLoading()) {
        m_session.cancelLoading();
    } else {
        end(End::Interrupted);
    }
}

void HeadlessRun::end(End end, std::string message) {
    m_end = end;
    m_message = std::move(message);
    QCoreApplication::quit();
}

} // namespace app
