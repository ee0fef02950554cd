#include "app/plot/plot_layout.h"

#include "app/labels.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace app {

namespace {

constexpr double kCaptionPixels = 11.0;
constexpr double kTitlePixels = 13.0;
constexpr double kMarkWidth = 14.0; // mark of a legend entry with its gap
constexpr double kEntryGap = 14.0;
constexpr double kPinRow = 20.0;  // pins stand above the area
constexpr double kAxisRow = 20.0; // labels below it

std::optional<double> newestValue(const Series& series) {
    const auto last = std::ranges::find_if(series.points.rbegin(), series.points.rend(),
                                           [](const QPointF& p) { return std::isfinite(p.y()); });
    return last != series.points.rend() ? std::optional(last->y()) : std::nullopt;
}

double entryWidth(const LegendEntry& entry, const TextWidth& width) {
    double total = kMarkWidth + width(entry.name, kCaptionPixels);
    if (!entry.value.isEmpty()) {
        total += 5.0 + width(entry.value, kCaptionPixels);
    }
    return total;
}

} // namespace

namespace {

// 1, 2, 5 of each decade, or the decades alone where those are many.
std::vector<AxisLabel> logLabels(const Plot& plot) {
    constexpr double kFew = 2.1;
    const bool hasBetween = std::log10(plot.yMax / plot.yLogMin) <= kFew;
    std::vector<AxisLabel> labels;
    for (double decade = std::pow(10.0, std::floor(std::log10(plot.yLogMin) + 1e-9));
         decade <= plot.yMax * (1.0 + 1e-9); decade *= 10.0) {
        const int decimals =
            decade >= 1.0 ? 0 : static_cast<int>(std::ceil(-std::log10(decade) - 1e-9));
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double value = factor * decade;
            if ((factor == 1.0 || hasBetween) && value >= plot.yLogMin * (1.0 - 1e-9) &&
                value <= plot.yMax * (1.0 + 1e-9)) {
                labels.push_back({value, numberText(value, decimals)});
            }
        }
    }
    return labels;
}

} // namespace

std::vector<AxisLabel> yLabels(const Plot& plot) {
    if (plot.yLogMin > 0 && plot.yLogMin < plot.yMax) {
        return logLabels(plot);
    }
    const Ticks ticks = niceTicks(plot.yMax);
    std::vector<AxisLabel> labels;
    for (int k = 0; k * ticks.step <= plot.yMax * (1.0 + 1e-9); ++k) {
        const double value = k * ticks.step;
        labels.push_back({value, numberText(value, k == 0 ? 0 : ticks.decimals)});
    }
    return labels;
}

std::vector<AxisLabel> xLabels(const Plot& plot, double areaWidth) {
    std::vector<AxisLabel> labels;
    const double span = plot.xMax - plot.xMin;
    if (!(span > 0) || !(areaWidth > 0)) {
        return labels;
    }
    const bool isTime = plot.xAxis == XAxis::RunTime;
    const int wanted = std::max(2, static_cast<int>(areaWidth / 52.0));
    const Ticks ticks = niceTicks(span);
    double step = isTime ? timeTickStep(span, wanted) : ticks.step;
    for (double k = std::ceil(plot.xMin / step - 1e-9); k * step <= plot.xMax + 1e-9 * span;
         k += 1.0) {
        const double value = k * step;
        labels.push_back({value, isTime ? runTimeText(value) : numberText(value, ticks.decimals)});
    }
    return labels;
}

PlotLayout plotLayout(const Plot& plot, const QRectF& bounds, LegendValues values,
                      const TextWidth& width) {
    PlotLayout layout;
    layout.titleBaseline = bounds.top() + 15.0;
    double legendWidth = 0.0;
    for (const Series& series : plot.series) {
        if (series.name.isEmpty()) {
            continue; // told by another entry
        }
        LegendEntry entry;
        entry.name = series.name;
        if (const auto value = newestValue(series); value && values == LegendValues::Newest) {
            entry.value = numberText(*value, plot.decimals);
        }
        entry.color = series.color;
        entry.isBlock = series.kind == SeriesKind::Stack;
        legendWidth += entryWidth(entry, width) + kEntryGap;
        layout.legend.push_back(std::move(entry));
    }
    const double titleWidth =
        width(plot.title, kTitlePixels) + 8.0 + width(plot.unit, kCaptionPixels) + 16.0;
    const bool isBesideTitle = titleWidth + legendWidth <= bounds.width();
    double x = isBesideTitle ? bounds.right() - legendWidth + kEntryGap : bounds.left();
    double y = layout.titleBaseline + (isBesideTitle ? 0.0 : 18.0);
    for (LegendEntry& entry : layout.legend) {
        const double needed = entryWidth(entry, width);
        if (!isBesideTitle && x > bounds.left() && x + needed > bounds.right()) {
            x = bounds.left();
            y += 16.0;
        }
        entry.x = x;
        entry.y = y;
        x += needed + kEntryGap;
    }
    double labelWidth = 20.0;
    for (const AxisLabel& label : yLabels(plot)) {
        labelWidth = std::max(labelWidth, width(label.text, kCaptionPixels));
    }
    layout.pinTop = y + 9.0;
    const double top = layout.pinTop + kPinRow;
    const double left = bounds.left() + labelWidth + 8.0;
    layout.area = QRectF(left, top, std::max(1.0, bounds.right() - left - 12.0),
                         std::max(1.0, bounds.bottom() - kAxisRow - top));
    return layout;
}

