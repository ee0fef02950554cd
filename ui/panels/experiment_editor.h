// An experiment to be edited: as a form (what varies, the measure and its claim, the workload, the
// blocks and when they end) and as TOML, kept equal; saved among the operator's own. UI thread.
#pragma once

#include "app/experiment/experiment_draft.h"

#include <QWidget>

class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QTimer;
class QVBoxLayout;

namespace ui {

class SidesForm;
class TomlEdit;
class WorkloadForm;

class ExperimentEditor final : public QWidget {
    Q_OBJECT

public:
    explicit ExperimentEditor(QWidget* parent = nullptr);

    void edit(const app::Experiment& experiment);
    const app::ExperimentDraft& draft() const { return m_draft; }
    TomlEdit* text() const { return m_text; }
    QSpinBox* blocks() const { return m_blocks; }
    SidesForm* sides() const { return m_sides; }
    WorkloadForm* workload() const { return m_workload; }
    QComboBox* workloadName() const { return m_workloadName; }
    QComboBox* statistic() const { return m_statistic; }
    QDoubleSpinBox* stopAt() const { return m_stopAt; }

Q_SIGNALS:
    void saved(const app::Experiment& experiment);
    void cancelled();

protected:
    void changeEvent(QEvent* event) override;

private:
    QWidget* buildForm();
    QFormLayout* addSection(QVBoxLayout* column);
    QLabel* addRow(QFormLayout* form, QWidget* field);
    void takeForm();
    void takeText();
    void showForm();
    void showProblem();
    void save();
    void fillChoices();
    void retranslate();

    app::ExperimentDraft m_draft;
    bool m_isFilling = false;
    QLabel* m_title = nullptr;
    QList<QLabel*> m_sections, m_names;
    QLineEdit* m_name = nullptr;
    QComboBox* m_method = nullptr;
    SidesForm* m_sides = nullptr;
    QComboBox* m_metric = nullptr;
    QComboBox* m_statistic = nullptr;
    QComboBox* m_lane = nullptr;
    QLineEdit* m_claim = nullptr;
    QComboBox* m_workloadName = nullptr; // built in, or the experiment's own
    QDoubleSpinBox* m_saturation = nullptr;
    WorkloadForm* m_workload = nullptr;
    QSpinBox* m_blocks = nullptr;
    QDoubleSpinBox* m_measure = nullptr;
    QDoubleSpinBox* m_warmup = nullptr;
    QDoubleSpinBox* m_drain = nullptr;
    QDoubleSpinBox* m_stopAt = nullptr; // percent
    TomlEdit* m_text = nullptr;
    QLabel* m_problem = nullptr;
    QPushButton* m_save = nullptr;
    QPushButton* m_cancel = nullptr;
    QTimer* m_delay = nullptr;
};

} // namespace ui
