// The alarms as a table over the window: figure, limit, state; acknowledge and mute. Shows
// what it is told; the window decides. UI thread.
#pragma once

#include "ui/frame/overlay_card.h"

#include <vector>

class QGridLayout;
class QLabel;
class QPushButton;

namespace app {
class Alarms;
}

namespace ui {

class AlarmCard final : public OverlayCard {
    Q_OBJECT

public:
    explicit AlarmCard(QWidget* window);
    void follow(const app::Alarms& alarms);

Q_SIGNALS:
    void acknowledged(std::size_t rule); // rows of app::alarmTable()
    void muteChosen(std::size_t rule, bool isMuted);
    void limitsRequested(); // the page where they are set

protected:
    QSize cardSize(QSize window) const override;
    int cardTop(QSize window) const override;
    QWidget* firstFocus() override;
    void prepare() override;

private:
    struct Row {
        QLabel* name;
        QLabel* figure;
        QLabel* limit;
        QLabel* state;
        QPushButton* acknowledge;
        QPushButton* mute;
    };

    Row makeRow(QGridLayout* grid, std::size_t rule);

    QLabel* m_title;
    QPushButton* m_limits;
    QPushButton* m_close;
    std::vector<Row> m_rows;
};

} // namespace ui
