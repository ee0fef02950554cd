// The table of measures and where their values come from in a run.
#include "app/compare/comparison.h"
#include "app/store/summary.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace app {

namespace {

constexpr std::array kMeasures = {
    Measure{"achieved_rate", "Achieved rate", "req/s", Better::Higher},
    Measure{"lag_p50_ms", "Lag p50", "ms", Better::Lower, 0.5},
    Measure{"lag_p99_ms", "Lag p99", "ms", Better::Lower, 0.99},
    Measure{"ttft_p50_ms", "TTFT p50", "ms", Better::Lower, 0.5},
    Measure{"ttft_p90_ms", "TTFT p90", "ms", Better::Lower, 0.9},
    Measure{"ttft_p99_ms", "TTFT p99", "ms", Better::Lower, 0.99},
    Measure{"prefix_hit_percent", "Prefix hits", "%", Better::Higher},
    Measure{"tpot_p50_ms", "TPOT p50", "ms", Better::Lower, 0.5},
    Measure{"tpot_p99_ms", "TPOT p99", "ms", Better::Lower, 0.99},
    Measure{"e2e_p50_ms", "E2EL p50", "ms", Better::Lower, 0.5},
    Measure{"e2e_p99_ms", "E2EL p99", "ms", Better::Lower, 0.99},
    Measure{"itl_p99_ms", "ITL p99", "ms", Better::Lower, 0.99},
    Measure{"output_tokens_per_s", "Output", "tok/s", Better::Higher},
    Measure{"prompt_tokens_per_s", "Prompt", "tok/s", Better::Higher},
    Measure{"requests_per_s", "Requests", "req/s", Better::Higher},
    Measure{"goodput_per_s", "Goodput", "req/s", Better::Higher},
    Measure{"kv_peak_percent", "KV peak", "%", Better::Lower},
    Measure{"busy_mean_percent", "Device busy", "%", Better::Lower},
    Measure{"memory_peak_mib", "Memory peak", "MiB", Better::Lower},
};

using engine::RequestRecord;

bool isCompleted(const RequestRecord& record) {
    return engine::outcome(record.reason) == engine::Outcome::Completed;
}

double toSeconds(engine::TimePoint time) {
    return std::chrono::duration<double>(time.time_since_epoch()).count();
}

// Sums events into the whole seconds of the run.
class Seconds {
public:
    explicit Seconds(double length)
        : m_values(static_cast<std::size_t>(std::max(0.0, std::floor(length)))) {}
    void add(engine::TimePoint time, double amount) {
        const double at = toSeconds(time);
        if (at >= 0 && at < static_cast<double>(m_values.size())) {
            m_values[static_cast<std::size_t>(at)] += amount;
        }
    }
    std::vector<double> take() { return std::move(m_values); }
    // Without what comes before the first and after the last event.
    std::vector<double> takeActive() {
        const auto isActive = [](double value) { return value != 0; };
        const auto first = std::ranges::find_if(m_values, isActive);
        const auto last = std::find_if(m_values.rbegin(), m_values.rend(), isActive).base();
        return first < last ? std::vector<double>(first, last) : std::vector<double>();
    }

private:
    std::vector<double> m_values;
};

using Latency = std::optional<double> (*)(const RequestRecord&);

Latency latencyOf(std::string_view key) {
    if (key.starts_with("ttft")) {
        return [](const RequestRecord& record) { return milliseconds(record.ttft()); };
    }
    if (key.starts_with("tpot")) {
        return [](const RequestRecord& record) { return milliseconds(record.tpot()); };
    }
    return [](const RequestRecord& record) { return milliseconds(record.e2e()); };
}

void addLatencies(MeasureValues& values, const RunData& run, Latency latency) {
    for (const StoredRequest& request : run.requests) {
        if (isCompleted(request.record) && isWarm(request.record.tags)) {
            if (const auto value = latency(request.record)) {
                values.sorted.push_back(*value);
            }
        }
    }
}

void addLags(MeasureValues& values, const RunData& run) {
    for (const StoredRequest& request : run.requests) {
        const engine::Stamps& stamps = request.record.stamps;
        if (stamps.scheduled && stamps.received) {
            values.sorted.push_back(milliseconds(*stamps.received - *stamps.scheduled));
        }
    }
}

void addGaps(Clusters& clusters, const RunData& run) {
    for (const StoredRequest& request : run.requests) {
        const auto& steps = request.record.steps;
        if (!isCompleted(request.record) || !isWarm(request.record.tags) || steps.size() < 2) {
            continue;
        }
        const auto number = static_cast<std::uint32_t>(clusters.sizes.size());
        for (std::size_t i = 1; i < steps.size(); ++i) {
            clusters.values.emplace_back(milliseconds(steps[i].time - steps[i - 1].time), number);
        }
        clusters.sizes.push_back(static_cast<std::uint32_t>(steps.size() - 1));
    }
    std::ranges::sort(clusters.values);
}

std::vector<double> ratePerSecond(std::string_view key, const RunData& run, const RunInfo& limits) {
    Seconds seconds(run.summary.run.seconds);
    for (const StoredRequest& request : run.requests) {
        const RequestRecord& record = request.record;
        const engine::Stamps& stamps = record.stamps;
        if (key == "achieved_rate" && stamps.received) {
            seconds.add(*stamps.received, 1);
        } else if (key == "output_tokens_per_s") {
            for (const engine::TokenStep& step : record.steps) {
                seconds.add(step.time, step.tokens);
            }
        } else if (const auto computed = promptComputed(stamps);
                   key == "prompt_tokens_per_s" && computed) {
            seconds.add(*computed, static_cast<double>(record.promptTokens - record.hitTokens));
        } else if (key == "requests_per_s" && isCompleted(record) && stamps.finished) {
            seconds.add(*stamps.finished, 1);
        } else if (key == "goodput_per_s" && stamps.finished && isGood(record, limits)) {
            seconds.add(*stamps.finished, 1);
        }
    }
    return key == "achieved_rate" ? seconds.takeActive() : seconds.take();
}

template <class Get>
std::optional<double> peak(const RunData& run, Get get) {
    std::optional<double> highest;
    for (const SampleRow& row : run.samples) {
        highest = std::max(highest.value_or(get(row)), get(row));
    }
    return highest;
}

std::optional<double> meanOf(const std::vector<double>& values) {
    if (values.empty()) {
        return std::nullopt;
    }
    double sum = 0;
    for (const double value : values) {
        sum += value;
    }
    return sum / static_cast<double>(values.size());
}

std::optional<double> goodputWithin(const RunInfo& limits, const RunData& run) {
    const double length = run.summary.run.seconds;
    const auto good = std::ranges::count_if(run.requests, [&](const StoredRequest& request) {
        const auto& finished = request.record.stamps.finished;
        return finished && toSeconds(*finished) >= 0 && toSeconds(*finished) <= length &&
               isGood(request.record, limits);
    });
    return static_cast<double>(good) / length;
}

std::optional<double> rateOf(std::string_view key, const RunData& run, const RunInfo& limits) {
    const RunSummary& summary = run.summary;
    if (summary.run.seconds <= 0) {
        return std::nullopt;
    }
    if (key == "goodput_per_s" && !haveSameLimits(summary.run, limits)) {
        return goodputWithin(limits, run);
    }
    return key == "achieved_rate"         ? summary.achievedRate
           : key == "output_tokens_per_s" ? summary.outputPerSecond
           : key == "prompt_tokens_per_s" ? summary.promptPerSecond
           : key == "requests_per_s"      ? summary.requestsPerSecond
                                          : summary.goodputPerSecond;
}

} // namespace

