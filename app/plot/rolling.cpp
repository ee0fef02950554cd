#include "app/plot/rolling.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace app {

namespace {

// Octaves from 2^-20 (a nanosecond in ms) to 2^30 (12 days in ms).
constexpr int kLowestExponent = -20;
constexpr int kHighestExponent = 30;

double bucketMiddle(std::size_t index, int subBits) {
    const auto octave = static_cast<int>(index >> subBits) + kLowestExponent;
    const double part = (static_cast<double>(index & ((1U << subBits) - 1)) + 0.5) /
                        static_cast<double>(1U << subBits);
    return std::ldexp(1.0 + part, octave);
}

} // namespace

RollingQuantiles::RollingQuantiles() {
    const auto octaves = static_cast<std::size_t>(kHighestExponent - kLowestExponent + 1);
    m_fine.resize(octaves << kSubBits);
    m_sums.resize(m_fine.size() / kCoarse);
}

std::size_t RollingQuantiles::bucket(double value) {
    const double held =
        std::clamp(value, std::ldexp(1.0, kLowestExponent), std::ldexp(1.999, kHighestExponent));
    // Exponent and first bits of the fraction are the bucket's number as they stand.
    const auto bits = std::bit_cast<std::uint64_t>(held) >> (52 - kSubBits);
    constexpr std::uint64_t kBias = static_cast<std::uint64_t>(1023 + kLowestExponent) << kSubBits;
    return static_cast<std::size_t>(bits - kBias);
}

void RollingQuantiles::add(double value) {
    const std::size_t index = bucket(value);
    ++m_fine[index];
    ++m_sums[index / kCoarse];
    ++m_count;
}

void RollingQuantiles::remove(double value) {
    const std::size_t index = bucket(value);
    --m_fine[index];
    --m_sums[index / kCoarse];
    --m_count;
}

std::optional<double> RollingQuantiles::quantile(double q) const {
    if (m_count == 0) {
        return std::nullopt;
    }
    // The order statistic nearest to the rank.
    auto left = static_cast<std::int64_t>(std::llround(q * static_cast<double>(m_count - 1)));
    std::size_t coarse = 0;
    while (left >= m_sums[coarse]) {
        left -= m_sums[coarse++];
    }
    std::size_t index = coarse * kCoarse;
    while (left >= m_fine[index]) {
        left -= m_fine[index++];
    }
    return bucketMiddle(index, kSubBits);
}

double gridStep(double from, double to, int maxPoints, double least) {
    return std::max(least, (to - from) / std::max(2, maxPoints - 1));
}

std::vector<double> gridTimes(double from, double to, int maxPoints, double least) {
    std::vector<double> times;
    if (!(to > from)) {
        return times;
    }
    const double step = gridStep(from, to, maxPoints, least);
    const double first = std::ceil(from / step);
    for (double k = first; k * step < to; k += 1.0) {
        times.push_back(k * step);
    }
    times.push_back(to);
    return times;
}

} // namespace app
