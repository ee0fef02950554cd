// RAII over the C API of SQLite: connection, statement, transaction. Failures are thrown as
// DatabaseFailure inside app/store and become an engine::Error at its doors. A Database and its
// Statements belong to one thread.
#pragma once

#include "engine/error.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace app {

// What SQLite said: an extended result code and its text.
class DatabaseFailure : public std::runtime_error {
public:
    DatabaseFailure(int code, const std::string& text, std::filesystem::path file = {})
        : std::runtime_error(text),
          m_code(code),
          m_file(std::move(file)) {}
    int code() const { return m_code; }
    int primaryCode() const { return m_code & 0xff; }
    const std::filesystem::path& file() const { return m_file; } // empty: not known

private:
    int m_code;
    std::filesystem::path m_file;
};

// A sentence with a remedy, naming the file: `file`, unless the failure is known to be another's,
// as where rows are copied from one database to the next.
engine::Error describe(const DatabaseFailure& failure, const std::filesystem::path& file);

class Statement {
public:
    Statement(Statement&& other) noexcept;
    Statement& operator=(Statement&&) = delete;
    Statement(const Statement&) = delete;
    ~Statement();

    // Parameters count from 1. Text and blobs are copied. A number that is not finite is NULL.
    Statement& bind(int parameter, std::int64_t value);
    Statement& bind(int parameter, double value);
    Statement& bind(int parameter, std::string_view value);
    Statement& bind(int parameter, std::span<const std::byte> value);
    Statement& bindNull(int parameter);
    template <class T>
    Statement& bind(int parameter, const std::optional<T>& value) {
        return value ? bind(parameter, *value) : bindNull(parameter);
    }

    // The value of another statement's present row, whatever its type.
    Statement& addColumn(const Statement& row, int column);

    // Binds the parameter after the last one added since the statement was made or reset.
    template <class T>
    Statement& add(const T& value) {
        return bind(++m_added, value);
    }

    bool step();    // true: a row is there
    void execute(); // to the end, then ready for the next values
    void reset();   // ready for the next values; bound ones are forgotten

    // Columns count from 0; views live until the next step.
    bool isNull(int column) const;
    std::int64_t integer(int column) const;
    double number(int column) const;
    std::string text(int column) const;
    std::span<const std::byte> blob(int column) const;
    std::optional<std::int64_t> optionalInteger(int column) const;
    std::optional<double> optionalNumber(int column) const;

private:
    friend class Database;
    explicit Statement(sqlite3_stmt* handle) : m_handle(handle) {}
    void check(int code) const;

    sqlite3_stmt* m_handle = nullptr;
    int m_added = 0;
};

enum class DatabaseAccess : std::uint8_t {
    Write,     // creates the file
    Read,      // beside a writer
    Immutable, // no writer, no -wal: for folders without write permission
};

class Database {
public:
    // Throws DatabaseFailure. Waits up to `busyMilliseconds` for another process's lock.
    Database(const std::filesystem::path& file, DatabaseAccess access, int busyMilliseconds);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    void run(const std::string& sql);             // one or more statements without parameters
    bool tryRun(const std::string& sql) noexcept; // for destructors, which can't throw
    Statement prepare(std::string_view sql) const;
    std::int64_t integer(std::string_view sql) const; // first column of the first row; 0 without
    std::string text(std::string_view sql) const;
    std::int64_t lastInsertedId() const;

    std::vector<std::string> columns(std::string_view table) const; // empty: no such table
    // The file at this connection's path is another one, or gone.
    bool hasMoved() const;
    // Copies every page into `target`, which must not exist; a consistent state even in mid-use.
    void backupTo(const std::filesystem::path& target) const;

private:
    sqlite3* m_handle = nullptr;
};

enum class TransactionKind : std::uint8_t {
    Write, // takes the write lock at once
    Read,  // one consistent state for several queries
};

// Rolls back unless committed.
class Transaction {
public:
    explicit Transaction(Database& database, TransactionKind kind = TransactionKind::Write);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

private:
    Database& m_database;
    bool m_isOpen = true;
};

// "name" with its quotes doubled inside: for names that come from tables of the program.
std::string quotedName(std::string_view name);

} // namespace app
