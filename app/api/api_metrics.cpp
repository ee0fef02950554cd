#include "app/api/api_metrics.h"

#include "app/observe/alarms.h"

#include <fmt/format.h>

#include <algorithm>

namespace app {

namespace {

using engine::Snapshot;

constexpr std::array kTtftEdges = {.001, .005, .01, .02, .04,  .06,  .08,  .1,  .25,
                                   .3,   .5,   .75, .8,  1.0,  1.5,  2.5,  5.0, 7.5,
                                   10.,  20.,  40., 80., 160., 640., 2560.};
constexpr std::array kLagEdges = {.001, .002, .005, .01, .02, .05, .1, .2, .5, 1.0, 2.0, 5.0, 10.};
constexpr std::array kTokenTimeEdges = {.01, .025, .05, .075, .1,  .15, .2,  .3,  .4, .5,
                                        .75, 1.0,  2.5, 5.0,  7.5, 10., 20., 40., 80.};
constexpr std::array kRequestTimeEdges = {.3,  .5,   .8,   1.0,  1.5,  2.0,   2.5,
                                          5.0, 10.,  15.,  20.,  30.,  40.,   50.,
                                          60., 120., 240., 480., 960., 1920., 7680.};
constexpr std::array kTokenEdges = {1.,   2.,    5.,    10.,   20.,    50.,    100.,   200.,
                                    500., 1000., 2000., 5000., 10000., 20000., 50000., 100000.};

struct HistogramRow {
    const char* name;
    const char* help;
    std::span<const double> edges;
};
constexpr std::array kHistograms = {
    HistogramRow{"vllm:time_to_first_token_seconds",
                 "Time from arrival to the first visible text, in seconds.", kTtftEdges},
    HistogramRow{"vllm:inter_token_latency_seconds",
                 "Gaps between steps that made visible tokens, in seconds.", kTokenTimeEdges},
    HistogramRow{"vllm:request_time_per_output_token_seconds",
                 "Mean time of a token after the first one of a request, in seconds.",
                 kTokenTimeEdges},
    HistogramRow{"vllm:e2e_request_latency_seconds",
                 "Time from arrival to the last token, in seconds.", kRequestTimeEdges},
    HistogramRow{"vllm:request_queue_time_seconds",
                 "Time from admission to the first step, in seconds.", kRequestTimeEdges},
    HistogramRow{"vllm:request_prefill_time_seconds",
                 "Time from the first step to the first token, in seconds.", kRequestTimeEdges},
    HistogramRow{"vllm:request_decode_time_seconds",
                 "Time from the first token to the last one, in seconds.", kRequestTimeEdges},
    HistogramRow{"vllm:request_inference_time_seconds",
                 "Time from the first step to the last token, in seconds.", kRequestTimeEdges},
    HistogramRow{"vllm:request_prompt_tokens", "Prompt tokens of a request.", kTokenEdges},
    HistogramRow{"vllm:request_generation_tokens", "Answer tokens of a request.", kTokenEdges},
    HistogramRow{"headway:lag_seconds",
                 "Time from when a workload wanted a request to when it was sent, in seconds.",
                 kLagEdges},
};

struct Reading {
    const char* name;
    const char* help;
    double (*get)(const Snapshot&);
};
constexpr std::array kGauges = {
    Reading{"vllm:num_requests_running", "Requests in steps.",
            [](const Snapshot& s) { return static_cast<double>(s.running); }},
    Reading{"vllm:num_requests_waiting", "Requests waiting for their first step.",
            [](const Snapshot& s) { return static_cast<double>(s.waiting); }},
    Reading{"vllm:kv_cache_usage_perc", "Share of KV blocks that requests hold, 0 to 1.",
            [](const Snapshot& s) {
                return s.kvBlocksTotal > 0 ? static_cast<double>(s.kvBlocksUsed) /
                                                 static_cast<double>(s.kvBlocksTotal)
                                           : 0.0;
            }},
    Reading{"headway:degradation_level", "Level of degradation in force.",
            [](const Snapshot& s) { return static_cast<double>(s.level); }},
    Reading{"headway:cold_block_ratio", "Share of KV blocks that only the prefix cache holds.",
            [](const Snapshot& s) {
                return s.kvBlocksTotal > 0 ? static_cast<double>(s.kvBlocksKept) /
                                                 static_cast<double>(s.kvBlocksTotal)
                                           : 0.0;
            }},
    Reading{"headway:kv_packed_blocks", "Cold KV blocks that were packed and left the pool.",
            [](const Snapshot& s) { return static_cast<double>(s.kvBlocksPacked); }},
    Reading{"headway:kv_packed_bytes", "Memory that packed KV blocks take.",
            [](const Snapshot& s) { return static_cast<double>(s.kvPackedBytes); }},
    Reading{"headway:kv_unpacked_bytes", "Memory that packed KV blocks took before.",
            [](const Snapshot& s) { return static_cast<double>(s.kvUnpackedBytes); }},
    Reading{"headway:weights_ahead_bytes", "Weights that were made before they are wanted.",
            [](const Snapshot& s) { return static_cast<double>(s.weightsAheadBytes); }},
    Reading{"headway:adapters", "Adapters over the one loaded model.",
            [](const Snapshot& s) { return static_cast<double>(s.adapters); }},
    Reading{"headway:adapter_bytes", "Memory of adapters.",
            [](const Snapshot& s) { return static_cast<double>(s.adapterBytes); }},
    Reading{"headway:process_resident_bytes", "Resident memory of this process.",
            [](const Snapshot& s) { return static_cast<double>(s.processBytes); }},
};
constexpr std::array kCounters = {
    Reading{"vllm:prompt_tokens", "Prompt tokens computed.",
            [](const Snapshot& s) { return static_cast<double>(s.promptTokens); }},
    Reading{"vllm:generation_tokens", "Answer tokens computed.",
            [](const Snapshot& s) { return static_cast<double>(s.outputTokens); }},
    Reading{"vllm:num_preemptions", "Requests that gave their KV blocks back.",
            [](const Snapshot& s) { return static_cast<double>(s.preemptions); }},
    Reading{"vllm:prefix_cache_queries", "Prompt tokens looked up in the prefix cache.",
            [](const Snapshot& s) { return static_cast<double>(s.prefixQueries); }},
    Reading{"vllm:prefix_cache_hits", "Prompt tokens found in the prefix cache.",
            [](const Snapshot& s) { return static_cast<double>(s.prefixHits); }},
    Reading{"headway:kv_restores", "Packed KV blocks that were unpacked for a request.",
            [](const Snapshot& s) { return static_cast<double>(s.kvRestores); }},
    Reading{"headway:pool_busy_seconds", "Time that threads of the pool have computed.",
            [](const Snapshot& s) { return static_cast<double>(s.poolBusyNs) / 1e9; }},
};

double secondsOf(engine::Nanoseconds span) {
    return std::chrono::duration<double>(span).count();
}

std::optional<double> between(const std::optional<engine::TimePoint>& from,
                              const std::optional<engine::TimePoint>& to) {
    return from && to ? std::optional(secondsOf(*to - *from)) : std::nullopt;
}

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '\\' || c == '"') {
            result += '\\';
        }
        if (c == '\n') {
            result += "\\n";
        } else {
            result += c;
        }
    }
    return result;
}

