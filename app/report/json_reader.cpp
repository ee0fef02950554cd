// Reads the JSON of a run back. See report.h and json_writer.cpp, whose names these are.
#include "app/json_depth.h"
#include "app/report/report.h"
#include "app/store/columns.h"
#include "app/store/summary.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace app {

namespace {

using Json = nlohmann::ordered_json;
using engine::Nanoseconds;
using engine::TimePoint;

// What is wrong with a document, where a person can find it.
struct Damage {
    std::string text;
};

// A value with its place in the document: what is missing or of another kind is named by it.
class Node {
public:
    Node(const Json& json, std::string path) : m_json(json), m_path(std::move(path)) {}

    Node at(const std::string& key) const {
        if (!m_json.is_object()) {
            throw Damage{place() + " should be an object"};
        }
        const auto found = m_json.find(key);
        if (found == m_json.end()) {
            throw Damage{fmt::format("\"{}\" is missing{}", key,
                                     m_path.empty() ? std::string() : " in " + m_path)};
        }
        return {*found, m_path.empty() ? key : m_path + "." + key};
    }
    Node at(std::size_t index) const {
        if (!m_json.is_array() || index >= m_json.size()) {
            throw Damage{fmt::format("{} has no entry {}", place(), index + 1)};
        }
        return {m_json[index], fmt::format("{}[{}]", m_path, index)};
    }
    std::optional<Node> find(const std::string& key) const {
        return m_json.is_object() && m_json.contains(key) ? std::optional(at(key)) : std::nullopt;
    }
    bool isNull() const { return m_json.is_null(); }
    std::string dump() const { return m_json.dump(); }
    std::size_t size() const {
        if (!m_json.is_array()) {
            throw Damage{place() + " should be a list"};
        }
        return m_json.size();
    }

    template <class T>
    T get() const {
        try {
            return m_json.get<T>();
        } catch (const Json::exception&) {
            throw Damage{fmt::format("{} should be {}", place(), kindOf<T>())};
        }
    }
    template <class T>
    operator T() const { // NOLINT(google-explicit-constructor): reads like the struct it fills
        return get<T>();
    }

private:
    std::string place() const { return m_path.empty() ? "The document" : '"' + m_path + '"'; }

    template <class T>
    static std::string_view kindOf() {
        if constexpr (std::is_same_v<T, bool>) {
            return "true or false";
        } else if constexpr (std::is_arithmetic_v<T>) {
            return "a number";
        } else if constexpr (std::is_same_v<T, std::string>) {
            return "a text";
        } else {
            return "a list of texts";
        }
    }

