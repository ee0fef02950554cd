// The difference table of two runs: values, difference in the colour of its verdict, interval,
// relative bar, verdict as word and sign. UI thread.
#pragma once

#include "app/compare/comparison.h"
#include "ui/models/table_model.h"
#include "ui/widgets/table_view.h"

namespace ui {

enum class ComparisonColumn : std::uint8_t {
    Measure,
    A,
    B,
    Difference,
    Interval,
    Bar,
    Percent,
    Verdict
};

using ComparisonModel = TableModel<app::ComparisonRow>;

// Names of the sides stand in the head; they are read at each call.
std::vector<Column<app::ComparisonRow>> comparisonColumns(std::function<QString()> nameA,
                                                          std::function<QString()> nameB,
                                                          std::function<double()> scale);
double comparisonScale(const ComparisonModel& model); // of the bars' column, as a share

class ComparisonDelegate final : public TableDelegate {
    Q_OBJECT

public:
    explicit ComparisonDelegate(const ComparisonModel& model, QObject* parent = nullptr);

protected:
    CellStyle style(const QModelIndex& index) const override;
    void paintCell(QPainter& painter, const QRect& bounds, const QModelIndex& index) const override;

private:
    const ComparisonModel& m_model;
};

} // namespace ui
