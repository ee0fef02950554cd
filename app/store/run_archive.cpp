#include "app/store/run_archive.h"

#include "app/store/store_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace app {

namespace {

// Parents before what refers to them.
constexpr std::array<const char*, 10> kOfARun = {
    "tag",        "setting",          "request",    "sample_1s",    "event",
    "experiment", "experiment_block", "sample_60s", "request_page", "run_figures"};

std::string sharedColumns(const Database& from, const Database& to, const char* table,
                          const char* without, int& count) {
    const auto there = from.columns(table);
    std::string list;
    count = 0;
    for (const std::string& column : to.columns(table)) {
        if (column != without && std::ranges::find(there, column) != there.end()) {
            list += (list.empty() ? "" : ", ") + quotedName(column);
            ++count;
        }
    }
    return list;
}

std::string marks(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        text += i == 0 ? "?" : ", ?";
    }
    return text;
}

void copyOf(const Database& from, const Database& to, const char* table, std::int64_t run,
            std::int64_t copy) {
    int count = 0;
    const std::string columns = sharedColumns(from, to, table, "run_id", count);
    if (count == 0) {
        return; // an older log has no such table
    }
    Statement rows =
        from.prepare(fmt::format("SELECT {} FROM {} WHERE run_id = ?", columns, table));
    Statement insert = to.prepare(
        fmt::format("INSERT INTO {} (run_id, {}) VALUES (?, {})", table, columns, marks(count)));
    rows.add(run);
    while (rows.step()) {
        insert.add(copy);
        for (int i = 0; i < count; ++i) {
            insert.addColumn(rows, i);
        }
        insert.execute();
    }
}

} // namespace

std::vector<std::int64_t> copyRuns(const Database& from, const Database& to,
                                   std::optional<std::int64_t> run) {
    int count = 0;
    const std::string columns = sharedColumns(from, to, "run", "id", count);
    Statement rows = from.prepare(fmt::format("SELECT id, uuid, {} FROM run{} ORDER BY id", columns,
                                              run ? " WHERE id = ?" : ""));
    if (run) {
        rows.add(*run);
    }
    Statement known = to.prepare("SELECT 1 FROM run WHERE uuid = ?");
    Statement insert =
        to.prepare(fmt::format("INSERT INTO run ({}) VALUES ({})", columns, marks(count)));
    std::vector<std::int64_t> copies;
    const bool hasRemovals = !from.columns("removal").empty();
    Statement going = from.prepare(hasRemovals ? "SELECT 1 FROM removal WHERE run_id = ?"
                                               : "SELECT 1 WHERE ? IS NULL");
    while (rows.step()) {
        going.addColumn(rows, 0);
        const bool isGoing = going.step();
        going.reset();
        if (isGoing) {
            continue;
        }
        known.addColumn(rows, 1);
        const bool isKnown = known.step();
        known.reset();
        if (isKnown) {
            continue;
        }
        for (int i = 0; i < count; ++i) {
            insert.addColumn(rows, i + 2);
        }
        insert.execute();
        const std::int64_t copy = to.lastInsertedId();
        for (const char* table : kOfARun) {
            copyOf(from, to, table, rows.integer(0), copy);
        }
        copies.push_back(copy);
    }
    return copies;
}

engine::Result<void> archiveRun(const std::filesystem::path& log, std::int64_t run,
                                const std::filesystem::path& target) {
    std::error_code error;
    if (std::filesystem::exists(target, error)) {
        return std::unexpected(engine::Error{
            engine::ErrorCode::Invalid,
            fmt::format("{} exists already; name a file that does not.", target.string())});
    }
    auto source = StoreFile::open(log, StoreMode::ReadOnly);
    if (!source) {
        return std::unexpected(source.error());
    }
    auto archive = StoreFile::open(target, StoreMode::Write);
    if (!archive) {
        return std::unexpected(archive.error());
    }
    try {
        const Transaction reading(source->database(), TransactionKind::Read);
        Transaction writing(archive->database());
        if (copyRuns(source->database(), archive->database(), run).empty()) {
            return std::unexpected(engine::Error{
                engine::ErrorCode::NotFound,
                fmt::format("There is no run {} in {}. List the runs to see what is there.", run,
                            log.string())});
        }
        writing.commit();
        // One file, to be sent: nothing is left in a log beside it.
    } catch (const DatabaseFailure& failure) {
        return std::unexpected(describe(failure, target));
    }
    return {};
}

} // namespace app
