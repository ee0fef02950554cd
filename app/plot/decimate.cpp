#include "app/plot/decimate.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace app {

namespace {

// Extremes of the column that is being read.
class Column {
public:
    explicit Column(std::vector<QPointF>& out) : m_out(out) {}

    void add(const QPointF& point, double index) {
        if (m_lowest && index != m_index) {
            flush();
        }
        m_index = index;
        if (!m_lowest) {
            m_lowest = m_highest = point;
            return;
        }
        if (point.y() < m_lowest->y()) {
            m_lowest = point;
        }
        if (point.y() > m_highest->y()) {
            m_highest = point;
        }
    }

    void flush() {
        if (!m_lowest) {
            return;
        }
        const bool isLowFirst = m_lowest->x() <= m_highest->x();
        m_out.push_back(isLowFirst ? *m_lowest : *m_highest);
        if (m_lowest->x() != m_highest->x()) {
            m_out.push_back(isLowFirst ? *m_highest : *m_lowest);
        }
        m_lowest.reset();
    }

private:
    std::vector<QPointF>& m_out;
    double m_index = 0.0;
    std::optional<QPointF> m_lowest, m_highest;
};

} // namespace

std::vector<QPointF> decimateExtremes(std::span<const QPointF> points, const DecimateSpan& span) {
    auto first = std::ranges::lower_bound(points, span.from, {}, &QPointF::x);
    auto last = std::ranges::lower_bound(first, points.end(), span.to, {}, &QPointF::x);
    if (first != points.begin()) {
        --first;
    }
    if (last != points.end()) {
        ++last;
    }
    // Two points a column, and up to one column more than the span holds.
    const int columns = std::max(1, span.maxPoints / 2 - 1);
    const double width = (span.to - span.from) / columns;
    if (!(width > 0) || last - first <= span.maxPoints) {
        return {first, last};
    }
    std::vector<QPointF> out;
    out.reserve(static_cast<std::size_t>(span.maxPoints) + 4);
    Column column(out);
    for (; first != last; ++first) {
        if (std::isfinite(first->y())) {
            column.add(*first, std::floor(first->x() / width));
            continue;
        }
        column.flush();
        if (out.empty() || std::isfinite(out.back().y())) {
            out.push_back(*first);
        }
    }
    column.flush();
    return out;
}

} // namespace app
