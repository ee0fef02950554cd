#include "ui/widgets/plot_view.h"

#include "app/labels.h"
#include "app/plot/plot_painter.h"
#include "ui/theme.h"

#include <QEvent>
#include <QPainter>

#include <cmath>

namespace ui {

PlotView::PlotView(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void PlotView::setPlot(app::Plot plot) {
    m_plot = std::move(plot);
    m_picture = QPixmap();
    describe();
    update();
}

// Title and the newest value of every series, for those who don't see the picture.
void PlotView::describe() {
    setAccessibleName(m_plot.title);
    QStringList texts;
    for (const app::Series& series : m_plot.series) {
        for (auto point = series.points.rbegin(); point != series.points.rend(); ++point) {
            if (std::isfinite(point->y())) {
                texts << series.name + u' ' + app::numberText(point->y(), m_plot.decimals);
                break;
            }
        }
    }
    setAccessibleDescription(texts.isEmpty() ? m_plot.emptyText : texts.join(QStringLiteral(", ")));
}

void PlotView::paintEvent(QPaintEvent*) {
    const QSize wanted = size() * devicePixelRatioF();
    if (m_picture.size() != wanted) {
        m_picture = QPixmap(wanted);
        m_picture.setDevicePixelRatio(devicePixelRatioF());
        m_picture.fill(Qt::transparent);
        QPainter painter(&m_picture);
        // The last time label is centred on the plot's end and reaches beyond it.
        app::paintPlot(painter, m_plot, QRectF(rect()).adjusted(0, 0, -6, 0), themeKind());
    }
    QPainter(this).drawPixmap(0, 0, m_picture);
}

void PlotView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::LanguageChange) {
        m_picture = QPixmap();
        update();
    }
}

} // namespace ui
