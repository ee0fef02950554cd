// The main path, end to end: a real engine on a tiny model, a workload, a setting changed under
// traffic in the panel, its marker on the charts and its rows in the log, a cancelled request, two
// runs compared, a report written.
#include "app/plot/charts.h"
#include "app/session.h"
#include "app/store/run_store.h"
#include "tests/support/tiny_model.h"
#include "ui/pages/load_page.h"
#include "ui/pages/requests_page.h"
#include "ui/pages/runs_page.h"
#include "ui/panels/comparison_view.h"
#include "ui/panels/config_form.h"
#include "ui/panels/field_row.h"
#include "ui/panels/playground.h"
#include "ui/theme.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/prompt_edit.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace {

constexpr int kLong = 60'000; // the machine may be busy

app::Workload shortLoad() {
    app::Workload workload;
    workload.name = "short";
    workload.promptSets = {"english"};
    workload.stages = {{.ratePerSecond = 25.0, .endRatePerSecond = 25.0, .seconds = 3.0}};
    workload.promptTokens = {4, 12};
    workload.outputTokens = {4, 10};
    return workload;
}

} // namespace

class TstConsoleRun : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void aSettingChangedUnderTrafficIsMarkedAndRecorded();
    void anAnswerIsStoppedAtOnce();
    void twoRunsAreComparedAndReported();
    void cleanupTestCase();

private:
    std::int64_t runLoad(bool changesSetting);

    QTemporaryDir m_folder;
    std::filesystem::path m_log;
    std::unique_ptr<app::Session> m_session;
    std::unique_ptr<ui::LoadPage> m_load;
    std::unique_ptr<ui::ConfigForm> m_form;
    std::int64_t m_first = 0;
};

void TstConsoleRun::initTestCase() {
    ui::applyTheme(*qApp, ui::ThemeKind::Dark);
    const std::filesystem::path model = m_folder.path().toStdString() + "/tiny.gguf";
    tests::writeTinyModel(model);
    m_log = m_folder.path().toStdString() + "/runs.db";
    m_session = std::make_unique<app::Session>(m_log);
    engine::EngineConfig config;
    config.threads = 1;
    config.kvBlocks = 64;
    m_session->openModel(model, config);
    QTRY_VERIFY_WITH_TIMEOUT(m_session->hasModel(), kLong);
    m_load = std::make_unique<ui::LoadPage>(*m_session);
    m_load->show();
    m_load->setShown(true);
    m_form = std::make_unique<ui::ConfigForm>(*m_session);
    m_form->show();
}

std::int64_t TstConsoleRun::runLoad(bool changesSetting) {
    m_load->setWorkload(shortLoad());
    m_load->startOrStop();
    if (!QTest::qWaitFor([this] { return m_session->loadProgress().finished > 5; }, kLong)) {
        return 0;
    }
    if (changesSetting) {
        auto* number = qobject_cast<ui::NumberField*>(m_form->row("batching.max_batch")->editor());
        number->selectAll();
        QTest::keyClicks(number, QStringLiteral("3"));
        QTest::keyClick(number, Qt::Key_Return);
    }
    const bool hasEnded = QTest::qWaitFor([this] { return !m_session->isLoadRunning(); }, kLong);
    return hasEnded ? m_session->lastRun().value_or(0) : 0;
}

