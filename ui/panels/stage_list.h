// The stages of a workload as rows: kind, rate or users, how it changes, seconds. UI thread.
#pragma once

#include "app/load/workload.h"

#include <QWidget>

#include <vector>

class QDoubleSpinBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace ui {

class ChoiceField;

class StageList final : public QWidget {
    Q_OBJECT

public:
    explicit StageList(QWidget* parent = nullptr);

    void setStages(const std::vector<app::Stage>& stages);
    std::vector<app::Stage> stages() const;

Q_SIGNALS:
    void changed(); // by the operator

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Row {
        QWidget* box = nullptr;
        ChoiceField* kind = nullptr;
        QDoubleSpinBox* rate = nullptr;
        QLabel* arrow = nullptr;
        QLabel* unit = nullptr;
        QDoubleSpinBox* endRate = nullptr;
        QDoubleSpinBox* burstiness = nullptr;
        QSpinBox* users = nullptr;
        QDoubleSpinBox* seconds = nullptr;
        QPushButton* remove = nullptr;
    };

    void addRow();
    void showStage(Row& row, const app::Stage& stage);
    static app::Stage stageOf(const Row& row);
    void arrange(Row& row);
    void retranslate();

    QVBoxLayout* m_list = nullptr;
    QPushButton* m_add = nullptr;
    std::vector<Row> m_rows;
};

} // namespace ui
