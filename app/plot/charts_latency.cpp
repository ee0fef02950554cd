// The charts of quantiles of requests: TTFT, and how late they left.
#include "app/labels.h"
#include "app/plot/chart_parts.h"

#include <algorithm>
#include <cmath>

namespace app::parts {

namespace {

// "level 1 at 800 ms"; two that are the same line say both.
void addLimits(Plot& plot, const ChartLimits& limits) {
    const auto add = [&plot](std::optional<double> at, ColorRole color, const QString& name) {
        if (!at) {
            return;
        }
        const auto same = std::ranges::find(plot.thresholds, *at, &Threshold::y);
        if (same != plot.thresholds.end()) {
            same->name = name + QStringLiteral(" · ") + same->name;
            return;
        }
        plot.thresholds.push_back(
            {.y = *at,
             .color = color,
             .name = text(QT_TRANSLATE_NOOP("charts", "%1 at %2 ms")).arg(name, numberText(*at))});
    };
    add(limits.targetMs, ColorRole::Text2, text(QT_TRANSLATE_NOOP("charts", "target")));
    add(limits.level1Ms, ColorRole::Warn, text(QT_TRANSLATE_NOOP("charts", "level 1")));
    add(limits.level2Ms, ColorRole::Bad, text(QT_TRANSLATE_NOOP("charts", "level 2")));
}

// "p90": drawn unsure where there are too few samples for it.
Series quantileSeries(int percent, ColorRole color, double width, std::vector<QPointF> points,
                      std::vector<bool> unsure) {
    const QString name = QStringLiteral("p%1").arg(percent);
    return {.key = name,
            .name = name,
            .color = color,
            .width = width,
            .points = std::move(points),
            .unsure = std::move(unsure),
            .unsureLabel = QStringLiteral("n < %1").arg(leastCount(percent / 100.0))};
}

} // namespace

Plot ttftChart(const History& history, const ChartRange& range) {
    Plot plot = emptyPlot("ttft", text(QT_TRANSLATE_NOOP("charts", "TTFT")),
                          text(QT_TRANSLATE_NOOP("charts", "ms · rolling %1 s"))
                              .arg(std::llround(ttftWindow(history, range))),
                          range);
    QuantileCurves curves = rollingTtft(history, range);
    plot.bands = {
        {.color = ColorRole::TtftP90, .opacity = 0.16, .lower = curves.p50, .upper = curves.p90},
        {.color = ColorRole::TtftP99, .opacity = 0.10, .lower = curves.p90, .upper = curves.p99}};
    plot.series = {quantileSeries(50, ColorRole::TtftP50, 2.0, std::move(curves.p50),
                                  std::move(curves.unsure50)),
                   quantileSeries(90, ColorRole::TtftP90, Series{}.width, std::move(curves.p90),
                                  std::move(curves.unsure90)),
                   quantileSeries(99, ColorRole::TtftP99, 2.0, std::move(curves.p99),
                                  std::move(curves.unsure99))};
    addLimits(plot, range.limits);
    fitY(plot);
    plot.markers = markersIn(history, range);
    return plot;
}

Plot lagChart(const History& history, const ChartRange& range) {
    Plot plot = emptyPlot("lag", text(QT_TRANSLATE_NOOP("charts", "Schedule lag")),
                          text(QT_TRANSLATE_NOOP("charts", "ms late · rolling %1 s"))
                              .arg(std::llround(ttftWindow(history, range))),
                          range);
    QuantileCurves curves = rollingLag(history, range);
    plot.decimals = 1;
    plot.series = {quantileSeries(50, ColorRole::TtftP50, 2.0, std::move(curves.p50),
                                  std::move(curves.unsure50)),
                   quantileSeries(99, ColorRole::TtftP99, 2.0, std::move(curves.p99),
                                  std::move(curves.unsure99))};
    fitY(plot);
    plot.markers = markersIn(history, range);
    return plot;
}

} // namespace app::parts
