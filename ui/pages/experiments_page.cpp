#include "ui/pages/experiments_page.h"

#include "app/background.h"
#include "app/durations.h"
#include "app/experiment/experiment_draft.h"
#include "app/experiment/experiment_labels.h"
#include "app/experiment/experiment_plots.h"
#include "app/labels.h"
#include "app/run_labels.h"
#include "app/session.h"
#include "app/store/example_run.h"
#include "app/store/machine_json.h"
#include "ui/icons.h"
#include "ui/panels/claims_view.h"
#include "ui/panels/experiment_editor.h"
#include "ui/panels/experiment_list.h"
#include "ui/panels/experiment_view.h"
#include "ui/panels/tuner_view.h"
#include "ui/theme.h"
#include "ui/widgets/tab_row.h"

#include <QDateTime>
#include <QEvent>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QShortcut>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace ui {

namespace {

constexpr int kListWidth = 228;
constexpr std::string_view kTunerName = "tuner";

std::vector<app::Plot> plotsOf(const app::Experiment& experiment,
                               const std::vector<app::Block>& blocks,
                               const app::ExperimentVerdict& verdict, const app::History& history) {
    std::vector<app::Plot> plots;
    const bool hasTraffic =
        experiment.method == app::Method::Traffic || experiment.method == app::Method::Typing;
    if (hasTraffic) {
        plots.push_back(app::blockTimeline(experiment, blocks, history));
    }
    if (!experiment.sweepKey.empty()) {
        plots.push_back(app::sweepPlot(experiment, verdict));
    } else if (hasTraffic) {
        plots.push_back(app::ttftDistribution(experiment, blocks, history));
        plots.push_back(app::outputDistribution(experiment, blocks, history));
    }
    return plots;
}

} // namespace

ExperimentsPage::ExperimentsPage(app::Session& session, QWidget* parent)
    : Page(parent),
      m_session(session) {
    for (const app::BuiltInExperiment& builtIn : app::builtInExperiments()) {
        if (auto experiment = app::parseExperiment(builtIn.toml, builtIn.name)) {
            m_library.push_back(std::move(*experiment));
        }
    }
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_tabs = new TabRow(this);
    m_stack = new QStackedWidget(this);
    m_claims = new ClaimsView(m_stack);
    m_stack->addWidget(buildExperiments());
    m_stack->addWidget(m_claims);
    m_tuner = new TunerView(m_stack);
    m_stack->addWidget(m_tuner);
    buildViews();
    column->addWidget(m_tabs);
    column->addWidget(m_stack, 1);
    connect(m_tabs, &TabRow::currentChanged, m_stack, &QStackedWidget::setCurrentIndex);
    connect(m_claims, &ClaimsView::experimentRequested, this, &ExperimentsPage::openArgument);
    connect(m_claims, &ClaimsView::stopRequested, this, &ExperimentsPage::stop);
    connect(m_tuner, &TunerView::startRequested, this, &ExperimentsPage::startSearch);
    connect(m_tuner, &TunerView::resumeRequested, this, &ExperimentsPage::resumeSearch);
    connect(m_tuner, &TunerView::stopRequested, this, &ExperimentsPage::stop);
    connect(m_tuner, &TunerView::proveRequested, this, &ExperimentsPage::proveSettings);
    connect(m_tuner, &TunerView::applyRequested, this,
            [this](const app::SettingTexts& settings) { applySettings(settings, {}); });
    connect(m_claims, &ClaimsView::reportRequested, this,
            [this](QPushButton* below) { openReportMenu(below, true); });
    connect(m_claims, &ClaimsView::runAllRequested, this, [this] {
        const engine::Capabilities capabilities = m_session.capabilities();
        m_queue.clear();
        for (const app::Experiment& experiment : m_library) {
            if (!app::missingNeed(experiment, &capabilities)) {
                m_queue.push_back(experiment);
            }
        }
        startNext();
    });
    for (const auto key : {Qt::Key_Return, Qt::Key_Enter}) {
        auto* start = new QShortcut(QKeySequence(Qt::CTRL | key), this);
        start->setContext(Qt::WidgetWithChildrenShortcut);
        connect(start, &QShortcut::activated, this, [this] {
            m_run && m_run->isRunning() ? stop() : this->start(m_view->shown().experiment);
        });
    }
    connect(&m_session, &app::Session::modelChanged, this, [this] {
        fillList();
        fillClaims();
        showChosen();
    });
    connect(&m_session, &app::Session::loadRunChanged, this, &ExperimentsPage::showChosen);
    retranslate();
    m_list->choose(ExperimentKind::Library, 0);
}

