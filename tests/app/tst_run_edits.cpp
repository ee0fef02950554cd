#include "app/compare/run_views.h"
#include "app/run_labels.h"
#include "app/store/run_filter.h"
#include "tests/support/fake_session.h"
#include "tests/support/scripted_run.h"

#include <QSignalSpy>
#include <QTest>
#include <QTimeZone>

class TstRunEdits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void renamingAndRemovingGoThroughTheWriter();
    void aRunBeingRecordedIsNotRemoved();
    void editsAskedForAtTheEndAreStillDone();
    void unknownRunsAreRefused();
    void listOfAnAbsentLogIsEmpty();
    void openAndPairReadWholeRuns();
    void relativeDifferencesAreShares();
    void filterMatchesAsWritten_data();
    void filterMatchesAsWritten();
    void startedIsSaidAsPeopleDo();
    void settingsAreSaidInShort();
    void digestsAndMachinesAreShortened();
};

namespace {

app::RunStore& writer(std::unique_ptr<app::RunStore>& store, const std::filesystem::path& file) {
    auto opened = app::RunStore::open(file, app::StoreMode::Write);
    if (!opened) {
        throw std::runtime_error(opened.error().message);
    }
    store = std::move(*opened);
    return *store;
}

std::vector<app::RunSummary> list(const std::filesystem::path& file) {
    auto runs = app::listRuns(file);
    if (!runs) {
        throw std::runtime_error(runs.error().message);
    }
    return *runs;
}

} // namespace

void TstRunEdits::renamingAndRemovingGoThroughTheWriter() {
    tests::FakeSession fake;
    fake.load();
    QVERIFY(fake.session.startRecording(QStringLiteral("first")));
    fake.session.stopRecording();
    QVERIFY(fake.session.startRecording(QStringLiteral("second")));
    fake.session.stopRecording();
    const auto log = fake.session.runLog();
    QCOMPARE(list(log).size(), std::size_t{2});
    const std::int64_t newest = list(log).front().run.id;
    QSignalSpy edited(&fake.session, &app::Session::runsEdited);
    fake.session.renameRun(newest, QStringLiteral("better name"), QStringLiteral("a note"));
    QTRY_COMPARE(edited.count(), 1);
    QVERIFY(edited[0][0].toString().isEmpty());
    QCOMPARE(list(log).front().run.name, std::string("better name"));
    QCOMPARE(list(log).front().run.note, std::string("a note"));
    fake.session.removeRun(newest);
    QTRY_COMPARE(edited.count(), 2);
    QVERIFY(edited[1][0].toString().isEmpty());
    QCOMPARE(list(log).size(), std::size_t{1});
    QCOMPARE(list(log).front().run.name, std::string("first"));
}

void TstRunEdits::aRunBeingRecordedIsNotRemoved() {
    tests::FakeSession fake;
    fake.load();
    const auto run = fake.session.startRecording(QStringLiteral("now"));
    QVERIFY(run);
    QSignalSpy edited(&fake.session, &app::Session::runsEdited);
    fake.session.removeRun(*run);
    QTRY_COMPARE(edited.count(), 1);
    QVERIFY(!edited[0][0].toString().isEmpty());
    QCOMPARE(list(fake.session.runLog()).size(), std::size_t{1});
}

void TstRunEdits::editsAskedForAtTheEndAreStillDone() {
    QTemporaryDir folder;
    const std::filesystem::path log = folder.path().toStdString() + "/runs.db";
    std::int64_t run = 0;
    {
        std::unique_ptr<app::RunStore> store;
        run = tests::writeScriptedRun(writer(store, log), {.phases = {{3.0, 4.0, 4}}});
    }
    {
        app::Session session(log);
        session.removeRun(run);
    }
    QVERIFY(list(log).empty());
}

void TstRunEdits::unknownRunsAreRefused() {
    tests::FakeSession fake;
    QSignalSpy edited(&fake.session, &app::Session::runsEdited);
    fake.session.removeRun(4711);
    fake.session.renameRun(4711, QStringLiteral("x"), {});
    QTRY_COMPARE(edited.count(), 2);
    QVERIFY(!edited[0][0].toString().isEmpty());
    QVERIFY(!edited[1][0].toString().isEmpty());
}

void TstRunEdits::listOfAnAbsentLogIsEmpty() {
    QTemporaryDir folder;
    QVERIFY(list(folder.path().toStdString() + "/none.db").empty());
    QVERIFY(!app::openRun(folder.path().toStdString() + "/none.db", 1));
}

void TstRunEdits::openAndPairReadWholeRuns() {
    QTemporaryDir folder;
    const std::filesystem::path log = folder.path().toStdString() + "/runs.db";
    std::unique_ptr<app::RunStore> store;
    const std::int64_t a =
        tests::writeScriptedRun(writer(store, log), {.phases = {{20.0, 8.0, 2}}});
    const std::int64_t b = tests::writeScriptedRun(*store, {.phases = {{20.0, 8.0, 16}}});
    const auto opened = app::openRun(log, a);
    QVERIFY(opened);
    QVERIFY(!opened->data->requests.empty());
    QVERIFY(opened->plots.size() >= 4);
    for (const app::Plot& plot : opened->plots) {
        QVERIFY2(!plot.series.empty(), qPrintable(plot.key));
    }
    const auto pair = app::openPair(log, a, b);
    QVERIFY(pair);
    QCOMPARE(pair->a->summary.run.id, a);
    QVERIFY(!pair->comparison.rows.empty());
    QVERIFY(!pair->distribution.series.empty());
    QVERIFY(!app::openPair(log, a, 4711));
}

