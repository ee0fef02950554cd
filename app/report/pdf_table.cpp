#include "app/report/pdf_table.h"

#include "app/plot/plot_layout.h"
#include "app/report/pdf_text.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace app::report::pdf {

namespace {

constexpr double kPadding = 8, kRowSpace = 6, kBarWidth = 92, kPinWidth = 22;
constexpr TextStyle kCell{.pixels = 11};

bool hasPin(const Row& row) {
    return row.pin > 0;
}

} // namespace

TableLayout::TableLayout(Table table, double width) : m_table(std::move(table)) {
    chooseWidths(width);
    const bool hasHead = std::ranges::any_of(
        m_table.columns, [](const Column& column) { return !column.head.isEmpty(); });
    if (hasHead) {
        for (std::size_t i = 0; i < m_widths.size(); ++i) {
            m_headHeight = std::max(
                m_headHeight,
                textHeight(m_table.columns[i].head, {.pixels = 10}, m_widths[i] - kPadding) + 5);
        }
    }
    for (const Row& row : m_table.rows) {
        double height = 0.0;
        for (std::size_t i = 0; i < std::min(row.cells.size(), m_widths.size()); ++i) {
            height = std::max(height, textHeight(row.cells[i], kCell, m_widths[i] - kPadding));
        }
        m_heights.push_back(height + kRowSpace);
    }
}

// Columns get what their widest cell wants; where that is too much the widest left-aligned ones
// give way and break into lines.
void TableLayout::chooseWidths(double width) {
    for (std::size_t i = 0; i < m_table.columns.size(); ++i) {
        const Column& column = m_table.columns[i];
        double wanted = column.isBar ? kBarWidth : naturalWidth(column.head, {.pixels = 10});
        for (const Row& row : m_table.rows) {
            if (i == 0 && hasPin(row)) {
                wanted = std::max(wanted, kPinWidth);
            } else if (i < row.cells.size() && !column.isBar) {
                wanted = std::max(wanted, naturalWidth(row.cells[i], kCell));
            }
        }
        m_widths.push_back(wanted + kPadding);
    }
    const auto total = [this] { return std::reduce(m_widths.begin(), m_widths.end()); };
    while (!m_widths.empty() && total() > width) {
        const auto widest = std::ranges::max_element(m_widths);
        if (*widest <= 40) {
            break;
        }
        *widest = std::max(40.0, *widest - std::max(4.0, (total() - width) / 4));
    }
    if (!m_widths.empty() && total() < width) {
        // What is left goes to the column with the longest text.
        std::size_t at = m_widths.size() - 1;
        double longest = 0.0;
        for (std::size_t i = 0; i < m_widths.size(); ++i) {
            const Column& column = m_table.columns[i];
            if (column.align == Align::Left && !column.isBar && m_widths[i] > longest) {
                longest = m_widths[i];
                at = i;
            }
        }
        m_widths[at] += width - total();
    }
}

void TableLayout::paintHead(QPainter& painter, QPointF at) const {
    if (m_headHeight == 0.0) {
        return;
    }
    double left = at.x();
    for (std::size_t i = 0; i < m_widths.size(); ++i) {
        paintText(painter, {left, at.y()}, m_table.columns[i].head,
                  {.pixels = 10, .color = ColorRole::Text3, .align = m_table.columns[i].align},
                  m_widths[i] - kPadding);
        left += m_widths[i];
    }
    painter.fillRect(QRectF(at.x(), at.y() + m_headHeight - 2, left - at.x() - kPadding, 0.8),
                     ink(ColorRole::LineStrong));
}

void TableLayout::paintRow(QPainter& painter, QPointF at, std::size_t number) const {
    const Row& row = m_table.rows[number];
    double left = at.x();
    for (std::size_t i = 0; i < m_widths.size(); ++i) {
        const double width = m_widths[i] - kPadding;
        if (i == 0 && hasPin(row)) {
            const QRectF pin(left, at.y() + 2, 16, 14);
            painter.setPen(Qt::NoPen);
            painter.setBrush(ink(markerColor(row.pinKind)));
            painter.drawRoundedRect(pin, 3, 3);
            painter.setPen(Qt::white);
            painter.setFont(font(9, QFont::DemiBold));
            painter.drawText(pin, Qt::AlignCenter, QString::number(row.pin));
        } else if (m_table.columns[i].isBar) {
            if (row.bar) {
                const double half = kBarWidth / 2, middle = left + half;
                const double length = half * std::min(1.0, std::abs(*row.bar));
                const ColorRole role = row.barTone == Tone::Better  ? ColorRole::Better
                                       : row.barTone == Tone::Worse ? ColorRole::Worse
                                                                    : ColorRole::Text3;
                painter.fillRect(
                    QRectF(*row.bar < 0 ? middle - length : middle, at.y() + 4, length, 7),
                    ink(role));
                painter.fillRect(QRectF(middle - 0.4, at.y() + 1, 0.8, 13),
                                 ink(ColorRole::LineStrong));
            }
        } else if (i < row.cells.size()) {
            TextStyle style = kCell;
            style.align = m_table.columns[i].align;
            paintText(painter, {left, at.y() + 1}, row.cells[i], style, width);
        }
        left += m_widths[i];
    }
    painter.fillRect(QRectF(at.x(), at.y() + m_heights[number] - 1, left - at.x() - kPadding, 0.6),
                     ink(ColorRole::Line));
}

} // namespace app::report::pdf
