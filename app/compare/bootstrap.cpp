// The resampling half of statistics.h.
#include "app/compare/statistics.h"
#include "app/observe/history.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace app {

namespace {

using Random = std::mt19937_64;

// Uniform in [0, count) for counts below 2^32; the bias is below count / 2^32.
std::size_t draw(Random& random, std::size_t count) {
    return static_cast<std::size_t>(((random() >> 32) * count) >> 32);
}

std::optional<Interval> percentiles(std::vector<double>& statistics) {
    std::ranges::sort(statistics);
    return Interval{*quantile(statistics, 0.025), *quantile(statistics, 0.975)};
}

// A resample of sorted values, sorted, without sorting it: how often each was drawn is enough.
void resample(std::span<const double> sorted, Random& random, std::vector<std::uint32_t>& times,
              std::vector<double>& out) {
    times.assign(sorted.size(), 0);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        ++times[draw(random, sorted.size())];
    }
    out.clear();
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        out.insert(out.end(), times[i], sorted[i]);
    }
}

std::vector<double> sortedCopy(std::span<const double> values) {
    std::vector<double> copy(values.begin(), values.end());
    std::ranges::sort(copy);
    return copy;
}

// The type-7 quantile of one resample. Of n uniform draws the k-th smallest is Beta(k, n - k + 1),
// and given it, the next is the smallest of the n - k draws above it.
class ResampledQuantile {
public:
    ResampledQuantile(std::span<const double> sorted, double q) : m_sorted(sorted) {
        const double position = q * static_cast<double>(sorted.size() - 1);
        m_k = std::floor(position) + 1;
        m_part = position - std::floor(position);
        m_low = std::gamma_distribution<double>(m_k);
        m_high = std::gamma_distribution<double>(static_cast<double>(sorted.size()) - m_k + 1);
    }

    double operator()(Random& random) {
        const double low = m_low(random);
        const double share = low / (low + m_high(random));
        const double above = static_cast<double>(m_sorted.size()) - m_k;
        if (m_part == 0 || above < 1) {
            return at(share);
        }
        const double uniform = std::generate_canonical<double, 53>(random);
        const double next = share + (1 - share) * (1 - std::pow(1 - uniform, 1 / above));
        return std::lerp(at(share), at(next), m_part);
    }

private:
    double at(double share) const {
        const auto index = static_cast<std::size_t>(share * static_cast<double>(m_sorted.size()));
        return m_sorted[std::min(index, m_sorted.size() - 1)];
    }

    std::span<const double> m_sorted;
    double m_k = 1, m_part = 0;
    std::gamma_distribution<double> m_low, m_high;
};

// The quantile of all values where each cluster counts as often as it was drawn.
double clusterQuantile(const Clusters& clusters, double q, Random& random,
                       std::vector<std::uint32_t>& times) {
    times.assign(clusters.sizes.size(), 0);
    std::uint64_t total = 0;
    while (total == 0) { // only clusters without values may have been drawn
        for (std::size_t i = 0; i < clusters.sizes.size(); ++i) {
            const std::size_t drawn = draw(random, clusters.sizes.size());
            ++times[drawn];
            total += clusters.sizes[drawn];
        }
    }
    // Quantiles are asked near the top: walk down from there.
    const auto above =
        static_cast<std::uint64_t>((1 - q) * static_cast<double>(total)); // values to pass
    std::uint64_t passed = 0;
    for (auto value = clusters.values.rbegin(); value != clusters.values.rend(); ++value) {
        passed += times[value->second];
        if (passed > above) {
            return value->first;
        }
    }
    return clusters.values.front().first;
}

double resampledMean(std::span<const double> series, Random& random) {
    const std::size_t n = series.size();
    const auto block = static_cast<std::size_t>(std::lround(std::cbrt(static_cast<double>(n))));
    double sum = 0;
    for (std::size_t taken = 0; taken < n;) {
        const std::size_t start = draw(random, n);
        for (std::size_t i = 0; i < block && taken < n; ++i, ++taken) {
            sum += series[(start + i) % n];
        }
    }
    return sum / static_cast<double>(n);
}

