// Replay and what-if in the window: a recorded run again under other settings, simulated, then
// really, and traces with what is wrong with them.
#include "tests/support/fake_session.h"
#include "tests/support/scripted_run.h"
#include "ui/panels/replay_view.h"
#include "ui/theme.h"

#include <QFile>
#include <QSignalSpy>
#include <QTest>

class TstReplayView : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { ui::applyTheme(*qApp, ui::ThemeKind::Dark); }
    void aRecordedRunIsSentAgainAndSettingsComeBack();
    void withoutCostsItSaysWhyItIsNotSimulated();
    void aDamagedTraceNamesItsLine();
    void aRefusedSettingChangesNothing();
};

namespace {

// A log with one short run, and a session over it.
struct Fixture {
    Fixture() {
        auto store = app::RunStore::open(fake.folder.path().toStdString() + "/other.db",
                                         app::StoreMode::Write);
        if (!store) {
            throw std::runtime_error(store.error().message);
        }
        tests::writeScriptedRun(**store, {.name = "short", .phases = {{2.0, 6.0, 4}}});
        store->reset();
        QSignalSpy imported(&fake.session, &app::Session::runsImported);
        fake.session.importRuns(fake.folder.path().toStdString() + "/other.db");
        QTRY_COMPARE_WITH_TIMEOUT(imported.count(), 1, 20'000);
        run = imported[0][1].toLongLong();
        view = std::make_unique<ui::ReplayView>(fake.session);
        view->show();
        auto log = app::RunStore::open(fake.session.runLog(), app::StoreMode::ReadOnly);
        view->setRuns(*(*log)->runs());
    }
    tests::FakeSession fake;
    std::int64_t run = 0;
    std::unique_ptr<ui::ReplayView> view;
};

} // namespace

void TstReplayView::aRecordedRunIsSentAgainAndSettingsComeBack() {
    Fixture at;
    at.view->chooseRun(at.run);
    QTRY_VERIFY_WITH_TIMEOUT(at.view->source().has_value(), 20'000);
    QVERIFY(at.view->problem().isEmpty());
    const std::size_t all = at.view->source()->requests.size();
    QVERIFY(all > 3);
    at.view->runReally(); // there is no model yet
    QVERIFY(!at.view->isBusy());
    at.fake.load();
    at.view->setFirstSeconds(1.0);
    at.view->changeSetting(QStringLiteral("batching.max_batch"), QStringLiteral("3"));
    const std::string before = engine::valueText(*engine::findField("batching.max_batch"),
                                                 at.fake.session.config().requested);
    QVERIFY(before != "3");
    at.view->runReally();
    QVERIFY(at.view->isBusy());
    QCOMPARE(engine::valueText(*engine::findField("batching.max_batch"),
                               at.fake.session.config().requested),
             std::string("3"));
    QTRY_VERIFY_WITH_TIMEOUT(at.fake.session.loadProgress().sent > 0, 20'000);
    if (at.fake.session.isLoadRunning()) {
        at.fake.session.stopLoad();
    }
    QTRY_VERIFY_WITH_TIMEOUT(at.view->real().has_value(), 20'000);
    QVERIFY(at.view->real()->requests > 0);
    QVERIFY(at.view->real()->run.id != at.run);
    QCOMPARE(engine::valueText(*engine::findField("batching.max_batch"),
                               at.fake.session.config().requested),
             before);
    QVERIFY(at.view->rows().rowCount() > 5);
    bool hasBoth = false;
    for (int i = 0; i < at.view->rows().rowCount(); ++i) {
        const app::ReplayRow& row = at.view->rows().rowAt(i);
        hasBoth = hasBoth || (row.recorded && row.real);
    }
    QVERIFY(hasBoth);
}

void TstReplayView::withoutCostsItSaysWhyItIsNotSimulated() {
    Fixture at;
    at.view->chooseRun(at.run);
    QTRY_VERIFY_WITH_TIMEOUT(at.view->source().has_value(), 20'000);
    at.view->simulate();
    QTRY_VERIFY_WITH_TIMEOUT(!at.view->isBusy(), 20'000);
    QVERIFY(!at.view->simulated().has_value()); // a scripted run measured no step costs
    QVERIFY(!at.view->problem().isEmpty());
}

void TstReplayView::aDamagedTraceNamesItsLine() {
    Fixture at;
    const QString path = at.fake.folder.filePath(QStringLiteral("trace.csv"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.97,many,8\n");
    file.close();
    at.view->openTrace(path);
    QTRY_VERIFY(!at.view->problem().isEmpty());
    QVERIFY2(at.view->problem().contains(QStringLiteral("2")) &&
                 at.view->problem().contains(QStringLiteral("many")),
             qPrintable(at.view->problem()));
    QVERIFY(!at.view->source().has_value());
}

void TstReplayView::aRefusedSettingChangesNothing() {
    Fixture at;
    at.view->chooseRun(at.run);
    QTRY_VERIFY_WITH_TIMEOUT(at.view->source().has_value(), 20'000);
    at.view->changeSetting(QStringLiteral("batching.max_batch"), QStringLiteral("-4"));
    at.view->changeSetting(QStringLiteral("no.such.setting"), QStringLiteral("1"));
    at.fake.load();
    const auto before = at.fake.session.config().requested;
    QVERIFY(engine::valueText(*engine::findField("batching.max_batch"), before) != "-4");
}

QTEST_MAIN(TstReplayView)
#include "tst_replay_view.moc"
