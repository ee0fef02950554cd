// What headless runs wrote beside a log that was held, and its way into that log.
#include "app/run_import.h"
#include "app/store/run_archive.h"
#include "app/store/spare_logs.h"
#include "tests/support/scripted_run.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace app;

namespace {

std::int64_t script(const std::filesystem::path& file, const char* name, bool hasEnd = true) {
    auto store = RunStore::open(file, StoreMode::Write);
    if (!store) {
        throw std::runtime_error(store.error().message);
    }
    return tests::writeScriptedRun(**store,
                                   {.name = name, .phases = {{3.0, 8.0, 4}}, .hasEnd = hasEnd});
}

} // namespace

class TstSpareLogs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void runsThatAreNotInTheLogAreCounted();
    void importedOnesAreNotOfferedAgain();
    void otherFilesAreLeftAlone();
    void whatIsNoLogIsRefusedWhole();
};

void TstSpareLogs::runsThatAreNotInTheLogAreCounted() {
    const QTemporaryDir folder;
    const std::filesystem::path log = folder.path().toStdString() + "/runs.db";
    QVERIFY(spareLogs(log).empty());
    script(log, "own");
    const std::filesystem::path spare = folder.path().toStdString() + "/runs-2.db";
    script(spare, "beside");
    script(spare, "beside again");
    const std::vector<SpareLog> found = spareLogs(log);
    QCOMPARE(found.size(), std::size_t{1});
    QCOMPARE(found.front().missing, 2);
    QCOMPARE(found.front().file, spare);
}

void TstSpareLogs::importedOnesAreNotOfferedAgain() {
    const QTemporaryDir folder;
    const std::filesystem::path log = folder.path().toStdString() + "/runs.db";
    const std::filesystem::path spare = folder.path().toStdString() + "/runs-3.db";
    script(log, "own");
    script(spare, "beside");
    {
        auto store = RunStore::open(log, StoreMode::Write);
        QVERIFY(store.has_value());
        const auto ids = importFile(**store, spare);
        QVERIFY(ids.has_value());
        QCOMPARE(ids->size(), std::size_t{1});
        QVERIFY(importFile(**store, spare)->empty()); // a second time nothing is new
    }
    QVERIFY(spareLogs(log).empty());
}

void TstSpareLogs::otherFilesAreLeftAlone() {
    const QTemporaryDir folder;
    const std::filesystem::path log = folder.path().toStdString() + "/runs.db";
    script(folder.path().toStdString() + "/runs-copy.db", "a copy");
    script(folder.path().toStdString() + "/other-2.db", "another log");
    QFile damaged(folder.filePath(QStringLiteral("runs-4.db")));
    QVERIFY(damaged.open(QIODevice::WriteOnly));
    damaged.write("no database");
    damaged.close();
    QVERIFY(spareLogs(log).empty());
    QVERIFY(spareLogs("/no/such/folder/runs.db").empty());
}

void TstSpareLogs::whatIsNoLogIsRefusedWhole() {
    const QTemporaryDir folder;
    const std::filesystem::path log = folder.path().toStdString() + "/runs.db";
    script(log, "own");
    auto store = RunStore::open(log, StoreMode::Write);
    QVERIFY(store.has_value());
    const QString json = folder.filePath(QStringLiteral("run.json"));
    QFile file(json);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{\"half\": ");
    file.close();
    QVERIFY(!importFile(**store, json.toStdString()).has_value());
    const auto missing = importFile(**store, folder.path().toStdString() + "/none.db");
    QVERIFY(!missing.has_value());
    QVERIFY(missing.error().message.find("none.db") != std::string::npos);
    QCOMPARE((*store)->runs()->size(), std::size_t{1});
}

QTEST_GUILESS_MAIN(TstSpareLogs)
#include "tst_spare_logs.moc"
