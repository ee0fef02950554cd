// What the Experiments page does for the tuner: a search, and its proof. See experiments_page.h.
#include "app/experiment/tuner.h"
#include "app/session.h"
#include "app/store/summary.h"
#include "app/value_text.h"
#include "ui/pages/experiments_page.h"
#include "ui/panels/tuner_view.h"

#include <algorithm>
#include <utility>

namespace ui {

void ExperimentsPage::startSearch() {
    const app::ServiceLimits limits = m_tuner->limits();
    auto plan = app::planTuner(m_tuner->minutes(), m_tuner->workload());
    if (!plan) {
        Q_EMIT messageRaised(tr("The search did not start"),
                             QString::fromStdString(plan.error().message));
        return;
    }
    if (!canStart()) {
        return;
    }
    aimFor(limits);
    app::Experiment experiment = plan->experiment;
    start(std::move(experiment), app::tunerSchedule(*plan));
}

void ExperimentsPage::resumeSearch() {
    const auto search =
        std::ranges::find(m_results, std::string("tuner"), [](const app::ExperimentResult& result) {
            return result.experiment.name;
        });
    if (!canStart() || m_tuner->blocks().empty()) {
        return;
    }
    if (search != m_results.end() && !search->run.modelDigest.empty() &&
        search->run.modelDigest != m_session.capabilities().modelDigest) {
        Q_EMIT messageRaised(
            tr("The search was not continued"),
            tr("It was made with another model. Open that model, or search anew."));
        return;
    }
    aimFor(m_tuner->limits());
    const app::TunerPlan plan = app::resumedPlan(m_tuner->experiment(), m_tuner->minutes());
    auto run = std::make_unique<app::ExperimentRun>(m_session, plan.experiment);
    run->setSchedule(app::tunerSchedule(plan)); // the earlier blocks are among the run's own
    run->continueAfter(m_tuner->blocks(), std::nullopt);
    launch(std::move(run));
}

// Goodput is counted within these limits until the experiment ends.
void ExperimentsPage::aimFor(const app::ServiceLimits& limits) {
    if (!m_targetBefore) {
        m_targetBefore = {m_session.serviceTtftMs(), m_session.serviceTpotMs()};
    }
    m_session.setServiceTarget(limits.ttftP99Ms.value_or(app::kNoLimitMs),
                               limits.tpotP99Ms.value_or(app::kNoLimitMs));
}

void ExperimentsPage::showSearch() {
    m_tuner->show(m_run->experiment(), m_run->blocks(),
                  m_run->isRunning()
                      ? tr("Round %1, %2 · %n configuration(s) measured", nullptr,
                           static_cast<int>(m_run->blocks().size()))
                            .arg(m_run->round() + 1)
                            .arg(app::configurationText(
                                m_run->experiment().sides[std::size_t(m_run->side())]))
                      : m_run->message());
}

// What the tuner chose against what is in force, as an experiment like any other.
void ExperimentsPage::proveSettings(const app::SettingTexts& settings) {
    if (!canStart()) {
        return;
    }
    app::SettingTexts inForce;
    const engine::ConfigStatus status = m_session.config();
    for (const auto& [key, value] : settings) {
        if (const engine::Field* field = engine::findField(key)) {
            inForce.emplace_back(key, engine::valueText(*field, status.requested));
        }
    }
    app::Experiment proof = app::tunerProof(m_tuner->experiment(), settings, inForce);
    proof.title = tr("What the tuner chose against what is in force").toStdString();
    aimFor(m_tuner->limits());
    m_own.push_back(proof);
    showTab(0);
    start(std::move(proof));
}

void ExperimentsPage::restoreTarget() {
    if (const auto before = std::exchange(m_targetBefore, std::nullopt)) {
        m_session.setServiceTarget(before->first, before->second);
    }
}

} // namespace ui
