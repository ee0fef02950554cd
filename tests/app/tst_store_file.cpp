// What can be wrong with a run log's file: each case ends in a message that names file and remedy,
// and changes nothing that was there.
#include "app/store/migrations.h"
#include "app/store/run_store.h"
#include "app/store/sqlite.h"
#include "app/store/store_lock.h"
#include "tests/support/full_disk.h"
#include "tests/support/scripted_run.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

#include <fstream>
#include <random>
#include <set>
#include <thread>

namespace fs = std::filesystem;
using app::Database;
using app::DatabaseAccess;
using app::RunStore;
using app::StoreMode;
using engine::ErrorCode;

namespace {

constexpr engine::TimePoint kStart{std::chrono::hours(3)};

QByteArray bytesOf(const fs::path& path) {
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void write(const fs::path& path, const QByteArray& bytes) {
    std::ofstream(path, std::ios::binary).write(bytes.data(), bytes.size());
}

QByteArray randomBytes(int count) {
    std::mt19937 random(1);
    QByteArray bytes;
    for (int i = 0; i < count; ++i) {
        bytes.append(static_cast<char>(random()));
    }
    return bytes;
}

RunStore::Batch someRequests(int first, int count) {
    RunStore::Batch batch;
    for (int i = first; i < first + count; ++i) {
        engine::Event event;
        event.time = kStart;
        event.body = engine::RequestFinished{
            std::make_shared<engine::RequestRecord>(tests::makeRecord(kStart, i * 10, 20, 5, 4))};
        batch.events.push_back(std::move(event));
    }
    return batch;
}

// Drops root's rights while it lives: permissions mean nothing to root.
class PlainUser {
public:
    PlainUser() : m_wasRoot(geteuid() == 0) {
        m_isPlain = !m_wasRoot || (setegid(65534) == 0 && seteuid(65534) == 0);
    }
    ~PlainUser() {
        if (m_wasRoot && (seteuid(0) != 0 || setegid(0) != 0)) {
            qFatal("rights can't be taken back");
        }
    }
    bool isPlain() const { return m_isPlain; }

private:
    bool m_wasRoot;
    bool m_isPlain = false;
};

} // namespace

class TstStoreFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void badFilesAreRefusedWithAReason_data();
    void badFilesAreRefusedWithAReason();
    void damagedPageIsFoundAfterAnEndOutOfOrder();
    void truncatedLogIsRefused();
    void newerVersionIsReadNotWritten();
    void secondWriterIsToldWhoWrites();
    void lockOfAnotherProgramIsSaidAndOver();
    void fullDiskKeepsWhatIsThereAndGoesOnLater();
    void deletedLogIsWrittenAnew();
    void movedLogIsLeftAloneWhereAnotherFileStands();
    void readOnlyFileAndFolderAreSaid();
    void closedLogIsReadInAFolderWithoutPermission();
    void openLogInAFolderWithoutPermissionSaysWhatToDo();
    void missingFolderIsMade();
    void strangeFileNamesWork();
    void migrationKeepsACopyOfTheLog();
    void failedMigrationChangesNothing();
    void spareLogIsAFreeNameBesideIt();
    void spareLogsAtOnceAreDifferentOnes();
    void lockFileWithoutALockIsNoLock();
    void lockIsNeverSeenAsHeldByWhoAsks();
    void lockFileIsNoWayToWriteElsewhere();
    void openRunWithoutAWriterReadsAsInterrupted();

private:
    fs::path file(const char* name = "runs.db") const {
        return fs::path(m_folder->path().toStdString()) / name;
    }
    std::int64_t makeLog(const fs::path& path) const {
        const auto store = RunStore::open(path, StoreMode::Write);
        return store ? tests::writeScriptedRun(**store, {.phases = {{.seconds = 20}}}) : -1;
    }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TstStoreFile::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

void TstStoreFile::badFilesAreRefusedWithAReason_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<int>("mode");
    QTest::addColumn<QString>("said");
    for (const auto mode : {StoreMode::Write, StoreMode::ReadOnly}) {
        const auto row = [&](const char* name, const QByteArray& content, const char* said) {
            QTest::addRow("%s %s", name, mode == StoreMode::Write ? "for writing" : "for reading")
                << content << static_cast<int>(mode) << QString::fromUtf8(said);
        };
        row("random bytes", randomBytes(20'000), "is not a database");
        row("text", QByteArray("select 1;\n").repeated(500), "is not a database");
        row("a header and noise", QByteArray("SQLite format 3\0", 16) + randomBytes(8000),
            "database");
        row("one byte", "x", "is not a database");
    }
}

void TstStoreFile::badFilesAreRefusedWithAReason() {
    QFETCH(QByteArray, content);
    QFETCH(int, mode);
    QFETCH(QString, said);
    write(file(), content);
    const auto store = RunStore::open(file(), static_cast<StoreMode>(mode));
    QVERIFY(!store.has_value());
    const QString message = QString::fromStdString(store.error().message);
    QVERIFY2(message.contains(said), qPrintable(message));
    QVERIFY2(message.contains(QString::fromStdString(file().string())), qPrintable(message));
    QCOMPARE(bytesOf(file()), content); // nothing was changed
}

void TstStoreFile::damagedPageIsFoundAfterAnEndOutOfOrder() {
    const std::int64_t run = makeLog(file());
    {
        Database raw(file(), DatabaseAccess::Write, 0);
        raw.run("UPDATE log_state SET is_clean = 0");
    }
    QVERIFY(RunStore::open(file(), StoreMode::Write).has_value());
    {
        Database raw(file(), DatabaseAccess::Write, 0);
        raw.run("UPDATE log_state SET is_clean = 0");
    }
    QByteArray bytes = bytesOf(file());
    const auto page = bytes.size() / 4096 / 2 * 4096;
    bytes.replace(page, 4096, randomBytes(4096));
    write(file(), bytes);
    const auto damaged = RunStore::open(file(), StoreMode::Write);
    QVERIFY(!damaged.has_value());
    QCOMPARE(damaged.error().code, ErrorCode::Corrupt);
    QVERIFY(damaged.error().message.find("damaged") != std::string::npos);
    QVERIFY(damaged.error().message.find("check-db " + file().string() + " --salvage") !=
            std::string::npos);
    QCOMPARE(bytesOf(file()), bytes);
    // Reading goes as far as it can, and says what it met.
    const auto reader = RunStore::open(file(), StoreMode::ReadOnly);
    QVERIFY(reader.has_value());
    const auto data = (*reader)->load(run);
    QVERIFY(data.has_value() || data.error().code == ErrorCode::Corrupt);
}

void TstStoreFile::truncatedLogIsRefused() {
    makeLog(file());
    const QByteArray whole = bytesOf(file());
    for (const qsizetype size :
         {whole.size() - 4096, whole.size() / 2, qsizetype{4096}, qsizetype{600}}) {
        write(file(), whole.left(size));
        const auto store = RunStore::open(file(), StoreMode::Write);
        QVERIFY2(!store.has_value(), qPrintable(QString::number(size)));
        QCOMPARE(store.error().code, ErrorCode::Corrupt);
        const auto reader = RunStore::open(file(), StoreMode::ReadOnly);
        QVERIFY(!reader.has_value() || !(*reader)->runs().has_value());
    }
}

void TstStoreFile::newerVersionIsReadNotWritten() {
    const std::int64_t run = makeLog(file());
    {
        Database raw(file(), DatabaseAccess::Write, 0);
        raw.run("ALTER TABLE run ADD COLUMN mood TEXT; PRAGMA user_version = 42");
    }
    const QByteArray before = bytesOf(file());
    const auto writer = RunStore::open(file(), StoreMode::Write);
    QVERIFY(!writer.has_value());
    QCOMPARE(writer.error().code, ErrorCode::Unsupported);
    QVERIFY(writer.error().message.find("newer Headway (version 42") != std::string::npos);
    QCOMPARE(bytesOf(file()), before);
    const auto reader = RunStore::open(file(), StoreMode::ReadOnly);
    QVERIFY(reader.has_value());
    QVERIFY((*reader)->load(run).has_value());

    write(file("foreign.db"), QByteArray());
    {
        Database raw(file("foreign.db"), DatabaseAccess::Write, 0);
        raw.run("CREATE TABLE mail (id INTEGER)");
    }
    const auto foreign = RunStore::open(file("foreign.db"), StoreMode::Write);
    QVERIFY(!foreign.has_value());
    QVERIFY(foreign.error().message.find("another program") != std::string::npos);
}

void TstStoreFile::secondWriterIsToldWhoWrites() {
    const auto first = RunStore::open(file(), StoreMode::Write);
    QVERIFY(first.has_value());
    const auto second = RunStore::open(file(), StoreMode::Write);
    QVERIFY(!second.has_value());
    QCOMPARE(second.error().code, ErrorCode::Busy);
    const std::string process = "process " + std::to_string(getpid());
    QVERIFY2(second.error().message.find(process) != std::string::npos,
             second.error().message.c_str());
    QVERIFY(second.error().message.find("tst_store_file") != std::string::npos);
    QVERIFY(RunStore::open(file(), StoreMode::ReadOnly).has_value());
}

void TstStoreFile::lockOfAnotherProgramIsSaidAndOver() {
    const auto store = RunStore::open(file(), StoreMode::Write);
    const auto run = (*store)->beginRun({}, {});
    QVERIFY(run.has_value());
    {
        Database other(file(), DatabaseAccess::Write, 0);
        other.run("BEGIN IMMEDIATE");
        const auto refused = (*store)->append(*run, kStart, someRequests(0, 3));
        QVERIFY(!refused.has_value());
        QCOMPARE(refused.error().code, ErrorCode::Busy);
        QVERIFY(refused.error().message.find("lock") != std::string::npos);
        other.run("ROLLBACK");
    }
    QVERIFY((*store)->append(*run, kStart, someRequests(0, 3)).has_value());
    QCOMPARE((*store)->summary(*run)->requests, std::int64_t{3});
}

void TstStoreFile::fullDiskKeepsWhatIsThereAndGoesOnLater() {
    tests::FullDisk disk;
    std::int64_t run = 0;
    {
        const auto store = RunStore::open(file(), StoreMode::Write);
        run = *(*store)->beginRun({}, {});
        QVERIFY((*store)->append(run, kStart, someRequests(0, 10)).has_value());
        disk.fill();
        const auto refused = (*store)->append(run, kStart, someRequests(10, 10));
        QVERIFY(!refused.has_value());
        QCOMPARE(refused.error().code, ErrorCode::Io);
        QVERIFY2(refused.error().message.find("no room") != std::string::npos,
                 refused.error().message.c_str());
        QCOMPARE((*store)->summary(run)->requests, std::int64_t{10});
        disk.free();
        QVERIFY((*store)->append(run, kStart, someRequests(10, 10)).has_value());
        QCOMPARE((*store)->load(run)->requests.back().n, std::int64_t{20});
        disk.fill(); // closing in order is not possible then
    }
    const auto full = RunStore::open(file("other.db"), StoreMode::Write);
    QVERIFY(!full.has_value());
    QVERIFY(full.error().message.find("no room") != std::string::npos);
    disk.free();
    const auto store = RunStore::open(file(), StoreMode::Write);
    QVERIFY(store.has_value());
    QCOMPARE((*store)->summary(run)->requests, std::int64_t{20});
}

void TstStoreFile::deletedLogIsWrittenAnew() {
    const auto store = RunStore::open(file(), StoreMode::Write);
    const std::int64_t run = *(*store)->beginRun({}, {});
    QVERIFY((*store)->append(run, kStart, someRequests(0, 500)).has_value());
    fs::remove(file());
    QVERIFY((*store)->append(run, kStart, someRequests(500, 5)).has_value());
    QVERIFY(fs::exists(file()));
    const auto reader = RunStore::open(file(), StoreMode::ReadOnly);
    QVERIFY(reader.has_value());
    QCOMPARE((*reader)->summary(run)->requests, std::int64_t{505});
    QCOMPARE(Database(file(), DatabaseAccess::Read, 0).text("PRAGMA integrity_check"),
             std::string("ok"));
}

void TstStoreFile::movedLogIsLeftAloneWhereAnotherFileStands() {
    const auto store = RunStore::open(file(), StoreMode::Write);
    const std::int64_t run = *(*store)->beginRun({}, {});
    QVERIFY((*store)->append(run, kStart, someRequests(0, 5)).has_value());
    fs::rename(file(), file("moved.db"));
    write(file(), "mine");
    const auto refused = (*store)->append(run, kStart, someRequests(5, 5));
    QVERIFY(!refused.has_value());
    QVERIFY(refused.error().message.find("moved or deleted") != std::string::npos);
    QCOMPARE(bytesOf(file()), QByteArray("mine"));
    fs::remove(file());
    QVERIFY((*store)->append(run, kStart, someRequests(5, 5)).has_value());
    QCOMPARE((*RunStore::open(file(), StoreMode::ReadOnly))->summary(run)->requests,
             std::int64_t{10});
}

void TstStoreFile::readOnlyFileAndFolderAreSaid() {
    makeLog(file());
    fs::permissions(file(), fs::perms{0444});
    fs::permissions(file().parent_path(), fs::perms{0777});
    const PlainUser user;
    if (!user.isPlain()) {
        QSKIP("this user can't become one whom permissions bind");
    }
    const auto readOnlyFile = RunStore::open(file(), StoreMode::Write);
    QVERIFY(!readOnlyFile.has_value());
    QVERIFY2(readOnlyFile.error().message.find("read-only") != std::string::npos,
             readOnlyFile.error().message.c_str());
    const fs::path closed = file("closed");
    fs::create_directory(closed);
    fs::permissions(closed, fs::perms{0555});
    const auto readOnlyFolder = RunStore::open(closed / "runs.db", StoreMode::Write);
    QVERIFY(!readOnlyFolder.has_value());
    QVERIFY2(readOnlyFolder.error().message.find("permissions") != std::string::npos,
             readOnlyFolder.error().message.c_str());
    const auto noFolder = RunStore::open(closed / "deeper" / "runs.db", StoreMode::Write);
    QVERIFY(!noFolder.has_value());
    fs::permissions(closed, fs::perms{0755});
}

void TstStoreFile::closedLogIsReadInAFolderWithoutPermission() {
    const std::int64_t run = makeLog(file());
    QVERIFY(!fs::exists(file("runs.db-wal")));
    fs::permissions(file(), fs::perms{0444});
    fs::permissions(file().parent_path(), fs::perms{0555});
    {
        const PlainUser user;
        if (!user.isPlain()) {
            QSKIP("this user can't become one whom permissions bind");
        }
        const auto reader = RunStore::open(file(), StoreMode::ReadOnly);
        QVERIFY2(reader.has_value(), reader ? "" : reader.error().message.c_str());
        QVERIFY((*reader)->load(run).has_value());
    }
    fs::permissions(file().parent_path(), fs::perms{0755});
}

void TstStoreFile::openLogInAFolderWithoutPermissionSaysWhatToDo() {
    makeLog(file());
    const auto writer = RunStore::open(file(), StoreMode::Write);
    const std::int64_t run = *(*writer)->beginRun({}, {});
    QVERIFY((*writer)->append(run, kStart, someRequests(0, 5)).has_value());
    // As after a crash on another machine: the log of changes is there, its index is not.
    const fs::path copy = file("copy");
    fs::create_directory(copy);
    for (const char* suffix : {"", "-wal"}) {
        fs::copy_file(file().string() + suffix, (copy / "runs.db").string() + suffix);
        fs::permissions((copy / "runs.db").string() + suffix, fs::perms{0444});
    }
    fs::permissions(file().parent_path(), fs::perms{0755});
    fs::permissions(copy, fs::perms{0555});
    {
        const PlainUser user;
        if (!user.isPlain()) {
            QSKIP("this user can't become one whom permissions bind");
        }
        const auto reader = RunStore::open(copy / "runs.db", StoreMode::ReadOnly);
        QVERIFY(!reader.has_value());
        QVERIFY2(reader.error().message.find("Copy runs.db*") != std::string::npos,
                 reader.error().message.c_str());
    }
    fs::permissions(copy, fs::perms{0755});
    // Beside the writer, whose files are there, the same user may read.
    fs::permissions(file(), fs::perms{0444});
    for (const char* suffix : {"-wal", "-shm"}) {
        fs::permissions(file().string() + suffix, fs::perms{0444});
    }
    fs::permissions(file().parent_path(), fs::perms{0555});
    {
        const PlainUser user;
        const auto reader = RunStore::open(file(), StoreMode::ReadOnly);
        QVERIFY2(reader.has_value(), reader ? "" : reader.error().message.c_str());
        QCOMPARE((*reader)->summary(run)->requests, std::int64_t{5});
    }
    fs::permissions(file().parent_path(), fs::perms{0755});
}

void TstStoreFile::missingFolderIsMade() {
    const fs::path deep = file("a") / "b" / "runs.db";
    QVERIFY(RunStore::open(deep, StoreMode::Write).has_value());
    QVERIFY(fs::exists(deep));
    const auto absent = RunStore::open(file("nothing.db"), StoreMode::ReadOnly);
    QVERIFY(!absent.has_value());
    QCOMPARE(absent.error().code, ErrorCode::NotFound);
    QVERIFY(!fs::exists(file("nothing.db")));
    const auto folder = RunStore::open(file("a"), StoreMode::Write);
    QVERIFY(!folder.has_value());
    QVERIFY(folder.error().message.find("is a folder") != std::string::npos);
    write(file("plain"), "x");
    QVERIFY(!RunStore::open(file("plain") / "runs.db", StoreMode::Write).has_value());
}

void TstStoreFile::strangeFileNamesWork() {
    for (const char* name :
         {"a?b=c&immutable=1#x.db", "100%41.db", "实时 运行.db", "q'uote\".db"}) {
        const fs::path path = file(name);
        const std::int64_t run = makeLog(path);
        QVERIFY2(run > 0, name);
        QVERIFY2(fs::exists(path), name);
        QVERIFY2((*RunStore::open(path, StoreMode::ReadOnly))->load(run).has_value(), name);
    }
}

void TstStoreFile::migrationKeepsACopyOfTheLog() {
    const std::vector<app::Migration> first = {{1, "CREATE TABLE a (x INTEGER)"}};
    std::vector<app::Migration> both = first;
    both.push_back({2, "ALTER TABLE a ADD COLUMN y INTEGER; INSERT INTO a VALUES (7, 8)"});
    Database database(file(), DatabaseAccess::Write, 0);
    QVERIFY(!app::migrate(database, first, file()).has_value()); // a new file needs no copy
    database.run("INSERT INTO a VALUES (5)");
    QVERIFY(!app::migrate(database, first, file()).has_value());
    const auto backup = app::migrate(database, both, file());
    QVERIFY(backup.has_value());
    QCOMPARE(database.integer("PRAGMA user_version"), std::int64_t{2});
    QCOMPARE(database.integer("PRAGMA application_id"), app::kApplicationId);
    QCOMPARE(database.integer("SELECT count(*) FROM a"), std::int64_t{2});
    const Database copy(*backup, DatabaseAccess::Read, 0);
    QCOMPARE(copy.integer("PRAGMA user_version"), std::int64_t{1});
    QCOMPARE(copy.integer("SELECT x FROM a"), std::int64_t{5});
    QVERIFY(copy.columns("a").size() == 1);
    QVERIFY(app::kindOf(database, 1) == app::LogKind::Newer);
}

void TstStoreFile::failedMigrationChangesNothing() {
    const std::vector<app::Migration> list = {
        {1, "CREATE TABLE a (x INTEGER)"},
        {2, "INSERT INTO a VALUES (1); INSERT INTO nothing VALUES (1)"}};
    Database database(file(), DatabaseAccess::Write, 0);
    QVERIFY_EXCEPTION_THROWN(app::migrate(database, list, file()), app::DatabaseFailure);
    QCOMPARE(database.integer("PRAGMA user_version"), std::int64_t{1});
    QCOMPARE(database.integer("SELECT count(*) FROM a"), std::int64_t{0});
    const auto shipped = app::migrations();
    QVERIFY(!shipped.empty());
    for (std::size_t i = 0; i < shipped.size(); ++i) {
        QCOMPARE(shipped[i].version, static_cast<int>(i) + 1);
    }
}

void TstStoreFile::spareLogIsAFreeNameBesideIt() {
    makeLog(file());
    const auto first = app::openSpareRunLog(file());
    QVERIFY2(first.has_value(), first ? "" : first.error().message.c_str());
    QCOMPARE((*first)->file(), file("runs-2.db"));
    const auto second = app::openSpareRunLog(file());
    QVERIFY(second.has_value());
    QCOMPARE((*second)->file(), file("runs-3.db"));
}

// Programs that start at once each get a log of their own, whoever is first.
void TstStoreFile::spareLogsAtOnceAreDifferentOnes() {
    constexpr std::size_t kPrograms = 6;
    std::vector<std::unique_ptr<RunStore>> logs(kPrograms);
    {
        std::vector<std::jthread> threads;
        for (auto& log : logs) {
            threads.emplace_back([this, &log] {
                if (auto opened = app::openSpareRunLog(file())) {
                    log = std::move(*opened);
                }
            });
        }
    }
    std::set<std::string> names;
    for (const auto& log : logs) {
        QVERIFY(log != nullptr);
        names.insert(log->file().string());
    }
    QCOMPARE(names.size(), kPrograms);
}

// What a killed program leaves: its file, and in a container also its number, which is then
// another's.
void TstStoreFile::lockFileWithoutALockIsNoLock() {
    write(file("runs.db.lock"), QByteArray::number(qint64{getpid()}) + "\nheadway\nsome machine\n");
    const auto store = RunStore::open(file(), StoreMode::Write);
    QVERIFY2(store.has_value(), store ? "" : store.error().message.c_str());
    QVERIFY(app::StoreLock::isHeld(file()));
}

void TstStoreFile::lockIsNeverSeenAsHeldByWhoAsks() {
    QVERIFY(!app::StoreLock::isHeld(file()));
    std::jthread asking([this](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            app::StoreLock::isHeld(file());
        }
    });
    for (int i = 0; i < 200; ++i) {
        const auto lock = app::StoreLock::take(file());
        QVERIFY2(lock.has_value(), lock ? "" : lock.error().message.c_str());
    }
    const auto lock = app::StoreLock::take(file());
    QVERIFY(lock.has_value() && !app::StoreLock::take(file()).has_value());
}

void TstStoreFile::lockFileIsNoWayToWriteElsewhere() {
    write(file("mine"), "important");
    fs::create_symlink(file("mine"), file("runs.db.lock"));
    QVERIFY(!RunStore::open(file(), StoreMode::Write).has_value());
    QCOMPARE(bytesOf(file("mine")), QByteArray("important"));
}

// A run that nobody records any more reads as interrupted before anybody opens the log to write.
void TstStoreFile::openRunWithoutAWriterReadsAsInterrupted() {
    auto writer = RunStore::open(file(), StoreMode::Write);
    const std::int64_t run = *(*writer)->beginRun({}, {});
    QVERIFY((*writer)->append(run, kStart, someRequests(0, 3)).has_value());
    const auto stateIn = [run](const fs::path& log) {
        return (*RunStore::open(log, StoreMode::ReadOnly))->summary(run)->run.state;
    };
    QCOMPARE(stateIn(file()), app::RunState::Recording);
    fs::create_directory(file("copy"));
    for (const char* suffix : {"", "-wal"}) {
        fs::copy_file(file().string() + suffix, (file("copy") / "runs.db").string() + suffix);
    }
    QCOMPARE(stateIn(file("copy") / "runs.db"), app::RunState::Interrupted);
    writer->reset(); // an end without endRun, as of a program that lost its disk
    QCOMPARE(stateIn(file()), app::RunState::Interrupted);
    const auto reader = RunStore::open(file(), StoreMode::ReadOnly);
    QCOMPARE((*reader)->runs()->front().run.state, app::RunState::Interrupted);
    QCOMPARE((*reader)->load(run)->summary.run.state, app::RunState::Interrupted);
    QCOMPARE((*reader)->overview(run)->summary.run.state, app::RunState::Interrupted);
    QCOMPARE((*reader)->load(run)->requests.size(), std::size_t{3});
}

QTEST_GUILESS_MAIN(TstStoreFile)
#include "tst_store_file.moc"
