// What the blocks of an experiment say: each measure with its interval and verdict, and the claim
// beside what was measured. Paired t over rounds, Holm over measures. Pure; any thread.
#pragma once

#include "app/experiment/block.h"

#include <optional>
#include <string>
#include <vector>

namespace app {

struct MeasureVerdict {
    std::string metric;
    double a = 0.0, b = 0.0;          // means over rounds
    double difference = 0.0;          // b - a
    std::optional<Interval> interval; // of the difference, 95 %
    std::optional<double> p;          // Holm over the table
    Verdict verdict = Verdict::NotResolved;
    std::int64_t nA = 0, nB = 0;
    bool isThin = false;           // a block has too few requests for this quantile
    std::optional<int> moreBlocks; // about, of both sides together
};

// NotStated: there is no figure to hold it against. Modelled: the measure is a model's, no verdict.
enum class ClaimVerdict : std::uint8_t {
    Holds,
    DoesNotHold,
    NotResolved,
    NotStated,
    Modelled,
    Needs,
    NotRun
};
std::string_view name(ClaimVerdict verdict); // "holds", "does not hold", ...

struct ClaimResult {
    ClaimVerdict verdict = ClaimVerdict::NotRun;
    std::optional<double> measured;
    std::optional<Interval> interval;
    std::optional<double> withoutMarked; // the same without contaminated rounds
    std::string need;                    // of Needs
    std::int64_t n = 0;                  // requests, loads, levels
    std::optional<int> moreBlocks;
};

// One swept value.
struct Level {
    std::string label;
    double x = 0.0;
    std::optional<double> mean;
    std::optional<Interval> interval;
    std::int64_t n = 0;
};

struct ExperimentVerdict {
    std::vector<MeasureVerdict> measures; // of A against B; empty for sweeps and one side
    std::vector<Level> levels;            // of a sweep, or the one side
    ClaimResult claim;
    int wholeRounds = 0;
    int markedBlocks = 0;
    std::optional<double> drift; // of the metric over side A, percent of its mean, first to last
};

ExperimentVerdict evaluate(const Experiment& experiment, const std::vector<Block>& blocks);
ClaimVerdict judgeClaim(const Claim& claim, const std::optional<Interval>& interval);
// Whether the stop rule is met: enough rounds, and an interval narrow enough.
bool mayStop(const Experiment& experiment, const ExperimentVerdict& verdict);
// The unit of the claimed figure: "%", "×", "ms per 1k tok" ...
std::string claimUnit(const Experiment& experiment);
// About how many more pairs would resolve a mean difference; empty where it can't be said.
std::optional<int> morePairs(std::span<const double> differences);

} // namespace app
