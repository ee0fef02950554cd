#include "ui/panels/overlay_chart.h"

#include "ui/charts/chart_group.h"
#include "ui/charts/chart_view.h"
#include "ui/charts/chart_window.h"
#include "ui/panels/run_charts.h"

#include <QVBoxLayout>

namespace ui {

OverlayChart::OverlayChart(QWidget* parent)
    : QWidget(parent),
      m_group(new ChartGroup(this)),
      m_chart(new ChartView(*m_group, this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_chart);
    m_chart->setCanPopOut(true);
    connect(m_chart, &ChartView::popOutRequested, this, &OverlayChart::popOut);
    connect(m_group, &ChartGroup::viewChanged, this, &OverlayChart::feed);
}

OverlayChart::~OverlayChart() {
    // Before their group, which is a child like them.
    delete m_window;
    delete m_chart;
}

void OverlayChart::setPlot(app::Plot plot) {
    m_plot = std::move(plot);
    m_group->beginRun(m_plot.xMax, m_plot.xMax); // feeds
    if (m_window != nullptr) {
        m_window->setWindowTitle(RunCharts::tr("%1 – Headway").arg(m_plot.title));
    }
}

void OverlayChart::feed() {
    app::Plot part = m_plot;
    part.xMin = m_group->view().from();
    part.xMax = m_group->view().to();
    if (m_window != nullptr) {
        m_window->chart()->setPlot(part);
    }
    m_chart->setPlot(std::move(part));
}

ChartWindow* OverlayChart::popOut() {
    if (m_window != nullptr) {
        m_window->raise();
        m_window->activateWindow();
        return m_window;
    }
    m_window = new ChartWindow(*m_group, this);
    m_window->setWindowTitle(RunCharts::tr("%1 – Headway").arg(m_plot.title));
    connect(m_window, &ChartWindow::closed, this, [this] {
        m_window->deleteLater();
        m_window = nullptr;
    });
    m_window->show();
    feed();
    return m_window;
}

} // namespace ui
