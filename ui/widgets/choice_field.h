// A combo box for a setting: its list follows the style sheet, the wheel works only with focus, and
// it can show "FP16 → INT8" while something holds the value. UI thread.
#pragma once

#include <QComboBox>

namespace ui {

class ChoiceField final : public QComboBox {
    Q_OBJECT

public:
    explicit ChoiceField(QWidget* parent = nullptr);

    // Shown in the closed box instead of the current item; empty: the item itself.
    void setShownText(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    QString m_shown;
};

} // namespace ui
