// A relative difference as a bar from the middle, with its interval as a line: one look for every
// comparison. UI thread.
#pragma once

#include <QColor>
#include <QPainter>
#include <QRectF>

#include <optional>

namespace ui {

struct RelativeInterval { // shares of side A: -0.9 is ninety per cent less
    double value = 0.0;
    std::optional<double> low, high;
};

// `limit` is the share at the ends of the scale; what lies beyond is cut and marked by an arrow
// head.
void paintIntervalBar(QPainter& painter, const QRectF& bounds, const RelativeInterval& interval,
                      double limit, const QColor& fill);

} // namespace ui
