// The columns of the request table and how its cells are painted: tags, the ledger bar on a shared
// scale, the outcome with sign and word. UI thread.
#pragma once

#include "app/observe/request_row.h"
#include "ui/models/table_model.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/table_view.h"

namespace ui {

enum class RequestColumn : std::uint8_t {
    Id,
    Due,
    Lane,
    Tags,
    Prompt,
    Hit,
    Ttft,
    Ledger,
    Tpot,
    E2e,
    Output,
    Outcome
};

using RequestModel = TableModel<app::RequestRow>;

// The ledger's head names the scale; `scaleMs` is read at each call.
std::vector<Column<app::RequestRow>> requestColumns(std::function<double()> scaleMs);

struct TagLook {
    QString text;
    Tone tone = Tone::Neutral;
};
// Sample tags, then the request's label.
std::vector<TagLook> requestTags(const app::RequestRow& row);

class RequestDelegate final : public TableDelegate {
    Q_OBJECT

public:
    RequestDelegate(const RequestModel& model, std::function<double()> scaleMs,
                    QObject* parent = nullptr);

protected:
    CellStyle style(const QModelIndex& index) const override;
    void paintCell(QPainter& painter, const QRect& bounds, const QModelIndex& index) const override;

private:
    const RequestModel& m_model;
    std::function<double()> m_scaleMs;
};

} // namespace ui
