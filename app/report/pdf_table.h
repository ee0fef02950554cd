// A table of a PDF page: widths of its columns, heights of its rows, and its painting row by row,
// so that it can go on over pages. Private to the PDF writer. Main thread.
#pragma once

#include "app/report/document.h"

#include <QPainter>

#include <vector>

namespace app::report::pdf {

class TableLayout {
public:
    TableLayout(Table table, double width);

    std::size_t rows() const { return m_table.rows.size(); }
    double headHeight() const { return m_headHeight; }
    double rowHeight(std::size_t row) const { return m_heights[row]; }
    void paintHead(QPainter& painter, QPointF at) const;
    void paintRow(QPainter& painter, QPointF at, std::size_t row) const;

private:
    void chooseWidths(double width);

    Table m_table;
    std::vector<double> m_widths, m_heights;
    double m_headHeight = 0.0;
};

} // namespace app::report::pdf
