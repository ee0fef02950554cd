#include "app/store/store_file.h"

#include "app/store/migrations.h"
#include "app/store/run_rows.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <fstream>

namespace app {

namespace {

using engine::Error;
using engine::ErrorCode;

// Another program that only looks (a backup, the sqlite3 shell) is gone after this time.
constexpr int kBusyMilliseconds = 250;
constexpr const char* kWriterSettings =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON";

std::unexpected<Error> failure(ErrorCode code, std::string message) {
    return std::unexpected(Error{code, std::move(message)});
}

// SQLite takes a file of less than a page for an empty database and would write over it.
bool isDatabaseOrEmpty(const std::filesystem::path& file) {
    constexpr std::string_view kMagic("SQLite format 3\0", 16);
    std::ifstream stream(file, std::ios::binary);
    std::string start(kMagic.size(), '\0');
    stream.read(start.data(), static_cast<std::streamsize>(start.size()));
    return stream.gcount() == 0 || start == kMagic;
}

engine::Result<void> checkPath(const std::filesystem::path& file, StoreMode mode) {
    std::error_code error;
    if (std::filesystem::is_directory(file, error)) {
        return failure(ErrorCode::Invalid,
                       fmt::format("{} is a folder. Name a file in it.", file.string()));
    }
    if (std::filesystem::exists(file, error) && !isDatabaseOrEmpty(file)) {
        return std::unexpected(describe(DatabaseFailure(SQLITE_NOTADB, "no header"), file));
    }
    if (mode == StoreMode::ReadOnly) {
        if (!std::filesystem::exists(file, error)) {
            return failure(ErrorCode::NotFound,
                           fmt::format("There is no run log {} yet. Record a run, or name another "
                                       "file.",
                                       file.string()));
        }
        return {};
    }
    std::filesystem::create_directories(std::filesystem::absolute(file).parent_path(), error);
    if (error) {
        return failure(ErrorCode::Io, fmt::format("The folder of {} can't be made ({}). Choose "
                                                  "another place.",
                                                  file.string(), error.message()));
    }
    return {};
}

bool hasWriteAheadLog(const std::filesystem::path& file) {
    std::error_code error;
    const std::filesystem::path log = file.string() + "-wal";
    return std::filesystem::exists(log, error) && std::filesystem::file_size(log, error) > 0;
}

} // namespace

// A log in write-ahead mode needs a file beside it even to be read. Where the folder can't be
// written and no writer has left its files, nothing changes under us.
engine::Result<std::unique_ptr<Database>> openToRead(const std::filesystem::path& file,
                                                     int busyMilliseconds) {
    auto database = std::make_unique<Database>(file, DatabaseAccess::Read, busyMilliseconds);
    try {
        database->integer("PRAGMA user_version");
        database->integer("SELECT count(*) FROM sqlite_master");
    } catch (const DatabaseFailure& thrown) {
        const bool isDenied =
            thrown.primaryCode() == SQLITE_READONLY || thrown.primaryCode() == SQLITE_CANTOPEN;
        if (!isDenied) {
            return database; // damaged perhaps: who reads on finds out how much
        }
        if (hasWriteAheadLog(file)) {
            return failure(ErrorCode::Io,
                           fmt::format("{} was not closed in order and its folder can't be "
                                       "written. Copy {}* to a folder of your own and open it "
                                       "there.",
                                       file.string(), file.filename().string()));
        }
        database = std::make_unique<Database>(file, DatabaseAccess::Immutable, 0);
        database->integer("SELECT count(*) FROM sqlite_master");
    }
    return database;
}

engine::Result<StoreFile> StoreFile::open(const std::filesystem::path& file, StoreMode mode) {
    if (auto path = checkPath(file, mode); !path) {
        return std::unexpected(path.error());
    }
    StoreFile store(file, mode);
    try {
        auto opened = mode == StoreMode::Write ? store.openForWriting() : store.openForReading();
        if (!opened) {
            store.m_database.reset();
            return std::unexpected(opened.error());
        }
    } catch (const DatabaseFailure& thrown) {
        store.m_database.reset(); // or its end would note an end in order
        return std::unexpected(describe(thrown, file));
    }
    return store;
}

StoreFile::~StoreFile() {
    if (m_database != nullptr && m_mode == StoreMode::Write && !m_database->hasMoved()) {
        // Where this fails the next opening checks the pages, which is what a bad disk calls for.
        m_database->tryRun("UPDATE log_state SET is_clean = 1");
    }
}

engine::Result<void> StoreFile::openForWriting() {
    auto lock = StoreLock::take(m_file);
    if (!lock) {
        return std::unexpected(lock.error());
    }
    m_lock = std::move(*lock);
    m_database = std::make_unique<Database>(m_file, DatabaseAccess::Write, kBusyMilliseconds);
    if (auto form = checkForm(); !form) {
        return form;
    }
    m_database->run(kWriterSettings);
    checkPages();
    migrate(*m_database, migrations(), m_file);
    addTableColumns(*m_database);
    markInterrupted();
    return {};
}

engine::Result<void> StoreFile::openForReading() {
    auto opened = openToRead(m_file, kBusyMilliseconds);
    if (!opened) {
        return std::unexpected(opened.error());
    }
    m_database = std::move(*opened);
    return checkForm();
}

engine::Result<void> StoreFile::checkForm() const {
    const int newest = newestVersion(migrations());
    switch (kindOf(*m_database, newest)) {
    case LogKind::Ours:
        return {};
    case LogKind::Empty:
        if (m_mode == StoreMode::Write) {
            return {};
        }
        return failure(ErrorCode::NotFound,
                       fmt::format("{} holds no runs: it is empty.", m_file.string()));
    case LogKind::Newer:
        if (m_mode == StoreMode::ReadOnly) {
            return {}; // columns are read by name: what this program knows is still there
        }
        return failure(ErrorCode::Unsupported,
                       fmt::format("{} was written by a newer Headway (version {} of the log; this "
                                   "program writes version {}). It can be read, not written: "
                                   "update Headway, or record to another file.",
                                   m_file.string(), m_database->integer("PRAGMA user_version"),
                                   newest));
    case LogKind::Foreign:
        break;
    }
    return failure(ErrorCode::Invalid, fmt::format("{} is a database of another program, not a run "
                                                   "log. Choose another file.",
                                                   m_file.string()));
}

// 3.5 s a gigabyte on a cold disk, so only after an end that was not in order.
void StoreFile::checkPages() const {
    if (m_database->columns("log_state").empty()) {
        return; // new
    }
    if (m_database->integer("SELECT is_clean FROM log_state") == 0) {
        const std::string found = m_database->text("PRAGMA quick_check(1)");
        if (found != "ok") {
            throw DatabaseFailure(SQLITE_CORRUPT, found);
        }
    }
}

void StoreFile::markInterrupted() {
    Transaction transaction(*m_database);
    Statement open = m_database->prepare("SELECT id FROM run WHERE state = 'recording'");
    while (open.step()) {
        m_interrupted.push_back(open.integer(0));
    }
    Statement mark =
        m_database->prepare("UPDATE run SET state = 'interrupted', length_ns = ? WHERE id = ?");
    for (const std::int64_t run : m_interrupted) {
        mark.add(lastTime(*m_database, run)).add(run).execute();
    }
    m_database->run("UPDATE log_state SET is_clean = 0");
    transaction.commit();
}

engine::Result<void> StoreFile::prepareWrite() {
    if (m_mode != StoreMode::Write) {
        return failure(ErrorCode::Invalid,
                       fmt::format("{} is open for reading only.", m_file.string()));
    }
    std::error_code error;
    if (!m_database->hasMoved()) {
        return {};
    }
    if (std::filesystem::exists(m_file, error)) {
        return failure(
            ErrorCode::Io,
            fmt::format("{} was moved or deleted while it was being written, and another "
                        "file stands in its place. Move that one away; what was "
                        "recorded is kept until then.",
                        m_file.string()));
    }
    return recover();
}

engine::Result<void> StoreFile::recover() {
    try {
        std::error_code error;
        std::filesystem::create_directories(std::filesystem::absolute(m_file).parent_path(), error);
        for (const char* suffix : {"-wal", "-shm"}) {
            std::filesystem::remove(m_file.string() + suffix, error); // of the file that is gone
        }
        m_database->backupTo(m_file);
        // Closed first: a closing connection deletes the -wal file of its name.
        m_database.reset();
        m_database = std::make_unique<Database>(m_file, DatabaseAccess::Write, kBusyMilliseconds);
        m_database->run(kWriterSettings);
    } catch (const DatabaseFailure& thrown) {
        return std::unexpected(describe(thrown, m_file));
    }
    return {};
}

} // namespace app
