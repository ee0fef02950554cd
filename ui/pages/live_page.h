// The figures of now: tiles, charts, events. Fed ten times a second while it is in front, charts in
// turn, so that no turn of the loop is long; nothing while it is hidden. UI thread.
#pragma once

#include "app/observe/live_figures.h"
#include "app/plot/charts.h"
#include "ui/pages/page.h"

#include <QElapsedTimer>
#include <QStringList>

#include <tuple>
#include <utility>
#include <vector>

class QComboBox;
class QGridLayout;
class QHBoxLayout;
class QPushButton;
class QScrollArea;
class QTimer;

namespace app {
class Session;
}

namespace ui {

class ChartGroup;
class ChartView;
class ChartWindow;
class ElidedText;
class EventStrip;
class LiveEvents;
class Segmented;
class TileStrip;

class LivePage final : public Page {
    Q_OBJECT

public:
    LivePage(app::Session& session, QWidget* parent);
    ~LivePage() override;

    QString title() const override;
    void setShown(bool isShown) override;
    bool hasPanelBeside() const override { return true; }
    QByteArray state() const override;
    void restoreState(const QByteArray& state) override;
    QList<PageAction> actions() override;
    QList<KeyHint> keys() const override;
    QWidget* firstFocus() override;
    QWidget* lastFocus() override;
    bool pressKey(QKeyEvent* event) override;
    void openArgument(const QString& argument) override; // seconds of the run to go to

    void setServiceTarget(double ttftMs, double tpotMs);
    ChartView* chart(const QString& key) const; // null where it is not shown
    ChartGroup& group() const { return *m_group; }
    TileStrip* tiles() const { return m_tiles; }
    EventStrip* events() const { return m_events; }
    ChartWindow* popOut(const QString& key); // the one there is, or a new one

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildToolbar();
    void tick();
    app::ChartLimits limits() const;
    void beginCycle();
    void feedNext();
    void feedMarkers();
    void feedNumbers();
    void feedTiles();
    void feedEvents();
    void showWorkload();
    void showView();
    void arrangeCharts();
    void setCharts(const QStringList& keys);
    void showChart(const QString& key);
    void openChartMenu();
    void undo(int number);
    void askForBookmark(double seconds);
    void removeBookmark(int number);
    void splitRun(int number); // of the recorded run, on the Runs page
    void retranslate();
    bool takesEveryCore() const;
    qint64 movedMs() const;
    QString chartTitle(const QString& key) const;
    static QString spanText(std::pair<double, double> span);

    app::Session& m_session;
    app::ServiceTarget m_target;
    app::SampleFilter m_filter = app::SampleFilter::Warm;
    app::TtftEdge m_edge = app::TtftEdge::Scheduled;

    ChartGroup* m_group;
    QHBoxLayout* m_toolbar = nullptr;
    Segmented* m_spans = nullptr;
    QPushButton* m_follow = nullptr;
    QComboBox* m_edges = nullptr;
    QComboBox* m_samples = nullptr;
    QPushButton* m_chartsButton = nullptr;
    QPushButton* m_selection = nullptr;
    ElidedText* m_workload = nullptr;
    ElidedText* m_workloadFigures = nullptr;
    TileStrip* m_tiles = nullptr;
    QScrollArea* m_scroll = nullptr;
    QGridLayout* m_grid = nullptr;
    EventStrip* m_events = nullptr;
    LiveEvents* m_liveEvents = nullptr;
    // Start, count and last number of the markers that the group has.
    std::tuple<engine::TimePoint, std::size_t, int> m_knownMarkers;

    struct Slot {
        QString key;
        const app::ChartRow* row = nullptr;
        ChartView* view = nullptr;
    };
    std::vector<Slot> m_charts;
    struct Window {
        ChartWindow* window = nullptr;
        Slot slot;
    };
    std::vector<Window> m_windows;  // charts popped out; fed also while the page is hidden
    std::vector<Slot> seen() const; // what is fed

    bool m_isShown = false;
    QTimer* m_feedTimer;          // 25 ms between the charts of a cycle
    std::size_t m_next = 0;       // chart that was fed last
    std::size_t m_remaining = 0;  // charts of the running cycle
    app::ChartRange m_cycleRange; // the same for all charts of a cycle
    std::size_t m_cycleMarkers = 0;
    QElapsedTimer m_cycleClock, m_tileClock;
    bool m_isViewNew = true; // moved since the last cycle
};

} // namespace ui
