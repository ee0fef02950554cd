// The columns of the run list and how its cells are painted: ticks in the colour of their side,
// state as a tag, tails greyed below the least n. UI thread.
#pragma once

#include "app/store/run_store.h"
#include "ui/models/table_model.h"
#include "ui/widgets/table_view.h"

#include <vector>

namespace ui {

enum class RunColumn : std::uint8_t {
    Tick,
    Id,
    Name,
    Started,
    Length,
    Settings,
    Requests,
    TtftP50,
    TtftP99,
    Hits,
    ToBaseline,
    Output,
    Goodput,
    Tags
};

using RunModel = TableModel<app::RunSummary>;

// The runs that are ticked for comparison: side A first.
using RunTicks = std::vector<std::int64_t>;

// The run that others are held against, where one is pinned. Both are read at each call.
using RunBaseline = std::optional<app::RunSummary>;

std::vector<Column<app::RunSummary>> runColumns(const RunTicks& ticks, const RunBaseline& baseline);

class RunDelegate final : public TableDelegate {
    Q_OBJECT

public:
    RunDelegate(const RunModel& model, const RunTicks& ticks, const RunBaseline& baseline,
                QObject* parent = nullptr);

protected:
    CellStyle style(const QModelIndex& index) const override;
    std::optional<app::ColorRole> rowTint(const QModelIndex& index) const override;
    void paintCell(QPainter& painter, const QRect& bounds, const QModelIndex& index) const override;

private:
    std::optional<int> side(const app::RunSummary& run) const;

    const RunModel& m_model;
    const RunTicks& m_ticks;
    const RunBaseline& m_baseline;
};

} // namespace ui
