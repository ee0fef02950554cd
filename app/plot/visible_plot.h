// A plot without the series that its reader hid, and what its legend says at one x. Pure; any
// thread.
#pragma once

#include "app/plot/plot.h"

#include <QStringList>

#include <optional>
#include <vector>

namespace app {

// Without the hidden series and the bands of their colour; the y axis fits what is left.
Plot visiblePlot(const Plot& plot, const QStringList& hiddenKeys);

// Where "now" is read: the end of the data, also where that is a gap; the right edge without data.
double presentX(const Plot& plot);

struct LegendValue {
    QString key;
    std::optional<double> value; // rounded to the plot's decimals
    bool isUnsure = false;       // too few samples for this quantile
};
struct LegendReading {
    std::vector<LegendValue> values; // in the order of the series
    std::optional<double> total;     // of the stacks where the plot shows a total
};
// Values at x. Stacked parts are rounded by the largest remainder, so that they add up to the total
// as shown.
LegendReading legendReading(const Plot& plot, double x);

} // namespace app
