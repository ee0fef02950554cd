#include "ui/widgets/interval_bar.h"

#include "ui/theme.h"

#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

void paintArrow(QPainter& painter, const QRectF& bounds, bool toTheRight, const QColor& fill) {
    const double tip = toTheRight ? bounds.right() : bounds.left();
    const double back = toTheRight ? tip - 5 : tip + 5;
    const double middle = bounds.center().y();
    QPainterPath path(QPointF(tip, middle));
    path.lineTo(back, middle - 5);
    path.lineTo(back, middle + 5);
    path.closeSubpath();
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawPath(path);
}

} // namespace

void paintIntervalBar(QPainter& painter, const QRectF& bounds, const RelativeInterval& interval,
                      double limit, const QColor& fill) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const double middle = bounds.center().x();
    const auto x = [&](double share) {
        return middle + std::clamp(share / limit, -1.0, 1.0) * bounds.width() / 2;
    };
    const QRectF axis(middle - 0.5, bounds.top(), 1.0, bounds.height());
    painter.fillRect(axis, color(ColorRole::Axis));
    const double end = x(interval.value);
    if (std::abs(end - middle) >= 0.5) {
        const double height = std::min(6.0, bounds.height());
        painter.fillRect(QRectF(QPointF(std::min(middle, end), bounds.center().y() - height / 2),
                                QSizeF(std::abs(end - middle), height)),
                         fill);
    }
    if (std::abs(interval.value) > limit) {
        paintArrow(painter, bounds, interval.value > 0.0, fill);
    } else if (interval.low && interval.high) {
        const double low = x(*interval.low), high = x(*interval.high);
        if (high - low > 1.5) {
            painter.setPen(QPen(color(ColorRole::Text2), 1));
            painter.drawLine(QPointF(low, bounds.center().y()), QPointF(high, bounds.center().y()));
            for (const double edge : {low, high}) {
                painter.drawLine(QPointF(edge, bounds.center().y() - 3),
                                 QPointF(edge, bounds.center().y() + 3));
            }
        }
    }
    painter.restore();
}

} // namespace ui
