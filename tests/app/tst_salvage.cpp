// Damaged run logs: what is told, and what is saved.
#include "app/store/run_archive.h"
#include "app/store/run_store.h"
#include "app/store/salvage.h"
#include "app/store/sqlite.h"
#include "tests/support/scripted_run.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <random>

namespace {

std::filesystem::path makeLog(const QTemporaryDir& folder) {
    const std::filesystem::path file = folder.path().toStdString() + "/runs.db";
    auto store = app::RunStore::open(file, app::StoreMode::Write);
    if (!store) {
        throw std::runtime_error(store.error().message);
    }
    tests::writeScriptedRun(**store, {.name = "first", .phases = {{20.0, 8.0, 2}}});
    tests::writeScriptedRun(**store, {.name = "second", .phases = {{20.0, 8.0, 16}}});
    return file;
}

void overwrite(const std::filesystem::path& file, std::uint64_t seed, int pages) {
    std::mt19937_64 random(seed);
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(file));
    for (int i = 0; i < pages; ++i) {
        const auto page = 3 + static_cast<std::int64_t>(random() % std::uint64_t(size / 4096 - 3));
        std::string noise(4096, '\0');
        for (char& c : noise) {
            c = static_cast<char>(random());
        }
        stream.seekp(page * 4096);
        stream.write(noise.data(), 4096);
    }
}

} // namespace

class TstSalvage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSoundLogIsCalledSound();
    void everythingOfASoundLogIsSaved();
    void tiersFiguresAndRemovalsAreSavedToo();
    void aRunWithAGapSaysSo();
    void whatIsLeftOfABrokenLogIsSaved_data();
    void whatIsLeftOfABrokenLogIsSaved();
    void otherFilesAreRefused();
    void whatCantBeReadIsNotCalledDamaged();
    void anArchiveComesBackEqual();
    void aDamagedImportIsNamed();
};

void TstSalvage::aSoundLogIsCalledSound() {
    QTemporaryDir folder;
    const auto check = app::checkLog(makeLog(folder));
    QVERIFY(check && check->isSound);
    QCOMPARE(check->runs, 2);
    QVERIFY(check->problems.empty());
}

void TstSalvage::everythingOfASoundLogIsSaved() {
    QTemporaryDir folder;
    const auto file = makeLog(folder);
    const std::filesystem::path target = folder.path().toStdString() + "/saved.db";
    const auto salvage = app::salvageLog(file, target);
    QVERIFY2(salvage, salvage ? "" : salvage.error().message.c_str());
    QCOMPARE(salvage->runs, 2);
    QCOMPARE(salvage->namelessRuns, 0);
    const auto before = (*app::RunStore::open(file, app::StoreMode::ReadOnly))->load(1);
    const auto after = (*app::RunStore::open(target, app::StoreMode::ReadOnly))->load(1);
    QVERIFY(before && after);
    QCOMPARE(after->digest, before->digest);
    QCOMPARE(after->summary.run.name, before->summary.run.name);
}

// Every table of the log is one that is saved: a new one is not forgotten.
void TstSalvage::tiersFiguresAndRemovalsAreSavedToo() {
    QTemporaryDir folder;
    const auto file = makeLog(folder);
    {
        const auto store = app::RunStore::open(file, app::StoreMode::Write);
        QVERIFY(store);
        for (auto more = (*store)->tidySome(); more && *more; more = (*store)->tidySome()) {
        }
        QVERIFY((*store)->beginRemove(2));
    }
    const std::filesystem::path target = folder.path().toStdString() + "/saved.db";
    const auto salvage = app::salvageLog(file, target);
    QVERIFY2(salvage, salvage ? "" : salvage.error().message.c_str());
    QCOMPARE(salvage->runs, 1); // the removed one does not come back
    QCOMPARE(app::checkLog(file)->runs, 1);
    const app::Database from(file, app::DatabaseAccess::Read, 1000);
    const app::Database to(target, app::DatabaseAccess::Read, 1000);
    app::Statement tables =
        from.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE "
                     "'sqlite_%' AND name <> 'log_state' ORDER BY name");
    int compared = 0;
    while (tables.step()) {
        const std::string count = "SELECT count(*) FROM " + tables.text(0);
        QVERIFY2(from.integer(count) == to.integer(count), tables.text(0).c_str());
        const bool isSaved = std::ranges::any_of(salvage->tables, [&](const app::SavedTable& each) {
            return each.table == tables.text(0) && each.isWhole;
        });
        QVERIFY2(isSaved, tables.text(0).c_str());
        ++compared;
    }
    QVERIFY(compared >= 12);
    QVERIFY(to.integer("SELECT count(*) FROM run_figures") > 0);
    QVERIFY(to.integer("SELECT count(*) FROM request_page") > 0);
    QVERIFY(to.integer("SELECT count(*) FROM sample_60s") > 0);
    QVERIFY((*app::RunStore::open(target, app::StoreMode::ReadOnly))->runs()->size() == 1);
}

void TstSalvage::aRunWithAGapSaysSo() {
    QTemporaryDir folder;
    const auto file = makeLog(folder);
    app::Database(file, app::DatabaseAccess::Write, 1000)
        .run("DELETE FROM request WHERE run_id = 2 AND n = 5");
    const std::filesystem::path target = folder.path().toStdString() + "/saved.db";
    QVERIFY(app::salvageLog(file, target));
    const auto store = app::RunStore::open(target, app::StoreMode::ReadOnly);
    QVERIFY(!(*store)->summary(1)->run.isIncomplete);
    QVERIFY((*store)->summary(2)->run.isIncomplete);
}

