// The views beside the tuner: the advisor, and replays. See experiments_page.h.
#include "app/background.h"
#include "app/compare/run_views.h"
#include "app/session.h"
#include "ui/pages/experiments_page.h"
#include "ui/panels/advisor_view.h"
#include "ui/panels/replay_view.h"
#include "ui/panels/tuner_view.h"
#include "ui/widgets/tab_row.h"

#include <QStackedWidget>

namespace ui {

void ExperimentsPage::buildViews() {
    m_advisor = new AdvisorView(m_stack);
    m_stack->addWidget(m_advisor);
    m_replay = new ReplayView(m_session, m_stack);
    m_stack->addWidget(m_replay);
    connect(m_advisor, &AdvisorView::applyRequested, this,
            [this](const app::SettingTexts& settings) { applySettings(settings, {}); });
    connect(m_advisor, &AdvisorView::runRequested, this, [this](std::int64_t run) {
        Q_EMIT pageRequested(QStringLiteral("runs"), QString::number(run));
    });
    connect(m_advisor, &AdvisorView::searchRequested, this, [this] { showTab(2); });
    connect(m_tabs, &TabRow::currentChanged, this, [this] { feedAdvisor(); });
    connect(&m_session, &app::Session::configChanged, this, &ExperimentsPage::feedAdvisor);
}

void ExperimentsPage::feedViews() {
    app::runInBackground(
        this, [log = m_session.runLog()] { return app::listRuns(log); },
        [this](engine::Result<std::vector<app::RunSummary>> runs) {
            if (runs) {
                m_replay->setRuns(*runs);
                m_advisor->setRuns(std::move(*runs));
            }
            feedAdvisor();
        });
}

// What was searched last, and what is in force.
void ExperimentsPage::feedAdvisor() {
    if (!m_isShown) {
        return;
    }
    const app::TunerResult& found = m_tuner->result();
    std::optional<AdviceRow> optimum;
    if (found.optimum) {
        const app::TunerPoint& point = found.points[static_cast<std::size_t>(*found.optimum)];
        AdviceRow row{.kind = AdviceRow::Kind::Search,
                      .ttftP99Ms = point.ttftP99Ms,
                      .tpotP99Ms = point.tpotP99Ms,
                      .outputPerSecond = point.outputPerSecond,
                      .requestsPerSecond = point.goodputPerSecond,
                      .n = point.n,
                      .isWithin = point.meetsLimits};
        const auto& side = m_tuner->experiment().sides[static_cast<std::size_t>(point.side)];
        for (const auto& [key, value] : side.settings) {
            if (!key.starts_with("workload.")) {
                row.settings.emplace_back(key, value);
            }
        }
        optimum = std::move(row);
    }
    m_advisor->setSearch(std::move(optimum));
    app::SettingTexts inForce;
    if (m_session.hasModel()) {
        const engine::EngineConfig config = m_session.config().effective;
        for (const char* key : {"batching.policy", "batching.max_batch", "batching.token_budget",
                                "weights.precision"}) {
            if (const engine::Field* field = engine::findField(key)) {
                inForce.emplace_back(key, engine::valueText(*field, config));
            }
        }
    }
    m_tuner->setInForce(inForce);
    m_advisor->setInForce(std::move(inForce));
    m_advisor->setCanApply(m_session.hasModel() && !m_session.isExperimentRunning());
}

} // namespace ui
