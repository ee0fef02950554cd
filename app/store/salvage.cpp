#include "app/store/salvage.h"

#include "app/store/run_store.h"
#include "app/store/store_file.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <utility>

namespace app {

namespace {

constexpr int kMostProblems = 20;
constexpr int kBusyMilliseconds = 2000;

// Tiers follow from other rows and are made anew from these: half of one would hide what is there.
// Added tables are missing from logs of an earlier version, which lost nothing by it.
enum class TableKind : std::uint8_t { First, Added, Tier };

// In the order in which their rows may be added; the key is what they are read along.
struct LogTable {
    const char* name;
    const char* key;
    TableKind kind = TableKind::First;
};
constexpr std::array kTables = {
    LogTable{"run", "id"},
    LogTable{"tag", "run_id, tag"},
    LogTable{"setting", "rowid"},
    LogTable{"request", "run_id, n"},
    LogTable{"sample_1s", "run_id, t_ns"},
    LogTable{"event", "run_id, seq"},
    LogTable{"experiment", "run_id", TableKind::Added},
    LogTable{"experiment_block", "run_id, number", TableKind::Added},
    LogTable{"sample_60s", "run_id, t_ns", TableKind::Tier},
    LogTable{"request_page", "run_id, last_n", TableKind::Tier},
    LogTable{"run_figures", "run_id", TableKind::Tier},
    LogTable{"removal", "run_id", TableKind::Added},
};

std::unexpected<engine::Error> failure(engine::ErrorCode code, std::string message) {
    return std::unexpected(engine::Error{code, std::move(message)});
}

// What keeps us from reading says nothing of the pages.
bool isDamage(const DatabaseFailure& failure) {
    constexpr std::array kKeptOut = {SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH,
                                     SQLITE_BUSY,     SQLITE_LOCKED,   SQLITE_NOMEM};
    return std::ranges::find(kKeptOut, failure.primaryCode()) == kKeptOut.end();
}

std::string descending(std::string key) {
    std::string text;
    for (const char c : key) {
        text += c == ',' ? std::string(" DESC,") : std::string(1, c);
    }
    return text + " DESC";
}

// The columns that both files have.
std::string sharedColumns(const Database& from, const Database& to, const char* table, int& count) {
    const auto there = from.columns(table);
    std::string list;
    count = 0;
    for (const std::string& column : to.columns(table)) {
        if (std::ranges::find(there, column) != there.end()) {
            list += (list.empty() ? "" : ", ") + quotedName(column);
            ++count;
        }
    }
    return list;
}

// Copies until a page can't be read. True: to the end.
bool copyRows(const Database& from, const Database& to, const LogTable& table,
              const std::string& columns, int count, const std::string& order) {
    std::string marks = "?";
    for (int i = 1; i < count; ++i) {
        marks += ", ?";
    }
    Statement insert = to.prepare(
        fmt::format("INSERT OR IGNORE INTO {} ({}) VALUES ({})", table.name, columns, marks));
    try {
        Statement rows =
            from.prepare(fmt::format("SELECT {} FROM {} ORDER BY {}", columns, table.name, order));
        while (rows.step()) {
            for (int i = 0; i < count; ++i) {
                insert.addColumn(rows, i);
            }
            try {
                insert.execute();
            } catch (const DatabaseFailure&) {
                insert.reset(); // a row that breaks a rule of its table is damaged too
            }
        }
        return true;
    } catch (const DatabaseFailure&) {
        return false;
    }
}

SavedTable saveTable(const Database& from, Database& to, const LogTable& table) {
    SavedTable saved{.table = table.name};
    int count = 0;
    std::string columns;
    try {
        columns = sharedColumns(from, to, table.name, count);
    } catch (const DatabaseFailure&) {
        return saved; // not even its form can be read
    }
    if (count == 0) {
        saved.isWhole = table.kind != TableKind::First;
        return saved;
    }
    Transaction transaction(to);
    saved.isWhole = copyRows(from, to, table, columns, count, table.key);
    // A broken page in the middle: what lies behind it is reached from the other end.
    if (!saved.isWhole && table.kind == TableKind::Tier) {
        to.run(fmt::format("DELETE FROM {}", table.name));
    } else if (!saved.isWhole && table.key != std::string_view("rowid")) {
        copyRows(from, to, table, columns, count, descending(table.key));
    }
    transaction.commit();
    saved.rows = to.integer(fmt::format("SELECT count(*) FROM {}", table.name));
    return saved;
}

// Runs that left requests or samples, but whose own row is gone.
std::int64_t nameRuns(Database& database) {
    Transaction transaction(database);
    database.run("INSERT INTO run(id, uuid, name, state, started_utc, headway, slo_ttft_ns, "
                 "slo_tpot_ns, is_incomplete) "
                 "SELECT run_id, 'salvaged-' || run_id, 'salvaged ' || run_id, 'interrupted', "
                 "'1970-01-01T00:00:00Z', '', 800000000, 100000000, 1 FROM "
                 "(SELECT run_id FROM request UNION SELECT run_id FROM sample_1s UNION "
                 "SELECT run_id FROM event UNION SELECT run_id FROM sample_60s UNION "
                 "SELECT run_id FROM request_page) WHERE run_id NOT IN (SELECT id FROM run)");
    const std::int64_t named = database.integer("SELECT changes()");
    for (const char* table : {"tag", "setting", "experiment", "run_figures", "removal"}) {
        database.run(fmt::format("DELETE FROM {} WHERE run_id NOT IN (SELECT id FROM run)", table));
    }
    database.run(
        "DELETE FROM experiment_block WHERE run_id NOT IN (SELECT run_id FROM experiment)");
    transaction.commit();
    return named;
}

// Requests and events are counted from 1 without a gap: where one is missing, the run says so.
void markGaps(Database& database) {
    for (const auto& [table, number] : {std::pair{"request", "n"}, std::pair{"event", "seq"}}) {
        database.run(fmt::format("UPDATE run SET is_incomplete = 1 WHERE id IN (SELECT run_id FROM "
                                 "{0} GROUP BY run_id HAVING count(*) < max({1}))",
                                 table, number));
    }
}

// Without those whose rows were being removed.
std::int64_t countRuns(const Database& database) {
    return database.integer(database.columns("removal").empty()
                                ? "SELECT count(*) FROM run"
                                : "SELECT count(*) FROM run WHERE id NOT IN (SELECT run_id FROM "
                                  "removal)");
}

} // namespace

engine::Result<LogCheck> checkLog(const std::filesystem::path& file) {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) {
        return failure(engine::ErrorCode::NotFound,
                       fmt::format("There is no database {}; check the name.", file.string()));
    }
    LogCheck check;
    try {
        const auto opened = openToRead(file, kBusyMilliseconds);
        if (!opened) {
            return std::unexpected(opened.error());
        }
        const Database& database = **opened;
        Statement problems =
            database.prepare(fmt::format("PRAGMA integrity_check({})", kMostProblems));
        while (problems.step()) {
            check.problems.push_back(problems.text(0));
        }
        check.isSound = check.problems.size() == 1 && check.problems.front() == "ok";
        if (check.isSound) {
            check.problems.clear();
            if (database.columns("run").empty()) {
                return failure(
                    engine::ErrorCode::Invalid,
                    fmt::format("{} is no run log. Choose another file.", file.string()));
            }
        }
        check.runs = countRuns(database);
    } catch (const DatabaseFailure& thrown) {
        if (!isDamage(thrown)) {
            return std::unexpected(describe(thrown, file));
        }
        check.isSound = false;
        check.problems.emplace_back(thrown.what());
    }
    return check;
}

engine::Result<Salvage> salvageLog(const std::filesystem::path& file,
                                   const std::filesystem::path& target) {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) {
        return failure(engine::ErrorCode::NotFound,
                       fmt::format("There is no database {}; check the name.", file.string()));
    }
    if (std::filesystem::exists(target, error)) {
        return failure(
            engine::ErrorCode::Invalid,
            fmt::format("{} exists already; name a file that does not.", target.string()));
    }
    if (auto made = RunStore::open(target, StoreMode::Write); !made) {
        return std::unexpected(made.error()); // makes the tables
    }
    Salvage salvage;
    try {
        const auto opened = openToRead(file, kBusyMilliseconds);
        if (!opened) {
            return std::unexpected(opened.error());
        }
        const Database& from = **opened;
        Database to(target, DatabaseAccess::Write, kBusyMilliseconds);
        to.run("PRAGMA foreign_keys = OFF");
        for (const LogTable& table : kTables) {
            salvage.tables.push_back(saveTable(from, to, table));
        }
        salvage.namelessRuns = nameRuns(to);
        markGaps(to);
        salvage.runs = countRuns(to);
    } catch (const DatabaseFailure& thrown) {
        return std::unexpected(describe(thrown, target));
    }
    return salvage;
}

} // namespace app
