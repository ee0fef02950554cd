// A picture as plain data: axes, series, bands, markers. Chart functions make it, the window and
// reports draw it. Values; any thread. Text is already translated.
#pragma once

#include "app/plot/palette.h"

#include <QPointF>
#include <QString>

#include <optional>
#include <vector>

namespace app {

enum class SeriesKind : std::uint8_t { Line, Area, Stack, Step };

struct Series {
    QString key{};  // stable name: exports, tests, hidden-series memory
    QString name{}; // for the legend
    ColorRole color = ColorRole::Text2;
    SeriesKind kind = SeriesKind::Line;
    double width = 1.5;
    // x ascending; a NaN y is a gap. Stack series of one plot share their x values.
    std::vector<QPointF> points{};
    // Same length as points, or empty: true where n is too small for this quantile (dashed, text
    // 3).
    std::vector<bool> unsure{};
    QString unsureLabel{}; // "n < 299"
    bool hatched = false;  // modelled, not measured
};

struct Band { // between two lines that share x values
    ColorRole color = ColorRole::Text2;
    double opacity = 0.16;
    std::vector<QPointF> lower{};
    std::vector<QPointF> upper{};
};

enum class MarkerKind : std::uint8_t { Operator, Workload, Warning, Alarm, Note };

struct Marker {
    double x = 0.0;
    int number = 0; // 0: no pin
    MarkerKind kind = MarkerKind::Note;
    QString text{};
};

struct Threshold {
    double y = 0.0;
    ColorRole color = ColorRole::Warn;
    QString name{};
};

struct Shade { // a tinted span of x: a burst, a selection, a warm-up
    double from = 0.0;
    double to = 0.0;
    ColorRole color = ColorRole::Accent;
    double opacity = 0.10;
    QString name{};
};

enum class XAxis : std::uint8_t { RunTime, Number };

struct Plot {
    QString key; // row of the chart table
    QString title;
    QString unit; // beside the title
    XAxis xAxis = XAxis::RunTime;
    double xMin = 0.0, xMax = 60.0; // seconds for RunTime
    double yMax = 1.0;              // a nice bound; y starts at zero,
    double yLogMin = 0.0;           // or, where this is above it, here, on a logarithmic axis
    int decimals = 0;               // of legend values
    bool showsTotal = false;        // stacks: a line of the sum and its value
    std::vector<Series> series;
    std::vector<Band> bands;
    std::vector<Marker> markers;
    std::vector<Threshold> thresholds;
    std::vector<Shade> shades;
    QString emptyText; // what to say when there is no data
};

struct Ticks {
    double step = 1.0;
    double bound = 1.0; // >= the value asked for
    int decimals = 0;
};
// 3 to 5 steps of 1-2-5 above zero, the last at or above `maximum` (> 0; else 1).
Ticks niceTicks(double maximum);
// A logarithmic axis makes sense: lines of a positive measure, nothing that is filled from zero.
bool canBeLogarithmic(const Plot& plot);
// The same plot on a logarithmic axis over its values, named so beside the unit.
Plot logarithmic(Plot plot);
// Ticks of a time axis of this span: 1 2 5 10 15 30 s, 1 2 5 10 15 30 min, 1 2 6 h.
double timeTickStep(double spanSeconds, int wanted);
// "07:42", from one hour "1:02:03".
QString runTimeText(double seconds);
// The y of a series at x: linear between points, empty in gaps and outside.
std::optional<double> valueAt(const Series& series, double x);

} // namespace app
