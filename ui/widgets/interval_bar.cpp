#include "ui/widgets/interval_bar.h"

#include "app/labels.h"
#include "ui/theme.h"

#include <QPainterPath>

#include <algorithm>
#include <array>
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

double intervalScale(const std::vector<RelativeInterval>& intervals) {
    constexpr std::array kScales = {0.05, 0.1, 0.2, 0.5, 1.0, 2.0};
    double most = 0.0;
    for (const RelativeInterval& interval : intervals) {
        for (const double edge : {interval.value, interval.low.value_or(interval.value),
                                  interval.high.value_or(interval.value)}) {
            most = std::max(most, std::abs(edge));
        }
    }
    const auto* scale = std::ranges::lower_bound(kScales, most);
    return scale != kScales.end() ? *scale : kScales.back();
}

QString intervalScaleText(double scale) {
    const QString percent = app::numberText(100.0 * scale);
    return QStringLiteral("−%1 % … 0 … +%1 %").arg(percent);
}

void paintIntervalBar(QPainter& painter, const QRectF& bounds, const RelativeInterval& interval,
                      double limit, const QColor& fill) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const double middle = bounds.center().x();
    const double y = bounds.center().y();
    // A dot at the end of the scale stays whole.
    const double half = bounds.width() / 2 - 5;
    const auto x = [&](double share) {
        return middle + std::clamp(share / limit, -1.0, 1.0) * half;
    };
    painter.fillRect(QRectF(middle - 0.5, bounds.top(), 1.0, bounds.height()),
                     color(ColorRole::Axis));
    if (interval.low && interval.high) {
        const double low = x(*interval.low), high = x(*interval.high);
        painter.setPen(QPen(fill, 2.0, Qt::SolidLine, Qt::RoundCap));
        painter.drawLine(QPointF(low, y), QPointF(std::max(high, low + 0.5), y));
    }
    if (std::abs(interval.value) > limit) {
        paintArrow(painter, bounds, interval.value > 0.0, fill);
    } else {
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        painter.drawEllipse(QPointF(x(interval.value), y), 3.5, 3.5);
    }
    painter.restore();
}

} // namespace ui
