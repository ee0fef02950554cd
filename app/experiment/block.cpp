#include "app/experiment/block.h"

#include "app/store/summary.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace app {

namespace {

using engine::RequestRecord;
using Json = nlohmann::ordered_json;

// Beside the measures of comparisons.
constexpr std::array kMoreMeasures = {
    Measure{"ttft_mean_ms", "TTFT mean", "ms", Better::Lower},
    Measure{"queue_p99_ms", "Queue p99", "ms", Better::Lower, 0.99},
    Measure{"compute_p99_ms", "Prefill p99", "ms", Better::Lower, 0.99},
    Measure{"queue_over_compute", "Queue p99 over prefill p99", "×", Better::Lower},
    Measure{"share_kv_percent", "First token: KV", "%", Better::Lower},
    Measure{"share_weights_percent", "First token: reading weights", "%", Better::Lower},
    Measure{"share_compute_percent", "First token: arithmetic", "%", Better::Lower},
    Measure{"blocked_mean_ms", "Waiting for a closed batch", "ms", Better::Lower},
    Measure{"prompt_tokens_mean", "Prompt length", "tok", Better::Lower},
    Measure{"kept_kv_percent", "Kept KV, of its unpacked size", "%", Better::Lower},
    Measure{"load_ms", "Load time", "ms", Better::Lower},
    Measure{"first_ttft_ms", "First request's TTFT", "ms", Better::Lower},
    Measure{"tokenize_ms", "Tokenizing", "ms", Better::Lower},
    Measure{"tokenize_mib", "Tokenizing, memory", "MiB", Better::Lower},
    Measure{"tenants_mib", "Two tenants, memory", "MiB", Better::Lower},
};

constexpr std::array<std::string_view, 12> kShared = {
    "ttft_p50_ms",         "ttft_p90_ms",         "ttft_p99_ms",    "tpot_p50_ms",
    "tpot_p99_ms",         "e2e_p50_ms",          "e2e_p99_ms",     "itl_p99_ms",
    "output_tokens_per_s", "prompt_tokens_per_s", "requests_per_s", "goodput_per_s"};

const std::vector<Measure>& allMeasures() {
    static const std::vector<Measure> kAll = [] {
        std::vector<Measure> list;
        for (const std::string_view key : kShared) {
            list.push_back(*findMeasure(key));
        }
        list.insert(list.end(), kMoreMeasures.begin(), kMoreMeasures.end());
        return list;
    }();
    return kAll;
}

bool isCompleted(const RequestRecord& record) {
    return engine::outcome(record.reason) == engine::Outcome::Completed;
}

bool isDueIn(const RequestRecord& record, const MeasuredWindow& window) {
    const auto& stamps = record.stamps;
    const auto due = stamps.scheduled ? stamps.scheduled : stamps.received;
    return due && *due >= window.from && *due < window.to;
}

bool isSample(const RequestRecord& record, const MeasuredWindow& window) {
    const auto idle = static_cast<std::uint32_t>(engine::SampleTag::IdleStart);
    return isCompleted(record) &&
           isWarm(window.takesIdleStarts ? record.tags & ~idle : record.tags);
}

bool isIn(engine::TimePoint time, const MeasuredWindow& window) {
    return time >= window.from && time < window.to;
}

bool isOfLane(const RequestRecord& record, const MeasuredWindow& window) {
    return window.lane.empty() || (window.lane == "batch") == (record.lane == engine::Lane::Batch);
}

double stageMs(const RequestRecord& record, engine::Stage stage) {
    return record.ledgerNs
               ? static_cast<double>((*record.ledgerNs)[static_cast<std::size_t>(stage)]) / 1e6
               : 0.0;
}

class Figures {
public:
    void add(const RequestRecord& record) {
        push("ttft", milliseconds(record.ttft()));
        push("tpot", milliseconds(record.tpot()));
        push("e2e", milliseconds(record.e2e()));
        for (std::size_t i = 1; i < record.steps.size(); ++i) {
            m_values["itl"].push_back(
                milliseconds(record.steps[i].time - record.steps[i - 1].time));
        }
        m_values["prompt"].push_back(static_cast<double>(record.promptTokens));
        m_values["blocked"].push_back(static_cast<double>(record.blockedNs) / 1e6);
        if (record.ledgerNs) {
            addLedger(record);
        }
    }

