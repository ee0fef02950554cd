// The claims table: one row a claim of the library, heads between its groups. UI thread.
#pragma once

#include "app/experiment/claims.h"
#include "ui/models/table_model.h"
#include "ui/widgets/table_view.h"

namespace ui {

enum class ClaimColumn : std::uint8_t { Claim, Claimed, Measured, Interval, Scale, N, Verdict };

struct ClaimLine {
    std::string group;                // of a head
    std::optional<app::ClaimRow> row; // empty: a head
};
using ClaimModel = TableModel<ClaimLine>;
std::vector<Column<ClaimLine>> claimColumns();
std::vector<ClaimLine> claimLines(const std::vector<app::ClaimRow>& rows);

class ClaimDelegate final : public TableDelegate {
    Q_OBJECT

public:
    explicit ClaimDelegate(const ClaimModel& model, QObject* parent = nullptr);

protected:
    CellStyle style(const QModelIndex& index) const override;
    std::optional<app::ColorRole> rowTint(const QModelIndex& index) const override;
    void paintCell(QPainter& painter, const QRect& bounds, const QModelIndex& index) const override;

private:
    const ClaimModel& m_model;
};

} // namespace ui
