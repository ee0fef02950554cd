#include "app/store/removal.h"

#include <fmt/format.h>

#include <array>

namespace app {

namespace {

// The key of a table's rows beside the run, and how many go at once: a request carries the times of
// its tokens, a page some hundred requests.
struct Emptied {
    const char* table;
    const char* key;
    int rowsAtOnce;
};
constexpr std::array kEmptied = {
    Emptied{"request_page", "last_n", 50},
    Emptied{"request", "n", 5'000},
    Emptied{"sample_60s", "t_ns", 20'000},
    Emptied{"sample_1s", "t_ns", 10'000},
    Emptied{"event", "seq", 10'000},
    Emptied{"setting", "rowid", 10'000},
    Emptied{"experiment_block", "number", 1'000},
};

} // namespace

bool beginRemoval(const Database& database, std::int64_t run) {
    // Another run may take its uuid meanwhile: the same archive, imported again.
    Statement rename =
        database.prepare("UPDATE run SET uuid = uuid || ' removed ' || id WHERE id = ?1 "
                         "AND id NOT IN (SELECT run_id FROM removal) RETURNING id");
    rename.add(run);
    if (!rename.step()) {
        return false;
    }
    rename.reset();
    Statement insert = database.prepare("INSERT INTO removal (run_id) VALUES (?)");
    insert.add(run).execute();
    return true;
}

bool removeSomeRows(const Database& database) {
    const std::int64_t run = database.integer("SELECT coalesce(min(run_id), 0) FROM removal");
    if (run == 0) {
        return false;
    }
    for (const Emptied& emptied : kEmptied) {
        Statement erase = database.prepare(
            fmt::format("DELETE FROM {0} WHERE run_id = ?1 AND {1} IN "
                        "(SELECT {1} FROM {0} WHERE run_id = ?1 ORDER BY {1} LIMIT {2})",
                        emptied.table, emptied.key, emptied.rowsAtOnce));
        erase.add(run).execute();
        if (database.integer("SELECT changes()") > 0) {
            return true;
        }
    }
    Statement erase = database.prepare("DELETE FROM run WHERE id = ?"); // and the few rows left
    erase.add(run).execute();
    return true;
}

} // namespace app
