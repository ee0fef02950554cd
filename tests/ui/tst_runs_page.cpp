#include "app/observe/bookmark.h"
#include "tests/support/fake_session.h"
#include "tests/support/scripted_run.h"
#include "ui/charts/bookmark_field.h"
#include "ui/charts/chart_group.h"
#include "ui/charts/chart_view.h"
#include "ui/charts/chart_window.h"
#include "ui/language.h"
#include "ui/pages/runs_page.h"
#include "ui/panels/comparison_view.h"
#include "ui/panels/dialect_view.h"
#include "ui/panels/overlay_chart.h"
#include "ui/panels/run_charts.h"
#include "ui/panels/run_set_view.h"
#include "ui/panels/run_view.h"
#include "ui/panels/settings_difference.h"
#include "ui/theme.h"
#include "ui/widgets/event_strip.h"
#include "ui/widgets/table_view.h"

#include <QContextMenuEvent>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <sqlite3.h>

#include <cmath>

namespace {

std::int64_t script(const std::filesystem::path& file, const tests::ScriptedRun& run) {
    auto store = app::RunStore::open(file, app::StoreMode::Write);
    if (!store) {
        throw std::runtime_error(store.error().message);
    }
    return tests::writeScriptedRun(**store, run);
}

// A log with three runs, then the page over the session that writes it.
struct Fixture {
    Fixture() {
        log = folder.path().toStdString() + "/runs.db";
        first = script(log, {.name = "slow", .phases = {{20.0, 8.0, 2}}});
        second = script(log, {.name = "fast", .phases = {{20.0, 8.0, 16}}});
        third = script(log, {.name = "broken off", .phases = {{10.0, 8.0, 4}}, .hasEnd = false});
        session = std::make_unique<app::Session>(log);
        QTRY_VERIFY(!session->interruptedRuns().empty()); // marked by whoever writes the log
        page = std::make_unique<ui::RunsPage>(*session);
        page->resize(1300, 800);
        page->show();
        QSignalSpy listed(page.get(), &ui::RunsPage::listed);
        page->setShown(true);
        QTRY_VERIFY(listed.count() > 0);
        // The newest finished run opens by itself.
        QTRY_VERIFY_WITH_TIMEOUT(
            page->opened()->isVisible() && page->opened()->run().data != nullptr, 20'000);
    }
    void compare() {
        QSignalSpy shown(page.get(), &ui::RunsPage::contentShown);
        page->setTicked(second, true);
        page->setTicked(first, true);
        QTRY_VERIFY_WITH_TIMEOUT(shown.count() > 0 && page->comparison()->isVisible(), 20'000);
    }
    void open(std::int64_t run) {
        QSignalSpy shown(page.get(), &ui::RunsPage::contentShown);
        page->openRun(run);
        QTRY_VERIFY_WITH_TIMEOUT(shown.count() > 0 && page->opened()->isVisible(), 20'000);
    }

    QTemporaryDir folder;
    std::filesystem::path log;
    std::int64_t first = 0, second = 0, third = 0;
    std::unique_ptr<app::Session> session;
    std::unique_ptr<ui::RunsPage> page;
};

} // namespace

class TstRunsPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { ui::applyTheme(*qApp, ui::ThemeKind::Light); }
    void runsAreListedNewestFirst();
    void twoTicksCompareTheOlderAsSideA();
    void theBaselineStaysAndIsSideA();
    void aLogIsOpenedByItsName();
    void theExampleOpensWithItsRunAndExperiment();
    void anArchiveComesBackByTheImport();
    void whatCanBeReadOfADamagedLogIsSaved();
    void everyColumnSortsByKey();
    void aRunOpensWithItsCharts();
    void noLineOfWhatRanIsCut();
    void filterNarrowsAndExplains();
    void renamingGoesToTheLog();
    void deletionHidesWaitsAndCanBeUndone();
    void aWaitingDeletionIsCarriedOutAtTheEnd();
    void exportsAreWritten();
    void whatIsShownIsExportedWhateverIsTicked();
    void anotherLogIsReadOnly();
    void aFileThatIsNoLogSaysSo();
    void theBaselineIsPinnedAndOthersAreHeldAgainstIt();
    void tagsAreWrittenToTheLog();
    void aSelectedSpanOfARunHasItsOwnFigures();
    void aChartOfARunStandsInAWindowOfItsOwn();
    void chartsOfTwoRunsHaveTheirKeysAndWindows();
    void theUnitOfAChartOfTwoRunsIsShownWhole();
    void settingsThatDifferFitTheirColumns_data();
    void settingsThatDifferFitTheirColumns();
    void aRunSplitsAtItsCrosshairAndComesBack();
    void anEventOfARunSplitsIt();
    void aPlaceTooNearTheEndIsSaidNotSplit();
    void recordedRunsTakeBookmarks();
    void threeTicksStandSideBySide();
    void figuresReadAsOtherToolsNameThem();
};

void TstRunsPage::runsAreListedNewestFirst() {
    Fixture at;
    QCOMPARE(at.page->model().rowCount(), 3);
    QCOMPARE(at.page->model().rowAt(0).run.id, at.third);
    // Left recording by a program that is gone: marked, not hidden.
    QCOMPARE(at.page->model().rowAt(0).run.state, app::RunState::Interrupted);
    const auto tags =
        at.page->model().index(0, static_cast<int>(ui::RunColumn::Tags)).data().toString();
    QVERIFY(tags.contains(QStringLiteral("interrupted")));
}

void TstRunsPage::twoTicksCompareTheOlderAsSideA() {
    Fixture at;
    at.compare();
    const app::RunPair& pair = at.page->comparison()->pair();
    QCOMPARE(pair.a->summary.run.id, at.first);
    QCOMPARE(pair.b->summary.run.id, at.second);
    const auto& rows = at.page->comparison()->model();
    QVERIFY(rows.rowCount() >= 10);
    bool isBetter = false;
    for (int i = 0; i < rows.rowCount(); ++i) {
        isBetter = isBetter || (rows.rowAt(i).metric == "ttft_p50_ms" &&
                                rows.rowAt(i).verdict == app::Verdict::Better);
    }
    QVERIFY(isBetter);
    at.page->setTicked(at.third, true);
    QCOMPARE(at.page->ticks().size(), std::size_t{3});
    at.page->setTicked(at.third, false);
    QCOMPARE(at.page->ticks().size(), std::size_t{2});
}

void TstRunsPage::theBaselineStaysAndIsSideA() {
    Fixture at;
    QSignalSpy edited(at.session.get(), &app::Session::runsEdited);
    std::vector<std::int64_t> runs{at.first, at.second, at.third};
    at.page->pinBaseline(at.second);
    QTRY_VERIFY(edited.count() > 0);
    QTRY_VERIFY(app::isBaseline(at.page->model().rowAt(1)));
    // A newer baseline is what the older run is held against.
    at.page->setTicked(at.second, true);
    at.page->setTicked(at.first, true);
    QCOMPARE(at.page->ticks(), (ui::RunTicks{at.second, at.first}));
    QTRY_VERIFY_WITH_TIMEOUT(at.page->comparison()->isVisible(), 20'000);
    // Ids need not be there to be ticked: the sixth makes room by the first that is no baseline.
    for (std::int64_t run = 11; run <= 14; ++run) {
        at.page->setTicked(run, true);
    }
    QCOMPARE(at.page->ticks(), (ui::RunTicks{at.second, 11, 12, 13, 14}));
    at.page->setTicked(11, false);
    QCOMPARE(at.page->ticks().size(), std::size_t{4});
}

void TstRunsPage::aLogIsOpenedByItsName() {
    Fixture at;
    const std::filesystem::path other = at.folder.path().toStdString() + "/other.db";
    script(other, {.name = "elsewhere", .phases = {{5.0, 8.0, 4}}});
    at.page->openArgument(QString::fromStdString(other.string()));
    QTRY_COMPARE(at.page->model().rowCount(), 1);
    QVERIFY(!at.page->isOwnLog());
    QCOMPARE(at.page->model().rowAt(0).run.name, std::string("elsewhere"));
}

void TstRunsPage::theExampleOpensWithItsRunAndExperiment() {
    Fixture at;
    QSignalSpy asked(at.page.get(), &ui::Page::pageRequested);
    at.page->openExample();
    QTRY_VERIFY_WITH_TIMEOUT(at.page->opened()->isVisible() && at.page->opened()->run().data,
                             20'000);
    QCOMPARE(at.page->opened()->run().data->summary.run.id, std::int64_t{1});
    QVERIFY(at.page->opened()->run().isExperiment);
    Q_EMIT at.page->opened()->experimentRequested();
    QCOMPARE(asked.count(), 1);
    QCOMPARE(asked[0][0].toString(), QStringLiteral("experiments"));
    QVERIFY(asked[0][1].toString().startsWith(QStringLiteral("log:1:")));
}

void TstRunsPage::anArchiveComesBackByTheImport() {
    Fixture at;
    const QString file = at.folder.filePath(QStringLiteral("run.db"));
    QSignalSpy written(at.page.get(), &ui::RunsPage::exported);
    at.page->archiveRun(at.first, file);
    QTRY_COMPARE(written.count(), 1);
    QVERIFY2(written[0][1].toString().isEmpty(), qPrintable(written[0][1].toString()));
    QSignalSpy imported(at.session.get(), &app::Session::runsImported);
    at.page->importFile(file); // it is there already
    QTRY_COMPARE(imported.count(), 1);
    QCOMPARE(imported[0][0].toInt(), 0);
    at.page->deleteRun(at.first);
    at.page->undoDelete();
    const QString other = at.folder.filePath(QStringLiteral("other.db"));
    script(other.toStdString(), {.name = "from elsewhere", .phases = {{5.0, 8.0, 4}}});
    at.page->openArgument(QStringLiteral("nothing.json")); // told, and nothing happens to the list
    QTRY_COMPARE(imported.count(), 2);
    QVERIFY(!imported[1][2].toString().isEmpty());
    at.page->importFile(other);
    QTRY_COMPARE(at.page->model().rowCount(), 4);
    QCOMPARE(imported[2][0].toInt(), 1);
}

void TstRunsPage::whatCanBeReadOfADamagedLogIsSaved() {
    Fixture at;
    const QString damaged = at.folder.filePath(QStringLiteral("damaged.db"));
    script(damaged.toStdString(), {.name = "damaged", .phases = {{20.0, 8.0, 4}}});
    {
        QFile file(damaged);
        QVERIFY(file.open(QIODevice::ReadWrite));
        const qint64 middle = file.size() / 2 / 4096 * 4096;
        QVERIFY(file.seek(middle));
        file.write(QByteArray(4096, 'x'));
    }
    const QString target = at.folder.filePath(QStringLiteral("saved.db"));
    QSignalSpy written(at.page.get(), &ui::RunsPage::exported);
    at.page->salvage(damaged, target);
    QTRY_COMPARE_WITH_TIMEOUT(written.count(), 1, 20'000);
    QVERIFY2(written[0][1].toString().isEmpty(), qPrintable(written[0][1].toString()));
    QTRY_VERIFY(at.page->model().rowCount() == 1); // it is opened
    QVERIFY(!at.page->isOwnLog());
    at.page->salvage(damaged, target); // never over a file that is there
    QTRY_COMPARE(written.count(), 2);
    QVERIFY(!written[1][1].toString().isEmpty());
}

void TstRunsPage::everyColumnSortsByKey() {
    Fixture at;
    ui::TableView* table = nullptr;
    for (ui::TableView* each : at.page->findChildren<ui::TableView*>()) {
        table = each->accessibleName() == QStringLiteral("Recorded runs") ? each : table;
    }
    QVERIFY(table != nullptr);
    table->setFocus();
    QTest::keyClick(table, Qt::Key_S);
    auto* menu = table->findChild<QMenu*>();
    QVERIFY(menu != nullptr);
    QVERIFY(menu->actions().size() > 5);
    QAction* byNumber = menu->actions().at(0);
    QVERIFY(byNumber->text().contains(QChar(0x2193))); // newest first: the one in force says so
    byNumber->trigger();
    QCOMPARE(at.page->model().rowAt(0).run.id, at.first);
    menu->close();
}

void TstRunsPage::aRunOpensWithItsCharts() {
    Fixture at;
    at.open(at.first);
    QCOMPARE(at.page->opened()->run().data->summary.run.id, at.first);
    QVERIFY(at.page->opened()->run().plots.size() >= 4);
    at.page->openArgument(QString::number(at.second));
    QTRY_COMPARE(at.page->opened()->run().data->summary.run.id, at.second);
}

// At any height and wherever it is scrolled to, the lowest line of the settings stands whole.
void TstRunsPage::noLineOfWhatRanIsCut() {
    Fixture at;
    at.open(at.first);
    QScrollArea* scroll = nullptr;
    for (auto* each : at.page->opened()->findChildren<QScrollArea*>()) {
        scroll = each->widget()->findChildren<QLabel*>().size() >= 3 ? each : scroll;
    }
    QVERIFY(scroll != nullptr);
    const QLabel* settings = nullptr;
    for (const auto* label : scroll->widget()->findChildren<QLabel*>()) {
        settings = settings == nullptr || label->height() > settings->height() ? label : settings;
    }
    QVERIFY(settings->text().count(u'\n') > 20);
    QVERIFY(settings->height() >= settings->heightForWidth(settings->width()));
    const double height = settings->height();
    const double line = height / std::round(height / settings->fontMetrics().lineSpacing());
    int cut = 0;
    for (int more = 0; more < 2 * static_cast<int>(line); more += 3) {
        at.page->resize(1300, 600 + more);
        QTest::qWait(20); // layouts
        for (const int place : {0, 20, 47}) {
            scroll->verticalScrollBar()->setValue(place);
            const QRegion mask = scroll->viewport()->mask();
            const int bottom =
                mask.isEmpty() ? scroll->viewport()->height() : mask.boundingRect().bottom() + 1;
            const int into = settings->mapFrom(scroll->viewport(), QPoint(0, bottom)).y();
            if (into > 0 && into < settings->height()) {
                ++cut;
                const double lines = into / line;
                QVERIFY2(std::abs(lines - std::round(lines)) * line <= 1.0,
                         qPrintable(QStringLiteral("%1 px: %2 lines").arg(600 + more).arg(lines)));
            }
        }
    }
    QVERIFY(cut > 0); // else nothing was looked at
}

void TstRunsPage::filterNarrowsAndExplains() {
    Fixture at;
    auto* filter = at.page->findChild<QLineEdit*>();
    filter->setText(QStringLiteral("state:interrupted"));
    QCOMPARE(at.page->model().rowCount(), 1);
    filter->setText(QStringLiteral("fast"));
    QCOMPARE(at.page->model().rowAt(0).run.id, at.second);
    filter->setText(QStringLiteral("p99>"));
    QCOMPARE(filter->property("state").toString(), QStringLiteral("bad"));
    QCOMPARE(at.page->model().rowCount(), 1);
    filter->clear();
    QCOMPARE(at.page->model().rowCount(), 3);
}

void TstRunsPage::renamingGoesToTheLog() {
    Fixture at;
    QSignalSpy edited(at.session.get(), &app::Session::runsEdited);
    at.page->renameRun(at.first, QStringLiteral("  a better name "));
    QTRY_COMPARE(edited.count(), 1);
    QTRY_COMPARE(at.page->model().rowAt(2).run.name, std::string("a better name"));
    at.page->renameRun(at.first, QStringLiteral("   ")); // nothing is no name
    at.page->renameRun(at.first, QStringLiteral("a better name"));
    QTest::qWait(50);
    QCOMPARE(edited.count(), 1);
}

void TstRunsPage::deletionHidesWaitsAndCanBeUndone() {
    Fixture at;
    at.page->deleteRun(at.second);
    QCOMPARE(at.page->model().rowCount(), 2);
    QCOMPARE(app::listRuns(at.log)->size(), std::size_t{3}); // still there
    at.page->undoDelete();
    QCOMPARE(at.page->model().rowCount(), 3);
    // A second deletion makes the first one final.
    QSignalSpy edited(at.session.get(), &app::Session::runsEdited);
    at.page->deleteRun(at.second);
    at.page->deleteRun(at.third);
    QTRY_COMPARE(edited.count(), 1);
    QCOMPARE(app::listRuns(at.log)->size(), std::size_t{2});
    QCOMPARE(at.page->model().rowCount(), 1);
    at.page->undoDelete();
    QTRY_COMPARE(at.page->model().rowCount(), 2);
}

void TstRunsPage::aWaitingDeletionIsCarriedOutAtTheEnd() {
    Fixture at;
    at.page->deleteRun(at.second);
    at.page.reset();
    at.session.reset();
    QCOMPARE(app::listRuns(at.log)->size(), std::size_t{2});
}

void TstRunsPage::exportsAreWritten() {
    Fixture at;
    QSignalSpy exported(at.page.get(), &ui::RunsPage::exported);
    at.compare();
    const QString html = at.folder.filePath(QStringLiteral("pair.html"));
    at.page->exportTo(html);
    QTRY_COMPARE_WITH_TIMEOUT(exported.count(), 1, 20'000);
    QVERIFY2(exported[0][1].toString().isEmpty(), qPrintable(exported[0][1].toString()));
    QFile file(html);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    QVERIFY(text.contains("<svg") && text.contains("</html>"));
    at.page->exportTo(at.folder.filePath(QStringLiteral("pair.csv")));
    QTRY_COMPARE_WITH_TIMEOUT(exported.count(), 2, 20'000);
    QVERIFY(QFile::exists(at.folder.filePath(QStringLiteral("pair/comparison.csv"))));
    at.page->setTicked(at.first, false);
    at.page->setTicked(at.second, false);
    at.open(at.first);
    for (const char* name : {"run.html", "run.json", "run.csv"}) {
        const int before = exported.count();
        at.page->exportTo(at.folder.filePath(QString::fromLatin1(name)));
        QTRY_COMPARE_WITH_TIMEOUT(exported.count(), before + 1, 20'000);
        QVERIFY(exported.last()[1].toString().isEmpty());
    }
    QVERIFY(QFile::exists(at.folder.filePath(QStringLiteral("run.json"))));
    QVERIFY(QFile::exists(at.folder.filePath(QStringLiteral("run/requests.csv"))));
    // A place that can't be written is told, and nothing else happens.
    at.page->exportTo(QStringLiteral("/proc/nowhere/run.html"));
    QTRY_VERIFY(!exported.last()[1].toString().isEmpty());
}

void TstRunsPage::whatIsShownIsExportedWhateverIsTicked() {
    Fixture at;
    const auto exportAction = [&] {
        for (const ui::PageAction& action : at.page->actions()) {
            if (action.text == QStringLiteral("Export the report…")) {
                action.run();
            }
        }
        auto* dialog = at.page->findChild<QFileDialog*>();
        const QString name = dialog == nullptr
                                 ? QString()
                                 : dialog->selectedFiles().value(0).section(QLatin1Char('/'), -1);
        delete dialog;
        return name;
    };
    at.compare();
    QCOMPARE(exportAction(), QStringLiteral("runs-%1-%2.html").arg(at.first).arg(at.second));
    // Deleted elsewhere; the page learns of it when it is shown again.
    sqlite3* log = nullptr;
    QCOMPARE(sqlite3_open(at.log.c_str(), &log), SQLITE_OK);
    sqlite3_busy_timeout(log, 10'000); // the session writes there too
    const std::string command =
        "PRAGMA foreign_keys = ON; DELETE FROM run WHERE id = " + std::to_string(at.second);
    QCOMPARE(sqlite3_exec(log, command.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(log);
    QSignalSpy listed(at.page.get(), &ui::RunsPage::listed);
    at.page->setShown(false);
    at.page->setShown(true);
    QTRY_VERIFY(listed.count() > 0);
    QCOMPARE(at.page->ticks().size(), std::size_t{1});
    QTRY_VERIFY(!at.page->comparison()->isVisible());
    exportAction();
}

void TstRunsPage::anotherLogIsReadOnly() {
    Fixture at;
    const std::filesystem::path other = at.folder.path().toStdString() + "/other.db";
    const std::int64_t run = script(other, {.name = "elsewhere", .phases = {{5.0, 4.0, 4}}});
    at.page->openLog(other);
    QVERIFY(!at.page->isOwnLog());
    QTRY_COMPARE(at.page->model().rowCount(), 1);
    QSignalSpy edited(at.session.get(), &app::Session::runsEdited);
    at.page->renameRun(run, QStringLiteral("x"));
    at.page->deleteRun(run);
    QTest::qWait(100);
    QCOMPARE(edited.count(), 0);
    QCOMPARE(at.page->model().rowCount(), 1);
    at.page->openLog(at.log);
    QTRY_COMPARE(at.page->model().rowCount(), 3);
}

void TstRunsPage::aFileThatIsNoLogSaysSo() {
    Fixture at;
    QFile file(at.folder.filePath(QStringLiteral("bad.db")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("this is no database, whatever its name says");
    file.close();
    QSignalSpy listed(at.page.get(), &ui::RunsPage::listed);
    at.page->openLog(file.fileName().toStdString());
    QTRY_COMPARE(listed.count(), 1);
    QCOMPARE(at.page->model().rowCount(), 0);
    bool isSaid = false;
    for (const QLabel* label : at.page->findChildren<QLabel*>()) {
        isSaid =
            isSaid || (label->isVisible() && label->text().contains(QStringLiteral("bad.db")) &&
                       label->property("badge").isNull());
    }
    QVERIFY(isSaid);
}

void TstRunsPage::theBaselineIsPinnedAndOthersAreHeldAgainstIt() {
    Fixture at;
    const auto shown = [&](std::int64_t run) {
        const auto& model = at.page->model();
        const int row =
            model.shownWhere([run](const app::RunSummary& each) { return each.run.id == run; });
        return model.index(row, static_cast<int>(ui::RunColumn::ToBaseline)).data().toString();
    };
    QCOMPARE(shown(at.first), QString());
    QSignalSpy listed(at.page.get(), &ui::RunsPage::listed);
    at.page->pinBaseline(at.first);
    QTRY_COMPARE(shown(at.first), QStringLiteral("baseline"));
    QTRY_VERIFY(!shown(at.second).isEmpty());
    at.page->pinBaseline(at.second); // one at a time
    QTRY_COMPARE(shown(at.second), QStringLiteral("baseline"));
    QTRY_VERIFY(shown(at.first) != QStringLiteral("baseline"));
    at.page->pinBaseline(at.second);
    QTRY_COMPARE(shown(at.second), QString());
}

void TstRunsPage::tagsAreWrittenToTheLog() {
    Fixture at;
    at.page->setTags(at.first, {QStringLiteral(" candidate "), QString(), QStringLiteral("中文")});
    const auto tags = [&] {
        auto store = app::RunStore::open(at.log, app::StoreMode::ReadOnly);
        return (*store)->summary(at.first)->run.tags;
    };
    QTRY_COMPARE(tags(), (std::vector<std::string>{"candidate", "中文"}));
    at.page->setTags(at.first, {});
    QTRY_VERIFY(tags().empty());
}

void TstRunsPage::aSelectedSpanOfARunHasItsOwnFigures() {
    Fixture at;
    at.open(at.second);
    ui::RunView* view = at.page->opened();
    const QString whole = view->figureText(0);
    QVERIFY(whole.contains(QStringLiteral("TTFT p50")));
    QSignalSpy shown(view, &ui::RunView::figuresShown);
    ui::ChartView* chart = view->charts()->charts().front();
    view->charts()->group().setCrosshair(5.0);
    QTest::keyClick(chart, Qt::Key_BracketLeft);
    view->charts()->group().setCrosshair(12.0);
    QTest::keyClick(chart, Qt::Key_BracketRight);
    QTRY_VERIFY(shown.count() > 0);
    const QString part = view->figureText(6); // completed
    const app::RunSummary expected = app::sliceRun(*view->run().data, 5.0, 12.0).summary;
    QVERIFY2(part.contains(QString::number(expected.completed)), qPrintable(part));
    QTest::keyClick(chart, Qt::Key_Escape);
    QTRY_COMPARE(view->figureText(0), whole);
    // Zoom makes the charts anew for the span shown.
    view->charts()->group().select(std::pair(4.0, 8.0));
    QTest::keyClick(chart, Qt::Key_Z);
    QTRY_COMPARE(view->charts()->charts()[3]->plot().xMin, 4.0);
    QTRY_COMPARE(chart->plot().xMax, 8.0); // they come one after the other
}

void TstRunsPage::aChartOfARunStandsInAWindowOfItsOwn() {
    Fixture at;
    at.open(at.second);
    ui::RunCharts* charts = at.page->opened()->charts();
    QTest::keyClick(charts->charts().front(), Qt::Key_P);
    const auto windows = charts->findChildren<ui::ChartWindow*>();
    QCOMPARE(windows.size(), 1);
    ui::ChartWindow* window = windows.front();
    const QString key = charts->charts().front()->plot().key;
    QVERIFY(window->isVisible());
    QCOMPARE(window->chart()->plot().key, key);
    QCOMPARE(charts->popOut(key), window); // the same, not a second
    QVERIFY(charts->popOut(QStringLiteral("nothing")) == nullptr);
    // It shares crosshair and view with the page.
    charts->group().select(std::pair(4.0, 8.0));
    QTest::keyClick(window->chart(), Qt::Key_Z);
    QTRY_COMPARE(window->chart()->plot().xMin, 4.0);
    QTRY_COMPARE(charts->charts().front()->plot().xMin, 4.0);
    // Another run is shown in it too.
    at.open(at.first);
    QTRY_VERIFY(window->chart()->plot().xMin != 4.0);
    window->close();
    QTRY_VERIFY(charts->findChildren<ui::ChartWindow*>().isEmpty());
    charts->group().fit();
    QTRY_COMPARE(charts->charts().front()->plot().xMin, 0.0);
}

void TstRunsPage::chartsOfTwoRunsHaveTheirKeysAndWindows() {
    Fixture at;
    at.compare();
    for (ui::OverlayChart* overlay :
         {at.page->comparison()->distribution(), at.page->comparison()->overTime()}) {
        ui::ChartView* chart = overlay->chart();
        QVERIFY(!overlay->plot().title.isEmpty());
        QCOMPARE(chart->accessibleName(), overlay->plot().title);
        QVERIFY(chart->focusPolicy() & Qt::TabFocus);
        // The menu names it, the key opens it, as with every other chart.
        const QPoint middle = chart->rect().center();
        QContextMenuEvent asked(QContextMenuEvent::Keyboard, middle, chart->mapToGlobal(middle));
        QApplication::sendEvent(chart, &asked);
        QStringList entries;
        for (auto* menu : chart->findChildren<QMenu*>()) {
            for (const QAction* action : menu->actions()) {
                entries << action->text();
            }
            menu->close();
        }
        QVERIFY(entries.contains(ui::ChartView::tr("Show in a window of its own")));
        QTest::keyClick(chart, Qt::Key_P);
        auto windows = overlay->findChildren<ui::ChartWindow*>();
        QCOMPARE(windows.size(), 1);
        ui::ChartWindow* window = windows.front();
        QVERIFY(window->isVisible());
        QVERIFY(window->windowTitle().contains(overlay->plot().title));
        QTest::keyClick(chart, Qt::Key_P); // the same, not a second
        QCOMPARE(overlay->findChildren<ui::ChartWindow*>().size(), 1);
        QCOMPARE(window->chart()->plot().series.size(), overlay->plot().series.size());
        // Both show the same part.
        QTest::keyClick(chart, Qt::Key_W);
        const double shown = chart->plot().xMax - chart->plot().xMin;
        QVERIFY(shown < overlay->plot().xMax - overlay->plot().xMin);
        QCOMPARE(window->chart()->plot().xMin, chart->plot().xMin);
        window->close();
        QTRY_VERIFY(overlay->findChildren<ui::ChartWindow*>().isEmpty());
        QTest::keyClick(chart, Qt::Key_F);
        QCOMPARE(chart->plot().xMax, overlay->plot().xMax);
    }
}

void TstRunsPage::theUnitOfAChartOfTwoRunsIsShownWhole() {
    Fixture at;
    at.compare();
    const QFontMetrics metrics(ui::font(ui::type::kCaption));
    for (const QSize size : {QSize(1040, 652), QSize(1360, 852)}) { // of the window less its frame
        at.page->resize(size);
        QTest::qWait(50); // layouts
        for (const ui::OverlayChart* overlay :
             {at.page->comparison()->distribution(), at.page->comparison()->overTime()}) {
            const QRectF unit = overlay->chart()->unitBounds();
            QVERIFY(unit.width() + 1 >= metrics.horizontalAdvance(overlay->plot().unit));
            QVERIFY(unit.left() >= 0 && unit.right() <= overlay->chart()->width());
            const QFontMetrics title(ui::font(ui::type::kBody, QFont::DemiBold));
            QVERIFY(title.horizontalAdvance(overlay->plot().title) < overlay->chart()->width());
            QVERIFY(unit.top() > 20 ||
                    unit.left() >= title.horizontalAdvance(overlay->plot().title));
        }
    }
}

void TstRunsPage::settingsThatDifferFitTheirColumns_data() {
    QTest::addColumn<QSize>("size");
    QTest::addColumn<QString>("language");
    for (const char* language : {"en", "zh_CN"}) {
        for (const QSize size : {QSize(1040, 652), QSize(1360, 852)}) {
            QTest::addRow("%dx%d %s", size.width(), size.height(), language)
                << size << QString::fromLatin1(language);
        }
    }
}

// Every setting there is, with its largest value against its default.
void TstRunsPage::settingsThatDifferFitTheirColumns() {
    QFETCH(const QSize, size);
    QFETCH(const QString, language);
    ui::Language spoken;
    spoken.set(language);
    Fixture at;
    at.page->resize(size);
    at.compare();
    app::RunPair pair = at.page->comparison()->pair();
    pair.comparison.settings.clear();
    for (const engine::Field& field : engine::fieldTable()) {
        engine::EngineConfig config;
        const std::string usual = engine::valueText(field, config);
        field.set(config, field.maximum);
        const std::string largest = engine::valueText(field, config);
        pair.comparison.settings.push_back({.field = std::string(field.key),
                                            .requestedA = largest,
                                            .effectiveA = largest,
                                            .requestedB = usual,
                                            .effectiveB = largest});
    }
    at.page->findChild<ui::ComparisonView*>()->setPair(pair);
    QTest::qWait(50); // layouts
    const auto* panel = at.page->comparison()->findChild<ui::SettingsDifference*>();
    QVERIFY(panel != nullptr);
    const QWidget* around = panel; // what shows it
    while (around != at.page.get() &&
           qobject_cast<QAbstractScrollArea*>(around->parentWidget()) == nullptr) {
        around = around->parentWidget();
    }
    constexpr int kLong = 180; // pixels; what is longer may wrap
    const QFontMetrics metrics(ui::font(ui::type::kControl));
    int looked = 0;
    for (const QLabel* label : panel->findChildren<QLabel*>()) {
        if (!label->isVisible() || label->text().isEmpty()) {
            continue;
        }
        ++looked;
        const QByteArray text = label->text().toUtf8();
        QVERIFY2(label->height() >= label->heightForWidth(label->width()), text.constData());
        const bool isShort =
            !label->text().contains(u'<') && metrics.horizontalAdvance(label->text()) <= kLong;
        QVERIFY2(!isShort || label->height() < 2 * metrics.lineSpacing(), text.constData());
        QVERIFY2(label->wordWrap() || label->width() >= label->sizeHint().width(),
                 text.constData());
        const int right = label->mapTo(around, QPoint(label->width(), 0)).x();
        QVERIFY2(right <= around->width(), text.constData());
    }
    QVERIFY(looked > 60);
}

void TstRunsPage::aRunSplitsAtItsCrosshairAndComesBack() {
    Fixture at;
    at.open(at.first);
    QSignalSpy shown(at.page.get(), &ui::RunsPage::contentShown);
    at.page->opened()->charts()->group().setCrosshair(10.0);
    QTest::keyClick(at.page->opened()->charts()->charts().front(), Qt::Key_X);
    QTRY_VERIFY_WITH_TIMEOUT(shown.count() > 0 && at.page->comparison()->isVisible(), 20'000);
    const app::RunPair& pair = at.page->comparison()->pair();
    QVERIFY(pair.split.has_value());
    QCOMPARE(pair.split->at, 10.0);
    QCOMPARE(pair.a->summary.run.seconds, 10.0);
    // What was left out is said beside the figures.
    bool isSaid = false;
    for (const QLabel* label : at.page->comparison()->findChildren<QLabel*>()) {
        isSaid = isSaid || label->text().contains(QStringLiteral("left out"));
    }
    QVERIFY(isSaid);
    const QString file = at.folder.filePath(QStringLiteral("split.html"));
    QSignalSpy exported(at.page.get(), &ui::RunsPage::exported);
    at.page->exportTo(file);
    QTRY_VERIFY_WITH_TIMEOUT(exported.count() > 0, 20'000);
    QCOMPARE(exported.front().at(1).toString(), QString());
    QFile report(file);
    QVERIFY(report.open(QIODevice::ReadOnly));
    const QByteArray html = report.readAll();
    QVERIFY(html.contains("before and after 00:10"));
    QVERIFY(!html.contains("Two runs in sequence"));
    for (auto* button : at.page->comparison()->findChildren<QPushButton*>()) {
        if (button->text() == QStringLiteral("Back to the run")) {
            QVERIFY(button->isVisible());
            button->click();
        }
    }
    QTRY_VERIFY_WITH_TIMEOUT(at.page->opened()->isVisible(), 20'000);
}

void TstRunsPage::anEventOfARunSplitsIt() {
    Fixture at;
    const std::int64_t run =
        script(at.folder.path().toStdString() + "/other.db",
               {.name = "two stages", .phases = {{20.0, 8.0, 2}, {20.0, 8.0, 16}}});
    at.page->openLog(at.folder.path().toStdString() + "/other.db");
    QSignalSpy listed(at.page.get(), &ui::RunsPage::listed);
    QTRY_VERIFY(listed.count() > 0);
    at.open(run);
    auto* list = qobject_cast<QListView*>(at.page->opened()->charts()->events()->list());
    QVERIFY(list->model()->rowCount() > 0);
    for (int row = 0; row < list->model()->rowCount(); ++row) {
        list->setCurrentIndex(list->model()->index(row, 0));
        if (list->currentIndex().data().toString().contains(QStringLiteral("00:20"))) {
            break; // the second stage
        }
    }
    at.page->activateWindow(); // shortcuts act in the active window, of what has the focus
    QVERIFY(QTest::qWaitForWindowActive(at.page.get()));
    list->setFocus();
    QTest::keyClick(list, Qt::Key_X);
    QTRY_VERIFY_WITH_TIMEOUT(at.page->comparison()->isVisible(), 20'000);
    QVERIFY(std::abs(at.page->comparison()->pair().split->at - 20.0) < 1.0);
}

void TstRunsPage::aPlaceTooNearTheEndIsSaidNotSplit() {
    Fixture at;
    at.open(at.first);
    QSignalSpy said(at.page.get(), &ui::Page::messageRaised);
    at.page->splitRun(at.first, 19.9, {});
    QTRY_VERIFY_WITH_TIMEOUT(said.count() > 0, 20'000);
    QVERIFY(said.front().at(1).toString().contains(QStringLiteral("on one side")));
    QVERIFY(at.page->opened()->isVisible());
}

void TstRunsPage::recordedRunsTakeBookmarks() {
    Fixture at;
    at.open(at.first);
    ui::RunCharts* charts = at.page->opened()->charts();
    charts->group().setCrosshair(7.5);
    QTest::keyClick(charts->charts().front(), Qt::Key_M);
    auto* field = charts->findChild<ui::BookmarkField*>();
    QVERIFY(field != nullptr);
    QTest::keyClicks(field, QStringLiteral("slow here"));
    QTest::keyClick(field, Qt::Key_Return);
    const auto has = [&] {
        return std::ranges::any_of(
            at.page->opened()->run().data->history.markers(), [](const auto& marker) {
                const auto bookmark = app::bookmarkOf(marker.event);
                return bookmark && bookmark->name == "slow here" && marker.seconds == 7.5;
            });
    };
    QTRY_VERIFY_WITH_TIMEOUT(has(), 20'000);
    QTRY_VERIFY(std::ranges::any_of(charts->charts().front()->plot().markers,
                                    [](const app::Marker& marker) { return marker.x == 7.5; }));
    // It changed nothing, so it has no effect.
    const auto* rows = charts->events()->list();
    const auto* model = qobject_cast<const QListView*>(rows)->model();
    bool isListed = false;
    for (int row = 0; row < model->rowCount(); ++row) {
        const QString text = model->index(row, 0).data().toString();
        isListed = isListed || text.contains(QStringLiteral("slow here"));
        QVERIFY(!text.contains(QStringLiteral("slow here")) ||
                !text.contains(QStringLiteral("TTFT p50")));
    }
    QVERIFY(isListed);
    // A log of others is only read.
    at.page->openLog(at.folder.path().toStdString() + "/copy.db");
    QVERIFY(!charts->group().takesBookmarks());
}

void TstRunsPage::threeTicksStandSideBySide() {
    Fixture at;
    QSignalSpy shown(at.page.get(), &ui::RunsPage::contentShown);
    at.page->setTicked(at.third, true);
    at.page->setTicked(at.first, true);
    at.page->setTicked(at.second, true);
    QTRY_VERIFY_WITH_TIMEOUT(shown.count() > 0 && at.page->set()->isVisible(), 20'000);
    const auto* model = at.page->set()->table()->model();
    QCOMPARE(model->columnCount(), 4);
    QVERIFY(model->rowCount() >= static_cast<int>(app::measures().size()));
    QString cell;
    for (int row = 0; row < model->rowCount(); ++row) {
        if (model->index(row, 0).data().toString().startsWith(QStringLiteral("TTFT p50"))) {
            QVERIFY(!model->index(row, 1).data().toString().contains(u' ')); // the first has none
            cell = model->index(row, 2).data().toString();
            QVERIFY(model->index(row, 2)
                        .data(Qt::ToolTipRole)
                        .toString()
                        .contains(QStringLiteral("interval")));
        }
    }
    QVERIFY2(cell.contains(QChar(0x2212)), qPrintable(cell)); // faster by so much, a true minus
    // What two runs can be written as, three can.
    QSignalSpy exported(at.page.get(), &ui::RunsPage::exported);
    for (const char* name : {"set.html", "set.pdf", "set.json", "set.csv"}) {
        const int before = exported.count();
        at.page->exportTo(at.folder.filePath(QString::fromLatin1(name)));
        QTRY_COMPARE_WITH_TIMEOUT(exported.count(), before + 1, 20'000);
        QVERIFY2(exported.last()[1].toString().isEmpty(),
                 qPrintable(exported.last()[1].toString()));
    }
    for (const char* name : {"set.html", "set.pdf", "set.json", "set/comparison.csv"}) {
        QVERIFY2(QFile::exists(at.folder.filePath(QString::fromLatin1(name))), name);
    }
    at.page->setTicked(at.third, false);
    QTRY_VERIFY_WITH_TIMEOUT(at.page->comparison()->isVisible(), 20'000);
}

void TstRunsPage::figuresReadAsOtherToolsNameThem() {
    Fixture at;
    at.open(at.second);
    ui::RunView* view = at.page->opened();
    view->readAs(app::Dialect::Vllm);
    QVERIFY(view->dialectView()->isVisible());
    QVERIFY(!view->charts()->isVisible());
    const auto& model = view->dialectView()->model();
    const auto has = [&model](const char* name) {
        return model.shownWhere([name](const app::DialectFigure& figure) {
            return figure.name == QLatin1String(name);
        }) >= 0;
    };
    QVERIFY(has("Output token throughput"));
    view->readAs(app::Dialect::AiPerf);
    QVERIFY(has("Inter Token Latency"));
    // The next run is read the same way.
    at.page->openRun(at.first);
    QTRY_COMPARE(view->run().data->summary.run.id, at.first);
    QVERIFY(view->dialectView()->isVisible());
    view->readAs({});
    QVERIFY(view->charts()->isVisible());
}

QTEST_MAIN(TstRunsPage)
#include "tst_runs_page.moc"
