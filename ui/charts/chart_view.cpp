#include "ui/charts/chart_view.h"

#include "ui/charts/chart_group.h"
#include "ui/charts/plot_item.h"
#include "ui/charts/plot_table.h"
#include "ui/theme.h"
#include "ui/widgets/paint.h"

#include <QAccessible>
#include <QApplication>
#include <QChart>
#include <QClipboard>
#include <QGraphicsLayout>
#include <QGraphicsTextItem>
#include <QHeaderView>
#include <QMouseEvent>
#include <QPainter>
#include <QShortcut>
#include <QTableView>

#include <algorithm>

namespace ui {

ChartView::ChartView(ChartGroup& group, QWidget* parent) : QChartView(parent), m_group(group) {
    // Without axes: their lines are the plot item's and their words the overlay's, because Qt
    // Charts knows neither mm:ss nor thousands nor logarithms, and lays an axis out anew with every
    // range.
    auto* frame = new QChart;
    frame->setBackgroundVisible(false);
    frame->setMargins(QMargins());
    frame->setAnimationOptions(QChart::NoAnimation);
    frame->legend()->hide();
    if (frame->layout() != nullptr) {
        frame->layout()->setContentsMargins(0, 0, 0, 0);
    }
    for (QGraphicsItem* item : frame->childItems()) {
        if (qgraphicsitem_cast<QGraphicsTextItem*>(item) != nullptr) {
            item->hide(); // an empty title
        }
    }
    QChart* before = chart();
    setChart(frame);
    delete before; // setChart() leaves the old one alive
    m_item = new PlotItem(frame);

    // One repaint a tick, asked for by us; else the scene asks for a second one.
    setViewportUpdateMode(QGraphicsView::NoViewportUpdate);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setInteractive(false);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    setRubberBand(QChartView::NoRubberBand);
    setAccessibleName(tr("Chart"));
    m_group.add(this);
}

ChartView::~ChartView() {
    m_group.remove(this);
}

void ChartView::setPlot(app::Plot plot) {
    m_plot = std::move(plot);
    choose();
    layOut();
    if (isTableShown()) {
        m_tableModel->setPlot(m_shown);
    }
    describe();
}

void ChartView::choose() {
    m_shown = app::visiblePlot(m_plot, m_hidden);
    if (m_isLogarithmic && app::canBeLogarithmic(m_shown)) {
        m_shown = app::logarithmic(std::move(m_shown));
    }
}

void ChartView::setLogarithmic(bool isLogarithmic) {
    if (isLogarithmic == m_isLogarithmic) {
        return;
    }
    m_isLogarithmic = isLogarithmic;
    setPlot(std::move(m_plot));
    Q_EMIT logarithmicChanged(isLogarithmic);
}

int ChartView::plotWidth() const {
    return std::max(50, static_cast<int>(m_overlay.plotArea().width()));
}

QPoint ChartView::placeOf(double seconds) const {
    const app::PlotScale& scale = m_overlay.scale();
    const double x = scale.x(std::clamp(seconds, scale.xMin, scale.xMax));
    return {static_cast<int>(x), static_cast<int>(m_overlay.plotArea().top())};
}

void ChartView::setShowsPinTexts(bool shows) {
    m_overlay.setShowsPinTexts(shows);
    repaintAll();
}

void ChartView::layOut() {
    alignLeft();
    m_group.alignCharts(); // its labels may have become wider
}

void ChartView::alignLeft() {
    m_overlay.layOut(m_plot, m_shown, m_hidden, QSizeF(viewport()->size()), m_group.leftMargin());
    if (chart()->plotArea() != m_overlay.plotArea()) {
        chart()->setPlotArea(m_overlay.plotArea());
    }
    m_item->setPlot(&m_shown, m_overlay.plotArea());
    placeTable();
    repaintAll();
}

void ChartView::makePicture() {
    const double scale = devicePixelRatioF();
    const QSize size = (QSizeF(viewport()->size()) * scale).toSize();
    if (m_picture.size() != size) {
        m_picture = QPixmap(size);
    }
    m_picture.setDevicePixelRatio(scale);
    m_picture.fill(color(ColorRole::Window));
    QPainter painter(&m_picture);
    const QRectF bounds(viewport()->rect());
    paintBox(painter, bounds, color(ColorRole::Card), color(ColorRole::Line), radius::kCard);
    painter.setRenderHint(QPainter::Antialiasing, false);
    render(&painter, bounds, viewport()->rect());
    m_overlay.paintStill(painter);
    m_isStale = false;
}

void ChartView::paintEvent(QPaintEvent* event) {
    if (m_isStale) {
        makePicture();
    }
    QPainter painter(viewport());
    const double scale = m_picture.devicePixelRatio();
    for (const QRect& part : event->region()) {
        painter.drawPixmap(QRectF(part), m_picture,
                           QRectF(QPointF(part.topLeft()) * scale, QSizeF(part.size()) * scale));
    }
    painter.setClipRegion(event->region());
    m_overlay.paintMoving(painter);
    if (hasFocus()) {
        paintFocusRing(painter, QRectF(viewport()->rect()), radius::kCard);
    }
}

void ChartView::repaintAll() {
    m_isStale = true;
    viewport()->update();
}

void ChartView::setCrosshair(std::optional<double> x) {
    QRegion changed;
    for (const auto& place : {m_overlay.crosshair(), x}) {
        for (const QRect& strip : m_overlay.crosshairStrips(place)) {
            changed += strip;
        }
    }
    m_overlay.setCrosshair(x);
    viewport()->update(changed);
    if (hasFocus() && QAccessible::isActive()) {
        setAccessibleDescription(m_overlay.spokenValues()); // the read-out, of the one in focus
    }
}

void ChartView::setSelection(std::optional<Overlay::SpanOfTime> selection) {
    m_overlay.setSelection(selection);
    viewport()->update();
}

void ChartView::setHiddenSeries(const QStringList& keys) {
    if (keys != m_hidden) {
        m_hidden = keys;
        choose();
        layOut();
        Q_EMIT hiddenSeriesChanged(m_hidden);
    }
}

void ChartView::pressLegend(const QString& key, Qt::KeyboardModifiers modifiers) {
    QStringList hidden = m_hidden;
    if (modifiers.testFlag(Qt::ControlModifier)) {
        // Alone; a second time brings all back.
        QStringList others;
        for (const app::Series& series : m_plot.series) {
            if (series.key != key) {
                others << series.key;
            }
        }
        hidden = hidden == others ? QStringList() : others;
    } else if (hidden.contains(key)) {
        hidden.removeAll(key);
    } else {
        hidden << key;
    }
    setHiddenSeries(hidden);
}

double ChartView::timeAt(QPointF position) const {
    const app::PlotScale& scale = m_overlay.scale();
    return std::clamp(scale.valueX(position.x()), scale.xMin, scale.xMax);
}

void ChartView::setTableShown(bool isShown) {
    if (isShown == isTableShown()) {
        return;
    }
    if (!isShown) {
        m_table->hide();
        setFocus();
        return;
    }
    if (m_table == nullptr) {
        m_table = new QTableView(this);
        m_tableModel = new PlotTable(m_table);
        m_table->setModel(m_tableModel);
        m_table->verticalHeader()->hide();
        m_table->verticalHeader()->setDefaultSectionSize(size::kRow);
        m_table->horizontalHeader()->setHighlightSections(false);
        m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
        m_table->setShowGrid(false);
        m_table->setSelectionMode(QAbstractItemView::ContiguousSelection);
        // The table would take letters for its search.
        connect(new QShortcut(Qt::Key_T, m_table), &QShortcut::activated, this,
                [this] { setTableShown(false); });
        connect(new QShortcut(QKeySequence::Copy, m_table), &QShortcut::activated, this,
                &ChartView::copyValues);
    }
    m_table->setAccessibleName(m_plot.title);
    m_tableModel->setPlot(m_shown);
    placeTable();
    m_table->show();
    m_table->setFocus();
}

bool ChartView::isTableShown() const {
    return m_table != nullptr && !m_table->isHidden();
}

void ChartView::placeTable() {
    if (m_table != nullptr) {
        const int top = static_cast<int>(m_overlay.plotArea().top()) - 20;
        m_table->setGeometry(8, top, width() - 16, std::max(0, height() - top - 8));
    }
}

void ChartView::copyValues() const {
    QApplication::clipboard()->setText(plotAsText(m_shown));
}

void ChartView::copyPicture() {
    QApplication::clipboard()->setPixmap(grab());
}

void ChartView::describe() {
    setAccessibleName(m_plot.title.isEmpty() ? tr("Chart") : m_plot.title);
    setProperty("definition", m_plot.key); // what F1 opens
    // Only for those who listen: it is text work at every tick.
    if (QAccessible::isActive()) {
        setAccessibleDescription(m_overlay.spokenValues());
    }
}

} // namespace ui
