// Intervals and tests for measurements. Pure; no Qt. Definitions and sources in the comments of
// each function. Values are finite.
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

// Distribution-free two-sided 95 % interval of a quantile from order statistics: the number of
// values below the quantile is binomial(n, q). Equal tails where the sample is long enough, else
// the extremes do what they can; empty below leastCount(q).
std::optional<Interval> quantileInterval(std::span<const double> sorted, double q);
// Exact sample quantile, linear between order statistics (type 7 of Hyndman and Fan 1996). Empty
// for no values.
std::optional<double> quantile(std::span<const double> sorted, double q);

// Percentile bootstrap of statistic(b) - statistic(a) over independent resamples; deterministic in
// seed. O(resamples * n).
std::optional<Interval>
bootstrapDifference(std::span<const double> a, std::span<const double> b,
                    const std::function<double(std::span<const double> sorted)>& statistic,
                    int resamples = 1000, std::uint64_t seed = 1);
// The same for a quantile in O(resamples): the k-th smallest of a resample is the original's value
// at a Beta(k, n - k + 1) share of its length. Empty where either side is below leastCount(q).
std::optional<Interval> bootstrapQuantileDifference(std::span<const double> sortedA,
                                                    std::span<const double> sortedB, double q,
                                                    int resamples = 2000, std::uint64_t seed = 1);

// Values that belong together in clusters: the gaps between the tokens of one request.
struct Clusters {
    std::vector<std::pair<double, std::uint32_t>> values; // value, its cluster; ascending
    std::vector<std::uint32_t> sizes;                     // values of each cluster
};
// Quantile of all values, resampling whole clusters: values of one request resemble each other, so
// resampling them one by one would pretend to know more. Empty below leastCount(q) clusters.
std::optional<Interval> bootstrapClusterDifference(const Clusters& a, const Clusters& b, double q,
                                                   int resamples = 1000, std::uint64_t seed = 1);

// Difference of the means of two series in time (a value a second), by a circular block bootstrap
// with blocks of n^(1/3) values (Politis and Romano 1992): neighbouring seconds resemble each
// other. Empty below 10 values on either side.
std::optional<Interval> bootstrapMeanDifference(std::span<const double> a,
                                                std::span<const double> b, int resamples = 2000,
                                                std::uint64_t seed = 1);
// The mean of one such series.
std::optional<Interval> bootstrapMean(std::span<const double> series, int resamples = 2000,
                                      std::uint64_t seed = 1);

// Paired t interval of the mean of differences; empty below 4 pairs.
std::optional<Interval> pairedInterval(std::span<const double> differences);
// Two-sided p value of the same paired t test; empty below 4 pairs, 0 or 1 where nothing varies.
std::optional<double> pairedP(std::span<const double> differences);
// Quantile of Student's t distribution.
double studentQuantile(double p, double degreesOfFreedom);
// Two-sided p value of the Mann-Whitney U test, normal approximation with tie and continuity
// correction. Empty without values on either side; 1 where all values are equal.
std::optional<double> mannWhitney(std::span<const double> a, std::span<const double> b);
// Holm's step-down adjusted p values, in the order given.
std::vector<double> holm(std::span<const double> p);

} // namespace app
