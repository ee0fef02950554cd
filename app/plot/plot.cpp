#include "app/plot/plot.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace app {

Ticks niceTicks(double maximum) {
    if (!std::isfinite(maximum) || maximum <= 0 || maximum > 1e15) {
        maximum = maximum > 1e15 && std::isfinite(maximum) ? 1e15 : 1.0;
    }
    // A hair less, so that 0.3 / 0.1 does not ask for a fourth step.
    const auto stepsFor = [maximum](double step) { return std::ceil(maximum / step - 1e-9); };
    double decade = std::pow(10.0, std::floor(std::log10(maximum)) - 1.0);
    constexpr int kMostSteps = 5;
    Ticks ticks;
    ticks.step = decade;
    for (int exponent = 0; exponent < 3 && stepsFor(ticks.step) > kMostSteps; ++exponent) {
        for (const double factor : {1.0, 2.0, 5.0}) {
            ticks.step = factor * decade;
            if (stepsFor(ticks.step) <= kMostSteps) {
                break;
            }
        }
        decade *= 10.0;
    }
    ticks.bound = ticks.step * stepsFor(ticks.step);
    ticks.decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(ticks.step) - 1e-9)));
    return ticks;
}

bool canBeLogarithmic(const Plot& plot) {
    return !plot.series.empty() && std::ranges::all_of(plot.series, [](const Series& series) {
        return series.kind == SeriesKind::Line;
    }) && plot.unit.startsWith(QStringLiteral("ms"));
}

Plot logarithmic(Plot plot) {
    double least = std::numeric_limits<double>::infinity(), greatest = 0.0;
    for (const Series& series : plot.series) {
        for (const QPointF& point : series.points) {
            if (std::isfinite(point.y()) && point.y() > 0 && point.x() >= plot.xMin &&
                point.x() <= plot.xMax) {
                least = std::min(least, point.y());
                greatest = std::max(greatest, point.y());
            }
        }
    }
    if (!(greatest > 0)) {
        return plot;
    }
    // To the next of 1, 2, 5 outwards, and a decade at least.
    const auto bound = [](double value, bool isUp) {
        const double decade = std::pow(10.0, std::floor(std::log10(value)));
        double best = isUp ? 10.0 * decade : decade;
        for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
            const double candidate = factor * decade;
            if (isUp ? candidate >= value * (1.0 - 1e-9) && candidate < best
                     : candidate <= value * (1.0 + 1e-9) && candidate > best) {
                best = candidate;
            }
        }
        return best;
    };
    plot.yLogMin = bound(least, false);
    plot.yMax = std::max(bound(greatest, true), 10.0 * plot.yLogMin);
    plot.unit += QStringLiteral(" · ") + QCoreApplication::translate("charts", "logarithmic axis");
    return plot;
}

double timeTickStep(double spanSeconds, int wanted) {
    constexpr std::array<double, 18> kSteps = {
        1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400, 604800};
    const double least = spanSeconds / std::max(1, wanted);
    const auto* step = std::ranges::find_if(kSteps, [least](double s) { return s >= least; });
    return step != kSteps.end() ? *step : std::ceil(least / kSteps.back()) * kSteps.back();
}

QString runTimeText(double seconds) {
    if (!std::isfinite(seconds)) {
        return {};
    }
    const auto total = std::llround(std::abs(seconds));
    const QString sign = seconds < 0 && total > 0 ? QStringLiteral("\u2212") : QString();
    const auto two = [](long long value) {
        return QStringLiteral("%1").arg(value, 2, 10, QLatin1Char('0'));
    };
    if (total < 3600) {
        return sign + two(total / 60) + QLatin1Char(':') + two(total % 60);
    }
    return sign + QString::number(total / 3600) + QLatin1Char(':') + two(total / 60 % 60) +
           QLatin1Char(':') + two(total % 60);
}

std::optional<double> valueAt(const Series& series, double x) {
    const auto& points = series.points;
    const auto after = std::ranges::upper_bound(points, x, {}, &QPointF::x);
    if (after == points.begin()) {
        return std::nullopt;
    }
    const QPointF& before = *(after - 1);
    const auto finite = [](double y) { return std::isfinite(y) ? std::optional(y) : std::nullopt; };
    if (before.x() == x || (series.kind == SeriesKind::Step && after != points.end())) {
        return finite(before.y());
    }
    if (after == points.end()) {
        return std::nullopt;
    }
    const double part = (x - before.x()) / (after->x() - before.x());
    return finite(before.y() + part * (after->y() - before.y()));
}

} // namespace app
