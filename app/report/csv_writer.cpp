// A run as five CSV files (RFC 4180, UTF-8, a header line): the columns of the run log, times in
// seconds of the run. An absent number is an empty field.
#include "app/report/csv_table.h"
#include "app/report/report.h"
#include "app/store/columns.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace app {

namespace {

std::string secondsColumn(std::string_view nsColumn) { // "received_ns" -> "received_s"
    return std::string(nsColumn.substr(0, nsColumn.size() - 3)) + "_s";
}

// Time out of the batch; absent while a preemption has no end.
std::optional<double> preemptedMs(const engine::RequestRecord& record) {
    engine::Nanoseconds sum{};
    for (const engine::PreemptionSpan& span : record.preemptions) {
        if (!span.end) {
            return std::nullopt;
        }
        sum += *span.end - span.begin;
    }
    return static_cast<double>(sum.count()) / 1e6;
}

void addRest(CsvTable& csv, const engine::RequestRecord& record) {
    csv.integer(static_cast<std::int64_t>(record.preemptions.size()));
    csv.number(preemptedMs(record));
    csv.seconds(record.deadline);
    csv.number(static_cast<double>(record.blockedNs) / 1e6);
    csv.text(std::to_string(static_cast<std::uint64_t>(record.blockedBy)));
    csv.integer(record.streamedTokens);
    csv.number(static_cast<double>(record.streamedNs) / 1e6);
}

std::string requestsCsv(const RunData& run) {
    std::vector<std::string> heads = {
        "n",       "request_id", "lane",          "label",         "outcome",    "reason",
        "message", "tags",       "prompt_tokens", "output_tokens", "hit_tokens", "max_tokens"};
    for (const StampColumn& stamp : stampColumns()) {
        heads.push_back(secondsColumn(stamp.name));
    }
    heads.insert(heads.end(), {"ttft_ms", "ttft_from_received_ms", "ttft_from_admitted_ms",
                               "tpot_ms", "e2e_ms"});
    for (std::size_t i = 0; i < engine::kStages; ++i) {
        heads.push_back(fmt::format("ledger_{}_ms", engine::name(static_cast<engine::Stage>(i))));
    }
    heads.insert(heads.end(), {"preemptions", "preempted_ms", "deadline_s", "blocked_ms",
                               "blocked_by", "streamed_tokens", "streamed_ms"});
    CsvTable csv(heads);
    const auto milliseconds = [&csv](const std::optional<engine::Nanoseconds>& span) {
        csv.number(span ? std::optional(static_cast<double>(span->count()) / 1e6) : std::nullopt);
    };
    for (const StoredRequest& stored : run.requests) {
        const engine::RequestRecord& record = stored.record;
        csv.integer(stored.n);
        csv.text(std::to_string(static_cast<std::uint64_t>(record.id)));
        csv.text(laneName(record.lane));
        csv.text(record.label);
        csv.text(engine::name(engine::outcome(record.reason)));
        csv.text(engine::name(record.reason));
        csv.text(record.message);
        csv.text(tagWords(record.tags));
        csv.integer(record.promptTokens);
        csv.integer(record.outputTokens);
        csv.integer(record.hitTokens);
        csv.integer(record.maxTokens);
        for (const StampColumn& stamp : stampColumns()) {
            csv.seconds(record.stamps.*stamp.member);
        }
        milliseconds(record.ttft());
        milliseconds(record.ttftFromReceived());
        milliseconds(record.ttftFromAdmitted());
        milliseconds(record.tpot());
        milliseconds(record.e2e());
        for (std::size_t i = 0; i < engine::kStages; ++i) {
            milliseconds(record.ledgerNs ? std::optional(engine::Nanoseconds((*record.ledgerNs)[i]))
                                         : std::nullopt);
        }
        addRest(csv, record);
        csv.endRow();
    }
    return csv.content();
}

std::string samplesCsv(const RunData& run) {
    std::vector<std::string> heads = {"t_s"};
    for (const SampleColumn& column : sampleColumns()) {
        heads.emplace_back(column.name);
    }
    heads.insert(heads.end(), {"kv_share_peak", "process_bytes_peak"});
    for (const engine::Metric& metric : engine::metricTable()) {
        heads.push_back(metricColumn(metric));
    }
    CsvTable csv(heads);
    for (const SampleRow& row : run.samples) {
        csv.number(row.sample.seconds);
        for (const SampleColumn& column : sampleColumns()) {
            csv.number(row.sample.*column.member);
        }
        csv.number(row.kvSharePeak);
        csv.number(row.processBytesPeak);
        for (const std::optional<double>& value : row.metrics) {
            csv.number(value);
        }
        csv.endRow();
    }
    return csv.content();
}

std::string eventsCsv(const RunData& run) {
    CsvTable csv({"sequence", "t_s", "step", "source", "kind", "payload"});
    for (const StoredEvent& event : run.events) {
        csv.integer(event.sequence);
        csv.nanoseconds(event.timeNs);
        csv.text(std::to_string(event.step));
        csv.text(event.source);
        csv.text(event.kind);
        csv.text(event.payloadJson);
        csv.endRow();
    }
    return csv.content();
}

std::string settingsCsv(const RunData& run) {
    CsvTable csv({"t_s", "field", "requested", "effective", "state", "reason"});
    for (const SettingRow& row : run.settings) {
        csv.nanoseconds(row.timeNs);
        csv.text(row.field);
        csv.text(row.requested);
        csv.text(row.effective);
        csv.text(row.state);
        csv.text(row.reason);
        csv.endRow();
    }
    return csv.content();
}

// Name and value: the summary's JSON, one leaf a line ("ttft_ms.p99").
std::string summaryCsv(const RunData& run) {
    CsvTable csv({"name", "value"});
    const auto leaves = nlohmann::ordered_json::parse(summaryJson(run.summary, false)).flatten();
    for (const auto& [key, value] : leaves.items()) {
        std::string name = key.substr(1); // "/ttft_ms/p99"
        std::ranges::replace(name, '/', '.');
        csv.text(name);
        if (value.is_string()) {
            csv.text(value.get<std::string>());
        } else {
            csv.field(value.is_null() ? std::string() : value.dump());
        }
        csv.endRow();
    }
    return csv.content();
}

std::string comparisonCsv(std::span<const std::shared_ptr<const RunData>> runs,
                          std::span<const Comparison> againstFirst) {
    CsvTable csv({"metric", "unit", "run_a", "run_b", "a", "b", "difference", "low", "high",
                  "verdict", "n_a", "n_b"});
    for (std::size_t i = 0; i < againstFirst.size(); ++i) {
        for (const ComparisonRow& row : againstFirst[i].rows) {
            csv.text(row.metric);
            csv.text(row.unit);
            csv.integer(runs.front()->summary.run.id);
            csv.integer(runs[i + 1]->summary.run.id);
            csv.number(row.a);
            csv.number(row.b);
            csv.number(row.difference);
            csv.number(row.interval ? std::optional(row.interval->low) : std::nullopt);
            csv.number(row.interval ? std::optional(row.interval->high) : std::nullopt);
            csv.text(row.verdict == Verdict::None ? std::string_view() : name(row.verdict));
            csv.integer(row.nA);
            csv.integer(row.nB);
            csv.endRow();
        }
    }
    return csv.content();
}

} // namespace

