// Points of curves that were computed before, at multiples of a step: a view that moves over a
// history that stands still computes only what comes into sight. Owned by who shows one run; one
// thread.
#pragma once

#include "app/observe/history.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace app {

// What the points depend on besides the history.
struct CurveKey {
    double step = 0.0;
    double window = 0.0;
    SampleFilter filter = SampleFilter::Warm;
    TtftEdge edge = TtftEdge::Scheduled;
};

template <class Point>
class GridCache {
public:
    static constexpr std::size_t kMostPoints = 100'000; // a hundred pictures

    // Forgets what was computed for another step, window or choice of samples.
    void begin(const CurveKey& key) {
        // Steps of one zoom differ by rounding from place to place.
        const bool isSame = std::abs(key.step - m_key.step) <= 1e-9 * key.step &&
                            key.window == m_key.window && key.filter == m_key.filter &&
                            key.edge == m_key.edge;
        if (!isSame || m_points.size() > kMostPoints) {
            m_points.clear();
        }
        m_key = key;
    }
    const Point* find(std::int64_t index) const {
        const auto found = m_points.find(index);
        return found == m_points.end() ? nullptr : &found->second;
    }
    void put(std::int64_t index, const Point& point) { m_points[index] = point; }
    std::size_t size() const { return m_points.size(); }

private:
    CurveKey m_key;
    std::unordered_map<std::int64_t, Point> m_points;
};

struct QuantilePoint {
    double p50 = 0.0, p90 = 0.0, p99 = 0.0;
    std::int64_t count = 0;
};
inline constexpr std::size_t kLedgerCurves = 5;
using LedgerPoint = std::array<double, kLedgerCurves>;

struct CurveCache {
    GridCache<QuantilePoint> ttft, lag;
    GridCache<LedgerPoint> ledger;
};

// The points at `times`: multiples of the key's step, and a last one that is none. `compute` fills
// a piece [begin, end) of them; it is called once a gap of the cache, or once for all without one.
template <class Point, class Compute>
std::vector<Point> onGrid(const std::vector<double>& times, const CurveKey& key,
                          GridCache<Point>* cache, Compute compute) {
    std::vector<Point> points(times.size());
    if (cache != nullptr) {
        cache->begin(key);
    }
    const auto indexOf = [&](std::size_t i) {
        return static_cast<std::int64_t>(std::llround(times[i] / key.step));
    };
    const auto known = [&](std::size_t i) {
        return cache != nullptr && i + 1 < times.size() ? cache->find(indexOf(i)) : nullptr;
    };
    for (std::size_t i = 0; i < times.size();) {
        if (const Point* point = known(i)) {
            points[i++] = *point;
            continue;
        }
        std::size_t end = i + 1;
        while (end < times.size() && known(end) == nullptr) {
            ++end;
        }
        compute(i, end, points);
        for (; i < end; ++i) {
            if (cache != nullptr && i + 1 < times.size()) {
                cache->put(indexOf(i), points[i]);
            }
        }
    }
    return points;
}

} // namespace app
