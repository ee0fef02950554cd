// All data of a chart as one item of its scene, between grid and axes, painted by the code that
// paints reports. UI thread.
#pragma once

#include "app/plot/plot.h"

#include <QGraphicsItem>

namespace ui {

class PlotItem final : public QGraphicsItem {
public:
    explicit PlotItem(QGraphicsItem* chart);
    // The plot stays the caller's and outlives the item's painting; `area` is the pinned plot area.
    void setPlot(const app::Plot* plot, const QRectF& area);

    QRectF boundingRect() const override { return m_area.adjusted(-2, -2, 2, 2); }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    const app::Plot* m_plot = nullptr;
    QRectF m_area;
};

} // namespace ui