void TstSalvage::whatIsLeftOfABrokenLogIsSaved_data() {
    QTest::addColumn<int>("pages");
    for (const int pages : {1, 3, 10}) {
        QTest::addRow("%d pages", pages) << pages;
    }
}

void TstSalvage::whatIsLeftOfABrokenLogIsSaved() {
    QFETCH(int, pages);
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        QTemporaryDir folder;
        const auto file = makeLog(folder);
        overwrite(file, seed, pages);
        const auto check = app::checkLog(file);
        QVERIFY(check);
        const std::filesystem::path target = folder.path().toStdString() + "/saved.db";
        const auto salvage = app::salvageLog(file, target);
        QVERIFY2(salvage, salvage ? "" : salvage.error().message.c_str());
        const auto saved = app::checkLog(target);
        QVERIFY(saved && saved->isSound);
        // What was saved is a log like any other.
        const auto store = app::RunStore::open(target, app::StoreMode::ReadOnly);
        QVERIFY(store);
        QVERIFY((*store)->runs());
    }
}

void TstSalvage::otherFilesAreRefused() {
    QTemporaryDir folder;
    const std::filesystem::path file = folder.path().toStdString() + "/text.db";
    std::ofstream(file) << "this is no database at all, but long enough to be read as one";
    const auto check = app::checkLog(file);
    QVERIFY(!check || !check->isSound);
    QCOMPARE(app::checkLog(file.string() + ".gone").error().code, engine::ErrorCode::NotFound);
    QVERIFY(!app::salvageLog(makeLog(folder), file)); // the target exists
    QVERIFY(!app::salvageLog(file.string() + ".gone", file.string() + ".out"));
}

void TstSalvage::whatCantBeReadIsNotCalledDamaged() {
    if (geteuid() == 0) {
        QSKIP("root may read everything");
    }
    QTemporaryDir folder;
    const std::filesystem::path file = makeLog(folder);
    namespace fs = std::filesystem;
    fs::permissions(folder.path().toStdString(), fs::perms::owner_write, fs::perm_options::remove);
    const auto sound = app::checkLog(file);
    fs::permissions(folder.path().toStdString(), fs::perms::owner_write, fs::perm_options::add);
    QVERIFY(sound && sound->isSound);
    fs::permissions(file, fs::perms::none);
    const auto closed = app::checkLog(file);
    QVERIFY(!closed);
    QCOMPARE(closed.error().code, engine::ErrorCode::Io);
}

void TstSalvage::anArchiveComesBackEqual() {
    QTemporaryDir folder;
    const auto file = makeLog(folder);
    {
        const auto store = app::RunStore::open(file, app::StoreMode::Write);
        QVERIFY((*store)->setTags(2, {"candidate"}));
        QVERIFY((*store)->addExperiment(2, "priority", "[experiment]\n"));
        QVERIFY((*store)->addBlock(2, {.number = 1, .fromNs = 1, .toNs = 2, .json = "{}"}));
    }
    const std::filesystem::path archive = folder.path().toStdString() + "/run-2.db";
    const auto written = app::archiveRun(file, 2, archive);
    QVERIFY2(written, written ? "" : written.error().message.c_str());
    QVERIFY(!app::archiveRun(file, 2, archive)); // it exists
    QVERIFY(!app::archiveRun(file, 99, folder.path().toStdString() + "/run-99.db"));
    const std::filesystem::path other = folder.path().toStdString() + "/other.db";
    const auto store = app::RunStore::open(other, app::StoreMode::Write);
    QVERIFY(store);
    tests::writeScriptedRun(**store, {.name = "there before", .phases = {{5.0, 8.0, 4}}});
    const auto ids = (*store)->importRuns(archive);
    QVERIFY2(ids, ids ? "" : ids.error().message.c_str());
    QCOMPARE(*ids, std::vector<std::int64_t>{2});
    const auto before = (*app::RunStore::open(file, app::StoreMode::ReadOnly))->load(2);
    const auto after = (*store)->load(2);
    QVERIFY(before && after);
    QCOMPARE(after->digest, before->digest);
    QCOMPARE(after->summary.run.uuid, before->summary.run.uuid);
    QCOMPARE(after->summary.run.tags, before->summary.run.tags);
    QCOMPARE((*store)->experiments()->size(), std::size_t{1});
    QCOMPARE((*store)->experiments()->front().blocks.size(), std::size_t{1});
    QVERIFY((*store)->importRuns(archive)->empty()); // it is there already
}

// The log it was meant for is sound, and nobody may be told to move that one away.
void TstSalvage::aDamagedImportIsNamed() {
    int refused = 0;
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
        QTemporaryDir folder;
        const std::filesystem::path other = makeLog(folder);
        overwrite(other, seed, 12);
        const std::filesystem::path own = folder.path().toStdString() + "/own.db";
        auto store = app::RunStore::open(own, app::StoreMode::Write);
        QVERIFY(store);
        const auto copies = (*store)->importRuns(other);
        if (!copies) {
            ++refused;
            QVERIFY2(copies.error().message.find("/runs.db") != std::string::npos,
                     copies.error().message.c_str());
            QVERIFY(copies.error().message.find("/own.db") == std::string::npos);
        }
        store->reset();
        const auto check = app::checkLog(own);
        QVERIFY(check && check->isSound);
    }
    QVERIFY(refused > 0);
}

QTEST_GUILESS_MAIN(TstSalvage)
#include "tst_salvage.moc"
