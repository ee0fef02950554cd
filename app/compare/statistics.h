// Intervals and tests for measurements. Pure; no Qt. Definitions and sources in the comments of
// each function.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace app {

struct Interval {
    double low = 0.0, high = 0.0;
};

// Distribution-free two-sided 95 % interval of a quantile from order statistics; empty below
// leastCount(q).
std::optional<Interval> quantileInterval(std::span<const double> sorted, double q);
// Exact sample quantile, linear between order statistics (type 7). Empty for no values.
std::optional<double> quantile(std::span<const double> sorted, double q);
// Percentile bootstrap of statistic(b) - statistic(a) over independent resamples; deterministic in
// seed.
std::optional<Interval>
bootstrapDifference(std::span<const double> a, std::span<const double> b,
                    const std::function<double(std::span<const double> sorted)>& statistic,
                    int resamples = 1000, std::uint64_t seed = 1);
// Paired t interval of the mean of differences; empty below 4 pairs.
std::optional<Interval> pairedInterval(std::span<const double> differences);
// Two-sided p value of the Mann-Whitney U test, normal approximation with tie correction.
std::optional<double> mannWhitney(std::span<const double> a, std::span<const double> b);
// Holm's step-down adjusted p values, in the order given.
std::vector<double> holm(std::span<const double> p);

} // namespace app
