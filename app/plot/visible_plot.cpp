#include "app/plot/visible_plot.h"

#include "app/observe/request_row.h"
#include "app/plot/chart_parts.h"
#include "app/plot/plot_layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace app {

Plot visiblePlot(const Plot& plot, const QStringList& hiddenKeys) {
    Plot shown = plot;
    const auto isHidden = [&](const Series& series) { return hiddenKeys.contains(series.key); };
    if (std::ranges::none_of(plot.series, isHidden)) {
        return shown;
    }
    const auto isOfHidden = [&](const Band& band) {
        return std::ranges::any_of(plot.series, [&](const Series& series) {
            return isHidden(series) && series.color == band.color;
        });
    };
    std::erase_if(shown.bands, isOfHidden);
    std::erase_if(shown.series, isHidden);
    if (hasData(shown)) {
        parts::fitY(shown);
        // An axis with a bound of its own (percent of a whole) keeps it.
        shown.yMax = std::min(shown.yMax, plot.yMax);
    }
    return shown;
}

double presentX(const Plot& plot) {
    std::optional<double> newest;
    for (const Series& series : plot.series) {
        if (!series.points.empty() && (!newest || series.points.back().x() > *newest)) {
            newest = series.points.back().x();
        }
    }
    return newest ? std::min(*newest, plot.xMax) : plot.xMax;
}

namespace {

bool isUnsureAt(const Series& series, double x) {
    const auto after = std::ranges::upper_bound(series.points, x, {}, &QPointF::x);
    const auto at = static_cast<std::size_t>(after - series.points.begin());
    return at > 0 && at <= series.unsure.size() && series.unsure[at - 1];
}

} // namespace

LegendReading legendReading(const Plot& plot, double x) {
    LegendReading reading;
    const double scale = std::pow(10.0, plot.decimals);
    std::vector<double> stacked;
    for (const Series& series : plot.series) {
        std::optional<double> value = valueAt(series, x);
        if (value && series.kind == SeriesKind::Stack) {
            stacked.push_back(*value);
        } else if (value) {
            value = std::round(*value * scale) / scale;
        }
        reading.values.push_back({series.key, value, value && isUnsureAt(series, x)});
    }
    if (stacked.empty()) {
        return reading;
    }
    const std::vector<double> rounded = roundedParts(stacked, plot.decimals);
    std::size_t next = 0;
    for (std::size_t index = 0; index < plot.series.size(); ++index) {
        if (plot.series[index].kind == SeriesKind::Stack && reading.values[index].value) {
            reading.values[index].value = rounded[next++];
        }
    }
    if (plot.showsTotal) {
        reading.total = std::round(std::reduce(stacked.begin(), stacked.end()) * scale) / scale;
    }
    return reading;
}

} // namespace app
