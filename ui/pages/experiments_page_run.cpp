// The running experiment of the Experiments page, its reports, keys and actions. See
// experiments_page.h.
#include "app/experiment/experiment_labels.h"
#include "app/experiment/experiment_plots.h"
#include "app/session.h"
#include "app/value_text.h"
#include "ui/icons.h"
#include "ui/pages/experiments_page.h"
#include "ui/panels/claims_view.h"
#include "ui/panels/experiment_editor.h"
#include "ui/panels/experiment_list.h"
#include "ui/panels/experiment_view.h"
#include "ui/panels/replay_view.h"
#include "ui/panels/tuner_view.h"
#include "ui/widgets/tab_row.h"

#include <QDateTime>
#include <QEvent>
#include <QFile>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>

#include <algorithm>
#include <array>

namespace ui {

namespace {

constexpr qint64 kPicturesEveryMs = 1000;

} // namespace

void ExperimentsPage::start(app::Experiment experiment, app::BlockSchedule schedule) {
    if (!canStart()) {
        return;
    }
    auto run = std::make_unique<app::ExperimentRun>(m_session, std::move(experiment));
    run->setSchedule(std::move(schedule));
    launch(std::move(run));
}

void ExperimentsPage::continueShown(int blocks) {
    if (!canStart()) {
        return;
    }
    if (m_shownLog != m_session.runLog()) {
        Q_EMIT messageRaised(tr("The experiment was not continued"),
                             tr("It is of another run log. Start it anew here."));
        return;
    }
    const ShownExperiment& shown = m_view->shown();
    app::Experiment experiment = shown.experiment;
    const std::string model = shown.run ? shown.run->modelDigest : std::string();
    if (!model.empty() && model != m_session.capabilities().modelDigest) {
        Q_EMIT messageRaised(tr("The experiment was not continued"),
                             tr("Its blocks were measured with another model. Open that model, or "
                                "start the experiment anew."));
        return;
    }
    std::optional<double> rateFactor;
    if (experiment.saturation > 0.0) {
        // What the engine can do is known to the run that measured it, not to the log.
        const bool isOfThisRun = m_run && shown.run && m_run->run() == shown.run->id;
        rateFactor = isOfThisRun ? m_run->rateFactor() : std::nullopt;
        if (!rateFactor) {
            Q_EMIT messageRaised(tr("The experiment was not continued"),
                                 tr("Its rate is a share of what the engine could do then, which "
                                    "the log does not keep. Start the experiment anew."));
            return;
        }
    }
    std::vector<app::Block> earlier = shown.blocks;
    experiment.blocks = static_cast<int>(earlier.size()) + blocks;
    auto run = std::make_unique<app::ExperimentRun>(m_session, std::move(experiment));
    run->continueAfter(std::move(earlier), rateFactor);
    launch(std::move(run));
}

void ExperimentsPage::launch(std::unique_ptr<app::ExperimentRun> run) {
    m_run = std::move(run);
    connect(m_run.get(), &app::ExperimentRun::changed, this, &ExperimentsPage::showRunning);
    connect(m_run.get(), &app::ExperimentRun::finished, this, &ExperimentsPage::runFinished,
            Qt::QueuedConnection);
    connect(&m_session, &app::Session::ticked, m_run.get(), [this] {
        if (m_isShown && m_run && m_run->isRunning()) {
            showRunning();
        }
    });
    if (const auto started = m_run->start(); !started) {
        restoreTarget();
        Q_EMIT messageRaised(tr("The experiment did not start"),
                             QString::fromStdString(started.error().message));
        m_queue.clear();
        m_run.reset();
        showChosen();
        return;
    }
    m_claims->setRunning(true, false);
    m_tuner->setRunning(true, false);
    showRunning();
}

void ExperimentsPage::startNext() {
    if (!m_queue.empty()) {
        app::Experiment next = std::move(m_queue.front());
        m_queue.pop_front();
        const auto place = std::ranges::find(m_library, next.name, &app::Experiment::name);
        if (place != m_library.end()) {
            m_list->choose(ExperimentKind::Library, std::size_t(place - m_library.begin()));
        }
        start(std::move(next));
    }
}

void ExperimentsPage::stop() {
    m_queue.clear();
    if (m_run) {
        m_run->stop();
    }
}

// Fills in place: figures at every change, pictures no more than once a second.
void ExperimentsPage::showRunning() {
    if (m_run->experiment().name == "tuner") {
        showSearch();
        return;
    }
    const auto entry = m_list->chosen();
    const auto* plans = !entry                                   ? nullptr
                        : entry->kind == ExperimentKind::Library ? &m_library
                        : entry->kind == ExperimentKind::Own     ? &m_own
                                                                 : nullptr;
    const bool isChosen = (plans != nullptr && entry->index < plans->size() &&
                           (*plans)[entry->index].name == m_run->experiment().name) ||
                          m_run->experiment().name == "proof";
    if (!m_isShown || !isChosen) {
        return;
    }
    ++m_contentNumber;
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    const app::Experiment& experiment = m_run->experiment();
    ShownExperiment shown{.experiment = experiment,
                          .blocks = m_run->blocks(),
                          .verdict = m_run->verdict(),
                          .run = app::RunInfo{},
                          .state = stateText(),
                          .plots = m_view->shown().plots};
    shown.run->requestDigest = m_run->requestDigest();
    shown.isRunning = m_run->isRunning();
    shown.canStart = canStart();
    const bool isSame =
        m_view->shown().isRunning && m_view->shown().blocks.size() == shown.blocks.size();
    if (isSame && now - m_lastPictures < kPicturesEveryMs) {
        return;
    }
    m_lastPictures = now;
    // The present block has no end yet: what it has measured so far is drawn all the same.
    std::vector<app::Block> drawn = shown.blocks;
    if (shown.isRunning) {
        const double end = m_session.history().endSeconds();
        const double from = std::min(end, m_run->blockBegin() + experiment.warmupSeconds);
        drawn.push_back({.number = m_run->blockNumber(),
                         .round = m_run->blockNumber() - 1,
                         .side = m_run->side(),
                         .begin = m_run->blockBegin(),
                         .from = from,
                         .to = end,
                         .end = end,
                         .figures = {},
                         .contamination = {}});
        drawn.back().round = (m_run->blockNumber() - 1) / int(experiment.sides.size());
    }
    const app::History& history = m_session.history();
    shown.plots.clear();
    if (experiment.method == app::Method::Traffic || experiment.method == app::Method::Typing) {
        shown.plots.push_back(app::blockTimeline(experiment, drawn, history));
    }
    if (!experiment.sweepKey.empty()) {
        shown.plots.push_back(app::sweepPlot(experiment, shown.verdict));
    } else if (!shown.plots.empty()) {
        shown.plots.push_back(app::ttftDistribution(experiment, drawn, history));
        shown.plots.push_back(app::outputDistribution(experiment, drawn, history));
    }
    m_view->show(std::move(shown));
}

void ExperimentsPage::runFinished() {
    restoreTarget();
    const bool isGoingOn = !m_queue.empty() && m_run->phase() != app::ExperimentPhase::Stopped;
    if (!isGoingOn) {
        m_queue.clear();
        Q_EMIT messageRaised(app::experimentTitle(m_run->experiment()),
                             m_run->message().isEmpty()
                                 ? app::answerText(m_run->experiment(), m_run->verdict())
                                 : m_run->message());
    }
    if (m_run->phase() == app::ExperimentPhase::Failed) {
        ShownExperiment shown = m_view->shown();
        shown.isRunning = false;
        shown.state = m_run->message();
        m_view->show(std::move(shown));
    }
    connect(
        this, &ExperimentsPage::listed, this,
        [this] {
            // The newest result is the one that has just ended.
            if (m_queue.empty() && m_run && !m_run->isRunning() && m_run->run() &&
                !m_results.empty() && m_results.front().run.id == *m_run->run()) {
                m_list->choose(ExperimentKind::Finished, 0);
            }
        },
        Qt::SingleShotConnection);
    refreshResults();
    m_tuner->setRunning(isGoingOn, canStart());
    m_claims->setRunning(isGoingOn, canStart());
    if (isGoingOn) {
        startNext();
    }
}

void ExperimentsPage::copyShown() {
    m_editor->edit(m_view->shown().experiment);
    m_content->setCurrentWidget(m_editor);
}

void ExperimentsPage::applyShown() {
    const app::Experiment& experiment = m_view->shown().experiment;
    applySettings(experiment.sides.back().settings, app::sideText(experiment, 1));
}

// One edit each: a refusal names what it is about.
void ExperimentsPage::applySettings(const app::SettingTexts& settings, const QString& name) {
    for (const auto& [key, value] : settings) {
        if (key.starts_with("workload.")) {
            continue;
        }
        if (const auto set = m_session.setField(key, value); !set) {
            Q_EMIT messageRaised(tr("Not applied"), QString::fromStdString(set.error().message));
            return;
        }
    }
    Q_EMIT messageRaised(tr("Applied"), name);
}

QString ExperimentsPage::title() const {
    return tr("Experiments");
}

void ExperimentsPage::setShown(bool isShown) {
    m_isShown = isShown;
    if (isShown) {
        refreshResults();
        feedViews();
        if (m_foreignLog.empty()) {
            readForeign({}, 0); // the example
        }
        showChosen();
    }
}

void ExperimentsPage::showTab(int index) {
    m_tabs->setCurrentIndex(index);
}

QList<PageAction> ExperimentsPage::actions() {
    QList<PageAction> list;
    if (m_run && m_run->isRunning()) {
        list << PageAction{
            tr("Stop experiment"), {}, QStringLiteral("Ctrl+Return"), [this] { stop(); }};
    } else if (canStart()) {
        list << PageAction{tr("Start experiment"), app::experimentTitle(m_view->shown().experiment),
                           QStringLiteral("Ctrl+Return"),
                           [this] { start(m_view->shown().experiment); }};
    }
    list << PageAction{tr("Show claims"), {}, {}, [this] { showTab(1); }}
         << PageAction{tr("Copy and edit experiment"), {}, {}, [this] { copyShown(); }};
    return list;
}

QList<KeyHint> ExperimentsPage::keys() const {
    return {{QStringLiteral("Ctrl+Return"), tr("Start or stop the experiment")},
            {QStringLiteral("↑ ↓"), tr("Walk the list")},
            {QStringLiteral("← →"), tr("Walk the views, in their row")}};
}

QWidget* ExperimentsPage::firstFocus() {
    return m_stack->currentWidget() == m_claims ? static_cast<QWidget*>(m_claims)
                                                : static_cast<QWidget*>(m_list);
}

void ExperimentsPage::openArgument(const QString& argument) {
    constexpr std::array kViews = {"results", "claims", "tuner", "advisor", "replay"};
    for (int view = 0; view < static_cast<int>(kViews.size()); ++view) {
        if (argument == QLatin1String(kViews[std::size_t(view)])) {
            showTab(view);
            return;
        }
    }
    if (argument.startsWith(QStringLiteral("replay:"))) {
        showTab(4);
        m_replay->chooseRun(argument.mid(7).toLongLong());
        return;
    }
    if (argument.startsWith(QStringLiteral("run:"))) {
        m_wantedRun = argument.mid(4).toLongLong();
        refreshResults();
        return;
    }
    if (argument.startsWith(QStringLiteral("log:"))) { // log:RUN:FILE
        readForeign(QFile::encodeName(argument.section(u':', 2)).toStdString(),
                    argument.section(u':', 1, 1).toLongLong());
        return;
    }
    showTab(0);
    const std::string name = argument.toStdString();
    const auto result = std::ranges::find_if(
        m_results, [&](const app::ExperimentResult& each) { return each.experiment.name == name; });
    const auto plan = std::ranges::find(m_library, name, &app::Experiment::name);
    if (result != m_results.end()) {
        m_list->choose(ExperimentKind::Finished, std::size_t(result - m_results.begin()));
    } else if (plan != m_library.end()) {
        m_list->choose(ExperimentKind::Library, std::size_t(plan - m_library.begin()));
    }
}

void ExperimentsPage::retranslate() {
    m_tabs->setItems(
        {tr("Experiments"), tr("Claims"), tr("Tuner"), tr("Advisor"), tr("Replay and what-if")});
    m_search->setPlaceholderText(tr("Search"));
    m_search->setAccessibleName(tr("Search experiments"));
    m_new->setToolTip(tr("Write an experiment of your own, from the one shown"));
    m_new->setAccessibleName(tr("Own experiment"));
    m_list->setAccessibleName(tr("Experiments"));
    fillList();
    fillClaims();
}

void ExperimentsPage::changeEvent(QEvent* event) {
    Page::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        showChosen(); // texts of charts are made with them
    }
}

} // namespace ui
