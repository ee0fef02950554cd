// What an experiment varies, as a form: settings of A against those of B, or one setting swept over
// values. Shows a value and tells when the operator made another. UI thread.
#pragma once

#include "app/experiment/experiment.h"

#include <QWidget>

#include <array>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace ui {

class Segmented;

class SidesForm final : public QWidget {
    Q_OBJECT

public:
    explicit SidesForm(QWidget* parent = nullptr);

    void setExperiment(const app::Experiment& experiment);
    // Writes the form's sides into an experiment; sides that the form can't show stay.
    void applyTo(app::Experiment& experiment) const;
    int rowCount() const { return static_cast<int>(m_rows.size()); }
    QComboBox* valueOf(int row, int side) const; // for tests
    void addRow(const QString& key, const QString& a, const QString& b);
    void chooseSweep(bool isSweep);

Q_SIGNALS:
    void changed(); // by the operator

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Row {
        QWidget* box = nullptr;
        QComboBox* key = nullptr;
        std::array<QComboBox*, 2> values{};
        QPushButton* remove = nullptr;
    };

    void fillKeys(QComboBox* keys) const;
    void fillValues(QComboBox* values, const QString& key) const;
    void removeRow(const QWidget* box);
    void clearRows();
    void arrange();
    void retranslate();

    bool m_isOther = false; // sides that have no form: they are edited as text
    bool m_isSingle = false;
    Segmented* m_kind = nullptr;
    QWidget* m_pair = nullptr;
    QLabel* m_headA = nullptr;
    QLabel* m_headB = nullptr;
    QVBoxLayout* m_list = nullptr;
    std::vector<Row> m_rows;
    QPushButton* m_add = nullptr;
    QWidget* m_sweep = nullptr;
    QComboBox* m_sweepKey = nullptr;
    QLabel* m_sweepName = nullptr;
    QLabel* m_valuesName = nullptr;
    QLineEdit* m_values = nullptr;
    QLabel* m_other = nullptr;
};

} // namespace ui
