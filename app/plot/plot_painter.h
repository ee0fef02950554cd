// Draws the data of a Plot with a QPainter: the window's charts, PNG and PDF share it. Qt Gui only;
// any thread with a paint device of its own.
#pragma once

#include "app/plot/plot.h"

#include <QRectF>

#include <cmath>

class QPainter;

namespace app {

// Maps data to the plot area.
struct PlotScale {
    QRectF area;
    double xMin = 0, xMax = 1, yMax = 1;
    double yLogMin = 0; // above 0: a logarithmic axis that begins there
    double x(double value) const {
        return area.left() + (value - xMin) / (xMax - xMin) * area.width();
    }
    double y(double value) const {
        // Below its beginning a logarithmic axis has no place; NaN stays a gap.
        const double share = yLogMin > 0 ? std::log((value < yLogMin ? yLogMin : value) / yLogMin) /
                                               std::log(yMax / yLogMin)
                                         : value / yMax;
        return area.bottom() - share * area.height();
    }
    double valueX(double pixel) const {
        return xMin + (pixel - area.left()) / area.width() * (xMax - xMin);
    }
};
PlotScale plotScale(const Plot& plot, const QRectF& area);

// Shades, bands, areas, stacks and lines, clipped to the area. Lines piece by piece, areas
// not antialiased.
void paintData(QPainter& painter, const Plot& plot, const PlotScale& scale, ThemeKind theme);
// Everything of a stand-alone picture in `bounds`: title, legend, grid, ticks, data, markers.
void paintPlot(QPainter& painter, const Plot& plot, const QRectF& bounds, ThemeKind theme);

} // namespace app
