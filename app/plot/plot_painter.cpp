#include "app/plot/plot_painter.h"

#include "app/plot/plot_layout.h"

#include <QPaintEngine>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <span>

namespace app {

namespace {

// One long jagged antialiased path costs far more than its length; pieces of 16 points are linear.
constexpr std::size_t kPiecePoints = 16;
constexpr double kDashPixels = 3.0;
constexpr double kAreaOpacity = 0.28;

using PixelLine = std::vector<QPointF>;

PixelLine mapped(std::span<const QPointF> points, const PlotScale& scale) {
    // Far outside values would overflow the rasteriser's fixed point.
    const double low = scale.area.top() - 4.0 * scale.area.height();
    const double high = scale.area.bottom() + 4.0 * scale.area.height();
    PixelLine pixels;
    pixels.reserve(points.size());
    for (const QPointF& point : points) {
        pixels.emplace_back(scale.x(point.x()), std::clamp(scale.y(point.y()), low, high));
    }
    return pixels;
}

double length(std::span<const QPointF> line) {
    double sum = 0.0;
    for (std::size_t i = 1; i < line.size(); ++i) {
        sum += std::hypot(line[i].x() - line[i - 1].x(), line[i].y() - line[i - 1].y());
    }
    return sum;
}

// Vector devices get whole lines: smaller files, and joins without seams.
bool isRaster(const QPainter& painter) {
    const QPaintEngine* engine = painter.paintEngine();
    return engine == nullptr || engine->type() == QPaintEngine::Raster;
}

void strokeLine(QPainter& painter, const PixelLine& line, QPen pen) {
    if (line.size() == 1) {
        pen.setStyle(Qt::SolidLine);
        pen.setCapStyle(Qt::RoundCap);
        pen.setWidthF(pen.widthF() + 1.5);
        painter.setPen(pen);
        painter.drawPoint(line.front());
        return;
    }
    if (!isRaster(painter)) {
        painter.setPen(pen);
        painter.drawPolyline(line.data(), static_cast<int>(line.size()));
        return;
    }
    if (pen.style() != Qt::CustomDashLine) {
        // Line by line, not as a path: an antialiased path of a noisy curve costs nine times as
        // much (17.5 -> 2.0 ms for 560 points), a smooth one's half as much again. Square ends
        // cover the joints.
        QList<QLineF> pieces;
        pieces.reserve(static_cast<qsizetype>(line.size()) - 1);
        for (std::size_t i = 1; i < line.size(); ++i) {
            pieces.emplace_back(line[i - 1], line[i]);
        }
        painter.setPen(pen);
        painter.drawLines(pieces);
        return;
    }
    const std::span<const QPointF> all(line);
    double travelled = 0.0;
    for (std::size_t begin = 0; begin + 1 < line.size(); begin += kPiecePoints - 1) {
        const auto piece = all.subspan(begin, std::min(kPiecePoints, line.size() - begin));
        pen.setDashOffset(travelled / pen.widthF());
        travelled += length(piece);
        painter.setPen(pen);
        painter.drawPolyline(piece.data(), static_cast<int>(piece.size()));
    }
}

// Bevelled: round joins cost three times as much and look the same at two pixels.
QPen solidPen(const QColor& color, double width) {
    return {color, width, Qt::SolidLine, Qt::SquareCap, Qt::BevelJoin};
}

QPen dashedPen(const QColor& color, double width) {
    QPen pen(color, width, Qt::CustomDashLine, Qt::FlatCap, Qt::BevelJoin);
    pen.setDashPattern({kDashPixels / width, kDashPixels / width});
    return pen;
}

// Fills between two lines of equal length in strips cut at whole pixels: without antialiasing no
// seam is seen, also at 10 % opacity, where shared edges would be blended twice.
void fillBetween(QPainter& painter, const PixelLine& upper, const PixelLine& lower,
                 const QBrush& brush) {
    const std::size_t count = std::min(upper.size(), lower.size());
    if (count < 2) {
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(Qt::NoPen);
    painter.setBrush(brush);
    const std::size_t step = isRaster(painter) ? kPiecePoints - 1 : count;
    for (std::size_t begin = 0; begin + 1 < count; begin += step) {
        const std::size_t end = std::min(begin + step + 1, count);
        QPolygonF strip;
        strip.reserve(static_cast<qsizetype>(2 * (end - begin)));
        for (std::size_t i = begin; i < end; ++i) {
            strip << upper[i];
        }
        for (std::size_t i = end; i-- > begin;) {
            strip << lower[i];
        }
        if (isRaster(painter)) {
            // Neighbouring strips meet at the same whole pixel.
            strip.front().setX(std::round(strip.front().x()));
            strip.back().setX(strip.front().x());
            const auto middle = static_cast<qsizetype>(end - begin);
            strip[middle - 1].setX(std::round(strip[middle - 1].x()));
            strip[middle].setX(strip[middle - 1].x());
        }
        painter.drawPolygon(strip);
    }
    painter.setBrush(Qt::NoBrush);
    painter.setRenderHint(QPainter::Antialiasing, true);
}

PixelLine baseline(const PixelLine& line, const PlotScale& scale) {
    PixelLine base = line;
    for (QPointF& point : base) {
        point.setY(scale.area.bottom());
    }
    return base;
}

PixelLine stepped(const PixelLine& line) {
    PixelLine steps;
    for (const QPointF& point : line) {
        if (!steps.empty()) {
            steps.emplace_back(point.x(), steps.back().y());
        }
        steps.push_back(point);
    }
    return steps;
}

void paintBand(QPainter& painter, const Band& band, const PlotScale& scale, ThemeKind theme) {
    QColor fill = color(theme, band.color);
    fill.setAlphaF(static_cast<float>(band.opacity));
    const std::size_t count = std::min(band.lower.size(), band.upper.size());
    std::vector<QPointF> joined(band.upper.begin(),
                                band.upper.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
        joined[i].ry() += band.lower[i].y(); // a gap in either is a gap of the band
    }
    for (const Segment& part : segments(joined, {})) {
        const std::size_t size = part.end - part.begin;
        fillBetween(painter, mapped(std::span(band.upper).subspan(part.begin, size), scale),
                    mapped(std::span(band.lower).subspan(part.begin, size), scale), fill);
    }
}

void paintLine(QPainter& painter, const Series& series, const PlotScale& scale, ThemeKind theme) {
    const QColor own = color(theme, series.color);
    for (const Segment& part : segments(series.points, series.unsure)) {
        PixelLine line =
            mapped(std::span(series.points).subspan(part.begin, part.end - part.begin), scale);
        if (series.kind == SeriesKind::Step) {
            line = stepped(line);
        }
        if (series.kind == SeriesKind::Area) {
            QColor fill = own;
            fill.setAlphaF(static_cast<float>(kAreaOpacity));
            fillBetween(painter, line, baseline(line, scale), fill);
        }
        strokeLine(painter, line,
                   part.isUnsure ? dashedPen(color(theme, ColorRole::Text3), series.width)
                                 : solidPen(own, series.width));
    }
}

// The line between two stages, left out where the upper one is too thin to be told from it.
void paintSeparator(QPainter& painter, const PixelLine& upper, const PixelLine& lower,
                    const QColor& card) {
    constexpr double kLeastThickness = 3.0;
    painter.setPen(QPen(card, 1.0));
    painter.setRenderHint(QPainter::Antialiasing, false);
    std::size_t begin = 0;
    while (begin < lower.size()) {
        std::size_t end = begin;
        while (end < lower.size() && lower[end].y() - upper[end].y() >= kLeastThickness) {
            ++end;
        }
        if (end - begin > 1) {
            painter.drawPolyline(lower.data() + begin, static_cast<int>(end - begin));
        }
        begin = end + 1;
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
}

void paintStacks(QPainter& painter, const Plot& plot, const PlotScale& scale, ThemeKind theme) {
    const std::vector<QPointF> total = stackTotal(plot);
    const QColor card = color(theme, ColorRole::Card);
    for (const Segment& part : segments(total, {})) {
        const std::size_t size = part.end - part.begin;
        std::vector<QPointF> top(total.begin() + static_cast<std::ptrdiff_t>(part.begin),
                                 total.begin() + static_cast<std::ptrdiff_t>(part.end));
        for (QPointF& point : top) {
            point.setY(0.0);
        }
        PixelLine lower = mapped(top, scale);
        bool isFirst = true;
        for (const Series& series : plot.series) {
            if (series.kind != SeriesKind::Stack || series.points.size() < part.end) {
                continue;
            }
            for (std::size_t i = 0; i < size; ++i) {
                top[i].ry() += series.points[part.begin + i].y();
            }
            PixelLine upper = mapped(top, scale);
            fillBetween(painter, upper, lower, color(theme, series.color));
            if (series.hatched) {
                QColor hatch = card;
                hatch.setAlphaF(0.45F);
                fillBetween(painter, upper, lower, QBrush(hatch, Qt::BDiagPattern));
            }
            if (!isFirst) {
                paintSeparator(painter, upper, lower, card);
            }
            isFirst = false;
            lower = std::move(upper);
        }
        if (plot.showsTotal) {
            strokeLine(painter, lower, solidPen(color(theme, ColorRole::Text1), 1.0));
        }
    }
}

} // namespace

PlotScale plotScale(const Plot& plot, const QRectF& area) {
    PlotScale scale{.area = area,
                    .xMin = plot.xMin,
                    .xMax = plot.xMax,
                    .yMax = plot.yMax,
                    .yLogMin = plot.yLogMin < plot.yMax ? plot.yLogMin : 0.0};
    if (!(scale.xMax > scale.xMin)) {
        scale.xMax = scale.xMin + 1.0;
    }
    if (!(scale.yMax > 0)) {
        scale.yMax = 1.0;
    }
    return scale;
}

void paintData(QPainter& painter, const Plot& plot, const PlotScale& scale, ThemeKind theme) {
    painter.save();
    // Half a line may stand above the bound and below zero.
    painter.setClipRect(scale.area.adjusted(0, -1, 0, 1), Qt::IntersectClip);
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (const Shade& shade : plot.shades) {
        QColor tint = color(theme, shade.color);
        tint.setAlphaF(static_cast<float>(shade.opacity));
        const double left = std::max(scale.area.left(), scale.x(shade.from));
        const double right = std::min(scale.area.right(), scale.x(shade.to));
        if (right > left) {
            painter.fillRect(QRectF(left, scale.area.top(), right - left, scale.area.height()),
                             tint);
        }
    }
    for (const Band& band : plot.bands) {
        paintBand(painter, band, scale, theme);
    }
    paintStacks(painter, plot, scale, theme);
    for (const Series& series : plot.series) {
        if (series.kind != SeriesKind::Stack) {
            paintLine(painter, series, scale, theme);
        }
    }
    painter.restore();
}

} // namespace app