ExperimentsPage::~ExperimentsPage() {
    if (m_run) {
        m_run->disconnect(this); // nothing is drawn any more
    }
    m_run.reset(); // settings are put back while the session is there
}

QWidget* ExperimentsPage::buildExperiments() {
    auto* page = new QWidget(this);
    auto* line = new QHBoxLayout(page);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(0);
    auto* side = new QWidget(page);
    setSurface(side, Surface::Panel);
    setSheetProperty(side, "edge", QStringLiteral("right"));
    side->setFixedWidth(kListWidth);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(8, 10, 8, 8);
    auto* head = new QHBoxLayout;
    m_search = new QLineEdit(side);
    m_search->addAction(icon(QStringLiteral("search"), ColorRole::Text3),
                        QLineEdit::LeadingPosition);
    m_new = makeButton({}, ButtonKind::Normal, side);
    m_new->setIcon(icon(QStringLiteral("plus")));
    m_new->setFixedWidth(size::kControl + 4);
    head->addWidget(m_search, 1);
    head->addWidget(m_new);
    column->addLayout(head);
    m_list = new ExperimentList(side);
    column->addWidget(m_list, 1);
    line->addWidget(side);
    m_content = new QStackedWidget(page);
    m_view = new ExperimentView(m_content);
    m_editor = new ExperimentEditor(m_content);
    m_content->addWidget(m_view);
    m_content->addWidget(m_editor);
    line->addWidget(m_content, 1);
    connect(m_search, &QLineEdit::textChanged, m_list, &ExperimentList::setFilter);
    connect(m_new, &QPushButton::clicked, this, &ExperimentsPage::copyShown);
    connect(m_list, &ExperimentList::entryChosen, this, [this] {
        m_content->setCurrentWidget(m_view);
        showChosen();
    });
    connect(m_view, &ExperimentView::startRequested, this,
            [this] { start(m_view->shown().experiment); });
    connect(m_view, &ExperimentView::stopRequested, this, &ExperimentsPage::stop);
    connect(m_view, &ExperimentView::copyRequested, this, &ExperimentsPage::copyShown);
    connect(m_view, &ExperimentView::applyRequested, this, &ExperimentsPage::applyShown);
    connect(m_view, &ExperimentView::reportRequested, this,
            [this](QPushButton* below) { openReportMenu(below, false); });
    connect(m_view, &ExperimentView::moreRequested, this, &ExperimentsPage::continueShown);
    connect(m_editor, &ExperimentEditor::cancelled, this,
            [this] { m_content->setCurrentWidget(m_view); });
    connect(m_editor, &ExperimentEditor::saved, this, [this](const app::Experiment& experiment) {
        m_content->setCurrentWidget(m_view);
        fillList();
        const auto own = std::ranges::find(m_own, experiment.name, &app::Experiment::name);
        if (own != m_own.end()) {
            m_list->choose(ExperimentKind::Own, std::size_t(own - m_own.begin()));
        }
    });
    return page;
}

void ExperimentsPage::refreshResults() {
    const int number = ++m_resultNumber;
    app::runInBackground(
        this, [log = m_session.runLog()] { return app::experimentResults(log); },
        [this, number](engine::Result<std::vector<app::ExperimentResult>> results) {
            if (number == m_resultNumber) {
                takeResults(results ? std::move(*results) : std::vector<app::ExperimentResult>{});
            }
        });
}

void ExperimentsPage::takeResults(std::vector<app::ExperimentResult> results) {
    const bool isFirst = m_results.empty();
    m_results = std::move(results);
    fillList();
    if (m_wantedRun) {
        chooseRun(*std::exchange(m_wantedRun, std::nullopt));
        fillClaims();
        Q_EMIT listed();
        return;
    }
    const auto& entries = m_list->entries();
    if (isFirst && !entries.empty() && entries.front().kind == ExperimentKind::Finished &&
        !(m_run && m_run->isRunning())) {
        m_list->choose(ExperimentKind::Finished, entries.front().index);
    }
    fillClaims();
    Q_EMIT listed();
}

