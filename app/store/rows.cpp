#include "app/store/rows.h"

#include "app/store/columns.h"
#include "app/store/event_json.h"
#include "app/store/token_steps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace app {

namespace {

using engine::Nanoseconds;
using engine::TimePoint;

// Columns of `request` before the stamps; the rest follows the tables.
constexpr std::array<std::string_view, 13> kRequestHead = {
    "run_id",  "n",    "request_id",    "lane",          "label",      "outcome",   "reason",
    "message", "tags", "prompt_tokens", "output_tokens", "hit_tokens", "max_tokens"};

std::vector<std::string> requestColumns() {
    std::vector<std::string> names(kRequestHead.begin(), kRequestHead.end());
    for (const StampColumn& stamp : stampColumns()) {
        names.emplace_back(stamp.name);
    }
    for (std::size_t stage = 0; stage < engine::kStages; ++stage) {
        names.push_back(stageColumn(static_cast<engine::Stage>(stage)));
    }
    names.emplace_back("token_steps");
    names.emplace_back("preemptions");
    for (const std::string_view column : addedRequestColumns()) {
        names.emplace_back(column);
    }
    return names;
}

std::vector<std::string> sampleRowColumns() {
    std::vector<std::string> names = {"run_id", "t_ns", "kv_share_peak", "process_bytes_peak"};
    for (const SampleColumn& column : sampleColumns()) {
        names.emplace_back(column.name);
    }
    for (const engine::Metric& metric : engine::metricTable()) {
        names.push_back(metricColumn(metric));
    }
    return names;
}

std::string insertSql(std::string_view table, const std::vector<std::string>& columns) {
    std::vector<std::string> quoted;
    for (const std::string& column : columns) {
        quoted.push_back(quotedName(column));
    }
    const std::vector<std::string> marks(columns.size(), "?");
    return fmt::format("INSERT INTO {} ({}) VALUES ({})", table, fmt::join(quoted, ", "),
                       fmt::join(marks, ", "));
}

// NULL stands for a column that this log does not have. `rest`: conditions and order.
std::string selectSql(const Database& database, std::string_view table,
                      const std::vector<std::string>& columns, std::string_view rest) {
    const std::vector<std::string> existing = database.columns(table);
    std::vector<std::string> terms;
    for (const std::string& column : columns) {
        const bool isThere = std::ranges::find(existing, column) != existing.end();
        terms.push_back(isThere ? quotedName(column) : "NULL");
    }
    return fmt::format("SELECT {} FROM {} WHERE run_id = ?1 {}", fmt::join(terms, ", "), table,
                       rest);
}

std::string preemptionsJson(const std::vector<engine::PreemptionSpan>& spans, TimePoint start) {
    nlohmann::json list = nlohmann::json::array();
    for (const engine::PreemptionSpan& span : spans) {
        nlohmann::json end;
        if (span.end) {
            end = (*span.end - start).count();
        }
        list.push_back({(span.begin - start).count(), end});
    }
    return list.dump();
}

std::vector<engine::PreemptionSpan> preemptionsOf(const std::string& text) {
    std::vector<engine::PreemptionSpan> spans;
    const nlohmann::json list = nlohmann::json::parse(text, nullptr, false);
    for (const nlohmann::json& pair : list.is_array() ? list : nlohmann::json::array()) {
        if (pair.is_array() && pair.size() == 2 && pair[0].is_number_integer()) {
            engine::PreemptionSpan span{
                .begin = TimePoint(Nanoseconds(pair[0].get<std::int64_t>())), .end = std::nullopt};
            if (pair[1].is_number_integer()) {
                span.end = TimePoint(Nanoseconds(pair[1].get<std::int64_t>()));
            }
            spans.push_back(span);
        }
    }
    return spans;
}

StoredRequest requestOf(const Statement& row) {
    StoredRequest stored{.n = row.integer(1), .record = {}};
    engine::RequestRecord& record = stored.record;
    record.id = engine::RequestId{static_cast<std::uint64_t>(row.integer(2))};
    record.lane = laneOf(row.text(3));
    record.label = row.text(4);
    record.reason = finishReasonOf(row.text(6));
    record.message = row.text(7);
    record.tags = static_cast<std::uint32_t>(row.integer(8));
    record.promptTokens = row.integer(9);
    record.outputTokens = row.integer(10);
    record.hitTokens = row.integer(11);
    record.maxTokens = row.integer(12);
    int column = static_cast<int>(kRequestHead.size());
    for (const StampColumn& stamp : stampColumns()) {
        if (const auto ns = row.optionalInteger(column++)) {
            record.stamps.*stamp.member = TimePoint(Nanoseconds(*ns));
        }
    }
    std::array<std::int64_t, engine::kStages> ledger{};
    bool hasLedger = false;
    for (std::int64_t& stage : ledger) {
        const auto ns = row.optionalInteger(column++);
        hasLedger = hasLedger || ns.has_value();
        stage = ns.value_or(0);
    }
    if (hasLedger) {
        record.ledgerNs = ledger;
    }
    record.steps = unpackTokenSteps(row.blob(column++));
    record.preemptions = preemptionsOf(row.text(column++));
    if (const auto ns = row.optionalInteger(column++)) {
        record.deadline = TimePoint(Nanoseconds(*ns));
    }
    record.blockedNs = row.optionalInteger(column++).value_or(0);
    record.blockedBy =
        engine::RequestId{static_cast<std::uint64_t>(row.optionalInteger(column++).value_or(0))};
    record.streamedTokens = row.optionalInteger(column++).value_or(0);
    record.streamedNs = row.optionalInteger(column++).value_or(0);
    return stored;
}

SampleRow sampleOf(const Statement& select) {
    SampleRow row;
    row.sample.seconds = static_cast<double>(select.integer(1)) / 1e9;
    row.kvSharePeak = select.number(2);
    row.processBytesPeak = select.number(3);
    int column = 4;
    for (const SampleColumn& entry : sampleColumns()) {
        row.sample.*entry.member = select.number(column++);
    }
    row.metrics.reserve(engine::metricTable().size());
    for (std::size_t metric = 0; metric < engine::metricTable().size(); ++metric) {
        row.metrics.push_back(select.optionalNumber(column++));
    }
    return row;
}

} // namespace

