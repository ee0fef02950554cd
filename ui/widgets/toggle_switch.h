// An on/off switch. It shows the effective position; where that differs from the request, track and
// knob turn amber. UI thread.
#pragma once

#include <QAbstractButton>

#include <optional>

namespace ui {

class ToggleSwitch final : public QAbstractButton {
    Q_OBJECT

public:
    explicit ToggleSwitch(QWidget* parent = nullptr);

    // What is in force where it is not what is asked for; empty: as asked.
    void setEffective(std::optional<bool> effective);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    std::optional<bool> m_effective;
};

} // namespace ui