void ExperimentsPage::fillList() {
    m_own = app::ownExperiments(app::ownExperimentsFolder());
    const engine::Capabilities capabilities = m_session.capabilities();
    std::vector<ExperimentEntry> entries;
    const auto addResults = [&](ExperimentKind kind,
                                const std::vector<app::ExperimentResult>& results) {
        for (std::size_t i = 0; i < results.size(); ++i) {
            const app::ExperimentResult& result = results[i];
            if (result.blocks.empty() || result.experiment.name == kTunerName) {
                continue; // searches have a view of their own
            }
            const QString length =
                QString::fromStdString(app::durationText(result.blocks.back().end));
            entries.push_back(
                {.kind = kind,
                 .title = app::experimentTitle(result.experiment),
                 .caption = app::startedText(result.run.startedUtc, QDateTime::currentDateTime()) +
                            QStringLiteral(" · ") + length,
                 .verdict = result.verdict.claim.verdict,
                 .index = i});
        }
    };
    addResults(ExperimentKind::Finished, m_results);
    addResults(ExperimentKind::Foreign, m_foreign);
    m_list->setForeignName(m_isExample ? tr("Example")
                                       : QString::fromStdString(m_foreignLog.filename().string()));
    const auto addPlans = [&](ExperimentKind kind, const std::vector<app::Experiment>& plans) {
        for (std::size_t i = 0; i < plans.size(); ++i) {
            const auto need =
                app::missingNeed(plans[i], m_session.hasModel() ? &capabilities : nullptr);
            entries.push_back({.kind = kind,
                               .title = app::experimentTitle(plans[i]),
                               .caption = need ? tr("needs %1").arg(app::needLabel(*need))
                                               : tr("claim %1").arg(app::claimedLabel(plans[i])),
                               .verdict = {},
                               .isDim = need.has_value(),
                               .index = i});
        }
    };
    addPlans(ExperimentKind::Library, m_library);
    addPlans(ExperimentKind::Own, m_own);
    m_list->setEntries(std::move(entries));
}

void ExperimentsPage::fillClaims() {
    const engine::Capabilities capabilities = m_session.capabilities();
    const bool hasModel = m_session.hasModel();
    const auto results = app::resultsOfMachine(m_results, app::machineJson(nullptr));
    // Without a model the table of the one measured last.
    const std::string digest = hasModel          ? capabilities.modelDigest
                               : results.empty() ? std::string()
                                                 : results.front().run.modelDigest;
    QString machine = QString::fromStdString(capabilities.modelName);
    if (hasModel) {
        machine += QStringLiteral(" · ") + QString::fromStdString(capabilities.device) +
                   QStringLiteral(", ") + QString::fromStdString(capabilities.isa);
    } else if (!results.empty()) {
        machine = QString::fromStdString(results.front().run.modelName);
    }
    m_claims->setRows(app::claimRows(results, digest, hasModel ? &capabilities : nullptr), machine);
    m_claims->setRunning(m_run && m_run->isRunning(), canStart());
    m_tuner->setRunning(m_run && m_run->isRunning(), canStart());
    const auto search =
        std::ranges::find(m_results, kTunerName, [](const app::ExperimentResult& result) {
            return result.experiment.name;
        });
    if (search != m_results.end() && !(m_run && m_run->isRunning())) {
        // Its goodput was counted within these, whatever the form says by now.
        if (std::exchange(m_searchShown, search->run.id) != search->run.id) {
            m_tuner->setLimits(search->run);
        }
        m_tuner->show(search->experiment, search->blocks,
                      app::startedText(search->run.startedUtc, QDateTime::currentDateTime()) +
                          QStringLiteral(" · ") +
                          tr("goodput within %1").arg(app::targetText(search->run)));
    }
}

bool ExperimentsPage::canStart() const {
    return m_session.hasModel() && !m_session.isLoadRunning() && !m_session.isExperimentRunning();
}

void ExperimentsPage::showChosen() {
    const auto entry = m_list->chosen();
    if (!entry) {
        return;
    }
    if (entry->kind == ExperimentKind::Finished && entry->index < m_results.size()) {
        showResult(m_results[entry->index], m_session.runLog());
    } else if (entry->kind == ExperimentKind::Foreign && entry->index < m_foreign.size()) {
        showResult(m_foreign[entry->index], m_foreignLog);
    } else if (entry->kind == ExperimentKind::Library || entry->kind == ExperimentKind::Own) {
        const auto& plans = entry->kind == ExperimentKind::Library ? m_library : m_own;
        showPlanned(plans[entry->index]);
    }
}

