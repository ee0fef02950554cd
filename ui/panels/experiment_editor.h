// An experiment to be edited: a short form and its TOML, kept equal; saved among the operator's
// own. UI thread.
#pragma once

#include "app/experiment/experiment_draft.h"

#include <QWidget>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QTimer;

namespace ui {

class TomlEdit;

class ExperimentEditor final : public QWidget {
    Q_OBJECT

public:
    explicit ExperimentEditor(QWidget* parent = nullptr);

    void edit(const app::Experiment& experiment);
    const app::ExperimentDraft& draft() const { return m_draft; }
    TomlEdit* text() const { return m_text; }
    QSpinBox* blocks() const { return m_blocks; }

Q_SIGNALS:
    void saved(const app::Experiment& experiment);
    void cancelled();

protected:
    void changeEvent(QEvent* event) override;

private:
    void takeForm();
    void takeText();
    void showForm();
    void showProblem();
    void save();
    void retranslate();

    app::ExperimentDraft m_draft;
    bool m_isFilling = false;
    QLabel* m_title = nullptr;
    QList<QLabel*> m_names;
    QLineEdit* m_name = nullptr;
    QComboBox* m_metric = nullptr;
    QLineEdit* m_claim = nullptr;
    QSpinBox* m_blocks = nullptr;
    QDoubleSpinBox* m_measure = nullptr;
    QDoubleSpinBox* m_warmup = nullptr;
    QDoubleSpinBox* m_drain = nullptr;
    TomlEdit* m_text = nullptr;
    QLabel* m_problem = nullptr;
    QPushButton* m_save = nullptr;
    QPushButton* m_cancel = nullptr;
    QTimer* m_delay = nullptr;
};

} // namespace ui
