// What the tiles of the live page show: figures of a span of a history, by the definitions of the
// report. Pure; any thread.
#pragma once

#include "app/observe/history.h"

#include <optional>
#include <vector>

namespace app {

// A request counts as good when it met both.
struct ServiceTarget {
    double ttftMs = 800.0;
    double tpotMs = 100.0;
};

// Latencies need a longer span than rates: a tail needs many requests, a rate is of now.
struct FigureSpans {
    double to = 0.0;              // seconds of the history
    double latencySeconds = 30.0; // before `to`
    double rateSeconds = 5.0;
};
// The newest figures, and those of a selected span.
FigureSpans newestSpans(const History& history);
FigureSpans selectedSpans(double from, double to);

struct LiveFigures {
    FigureSpans spans;
    std::int64_t requests = 0; // whose first text (or end) fell in the latency span, of any outcome
    // Time to first token of latency samples whose first text fell in the span.
    Quantiles ttftMs;
    std::optional<double> gapMs; // p99 - p50
    // Of the prompt tokens behind these, the share that the prefix cache already held, 0..1.
    std::optional<double> hitShare;
    // Means over the rate span; empty where nothing was measured.
    std::optional<double> outputPerSecond, promptPerSecond;
    std::optional<double> running, waiting, slotCount;
    std::optional<double> kvShare, busyShare, machineShare; // 0..1
    std::optional<double> processBytes;
    // Completed requests a second of the latency span, and those of them within the target.
    std::optional<double> completedPerSecond, goodputPerSecond;
    bool hasTraffic = false; // something ran, waited or was computed in the latency span
    // Output tokens a second, one mean a second of the last minute; gaps are empty.
    std::vector<std::optional<double>> outputCurve;
};

LiveFigures liveFigures(const History& history, const FigureSpans& spans, SampleFilter filter,
                        TtftEdge edge, const ServiceTarget& target);

// True where a request is finished, a latency sample of its own kind and within the target.
bool meetsTarget(const RequestPoint& point, const ServiceTarget& target);

// How many more samples a quantile needs before its interval means something; 0: enough.
std::int64_t missingSamples(double quantile, std::int64_t n);

} // namespace app
