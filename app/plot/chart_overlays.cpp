// Two runs over each other.
#include "app/plot/chart_parts.h"
#include "app/plot/charts.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace app {

namespace {

using parts::text;

std::vector<double> sortedTtft(const History& history) {
    std::vector<double> values;
    for (const RequestPoint& request : history.requests()) {
        if (isLatencySample(request, SampleFilter::Warm)) {
            values.push_back(request.ttftMs);
        }
    }
    std::ranges::sort(values);
    return values;
}

// The share at or below each value, as steps; one step a column is all that can be seen.
Series distribution(const std::vector<double>& sorted, const QString& key, const QString& name,
                    ColorRole role, double xMax) {
    Series series{.key = key, .name = name, .color = role, .kind = SeriesKind::Step, .width = 2.0};
    if (sorted.empty()) {
        return series;
    }
    constexpr std::size_t kMostSteps = 900;
    const std::size_t stride = std::max<std::size_t>(1, sorted.size() / kMostSteps);
    const auto percent = [&sorted](std::size_t count) {
        return 100.0 * static_cast<double>(count) / static_cast<double>(sorted.size());
    };
    series.points.emplace_back(0.0, 0.0);
    for (std::size_t i = stride - 1; i < sorted.size(); i += stride) {
        series.points.emplace_back(sorted[i], percent(i + 1));
    }
    if (series.points.back().y() < 100.0) {
        series.points.emplace_back(sorted.back(), 100.0);
    }
    if (sorted.back() < xMax) {
        series.points.emplace_back(xMax, 100.0);
    }
    return series;
}

void addRun(Plot& plot, const History& history, const ChartRange& range, const QString& side,
            const QString& name, ColorRole role) {
    parts::QuantileCurves curves = parts::rollingTtft(history, range);
    plot.series.push_back({.key = side + QStringLiteral("_p50"),
                           .name = name + QStringLiteral(" p50"),
                           .color = role,
                           .width = 1.5,
                           .points = std::move(curves.p50),
                           .unsure = std::move(curves.unsure50)});
    plot.series.push_back({.key = side + QStringLiteral("_p99"),
                           .name = name + QStringLiteral(" p99"),
                           .color = role,
                           .width = 2.5,
                           .points = std::move(curves.p99),
                           .unsure = std::move(curves.unsure99),
                           .unsureLabel = QStringLiteral("n < %1").arg(leastCount(0.99))});
}

} // namespace

Plot overlayDistribution(const History& a, const QString& nameA, const History& b,
                         const QString& nameB) {
    const std::vector<double> sideA = sortedTtft(a);
    const std::vector<double> sideB = sortedTtft(b);
    // The last percent of a tail would squeeze everything else to the left.
    const auto shown = [](const std::vector<double>& sorted) {
        if (sorted.empty()) {
            return 0.0;
        }
        const auto rank = static_cast<std::size_t>(0.99 * static_cast<double>(sorted.size() - 1));
        return std::min(sorted.back(), 1.25 * sorted[rank]);
    };
    const Ticks ticks = niceTicks(std::max(shown(sideA), shown(sideB)));
    ChartRange range;
    range.from = 0.0;
    range.to = ticks.bound;
    Plot plot = parts::emptyPlot(
        "overlay_distribution",
        text(QT_TRANSLATE_NOOP("charts", "Share of requests with this TTFT or less")),
        text(QT_TRANSLATE_NOOP("charts", "% over ms")), range);
    plot.xAxis = XAxis::Number;
    plot.yMax = 100.0;
    plot.decimals = 1;
    plot.series = {
        distribution(sideA, QStringLiteral("a"), nameA, ColorRole::SideA, range.to),
        distribution(sideB, QStringLiteral("b"), nameB, ColorRole::SideB, range.to),
    };
    return plot;
}

Plot overlayTtft(const History& a, const QString& nameA, const History& b, const QString& nameB) {
    ChartRange range;
    range.from = 0.0;
    range.to = std::max({1.0, a.endSeconds(), b.endSeconds()});
    Plot plot = parts::emptyPlot(
        "overlay_ttft", text(QT_TRANSLATE_NOOP("charts", "TTFT over the run")),
        text(QT_TRANSLATE_NOOP("charts", "ms · rolling %1 s")).arg(std::llround(range.window)),
        range);
    addRun(plot, a, range, QStringLiteral("a"), nameA, ColorRole::SideA);
    addRun(plot, b, range, QStringLiteral("b"), nameB, ColorRole::SideB);
    parts::fitY(plot);
    return plot;
}

} // namespace app
