#include "app/labels.h"
#include "app/plot/plot_layout.h"
#include "ui/charts/overlay.h"
#include "ui/charts/overlay_metrics.h"
#include "ui/widgets/paint.h"

#include <QCoreApplication>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

QPen dashed(const QColor& color, std::initializer_list<double> pattern) {
    QPen pen(color, 1.0, Qt::CustomDashLine, Qt::FlatCap);
    pen.setDashPattern(QList<qreal>(pattern.begin(), pattern.end()));
    return pen;
}

// Exactly on a pixel, or a line of 1 px is two grey ones.
double crisp(double x) {
    return std::floor(x) + 0.5;
}

} // namespace

void Overlay::paintStill(QPainter& painter) const {
    painter.setRenderHint(QPainter::Antialiasing);
    paintAxisLabels(painter);
    paintThresholds(painter);
    paintMarkers(painter);
    paintNotes(painter);
}

void Overlay::paintMoving(QPainter& painter) const {
    painter.setRenderHint(QPainter::Antialiasing);
    paintTitle(painter);
    if (m_selection) {
        const double left = std::max(m_area.left(), m_scale.x(m_selection->first));
        const double right = std::min(m_area.right(), m_scale.x(m_selection->second));
        if (right > left) {
            painter.fillRect(QRectF(left, m_area.top(), right - left, m_area.height()),
                             color(ColorRole::Accent, 0.08));
            painter.setPen(QPen(color(ColorRole::Accent), 1.0));
            for (const double x : {left, right}) {
                painter.drawLine(QPointF(crisp(x), m_area.top()),
                                 QPointF(crisp(x), m_area.bottom()));
            }
        }
    }
    if (m_crosshair && *m_crosshair >= m_shown->xMin && *m_crosshair <= m_shown->xMax) {
        paintCrosshair(painter);
    }
}

void Overlay::paintTitle(QPainter& painter) const {
    const QRectF row(overlay::kSide, overlay::kTitleMiddle - 9.0,
                     m_size.width() - 2 * overlay::kSide, 18.0);
    paintText(painter, row, m_all->title, overlay::titleFont(), color(ColorRole::Text1));
    paintText(painter, m_unit.adjusted(0, 0.5, 1.0, 0.5), m_shown->unit, overlay::captionFont(),
              color(ColorRole::Text3));
    const app::LegendReading reading = app::legendReading(*m_all, readingX());
    if (reading.total) {
        const QString word = QCoreApplication::translate("Chart", "total");
        const QRectF total(row.right() - m_totalWidth, row.top(), m_totalWidth, row.height());
        paintText(painter, total, word, overlay::legendFont(true), color(ColorRole::Text2));
        paintText(painter, total, valueText(reading.total), overlay::valueFont(true),
                  color(ColorRole::Text1), Qt::AlignRight | Qt::AlignVCenter);
    }
    for (std::size_t index = 0; index < m_legend.size(); ++index) {
        const Entry& entry = m_legend[index];
        const double opacity = entry.isHidden ? 0.35 : 1.0;
        QRectF bounds = entry.bounds;
        const bool isStack = entry.series->kind == app::SeriesKind::Stack;
        const double middle = bounds.center().y();
        painter.setPen(Qt::NoPen);
        painter.setBrush(color(entry.series->color, opacity));
        painter.drawRoundedRect(isStack ? QRectF(bounds.left(), middle - 4.0, 8.0, 8.0)
                                        : QRectF(bounds.left(), middle - 1.0, 11.0, 2.5),
                                1.0, 1.0);
        bounds.setLeft(bounds.left() + (isStack ? overlay::kStackMark : overlay::kLineMark));
        const double name =
            paintText(painter, bounds, entry.series->name, overlay::legendFont(m_isLegendBeside),
                      color(ColorRole::Text2, opacity));
        if (!entry.isHidden) {
            bounds.setLeft(bounds.left() + name + 5.0);
            paintText(painter, bounds.adjusted(0, 0, 4, 0), valueText(reading.values[index].value),
                      overlay::valueFont(m_isLegendBeside),
                      color(reading.values[index].isUnsure ? ColorRole::Text3 : ColorRole::Text1));
        }
    }
}

void Overlay::paintAxisLabels(QPainter& painter) const {
    const QColor ink = color(ColorRole::Text3);
    for (const app::AxisLabel& label : app::yLabels(*m_shown)) {
        const double y = m_scale.y(label.value);
        paintText(painter, QRectF(0, y - 8.0, m_area.left() - 6.0, 16.0), label.text,
                  overlay::captionFont(), ink, Qt::AlignRight | Qt::AlignVCenter);
    }
    for (const app::AxisLabel& label : app::xLabels(*m_shown, m_area.width())) {
        const double x = m_scale.x(label.value);
        painter.fillRect(QRectF(std::floor(x), m_area.bottom(), 1.0, 4.0), color(ColorRole::Axis));
        const double width = textWidth(overlay::captionFont(), label.text);
        // The first and last label stay inside the card.
        const double left =
            std::clamp(x - width / 2.0, 4.0, std::max(4.0, m_size.width() - width - 4.0));
        paintText(painter, QRectF(left, m_area.bottom() + 4.0, width + 1.0, 16.0), label.text,
                  overlay::captionFont(), ink);
    }
}

