#include "app/plot/chart_parts.h"

#include "app/plot/curve_cache.h"
#include "app/plot/decimate.h"
#include "app/plot/plot_layout.h"
#include "app/plot/rolling.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>

namespace app::parts {

namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
// Four points a second are finer than a window of seconds can move.
constexpr double kTtftStep = 0.25;

// Samples in range and one on either side, so that lines reach the edges.
std::pair<std::deque<Sample>::const_iterator, std::deque<Sample>::const_iterator>
samplesIn(const History& history, const ChartRange& range) {
    const auto& samples = history.samples();
    auto first = std::ranges::lower_bound(samples, range.from, {}, &Sample::seconds);
    auto last = std::ranges::upper_bound(samples, range.to, {}, &Sample::seconds);
    if (first != samples.begin()) {
        --first;
    }
    if (last != samples.end()) {
        ++last;
    }
    return {first, last};
}

} // namespace

QString text(const char* english) {
    return QCoreApplication::translate("charts", english);
}

Plot emptyPlot(const char* key, const QString& title, const QString& unit,
               const ChartRange& range) {
    Plot plot;
    plot.key = QLatin1String(key);
    plot.title = title;
    plot.unit = unit;
    plot.xMin = range.from;
    plot.xMax = range.to;
    plot.emptyText = text(QT_TRANSLATE_NOOP("charts", "No data in this span"));
    return plot;
}

std::vector<Marker> markersIn(const History& history, const ChartRange& range) {
    constexpr std::ptrdiff_t kMostWords = 200;
    const auto& all = history.markers();
    const auto first = std::ranges::lower_bound(all, range.from, {}, &HistoryMarker::seconds);
    const auto last = std::ranges::upper_bound(all, range.to, {}, &HistoryMarker::seconds);
    const bool hasWords = last - first <= kMostWords;
    std::vector<Marker> markers;
    for (auto marker = first; marker < last; ++marker) {
        markers.push_back(hasWords ? chartMarker(*marker)
                                   : Marker{.x = marker->seconds,
                                            .number = marker->number,
                                            .kind = markerKind(marker->event)});
    }
    return markers;
}

void fitY(Plot& plot) {
    double highest = 0.0;
    const auto consider = [&highest](const std::vector<QPointF>& points) {
        for (const QPointF& point : points) {
            if (std::isfinite(point.y())) {
                highest = std::max(highest, point.y());
            }
        }
    };
    for (const Series& series : plot.series) {
        consider(series.points);
    }
    consider(stackTotal(plot));
    // A threshold far above the data would flatten it.
    constexpr double kNear = 2.5;
    double bound = highest;
    for (const Threshold& threshold : plot.thresholds) {
        if (threshold.y <= kNear * highest) {
            bound = std::max(bound, threshold.y * 1.05);
        }
    }
    plot.yMax = niceTicks(bound).bound;
}

std::vector<QPointF> samplePoints(const History& history, const ChartRange& range,
                                  double (*value)(const Sample&)) {
    const double longest = history.grain().longest;
    const auto [first, last] = samplesIn(history, range);
    std::vector<QPointF> points;
    for (auto sample = first; sample != last; ++sample) {
        if (!points.empty() && sample->seconds - points.back().x() > longest) {
            points.emplace_back(points.back().x() + longest / 2.0, kGap);
        }
        points.emplace_back(sample->seconds, value(*sample));
    }
    return decimateExtremes(points,
                            {.from = range.from, .to = range.to, .maxPoints = range.maxPoints});
}

