#include "app/store/run_rows.h"

#include "app/store/columns.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QUuid>

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace app {

namespace {

std::int64_t nanoseconds(double milliseconds) {
    return std::llround(milliseconds * 1e6);
}

void hash(QCryptographicHash& digest, std::string_view text) {
    // With its length before it, so that no two rows run into the same bytes.
    const std::string length = fmt::format("{}:", text.size());
    digest.addData(QByteArrayView(length.data(), static_cast<qsizetype>(length.size())));
    digest.addData(QByteArrayView(text.data(), static_cast<qsizetype>(text.size())));
}

void hashTable(const Database& database, std::string_view table, std::string_view order,
               std::int64_t run, QCryptographicHash& digest) {
    const std::vector<std::string> columns = database.columns(table);
    Statement select = database.prepare(
        fmt::format("SELECT * FROM {} WHERE run_id = ? ORDER BY {}", table, order));
    select.bind(1, run);
    while (select.step()) {
        hash(digest, table);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const int column = static_cast<int>(i);
            if (columns[i] != "run_id" && !select.isNull(column)) {
                hash(digest, columns[i]);
                hash(digest, select.text(column));
            }
        }
    }
}

} // namespace

std::int64_t insertRun(const Database& database, const RunInfo& info) {
    Statement insert = database.prepare(
        "INSERT INTO run (uuid, name, note, state, started_utc, headway, model_name, model_digest, "
        "workload_name, workload_toml, request_digest, seed, machine_json, slo_ttft_ns, "
        "slo_tpot_ns) VALUES (?, ?, ?, 'recording', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    const std::string uuid = info.uuid.empty()
                                 ? QUuid::createUuid().toString(QUuid::WithoutBraces).toStdString()
                                 : info.uuid;
    const std::string started =
        info.startedUtc.empty()
            ? QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs).toStdString()
            : info.startedUtc;
    const std::string machine = info.machineJson.empty() ? "{}" : info.machineJson;
    insert.add(uuid).add(info.name).add(info.note).add(started).add(std::string(HEADWAY_VERSION));
    insert.add(info.modelName).add(info.modelDigest);
    insert.add(info.workloadName).add(info.workloadToml).add(info.requestDigest);
    insert.add(info.seed ? std::optional(std::bit_cast<std::int64_t>(*info.seed)) : std::nullopt);
    insert.add(machine).add(nanoseconds(info.sloTtftMs)).add(nanoseconds(info.sloTpotMs));
    insert.execute();
    const std::int64_t id = database.lastInsertedId();
    Statement tag = database.prepare("INSERT OR IGNORE INTO tag (run_id, tag) VALUES (?, ?)");
    for (const std::string& word : info.tags) {
        tag.add(id).add(word).execute();
    }
    return id;
}

std::vector<RunInfo> readRuns(const Database& database, std::optional<std::int64_t> run) {
    Statement select = database.prepare(
        std::string(
            "SELECT id, uuid, name, note, state, started_utc, length_ns, model_name, model_digest, "
            "workload_name, workload_toml, request_digest, seed, machine_json, "
            "slo_ttft_ns, slo_tpot_ns, is_incomplete FROM run "
            "WHERE (?1 IS NULL OR id = ?1) ") +
        std::string(database.columns("removal").empty()
                        ? ""
                        : "AND id NOT IN (SELECT run_id FROM removal) ") +
        "ORDER BY id DESC");
    Statement tags = database.prepare("SELECT tag FROM tag WHERE run_id = ? ORDER BY tag");
    select.bind(1, run);
    std::vector<RunInfo> runs;
    while (select.step()) {
        RunInfo info;
        int c = 0;
        info.id = select.integer(c++);
        info.uuid = select.text(c++);
        info.name = select.text(c++);
        info.note = select.text(c++);
        info.state = runStateOf(select.text(c++));
        info.startedUtc = select.text(c++);
        const auto length = select.optionalInteger(c++);
        info.seconds = static_cast<double>(length ? *length : lastTime(database, info.id)) / 1e9;
        info.modelName = select.text(c++);
        info.modelDigest = select.text(c++);
        info.workloadName = select.text(c++);
        info.workloadToml = select.text(c++);
        info.requestDigest = select.text(c++);
        if (const auto seed = select.optionalInteger(c++)) {
            info.seed = std::bit_cast<std::uint64_t>(*seed);
        }
        info.machineJson = select.text(c++);
        info.sloTtftMs = static_cast<double>(select.integer(c++)) / 1e6;
        info.sloTpotMs = static_cast<double>(select.integer(c++)) / 1e6;
        info.isIncomplete = select.integer(c++) != 0;
        tags.bind(1, info.id);
        while (tags.step()) {
            info.tags.push_back(tags.text(0));
        }
        tags.reset();
        runs.push_back(std::move(info));
    }
    return runs;
}

// Rows of a table are in order of time, or nearly: the newest few tell the latest, however many
// there are.
std::int64_t lastTime(const Database& database, std::int64_t run) {
    Statement select = database.prepare(
        "SELECT max(0, coalesce((SELECT max(t_ns) FROM sample_1s WHERE run_id = ?1), 0), "
        "coalesce((SELECT max(t_ns) FROM (SELECT t_ns FROM event WHERE run_id = ?1 "
        "ORDER BY seq DESC LIMIT 1000)), 0), "
        "coalesce((SELECT max(finished_ns) FROM (SELECT finished_ns FROM request "
        "WHERE run_id = ?1 ORDER BY n DESC LIMIT 1000)), 0))");
    select.bind(1, run);
    return select.step() ? select.integer(0) : 0;
}

std::string runDigest(const Database& database, std::int64_t run) {
    QCryptographicHash digest(QCryptographicHash::Sha256);
    hashTable(database, "request", "n", run, digest);
    hashTable(database, "sample_1s", "t_ns", run, digest);
    hashTable(database, "event", "seq", run, digest);
    hashTable(database, "setting", "t_ns, rowid", run, digest);
    return "sha256:" + digest.result().toHex().toStdString();
}

} // namespace app