    std::map<std::string, BlockFigure> finish() {
        for (const std::string_view name : {"ttft", "tpot", "e2e", "queue", "compute"}) {
            for (const int percent : {50, 90, 99}) {
                addQuantile(fmt::format("{}_p{}_ms", name, percent), name, percent / 100.0);
            }
        }
        addQuantile("itl_p99_ms", "itl", 0.99);
        addMean("ttft_mean_ms", "ttft");
        addMean("prompt_tokens_mean", "prompt");
        addMean("blocked_mean_ms", "blocked");
        const auto queue = m_figures.find("queue_p99_ms"),
                   compute = m_figures.find("compute_p99_ms");
        if (queue != m_figures.end() && compute->second.value > 0) {
            m_figures["queue_over_compute"] = {queue->second.value / compute->second.value,
                                               queue->second.n};
        }
        if (m_ledgerTotal > 0) {
            addShare("share_kv_percent", m_kv);
            addShare("share_weights_percent", m_weights);
            addShare("share_compute_percent", m_compute);
        }
        return std::move(m_figures);
    }

private:
    void push(const char* name, const std::optional<double>& value) {
        if (value) {
            m_values[name].push_back(*value);
        }
    }
    void addLedger(const RequestRecord& record) {
        m_values["queue"].push_back(stageMs(record, engine::Stage::Queue));
        const double weights = stageMs(record, engine::Stage::PrefillWeights);
        const double compute = stageMs(record, engine::Stage::PrefillCompute);
        m_values["compute"].push_back(weights + compute +
                                      stageMs(record, engine::Stage::BatchMates));
        m_kv += stageMs(record, engine::Stage::Kv);
        m_weights += weights;
        m_compute += compute;
        m_ledgerTotal += milliseconds(record.ttft()).value_or(0.0);
    }
    void addQuantile(const std::string& key, std::string_view name, double q) {
        auto& values = m_values[std::string(name)];
        std::ranges::sort(values);
        if (const auto value = quantile(values, q)) {
            m_figures[key] = {*value, static_cast<std::int64_t>(values.size())};
        }
    }
    void addMean(const std::string& key, const char* name) {
        const auto& values = m_values[name];
        if (!values.empty()) {
            double sum = 0;
            for (const double value : values) {
                sum += value;
            }
            const auto n = static_cast<std::int64_t>(values.size());
            m_figures[key] = {sum / static_cast<double>(n), n};
        }
    }
    void addShare(const char* key, double part) {
        m_figures[key] = {100 * part / m_ledgerTotal,
                          static_cast<std::int64_t>(m_values["queue"].size())};
    }

    std::map<std::string, std::vector<double>> m_values;
    std::map<std::string, BlockFigure> m_figures;
    double m_kv = 0, m_weights = 0, m_compute = 0, m_ledgerTotal = 0;
};

void addRates(std::map<std::string, BlockFigure>& figures, const Records& records,
              const MeasuredWindow& window) {
    double output = 0, prompt = 0, finished = 0, good = 0;
    RunInfo limits;
    limits.sloTtftMs = window.sloTtftMs;
    limits.sloTpotMs = window.sloTpotMs;
    for (const auto& record : records) {
        if (!isOfLane(*record, window)) {
            continue;
        }
        for (const engine::TokenStep& step : record->steps) {
            output += isIn(step.time, window) ? step.tokens : 0;
        }
        const engine::Stamps& stamps = record->stamps;
        if (const auto computed = promptComputed(stamps); computed && isIn(*computed, window)) {
            prompt += static_cast<double>(record->promptTokens - record->hitTokens);
        }
        if (isCompleted(*record) && stamps.finished && isIn(*stamps.finished, window)) {
            finished += 1;
            good += isGood(*record, limits) ? 1 : 0;
        }
    }
    const double seconds = std::chrono::duration<double>(window.to - window.from).count();
    if (seconds > 0) {
        const auto n = static_cast<std::int64_t>(std::floor(seconds));
        figures["output_tokens_per_s"] = {output / seconds, n};
        figures["prompt_tokens_per_s"] = {prompt / seconds, n};
        figures["requests_per_s"] = {finished / seconds, n};
        figures["goodput_per_s"] = {good / seconds, n};
    }
}

} // namespace

std::span<const Measure> experimentMeasures() {
    return allMeasures();
}

const Measure* findExperimentMeasure(std::string_view key) {
    const auto& list = allMeasures();
    const auto found = std::ranges::find(list, key, &Measure::key);
    return found != list.end() ? &*found : nullptr;
}

std::string blockLabel(const Experiment& experiment, const Block& block) {
    const auto side = static_cast<std::size_t>(block.side);
    const std::string label =
        side < experiment.sides.size() ? experiment.sides[side].label : std::string("?");
    return experiment.sweepKey.empty() ? fmt::format("{}{}", label, block.round + 1)
                                       : fmt::format("{} ({})", label, block.round + 1);
}

