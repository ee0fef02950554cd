// What a long recorded run costs: a log with a run of many seconds and requests is made, then
// opened, read in parts, and removed.
// bench_runs --folder EMPTY_FOLDER [--samples 10000000] [--requests 1000000] [--steps 20]
// Prints one JSON object, times in ms: opening with what the recorder leaves behind (cold: the file
// is not in memory), opening a log of version 2 that has no tiers, completing them, the list, an
// hour in seconds, the figures of ten minutes, and removing the run piece by piece.
#include "app/compare/run_views.h"
#include "app/store/event_json.h"
#include "app/store/sqlite.h"
#include "app/store/token_steps.h"

#include <QCoreApplication>
#include <QElapsedTimer>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace {

struct Arguments {
    std::string folder;
    std::int64_t samples = 10'000'000, requests = 1'000'000;
    int steps = 20;
};

double residentMiB() {
    std::ifstream file("/proc/self/statm");
    double total = 0.0, resident = 0.0;
    file >> total >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0);
}

template <class T>
T orThrow(engine::Result<T> result) {
    if (!result) {
        throw std::runtime_error(result.error().message);
    }
    if constexpr (!std::is_void_v<T>) {
        return std::move(*result);
    }
}

template <class Body>
double milliseconds(Body body) {
    QElapsedTimer clock;
    clock.start();
    body();
    return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

void forgetPages(const std::filesystem::path& file) {
    const int handle = ::open(file.c_str(), O_RDONLY);
    ::fsync(handle);
    ::posix_fadvise(handle, 0, 0, POSIX_FADV_DONTNEED);
    ::close(handle);
}

// Rows as the recorder writes them, made by the database itself: values wander, one request in a
// hundred is cold, one in fifty fails.
void fill(app::Database& database, std::int64_t run, const Arguments& arguments) {
    const std::int64_t gap =
        arguments.samples * 1'000'000'000 / std::max<std::int64_t>(1, arguments.requests);
    std::vector<engine::TokenStep> steps;
    for (int i = 0; i < arguments.steps; ++i) {
        steps.push_back({engine::TimePoint(engine::Nanoseconds(60'000'000 + i * 9'000'000)), 1});
    }
    const std::vector<std::byte> blob = app::packTokenSteps(steps, {});
    app::Transaction transaction(database);
    app::Statement samples = database.prepare(
        "WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < ?2) "
        "INSERT INTO sample_1s (run_id, t_ns, running, waiting, slots, output_per_second, "
        "prompt_per_second, requests_per_second, kv_share, busy_share, process_bytes, "
        "machine_share, kv_share_peak, process_bytes_peak, metric_running, metric_output_tokens, "
        "metric_prompt_tokens, metric_completed, metric_steps, metric_pool_busy_ns) "
        "SELECT ?1, i * 1000000000, 8.0 + i % 7, (i / 600) % 5, 16.0, 300.0 + i % 97, "
        "700.0 + i % 193, 12.0, 0.4, 0.7, 7e8 + i % 1000, 0.4, 0.45, 7.1e8, 8.0, i * 320.0, "
        "i * 700.0, i * 12.0, i * 40.0, i * 1.4e9 FROM s");
    samples.add(run).add(arguments.samples).execute();
    app::Statement requests = database.prepare(
        "WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < ?2) "
        "INSERT INTO request (run_id, n, request_id, lane, outcome, reason, tags, prompt_tokens, "
        "output_tokens, hit_tokens, max_tokens, scheduled_ns, received_ns, tokenized_ns, "
        "admitted_ns, planned_ns, kv_ready_ns, prefill_done_ns, first_sampled_ns, "
        "first_visible_ns, last_token_ns, finished_ns, token_steps, ledger_queue_ns, "
        "ledger_prefill_weights_ns, ledger_prefill_compute_ns) "
        "SELECT ?1, i, i, 'realtime', iif(i % 50 = 0, 'failed', 'completed'), "
        "iif(i % 50 = 0, 'failed', 'stop'), iif(i % 100 = 1, 1, 0), 80, ?4, 0, 64, t, t + 100000, "
        "t + 300000, t + 400000, t + d / 2, t + d / 2, t + d - 200000, t + d - 100000, t + d, "
        "t + d + 9000000 * ?4, t + d + 9000000 * ?4, ?5, d / 2, d / 4, d / 4 FROM "
        "(SELECT i, i * ?3 AS t, 30000000 + abs(random()) % 90000000 AS d FROM s)");
    requests.add(run).add(arguments.requests).add(gap).add(std::int64_t{arguments.steps});
    requests.add(std::span<const std::byte>(blob)).execute();
    app::Statement end = database.prepare(
        "UPDATE run SET state = 'finished', length_ns = ?2 * 1000000000 WHERE id = ?1");
    end.add(run).add(arguments.samples).execute();
    transaction.commit();
    database.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

// Tidies up to the end: the whole, and the longest piece, during which the recorder waits.
nlohmann::json tidied(app::RunStore& store) {
    double total = 0.0, longest = 0.0;
    int pieces = 0;
    for (bool isMore = true; isMore; ++pieces) {
        const double piece = milliseconds([&] { isMore = orThrow(store.tidySome()); });
        total += piece;
        longest = std::max(longest, piece);
    }
    return {{"total_ms", total}, {"longest_piece_ms", longest}, {"pieces", pieces}};
}

nlohmann::json opening(const std::filesystem::path& log, std::int64_t run, bool isCold) {
    if (isCold) {
        forgetPages(log);
    }
    const double before = residentMiB();
    app::OpenedRun opened;
    const double took = milliseconds([&] { opened = orThrow(app::openRun(log, run)); });
    return {{"ms", took},
            {"resident_mib_more", residentMiB() - before},
            {"samples_shown", opened.data->history.samples().size()},
            {"requests_shown", opened.data->history.requests().size()}};
}

nlohmann::json measure(const Arguments& arguments) {
    const std::filesystem::path log = std::filesystem::path(arguments.folder) / "runs.db";
    std::int64_t run = 0;
    {
        const auto store = orThrow(app::RunStore::open(log, app::StoreMode::Write));
        app::RunInfo info;
        info.name = "long";
        run = orThrow(store->beginRun(info, {}));
    }
    nlohmann::json result = {{"samples", arguments.samples}, {"requests", arguments.requests}};
    {
        app::Database database(log, app::DatabaseAccess::Write, 0);
        result["made_ms"] = milliseconds([&] { fill(database, run, arguments); });
    }
    result["file_mib"] = static_cast<double>(std::filesystem::file_size(log)) / (1024.0 * 1024.0);
    result["open_without_tiers"] = opening(log, run, false);
    {
        const auto store = orThrow(app::RunStore::open(log, app::StoreMode::Write));
        result["complete_tiers"] = tidied(*store);
    }
    result["open_cold"] = opening(log, run, true);
    result["open"] = opening(log, run, false);
    result["list_ms"] = milliseconds([&] { orThrow(app::listRuns(log)); });
    const app::OpenedRun opened = orThrow(app::openRun(log, run));
    const double middle = static_cast<double>(arguments.samples) / 2.0;
    result["hour_in_seconds_ms"] =
        milliseconds([&] { orThrow(app::readFinePart(opened, middle, middle + 3.0 * 3600.0)); });
    result["figures_of_a_day_ms"] =
        milliseconds([&] { orThrow(app::spanFigures(opened, middle, middle + 86'400.0)); });
    {
        const auto store = orThrow(app::RunStore::open(log, app::StoreMode::Write));
        result["remove_first_ms"] = milliseconds([&] { orThrow(store->beginRemove(run)); });
        result["remove_rest"] = tidied(*store);
    }
    return result;
}

} // namespace

int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    Arguments arguments;
    CLI::App parser("What a long recorded run costs");
    parser.add_option("--folder", arguments.folder, "Empty folder for the log")
        ->required()
        ->check(CLI::ExistingDirectory);
    parser.add_option("--samples", arguments.samples)->check(CLI::Range(60, 100'000'000));
    parser.add_option("--requests", arguments.requests)->check(CLI::Range(1, 10'000'000));
    parser.add_option("--steps", arguments.steps)->check(CLI::Range(2, 1'000));
    CLI11_PARSE(parser, argc, argv);
    try {
        std::printf("%s\n", measure(arguments).dump(2).c_str());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
