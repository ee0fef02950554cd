// A workload as a form: stages, lengths, prompts, lanes, seed. Shows a value and tells when the
// operator made another. UI thread.
#pragma once

#include "app/load/workload.h"

#include <QWidget>

#include <vector>

class QCheckBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QSpinBox;
class QVBoxLayout;

namespace ui {

class Chip;
class StageList;

class WorkloadForm final : public QWidget {
    Q_OBJECT

public:
    explicit WorkloadForm(QWidget* parent = nullptr);

    void setWorkload(const app::Workload& workload);
    app::Workload workload() const;

Q_SIGNALS:
    void changed(); // by the operator

protected:
    void changeEvent(QEvent* event) override;

private:
    QLabel* addLine(QVBoxLayout* column, const QList<QWidget*>& fields);
    void retranslate();

    app::Workload m_shown; // carries what the form has no field for
    QLabel* m_nameLabel = nullptr;
    QLineEdit* m_name = nullptr;
    QLabel* m_stagesTitle = nullptr;
    StageList* m_stages = nullptr;
    QLabel* m_requestsTitle = nullptr;
    QLabel* m_promptLabel = nullptr;
    QSpinBox* m_promptMinimum = nullptr;
    QSpinBox* m_promptMaximum = nullptr;
    QLabel* m_outputLabel = nullptr;
    QSpinBox* m_outputMinimum = nullptr;
    QSpinBox* m_outputMaximum = nullptr;
    QCheckBox* m_fixedOutput = nullptr;
    QLabel* m_setsLabel = nullptr;
    std::vector<Chip*> m_sets; // in order of promptSetNames()
    QLabel* m_batchLabel = nullptr;
    QDoubleSpinBox* m_batchShare = nullptr;
    QLabel* m_temperatureLabel = nullptr;
    QDoubleSpinBox* m_temperature = nullptr;
    QLabel* m_seedLabel = nullptr;
    QLineEdit* m_seed = nullptr;
    QLabel* m_settings = nullptr; // what the workload sets, read-only here
};

} // namespace ui
