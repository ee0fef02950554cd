// The JSON that scripts read: names as in the run log, times in milliseconds or seconds as the key
// says, absent numbers as null.
#include "app/json_depth.h"
#include "app/report/report.h"
#include "app/store/columns.h"
#include "app/store/summary.h"

#include <nlohmann/json.hpp>

namespace app {

namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

template <class T>
Json orNull(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

// JSON that came as text, or null where it is none.
Json parsed(const std::string& text) {
    return parseBounded<Json>(text);
}

Json quantilesJson(const Quantiles& quantiles) {
    return {{"p50", orNull(quantiles.p50)},
            {"p90", orNull(quantiles.p90)},
            {"p95", orNull(quantiles.p95)},
            {"p99", orNull(quantiles.p99)},
            {"min", orNull(quantiles.minimum)},
            {"max", orNull(quantiles.maximum)},
            {"n", quantiles.n}};
}

Json limitJson(double milliseconds) {
    return isLimit(milliseconds) ? Json(milliseconds) : Json(nullptr);
}

Json settingJson(const SettingRow& row) {
    return {{"t_s", static_cast<double>(row.timeNs) / 1e9},
            {"field", row.field},
            {"requested", row.requested},
            {"effective", row.effective},
            {"state", row.state},
            {"reason", row.reason}};
}

Json settingsJson(const std::vector<SettingRow>& rows) {
    Json list = Json::array();
    for (const SettingRow& row : rows) {
        list.push_back(settingJson(row));
    }
    return list;
}

Json summaryDocument(const RunSummary& summary, bool withSettings) {
    const RunInfo& run = summary.run;
    Json json = {
        {"run_id", run.id},
        {"uuid", run.uuid},
        {"name", run.name},
        {"note", run.note},
        {"state", name(run.state)},
        {"started_utc", run.startedUtc},
        {"seconds", run.seconds},
        {"is_incomplete", run.isIncomplete},
        {"tags", run.tags},
        {"model", run.modelName},
        {"model_digest", run.modelDigest},
        {"workload", run.workloadName},
        {"seed", orNull(run.seed)},
        {"request_digest", run.requestDigest},
        {"machine", parsed(run.machineJson)},
        {"requests", summary.requests},
        {"outcomes",
         {{"completed", summary.completed},
          {"cancelled", summary.cancelled},
          {"failed", summary.failed},
          {"rejected", summary.rejected}}},
        {"alarms", summary.alarms},
        {"ttft_ms", quantilesJson(summary.ttftMs)},
        {"tpot_ms", quantilesJson(summary.tpotMs)},
        {"itl_ms", quantilesJson(summary.itlMs)},
        {"e2e_ms", quantilesJson(summary.e2eMs)},
        {"prefix_hit_share", orNull(summary.hitShare)},
        {"output_tokens_per_s", orNull(summary.outputPerSecond)},
        {"prompt_tokens_per_s", orNull(summary.promptPerSecond)},
        {"requests_per_s", orNull(summary.requestsPerSecond)},
        {"goodput_per_s", orNull(summary.goodputPerSecond)},
        {"slo", {{"ttft_ms", limitJson(run.sloTtftMs)}, {"tpot_ms", limitJson(run.sloTpotMs)}}},
        {"wanted_rate", orNull(summary.wantedRate)},
        {"achieved_rate", orNull(summary.achievedRate)},
        {"lag_ms", orNull(summary.lagP50Ms)},
        {"lag_p99_ms", orNull(summary.lagP99Ms)}};
    if (withSettings) {
        json["settings"] = settingsJson(summary.settings);
    }
    return json;
}

Json secondsJson(const std::optional<engine::TimePoint>& time) {
    return time ? Json(std::chrono::duration<double>(time->time_since_epoch()).count())
                : Json(nullptr);
}

Json requestJson(const StoredRequest& stored) {
    const engine::RequestRecord& record = stored.record;
    Json json = {{"n", stored.n},
                 {"request_id", static_cast<std::uint64_t>(record.id)},
                 {"lane", laneName(record.lane)},
                 {"label", record.label},
                 {"outcome", engine::name(engine::outcome(record.reason))},
                 {"reason", engine::name(record.reason)},
                 {"message", record.message},
                 {"tags", tagWords(record.tags)},
                 {"tag_bits", record.tags},
                 {"prompt_tokens", record.promptTokens},
                 {"output_tokens", record.outputTokens},
                 {"hit_tokens", record.hitTokens},
                 {"max_tokens", record.maxTokens}};
    Json& stamps = json["stamps_s"] = Json::object();
    for (const StampColumn& stamp : stampColumns()) {
        const std::string key(stamp.name.substr(0, stamp.name.size() - 3)); // without "_ns"
        stamps[key] = secondsJson(record.stamps.*stamp.member);
    }
    if (record.ledgerNs) {
        Json& ledger = json["ledger_ms"] = Json::object();
        for (std::size_t i = 0; i < engine::kStages; ++i) {
            ledger[std::string(engine::name(static_cast<engine::Stage>(i)))] =
                static_cast<double>((*record.ledgerNs)[i]) / 1e6;
        }
    }
    json["deadline_s"] = secondsJson(record.deadline);
    json["blocked_ns"] = record.blockedNs;
    json["blocked_by"] = static_cast<std::uint64_t>(record.blockedBy);
    json["streamed_tokens"] = record.streamedTokens;
    json["streamed_ns"] = record.streamedNs;
    Json& preemptions = json["preemptions_s"] = Json::array(); // [begin, end or null]
    for (const engine::PreemptionSpan& span : record.preemptions) {
        preemptions.push_back({secondsJson(span.begin), secondsJson(span.end)});
    }
    Json& steps = json["steps"] = Json::array(); // [seconds, tokens]
    for (const engine::TokenStep& step : record.steps) {
        steps.push_back({secondsJson(step.time), step.tokens});
    }
    return json;
}

Json sampleJson(const SampleRow& row) {
    Json json = {{"t_s", row.sample.seconds}};
    for (const SampleColumn& column : sampleColumns()) {
        json[std::string(column.name)] = row.sample.*column.member;
    }
    json["kv_share_peak"] = row.kvSharePeak;
    json["process_bytes_peak"] = row.processBytesPeak;
    Json& metrics = json["metrics"] = Json::object();
    for (std::size_t i = 0; i < row.metrics.size(); ++i) {
        metrics[std::string(engine::metricTable()[i].key)] = orNull(row.metrics[i]);
    }
    return json;
}

template <class Rows, class Make>
Json listOf(const Rows& rows, Make make) {
    Json list = Json::array();
    for (const auto& row : rows) {
        list.push_back(make(row));
    }
    return list;
}

Json comparisonDocument(const Comparison& comparison) {
    Json json;
    json["rows"] = listOf(comparison.rows, [](const ComparisonRow& row) {
        return Json{
            {"metric", row.metric},
            {"unit", row.unit},
            {"a", orNull(row.a)},
            {"b", orNull(row.b)},
            {"difference", orNull(row.difference)},
            {"low", row.interval ? Json(row.interval->low) : Json(nullptr)},
            {"high", row.interval ? Json(row.interval->high) : Json(nullptr)},
            {"verdict", row.verdict == Verdict::None ? Json(nullptr) : Json(name(row.verdict))},
            {"more_needed", orNull(moreNeeded(row))},
            {"n_a", row.nA},
            {"n_b", row.nB}};
    });
    json["settings"] = listOf(comparison.settings, [](const SettingDifference& difference) {
        return Json{{"field", difference.field},
                    {"requested_a", difference.requestedA},
                    {"effective_a", difference.effectiveA},
                    {"requested_b", difference.requestedB},
                    {"effective_b", difference.effectiveB}};
    });
    json["equal_settings"] = comparison.equalSettings;
    json["cautions"] = comparison.cautions;
    return json;
}

Json experimentDocument(const std::optional<StoredExperiment>& experiment) {
    if (!experiment) {
        return nullptr;
    }
    Json json = {{"name", experiment->name}, {"toml", experiment->toml}};
    json["blocks"] = listOf(experiment->blocks, [](const StoredBlock& block) {
        return Json{{"number", block.number},
                    {"from_s", static_cast<double>(block.fromNs) / 1e9},
                    {"to_s", static_cast<double>(block.toNs) / 1e9},
                    {"block", parsed(block.json)}};
    });
    return json;
}

// Which run it was, with the digest of its raw rows.
Json comparedRun(const RunData& run) {
    Json json = summaryDocument(run.summary, true);
    json["digest"] = run.digest;
    return json;
}

} // namespace

std::string summaryJson(const RunSummary& summary, bool withSettings) {
    return dumped(summaryDocument(summary, withSettings));
}

std::string reportJson(const RunData& run) {
    Json json = summaryDocument(run.summary, true);
    json["workload_toml"] = run.summary.run.workloadToml;
    json["digest"] = run.digest;
    json["setting_changes"] = settingsJson(run.settings);
    json["events"] = listOf(run.events, [](const StoredEvent& event) {
        return Json{{"sequence", event.sequence}, {"t_s", static_cast<double>(event.timeNs) / 1e9},
                    {"step", event.step},         {"source", event.source},
                    {"kind", event.kind},         {"payload", parsed(event.payloadJson)}};
    });
    json["samples"] = listOf(run.samples, sampleJson);
    json["request_list"] = listOf(run.requests, requestJson);
    json["experiment"] = experimentDocument(run.experiment);
    return dumped(json);
}

std::string comparisonJson(const RunPair& pair) {
    // The rows first: what scripts read.
    Json json = {{"run_a", pair.a->summary.run.id}, {"run_b", pair.b->summary.run.id}};
    json.update(comparisonDocument(pair.comparison));
    if (pair.split) {
        const SplitFacts& facts = *pair.split;
        json["split"] = {{"from_s", facts.from},
                         {"at_s", facts.at},
                         {"to_s", facts.to},
                         {"settle_s", facts.settleSeconds},
                         {"in_flight", facts.inFlight},
                         {"other_changes", facts.otherChanges}};
    }
    json["runs"] = Json::array({comparedRun(*pair.a), comparedRun(*pair.b)});
    return dumped(json);
}

std::string comparisonJson(const RunSet& set) {
    Json json;
    json["runs"] = listOf(set.runs, [](const auto& run) { return comparedRun(*run); });
    Json& list = json["against_first"] = Json::array();
    for (std::size_t i = 0; i < set.againstFirst.size(); ++i) {
        Json comparison = {{"run_a", set.runs.front()->summary.run.id},
                           {"run_b", set.runs[i + 1]->summary.run.id}};
        comparison.update(comparisonDocument(set.againstFirst[i]));
        list.push_back(std::move(comparison));
    }
    return dumped(json);
}

} // namespace app
