#include "app/store/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>
#include <utility>

namespace app {

namespace {

DatabaseFailure failureOf(sqlite3* handle, int code) {
    const int extended = handle != nullptr ? sqlite3_extended_errcode(handle) : code;
    const char* file = handle != nullptr ? sqlite3_db_filename(handle, "main") : nullptr;
    return DatabaseFailure(extended != SQLITE_OK ? extended : code,
                           handle != nullptr ? sqlite3_errmsg(handle) : sqlite3_errstr(code),
                           file != nullptr ? file : "");
}

// A file: URI; everything but unreserved characters is escaped, so that any file name works.
std::string uriOf(const std::filesystem::path& file, std::string_view query) {
    std::string uri = "file:";
    for (const char c : std::filesystem::absolute(file).string()) {
        const auto byte = static_cast<unsigned char>(c);
        const bool isPlain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                             (byte >= 'a' && byte <= 'z') || byte == '/' || byte == '.' ||
                             byte == '-' || byte == '_';
        uri += isPlain ? std::string(1, c) : fmt::format("%{:02X}", byte);
    }
    return uri + std::string(query);
}

sqlite3* openHandle(const std::filesystem::path& file, DatabaseAccess access) {
    const int common = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    const int flags = access == DatabaseAccess::Write
                          ? common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                          : common | SQLITE_OPEN_READONLY;
    const std::string uri = uriOf(file, access == DatabaseAccess::Immutable ? "?immutable=1" : "");
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(uri.c_str(), &handle, flags, nullptr);
    if (code != SQLITE_OK) {
        const DatabaseFailure failure = failureOf(handle, code);
        sqlite3_close(handle);
        throw failure;
    }
    return handle;
}

} // namespace

engine::Error describe(const DatabaseFailure& failure, const std::filesystem::path& file) {
    using engine::ErrorCode;
    std::error_code error;
    const bool isOther = !failure.file().empty() && std::filesystem::exists(file, error) &&
                         !std::filesystem::equivalent(failure.file(), file, error) && !error;
    const std::string name = (isOther ? failure.file() : file).string();
    switch (failure.primaryCode()) {
    case SQLITE_FULL:
        return {ErrorCode::Io,
                fmt::format("There is no room left to write {}. Free space on that disk; what was "
                            "recorded until now is kept.",
                            name)};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return {ErrorCode::Busy, fmt::format("Another program holds a lock on {}. Close it, or "
                                             "wait until it has finished.",
                                             name)};
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return {ErrorCode::Io, fmt::format("{} can't be written: the file or its folder is "
                                           "read-only. Change the permissions, or choose another "
                                           "file.",
                                           name)};
    case SQLITE_CANTOPEN:
        return {ErrorCode::Io, fmt::format("{} can't be opened. Check that its folder exists and "
                                           "that you may read and write there.",
                                           name)};
    case SQLITE_NOTADB:
        return {ErrorCode::Corrupt, fmt::format("{} is not a database. Choose another file, or "
                                                "move this one away.",
                                                name)};
    case SQLITE_CORRUPT:
        return {
            ErrorCode::Corrupt,
            fmt::format("{} is damaged ({}). Save what can be read of it with `headway check-db "
                        "{} --salvage OUT`, then move it away.",
                        name, failure.what(), name)};
    case SQLITE_IOERR:
        return {ErrorCode::Io, fmt::format("Reading or writing {} failed ({}). Check the disk.",
                                           name, failure.what())};
    case SQLITE_NOMEM:
        return {ErrorCode::OutOfMemory, fmt::format("There is no memory left to use {}.", name)};
    default:
        return {ErrorCode::Internal,
                fmt::format("{}: the database refused: {}.", name, failure.what())};
    }
}

Statement::Statement(Statement&& other) noexcept
    : m_handle(std::exchange(other.m_handle, nullptr)) {}

Statement::~Statement() {
    sqlite3_finalize(m_handle);
}

void Statement::check(int code) const {
    if (code != SQLITE_OK) {
        throw failureOf(sqlite3_db_handle(m_handle), code);
    }
}

Statement& Statement::bind(int parameter, std::int64_t value) {
    check(sqlite3_bind_int64(m_handle, parameter, value));
    return *this;
}

Statement& Statement::bind(int parameter, double value) {
    // SQLite stores NaN as NULL by itself, but keeps infinity.
    return std::isfinite(value) ? (check(sqlite3_bind_double(m_handle, parameter, value)), *this)
                                : bindNull(parameter);
}

Statement& Statement::bind(int parameter, std::string_view value) {
    // A null pointer would bind NULL, and an empty view may hold one.
    const char* data = value.empty() ? "" : value.data();
    check(sqlite3_bind_text64(m_handle, parameter, data, value.size(), SQLITE_TRANSIENT,
                              SQLITE_UTF8));
    return *this;
}

Statement& Statement::bind(int parameter, std::span<const std::byte> value) {
    check(value.empty() ? sqlite3_bind_zeroblob(m_handle, parameter, 0)
                        : sqlite3_bind_blob64(m_handle, parameter, value.data(), value.size(),
                                              SQLITE_TRANSIENT));
    return *this;
}

Statement& Statement::bindNull(int parameter) {
    check(sqlite3_bind_null(m_handle, parameter));
    return *this;
}

bool Statement::step() {
    const int code = sqlite3_step(m_handle);
    if (code == SQLITE_ROW) {
        return true;
    }
    if (code == SQLITE_DONE) {
        return false;
    }
    const DatabaseFailure failure = failureOf(sqlite3_db_handle(m_handle), code);
    sqlite3_reset(m_handle);
    throw failure;
}

Statement& Statement::addColumn(const Statement& row, int column) {
    check(sqlite3_bind_value(m_handle, ++m_added, sqlite3_column_value(row.m_handle, column)));
    return *this;
}

void Statement::execute() {
    while (step()) {
    }
    reset();
}

void Statement::reset() {
    sqlite3_reset(m_handle); // repeats the code of the last step, which was thrown there
    sqlite3_clear_bindings(m_handle);
    m_added = 0;
}

bool Statement::isNull(int column) const {
    return sqlite3_column_type(m_handle, column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
    return sqlite3_column_int64(m_handle, column);
}

double Statement::number(int column) const {
    return sqlite3_column_double(m_handle, column);
}

std::string Statement::text(int column) const {
    const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(m_handle, column));
    const int bytes = sqlite3_column_bytes(m_handle, column);
    return data != nullptr ? std::string(data, static_cast<std::size_t>(bytes)) : std::string();
}

std::span<const std::byte> Statement::blob(int column) const {
    const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(m_handle, column));
    return {data, static_cast<std::size_t>(sqlite3_column_bytes(m_handle, column))};
}