void ExperimentsPage::showPlanned(const app::Experiment& experiment) {
    if (m_run && m_run->isRunning() && m_run->experiment().name == experiment.name) {
        showRunning();
        return;
    }
    m_shownLog = m_session.runLog();
    const int number = ++m_contentNumber;
    const engine::Capabilities capabilities = m_session.capabilities();
    ShownExperiment shown{
        .experiment = experiment, .blocks = {}, .verdict = {}, .run = {}, .state = {}, .plots = {}};
    shown.canStart = canStart();
    const auto need = app::missingNeed(experiment, m_session.hasModel() ? &capabilities : nullptr);
    if (need) {
        shown.state = tr("needs %1").arg(app::needLabel(*need));
        shown.verdict.claim.verdict = app::ClaimVerdict::Needs;
        shown.verdict.claim.need = *need;
        shown.canStart = false;
    } else if (!m_session.hasModel()) {
        shown.state = tr("open a model first");
    } else {
        shown.state = tr("not run, about %1")
                          .arg(QString::fromStdString(app::durationText(experiment.seconds())));
    }
    if (number == m_contentNumber) {
        m_view->show(std::move(shown));
        Q_EMIT contentShown();
    }
}

void ExperimentsPage::readForeign(std::filesystem::path log, std::int64_t run) {
    app::runInBackground(
        this,
        [log]() -> engine::Result<
                    std::pair<std::filesystem::path, std::vector<app::ExperimentResult>>> {
            const auto file = log.empty() ? app::exampleLog() : log;
            if (!file) {
                return std::unexpected(file.error());
            }
            auto results = app::experimentResults(*file);
            if (!results) {
                return std::unexpected(results.error());
            }
            return std::pair(*file, std::move(*results));
        },
        [this, run, isExample = log.empty()](auto read) {
            if (!read || (isExample && !m_isExample)) {
                return; // the list goes without
            }
            m_isExample = isExample;
            m_foreignLog = std::move(read->first);
            m_foreign = std::move(read->second);
            fillList();
            const auto found = std::ranges::find(
                m_foreign, run, [](const app::ExperimentResult& result) { return result.run.id; });
            if (found != m_foreign.end()) {
                showTab(0);
                m_list->choose(ExperimentKind::Foreign, std::size_t(found - m_foreign.begin()));
            }
            Q_EMIT listed();
        });
}

void ExperimentsPage::chooseRun(std::int64_t run) {
    const auto found = std::ranges::find(
        m_results, run, [](const app::ExperimentResult& result) { return result.run.id; });
    if (found != m_results.end()) {
        showTab(found->experiment.name == kTunerName ? 2 : 0);
        m_list->choose(ExperimentKind::Finished, std::size_t(found - m_results.begin()));
    }
}

void ExperimentsPage::showResult(const app::ExperimentResult& result,
                                 const std::filesystem::path& log) {
    m_shownLog = log;
    const int number = ++m_contentNumber;
    // Pictures need the requests, which are read first; texts are made here, where the language is.
    app::runInBackground(
        this,
        [log, id = result.run.id]() -> engine::Result<app::RunData> {
            auto store = app::RunStore::open(log, app::StoreMode::ReadOnly);
            if (!store) {
                return std::unexpected(store.error());
            }
            return (*store)->load(id);
        },
        [this, number, result](engine::Result<app::RunData> read) {
            if (number != m_contentNumber) {
                return;
            }
            ShownExperiment shown{.experiment = result.experiment,
                                  .blocks = result.blocks,
                                  .verdict = result.verdict,
                                  .run = result.run,
                                  .state = {},
                                  .plots = {}};
            shown.canStart = canStart();
            shown.state =
                tr("%1, %2").arg(app::runStateLabel(result.run.state),
                                 QString::fromStdString(app::durationText(
                                     result.blocks.empty() ? 0.0 : result.blocks.back().end)));
            if (read) {
                shown.plots =
                    plotsOf(result.experiment, result.blocks, result.verdict, read->history);
            }
            m_view->show(std::move(shown));
            Q_EMIT contentShown();
        });
}

QString ExperimentsPage::stateText() const {
    QString word;
    switch (m_run->phase()) {
    case app::ExperimentPhase::Calibrating:
        word = tr("measuring what the engine can do");
        break;
    case app::ExperimentPhase::Switching:
        word = tr("switching");
        break;
    case app::ExperimentPhase::WarmingUp:
        word = tr("warming up");
        break;
    case app::ExperimentPhase::Measuring:
        word = tr("measuring");
        break;
    case app::ExperimentPhase::Draining:
        word = tr("last answers");
        break;
    default:
        return m_run->message();
    }
    const auto side = std::size_t(m_run->side());
    return tr("block %1 of %2, %3: %4, about %5 left")
        .arg(m_run->blockNumber())
        .arg(m_run->experiment().blocks)
        .arg(QString::fromStdString(m_run->experiment().sides[side].label), word,
             QString::fromStdString(app::durationText(m_run->secondsLeft())));
}

} // namespace ui
