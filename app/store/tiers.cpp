#include "app/store/tiers.h"

#include "app/store/columns.h"
#include "app/store/request_points.h"
#include "app/store/rows.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

namespace app {

namespace {

constexpr std::int64_t kMinuteNs = 60'000'000'000;
constexpr std::int64_t kMinutesAtOnce = 300;
constexpr std::int64_t kPageRequests = 500;
constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

// What a minute says of its seconds, in the order of sampleColumns() and then the peaks.
constexpr const char* kOfAMinute =
    "max(t_ns), count(*), avg(running), avg(waiting), max(slots), avg(output_per_second), "
    "avg(prompt_per_second), avg(requests_per_second), avg(kv_share), avg(busy_share), "
    "avg(process_bytes), avg(machine_share), max(kv_share_peak), max(process_bytes_peak), "
    "max(machine_share) FROM sample_1s WHERE run_id = ?1 AND t_ns > ?2 AND t_ns <= ?3 "
    "GROUP BY (t_ns - 1) / 60000000000 ORDER BY 1";
constexpr const char* kMinuteColumns =
    "t_ns, seconds, running, waiting, slots, output_per_second, prompt_per_second, "
    "requests_per_second, kv_share, busy_share, process_bytes, machine_share, kv_share_peak, "
    "process_bytes_peak, machine_share_peak";

bool has(const Database& database, const char* table) {
    return !database.columns(table).empty();
}

std::optional<std::int64_t> find(const Database& database, const char* sql, std::int64_t run) {
    Statement select = database.prepare(sql);
    select.bind(1, run);
    return select.step() ? select.optionalInteger(0) : std::nullopt;
}

std::int64_t lastMinute(const Database& database, std::int64_t run) {
    return has(database, "sample_60s")
               ? find(database, "SELECT max(t_ns) FROM sample_60s WHERE run_id = ?", run)
                     .value_or(-1)
               : -1;
}

std::int64_t lastPaged(const Database& database, std::int64_t run) {
    return has(database, "request_page")
               ? find(database, "SELECT max(last_n) FROM request_page WHERE run_id = ?", run)
                     .value_or(0)
               : 0;
}

std::int64_t lastRequest(const Database& database, std::int64_t run) {
    return find(database, "SELECT max(n) FROM request WHERE run_id = ?", run).value_or(0);
}

// A row of kOfAMinute or kMinuteColumns. Memory and KV show their highest: what may run out is seen
// from afar.
Sample minuteOf(const Statement& row) {
    Sample sample;
    sample.seconds = static_cast<double>(row.integer(0)) / 1e9;
    int column = 2;
    for (const SampleColumn& entry : sampleColumns()) {
        sample.*entry.member = row.number(column++);
    }
    sample.kvShare = std::max(sample.kvShare, row.number(column++));
    sample.processBytes = std::max(sample.processBytes, row.number(column++));
    sample.machineShare = std::max(sample.machineShare, row.number(column));
    return sample;
}

void readRest(const Database& database, std::int64_t run, std::int64_t after,
              const std::function<void(const Statement&)>& take) {
    Statement rest = database.prepare(fmt::format("SELECT {}", kOfAMinute));
    rest.bind(1, run).bind(2, after).bind(3, kEnd);
    while (rest.step()) {
        take(rest);
    }
}

// Every minute of a run, first the stored ones.
void readEach(const Database& database, std::int64_t run,
              const std::function<void(const Statement&)>& take) {
    if (has(database, "sample_60s")) {
        Statement minutes = database.prepare(fmt::format(
            "SELECT {} FROM sample_60s WHERE run_id = ? ORDER BY t_ns", kMinuteColumns));
        minutes.bind(1, run);
        while (minutes.step()) {
            take(minutes);
        }
    }
    readRest(database, run, lastMinute(database, run), take);
}

RequestPoint pointOf(const StoredRequest& request) {
    return requestPointOf(request.record, engine::TimePoint{});
}

} // namespace

bool extendMinutes(const Database& database, std::int64_t run, TierPart part) {
    const std::int64_t done = lastMinute(database, run);
    const auto next = find(database,
                           fmt::format("SELECT min(t_ns) FROM sample_1s WHERE run_id = ? "
                                       "AND t_ns > {}",
                                       done)
                               .c_str(),
                           run);
    if (!next) {
        return false;
    }
    const std::int64_t newest =
        find(database, "SELECT max(t_ns) FROM sample_1s WHERE run_id = ?", run).value_or(0);
    // From the first second that is not in a minute yet: a pause costs no empty pieces.
    std::int64_t upTo =
        (std::max<std::int64_t>(*next - 1, 0) / kMinuteNs + kMinutesAtOnce) * kMinuteNs;
    if (part == TierPart::Whole) {
        upTo = std::min(upTo, std::max<std::int64_t>(newest - 1, 0) / kMinuteNs * kMinuteNs);
    }
    if (upTo < *next) {
        return false;
    }
    Statement insert = database.prepare(fmt::format(
        "INSERT INTO sample_60s (run_id, {}) SELECT ?1, {}", kMinuteColumns, kOfAMinute));
    insert.bind(1, run).bind(2, done).bind(3, upTo);
    insert.execute();
    return upTo < newest;
}

bool extendPages(const Database& database, std::int64_t run, TierPart part) {
    const std::int64_t done = lastPaged(database, run);
    const std::int64_t newest = lastRequest(database, run);
    const std::int64_t least = part == TierPart::Whole ? kPageRequests : 1;
    if (newest - done < least) {
        return false;
    }
    std::vector<RequestPoint> points;
    std::int64_t last = done;
    readRequests(database, run, {.after = done, .count = kPageRequests},
                 [&](StoredRequest&& request) {
                     points.push_back(pointOf(request));
                     last = request.n;
                 });
    const std::vector<std::byte> page = packPoints(points);
    Statement insert =
        database.prepare("INSERT INTO request_page (run_id, last_n, points) VALUES (?, ?, ?)");
    insert.add(run).add(last).add(std::span<const std::byte>(page)).execute();
    return last < newest;
}

std::vector<Sample> readMinutes(const Database& database, std::int64_t run) {
    std::vector<Sample> samples;
    readEach(database, run, [&samples](const Statement& row) { samples.push_back(minuteOf(row)); });
    return samples;
}

std::vector<SampleRow> readMinuteRows(const Database& database, std::int64_t run) {
    std::vector<SampleRow> rows;
    SecondReader seconds(database);
    readEach(database, run, [&](const Statement& row) {
        // The metrics of its last second; means and peaks are the minute's own.
        SampleRow minute = seconds.read(run, row.integer(0)).value_or(SampleRow{});
        minute.sample = minuteOf(row);
        minute.kvSharePeak = minute.sample.kvShare;
        minute.processBytesPeak = minute.sample.processBytes;
        rows.push_back(std::move(minute));
    });
    return rows;
}

std::vector<Sample> readSeconds(const Database& database, std::int64_t run, double from,
                                double to) {
    std::string columns;
    for (const SampleColumn& column : sampleColumns()) {
        columns += ", " + quotedName(column.name);
    }
    Statement select = database.prepare(
        fmt::format("SELECT t_ns{} FROM sample_1s WHERE run_id = ?1 AND t_ns >= ?2 AND t_ns <= ?3 "
                    "ORDER BY t_ns",
                    columns));
    select.bind(1, run);
    select.bind(2, std::int64_t{std::llround(from * 1e9)});
    select.bind(3, std::int64_t{std::llround(to * 1e9)});
    std::vector<Sample> samples;
    while (select.step()) {
        Sample sample;
        sample.seconds = static_cast<double>(select.integer(0)) / 1e9;
        int place = 1;
        for (const SampleColumn& column : sampleColumns()) {
            sample.*column.member = select.number(place++);
        }
        samples.push_back(sample);
    }
    return samples;
}

void readPoints(const Database& database, std::int64_t run,
                const std::function<void(const RequestPoint&)>& take) {
    std::int64_t done = 0;
    if (has(database, "request_page")) {
        Statement pages = database.prepare(
            "SELECT last_n, points FROM request_page WHERE run_id = ? ORDER BY last_n");
        pages.bind(1, run);
        while (pages.step()) {
            const auto points = unpackPoints(pages.blob(1));
            if (!points) {
                break; // of another program: its rows say the same
            }
            for (const RequestPoint& point : *points) {
                take(point);
            }
            done = pages.integer(0);
        }
    }
    readRequests(database, run, {.after = done},
                 [&take](StoredRequest&& request) { take(pointOf(request)); });
}

RunSize sizeOf(const Database& database, std::int64_t run) {
    RunSize size;
    size.requests = lastRequest(database, run);
    const std::int64_t done = lastMinute(database, run);
    if (done >= 0) {
        size.samples =
            find(database, "SELECT sum(seconds) FROM sample_60s WHERE run_id = ?", run).value_or(0);
    }
    Statement rest =
        database.prepare("SELECT count(*) FROM sample_1s WHERE run_id = ? AND t_ns > ?");
    rest.add(run).add(done);
    size.samples += rest.step() ? rest.integer(0) : 0;
    return size;
}

} // namespace app
