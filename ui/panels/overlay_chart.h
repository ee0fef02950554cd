// A chart of two runs over each other, with the keys, the menu and the window of its own that every
// chart has. All of its data is there: what is in view is cut from it. UI thread.
#pragma once

#include "app/plot/plot.h"

#include <QWidget>

namespace ui {

class ChartGroup;
class ChartView;
class ChartWindow;

class OverlayChart final : public QWidget {
    Q_OBJECT

public:
    explicit OverlayChart(QWidget* parent = nullptr);
    ~OverlayChart() override;

    void setPlot(app::Plot plot); // shown from end to end
    const app::Plot& plot() const { return m_plot; }
    ChartView* chart() const { return m_chart; }
    ChartWindow* popOut(); // the one there is, or a new one

private:
    void feed();

    app::Plot m_plot;
    ChartGroup* m_group; // of its own: the other chart has another axis
    ChartView* m_chart;
    ChartWindow* m_window = nullptr;
};

} // namespace ui
