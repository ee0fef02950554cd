// The figures of one run in the words of another tool: its names and units, its statistics, and
// what each is in ours. UI thread.
#pragma once

#include "app/compare/dialect.h"
#include "ui/models/table_model.h"

#include <QWidget>

class QLabel;

namespace ui {

class TableView;

class DialectView final : public QWidget {
    Q_OBJECT

public:
    explicit DialectView(QWidget* parent = nullptr);

    void setFigures(app::Dialect dialect, std::vector<app::DialectFigure> figures);
    const TableModel<app::DialectFigure>& model() const { return *m_model; }

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslate();

    TableModel<app::DialectFigure>* m_model;
    TableView* m_table;
    QLabel* m_lead;
    app::Dialect m_dialect = app::Dialect::Vllm;
};

} // namespace ui
