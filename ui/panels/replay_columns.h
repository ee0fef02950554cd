// The columns of a replay's table: a figure as recorded, simulated and real, and how far off the
// simulation was. UI thread.
#pragma once

#include "app/replay.h"
#include "ui/models/table_model.h"
#include "ui/widgets/table_view.h"

namespace ui {

enum class ReplayColumn { Figure, Recorded, Simulated, Real, Error };
std::vector<Column<app::ReplayRow>> replayColumns();

class ReplayDelegate final : public TableDelegate {
    Q_OBJECT

public:
    using TableDelegate::TableDelegate;

protected:
    CellStyle style(const QModelIndex& index) const override;
};

} // namespace ui