RequestWriter::RequestWriter(const Database& database)
    : m_insert(database.prepare(insertSql("request", requestColumns()))) {}

void RequestWriter::write(std::int64_t run, std::int64_t n, const engine::RequestRecord& record,
                          TimePoint start) {
    m_insert.add(run).add(n).add(static_cast<std::int64_t>(record.id));
    m_insert.add(laneName(record.lane)).add(record.label);
    m_insert.add(engine::name(engine::outcome(record.reason)));
    m_insert.add(engine::name(record.reason)).add(record.message);
    m_insert.add(static_cast<std::int64_t>(record.tags));
    m_insert.add(record.promptTokens).add(record.outputTokens);
    m_insert.add(record.hitTokens).add(record.maxTokens);
    for (const StampColumn& stamp : stampColumns()) {
        const auto& time = record.stamps.*stamp.member;
        m_insert.add(time ? std::optional((*time - start).count()) : std::nullopt);
    }
    for (std::size_t stage = 0; stage < engine::kStages; ++stage) {
        m_insert.add(record.ledgerNs ? std::optional((*record.ledgerNs)[stage]) : std::nullopt);
    }
    const std::vector<std::byte> steps = packTokenSteps(record.steps, start);
    m_insert.add(steps.empty() ? std::nullopt : std::optional(std::span<const std::byte>(steps)));
    m_insert.add(record.preemptions.empty()
                     ? std::nullopt
                     : std::optional(preemptionsJson(record.preemptions, start)));
    m_insert.add(record.deadline ? std::optional((*record.deadline - start).count())
                                 : std::nullopt);
    m_insert.add(record.blockedNs).add(static_cast<std::int64_t>(record.blockedBy));
    m_insert.add(record.streamedTokens).add(record.streamedNs);
    m_insert.execute();
}

SampleWriter::SampleWriter(const Database& database)
    : m_insert(database.prepare(insertSql("sample_1s", sampleRowColumns()))) {}

void SampleWriter::write(std::int64_t run, const SampleRow& row) {
    m_insert.add(run).add(std::int64_t{std::llround(row.sample.seconds * 1e9)});
    m_insert.add(row.kvSharePeak).add(row.processBytesPeak);
    for (const SampleColumn& column : sampleColumns()) {
        m_insert.add(row.sample.*column.member);
    }
    for (const std::optional<double>& value : row.metrics) {
        m_insert.add(value);
    }
    m_insert.execute();
}

void writeSettings(const Database& database, std::int64_t run,
                   const std::vector<SettingRow>& rows) {
    Statement insert = database.prepare(insertSql(
        "setting", {"run_id", "t_ns", "field", "requested", "effective", "state", "reason"}));
    for (const SettingRow& row : rows) {
        insert.add(run).add(row.timeNs).add(row.field).add(row.requested).add(row.effective);
        insert.add(row.state).add(row.reason).execute();
    }
}

