// The chart table: every chart is a function from a History to a Plot; window, HTML and PDF draw
// the same rows.
#pragma once

#include "app/observe/history.h"
#include "app/plot/plot.h"
#include "engine/config.h"

#include <optional>
#include <span>
#include <string_view>

namespace app {

struct CurveCache;

// Lines that the operator set; absent ones are not drawn.
struct ChartLimits {
    std::optional<double> targetMs, level1Ms, level2Ms; // of TTFT
    double memoryPercent = 85.0;
    double busyFrom = 60.0, busyTo = 80.0; // the healthy range
};
// With the levels of degradation where it is not off, and the service target where there is one.
ChartLimits limitsOf(const engine::EngineConfig& config, double targetMs);

struct ChartRange {
    double from = 0.0, to = 60.0; // seconds of the run
    int maxPoints = 900;          // of one series: the plot's width in logical pixels
    double window = 30.0;         // rolling window of quantiles, seconds
    SampleFilter filter = SampleFilter::Warm;
    TtftEdge edge = TtftEdge::Scheduled; // of the TTFT chart; the ledger is from scheduled
    CurveCache* cache = nullptr;         // only over a history that stands still
    ChartLimits limits{};
};

struct ChartRow {
    std::string_view
        key; // "ttft", "throughput", "batch", "ledger", "kv", "memory", "process", "busy"
    Plot (*make)(const History&, const ChartRange&);
    bool isDefault = false;    // shown on the live page and in every report
    bool isOfRequests = false; // made from requests, else from samples
};
std::span<const ChartRow> chartTable();
const ChartRow* findChart(std::string_view key);

MarkerKind markerKind(const engine::Event& event);
Marker chartMarker(const HistoryMarker& marker);
// Markers of the history as chart markers, numbered in order of time.
std::vector<Marker> chartMarkers(const History& history);

// Two runs over each other: TTFT share of requests at or below (distribution), and TTFT over the
// run.
Plot overlayDistribution(const History& a, const QString& nameA, const History& b,
                         const QString& nameB);
Plot overlayTtft(const History& a, const QString& nameA, const History& b, const QString& nameB);

} // namespace app
