#include "ui/charts/plot_item.h"

#include "app/plot/plot_painter.h"
#include "ui/theme.h"

namespace ui {

namespace {

// Qt Charts draws the grid at 2 and axes at 3.
constexpr double kBetweenGridAndAxes = 2.5;

} // namespace

PlotItem::PlotItem(QGraphicsItem* chart) : QGraphicsItem(chart) {
    setZValue(kBetweenGridAndAxes);
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
    if (m_plot != nullptr && !m_area.isEmpty()) {
        app::paintData(*painter, *m_plot, app::plotScale(*m_plot, m_area), themeKind());
    }
}

} // namespace ui
