// The Experiments page over a session with a scripted backend: list, running in place, results,
// claims, editing, both languages.
#include "app/experiment/experiment_draft.h"
#include "app/store/summary.h"
#include "tests/support/fake_session.h"
#include "ui/pages/experiments_page.h"
#include "ui/panels/advisor_view.h"
#include "ui/panels/claims_view.h"
#include "ui/panels/experiment_editor.h"
#include "ui/panels/experiment_list.h"
#include "ui/panels/experiment_view.h"
#include "ui/panels/sides_form.h"
#include "ui/panels/tuner_view.h"
#include "ui/panels/workload_form.h"
#include "ui/theme.h"
#include "ui/widgets/interval_bar.h"
#include "ui/widgets/toml_edit.h"
#include "ui/widgets/tuner_scatter.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStackedWidget>
#include <QTest>

namespace {

app::Experiment quickTokenizing() {
    auto experiment = *app::loadExperiment("tokenize-english");
    experiment.measureSeconds = 0.1;
    experiment.blocks = 4;
    experiment.workload.stages.front().seconds = experiment.blockSeconds();
    return experiment;
}

QPushButton* button(const QWidget* parent, const QString& text) {
    for (QPushButton* each : parent->findChildren<QPushButton*>()) {
        if (each->text().startsWith(text) && each->isVisibleTo(parent)) {
            return each;
        }
    }
    return nullptr;
}

} // namespace

class TstExperimentsPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        ui::applyTheme(*qApp, ui::ThemeKind::Dark);
        qputenv("XDG_DATA_HOME", m_home.path().toUtf8());
    }
    void theLibraryIsListedWithItsClaims();
    void withoutAModelNothingStarts();
    void anExperimentRunsInPlaceAndIsListed();
    void stoppingKeepsWhatWasMeasured();
    void copiesAreEditedAsFormAndText();
    void theFormHasWhatTheTextHas();
    void theRuleStandsBesideTheMeasurements();
    void intervalsShareOneScale();
    void claimsAreFilteredAndOpened();
    void theTunerShowsFrontAndOptimum();
    void theProofIsOfTheSearchsOwnQuestion();

private:
    QTemporaryDir m_home;
};

void TstExperimentsPage::theLibraryIsListedWithItsClaims() {
    tests::FakeSession at;
    at.load();
    ui::ExperimentsPage page(at.session);
    const auto& entries = page.list()->entries();
    QVERIFY(entries.size() >= 25);
    const auto dim = std::ranges::count_if(
        entries, [](const ui::ExperimentEntry& entry) { return entry.isDim; });
    QVERIFY(dim > 0 && std::size_t(dim) < entries.size());
    QCOMPARE(page.view()->shown().experiment.name, std::string("map-or-read"));
    page.openArgument(QStringLiteral("priority"));
    QCOMPARE(page.view()->shown().experiment.name, std::string("priority"));
    QVERIFY(page.view()->shown().canStart);
    page.openArgument(QStringLiteral("cuda-graphs"));
    QVERIFY(!page.view()->shown().canStart);
    QCOMPARE(page.view()->shown().verdict.claim.verdict, app::ClaimVerdict::Needs);
    page.list()->setFilter(QStringLiteral("slots"));
    QVERIFY(page.list()->count() >= 2 && page.list()->count() < 6); // with its head
}

void TstExperimentsPage::withoutAModelNothingStarts() {
    tests::FakeSession at;
    ui::ExperimentsPage page(at.session);
    page.openArgument(QStringLiteral("priority"));
    QVERIFY(!page.view()->shown().canStart);
    page.start(page.view()->shown().experiment);
    QVERIFY(page.run() == nullptr);
}

