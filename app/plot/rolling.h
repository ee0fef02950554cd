// What moves along a run with a window: quantiles of many values, and where a curve has its points.
// Pure; one thread an object.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace app {

// Quantiles of a changing set of positive values in constant time a change: log-linear buckets,
// relative error <= 0.2 %. A window of 100,000 requests is as cheap as one of ten.
class RollingQuantiles {
public:
    RollingQuantiles();
    void add(double value);
    void remove(double value); // one that was added
    std::int64_t count() const { return m_count; }
    std::optional<double> quantile(double q) const; // empty when there is no value

private:
    static constexpr int kSubBits = 8; // 256 buckets an octave
    static constexpr int kCoarse = 64; // buckets summed for the search
    static std::size_t bucket(double value);

    std::int64_t m_count = 0;
    std::vector<std::int32_t> m_fine;
    std::vector<std::int32_t> m_sums;
};

// x of a curve's points: fixed multiples of a step of at least `least`, at most `maxPoints` over
// the span, from the first multiple at or after `from`; `to` itself last.
std::vector<double> gridTimes(double from, double to, int maxPoints, double least);
double gridStep(double from, double to, int maxPoints, double least); // that step

} // namespace app
