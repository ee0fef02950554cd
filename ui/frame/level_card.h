// The levels of degradation over the window: what is in force and why, the list of what each level
// does, what the last change did. Shows what it is told; the window decides. UI thread.
#pragma once

#include "engine/serving.h"
#include "ui/frame/overlay_card.h"

#include <vector>

class QComboBox;
class QGridLayout;
class QLabel;
class QPushButton;

namespace ui {

class LevelCard final : public OverlayCard {
    Q_OBJECT

public:
    explicit LevelCard(QWidget* window);
    void follow(const engine::ServingStatus& status, const engine::EngineConfig& requested);

Q_SIGNALS:
    void chosen(const QString& field, const QString& value); // of the settings
    void limitsRequested();                                  // the panel where they are set
    void lightModelRequested();                              // a file for it

protected:
    QSize cardSize(QSize window) const override;
    int cardTop(QSize window) const override;
    QWidget* firstFocus() override;
    void prepare() override;

private:
    struct Line {
        QLabel* level;
        QLabel* name;
        QLabel* change;
        QLabel* state;
        QComboBox* choice;
        QString field; // that the choice edits
    };

    QComboBox* makeChoice(const engine::Field& field);
    Line makeLine(QGridLayout* grid, int row);
    void showLine(Line& line, const engine::LevelAction& action,
                  const engine::EngineConfig& requested);
    void showEffect(const engine::ServingStatus& status);

    QLabel* m_title;
    QPushButton* m_light;
    QPushButton* m_limits;
    QPushButton* m_close;
    QLabel* m_modeLabel;
    QComboBox* m_mode;
    QLabel* m_figures;
    std::vector<Line> m_lines;
    QLabel* m_effect;
    QPushButton* m_undo;
    int m_undoLevel = 0;
};

} // namespace ui
