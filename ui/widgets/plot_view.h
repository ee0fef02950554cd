// A still picture of a Plot, painted by the painter that reports use and kept as a pixmap: for
// charts that change seldom. The live charts are ui/charts. UI thread.
#pragma once

#include "app/plot/plot.h"

#include <QPixmap>
#include <QWidget>

namespace ui {

class PlotView final : public QWidget {
    Q_OBJECT

public:
    explicit PlotView(QWidget* parent = nullptr);

    void setPlot(app::Plot plot);
    const app::Plot& plot() const { return m_plot; }
    QSize sizeHint() const override { return {420, 240}; }
    QSize minimumSizeHint() const override { return {240, 140}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void describe();

    app::Plot m_plot;
    QPixmap m_picture; // empty: to be painted anew
};

} // namespace ui