    const Json& m_json;
    std::string m_path;
};

// Times are whole nanoseconds told as seconds: rounding gives them back exactly for a hundred days.
std::int64_t nanoseconds(const Node& seconds) {
    return std::llround(seconds.get<double>() * 1e9);
}

std::optional<TimePoint> timeOf(const Node& seconds) {
    return seconds.isNull() ? std::nullopt
                            : std::optional(TimePoint(Nanoseconds(nanoseconds(seconds))));
}

double limitOf(const Node& milliseconds) {
    return milliseconds.isNull() ? kNoLimitMs : milliseconds.get<double>();
}

RunInfo infoOf(const Node& json) {
    RunInfo info;
    info.id = json.at("run_id");
    info.uuid = json.at("uuid").get<std::string>();
    info.name = json.at("name").get<std::string>();
    info.note = json.at("note").get<std::string>();
    info.state = runStateOf(json.at("state").get<std::string>());
    info.startedUtc = json.at("started_utc").get<std::string>();
    info.seconds = json.at("seconds");
    info.isIncomplete = json.at("is_incomplete");
    info.tags = json.at("tags").get<std::vector<std::string>>();
    info.modelName = json.at("model").get<std::string>();
    info.modelDigest = json.at("model_digest").get<std::string>();
    info.workloadName = json.at("workload").get<std::string>();
    info.workloadToml = json.at("workload_toml").get<std::string>();
    if (const Node seed = json.at("seed"); !seed.isNull()) {
        info.seed = seed.get<std::uint64_t>();
    }
    info.requestDigest = json.at("request_digest").get<std::string>();
    info.machineJson = json.at("machine").dump();
    info.sloTtftMs = limitOf(json.at("slo").at("ttft_ms"));
    info.sloTpotMs = limitOf(json.at("slo").at("tpot_ms"));
    return info;
}

SettingRow settingOf(const Node& json) {
    return {.timeNs = nanoseconds(json.at("t_s")),
            .field = json.at("field"),
            .requested = json.at("requested"),
            .effective = json.at("effective"),
            .state = json.at("state"),
            .reason = json.at("reason")};
}

StoredBlock blockOf(const Node& json) {
    return {.number = json.at("number"),
            .fromNs = nanoseconds(json.at("from_s")),
            .toNs = nanoseconds(json.at("to_s")),
            .json = json.at("block").dump()};
}

StoredEvent eventRowOf(const Node& json) {
    return {.sequence = json.at("sequence"),
            .timeNs = nanoseconds(json.at("t_s")),
            .step = json.at("step"),
            .source = json.at("source"),
            .kind = json.at("kind"),
            .payloadJson = json.at("payload").dump()};
}

SampleRow sampleOf(const Node& json) {
    SampleRow row;
    row.sample.seconds = json.at("t_s");
    for (const SampleColumn& column : sampleColumns()) {
        row.sample.*column.member = json.at(std::string(column.name));
    }
    row.kvSharePeak = json.at("kv_share_peak");
    row.processBytesPeak = json.at("process_bytes_peak");
    const Node metrics = json.at("metrics");
    for (const engine::Metric& metric : engine::metricTable()) {
        // A metric that the program did not have then.
        const auto found = metrics.find(std::string(metric.key));
        row.metrics.push_back(!found || found->isNull() ? std::nullopt
                                                        : std::optional(found->get<double>()));
    }
    return row;
}

StoredRequest requestOf(const Node& json) {
    StoredRequest stored{.n = json.at("n"), .record = {}};
    engine::RequestRecord& record = stored.record;
    record.id = engine::RequestId{json.at("request_id").get<std::uint64_t>()};
    record.lane = laneOf(json.at("lane").get<std::string>());
    record.label = json.at("label").get<std::string>();
    record.reason = finishReasonOf(json.at("reason").get<std::string>());
    record.message = json.at("message").get<std::string>();
    record.tags = json.at("tag_bits");
    record.promptTokens = json.at("prompt_tokens");
    record.outputTokens = json.at("output_tokens");
    record.hitTokens = json.at("hit_tokens");
    record.maxTokens = json.at("max_tokens");
    const Node stamps = json.at("stamps_s");
    for (const StampColumn& stamp : stampColumns()) {
        record.stamps.*stamp.member =
            timeOf(stamps.at(std::string(stamp.name.substr(0, stamp.name.size() - 3))));
    }
    if (const auto ledger = json.find("ledger_ms")) {
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
    const Node preemptions = json.at("preemptions_s");
    for (std::size_t i = 0; i < preemptions.size(); ++i) {
        const Node span = preemptions.at(i);
        record.preemptions.push_back(
            {.begin = timeOf(span.at(std::size_t{0})).value_or(TimePoint{}),
             .end = timeOf(span.at(std::size_t{1}))});
    }
    const Node steps = json.at("steps");
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const Node step = steps.at(i);
        record.steps.push_back({.time = timeOf(step.at(std::size_t{0})).value_or(TimePoint{}),
                                .tokens = step.at(std::size_t{1}).get<std::int32_t>()});
    }
    return stored;
}

template <class Row>
void readList(const Node& list, std::vector<Row>& rows, Row (*make)(const Node&)) {
    for (std::size_t i = 0; i < list.size(); ++i) {
        rows.push_back(make(list.at(i)));
    }
}

StoredExperiment experimentOf(const Node& json, const RunInfo& run) {
    StoredExperiment stored{
        .run = run, .name = json.at("name"), .toml = json.at("toml"), .blocks = {}};
    readList(json.at("blocks"), stored.blocks, blockOf);
    for (std::size_t i = 1; i < stored.blocks.size(); ++i) {
        if (stored.blocks[i].number <= stored.blocks[i - 1].number) {
            throw Damage{fmt::format("\"experiment.blocks[{}].number\" does not go up", i)};
        }
    }
    return stored;
}

engine::Error noRun(const std::string& why) {
    return {engine::ErrorCode::Corrupt,
            fmt::format("This is no run as `headway report --json` writes it: {}.", why)};
}

// Line and column of a byte, from 1: what an editor can go to.
std::string placeOf(std::string_view text, std::size_t byte) {
    const std::string_view before = text.substr(0, std::min(byte, text.size()));
    const auto line = std::ranges::count(before, '\n') + 1;
    const auto begin = before.rfind('\n');
    const std::size_t column =
        begin == std::string_view::npos ? before.size() : before.size() - begin - 1;
    return fmt::format("line {}, column {}", line, std::max<std::size_t>(1, column));
}

} // namespace

engine::Result<RunData> parseRunJson(std::string_view text) {
    try {
        if (isDeeperThan(text, kDeepestJson)) {
            return std::unexpected(
                noRun(fmt::format("it is nested deeper than {} levels", kDeepestJson)));
        }
        const Json document = Json::parse(text);
        const Node json(document, {});
        RunData run;
        run.summary.run = infoOf(json);
        run.digest = json.at("digest").get<std::string>();
        readList(json.at("setting_changes"), run.settings, settingOf);
        readList(json.at("events"), run.events, eventRowOf);
        readList(json.at("samples"), run.samples, sampleOf);
        readList(json.at("request_list"), run.requests, requestOf);
        // A document from before there was the key has none.
        if (const auto experiment = json.find("experiment"); experiment && !experiment->isNull()) {
            run.experiment = experimentOf(*experiment, run.summary.run);
        }
        return run;
    } catch (const Damage& damage) {
        return std::unexpected(noRun(damage.text));
    } catch (const Json::parse_error& error) {
        return std::unexpected(noRun(text.empty()
                                         ? std::string("it is empty")
                                         : "it is no JSON from " + placeOf(text, error.byte) +
                                               " on; the file may have been cut short"));
    } catch (const Json::exception&) { // numbers out of range
        return std::unexpected(noRun("a value in it can't be read"));
    }
}

} // namespace app
