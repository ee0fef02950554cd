// Reads the JSON of a run back. See report.h and json_writer.cpp, whose names these are.
#include "app/report/report.h"
#include "app/store/columns.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace app {

namespace {

using Json = nlohmann::ordered_json;
using engine::Nanoseconds;
using engine::TimePoint;

// Times are whole nanoseconds told as seconds: rounding gives them back exactly for a hundred days.
std::int64_t nanoseconds(const Json& seconds) {
    return std::llround(seconds.get<double>() * 1e9);
}

std::optional<TimePoint> timeOf(const Json& seconds) {
    return seconds.is_null() ? std::nullopt
                             : std::optional(TimePoint(Nanoseconds(nanoseconds(seconds))));
}

RunInfo infoOf(const Json& json) {
    RunInfo info;
    info.id = json.at("run_id");
    info.uuid = json.at("uuid");
    info.name = json.at("name");
    info.note = json.at("note");
    info.state = runStateOf(json.at("state").get<std::string>());
    info.startedUtc = json.at("started_utc");
    info.seconds = json.at("seconds");
    info.isIncomplete = json.at("is_incomplete");
    info.tags = json.at("tags").get<std::vector<std::string>>();
    info.modelName = json.at("model");
    info.modelDigest = json.at("model_digest");
    info.workloadName = json.at("workload");
    info.workloadToml = json.at("workload_toml");
    if (const Json& seed = json.at("seed"); !seed.is_null()) {
        info.seed = seed.get<std::uint64_t>();
    }
    info.requestDigest = json.at("request_digest");
    info.machineJson = json.at("machine").dump();
    info.sloTtftMs = json.at("slo").at("ttft_ms");
    info.sloTpotMs = json.at("slo").at("tpot_ms");
    return info;
}

SettingRow settingOf(const Json& json) {
    return {.timeNs = nanoseconds(json.at("t_s")),
            .field = json.at("field"),
            .requested = json.at("requested"),
            .effective = json.at("effective"),
            .state = json.at("state"),
            .reason = json.at("reason")};
}

StoredEvent eventRowOf(const Json& json) {
    return {.sequence = json.at("sequence"),
            .timeNs = nanoseconds(json.at("t_s")),
            .step = json.at("step"),
            .source = json.at("source"),
            .kind = json.at("kind"),
            .payloadJson = json.at("payload").dump()};
}

SampleRow sampleOf(const Json& json) {
    SampleRow row;
    row.sample.seconds = json.at("t_s");
    for (const SampleColumn& column : sampleColumns()) {
        row.sample.*column.member = json.at(std::string(column.name));
    }
    row.kvSharePeak = json.at("kv_share_peak");
    row.processBytesPeak = json.at("process_bytes_peak");
    const Json& metrics = json.at("metrics");
    for (const engine::Metric& metric : engine::metricTable()) {
        // A metric that the program did not have then.
        const auto found = metrics.find(std::string(metric.key));
        row.metrics.push_back(found == metrics.end() || found->is_null()
                                  ? std::nullopt
                                  : std::optional(found->get<double>()));
    }
    return row;
}

StoredRequest requestOf(const Json& json) {
    StoredRequest stored{.n = json.at("n"), .record = {}};
    engine::RequestRecord& record = stored.record;
    record.id = engine::RequestId{json.at("request_id").get<std::uint64_t>()};
    record.lane = laneOf(json.at("lane").get<std::string>());
    record.label = json.at("label");
    record.reason = finishReasonOf(json.at("reason").get<std::string>());
    record.message = json.at("message");
    record.tags = json.at("tag_bits");
    record.promptTokens = json.at("prompt_tokens");
    record.outputTokens = json.at("output_tokens");
    record.hitTokens = json.at("hit_tokens");
    record.maxTokens = json.at("max_tokens");
    const Json& stamps = json.at("stamps_s");
    for (const StampColumn& stamp : stampColumns()) {
        record.stamps.*stamp.member =
            timeOf(stamps.at(std::string(stamp.name.substr(0, stamp.name.size() - 3))));
    }
    if (const auto ledger = json.find("ledger_ms"); ledger != json.end()) {
        std::array<std::int64_t, engine::kStages> stages{};
        for (std::size_t i = 0; i < engine::kStages; ++i) {
            const std::string stage(engine::name(static_cast<engine::Stage>(i)));
            stages[i] = std::llround(ledger->at(stage).get<double>() * 1e6);
        }
        record.ledgerNs = stages;
    }
    record.deadline = timeOf(json.at("deadline_s"));
    record.blockedNs = json.at("blocked_ns");
    record.blockedBy = engine::RequestId{json.at("blocked_by").get<std::uint64_t>()};
    record.streamedTokens = json.at("streamed_tokens");
    record.streamedNs = json.at("streamed_ns");
    for (const Json& span : json.at("preemptions_s")) {
        record.preemptions.push_back(
            {.begin = timeOf(span.at(0)).value_or(TimePoint{}), .end = timeOf(span.at(1))});
    }
    for (const Json& step : json.at("steps")) {
        record.steps.push_back(
            {.time = timeOf(step.at(0)).value_or(TimePoint{}), .tokens = step.at(1)});
    }
    return stored;
}

template <class Row>
void readList(const Json& list, std::vector<Row>& rows, Row (*make)(const Json&)) {
    for (const Json& row : list) {
        rows.push_back(make(row));
    }
}

} // namespace

engine::Result<RunData> parseRunJson(std::string_view text) {
    try {
        const Json json = Json::parse(text);
        RunData run;
        run.summary.run = infoOf(json);
        run.digest = json.at("digest");
        readList(json.at("setting_changes"), run.settings, settingOf);
        readList(json.at("events"), run.events, eventRowOf);
        readList(json.at("samples"), run.samples, sampleOf);
        readList(json.at("request_list"), run.requests, requestOf);
        return run;
    } catch (const Json::exception& error) {
        return std::unexpected(engine::Error{
            engine::ErrorCode::Corrupt,
            fmt::format("This is no run as `headway report --json` writes it: {}.", error.what())});
    }
}

} // namespace app
