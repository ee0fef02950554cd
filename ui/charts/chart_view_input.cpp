// Mouse, wheel, keys and menu of a chart.
#include "app/definitions.h"
#include "ui/charts/chart_group.h"
#include "ui/charts/chart_view.h"
#include "ui/theme.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QTableView>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

constexpr double kStepsOfWheel = 120.0; // eighths of a degree a notch
constexpr double kZoomOfNotch = 0.85;
constexpr double kLeastDrag = 4.0; // pixels; less is a click

} // namespace

void ChartView::mousePressEvent(QMouseEvent* event) {
    setFocus(Qt::MouseFocusReason);
    if (event->button() == Qt::MiddleButton) {
        m_panFrom = event->position();
        viewport()->setCursor(Qt::ClosedHandCursor);
        return;
    }
    if (event->button() != Qt::LeftButton) {
        return;
    }
    if (const auto key = m_overlay.legendKeyAt(event->position())) {
        pressLegend(*key, event->modifiers());
    } else if (const auto pin = m_overlay.pinAt(event->position())) {
        Q_EMIT markerActivated(*pin);
    } else if (m_overlay.plotArea().contains(event->position())) {
        m_dragFrom = timeAt(event->position());
    }
}

void ChartView::mouseMoveEvent(QMouseEvent* event) {
    const QPointF position = event->position();
    if (m_panFrom) {
        const double share = (m_panFrom->x() - position.x()) / m_overlay.plotArea().width();
        m_panFrom = position;
        m_group.pan(share);
        return;
    }
    const bool isOverButton =
        m_overlay.legendKeyAt(position).has_value() || m_overlay.pinAt(position).has_value();
    viewport()->setCursor(isOverButton ? Qt::PointingHandCursor : Qt::ArrowCursor);
    const QRectF area = m_overlay.plotArea();
    const bool isInside = position.x() >= area.left() && position.x() <= area.right() &&
                          position.y() >= area.top() - 4.0;
    if (isInside || m_dragFrom) {
        m_group.setCrosshair(timeAt(position));
    } else {
        m_group.setCrosshair(std::nullopt);
    }
    if (m_dragFrom) {
        const app::PlotScale& scale = m_overlay.scale();
        if (std::abs(scale.x(*m_dragFrom) - position.x()) >= kLeastDrag) {
            m_group.select(Overlay::SpanOfTime(*m_dragFrom, timeAt(position)));
        }
    }
}

void ChartView::mouseReleaseEvent(QMouseEvent*) {
    m_dragFrom.reset();
    m_panFrom.reset();
    viewport()->unsetCursor();
}

void ChartView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (m_overlay.plotArea().contains(event->position())) {
        m_group.fit();
    } else {
        mousePressEvent(event); // a quick second click on the legend is a click
    }
}

void ChartView::leaveEvent(QEvent* event) {
    if (!m_dragFrom) {
        m_group.setCrosshair(std::nullopt);
    }
    QChartView::leaveEvent(event);
}

void ChartView::wheelEvent(QWheelEvent* event) {
    const QPointF turn = QPointF(event->angleDelta()) / kStepsOfWheel;
    const bool isPan =
        std::abs(turn.x()) > std::abs(turn.y()) || event->modifiers().testFlag(Qt::ShiftModifier);
    if (isPan) {
        const double notches = std::abs(turn.x()) > std::abs(turn.y()) ? turn.x() : turn.y();
        m_group.pan(-0.1 * notches);
    } else {
        m_group.zoom(std::pow(kZoomOfNotch, turn.y()), timeAt(event->position()));
    }
    event->accept();
}

void ChartView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_T && event->modifiers() == Qt::NoModifier) {
        setTableShown(!isTableShown());
        return;
    }
    if (event->key() == Qt::Key_L && event->modifiers() == Qt::NoModifier &&
        app::canBeLogarithmic(m_plot)) {
        setLogarithmic(!m_isLogarithmic);
        return;
    }
    if (event->key() == Qt::Key_Escape && isTableShown()) {
        setTableShown(false);
        return;
    }
    if (event->matches(QKeySequence::Copy)) {
        copyValues();
        return;
    }
    if (event->key() == Qt::Key_P && event->modifiers() == Qt::NoModifier && m_canPopOut) {
        Q_EMIT popOutRequested();
        return;
    }
    if (!m_group.pressKey(event)) {
        event->ignore(); // the window has more keys
    }
}

