// What a replay does: simulate, send really, put both side by side. See replay_view.h.
#include "app/background.h"
#include "app/labels.h"
#include "app/load/load_preview.h"
#include "app/plot/charts.h"
#include "app/session.h"
#include "app/simulated_run.h"
#include "ui/panels/field_row.h"
#include "ui/panels/replay_view.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/choice_field.h"
#include "ui/widgets/plot_view.h"

#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>

#include <algorithm>

namespace ui {

namespace {

// "run 12" and "Azure trace" in the chosen language.
QString originText(const std::string& origin) {
    const QString text = QString::fromStdString(origin);
    const QString run = QStringLiteral("run "), trace = QStringLiteral(" trace");
    return text.startsWith(run)   ? ReplayView::tr("run %1").arg(text.sliced(run.size()))
           : text.endsWith(trace) ? ReplayView::tr("%1 trace").arg(text.chopped(trace.size()))
                                  : text;
}

engine::Result<app::RunData> readRun(const std::filesystem::path& log, std::int64_t run) {
    auto store = app::RunStore::open(log, app::StoreMode::ReadOnly);
    if (!store) {
        return std::unexpected(store.error());
    }
    return (*store)->load(run);
}

engine::Result<app::RunSummary> simulatedOf(const app::Replay& replay, const app::RunData& costs,
                                            engine::EngineConfig config) {
    const auto profile = app::profileOf(costs);
    if (!profile) {
        return std::unexpected(profile.error());
    }
    if (config.kvBlocks < 1) { // chosen at load: as many as that run had
        config.kvBlocks = profile->config.kvBlocks;
    }
    auto run = app::simulateRequests(replay.workload, replay.requests, *profile, config);
    if (!run) {
        return std::unexpected(run.error());
    }
    return std::move(run->summary);
}

} // namespace

void ReplayView::simulate() {
    if (!m_source || isBusy()) {
        return;
    }
    const int number = ++m_number;
    m_isSimulating = true;
    m_simulationNote.clear();
    refresh();
    const std::int64_t costs = m_isOfTrace ? m_costs->currentData().toLongLong() : 0;
    app::runInBackground(
        this,
        [replay = wantedList(), recorded = m_recorded, config = m_config, costs,
         log = m_session.runLog()]() -> engine::Result<app::RunSummary> {
            if (recorded != nullptr) {
                return simulatedOf(replay, *recorded, config);
            }
            const auto measured = readRun(log, costs);
            if (!measured) {
                return std::unexpected(measured.error());
            }
            return simulatedOf(replay, *measured, config);
        },
        [this, number](engine::Result<app::RunSummary> summary) {
            if (number != m_number) {
                return;
            }
            m_isSimulating = false;
            if (summary) {
                m_simulated = std::move(*summary);
            } else {
                m_simulationNote =
                    tr("Not simulated: %1").arg(QString::fromStdString(summary.error().message));
            }
            refresh();
            Q_EMIT changed();
        });
}

bool ReplayView::canRun() const {
    return m_source && !m_isReading && !m_isSimulating && m_session.hasModel() &&
           !m_session.isLoadRunning() && !m_session.isExperimentRunning();
}

// With the settings that can be switched live; what was in force comes back afterwards.
void ReplayView::runReally() {
    if (!canRun()) {
        return;
    }
    m_before = m_session.config().requested;
    const auto edited = m_session.edit([this](engine::EngineConfig& config) {
        for (const engine::Field& field : engine::fieldTable()) {
            if (field.takesEffect != engine::TakesEffect::Reload) {
                field.set(config, field.get(m_config));
            }
        }
    });
    if (!edited) {
        fail(QString::fromStdString(edited.error().message));
        return;
    }
    const app::Replay list = wantedList();
    m_isRunning = true;
    m_real.reset();
    m_realRun.reset();
    if (const auto started = m_session.startLoad(list.workload, list.requests); !started) {
        m_isRunning = false;
        static_cast<void>(
            m_session.edit([this](engine::EngineConfig& config) { config = m_before; }));
        fail(QString::fromStdString(started.error().message));
        return;
    }
    m_problem.clear();
    m_realId = m_session.currentRun().value_or(0);
    refresh();
}

void ReplayView::followLoad() {
    if (!m_isRunning || m_session.isLoadRunning()) {
        refresh();
        return;
    }
    m_isRunning = false;
    static_cast<void>(m_session.edit([this](engine::EngineConfig& config) { config = m_before; }));
    if (m_realId == 0) {
        fail(tr("Nothing was recorded: %1").arg(m_session.recordingProblem()));
        return;
    }
    const int number = ++m_number;
    m_isReading = true;
    refresh();
    app::runInBackground(
        this, [log = m_session.runLog(), run = m_realId] { return readRun(log, run); },
        [this, number](engine::Result<app::RunData> run) {
            if (number == m_number) {
                takeReal(std::move(run));
            }
        });
}

void ReplayView::takeReal(engine::Result<app::RunData> run) {
    m_isReading = false;
    if (!run) {
        fail(QString::fromStdString(run.error().message));
        return;
    }
    m_realRun = std::make_shared<const app::RunData>(std::move(*run));
    m_real = m_realRun->summary;
    refresh();
    Q_EMIT changed();
}

void ReplayView::fail(const QString& problem) {
    m_problem = problem;
    refresh();
    Q_EMIT changed();
}

QString ReplayView::problem() const {
    return m_problem.isEmpty() ? m_simulationNote : m_problem;
}

void ReplayView::showState() {
    const QString state =
        m_isReading      ? tr("reading")
        : m_isSimulating ? tr("simulating")
        : m_isRunning    ? tr("running, %1 left")
                            .arg(app::runTimeText(app::secondsLeft(m_session.loadProgress())))
                      : QString();
    m_state->setText(state);
    m_state->setTone(Tone::Info);
    m_state->setVisible(!state.isEmpty());
}

void ReplayView::refresh() {
    std::optional<app::RunSummary> recorded;
    if (m_recorded != nullptr) {
        recorded = m_recorded->summary;
    }
    m_model->setRows(app::replayRows(recorded, m_simulated, m_real));
    m_title->setText(m_source ? tr("Replay of %1").arg(originText(m_source->origin))
                              : tr("Replay and what-if"));
    showState();
    m_costs->setVisible(m_isOfTrace);
    m_costsName->setVisible(m_isOfTrace);
    m_facts->setVisible(m_source.has_value());
    m_simulate->setEnabled(m_source && !isBusy());
    m_run->setText(m_isRunning ? tr("Stop") : tr("Run it really"));
    m_run->setEnabled(m_isRunning || canRun());
    m_run->setToolTip(m_session.hasModel() ? QString() : tr("Open a model first"));
    QStringList notes;
    if (!m_problem.isEmpty()) {
        notes << m_problem;
    }
    if (!m_simulationNote.isEmpty()) {
        notes << m_simulationNote;
    }
    if (m_problem.isEmpty() && !m_source) {
        notes << tr("Choose a recorded run or a trace, change settings, simulate it in a moment, "
                    "then send the same requests really: both stand side by side, with the "
                    "simulation's error.");
    } else if (m_problem.isEmpty()) {
        notes << tr("The simulation runs the scheduler's own code with step costs that a run "
                    "measured; a precision or kernel that it did not have is not in these costs.");
        const bool needsReload = std::ranges::any_of(m_settings, [](const FieldRow* row) {
            return row->field().takesEffect == engine::TakesEffect::Reload;
        });
        if (needsReload) {
            notes << tr("Settings that take a reload are not switched for the real run.");
        }
    }
    m_note->setText(notes.join(QLatin1Char('\n')));
    setSheetProperty(m_note, "tone", m_problem.isEmpty() ? QString() : QStringLiteral("bad"));
    const bool hasBoth = m_recorded != nullptr && m_realRun != nullptr;
    m_plotCard->setVisible(hasBoth);
    if (hasBoth) {
        m_plot->setPlot(
            app::overlayTtft(m_recorded->history, tr("recorded"), m_realRun->history, tr("real")));
    }
}

} // namespace ui
