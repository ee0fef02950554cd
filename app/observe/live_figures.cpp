#include "app/observe/live_figures.h"

#include <algorithm>
#include <cmath>

namespace app {

namespace {

constexpr double kCurveSeconds = 60.0;
// Longer than this between two samples nothing was measured.
constexpr double kLongestStep = 3.0;

// Mean of a figure over the time that samples of a span stand for: each for the time before it.
class Mean {
public:
    void add(double value, double weight) {
        m_sum += weight * value;
        m_weight += weight;
    }
    std::optional<double> value() const {
        return m_weight > 0 ? std::optional(m_sum / m_weight) : std::nullopt;
    }

private:
    double m_sum = 0.0, m_weight = 0.0;
};

template <class Use>
void forSamples(const History& history, double from, double to, Use use) {
    const auto& samples = history.samples();
    auto sample = std::ranges::upper_bound(samples, from, {}, &Sample::seconds);
    for (; sample != samples.end() && sample->seconds <= to; ++sample) {
        const double step =
            sample == samples.begin() ? kLongestStep : sample->seconds - (sample - 1)->seconds;
        use(*sample, step < kLongestStep ? step : 0.1);
    }
}

void addLevels(LiveFigures& figures, const History& history, const FigureSpans& spans) {
    Mean output, prompt, running, waiting, kv, busy, machine, process;
    const Sample* last = nullptr;
    forSamples(history, spans.to - spans.rateSeconds, spans.to,
               [&](const Sample& sample, double weight) {
                   output.add(sample.outputPerSecond, weight);
                   prompt.add(sample.promptPerSecond, weight);
                   running.add(sample.running, weight);
                   waiting.add(sample.waiting, weight);
                   kv.add(sample.kvShare, weight);
                   if (sample.hasBusyShare()) {
                       busy.add(sample.busyShare, weight);
                   }
                   if (sample.processBytes > 0) { // what is not here uses no memory that we see
                       machine.add(sample.machineShare, weight);
                       process.add(sample.processBytes, weight);
                   }
                   last = &sample;
               });
    figures.outputPerSecond = output.value();
    figures.promptPerSecond = prompt.value();
    figures.running = running.value();
    figures.waiting = waiting.value();
    figures.kvShare = kv.value();
    figures.busyShare = busy.value();
    figures.machineShare = machine.value();
    figures.processBytes = process.value();
    if (last != nullptr && last->slots > 0) {
        figures.slotCount = last->slots; // a setting, not a mean
    }
}

void addRequests(LiveFigures& figures, const History& history, const FigureSpans& spans,
                 SampleFilter filter, TtftEdge edge, const ServiceTarget& target) {
    const auto& requests = history.requests();
    const double from = spans.to - spans.latencySeconds;
    std::vector<double> values;
    double promptTokens = 0.0;
    double hitTokens = 0.0;
    std::int64_t completed = 0;
    std::int64_t good = 0;
    for (auto request = std::ranges::upper_bound(requests, from, {}, &RequestPoint::seconds);
         request != requests.end() && request->seconds <= spans.to; ++request) {
        ++figures.requests;
        if (isLatencySample(*request, filter)) {
            values.push_back(ttftMs(*request, edge)); // quantiles() leaves out what is absent
            promptTokens += static_cast<double>(request->promptTokens);
            hitTokens += static_cast<double>(request->hitTokens);
        }
        if (request->outcome == engine::Outcome::Completed) {
            ++completed;
            good += meetsTarget(*request, target) ? 1 : 0;
        }
    }
    figures.ttftMs = quantiles(std::move(values));
    if (promptTokens > 0.0) {
        figures.hitShare = hitTokens / promptTokens;
    }
    if (figures.ttftMs.p50 && figures.ttftMs.p99) {
        figures.gapMs = *figures.ttftMs.p99 - *figures.ttftMs.p50;
    }
    // The rate comes from the engine's counter: requests stand here where their first text came, so
    // counting the ended ones would miss the newest.
    Mean rate;
    double computed = 0.0;
    forSamples(history, from, spans.to, [&](const Sample& sample, double weight) {
        rate.add(sample.requestsPerSecond, weight);
        computed +=
            sample.running + sample.waiting + sample.outputPerSecond + sample.promptPerSecond;
    });
    figures.completedPerSecond = rate.value();
    figures.hasTraffic = computed > 0 || completed > 0;
    if (figures.completedPerSecond && completed > 0) {
        figures.goodputPerSecond = *figures.completedPerSecond * static_cast<double>(good) /
                                   static_cast<double>(completed);
    }
}

void addCurve(LiveFigures& figures, const History& history, const FigureSpans& spans) {
    const auto columns = static_cast<std::size_t>(kCurveSeconds);
    std::vector<Mean> means(columns);
    // Whole seconds, so that the curve moves in steps instead of trembling.
    const double end = std::ceil(spans.to);
    forSamples(history, end - kCurveSeconds, spans.to, [&](const Sample& sample, double weight) {
        const double column = std::floor(sample.seconds - (end - kCurveSeconds) - 1e-9);
        const auto index = static_cast<std::size_t>(std::clamp(column, 0.0, kCurveSeconds - 1.0));
        means[index].add(sample.outputPerSecond, weight);
    });
    figures.outputCurve.reserve(columns);
    for (const Mean& mean : means) {
        figures.outputCurve.push_back(mean.value());
    }
}

} // namespace

FigureSpans newestSpans(const History& history) {
    return {.to = history.endSeconds()};
}

FigureSpans selectedSpans(double from, double to) {
    return {.to = to, .latencySeconds = to - from, .rateSeconds = to - from};
}

LiveFigures liveFigures(const History& history, const FigureSpans& spans, SampleFilter filter,
                        TtftEdge edge, const ServiceTarget& target) {
    LiveFigures figures;
    figures.spans = spans;
    addLevels(figures, history, spans);
    addRequests(figures, history, spans, filter, edge, target);
    addCurve(figures, history, spans);
    return figures;
}

bool meetsTarget(const RequestPoint& point, const ServiceTarget& target) {
    return point.outcome == engine::Outcome::Completed &&
           (point.tags & engine::kNotComputed) == 0 && std::isfinite(point.ttftMs) &&
           point.ttftMs <= target.ttftMs &&
           (!std::isfinite(point.tpotMs) || point.tpotMs <= target.tpotMs);
}

std::int64_t missingSamples(double quantile, std::int64_t n) {
    return std::max<std::int64_t>(0, leastCount(quantile) - n);
}

} // namespace app