void TstRunEdits::relativeDifferencesAreShares() {
    const app::ComparisonRow row{.metric = "x",
                                 .unit = "ms",
                                 .a = 200.0,
                                 .b = 150.0,
                                 .difference = -50.0,
                                 .interval = app::Interval{-60.0, -40.0},
                                 .verdict = app::Verdict::Better,
                                 .nA = 1,
                                 .nB = 1};
    const auto relative = app::relativeDifference(row);
    QCOMPARE(relative->share, -0.25);
    QCOMPARE(relative->interval->low, -0.3);
    app::ComparisonRow none = row;
    none.a = 0.0;
    QVERIFY(!app::relativeDifference(none));
    none.a.reset();
    QVERIFY(!app::relativeDifference(none));
    QCOMPARE(app::shownDecimals(row), 0);
    QVERIFY(!app::isAboutZero(row, 0));
    none.difference = 0.4;
    QVERIFY(app::isAboutZero(none, 0));
    QVERIFY(!app::isAboutZero(none, 1));
}

void TstRunEdits::filterMatchesAsWritten_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("matches");
    const auto add = [](const char* text, bool matches) {
        QTest::newRow(text) << QByteArray(text) << matches;
    };
    add("", true);
    add("ramp", true);
    add("chat", false);
    add("tag:nightly", true);
    add("-tag:nightly", false);
    add("model:smol", true);
    add("workload:demo", true);
    add("state:interrupted", true);
    add("state:finished", false);
    add("p99<300", true);
    add("p99<0.1s", false);
    add("p90>0", false); // absent
    add("requests>=100 output>300", true);
    add("id:44", true);
}

void TstRunEdits::filterMatchesAsWritten() {
    QFETCH(QByteArray, text);
    QFETCH(bool, matches);
    app::RunSummary run;
    run.run.id = 44;
    run.run.name = "Ramp past saturation";
    run.run.modelName = "SmolLM2-135M";
    run.run.workloadName = "demo";
    run.run.state = app::RunState::Interrupted;
    run.run.tags = {"nightly"};
    run.requests = 100;
    run.outputPerSecond = 341.6;
    run.ttftMs.p99 = 250.0;
    const auto filter = app::RunFilter::parse(text.toStdString());
    QVERIFY(filter);
    QCOMPARE(filter->matches(run), matches);
    QVERIFY(!app::RunFilter::parse("speed>4"));
}

void TstRunEdits::startedIsSaidAsPeopleDo() {
    const QDateTime now(QDate(2026, 11, 30), QTime(18, 0), Qt::UTC);
    QCOMPARE(app::startedText("2026-11-30T14:31:07.250Z", now), QStringLiteral("today 14:31"));
    QCOMPARE(app::startedText("2026-11-29T09:12:00Z", now), QStringLiteral("yesterday 09:12"));
    QCOMPARE(app::startedText("2026-11-24T08:00:00Z", now), QStringLiteral("24 Nov 08:00"));
    QCOMPARE(app::startedText("2025-11-24T08:00:00Z", now), QStringLiteral("24 Nov 2025 08:00"));
    QCOMPARE(app::startedText("not a time", now), QStringLiteral("not a time"));
    const QDateTime berlin = now.toTimeZone(QTimeZone(3600));
    QCOMPARE(app::startedText("2026-11-30T14:31:07Z", berlin), QStringLiteral("today 15:31"));
}

void TstRunEdits::settingsAreSaidInShort() {
    app::RunSummary run;
    run.settings = {{0, "batching.policy", "continuous", "continuous", "in force", ""},
                    {0, "batching.max_batch", "16", "16", "in force", ""},
                    {0, "batching.token_budget", "96", "96", "in force", ""},
                    {0, "threads", "0", "2", "in force", ""}};
    QCOMPARE(app::settingsText(run), QStringLiteral("continuous 16, Token budget 96"));
    QVERIFY(app::settingsText({}).isEmpty());
}

void TstRunEdits::digestsAndMachinesAreShortened() {
    QCOMPARE(app::shortDigest("xxh3:5c07aaaaaaaae1d2"), QStringLiteral("5c07…e1d2"));
    QCOMPARE(app::shortDigest("xxh3:77ab"), QStringLiteral("77ab"));
    QVERIFY(app::shortDigest("").isEmpty());
    const QStringList lines = app::machineLines(R"({"cpu":"X","memory_bytes":1048576,"deep":{}})");
    QCOMPARE(lines.size(), 2);
    QVERIFY(lines.contains(QStringLiteral("cpu: X")));
    QVERIFY(app::machineLines("not json").isEmpty());
}

QTEST_GUILESS_MAIN(TstRunEdits)
#include "tst_run_edits.moc"
