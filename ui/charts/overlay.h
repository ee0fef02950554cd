// Everything of a chart that is words or marks: title, legend with values, axis labels, thresholds,
// markers with pins, crosshair, selection. Painted over the data by the chart view: the still part
// into its picture, the moving part on top of it, so that hovering repaints strips. UI thread.
#pragma once

#include "app/plot/plot.h"
#include "app/plot/plot_painter.h"
#include "app/plot/visible_plot.h"

#include <QRectF>
#include <QString>
#include <QStringList>

#include <optional>
#include <utility>
#include <vector>

class QPainter;

namespace ui {

class Overlay {
public:
    // Where things stand for a plot in a view of this size. `all` still has the hidden series.
    // `leastLeft`: where the plot begins at the earliest, so that the charts of a page line up.
    void layOut(const app::Plot& all, const app::Plot& shown, const QStringList& hidden,
                QSizeF size, double leastLeft = 0.0);
    double neededLeft() const { return m_neededLeft; } // for its own labels
    const QRectF& plotArea() const { return m_area; }
    const app::PlotScale& scale() const { return m_scale; }
    QRectF unitBounds() const { return m_unit; }

    // Words beside pins: on the first chart of a page only.
    void setShowsPinTexts(bool shows) { m_showsPinTexts = shows; }
    void setCrosshair(std::optional<double> x);
    std::optional<double> crosshair() const { return m_crosshair; }
    using SpanOfTime = std::pair<double, double>;
    void setSelection(std::optional<SpanOfTime> selection) { m_selection = selection; }

    // Labels, thresholds, markers, pins, notes.
    void paintStill(QPainter& painter) const;
    // Title row, selection, crosshair with dots and time.
    void paintMoving(QPainter& painter) const;

    // What must be painted again when the crosshair moves from or to x.
    std::vector<QRect> crosshairStrips(std::optional<double> x) const;
    std::optional<QString> legendKeyAt(QPointF position) const;
    std::optional<int> pinAt(QPointF position) const; // the number of its first marker
    QString pinText(QPointF position) const;
    // The same as text, for those who do not see it.
    QString spokenValues() const;

private:
    struct Entry {
        const app::Series* series = nullptr;
        bool isHidden = false;
        QRectF bounds{};
    };
    struct PinBox {
        QRectF bounds{};
        int number = 0;
        QString label;
        QString text; // of all its markers
        app::ColorRole color = app::ColorRole::Text3;
        QString beside; // shown at its right where there is room
    };

    void layOutLegend();
    void placeUnit();
    void placeLegend();
    void layOutPins();
    double readingX() const;
    QString valueText(std::optional<double> value) const;
    void paintTitle(QPainter& painter) const;
    void paintAxisLabels(QPainter& painter) const;
    void paintThresholds(QPainter& painter) const;
    void paintMarkers(QPainter& painter) const;
    void paintNotes(QPainter& painter) const;
    void paintCrosshair(QPainter& painter) const;

    const app::Plot* m_all = nullptr;
    const app::Plot* m_shown = nullptr;
    QRectF m_area;
    app::PlotScale m_scale;
    QSizeF m_size;
    std::vector<Entry> m_legend;
    double m_totalWidth = 0.0;
    std::vector<PinBox> m_pins;
    double m_headBottom = 0.0, m_neededLeft = 0.0;
    bool m_isLegendBeside = true; // of the title; else in rows of its own
    QRectF m_unit;                // where it stands: beside the title, or before the legend's rows
    bool m_showsPinTexts = false;
    std::optional<double> m_crosshair;
    std::optional<SpanOfTime> m_selection;
};

} // namespace ui