// "stop", "length", "abort", "error": vLLM's words.
std::string_view reasonOf(engine::FinishReason reason) {
    switch (engine::outcome(reason)) {
    case engine::Outcome::Completed:
        return engine::name(reason);
    case engine::Outcome::Cancelled:
        return "abort";
    default:
        return "error";
    }
}

void appendHead(std::string& out, std::string_view name, std::string_view help,
                std::string_view type) {
    fmt::format_to(std::back_inserter(out), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

void appendHistogram(std::string& out, std::string_view name, std::string_view help,
                     std::string_view labels, std::span<const double> edges,
                     std::span<const std::uint64_t> counts, double sum) {
    appendHead(out, name, help, "histogram");
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        total += counts[i];
        fmt::format_to(std::back_inserter(out), "{}_bucket{{{},le=\"{}\"}} {}\n", name, labels,
                       i < edges.size() ? fmt::format("{}", edges[i]) : "+Inf", total);
    }
    fmt::format_to(std::back_inserter(out), "{}_sum{{{}}} {}\n{}_count{{{}}} {}\n", name, labels,
                   sum, name, labels, total);
}

} // namespace

void EdgeHistogram::add(double value) {
    const auto edge = std::ranges::lower_bound(m_edges, value);
    ++m_counts[static_cast<std::size_t>(edge - m_edges.begin())];
    m_sum += value;
}

ApiMetrics::ApiMetrics() {
    for (const HistogramRow& row : kHistograms) {
        m_histograms.emplace_back(row.edges);
    }
}

void ApiMetrics::addTo(Series series, std::optional<double> value) {
    if (value) {
        m_histograms[static_cast<std::size_t>(series)].add(*value);
    }
}

void ApiMetrics::add(const engine::RequestRecord& record) {
    ++m_finished[std::string(reasonOf(record.reason))];
    const auto has = [&](engine::SampleTag tag) {
        return (record.tags & static_cast<std::uint32_t>(tag)) != 0;
    };
    ++m_sources[has(engine::SampleTag::Cached) ? 1 : has(engine::SampleTag::LightModel) ? 2 : 0];
    addTo(Series::Lag, between(record.stamps.scheduled, record.stamps.received));
    if ((record.tags & engine::kNotComputed) == 0) {
        addLatencies(record);
    }
}

