#include "app/headless_experiment.h"

#include "app/command/command.h"
#include "app/durations.h"
#include "app/interrupt.h"
#include "app/unwritten.h"

#include <QCoreApplication>
#include <QTimer>

#include <fmt/format.h>

namespace app {

namespace {

const char* word(ExperimentPhase phase) {
    switch (phase) {
    case ExperimentPhase::Calibrating:
        return "measuring what the engine can do";
    case ExperimentPhase::Switching:
        return "switching";
    case ExperimentPhase::WarmingUp:
        return "warming up";
    case ExperimentPhase::Measuring:
        return "measuring";
    case ExperimentPhase::Draining:
        return "last answers";
    default:
        return "";
    }
}

std::string progressText(const ExperimentRun& run) {
    const Experiment& experiment = run.experiment();
    const auto side = static_cast<std::size_t>(run.side());
    return fmt::format("{}  block {} of {}, {}: {}  about {} left", experiment.title,
                       run.blockNumber(), experiment.blocks, experiment.sides[side].label,
                       word(run.phase()), durationText(run.secondsLeft()));
}

} // namespace

HeadlessExperiment::HeadlessExperiment(std::filesystem::path model, engine::EngineConfig config,
                                       std::vector<Experiment> experiments,
                                       std::unique_ptr<RunStore> runLog)
    : m_experiments(std::move(experiments)),
      m_session(std::move(runLog)) {
    connect(&m_session, &Session::loadProgressed, this,
            [this](const QString& phase, qint64 done, qint64 total) {
                m_progress.showLoading(phase, done, total);
            });
    connect(&m_session, &Session::loadFailed, this,
            [this](const QString& reason) { end(End::Failed, reason.toStdString()); });
    connect(&m_session, &Session::modelChanged, this, &HeadlessExperiment::begin);
    connect(&m_session, &Session::ticked, this, [this] {
        if (m_run && m_run->isRunning()) {
            m_progress.showText(progressText(*m_run));
        }
    });
    m_session.openModel(model, config);
}

HeadlessExperiment::~HeadlessExperiment() {
    m_run.reset();
}

HeadlessExperiment::End HeadlessExperiment::exec() {
    {
        const InterruptWatch watch([this] { interrupt(); });
        QCoreApplication::exec();
    }
    m_progress.clear();
    if (auto lost = waitUntilWritten(m_session)) {
        m_end = End::Failed;
        m_message += (m_message.empty() ? "" : " ") + *lost;
    }
    return m_end;
}

void HeadlessExperiment::begin() {
    if (m_isInterrupted || !m_session.hasModel()) {
        end(End::Interrupted, "Interrupted while the model was loading; nothing was recorded.");
        return;
    }
    if (!m_hasBegun) {
        m_hasBegun = true;
        m_capabilities = m_session.capabilities();
        m_progress.clear();
        next();
    }
}

void HeadlessExperiment::next() {
    while (m_next < m_experiments.size()) {
        Experiment experiment = m_experiments[m_next++];
        const auto need = missingNeed(experiment, &m_capabilities);
        if (need && m_experiments.size() > 1) {
            printNote(experiment.title + ": needs " + *need);
            continue;
        }
        m_run = std::make_unique<ExperimentRun>(m_session, std::move(experiment));
        m_run->setSchedule(m_schedule);
        // The run is replaced in the slot of its own signal otherwise.
        connect(m_run.get(), &ExperimentRun::finished, this, &HeadlessExperiment::finishOne,
                Qt::QueuedConnection);
        if (const auto started = m_run->start(); !started) {
            end(End::Failed, started.error().message);
        } else if (!m_run->run()) {
            end(End::Failed,
                "Nothing can be recorded: " + m_session.recordingProblem().toStdString());
        }
        return;
    }
    end(m_isInterrupted ? End::Interrupted : End::Done);
}

void HeadlessExperiment::finishOne() {
    m_progress.clear();
    if (!m_run->blocks().empty()) {
        m_runs.push_back(*m_run->run());
    }
    if (!m_run->message().isEmpty()) {
        printNote(m_run->experiment().title + ": " + m_run->message().toStdString());
    }
    if (m_isInterrupted) {
        end(End::Interrupted);
    } else if (m_run->phase() == ExperimentPhase::Failed && m_experiments.size() == 1) {
        end(End::Failed);
    } else {
        next();
    }
}

void HeadlessExperiment::interrupt() {
    m_isInterrupted = true;
    if (m_run && m_run->isRunning()) {
        m_run->stop(); // the end follows, with everything recorded
    } else if (m_session.isLoading()) {
        m_session.cancelLoading();
    } else {
        end(End::Interrupted);
    }
}

void HeadlessExperiment::end(End end, std::string message) {
    m_end = end;
    m_message = std::move(message);
    QCoreApplication::quit();
}

} // namespace app
