// The tiles of the live page: which there are, how wide, and what they say about the figures.
// Values in, texts out. UI thread (translations).
#pragma once

#include "app/load/load_generator.h"
#include "app/observe/alarms.h"
#include "app/observe/live_figures.h"
#include "engine/metrics.h"
#include "ui/widgets/stat_tile.h"

#include <QWidget>

#include <span>
#include <vector>

namespace ui {

struct TileContext {
    const app::LiveFigures& figures;
    const engine::Snapshot& snapshot;
    app::ServiceTarget target;
    bool isSelection = false;  // figures of a selected span, not the newest
    const app::Alarms& alarms; // their limits and what is raised
};

struct TileRow {
    const char* chart; // the chart that a click shows
    int weight;        // share of the width
    app::AlarmTile alarm;
    TileContent (*make)(const TileContext&);
};
std::span<const TileRow> tileTable();

struct WorkloadTexts {
    QString name;    // "chat-ramp · Poisson, open loop"
    QString figures; // "wanted 16.0 · achieved 15.3 req/s · lag p99 1.1 ms"
};
// Empty texts where no workload ran yet.
WorkloadTexts workloadTexts(const app::Workload* workload, const app::LoadProgress& progress);

// The tiles in one row, or two where there is no room.
class TileStrip final : public QWidget {
    Q_OBJECT

public:
    explicit TileStrip(QWidget* parent = nullptr);
    void setContext(const TileContext& context);
    StatTile* tile(std::size_t index) const { return m_tiles[index]; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void chartRequested(const QString& key);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    int rows(int width) const;
    void placeRow(std::size_t begin, std::size_t end, int top);

    std::vector<StatTile*> m_tiles;
};

} // namespace ui
