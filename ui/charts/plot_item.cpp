#include "ui/charts/plot_item.h"

#include "app/plot/plot_layout.h"
#include "app/plot/plot_painter.h"
#include "ui/theme.h"

#include <QPainter>

#include <cmath>

namespace ui {

PlotItem::PlotItem(QGraphicsItem* chart) : QGraphicsItem(chart) {
    setAcceptedMouseButtons(Qt::NoButton);
}

void PlotItem::setPlot(const app::Plot* plot, const QRectF& area) {
    if (area != m_area) {
        prepareGeometryChange();
        m_area = area;
    }
    m_plot = plot;
}

void PlotItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
    if (m_plot == nullptr || m_area.isEmpty()) {
        return;
    }
    const app::PlotScale scale = app::plotScale(*m_plot, m_area);
    // Not an axis' own grid: Qt Charts lays axes out a turn late when a chart is resized, and knows
    // even steps only.
    for (const app::AxisLabel& label : app::yLabels(*m_plot)) {
        painter->fillRect(
            QRectF(m_area.left(), std::round(scale.y(label.value)), m_area.width(), 1.0),
            color(label.value == 0.0 ? ColorRole::Axis : ColorRole::Grid));
    }
    app::paintData(*painter, *m_plot, scale, themeKind());
}

} // namespace ui
