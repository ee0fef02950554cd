// A spin box for a setting: takes any number that is typed, so that a refused one can stay and be
// explained; steps stay within the limits; the unit follows in quiet text. UI thread.
#pragma once

#include <QSpinBox>

#include <cstdint>
#include <functional>

class QLabel;

namespace ui {

class NumberField final : public QSpinBox {
    Q_OBJECT

public:
    explicit NumberField(QWidget* parent = nullptr);

    void setUnit(const QString& unit);
    // Shown instead of 0.
    void setZeroText(const QString& text);
    // Where a step from a value leads.
    void setStepper(std::function<std::int64_t(std::int64_t value, int steps)> stepper);
    void stepBy(int steps) override;

Q_SIGNALS:
    // The operator is done with a value: Enter, focus gone, or a step.
    void proposed(qint64 value);
    void abandoned(); // Esc

protected:
    QValidator::State validate(QString& input, int& position) const override;
    int valueFromText(const QString& text) const override;
    QString textFromValue(int value) const override;
    StepEnabled stepEnabled() const override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void placeUnit();

    QLabel* m_unit = nullptr;
    QString m_zeroText;
    std::function<std::int64_t(std::int64_t, int)> m_stepper;
    bool m_isTyped = false;
};

} // namespace ui