std::vector<QPointF> meanPoints(const History& history, const ChartRange& range,
                                double (*value)(const Sample&)) {
    const auto [usual, longest] = history.grain();
    const double width = std::max(1.0, (range.to - range.from) / std::max(2, range.maxPoints));
    const auto [first, last] = samplesIn(history, range);
    std::vector<QPointF> points;
    double sum = 0.0;
    double time = 0.0;
    double column = 0.0;
    double previous = kGap;
    const auto flush = [&] {
        // A column that has only begun would swing like the single samples do.
        if (time >= 0.5 * width) {
            points.emplace_back((column + 0.5) * width, sum / time);
        }
        sum = time = 0.0;
    };
    for (auto sample = first; sample != last; ++sample) {
        const double step = sample->seconds - previous; // NaN at the first
        if (step > longest) {
            flush();
            points.emplace_back(previous + longest / 2.0, kGap);
        }
        // A sample stands for the time before it.
        const double weight =
            step <= longest ? step : std::min(usual, std::max(sample->seconds, 0.1));
        const double index = std::floor((sample->seconds - weight / 2.0) / width);
        if (time > 0 && index != column) {
            flush();
        }
        column = index;
        sum += weight * value(*sample);
        time += weight;
        previous = sample->seconds;
    }
    flush();
    return points;
}

double ttftWindow(const History& history, const ChartRange& range) {
    return std::max(range.window, gridStep(range.from, std::min(range.to, history.endSeconds()),
                                           range.maxPoints, kTtftStep));
}

namespace {

// Quantiles of what `value` gives of each request in the window; NaN: it does not count.
template <class Value>
QuantileCurves rolling(const History& history, const ChartRange& range,
                       GridCache<QuantilePoint>* cache, Value value) {
    const double windowSeconds = ttftWindow(history, range);
    const auto& requests = history.requests();
    const double to = std::min(range.to, history.endSeconds());
    const std::vector<double> times = gridTimes(range.from, to, range.maxPoints, kTtftStep);
    const auto compute = [&](std::size_t begin, std::size_t end,
                             std::vector<QuantilePoint>& points) {
        RollingQuantiles window;
        auto entering = std::ranges::upper_bound(requests, times[begin] - windowSeconds, {},
                                                 &RequestPoint::seconds);
        auto leaving = entering;
        for (std::size_t i = begin; i < end; ++i) {
            for (; entering != requests.end() && entering->seconds <= times[i]; ++entering) {
                if (const double each = value(*entering); std::isfinite(each)) {
                    window.add(each);
                }
            }
            for (; leaving != entering && leaving->seconds <= times[i] - windowSeconds; ++leaving) {
                if (const double each = value(*leaving); std::isfinite(each)) {
                    window.remove(each);
                }
            }
            points[i] = {.p50 = window.quantile(0.50).value_or(kGap),
                         .p90 = window.quantile(0.90).value_or(kGap),
                         .p99 = window.quantile(0.99).value_or(kGap),
                         .count = window.count()};
        }
    };
    const CurveKey key{.step = gridStep(range.from, to, range.maxPoints, kTtftStep),
                       .window = windowSeconds,
                       .filter = range.filter,
                       .edge = range.edge};
    const std::vector<QuantilePoint> points = onGrid<QuantilePoint>(times, key, cache, compute);
    const std::int64_t least50 = leastCount(0.50);
    const std::int64_t least90 = leastCount(0.90);
    const std::int64_t least99 = leastCount(0.99);
    QuantileCurves curves;
    for (std::size_t i = 0; i < times.size(); ++i) {
        curves.p50.emplace_back(times[i], points[i].p50);
        curves.p90.emplace_back(times[i], points[i].p90);
        curves.p99.emplace_back(times[i], points[i].p99);
        curves.unsure50.push_back(points[i].count < least50);
        curves.unsure90.push_back(points[i].count < least90);
        curves.unsure99.push_back(points[i].count < least99);
    }
    return curves;
}

} // namespace

QuantileCurves rollingTtft(const History& history, const ChartRange& range) {
    return rolling(history, range, range.cache != nullptr ? &range.cache->ttft : nullptr,
                   [&range](const RequestPoint& request) {
                       return isLatencySample(request, range.filter) ? ttftMs(request, range.edge)
                                                                     : kGap;
                   });
}

// How late a request left has nothing to do with how it was answered: all of them count.
QuantileCurves rollingLag(const History& history, const ChartRange& range) {
    return rolling(
        history, range, range.cache != nullptr ? &range.cache->lag : nullptr,
        [](const RequestPoint& request) {
            return request.hasLedger
                       ? static_cast<double>(
                             request.ledgerMs[static_cast<std::size_t>(engine::Stage::Lag)])
                       : kGap;
        });
}

} // namespace app::parts
