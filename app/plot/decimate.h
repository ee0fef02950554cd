// Fewer points for the same picture: the extremes of each column, gaps kept. Pure; any thread.
#pragma once

#include <QPointF>

#include <span>
#include <vector>

namespace app {

struct DecimateSpan {
    double from = 0.0, to = 1.0; // x of the plot
    int maxPoints = 900;
};

// The least and the greatest point of each column, in order of x: every extreme of the input is in
// the output. Columns lie at fixed multiples, so that a following view does not flicker. A NaN y is
// a gap and stays one; the neighbours just outside of the span stay too, so that lines reach its
// edges. Points are in order of x; at most maxPoints plus gaps and the two neighbours come out.
std::vector<QPointF> decimateExtremes(std::span<const QPointF> points, const DecimateSpan& span);

} // namespace app
