// Three to five runs side by side: every measure of each with its difference to the first, settings
// that differ, and TTFT over the run as small pictures on one scale. Shows what was computed
// elsewhere. UI thread.
#pragma once

#include "app/compare/run_views.h"
#include "ui/models/table_model.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace ui {

class PlotView;
class TableView;

// A measure or a setting; one cell a run.
struct SetRow {
    struct Cell {
        QString value;
        QString difference; // to the first run; empty for that one
        app::Verdict verdict = app::Verdict::None;
        QString tip;
    };
    QString name;
    QString unit;
    std::vector<Cell> cells;
};
std::vector<SetRow> setRows(const app::RunSet& set);

class RunSetView final : public QWidget {
    Q_OBJECT

public:
    explicit RunSetView(QWidget* parent = nullptr);

    void setRuns(app::RunSet set);
    const app::RunSet& runs() const { return m_set; }
    const TableView* table() const { return m_table; }

Q_SIGNALS:
    void reportRequested(QPushButton* below);

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();

    app::RunSet m_set;
    QLabel* m_title = nullptr;
    QLabel* m_facts = nullptr;
    QPushButton* m_report = nullptr;
    TableView* m_table = nullptr;
    TableModel<SetRow>* m_model = nullptr; // made anew: its columns are the runs
    QLabel* m_cautions = nullptr;
    QVBoxLayout* m_pictures = nullptr;
    std::vector<PlotView*> m_plots;
};

} // namespace ui