void ChartView::contextMenuEvent(QContextMenuEvent* event) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setAttribute(Qt::WA_TranslucentBackground);
    menu->setWindowFlags(menu->windowFlags() | Qt::FramelessWindowHint |
                         Qt::NoDropShadowWindowHint);
    menu->addAction(tr("Copy values"), this, &ChartView::copyValues);
    menu->addAction(tr("Copy picture"), this, &ChartView::copyPicture);
    QAction* table =
        menu->addAction(tr("Show as table"), this, [this] { setTableShown(!isTableShown()); });
    table->setCheckable(true);
    table->setChecked(isTableShown());
    if (app::canBeLogarithmic(m_plot)) {
        QAction* axis = menu->addAction(tr("Logarithmic axis (L)"), this,
                                        [this] { setLogarithmic(!m_isLogarithmic); });
        axis->setCheckable(true);
        axis->setChecked(m_isLogarithmic);
    }
    if (m_canPopOut) {
        menu->addAction(tr("Show in a window of its own"), this, &ChartView::popOutRequested);
    }
    menu->addSeparator();
    const double at = event->reason() == QContextMenuEvent::Mouse
                          ? timeAt(QPointF(event->pos()))
                          : m_group.crosshair().value_or(m_overlay.scale().xMax);
    if (m_group.takesBookmarks()) {
        menu->addAction(tr("Bookmark at %1…").arg(app::runTimeText(at)), &m_group,
                        [this, at] { m_group.requestBookmark(at); });
    }
    menu->addAction(tr("Fit"), &m_group, &ChartGroup::fit);
    if (m_plot.xAxis == app::XAxis::RunTime) {
        menu->addAction(tr("Last hour"), &m_group, [this] { m_group.choose(SpanChoice::Hour); });
        menu->addAction(tr("Last 24 hours"), &m_group, [this] { m_group.choose(SpanChoice::Day); });
    }
    if (m_plot.series.size() > 1) {
        addSeries(*menu);
    }
    if (m_group.selection()) {
        menu->addAction(tr("Zoom to the selection"), &m_group, &ChartGroup::zoomToSelection);
        menu->addAction(tr("Clear the selection"), &m_group,
                        [this] { m_group.select(std::nullopt); });
    }
    menu->popup(event->globalPos());
}

// What a click and a Ctrl+click on the legend do.
void ChartView::addSeries(QMenu& menu) {
    QMenu* shown = menu.addMenu(tr("Series"));
    QMenu* alone = menu.addMenu(tr("Show alone"));
    for (const app::Series& series : m_plot.series) {
        if (series.name.isEmpty()) {
            continue;
        }
        QAction* entry = shown->addAction(
            series.name, this, [this, key = series.key] { pressLegend(key, Qt::NoModifier); });
        entry->setCheckable(true);
        entry->setChecked(!m_hidden.contains(series.key));
        alone->addAction(series.name, this,
                         [this, key = series.key] { pressLegend(key, Qt::ControlModifier); });
    }
    if (!m_hidden.isEmpty()) {
        menu.addAction(tr("Show all series"), this, [this] { setHiddenSeries({}); });
    }
}

bool ChartView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QPointF position(help->pos());
        QString text = m_overlay.pinText(position);
        if (text.isEmpty() && m_overlay.legendKeyAt(position)) {
            text = tr("Click hides, Ctrl+click shows alone");
        }
        if (text.isEmpty() && position.y() < m_overlay.plotArea().top()) {
            text = app::definitionTip(m_plot.key.toStdString());
        }
        QToolTip::showText(help->globalPos(), text, viewport());
        return true;
    }
    return QChartView::viewportEvent(event);
}

void ChartView::focusInEvent(QFocusEvent* event) {
    QChartView::focusInEvent(event);
    viewport()->update();
}

void ChartView::focusOutEvent(QFocusEvent* event) {
    QChartView::focusOutEvent(event);
    viewport()->update();
}

void ChartView::resizeEvent(QResizeEvent* event) {
    QChartView::resizeEvent(event);
    layOut();
}

void ChartView::changeEvent(QEvent* event) {
    QChartView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange ||
        event->type() == QEvent::FontChange) {
        layOut();
    }
}

} // namespace ui
