// paintPlot: title, legend, axes, thresholds and pins around the data.
#include "app/labels.h"
#include "app/plot/plot_layout.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace app {

namespace {

QFont sized(const QPainter& painter, double pixels, QFont::Weight weight = QFont::Normal) {
    QFont font = painter.font();
    font.setPixelSize(static_cast<int>(pixels));
    font.setWeight(weight);
    return font;
}

void drawText(QPainter& painter, const QPointF& at, const QString& text, const QColor& ink,
              const QFont& font) {
    painter.setFont(font);
    painter.setPen(ink);
    painter.drawText(at, text);
}

void paintHead(QPainter& painter, const Plot& plot, const PlotLayout& layout, const QRectF& bounds,
               ThemeKind theme) {
    const QFont title = sized(painter, 13, QFont::DemiBold);
    const QFont caption = sized(painter, 11);
    const QFont strong = sized(painter, 11, QFont::DemiBold);
    drawText(painter, {bounds.left(), layout.titleBaseline}, plot.title,
             color(theme, ColorRole::Text1), title);
    const double unitX = bounds.left() + QFontMetricsF(title).horizontalAdvance(plot.title) + 8.0;
    drawText(painter, {unitX, layout.titleBaseline}, plot.unit, color(theme, ColorRole::Text3),
             caption);
    for (const LegendEntry& entry : layout.legend) {
        const QRectF mark = entry.isBlock ? QRectF(entry.x, entry.y - 8.0, 8.0, 8.0)
                                          : QRectF(entry.x, entry.y - 5.0, 10.0, 2.0);
        painter.fillRect(mark, color(theme, entry.color));
        const double nameX = entry.x + 14.0;
        drawText(painter, {nameX, entry.y}, entry.name, color(theme, ColorRole::Text2), caption);
        drawText(painter,
                 {nameX + QFontMetricsF(caption).horizontalAdvance(entry.name) + 5.0, entry.y},
                 entry.value, color(theme, ColorRole::Text1), strong);
    }
}

void paintAxes(QPainter& painter, const Plot& plot, const PlotScale& scale, ThemeKind theme) {
    const QRectF& area = scale.area;
    const QFont caption = sized(painter, 11);
    const QFontMetricsF metrics(caption);
    const QColor ink = color(theme, ColorRole::Text3);
    for (const AxisLabel& label : yLabels(plot)) {
        const double y = std::round(scale.y(label.value));
        painter.fillRect(QRectF(area.left(), y, area.width(), 1.0),
                         color(theme, label.value == 0 ? ColorRole::Axis : ColorRole::Grid));
        drawText(painter, {area.left() - 6.0 - metrics.horizontalAdvance(label.text), y + 4.0},
                 label.text, ink, caption);
    }
    for (const AxisLabel& label : xLabels(plot, area.width())) {
        const double x = scale.x(label.value);
        painter.fillRect(QRectF(std::round(x), area.bottom(), 1.0, 4.0),
                         color(theme, ColorRole::Axis));
        drawText(painter, {x - metrics.horizontalAdvance(label.text) / 2.0, area.bottom() + 16.0},
                 label.text, ink, caption);
    }
}

void paintThresholds(QPainter& painter, const Plot& plot, const PlotScale& scale, ThemeKind theme) {
    const QFont caption = sized(painter, 11);
    for (const Threshold& threshold : plot.thresholds) {
        if (threshold.y > plot.yMax) {
            continue;
        }
        const double y = scale.y(threshold.y);
        QPen pen(color(theme, threshold.color), 1.0, Qt::CustomDashLine);
        pen.setDashPattern({1.5, 2.5});
        painter.setPen(pen);
        painter.drawLine(QPointF(scale.area.left(), y), QPointF(scale.area.right(), y));
        const double width = QFontMetricsF(caption).horizontalAdvance(threshold.name);
        drawText(painter, {scale.area.right() - width - 6.0, y - 5.0}, threshold.name,
                 color(theme, threshold.color), caption);
    }
}

void paintMarkers(QPainter& painter, const Plot& plot, const PlotLayout& layout,
                  const PlotScale& scale, ThemeKind theme) {
    const QFont caption = sized(painter, 11);
    const QFont pinFont = sized(painter, 10, QFont::DemiBold);
    for (const Marker& marker : plot.markers) {
        if (marker.x < plot.xMin || marker.x > plot.xMax) {
            continue;
        }
        QPen pen(color(theme, markerColor(marker.kind)), 1.0, Qt::CustomDashLine);
        pen.setDashPattern({4.0, 3.0});
        painter.setPen(pen);
        const double x = scale.x(marker.x);
        painter.drawLine(QPointF(x, layout.pinTop + 14.0), QPointF(x, scale.area.bottom()));
    }
    for (const Pin& pin : pins(plot, scale)) {
        const double width =
            std::max(14.0, QFontMetricsF(pinFont).horizontalAdvance(pin.label) + 7.0);
        const QRectF box(pin.x - width / 2.0, layout.pinTop, width, 14.0);
        painter.setPen(Qt::NoPen);
        painter.setBrush(color(theme, markerColor(pin.kind)));
        painter.drawRoundedRect(box, 3.0, 3.0);
        painter.setBrush(Qt::NoBrush);
        painter.setFont(pinFont);
        painter.setPen(color(theme, ColorRole::Card));
        painter.drawText(box, Qt::AlignCenter, pin.label);
        const double textWidth = QFontMetricsF(caption).horizontalAdvance(pin.text);
        if (width + 4.0 + textWidth <= pin.room) {
            drawText(painter, {box.right() + 4.0, layout.pinTop + 11.0}, pin.text,
                     color(theme, ColorRole::Text2), caption);
        }
    }
}

// Names of shaded spans stand above the area, where pins would; a span that is too narrow stays
// without.
void paintShadeNames(QPainter& painter, const Plot& plot, const PlotLayout& layout,
                     const PlotScale& scale, ThemeKind theme) {
    const QFont face = sized(painter, 10, QFont::DemiBold);
    for (const Shade& shade : plot.shades) {
        const double left = scale.x(std::max(shade.from, plot.xMin));
        const double right = scale.x(std::min(shade.to, plot.xMax));
        if (shade.name.isEmpty()) {
            continue;
        }
        // Where the whole name has no room, what comes before its figure.
        QString name = shade.name;
        double wanted = QFontMetricsF(face).horizontalAdvance(name) + 8.0;
        if (right - left < wanted) {
            name = name.section(QStringLiteral(" · "), 0, 0);
            wanted = QFontMetricsF(face).horizontalAdvance(name) + 8.0;
        }
        if (right - left < wanted) {
            continue;
        }
        const QRectF box((left + right - wanted) / 2.0, layout.pinTop, wanted, 14.0);
        painter.setPen(Qt::NoPen);
        painter.setBrush(color(theme, shade.color));
        painter.drawRoundedRect(box, 3.0, 3.0);
        painter.setBrush(Qt::NoBrush);
        painter.setFont(face);
        painter.setPen(color(theme, ColorRole::Card));
        painter.drawText(box, Qt::AlignCenter, name);
    }
}

void paintUnsureNote(QPainter& painter, const Plot& plot, const PlotScale& scale, ThemeKind theme) {
    if (const auto note = unsureNote(plot)) {
        drawText(
            painter,
            {scale.x(note->at.x()), std::max(scale.area.top() + 10.0, scale.y(note->at.y()) - 8.0)},
            note->text, color(theme, ColorRole::Text3), sized(painter, 11));
    }
}

} // namespace

void paintPlot(QPainter& painter, const Plot& plot, const QRectF& bounds, ThemeKind theme) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    const auto width = [&painter](const QString& text, double pixels) {
        const auto weight = pixels > 12.0 ? QFont::DemiBold : QFont::Normal;
        return QFontMetricsF(sized(painter, pixels, weight)).horizontalAdvance(text);
    };
    const PlotLayout layout = plotLayout(plot, bounds, LegendValues::Newest, width);
    const PlotScale scale = plotScale(plot, layout.area);
    paintHead(painter, plot, layout, bounds, theme);
    paintAxes(painter, plot, scale, theme);
    paintData(painter, plot, scale, theme);
    paintThresholds(painter, plot, scale, theme);
    paintShadeNames(painter, plot, layout, scale, theme);
    paintMarkers(painter, plot, layout, scale, theme);
    paintUnsureNote(painter, plot, scale, theme);
    if (!hasData(plot) && !plot.emptyText.isEmpty()) {
        painter.setFont(sized(painter, 12));
        painter.setPen(color(theme, ColorRole::Text3));
        painter.drawText(layout.area, Qt::AlignCenter, plot.emptyText);
    }
    painter.restore();
}

} // namespace app
