#include "ui/widgets/paint.h"

#include "ui/theme.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace ui {

void paintBox(QPainter& painter, const QRectF& bounds, const QColor& fill, const QColor& border,
              double radius) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(border.alpha() > 0 ? QPen(border, 1.0) : QPen(Qt::NoPen));
    painter.setBrush(fill.alpha() > 0 ? QBrush(fill) : QBrush(Qt::NoBrush));
    const double inset = border.alpha() > 0 ? 0.5 : 0.0;
    painter.drawRoundedRect(bounds.adjusted(inset, inset, -inset, -inset), radius, radius);
}

void paintFocusRing(QPainter& painter, const QRectF& bounds, double radius) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color(ColorRole::Accent), 2.0));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(bounds.adjusted(1, 1, -1, -1), radius, radius);
}

double paintText(QPainter& painter, const QRectF& bounds, const QString& text, const QFont& font,
                 const QColor& color, Qt::Alignment alignment) {
    const QFontMetricsF metrics(font);
    const double wanted = metrics.horizontalAdvance(text);
    const bool fits = wanted <= bounds.width() + 0.5;
    painter.setFont(font);
    painter.setPen(color);
    painter.drawText(bounds, static_cast<int>(alignment) | Qt::TextSingleLine,
                     fits ? text : metrics.elidedText(text, Qt::ElideRight, bounds.width()));
    return std::min(wanted, bounds.width());
}

double textWidth(const QFont& font, const QString& text) {
    return QFontMetricsF(font).horizontalAdvance(text);
}

void paintMark(QPainter& painter, const QRectF& bounds) {
    const double unit = bounds.width() / 32.0;
    paintBox(painter, bounds, color(ColorRole::AccentTint),
             mix(color(ColorRole::Accent), color(ColorRole::AccentTint), 0.35), 7.0 * unit);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color(ColorRole::Accent));
    const auto bar = [&](double x, double y, double width, double height) {
        painter.drawRoundedRect(
            QRectF(bounds.x() + x * unit, bounds.y() + y * unit, width * unit, height * unit),
            1.4 * unit, 1.4 * unit);
    };
    bar(7.0, 8.5, 5.0, 15.0);
    bar(20.0, 8.5, 5.0, 15.0);
    bar(13.4, 14.7, 5.2, 2.6);
}

} // namespace ui