void TstConsoleRun::aSettingChangedUnderTrafficIsMarkedAndRecorded() {
    m_first = runLoad(true);
    QVERIFY(m_first > 0);
    QCOMPARE(m_session->config().effective.maxBatch, 3);
    QCOMPARE(m_form->row("batching.max_batch")->view().look, ui::FieldLook::Normal);
    // On every chart, as plot data: the operator's marker within the run.
    const app::History& history = m_session->history();
    for (const app::ChartRow& chart : app::chartTable()) {
        const app::Plot plot = chart.make(history, {.from = 0.0, .to = history.endSeconds()});
        QVERIFY2(std::ranges::any_of(plot.markers,
                                     [](const app::Marker& marker) {
                                         return marker.kind == app::MarkerKind::Operator &&
                                                marker.x > 0.0;
                                     }),
                 std::string(chart.key).c_str());
    }
    // In the log, as rows: the setting as requested and effective, and the event.
    auto store = app::RunStore::open(m_log, app::StoreMode::ReadOnly);
    QVERIFY(store);
    const auto run = (*store)->load(m_first);
    QVERIFY(run);
    QCOMPARE(run->summary.run.state, app::RunState::Finished);
    QVERIFY(std::ranges::any_of(run->settings, [](const app::SettingRow& row) {
        return row.field == "batching.max_batch" && row.requested == "3" && row.effective == "3" &&
               row.timeNs > 0;
    }));
    QVERIFY(std::ranges::any_of(run->events, [](const app::StoredEvent& event) {
        return event.payloadJson.find("batching.max_batch") != std::string::npos;
    }));
    QVERIFY(run->summary.completed > 30);
    QCOMPARE(run->summary.completed + run->summary.cancelled + run->summary.failed +
                 run->summary.rejected,
             run->summary.requests);
}

void TstConsoleRun::anAnswerIsStoppedAtOnce() {
    ui::RequestsPage page(*m_session);
    page.show();
    page.setShown(true);
    ui::Playground* playground = page.playground();
    playground->prompt()->setPlainText(QStringLiteral("Count for ever"));
    QTest::keyClick(playground->prompt(), Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(playground->isStreaming());
    playground->stop();
    QTRY_VERIFY_WITH_TIMEOUT(!playground->isStreaming(), kLong);
    page.openArgument(QStringLiteral("label:playground"));
    QTRY_COMPARE_WITH_TIMEOUT(page.model().rowCount(), 1, kLong);
    // A random model may end its answer before it is stopped; one that goes on can't.
    engine::Request endless;
    endless.prompt = std::string("on and on");
    endless.maxTokens = 400;
    endless.ignoreEnd = true;
    endless.label = "endless";
    const auto stream = m_session->submit(endless);
    m_session->cancel(stream->id());
    page.openArgument(QStringLiteral("label:endless outcome:cancelled"));
    QTRY_COMPARE_WITH_TIMEOUT(page.model().rowCount(), 1, kLong);
}

void TstConsoleRun::twoRunsAreComparedAndReported() {
    const std::int64_t second = runLoad(false);
    QVERIFY(second > m_first);
    ui::RunsPage page(*m_session);
    page.resize(1300, 800);
    page.show();
    QSignalSpy listed(&page, &ui::RunsPage::listed);
    page.setShown(true);
    QTRY_VERIFY_WITH_TIMEOUT(listed.count() > 0, kLong);
    QSignalSpy shown(&page, &ui::RunsPage::contentShown);
    page.setTicked(m_first, true);
    page.setTicked(second, true);
    QTRY_VERIFY_WITH_TIMEOUT(shown.count() > 0, kLong);
    const app::RunPair& pair = page.comparison()->pair();
    QCOMPARE(pair.a->summary.run.id, m_first);
    QCOMPARE(pair.b->summary.run.id, second);
    QCOMPARE(pair.a->summary.run.requestDigest, pair.b->summary.run.requestDigest);
    QVERIFY(!pair.comparison.rows.empty());
    const QString file = m_folder.filePath(QStringLiteral("pair.html"));
    QSignalSpy exported(&page, &ui::RunsPage::exported);
    page.exportTo(file);
    QTRY_COMPARE_WITH_TIMEOUT(exported.count(), 1, kLong);
    QVERIFY2(exported[0][1].toString().isEmpty(), qPrintable(exported[0][1].toString()));
    QFile report(file);
    QVERIFY(report.open(QIODevice::ReadOnly));
    const QByteArray text = report.readAll();
    QVERIFY(text.contains("<svg") && text.contains("TTFT"));
    QVERIFY(!text.contains("<script"));
}

void TstConsoleRun::cleanupTestCase() {
    m_form.reset();
    m_load.reset();
    m_session.reset();
}

QTEST_MAIN(TstConsoleRun)
#include "tst_console_run.moc"
