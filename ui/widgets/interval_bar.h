// A relative difference as a dot with its interval as a whisker, on one scale a table: one look for
// every comparison. UI thread.
#pragma once

#include <QColor>
#include <QPainter>
#include <QRectF>
#include <QString>

#include <optional>
#include <vector>

namespace ui {

struct RelativeInterval { // shares of side A: -0.9 is ninety per cent less
    double value = 0.0;
    std::optional<double> low, high;
};

// The scale of a table: the smallest of 5, 10, 20, 50, 100 and 200 % that all of it fits into; what
// lies beyond 200 % is cut.
double intervalScale(const std::vector<RelativeInterval>& intervals);
// "−20 % … 0 … +20 %"
QString intervalScaleText(double scale);

// `limit` is the share at the ends of the scale; what lies beyond is cut and marked by an arrow
// head.
void paintIntervalBar(QPainter& painter, const QRectF& bounds, const RelativeInterval& interval,
                      double limit, const QColor& fill);

} // namespace ui
