// What a model file holds and needs, from its header; read off the UI thread.
#pragma once

#include "engine/model_file.h"

#include <QDialog>

class QTableWidget;
class QLabel;

namespace ui {

class InspectionDialog final : public QDialog {
    Q_OBJECT

public:
    InspectionDialog(const QString& file, QWidget* parent);

private:
    void fill(const engine::ModelInspection& inspection);
    void addRow(const QString& name, const QString& value);

    QLabel* m_title;
    QLabel* m_note;
    QTableWidget* m_table;
};

} // namespace ui