constexpr std::size_t kLeastSeconds = 10;

// A day of seconds says no more about its mean than two thousand averages of it, and takes forever.
std::vector<double> shortened(std::span<const double> series) {
    constexpr std::size_t kMost = 2000;
    const std::size_t group = (series.size() + kMost - 1) / kMost;
    std::vector<double> means;
    for (std::size_t from = 0; from + group <= series.size(); from += group) {
        const auto part = series.subspan(from, group);
        means.push_back(std::reduce(part.begin(), part.end()) / static_cast<double>(group));
    }
    return means;
}

} // namespace

std::optional<Interval>
bootstrapDifference(std::span<const double> a, std::span<const double> b,
                    const std::function<double(std::span<const double> sorted)>& statistic,
                    int resamples, std::uint64_t seed) {
    if (a.empty() || b.empty() || resamples < 1) {
        return std::nullopt;
    }
    const std::vector<double> sortedA = sortedCopy(a), sortedB = sortedCopy(b);
    Random random(seed);
    std::vector<std::uint32_t> times;
    std::vector<double> drawn, differences;
    for (int i = 0; i < resamples; ++i) {
        resample(sortedA, random, times, drawn);
        const double ofA = statistic(drawn);
        resample(sortedB, random, times, drawn);
        differences.push_back(statistic(drawn) - ofA);
    }
    return percentiles(differences);
}

std::optional<Interval> bootstrapQuantileDifference(std::span<const double> sortedA,
                                                    std::span<const double> sortedB, double q,
                                                    int resamples, std::uint64_t seed) {
    const auto least = static_cast<std::size_t>(leastCount(q));
    if (sortedA.size() < least || sortedB.size() < least || resamples < 1) {
        return std::nullopt;
    }
    Random random(seed);
    ResampledQuantile ofA(sortedA, q), ofB(sortedB, q);
    std::vector<double> differences;
    for (int i = 0; i < resamples; ++i) {
        const double a = ofA(random);
        differences.push_back(ofB(random) - a);
    }
    return percentiles(differences);
}

std::optional<Interval> bootstrapClusterDifference(const Clusters& a, const Clusters& b, double q,
                                                   int resamples, std::uint64_t seed) {
    const auto least = static_cast<std::size_t>(leastCount(q));
    if (a.sizes.size() < least || b.sizes.size() < least || a.values.empty() || b.values.empty() ||
        resamples < 1) {
        return std::nullopt;
    }
    Random random(seed);
    std::vector<std::uint32_t> times;
    std::vector<double> differences;
    for (int i = 0; i < resamples; ++i) {
        const double ofA = clusterQuantile(a, q, random, times);
        differences.push_back(clusterQuantile(b, q, random, times) - ofA);
    }
    return percentiles(differences);
}

std::optional<Interval> bootstrapMeanDifference(std::span<const double> a,
                                                std::span<const double> b, int resamples,
                                                std::uint64_t seed) {
    if (a.size() < kLeastSeconds || b.size() < kLeastSeconds || resamples < 1) {
        return std::nullopt;
    }
    const std::vector<double> shortA = shortened(a), shortB = shortened(b);
    Random random(seed);
    std::vector<double> differences;
    for (int i = 0; i < resamples; ++i) {
        const double ofA = resampledMean(shortA, random);
        differences.push_back(resampledMean(shortB, random) - ofA);
    }
    return percentiles(differences);
}

std::optional<Interval> bootstrapMean(std::span<const double> series, int resamples,
                                      std::uint64_t seed) {
    if (series.size() < kLeastSeconds || resamples < 1) {
        return std::nullopt;
    }
    const std::vector<double> shortSeries = shortened(series);
    Random random(seed);
    std::vector<double> means;
    for (int i = 0; i < resamples; ++i) {
        means.push_back(resampledMean(shortSeries, random));
    }
    return percentiles(means);
}

} // namespace app