Statement prepareEventInsert(const Database& database) {
    return database.prepare(
        insertSql("event", {"run_id", "seq", "t_ns", "step", "source", "kind", "payload_json"}));
}

void writeEvent(Statement& insert, std::int64_t run, std::int64_t sequence,
                const engine::Event& event, TimePoint start) {
    const EventRow row = eventRow(event);
    insert.add(run).add(sequence).add((event.time - start).count());
    insert.add(static_cast<std::int64_t>(event.step)).add(engine::name(event.source));
    insert.add(row.kind).add(row.payloadJson).execute();
}

void readRequests(const Database& database, std::int64_t run, const RequestRange& range,
                  const std::function<void(StoredRequest&&)>& take) {
    // One without a time of its own is taken for there all the time.
    const char* const inSpan = range.spanNs ? "AND coalesce(scheduled_ns, received_ns, ?3) <= ?4 "
                                              "AND coalesce(finished_ns, last_token_ns, ?4) >= ?3 "
                                            : "";
    Statement select = database.prepare(selectSql(
        database, "request", requestColumns(),
        fmt::format("AND n > ?2 {}ORDER BY n LIMIT {}", inSpan, range.count.value_or(-1))));
    select.bind(1, run).bind(2, range.after);
    if (range.spanNs) {
        select.bind(3, range.spanNs->first).bind(4, range.spanNs->second);
    }
    while (select.step()) {
        take(requestOf(select));
    }
}

std::vector<SampleRow> readSamples(const Database& database, std::int64_t run, std::int64_t after,
                                   std::int64_t upTo) {
    Statement select = database.prepare(selectSql(database, "sample_1s", sampleRowColumns(),
                                                  "AND t_ns > ?2 AND t_ns <= ?3 ORDER BY t_ns"));
    select.bind(1, run).bind(2, after).bind(3, upTo);
    std::vector<SampleRow> rows;
    while (select.step()) {
        rows.push_back(sampleOf(select));
    }
    return rows;
}

SecondReader::SecondReader(const Database& database)
    : m_select(
          database.prepare(selectSql(database, "sample_1s", sampleRowColumns(), "AND t_ns = ?2"))) {
}

std::optional<SampleRow> SecondReader::read(std::int64_t run, std::int64_t timeNs) {
    m_select.bind(1, run).bind(2, timeNs);
    std::optional<SampleRow> row;
    if (m_select.step()) {
        row = sampleOf(m_select);
    }
    m_select.reset();
    return row;
}

std::int64_t countEvents(const Database& database, std::int64_t run, std::string_view kind) {
    Statement select = database.prepare("SELECT count(*) FROM event WHERE run_id = ? AND kind = ?");
    select.bind(1, run);
    select.bind(2, std::string(kind));
    return select.step() ? select.integer(0) : 0;
}

std::vector<StoredEvent> readEvents(const Database& database, std::int64_t run,
                                    EventChoice choice) {
    const char* const plain =
        choice == EventChoice::Plain
            ? "AND kind NOT IN ('step_cost', 'batch_ended', 'preempted', 'phase_timed') "
            : "";
    Statement select =
        database.prepare(fmt::format("SELECT seq, t_ns, step, source, kind, payload_json "
                                     "FROM event WHERE run_id = ? {}ORDER BY seq",
                                     plain));
    select.bind(1, run);
    std::vector<StoredEvent> events;
    while (select.step()) {
        events.push_back({.sequence = select.integer(0),
                          .timeNs = select.integer(1),
                          .step = static_cast<std::uint64_t>(select.integer(2)),
                          .source = select.text(3),
                          .kind = select.text(4),
                          .payloadJson = select.text(5)});
    }
    return events;
}

std::vector<SettingRow> readSettings(const Database& database, std::int64_t run) {
    Statement select = database.prepare("SELECT t_ns, field, requested, effective, state, reason "
                                        "FROM setting WHERE run_id = ? ORDER BY t_ns, rowid");
    select.bind(1, run);
    std::vector<SettingRow> rows;
    while (select.step()) {
        rows.push_back({.timeNs = select.integer(0),
                        .field = select.text(1),
                        .requested = select.text(2),
                        .effective = select.text(3),
                        .state = select.text(4),
                        .reason = select.text(5)});
    }
    return rows;
}

} // namespace app
