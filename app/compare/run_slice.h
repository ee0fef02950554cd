// A part of a run as a run of its own, and a run cut in two at a time: what a selected span and a
// split are measured by. Pure; any thread.
#pragma once

#include "app/compare/comparison.h"

#include <optional>
#include <utility>

namespace app {

// Times count from `from`. Latencies are those of requests that arrived and ended within; tokens
// and ends count by their own time, whoever asked for them, so that the parts of a run add up.
RunData sliceRun(const RunData& run, double from, double to);

// What a split leaves out and what else lies in its sides, told beside every figure of it.
struct SplitFacts {
    double from = 0.0, at = 0.0, to = 0.0; // seconds of the run
    double settleSeconds = 0.0;            // left out after the cut: old and new mix
    std::int64_t inFlight = 0;             // requests that the cut parts: in no side's latencies
    std::int64_t otherChanges = 0;         // of settings or arrivals, inside a side
};

struct RunSplit {
    RunData before, after;
    SplitFacts facts;
};
// Within `span`, else the whole run. Refused where a side would be shorter than a second.
engine::Result<RunSplit> splitRun(const RunData& run, double at,
                                  std::optional<std::pair<double, double>> span = {});
// Like two runs in sequence; never second by second, for the arrivals of the sides differ. Cautions
// "split", "split_in_flight", "split_changes" stand in place of those about two runs.
Comparison compareSides(const RunSplit& split);

} // namespace app
