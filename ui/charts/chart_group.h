// What the charts of a page share: the span they show, the crosshair, the selection, the markers.
// UI thread.
#pragma once

#include "app/plot/plot.h"
#include "ui/charts/overlay.h"
#include "ui/charts/time_view.h"

#include <QObject>

#include <optional>
#include <vector>

class QKeyEvent;

namespace ui {

class ChartView;

class ChartGroup final : public QObject {
    Q_OBJECT

public:
    explicit ChartGroup(QObject* parent) : QObject(parent) {}

    void add(ChartView* chart);
    void remove(ChartView* chart);
    const std::vector<ChartView*>& charts() const { return m_charts; }
    // One left margin for all that is seen: a time stands at the same place in charts one above the
    // other.
    double leftMargin() const { return m_left; }
    void alignCharts();

    const TimeView& view() const { return m_view; }
    void setEnd(double seconds); // silent: the feed that calls it paints anyway
    // Another run: all of it, nothing selected.
    void beginRun(double end, double firstSpan);
    void setMarkers(std::vector<app::Marker> markers) { m_markers = std::move(markers); }

    void choose(SpanChoice span);
    void setFollowing(bool isFollowing);
    void fit();
    void zoom(double factor, double at);
    void pan(double share);
    void center(double seconds);
    void goToMarker(int number);
    void stepMarker(int direction); // from the crosshair, or from the right edge

    void setCrosshair(std::optional<double> x);
    std::optional<double> crosshair() const { return m_crosshair; }
    void select(std::optional<Overlay::SpanOfTime> span);
    std::optional<Overlay::SpanOfTime> selection() const { return m_selection; }

    void zoomToSelection(); // or nothing
    // The crosshair by pixels of a chart, so that nothing needs the mouse.
    void stepCrosshair(double pixels);
    // One end of the selection comes to the crosshair; the other stays, or is the edge of the view.
    void selectFromCrosshair();
    void selectToCrosshair();

    // Whether places can be named; where not, M does nothing.
    void setTakesBookmarks(bool takes) { m_takesBookmarks = takes; }
    bool takesBookmarks() const { return m_takesBookmarks; }
    void requestBookmark(std::optional<double> seconds = {}); // else at the crosshair, or newest

    // W A S D, F, Z, M, brackets, arrows, comma, full stop, Esc, Space. True: used.
    bool pressKey(QKeyEvent* event);

Q_SIGNALS:
    void viewChanged(); // span, place or following
    void crosshairChanged(std::optional<double> x);
    void selectionChanged();
    void bookmarkRequested(double seconds); // ask for its name

private:
    std::vector<ChartView*> m_charts;
    double m_left = 0.0;
    TimeView m_view;
    std::vector<app::Marker> m_markers; // in order of time
    std::optional<double> m_crosshair;
    std::optional<Overlay::SpanOfTime> m_selection;
    bool m_takesBookmarks = false;
};

} // namespace ui
