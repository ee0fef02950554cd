// Files dropped on the window: each goes to the page that can read it, with what is wrong with it
// said there.
#include "app/preferences.h"
#include "tests/support/fake_session.h"
#include "tests/support/scripted_run.h"
#include "ui/dropped_file.h"
#include "ui/language.h"
#include "ui/main_window.h"
#include "ui/pages/first_start_page.h"
#include "ui/pages/load_page.h"
#include "ui/pages/runs_page.h"
#include "ui/theme.h"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QMimeData>
#include <QSignalSpy>
#include <QTest>

class TstDrops : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { ui::applyTheme(*qApp, ui::ThemeKind::Dark); }
    void endingsNameTheirPages_data();
    void endingsNameTheirPages();
    void aRunLogOpensOnTheRunsPage();
    void aTraceIsSentAsItIs();
    void aDamagedTraceNamesItsLine();
    void theFirstPageHandsOn();

private:
    static QString write(const QTemporaryDir& folder, const char* name, const char* content) {
        const QString path = folder.filePath(QString::fromLatin1(name));
        QFile file(path);
        if (file.open(QIODevice::WriteOnly)) {
            file.write(content);
        }
        return path;
    }
    static void drop(QWidget& on, const QString& file) {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(file)});
        QDragEnterEvent enter(QPoint(20, 20), Qt::CopyAction, &data, Qt::LeftButton,
                              Qt::NoModifier);
        QApplication::sendEvent(&on, &enter); // Qt drops on what has let it in
        QDropEvent event(QPointF(20, 20), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&on, &event);
    }
};

namespace {

// The window over a session of its own.
struct Window {
    Window() : preferences(fake.folder.path().toStdString() + "/headway.ini") {
        window = std::make_unique<ui::MainWindow>(fake.session, preferences, language);
        window->show();
    }
    tests::FakeSession fake;
    app::Preferences preferences;
    ui::Language language;
    std::unique_ptr<ui::MainWindow> window;
};

constexpr const char* kAzure = "TIMESTAMP,ContextTokens,GeneratedTokens\n"
                               "2023-11-16 18:17:03.9799600,120,8\n"
                               "2023-11-16 18:17:04.0319600,64,4\n"
                               "2023-11-16 18:17:05.0319600,32,2\n";

} // namespace

void TstDrops::endingsNameTheirPages_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("page");
    QTest::newRow("workload") << "a.toml"
                              << "load";
    QTest::newRow("trace") << "/x/AzureLLM.CSV"
                           << "load";
    QTest::newRow("mooncake") << "trace.jsonl"
                              << "load";
    QTest::newRow("log") << "runs.db"
                         << "runs";
    QTest::newRow("export") << "run-4.json"
                            << "runs";
    QTest::newRow("model") << "model.gguf"
                           << "";
    QTest::newRow("index of a model") << "model.safetensors.index.json"
                                      << "";
    QTest::newRow("no ending") << "model"
                               << "";
}

void TstDrops::endingsNameTheirPages() {
    QFETCH(QString, file);
    QFETCH(QString, page);
    QCOMPARE(ui::pageOfFile(file), page);
}

void TstDrops::aRunLogOpensOnTheRunsPage() {
    Window at;
    const std::filesystem::path log = at.fake.folder.path().toStdString() + "/other.db";
    {
        auto store = app::RunStore::open(log, app::StoreMode::Write);
        QVERIFY(store.has_value());
        tests::writeScriptedRun(**store, {.name = "dropped", .phases = {{5.0, 8.0, 4}}});
    }
    drop(*at.window, QString::fromStdString(log.string()));
    QCOMPARE(at.window->currentPage(), QStringLiteral("runs"));
    auto* runs = qobject_cast<ui::RunsPage*>(at.window->page(QStringLiteral("runs")));
    QTRY_COMPARE(runs->model().rowCount(), 1);
    QCOMPARE(runs->model().rowAt(0).run.name, std::string("dropped"));
    QVERIFY(!runs->isOwnLog());
}

void TstDrops::aTraceIsSentAsItIs() {
    Window at;
    const QString file = write(at.fake.folder, "trace.csv", kAzure);
    auto* load = qobject_cast<ui::LoadPage*>(at.window->page(QStringLiteral("load")));
    QSignalSpy opened(load, &ui::LoadPage::fileOpened);
    drop(*at.window, file);
    QCOMPARE(at.window->currentPage(), QStringLiteral("load"));
    QTRY_COMPARE(opened.count(), 1);
    QCOMPARE(load->traceRequests(), std::size_t{3});
    at.fake.load();
    load->startOrStop();
    QVERIFY(at.fake.session.isLoadRunning());
    QTRY_COMPARE_WITH_TIMEOUT(at.fake.session.loadProgress().sent, std::int64_t{3}, 20'000);
    at.fake.session.stopLoad();
    QTRY_VERIFY(!at.fake.session.isLoadRunning());
    // An edited workload is sent instead.
    app::Workload other = load->draft().workload();
    other.seed += 1;
    load->setWorkload(other);
    QCOMPARE(load->traceRequests(), std::size_t{0});
}

void TstDrops::aDamagedTraceNamesItsLine() {
    Window at;
    const QString file =
        write(at.fake.folder, "trace.csv",
              "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,many,8\n");
    auto* load = qobject_cast<ui::LoadPage*>(at.window->page(QStringLiteral("load")));
    const app::Workload before = load->draft().workload();
    QSignalSpy opened(load, &ui::LoadPage::fileOpened);
    drop(*at.window, file);
    QTRY_COMPARE(opened.count(), 1);
    bool isSaid = false;
    for (const QLabel* label : load->findChildren<QLabel*>()) {
        isSaid = isSaid || (label->isVisible() && label->text().contains(QStringLiteral("2")) &&
                            label->text().contains(QStringLiteral("many")));
    }
    QVERIFY(isSaid);
    QCOMPARE(load->traceRequests(), std::size_t{0});
    QVERIFY(load->draft().workload() == before); // nothing of the file is used
}

void TstDrops::theFirstPageHandsOn() {
    tests::FakeSession fake;
    ui::FirstStartPage page(fake.session, fake.folder.path().toStdString());
    page.show();
    QSignalSpy asked(&page, &ui::Page::pageRequested);
    drop(page, QStringLiteral("/somewhere/runs.db"));
    QCOMPARE(asked.count(), 1);
    QCOMPARE(asked[0][0].toString(), QStringLiteral("runs"));
    QCOMPARE(asked[0][1].toString(), QStringLiteral("/somewhere/runs.db"));
}

QTEST_MAIN(TstDrops)
#include "tst_drops.moc"
