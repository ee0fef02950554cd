#include "ui/charts/chart_window.h"

#include "ui/charts/chart_group.h"
#include "ui/charts/chart_view.h"
#include "ui/theme.h"

#include <QCloseEvent>
#include <QKeyEvent>
#include <QShortcut>
#include <QVBoxLayout>

namespace ui {

ChartWindow::ChartWindow(ChartGroup& group, QWidget* page)
    : QWidget(page, Qt::Window),
      m_group(group),
      m_chart(new ChartView(group, this)) {
    setSurface(this, Surface::Window);
    resize(900, 520);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::kBetweenCards, space::kBetweenCards, space::kBetweenCards,
                               space::kBetweenCards);
    column->addWidget(m_chart);
    m_chart->setShowsPinTexts(true);
    connect(new QShortcut(QKeySequence::Close, this), &QShortcut::activated, this, &QWidget::close);
}

ChartWindow::~ChartWindow() = default;

void ChartWindow::closeEvent(QCloseEvent* event) {
    event->accept();
    Q_EMIT closed();
}

void ChartWindow::keyPressEvent(QKeyEvent* event) {
    if (!m_group.pressKey(event)) {
        QWidget::keyPressEvent(event);
    }
}

} // namespace ui
