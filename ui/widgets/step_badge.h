// A number in a circle: the steps of a way. UI thread.
#pragma once

#include <QWidget>

namespace ui {

class StepBadge final : public QWidget {
    Q_OBJECT

public:
    StepBadge(int number, bool isCurrent, QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const int m_number;
    const bool m_isCurrent;
};

} // namespace ui
