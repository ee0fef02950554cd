// Two runs side by side: differences with intervals and verdicts, settings that differ, what makes
// them hard to compare. Pure; any thread.
#pragma once

#include "app/compare/statistics.h"
#include "app/store/run_store.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace app {

// Same: the whole interval lies within 1 % of a's value. NotResolved: the interval holds zero, or
// there are too few values for one. None: nothing to judge.
enum class Verdict : std::uint8_t { Better, Worse, Same, NotResolved, None };
std::string_view name(Verdict verdict); // "better", "worse", "same", "not resolved", "none"

enum class Better : std::uint8_t { Lower, Higher };

// One measure: where its value comes from, how its interval is made, which direction is better.
struct Measure {
    std::string_view key;   // "ttft_p50_ms": JSON, CSV, scripts
    std::string_view label; // "TTFT p50": English, translated in context "measures"
    std::string_view unit;  // "ms", "tok/s", "req/s", "%", "MiB"
    Better better = Better::Lower;
    double quantile = 0.0; // of a latency; 0 for rates and levels
    // Least n for an interval: requests (latencies) or seconds (rates); 0: never one.
    std::int64_t leastCount() const;
};
std::span<const Measure> measures(); // in the order of every table
const Measure* findMeasure(std::string_view key);

struct ComparisonRow {
    std::string metric; // key of the measure
    std::string unit;
    std::optional<double> a, b, difference;
    std::optional<Interval> interval; // of b - a, 95 %
    Verdict verdict = Verdict::None;
    std::int64_t nA = 0, nB = 0; // requests, gaps, or seconds
};

struct SettingDifference {
    std::string field;
    std::string requestedA, effectiveA, requestedB, effectiveB;
};

struct Comparison {
    std::vector<ComparisonRow> rows;
    std::vector<SettingDifference> settings;
    std::int64_t equalSettings = 0;
    // Kinds: "sequential", "request_list_differs", "machine_differs", "model_differs",
    // "length_differs", "limits_differ", "prefix_hits", "interrupted", "incomplete".
    std::vector<std::string> cautions;
};

// Sequential runs: latencies by a bootstrap over requests, rates by one over blocks of seconds (of
// their difference where both ran the same request list), so drift between the runs is not excluded
// (caution "sequential"); each interval stands for itself. Goodput of both is counted within the
// limits of the first (caution "limits_differ").
Comparison compareRuns(const RunData& a, const RunData& b);
// The verdict of one row, b against a.
Verdict judge(const Measure& measure, std::optional<double> a,
              const std::optional<Interval>& interval);

// About how many more values per run a verdict would take, if it is not resolved and that can be
// said: the least count for an interval, else the width shrunk with the root of n.
std::optional<std::int64_t> moreNeeded(const ComparisonRow& row);

// The values of one run: what compareRuns and reports make intervals from.
struct MeasureValues {
    std::optional<double> value;
    std::vector<double> sorted;  // latencies, ascending
    std::vector<double> seconds; // rates: one value a whole second of the run
    Clusters clusters;           // gaps by request
    std::int64_t n = 0;
};
// Goodput within the limits of `limits`: those of another run, where two are compared.
MeasureValues valuesOf(const Measure& measure, const RunData& run, const RunInfo& limits);
MeasureValues valuesOf(const Measure& measure, const RunData& run);
// 95 % interval of the value itself.
std::optional<Interval> intervalOf(const Measure& measure, const MeasureValues& values);

} // namespace app
