// One chart as a card: Qt Charts gives frame, axes and grid, PlotItem paints the data, Overlay
// words and marks. Everything still is kept in one picture that is made anew only when the plot,
// the size or the theme changes; hovering paints strips over it. Input is turned into calls of the
// page's ChartGroup. UI thread.
#pragma once

#include "app/plot/plot.h"
#include "ui/charts/overlay.h"

#include <QChartView>
#include <QPixmap>
#include <QStringList>

#include <optional>

class QMenu;
class QTableView;

namespace ui {

class ChartGroup;
class PlotItem;
class PlotTable;

class ChartView final : public QChartView {
    Q_OBJECT

public:
    // The group is shared by the charts of a page and outlives them.
    ChartView(ChartGroup& group, QWidget* parent);
    ~ChartView() override;

    // Shows a plot; one repaint of this chart follows.
    void setPlot(app::Plot plot);
    const app::Plot& plot() const { return m_plot; }
    // Logical pixels of the plot area: how many points are worth computing.
    int plotWidth() const;
    // Where a time lies, at the top of the plot.
    QPoint placeOf(double seconds) const;
    void setShowsPinTexts(bool shows);
    void alignLeft(); // to the group's margin
    double neededLeft() const { return m_overlay.neededLeft(); }
    QRectF unitBounds() const { return m_overlay.unitBounds(); }
    void setCanPopOut(bool can) { m_canPopOut = can; }

    void setCrosshair(std::optional<double> x);
    void setSelection(std::optional<Overlay::SpanOfTime> selection);

    QStringList hiddenSeries() const { return m_hidden; }
    void setHiddenSeries(const QStringList& keys);

    // Of latencies, where the operator chose it.
    void setLogarithmic(bool isLogarithmic);
    bool isLogarithmic() const { return m_isLogarithmic; }

    void setTableShown(bool isShown);
    bool isTableShown() const;
    void copyValues() const;
    void copyPicture();

    QSize sizeHint() const override { return {480, 270}; }
    QSize minimumSizeHint() const override { return {280, 150}; }

Q_SIGNALS:
    void markerActivated(int number);
    void hiddenSeriesChanged(const QStringList& keys);
    void logarithmicChanged(bool isLogarithmic);
    void popOutRequested();

protected:
    void changeEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void choose(); // what of the plot is drawn
    void layOut();
    void makePicture();
    void repaintAll();
    void addSeries(QMenu& menu);
    void pressLegend(const QString& key, Qt::KeyboardModifiers modifiers);
    double timeAt(QPointF position) const;
    void placeTable();
    void describe();

    ChartGroup& m_group;
    app::Plot m_plot;  // with the hidden series
    app::Plot m_shown; // as drawn
    QStringList m_hidden;
    Overlay m_overlay;
    PlotItem* m_item;
    QPixmap m_picture;
    bool m_isStale = true;
    bool m_isLogarithmic = false;
    bool m_canPopOut = false;
    std::optional<double> m_dragFrom; // time where a selection began
    std::optional<QPointF> m_panFrom;
    QTableView* m_table = nullptr;
    PlotTable* m_tableModel = nullptr;
};

} // namespace ui