void ApiMetrics::addLatencies(const engine::RequestRecord& record) {
    const auto add = [this](Series series, std::optional<double> value) { addTo(series, value); };
    const engine::Stamps& stamps = record.stamps;
    add(Series::Ttft, between(stamps.received, stamps.firstVisible));
    for (std::size_t i = 1; i < record.steps.size(); ++i) {
        add(Series::Itl, secondsOf(record.steps[i].time - record.steps[i - 1].time));
    }
    if (const auto tpot = record.tpot()) {
        add(Series::Tpot, secondsOf(*tpot));
    }
    add(Series::Queue, between(stamps.admitted, stamps.planned));
    add(Series::Prefill, between(stamps.planned, stamps.firstSampled));
    if (engine::outcome(record.reason) == engine::Outcome::Completed) {
        add(Series::E2e, between(stamps.received, stamps.lastToken));
        add(Series::Decode, between(stamps.firstSampled, stamps.lastToken));
        add(Series::Inference, between(stamps.planned, stamps.lastToken));
        add(Series::Prompt, static_cast<double>(record.promptTokens));
        add(Series::Generation, static_cast<double>(record.outputTokens));
    }
    for (std::size_t stage = 0; record.ledgerNs && stage < engine::kStages; ++stage) {
        // A counter never falls, and a remainder may be a hair below nothing.
        m_stageSeconds[stage] +=
            std::max(0.0, static_cast<double>((*record.ledgerNs)[stage]) / 1e9);
    }
}

std::string ApiMetrics::text(const Snapshot& figures, std::string_view model,
                             const std::vector<std::string>& raisedAlarms) const {
    const std::string labels = fmt::format("model_name=\"{}\",engine=\"0\"", escaped(model));
    std::string out;
    const auto line = [&](std::string_view name, std::string_view more, double value) {
        fmt::format_to(std::back_inserter(out), "{}{{{}{}}} {}\n", name, labels, more, value);
    };
    for (const Reading& gauge : kGauges) {
        appendHead(out, gauge.name, gauge.help, "gauge");
        line(gauge.name, "", gauge.get(figures));
    }
    for (const Reading& counter : kCounters) {
        const std::string name = std::string(counter.name) + "_total";
        appendHead(out, name, counter.help, "counter");
        line(name, "", counter.get(figures));
    }
    appendHead(out, "vllm:request_success_total", "Requests that ended, by reason.", "counter");
    for (const char* reason : {"stop", "length", "abort", "error"}) {
        const auto found = m_finished.find(reason);
        line("vllm:request_success_total", fmt::format(",finished_reason=\"{}\"", reason),
             found == m_finished.end() ? 0.0 : static_cast<double>(found->second));
    }
    for (std::size_t i = 0; i < kHistograms.size(); ++i) {
        const EdgeHistogram& histogram = m_histograms[i];
        appendHistogram(out, kHistograms[i].name, kHistograms[i].help, labels, histogram.edges(),
                        histogram.counts(), histogram.sum());
    }
    const std::vector<double> edges(engine::kStepTokenEdges.begin(), engine::kStepTokenEdges.end());
    appendHistogram(out, "vllm:iteration_tokens_total", "Tokens of a step.", labels, edges,
                    figures.stepsByTokens, static_cast<double>(figures.stepTokensSum));
    appendHead(out, "headway:ttft_stage_seconds_total",
               "Time of all first tokens, by stage of the ledger.", "counter");
    for (std::size_t stage = 0; stage < engine::kStages; ++stage) {
        line("headway:ttft_stage_seconds_total",
             fmt::format(",stage=\"{}\"", engine::name(static_cast<engine::Stage>(stage))),
             m_stageSeconds[stage]);
    }
    appendHead(out, "headway:answers_total", "Requests that ended, by what answered them.",
               "counter");
    constexpr std::array<std::string_view, 3> kSources = {"model", "cache", "light"};
    for (std::size_t source = 0; source < kSources.size(); ++source) {
        line("headway:answers_total", fmt::format(",source=\"{}\"", kSources[source]),
             static_cast<double>(m_sources[source]));
    }
    appendHead(out, "headway:alarm", "1 while the alarm is raised.", "gauge");
    for (const AlarmRule& rule : alarmTable()) {
        const bool isRaised = std::ranges::find(raisedAlarms, rule.key) != raisedAlarms.end();
        line("headway:alarm", fmt::format(",alarm=\"{}\"", rule.key), isRaised ? 1.0 : 0.0);
    }
    return out;
}

} // namespace app
