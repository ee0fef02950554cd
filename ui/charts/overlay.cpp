#include "ui/charts/overlay.h"

#include "app/labels.h"
#include "app/plot/plot_layout.h"
#include "ui/charts/overlay_metrics.h"
#include "ui/widgets/paint.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

// Legend values keep the width of the widest they are likely to have, or the row would dance.
double stableWidth(const QString& text, bool isBeside) {
    QString widest = text;
    for (QChar& character : widest) {
        character = character.isDigit() ? QChar(u'0') : character;
    }
    return textWidth(overlay::valueFont(isBeside), widest);
}

} // namespace

void Overlay::layOut(const app::Plot& all, const app::Plot& shown, const QStringList& hidden,
                     QSizeF size, double leastLeft) {
    m_all = &all;
    m_shown = &shown;
    m_size = size;
    m_legend.clear();
    for (const app::Series& series : all.series) {
        m_legend.push_back({.series = &series, .isHidden = hidden.contains(series.key)});
    }
    double labels = 24.0;
    for (const app::AxisLabel& label : app::yLabels(shown)) {
        labels = std::max(labels, textWidth(overlay::captionFont(), label.text));
    }
    // In steps, so that the plot of a growing axis does not creep.
    m_neededLeft = overlay::kSide + std::ceil((labels + 7.0) / 8.0) * 8.0 - 6.0;
    const double left = std::max(m_neededLeft, leastLeft);
    m_area = QRectF(left, 0, std::max(1.0, size.width() - left - overlay::kSide), 1);
    m_scale = app::plotScale(shown, m_area);
    layOutLegend();
    const double top = m_headBottom + overlay::kPinRow;
    m_area = QRectF(left, std::round(top), m_area.width(),
                    std::max(1.0, std::round(size.height() - overlay::kLabelRow - top)));
    m_scale = app::plotScale(shown, m_area);
    layOutPins();
}

void Overlay::setCrosshair(std::optional<double> x) {
    m_crosshair = x;
    if (m_all != nullptr) {
        placeLegend(); // its values have other widths now; its rows stay
    }
}

void Overlay::layOutLegend() {
    m_isLegendBeside = true;
    placeLegend();
    const double title = overlay::kSide + textWidth(overlay::titleFont(), m_all->title) + 10.0 +
                         textWidth(overlay::captionFont(), m_shown->unit) + 14.0;
    const bool fits = m_legend.empty() || m_legend.front().bounds.left() >= title;
    if (m_totalWidth > 0.0 || !fits) {
        m_isLegendBeside = false;
    }
    placeUnit();
    placeLegend();
    m_headBottom = m_unit.bottom();
    for (const Entry& entry : m_legend) {
        m_headBottom = std::max(m_headBottom, entry.bounds.bottom());
    }
}

// Beside the title, or below it where it would be cut.
void Overlay::placeUnit() {
    const double width = textWidth(overlay::captionFont(), m_shown->unit);
    const double beside = overlay::kSide + textWidth(overlay::titleFont(), m_all->title) + 10.0;
    const double total = m_totalWidth > 0.0 ? m_totalWidth + 14.0 : 0.0; // at the right
    const bool fits = beside + width <= m_size.width() - overlay::kSide - total;
    const double top = overlay::kTitleMiddle - 9.0;
    m_unit = fits ? QRectF(beside, top, width, 18.0)
                  : QRectF(overlay::kSide, top + overlay::kLegendRow + 2.0, width, 18.0);
}

void Overlay::placeLegend() {
    const app::LegendReading reading = app::legendReading(*m_all, readingX());
    m_totalWidth = 0.0;
    if (reading.total) {
        m_totalWidth =
            textWidth(overlay::legendFont(true), QCoreApplication::translate("Chart", "total")) +
            5.0 + stableWidth(valueText(reading.total), true);
    }
    const double gap = m_isLegendBeside ? overlay::kEntryGap : overlay::kStackGap;
    double total = -gap;
    for (std::size_t index = 0; index < m_legend.size(); ++index) {
        Entry& entry = m_legend[index];
        const bool isStack = entry.series->kind == app::SeriesKind::Stack;
        double width = (isStack ? overlay::kStackMark : overlay::kLineMark) +
                       textWidth(overlay::legendFont(m_isLegendBeside), entry.series->name);
        if (const QString text = valueText(reading.values[index].value); !text.isEmpty()) {
            width += 5.0 + stableWidth(text, m_isLegendBeside);
        }
        entry.bounds = QRectF(0, 0, width, 18.0);
        total += width + gap;
    }
    const double right = m_size.width() - overlay::kSide;
    double x = m_isLegendBeside ? right - total : overlay::kSide;
    double y = overlay::kTitleMiddle - 9.0 + (m_isLegendBeside ? 0.0 : overlay::kLegendRow + 2.0);
    if (!m_isLegendBeside && m_unit.top() > overlay::kTitleMiddle) {
        x = m_unit.right() + overlay::kEntryGap;
    }
    for (Entry& entry : m_legend) {
        if (!m_isLegendBeside && x > overlay::kSide && x + entry.bounds.width() > right) {
            x = overlay::kSide;
            y += overlay::kLegendRow;
        }
        entry.bounds.moveTopLeft(QPointF(x, y));
        x += entry.bounds.width() + gap;
    }
}