engine::Result<void> writeCsv(std::span<const std::shared_ptr<const RunData>> runs,
                              std::span<const Comparison> againstFirst,
                              const std::filesystem::path& folder) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::int64_t id = runs[i]->summary.run.id;
        const bool isPart = std::ranges::count_if(runs, [id](const auto& run) {
                                return run->summary.run.id == id;
                            }) > 1;
        const std::string place =
            isPart ? fmt::format("run-{}-{}", id, i + 1) : fmt::format("run-{}", id);
        if (auto written = writeCsv(*runs[i], folder / place); !written) {
            return written;
        }
    }
    return writeFile(folder / "comparison.csv", comparisonCsv(runs, againstFirst));
}

engine::Result<void> writeCsv(const RunData& run, const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
        return std::unexpected(engine::Error{
            engine::ErrorCode::Io, fmt::format("The folder {} can't be made ({}). Choose another.",
                                               folder.string(), error.message())});
    }
    const std::pair<const char*, std::string (*)(const RunData&)> files[] = {
        {"requests.csv", requestsCsv}, {"samples.csv", samplesCsv}, {"events.csv", eventsCsv},
        {"settings.csv", settingsCsv}, {"summary.csv", summaryCsv},
    };
    for (const auto& [name, make] : files) {
        if (auto written = writeFile(folder / name, make(run)); !written) {
            return written;
        }
    }
    return {};
}

} // namespace app
