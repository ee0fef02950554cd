// The table of measures of an experiment: both sides, difference with interval, relative bar, Holm
// p, verdict. UI thread.
#pragma once

#include "app/experiment/verdict.h"
#include "ui/models/table_model.h"
#include "ui/widgets/table_view.h"

namespace ui {

enum class MeasureColumn : std::uint8_t { Measure, A, B, Difference, Interval, Bar, P, Verdict };

using MeasureModel = TableModel<app::MeasureVerdict>;
// `scale`: of the bars' column, as a share; read at each call.
std::vector<Column<app::MeasureVerdict>> measureColumns(std::function<double()> scale);
double measureScale(const MeasureModel& model);

class MeasureDelegate final : public TableDelegate {
    Q_OBJECT

public:
    explicit MeasureDelegate(const MeasureModel& model, QObject* parent = nullptr);

protected:
    CellStyle style(const QModelIndex& index) const override;
    void paintCell(QPainter& painter, const QRect& bounds, const QModelIndex& index) const override;

private:
    const MeasureModel& m_model;
};

} // namespace ui