std::map<std::string, BlockFigure> measureBlock(const Records& records,
                                                const MeasuredWindow& window) {
    Figures figures;
    for (const auto& record : records) {
        if (isSample(*record, window) && isDueIn(*record, window) && isOfLane(*record, window)) {
            figures.add(*record);
        }
    }
    auto made = figures.finish();
    addRates(made, records, window);
    return made;
}

std::optional<BlockFigure> keptKv(const engine::Snapshot& snapshot) {
    const std::int64_t blocks = snapshot.kvBlocksKept + snapshot.kvBlocksPacked;
    if (blocks == 0) {
        return std::nullopt;
    }
    const auto packed = static_cast<double>(snapshot.kvPackedBytes);
    const auto unpacked = static_cast<double>(snapshot.kvUnpackedBytes);
    const double plain = snapshot.kvBlocksPacked > 0
                             ? static_cast<double>(snapshot.kvBlocksKept) * unpacked /
                                   static_cast<double>(snapshot.kvBlocksPacked)
                             : 1.0; // of any size: they are all there is
    return BlockFigure{100 * (plain + packed) / (plain + unpacked), blocks};
}

std::vector<Contamination> contaminationOf(const Records& records, const MeasuredWindow& window,
                                           bool variesPrefixes) {
    double preempted = 0, cold = 0, unfinished = 0, failed = 0, hits = 0, prompt = 0;
    for (const auto& record : records) {
        if (!isDueIn(*record, window)) {
            continue;
        }
        const engine::Outcome outcome = engine::outcome(record->reason);
        preempted += (record->tags & static_cast<std::uint32_t>(engine::SampleTag::Preempted)) != 0;
        cold += isCompleted(*record) && !isSample(*record, window);
        unfinished += outcome == engine::Outcome::Cancelled;
        failed += outcome == engine::Outcome::Failed || outcome == engine::Outcome::Rejected;
        hits += static_cast<double>(record->hitTokens);
        prompt += static_cast<double>(record->promptTokens);
    }
    std::vector<Contamination> list;
    const auto add = [&list](const char* kind, double value) {
        if (value > 0) {
            list.push_back({.kind = kind, .value = value, .detail = {}});
        }
    };
    add("preemption", preempted);
    add("cold", cold);
    add("unfinished", unfinished);
    add("failed", failed);
    if (!variesPrefixes && prompt > 0 && hits / prompt >= kPrefixHitShare) {
        add("prefix_hits", 100 * hits / prompt);
    }
    return list;
}

std::string blockJson(const Block& block) {
    Json figures = Json::object();
    for (const auto& [key, figure] : block.figures) {
        figures[key] = {{"value", figure.value}, {"n", figure.n}};
    }
    Json contamination = Json::array();
    for (const Contamination& entry : block.contamination) {
        contamination.push_back(
            {{"kind", entry.kind}, {"value", entry.value}, {"detail", entry.detail}});
    }
    const Json json = {{"number", block.number}, {"round", block.round},
                       {"side", block.side},     {"begin_s", block.begin},
                       {"from_s", block.from},   {"to_s", block.to},
                       {"end_s", block.end},     {"is_whole", block.isWhole},
                       {"figures", figures},     {"contamination", contamination}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

engine::Result<Block> blockOfJson(std::string_view text) {
    try {
        const Json json = Json::parse(text);
        Block block{.number = json.at("number"),
                    .round = json.at("round"),
                    .side = json.at("side"),
                    .begin = json.at("begin_s"),
                    .from = json.at("from_s"),
                    .to = json.at("to_s"),
                    .end = json.at("end_s"),
                    .isWhole = json.at("is_whole"),
                    .figures = {},
                    .contamination = {}};
        for (const auto& [key, figure] : json.at("figures").items()) {
            block.figures[key] = {figure.at("value"), figure.at("n")};
        }
        for (const Json& entry : json.at("contamination")) {
            block.contamination.push_back({.kind = entry.at("kind"),
                                           .value = entry.at("value"),
                                           .detail = entry.at("detail")});
        }
        constexpr int kMost = 1'000'000; // rounds; nobody measures so many
        if (block.side >= 0 && block.round >= 0 && block.round < kMost) {
            return block;
        }
    } catch (const Json::exception&) { // told below
    }
    return std::unexpected(
        engine::Error{engine::ErrorCode::Corrupt, "A block of the experiment can't be read."});
}

} // namespace app