void Overlay::layOutPins() {
    m_pins.clear();
    for (const app::Pin& pin : app::pins(*m_shown, m_scale)) {
        const double width =
            std::max(overlay::kPinHeight, textWidth(overlay::pinFont(), pin.label) + 7.0);
        PinBox box;
        // Not over the label of the axis.
        box.bounds = QRectF(std::round(std::max(pin.x - width / 2.0, m_area.left() - 4.0)),
                            m_area.top() - overlay::kPinHeight - 3.0, width, overlay::kPinHeight);
        box.label = pin.label;
        box.color = app::markerColor(pin.kind);
        const double textRoom = pin.room - width / 2.0 - 10.0;
        if (!pin.text.isEmpty() && textWidth(overlay::captionFont(), pin.text) <= textRoom) {
            box.beside = pin.text;
        }
        m_pins.push_back(std::move(box));
    }
    // The markers under each pin, for the tooltip and for going there.
    std::size_t at = 0;
    for (const app::Marker& marker : m_shown->markers) {
        if (marker.number <= 0 || marker.x < m_shown->xMin || marker.x > m_shown->xMax) {
            continue;
        }
        const double x = m_scale.x(marker.x);
        while (at + 1 < m_pins.size() && x >= m_pins[at + 1].bounds.center().x() - 0.51) {
            ++at;
        }
        if (at < m_pins.size()) {
            PinBox& pin = m_pins[at];
            pin.number = pin.number == 0 ? marker.number : pin.number;
            pin.text +=
                (pin.text.isEmpty() ? QString() : QStringLiteral("\n")) +
                QStringLiteral("%1  %2  %3")
                    .arg(QString::number(marker.number), app::runTimeText(marker.x), marker.text);
        }
    }
}

double Overlay::readingX() const {
    return m_crosshair.value_or(app::presentX(*m_all));
}

QString Overlay::valueText(std::optional<double> value) const {
    return value ? app::numberText(*value, m_all->decimals) : QString();
}

std::vector<QRect> Overlay::crosshairStrips(std::optional<double> x) const {
    std::vector<QRect> strips;
    if (m_all == nullptr) {
        return strips;
    }
    strips.push_back(QRectF(0, 0, m_size.width(), m_headBottom + 2.0).toAlignedRect());
    if (x) {
        const double pixel = m_scale.x(*x);
        strips.push_back(
            QRectF(pixel - 6.0, m_area.top() - 6.0, 12.0, m_area.height() + 10.0).toAlignedRect());
        strips.push_back(
            QRectF(0, m_area.bottom() + 1.0, m_size.width(), overlay::kLabelRow).toAlignedRect());
    }
    return strips;
}

std::optional<QString> Overlay::legendKeyAt(QPointF position) const {
    for (const Entry& entry : m_legend) {
        if (entry.bounds.adjusted(-3, 0, 3, 0).contains(position)) {
            return entry.series->key;
        }
    }
    return std::nullopt;
}

std::optional<int> Overlay::pinAt(QPointF position) const {
    for (const PinBox& pin : m_pins) {
        if (pin.bounds.adjusted(-2, -2, 2, 2).contains(position)) {
            return pin.number;
        }
    }
    return std::nullopt;
}

QString Overlay::pinText(QPointF position) const {
    for (const PinBox& pin : m_pins) {
        if (pin.bounds.adjusted(-2, -2, 2, 2).contains(position)) {
            return pin.text;
        }
    }
    return {};
}

QString Overlay::spokenValues() const {
    QStringList parts;
    const app::LegendReading reading = app::legendReading(*m_all, readingX());
    for (std::size_t index = 0; index < m_legend.size(); ++index) {
        if (const auto& value = reading.values[index].value) {
            parts << QStringLiteral("%1 %2").arg(m_legend[index].series->name, valueText(value));
        }
    }
    for (const PinBox& pin : m_pins) {
        parts << pin.text;
    }
    return parts.join(QStringLiteral("; "));
}

} // namespace ui