void TstExperimentsPage::anExperimentRunsInPlaceAndIsListed() {
    tests::FakeSession at;
    at.load();
    ui::ExperimentsPage page(at.session);
    page.resize(1300, 800);
    page.show();
    page.setShown(true);
    page.openArgument(QStringLiteral("tokenize-english"));
    page.start(quickTokenizing());
    QVERIFY(page.run() != nullptr && page.run()->isRunning());
    QVERIFY(page.view()->shown().isRunning);
    QVERIFY(button(page.view(), QStringLiteral("Stop")) != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(!page.run()->isRunning(), 20'000);
    QTRY_VERIFY_WITH_TIMEOUT(
        page.view()->shown().run.has_value() && page.view()->shown().run->id > 0, 20'000);
    QCOMPARE(page.view()->shown().blocks.size(), std::size_t{4});
    QVERIFY(page.view()->shown().verdict.claim.measured);
    QCOMPARE(page.list()->entries().front().kind, ui::ExperimentKind::Finished);
    // The claims table has it too.
    const auto& rows = page.claims()->rows();
    const auto row = std::ranges::find_if(
        rows, [](const app::ClaimRow& each) { return each.experiment.name == "tokenize-english"; });
    QVERIFY(row != rows.end() && row->run && row->verdict.claim.measured);
}

void TstExperimentsPage::stoppingKeepsWhatWasMeasured() {
    tests::FakeSession at;
    at.load();
    ui::ExperimentsPage page(at.session);
    page.show();
    page.setShown(true);
    page.openArgument(QStringLiteral("tokenize-english"));
    auto experiment = quickTokenizing();
    experiment.blocks = 100;
    page.start(experiment);
    QTRY_VERIFY_WITH_TIMEOUT(page.run()->blocks().size() >= 2, 20'000);
    page.stop();
    QTRY_VERIFY(!page.run()->isRunning());
    QVERIFY(page.run()->blocks().size() >= 2 && page.run()->blocks().size() < 100);
}

void TstExperimentsPage::copiesAreEditedAsFormAndText() {
    ui::ExperimentEditor editor;
    editor.edit(*app::loadExperiment("priority"));
    QVERIFY(!editor.draft().problem());
    QVERIFY(editor.draft().experiment().name != "priority");
    editor.blocks()->setValue(12);
    QCOMPARE(editor.draft().experiment().blocks, 12);
    QVERIFY(editor.text()->toPlainText().contains(QStringLiteral("blocks = 12")));
    QString text = editor.text()->toPlainText();
    editor.text()->setPlainText(
        text.replace(QStringLiteral("blocks = 12"), QStringLiteral("blocks = 16 # mine")));
    QTRY_COMPARE(editor.draft().experiment().blocks, 16);
    QCOMPARE(editor.blocks()->value(), 16);
    QVERIFY(editor.text()->toPlainText().contains(QStringLiteral("# mine")));
    editor.text()->setPlainText(QStringLiteral("[experiment]\nblox = 3\n"));
    QTRY_VERIFY(editor.draft().problem().has_value());
    QCOMPARE(editor.draft().problem()->line, std::optional<int>(2));
    QVERIFY(!button(&editor, QStringLiteral("Save"))->isEnabled());
    editor.edit(*app::loadExperiment("priority"));
    QSignalSpy saved(&editor, &ui::ExperimentEditor::saved);
    button(&editor, QStringLiteral("Save"))->click();
    QCOMPARE(saved.count(), 1);
    const auto own = app::ownExperiments(app::ownExperimentsFolder());
    QCOMPARE(own.size(), std::size_t{1});
    QCOMPARE(own.front(), editor.draft().experiment());
}

void TstExperimentsPage::theFormHasWhatTheTextHas() {
    ui::ExperimentEditor editor;
    editor.edit(*app::loadExperiment("continuous-single"));
    // What varies: a second setting on both sides.
    const int rows = editor.sides()->rowCount();
    QVERIFY(rows >= 1);
    editor.sides()->addRow(QStringLiteral("batching.token_budget"), QStringLiteral("64"),
                           QStringLiteral("256"));
    Q_EMIT editor.sides()->changed();
    const auto& sides = editor.draft().experiment().sides;
    QCOMPARE(sides.size(), std::size_t{2});
    QCOMPARE(sides[1].settings.back(),
             (std::pair<std::string, std::string>("batching.token_budget", "256")));
    QVERIFY(editor.text()->toPlainText().contains(QStringLiteral("\"256\"")));
    // Statistic, stop rule, the workload's own figures.
    editor.statistic()->setCurrentIndex(
        editor.statistic()->findData(static_cast<int>(app::Statistic::Ratio)));
    Q_EMIT editor.statistic()->activated(editor.statistic()->currentIndex());
    editor.stopAt()->setValue(5.0);
    QCOMPARE(editor.draft().experiment().statistic, app::Statistic::Ratio);
    QCOMPARE(editor.draft().experiment().stopAt, 0.05);
    QVERIFY(editor.text()->toPlainText().contains(QStringLiteral("stop = 0.05")));
    editor.workloadName()->setCurrentIndex(editor.workloadName()->findData(QString()));
    Q_EMIT editor.workloadName()->activated(editor.workloadName()->currentIndex());
    QVERIFY(editor.draft().experiment().workloadName.empty());
    app::Workload own = editor.workload()->workload();
    own.stages.front().users = 3;
    own.stages.front().kind = app::ArrivalKind::Closed;
    editor.workload()->setWorkload(own);
    Q_EMIT editor.workload()->changed();
    QCOMPARE(editor.draft().experiment().workload.stages.front().users, 3);
    QVERIFY(!editor.draft().problem());
    // The text says the same, whoever reads it.
    const auto read = app::parseExperiment(editor.draft().text(), editor.draft().experiment().name);
    QVERIFY(read.has_value());
    QVERIFY(*read == editor.draft().experiment());
    // And the way back: a sweep that was typed stands in the form.
    editor.edit(*app::loadExperiment("batch-size"));
    QVERIFY(!editor.draft().experiment().sweepKey.empty());
    QVERIFY(!editor.draft().problem());
    editor.sides()->chooseSweep(false);
    QVERIFY(editor.draft().experiment().sweepKey.empty());
}

void TstExperimentsPage::theRuleStandsBesideTheMeasurements() {
    ui::AdvisorView advisor;
    advisor.show();
    QCOMPARE(advisor.rows().rowCount(), 1); // the rule alone
    QVERIFY(!advisor.rows().rowAt(0).ttftP99Ms.has_value());
    app::RunSummary run;
    run.run.id = 7;
    run.ttftMs.n = 400;
    run.ttftMs.p99 = 120.0;
    run.requestsPerSecond = 9.0;
    run.settings = {{.timeNs = 0,
                     .field = "batching.policy",
                     .requested = "continuous",
                     .effective = "continuous",
                     .state = {},
                     .reason = {}}};
    app::RunSummary slow = run;
    slow.run.id = 8;
    slow.ttftMs.p99 = 900.0;
    slow.requestsPerSecond = 20.0;
    app::RunSummary few = run;
    few.run.id = 9;
    few.ttftMs.n = 20;
    few.requestsPerSecond = 50.0;
    advisor.setRuns({few, slow, run});
    QCOMPARE(advisor.rows().rowCount(), 2);
    QCOMPARE(advisor.rows().rowAt(1).run.value_or(0), std::int64_t{7});
    QVERIFY(advisor.rows().rowAt(1).isWithin);
    QSignalSpy applied(&advisor, &ui::AdvisorView::applyRequested);
    advisor.setCanApply(true);
    advisor.table()->selectShownRow(1);
    button(&advisor, QStringLiteral("Apply live"))->click();
    QCOMPARE(applied.count(), 1);
    const auto settings = applied[0][0].value<app::SettingTexts>();
    QCOMPARE(settings.front().second, std::string("continuous"));
}

void TstExperimentsPage::intervalsShareOneScale() {
    QCOMPARE(ui::intervalScale({}), 0.05);
    QCOMPARE(ui::intervalScale({{.value = 0.04, .low = 0.01, .high = 0.11}}), 0.2);
    QCOMPARE(ui::intervalScale({{.value = -0.93, .low = {}, .high = {}}}), 1.0);
    QCOMPARE(ui::intervalScale({{.value = 9.0, .low = {}, .high = {}}}), 2.0);
}

void TstExperimentsPage::claimsAreFilteredAndOpened() {
    tests::FakeSession at;
    at.load();
    ui::ExperimentsPage page(at.session);
    page.resize(1300, 800);
    page.show();
    page.showTab(1);
    const ui::ClaimModel& model = page.claims()->model();
    const int all = model.rowCount();
    QVERIFY(all > 30); // with heads
    auto* filter = page.claims()->findChild<QLineEdit*>();
    filter->setText(QStringLiteral("INT8"));
    QVERIFY(model.rowCount() >= 1 && model.rowCount() < 5);
    filter->clear();
    QCOMPARE(model.rowCount(), all);
    page.openArgument(QStringLiteral("claims"));
    QVERIFY(page.claims()->isVisible());
}

void TstExperimentsPage::theTunerShowsFrontAndOptimum() {
    const auto plan = *app::planTuner(20, std::nullopt);
    std::vector<app::Block> blocks;
    for (int side = 0; side < static_cast<int>(plan.experiment.sides.size()); ++side) {
        blocks.push_back({.number = side + 1,
                          .side = side,
                          .isWhole = true,
                          .figures = {{"ttft_p99_ms", {40.0 + 20 * side, 400}},
                                      {"output_tokens_per_s", {100.0 + 10 * side, 10}},
                                      {"goodput_per_s", {side < 5 ? 1.0 + side : 0.0, 10}}},
                          .contamination = {}});
    }
    ui::TunerView view;
    view.resize(1200, 800);
    view.setVisible(true);
    view.setRunning(false, true);
    view.show(plan.experiment, blocks, QStringLiteral("finished"));
    QVERIFY(view.result().optimum);
    QCOMPARE(view.scatter()->chosen(), *view.result().optimum);
    QSignalSpy applied(&view, &ui::TunerView::applyRequested);
    button(&view, QStringLiteral("Apply"))->click();
    QCOMPARE(applied.count(), 1);
    const auto settings = applied.front().front().value<app::SettingTexts>();
    QVERIFY(!settings.empty());
    QTest::keyClick(view.scatter(), Qt::Key_Right);
    QVERIFY(view.scatter()->chosen() != *view.result().optimum);
    view.show(plan.experiment, {}, {});
    QVERIFY(view.result().points.empty());
    QVERIFY(!view.grab().isNull());
}

// The same workload, as many users, and goodput within the limits that were searched for.
void TstExperimentsPage::theProofIsOfTheSearchsOwnQuestion() {
    tests::FakeSession at;
    at.load();
    at.session.setServiceTarget(800.0, 100.0);
    ui::ExperimentsPage page(at.session);
    page.show();
    page.setShown(true);
    const auto plan = *app::planTuner(20, std::nullopt);
    app::RunInfo searched;
    searched.sloTtftMs = 250.0;
    searched.sloTpotMs = app::kNoLimitMs;
    page.tuner()->setLimits(searched);
    page.tuner()->show(plan.experiment, {}, {});
    QCOMPARE(page.tuner()->limits().ttftP99Ms.value_or(0), 250.0);
    QVERIFY(!page.tuner()->limits().tpotP99Ms);
    page.proveSettings({{"batching.policy", "continuous"},
                        {"batching.max_batch", "8"},
                        {"batching.token_budget", "512"}});
    QVERIFY(page.run() != nullptr && page.run()->isRunning());
    const app::Experiment& proof = page.run()->experiment();
    QCOMPARE(proof.workload.stages.front().users, 8);
    QVERIFY(proof.workload.promptTokens == plan.experiment.workload.promptTokens);
    QCOMPARE(at.session.serviceTtftMs(), 250.0);
    page.stop();
    QTRY_VERIFY(!page.run()->isRunning());
    QTRY_COMPARE(at.session.serviceTtftMs(), 800.0); // as before
    QCOMPARE(at.session.serviceTpotMs(), 100.0);
}

QTEST_MAIN(TstExperimentsPage)
#include "tst_experiments_page.moc"
