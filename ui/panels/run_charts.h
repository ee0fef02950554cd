// The charts of one recorded run with its events: the crosshair, keys, zoom and selection of the
// live page over data that stands still. Charts are made anew in turn when the view moves. UI
// thread.
#pragma once

#include "app/compare/run_views.h"
#include "app/plot/curve_cache.h"

#include <QStringList>
#include <QWidget>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace app {
struct ChartRow;
}

class QGridLayout;
class QTimer;

namespace ui {

class ChartGroup;
class ChartView;
class ChartWindow;
class EventStrip;
class LiveEvents;

class RunCharts final : public QWidget {
    Q_OBJECT

public:
    explicit RunCharts(QWidget* parent = nullptr);
    ~RunCharts() override;

    // The same run read anew keeps its place and its selection.
    void setRun(const app::OpenedRun& run);
    void setTakesBookmarks(bool takes);
    ChartGroup& group() const { return *m_group; }
    EventStrip* events() const { return m_events; }
    const std::vector<ChartView*>& charts() const { return m_charts; }
    // Key and title of what the run has data for; which of them are shown is kept for other runs.
    const std::vector<std::pair<QString, QString>>& available() const { return m_available; }
    void setChartShown(const QString& key, bool isShown);
    bool isChartShown(const QString& key) const;
    ChartWindow* popOut(const QString& key); // the one there is, or a new one

Q_SIGNALS:
    void selectionChanged();
    void splitRequested(double seconds);
    void bookmarkNamed(double seconds, const QString& name);
    void bookmarkRemoved(double seconds, const QString& name);

protected:
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void feedNext();
    void feed(ChartView& chart, const QString& key);
    void feedEvents();
    void beginFeed();
    void placeCharts();
    void askForBookmark(double seconds);
    std::optional<double> placeOf(int number) const;

    const app::History& historyOf(const app::ChartRow& row) const;
    void askForSeconds();

    app::OpenedRun m_opened;
    std::shared_ptr<const app::RunData> m_run;   // of it
    std::shared_ptr<const app::FinePart> m_fine; // of a long run, around the view; null before
    int m_fineNumber = 0;                        // newest read; older ones are dropped
    bool m_isReading = false;
    app::CurveCache m_cache; // of its curves
    ChartGroup* m_group;
    std::vector<ChartView*> m_charts;
    std::vector<std::pair<QString, ChartWindow*>> m_windows; // by the key of their chart
    std::vector<std::pair<QString, QString>> m_available;
    QStringList m_more, m_hidden; // beside and of the default ones
    QGridLayout* m_grid;
    EventStrip* m_events;
    LiveEvents* m_effects;
    QTimer* m_feedTimer;
    std::size_t m_next = 0, m_remaining = 0;
};

} // namespace ui
