// Claims against intervals, when to stop, how many more blocks it takes. See verdict.h.
#include "app/experiment/verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace app {

namespace {

constexpr double kTail = 0.025;
constexpr int kMostPairs = 400; // beyond, nobody waits for it

double meanOf(std::span<const double> values) {
    return std::reduce(values.begin(), values.end()) / static_cast<double>(values.size());
}

} // namespace

std::string_view name(ClaimVerdict verdict) {
    constexpr std::array<std::string_view, 7> kNames = {
        "holds", "does not hold", "not resolved", "measured", "modelled", "needs", "not run"};
    return kNames[static_cast<std::size_t>(verdict)];
}

ClaimVerdict judgeClaim(const Claim& claim, const std::optional<Interval>& interval) {
    if (claim.kind == ClaimKind::None) {
        return ClaimVerdict::NotStated;
    }
    if (!interval) {
        return ClaimVerdict::NotResolved;
    }
    double low = -HUGE_VAL, high = HUGE_VAL;
    if (claim.kind == ClaimKind::AtLeast) {
        low = claim.value;
    } else if (claim.kind == ClaimKind::AtMost) {
        high = claim.value;
    } else if (claim.kind == ClaimKind::Within) {
        low = claim.value;
        high = claim.high;
    } else {
        const double margin = kAboutShare * std::abs(claim.value);
        low = claim.value - margin;
        high = claim.value + margin;
    }
    if (interval->low >= low && interval->high <= high) {
        return ClaimVerdict::Holds;
    }
    return interval->high < low || interval->low > high ? ClaimVerdict::DoesNotHold
                                                        : ClaimVerdict::NotResolved;
}

std::optional<int> morePairs(std::span<const double> differences) {
    const auto n = static_cast<int>(differences.size());
    if (n < kLeastRounds) {
        return kLeastRounds - n;
    }
    const double mean = meanOf(differences);
    double squares = 0;
    for (const double difference : differences) {
        squares += (difference - mean) * (difference - mean);
    }
    const double deviation = std::sqrt(squares / (n - 1));
    // The half width falls with every pair, so the first that is narrow enough is found by halving.
    const auto isResolved = [&](int pairs) {
        return studentQuantile(1 - kTail, pairs - 1) * deviation / std::sqrt(pairs) <
               std::abs(mean);
    };
    int few = n, enough = kMostPairs;
    if (isResolved(few) || !isResolved(enough)) {
        return std::nullopt;
    }
    while (enough - few > 1) {
        const int middle = (few + enough) / 2;
        (isResolved(middle) ? enough : few) = middle;
    }
    return enough - n;
}

bool mayStop(const Experiment& experiment, const ExperimentVerdict& verdict) {
    const ClaimResult& claim = verdict.claim;
    if (experiment.stopAt <= 0 || verdict.wholeRounds < kLeastRounds || !claim.interval ||
        !claim.measured) {
        return false;
    }
    // A change of -3 % known to within a percent point is known well: what counts is the ratio.
    const double base = experiment.statistic == Statistic::Change ? 100 + *claim.measured
                                                                  : std::abs(*claim.measured);
    return (claim.interval->high - claim.interval->low) / 2 <= experiment.stopAt * base;
}

std::string claimUnit(const Experiment& experiment) {
    const Measure* measure = findExperimentMeasure(experiment.metric);
    const std::string unit(measure != nullptr ? measure->unit : std::string_view());
    switch (experiment.statistic) {
    case Statistic::Change:
        return "%";
    case Statistic::Ratio:
        return "×";
    case Statistic::Difference:
    case Statistic::Level:
        return unit;
    case Statistic::Slope:
        return experiment.sweepKey == "workload.prompt" ? unit + " per 1k tok" : unit;
    case Statistic::Best:
    case Statistic::Crossing:
        break;
    }
    if (experiment.sweepKey == "workload.rate") {
        return "req/s";
    }
    const engine::Field* field = engine::findField(experiment.sweepKey);
    return field != nullptr ? std::string(field->unit) : std::string();
}

} // namespace app