void Overlay::paintThresholds(QPainter& painter) const {
    for (const app::Threshold& threshold : m_shown->thresholds) {
        if (threshold.y > m_shown->yMax) {
            continue;
        }
        const double y = crisp(m_scale.y(threshold.y));
        painter.setPen(dashed(color(threshold.color), {1.5, 2.5}));
        painter.drawLine(QPointF(m_area.left(), y), QPointF(m_area.right(), y));
        const double below = y - 17.0 < m_area.top() ? 2.0 : -17.0;
        paintText(painter, QRectF(m_area.left(), y + below, m_area.width() - 6.0, 16.0),
                  threshold.name, overlay::captionFont(), color(threshold.color),
                  Qt::AlignRight | Qt::AlignVCenter);
    }
}

void Overlay::paintMarkers(QPainter& painter) const {
    for (const app::Marker& marker : m_shown->markers) {
        if (marker.x < m_shown->xMin || marker.x > m_shown->xMax) {
            continue;
        }
        painter.setPen(dashed(color(app::markerColor(marker.kind)), {4.0, 3.0}));
        const double x = crisp(m_scale.x(marker.x));
        painter.drawLine(QPointF(x, m_area.top() - 3.0), QPointF(x, m_area.bottom()));
    }
    for (const PinBox& pin : m_pins) {
        paintBox(painter, pin.bounds, color(pin.color), Qt::transparent, radius::kPin);
        paintText(painter, pin.bounds, pin.label, overlay::pinFont(), color(ColorRole::Card),
                  Qt::AlignCenter);
        if (!pin.beside.isEmpty() && m_showsPinTexts) {
            paintText(painter,
                      QRectF(pin.bounds.right() + 4.0, pin.bounds.top() - 1.0,
                             m_area.right() - pin.bounds.right(), 16.0),
                      pin.beside, overlay::captionFont(), color(ColorRole::Text2));
        }
    }
}

void Overlay::paintNotes(QPainter& painter) const {
    if (const auto note = app::unsureNote(*m_shown)) {
        const double y = std::max(m_area.top(), m_scale.y(note->at.y()) - 20.0);
        paintText(painter, QRectF(m_scale.x(note->at.x()) + 2.0, y, 80.0, 16.0), note->text,
                  overlay::captionFont(), color(ColorRole::Text3));
    }
    for (const app::Shade& shade : m_shown->shades) {
        const double right = m_scale.x(shade.from) - 4.0;
        paintText(painter, QRectF(m_area.left(), m_area.center().y(), right - m_area.left(), 16.0),
                  shade.name, overlay::captionFont(), color(ColorRole::Text2),
                  Qt::AlignRight | Qt::AlignVCenter);
    }
    if (!app::hasData(*m_shown) && !m_shown->emptyText.isEmpty()) {
        paintText(painter, m_area, m_shown->emptyText, overlay::legendFont(true),
                  color(ColorRole::Text3), Qt::AlignCenter);
    }
}

void Overlay::paintCrosshair(QPainter& painter) const {
    const double x = m_scale.x(*m_crosshair);
    painter.setPen(QPen(color(ColorRole::Crosshair), 1.0));
    painter.drawLine(QPointF(crisp(x), m_area.top()), QPointF(crisp(x), m_area.bottom()));
    painter.setPen(QPen(color(ColorRole::Card), 1.0));
    double stacked = 0.0;
    bool hasStack = false;
    const auto dot = [&](double value, const QColor& fill) {
        painter.setBrush(fill);
        painter.drawEllipse(QPointF(crisp(x), m_scale.y(value)), 3.5, 3.5);
    };
    for (const app::Series& series : m_shown->series) {
        const auto value = app::valueAt(series, *m_crosshair);
        if (!value) {
            continue;
        }
        if (series.kind == app::SeriesKind::Stack) {
            stacked += *value;
            hasStack = true;
        } else {
            dot(*value, color(series.color));
        }
    }
    if (hasStack) {
        dot(stacked, color(ColorRole::Text1));
    }
    const QString time = m_shown->xAxis == app::XAxis::RunTime ? app::runTimeText(*m_crosshair)
                                                               : app::numberText(*m_crosshair, 1);
    const double width = textWidth(overlay::valueFont(true), time) + 12.0;
    const QRectF box(std::clamp(x - width / 2.0, 2.0, m_size.width() - width - 2.0),
                     m_area.bottom() + 3.0, width, 17.0);
    for (const app::AxisLabel& label : app::xLabels(*m_shown, m_area.width())) {
        const double half = textWidth(overlay::captionFont(), label.text) / 2.0 + 1.0;
        const double middle = m_scale.x(label.value);
        if (middle + half > box.left() - 4.0 && middle - half < box.right() + 4.0) {
            painter.fillRect(QRectF(middle - half, m_area.bottom() + 1.0, 2 * half, 19.0),
                             color(ColorRole::Card));
        }
    }
    paintBox(painter, box, color(ColorRole::Crosshair), Qt::transparent, radius::kPin);
    paintText(painter, box, time, overlay::valueFont(true), color(ColorRole::Card),
              Qt::AlignCenter);
}

} // namespace ui