std::span<const Measure> measures() {
    return kMeasures;
}

const Measure* findMeasure(std::string_view key) {
    const auto* found = std::ranges::find(kMeasures, key, &Measure::key);
    return found != kMeasures.end() ? found : nullptr;
}

std::int64_t Measure::leastCount() const {
    constexpr std::int64_t kLeastSeconds = 10; // bootstrapMean
    if (quantile > 0) {
        return app::leastCount(quantile);
    }
    constexpr std::array<std::string_view, 3> kOneValue = {"prefix_hit_percent", "kv_peak_percent",
                                                           "memory_peak_mib"};
    return std::ranges::find(kOneValue, key) != kOneValue.end() ? 0 : kLeastSeconds;
}

MeasureValues valuesOf(const Measure& measure, const RunData& run) {
    return valuesOf(measure, run, run.summary.run);
}

MeasureValues valuesOf(const Measure& measure, const RunData& run, const RunInfo& limits) {
    MeasureValues values;
    if (measure.key.starts_with("itl")) {
        addGaps(values.clusters, run);
        values.n = static_cast<std::int64_t>(values.clusters.values.size());
        values.value = run.summary.itlMs.p99;
    } else if (measure.quantile > 0) {
        if (measure.key.starts_with("lag")) {
            addLags(values, run);
        } else {
            addLatencies(values, run, latencyOf(measure.key));
        }
        std::ranges::sort(values.sorted);
        values.n = static_cast<std::int64_t>(values.sorted.size());
        values.value = quantile(values.sorted, measure.quantile);
    } else if (measure.key == "prefix_hit_percent") {
        const auto share = run.summary.hitShare;
        values.value = share ? std::optional(100 * *share) : std::nullopt;
        values.n = share ? run.summary.ttftMs.n : 0;
    } else if (measure.key == "kv_peak_percent") {
        values.n = static_cast<std::int64_t>(run.samples.size());
        values.value = peak(run, [](const SampleRow& row) { return 100 * row.kvSharePeak; });
    } else if (measure.key == "memory_peak_mib") {
        values.value =
            peak(run, [](const SampleRow& row) { return row.processBytesPeak / (1024 * 1024); });
        if (values.value == 0.0) {
            values.value.reset(); // of another process: not known
        }
        values.n = values.value ? static_cast<std::int64_t>(run.samples.size()) : 0;
    } else if (measure.key == "busy_mean_percent") {
        for (const SampleRow& row : run.samples) {
            if (row.sample.hasBusyShare()) {
                values.seconds.push_back(100 * row.sample.busyShare);
            }
        }
        values.n = static_cast<std::int64_t>(values.seconds.size());
        values.value = meanOf(values.seconds);
    } else {
        values.seconds = ratePerSecond(measure.key, run, limits);
        values.n = static_cast<std::int64_t>(values.seconds.size());
        values.value = rateOf(measure.key, run, limits);
    }
    return values;
}

std::optional<Interval> intervalOf(const Measure& measure, const MeasureValues& values) {
    if (!values.sorted.empty()) {
        return quantileInterval(values.sorted, measure.quantile);
    }
    return values.seconds.empty() ? std::nullopt : bootstrapMean(values.seconds);
}

} // namespace app
