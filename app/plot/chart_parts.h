// What the chart functions share: pieces of a history as points, quantile curves, bounds. Private
// to charts*.cpp.
#pragma once

#include "app/plot/charts.h"

namespace app::parts {

// A chart's name in the chosen language.
QString text(const char* english);

Plot emptyPlot(const char* key, const QString& title, const QString& unit, const ChartRange& range);
// The markers of the span. Where they are many their pins are counts: they have no words then,
// which every chart of a day would make ten times a second.
std::vector<Marker> markersIn(const History& history, const ChartRange& range);
// Sets yMax to a nice bound over every line, stack and threshold that is close enough to matter.
void fitY(Plot& plot);

// One value of each sample in range; a gap where nothing was measured for a while.
std::vector<QPointF> samplePoints(const History& history, const ChartRange& range,
                                  double (*value)(const Sample&));
// Means over whole seconds (or wider columns), each sample weighted with the time it stands for:
// ten samples a second of a rate are steps of the engine, not throughput.
std::vector<QPointF> meanPoints(const History& history, const ChartRange& range,
                                double (*value)(const Sample&));

// Rolling quantiles of TTFT: p50, p90, p99 at the same x, with flags where n is too small.
struct QuantileCurves {
    std::vector<QPointF> p50, p90, p99;
    std::vector<bool> unsure50, unsure90, unsure99;
};
// Its window: the one that was asked for, no shorter than the step between two points, so that a
// view of days leaves no request out.
double ttftWindow(const History& history, const ChartRange& range);
QuantileCurves rollingTtft(const History& history, const ChartRange& range);
// The same of how late requests left: received − scheduled.
QuantileCurves rollingLag(const History& history, const ChartRange& range);

// Rows of the chart table.
Plot ttftChart(const History& history, const ChartRange& range);
Plot lagChart(const History& history, const ChartRange& range);

} // namespace app::parts