std::vector<QPointF> stackTotal(const Plot& plot) {
    std::vector<QPointF> total;
    for (const Series& series : plot.series) {
        if (series.kind != SeriesKind::Stack) {
            continue;
        }
        if (total.empty()) {
            total = series.points;
            continue;
        }
        const std::size_t shared = std::min(total.size(), series.points.size());
        for (std::size_t i = 0; i < shared; ++i) {
            total[i].ry() += series.points[i].y();
        }
    }
    return total;
}

std::vector<Segment> segments(const std::vector<QPointF>& points, const std::vector<bool>& unsure) {
    std::vector<Segment> parts;
    const auto isUnsure = [&unsure](std::size_t i) { return i < unsure.size() && unsure[i]; };
    std::size_t i = 0;
    while (i < points.size()) {
        if (!std::isfinite(points[i].y())) {
            ++i;
            continue;
        }
        Segment part{.begin = i, .end = i + 1, .isUnsure = isUnsure(i)};
        while (part.end < points.size() && std::isfinite(points[part.end].y()) &&
               isUnsure(part.end) == part.isUnsure) {
            ++part.end;
        }
        i = part.end;
        if (i < points.size() && std::isfinite(points[i].y())) {
            ++part.end; // up to the first point of the next part
        }
        parts.push_back(part);
    }
    return parts;
}

ColorRole markerColor(MarkerKind kind) {
    switch (kind) {
    case MarkerKind::Operator:
        return ColorRole::Accent;
    case MarkerKind::Warning:
        return ColorRole::Warn;
    case MarkerKind::Alarm:
        return ColorRole::Bad;
    case MarkerKind::Workload:
    case MarkerKind::Note:
        break;
    }
    return ColorRole::Text3;
}

std::vector<Pin> pins(const Plot& plot, const PlotScale& scale) {
    constexpr double kLeastDistance = 16.0;
    std::vector<Pin> result;
    std::vector<int> counts;
    for (const Marker& marker : plot.markers) {
        if (marker.number <= 0 || marker.x < plot.xMin || marker.x > plot.xMax) {
            continue;
        }
        const double x = scale.x(marker.x);
        if (!result.empty() && x - result.back().x < kLeastDistance) {
            result.back().label = QStringLiteral("×%1").arg(++counts.back());
            // The gravest kind colours the pin and speaks: the enumerators go from calm to alarm
            // but Note.
            if (marker.kind != MarkerKind::Note &&
                (result.back().kind == MarkerKind::Note || marker.kind > result.back().kind)) {
                result.back().kind = marker.kind;
                result.back().text = marker.text;
            } else if (result.back().text.isEmpty()) {
                result.back().text = marker.text;
            }
            continue;
        }
        if (!result.empty()) {
            result.back().room = x - result.back().x;
        }
        result.push_back({.x = x,
                          .label = QString::number(marker.number),
                          .kind = marker.kind,
                          .text = marker.text,
                          .room = scale.area.right() - x});
        counts.push_back(1);
    }
    return result;
}

std::optional<UnsureNote> unsureNote(const Plot& plot) {
    for (auto series = plot.series.rbegin(); series != plot.series.rend(); ++series) {
        if (series->unsureLabel.isEmpty()) {
            continue;
        }
        // Above the highest point near its start, so that the line does not run through it.
        const double near = plot.xMin + 0.12 * (plot.xMax - plot.xMin);
        std::optional<QPointF> place;
        for (std::size_t i = 0; i < series->unsure.size() && i < series->points.size(); ++i) {
            const QPointF& point = series->points[i];
            if (!std::isfinite(point.y()) || point.x() < plot.xMin || point.x() > plot.xMax) {
                continue;
            }
            if (!place && series->unsure[i]) {
                place = point;
            } else if (place && point.x() < std::max(near, place->x())) {
                place->setY(std::max(place->y(), point.y()));
            }
        }
        if (place) {
            return UnsureNote{.at = *place, .text = series->unsureLabel};
        }
    }
    return std::nullopt;
}

bool hasData(const Plot& plot) {
    return std::ranges::any_of(plot.series, [](const Series& series) {
        return std::ranges::any_of(series.points,
                                   [](const QPointF& p) { return std::isfinite(p.y()); });
    });
}

} // namespace app
