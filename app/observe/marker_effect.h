// What followed a marker: TTFT before and after it, with an interval. Two spans one after the
// other, so drift is not excluded. Pure; any thread.
#pragma once

#include "app/compare/comparison.h"
#include "app/observe/history.h"

#include <optional>
#include <vector>

namespace app {

// The latencies on both sides of a marker. Cheap: taken on the thread that owns the history.
struct MarkerSpans {
    std::vector<double> beforeMs, afterMs;
    bool isFinal = false; // no later request can join
};

// Up to a minute before the marker and after it, but not across a neighbouring marker, and without
// the first two seconds after it, in which old and new mix.
MarkerSpans markerSpans(const History& history, std::size_t markerIndex, SampleFilter filter);

struct MarkerEffect {
    double beforeMs = 0.0, afterMs = 0.0; // medians
    Interval difference;                  // of after - before, 95 %, bootstrap over requests
    std::int64_t nBefore = 0, nAfter = 0;
    Verdict verdict = Verdict::NotResolved;
};
// Empty while a side has fewer than 30 requests. A few milliseconds: off the UI thread.
std::optional<MarkerEffect> markerEffect(const MarkerSpans& spans);

} // namespace app
