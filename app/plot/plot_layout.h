// Where the parts of a stand-alone picture stand and what its axes say: shared by painter and SVG
// writer, so that both draw the same picture. Pure; any thread.
#pragma once

#include "app/plot/plot_painter.h"

#include <QSizeF>

#include <functional>
#include <vector>

namespace app {

struct AxisLabel {
    double value = 0.0; // in data
    QString text{};
};

std::vector<AxisLabel> yLabels(const Plot& plot);
std::vector<AxisLabel> xLabels(const Plot& plot, double areaWidth);

struct LegendEntry {
    QString name{};
    QString value{}; // newest, or empty
    ColorRole color = ColorRole::Text2;
    bool isBlock = false; // areas and stacks: a square; lines: a dash
    double x = 0.0;       // of the mark; the name follows 14 px later
    double y = 0.0;       // base line
};

struct PlotLayout {
    QRectF area;
    double titleBaseline = 0.0;
    double pinTop = 0.0;
    std::vector<LegendEntry> legend; // at the right of the title, or a row of its own below it
};

// Widths of a text at 11 px and at 13 px semi-bold come from the caller: fonts or an estimate.
enum class LegendValues : std::uint8_t { Newest, None };
using TextWidth = std::function<double(const QString& text, double pixelSize)>;
PlotLayout plotLayout(const Plot& plot, const QRectF& bounds, LegendValues values,
                      const TextWidth& width);

// Total of stack series at each x of the first; empty without stacks.
std::vector<QPointF> stackTotal(const Plot& plot);

// Consecutive runs of finite points: [begin, end) indices. A run of one point is a dot.
struct Segment {
    std::size_t begin = 0, end = 0;
    bool isUnsure = false;
};
// Parts of a series without gaps, split where it becomes sure or unsure; the parts share the point
// where they meet.
std::vector<Segment> segments(const std::vector<QPointF>& points, const std::vector<bool>& unsure);

ColorRole markerColor(MarkerKind kind);

// Pins of the markers in view; those closer than 16 px are one, with a count. The dashed lines stay
// apart.
struct Pin {
    double x = 0.0;  // pixel
    QString label{}; // "3", or "×2" for several
    MarkerKind kind = MarkerKind::Note;
    QString text{};    // of a single marker
    double room = 0.0; // pixels to the right before the next pin
};
std::vector<Pin> pins(const Plot& plot, const PlotScale& scale);

// "n < 299" beside the start of the first dashed part, of the series that needs most.
struct UnsureNote {
    QPointF at; // data
    QString text{};
};
std::optional<UnsureNote> unsureNote(const Plot& plot);

bool hasData(const Plot& plot);

} // namespace app
