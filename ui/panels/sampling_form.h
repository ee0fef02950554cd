// How the playground samples: temperature, cuts, seed, length, the system prompt, and over which
// adapter. UI thread.
#pragma once

#include "engine/request.h"

#include <QWidget>

class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLineEdit;
class QSpinBox;

namespace ui {

class SamplingForm final : public QWidget {
    Q_OBJECT

public:
    explicit SamplingForm(QWidget* parent = nullptr);

    engine::Sampling sampling() const;
    int maxTokens() const;
    QString systemPrompt() const;
    // Of the loaded ones; empty: the model itself.
    QString adapter() const;
    // The loaded ones; a chosen one that is gone leaves the model itself. Without any there is no
    // choice to show.
    void setAdapters(const QStringList& names);
    // "greedy", or the temperature; and the adapter.
    QString summary() const;

Q_SIGNALS:
    void changed();

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslate();

    QFormLayout* m_form = nullptr;
    QLineEdit* m_system = nullptr;
    QDoubleSpinBox* m_temperature = nullptr;
    QSpinBox* m_topK = nullptr;
    QDoubleSpinBox* m_topP = nullptr;
    QDoubleSpinBox* m_minP = nullptr;
    QSpinBox* m_seed = nullptr;
    QSpinBox* m_maxTokens = nullptr;
    QComboBox* m_adapter = nullptr;
};

} // namespace ui