std::optional<std::int64_t> Statement::optionalInteger(int column) const {
    return isNull(column) ? std::nullopt : std::optional(integer(column));
}

std::optional<double> Statement::optionalNumber(int column) const {
    return isNull(column) ? std::nullopt : std::optional(number(column));
}

Database::Database(const std::filesystem::path& file, DatabaseAccess access, int busyMilliseconds)
    : m_handle(openHandle(file, access)) {
    sqlite3_busy_timeout(m_handle, busyMilliseconds);
    // A hostile file must not run code through its schema.
    sqlite3_db_config(m_handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(m_handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
}

Database::~Database() {
    sqlite3_close_v2(m_handle);
}

void Database::run(const std::string& sql) {
    const int code = sqlite3_exec(m_handle, sql.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) {
        throw failureOf(m_handle, code);
    }
}

bool Database::tryRun(const std::string& sql) noexcept {
    return sqlite3_exec(m_handle, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
}

Statement Database::prepare(std::string_view sql) const {
    sqlite3_stmt* handle = nullptr;
    const int code =
        sqlite3_prepare_v2(m_handle, sql.data(), static_cast<int>(sql.size()), &handle, nullptr);
    if (code != SQLITE_OK) {
        throw failureOf(m_handle, code);
    }
    return Statement(handle);
}

std::int64_t Database::integer(std::string_view sql) const {
    Statement statement = prepare(sql);
    return statement.step() ? statement.integer(0) : 0;
}

std::string Database::text(std::string_view sql) const {
    Statement statement = prepare(sql);
    return statement.step() ? statement.text(0) : std::string();
}

std::int64_t Database::lastInsertedId() const {
    return sqlite3_last_insert_rowid(m_handle);
}

std::vector<std::string> Database::columns(std::string_view table) const {
    Statement statement = prepare("SELECT name FROM pragma_table_info(?)");
    statement.bind(1, table);
    std::vector<std::string> names;
    while (statement.step()) {
        names.push_back(statement.text(0));
    }
    return names;
}

bool Database::hasMoved() const {
    int moved = 0;
    sqlite3_file_control(m_handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return moved != 0;
}

void Database::backupTo(const std::filesystem::path& target) const {
    const Database copy(target, DatabaseAccess::Write, 0);
    sqlite3_backup* backup = sqlite3_backup_init(copy.m_handle, "main", m_handle, "main");
    if (backup == nullptr) {
        throw failureOf(copy.m_handle, SQLITE_ERROR);
    }
    sqlite3_backup_step(backup, -1);
    const int code = sqlite3_backup_finish(backup);
    if (code != SQLITE_OK) {
        throw failureOf(copy.m_handle, code);
    }
}

Transaction::Transaction(Database& database, TransactionKind kind) : m_database(database) {
    m_database.run(kind == TransactionKind::Write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
    if (m_isOpen) {
        // Fails where SQLite has rolled back by itself already: a full disk does that.
        m_database.tryRun("ROLLBACK");
    }
}

void Transaction::commit() {
    m_database.run("COMMIT");
    m_isOpen = false;
}

std::string quotedName(std::string_view name) {
    std::string quoted = "\"";
    for (const char c : name) {
        quoted += c == '"' ? "\"\"" : std::string(1, c);
    }
    return quoted + "\"";
}

} // namespace app
