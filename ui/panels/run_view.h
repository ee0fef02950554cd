// One run opened: its figures, its charts with markers, what ran. Shows what was read elsewhere. UI
// thread.
#pragma once

#include "app/compare/run_views.h"

#include <QWidget>

#include <array>

class QGridLayout;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace ui {

class Figure;
class PlotView;
class Tag;

class RunView final : public QWidget {
    Q_OBJECT

public:
    explicit RunView(QWidget* parent = nullptr);

    void setRun(app::OpenedRun run);
    const app::OpenedRun& run() const { return m_run; }
    void setNoteEditable(bool isEditable);

Q_SIGNALS:
    void reportRequested(QPushButton* below);
    void noteEdited(qint64 run, const QString& note);

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    void showFigures(const app::RunSummary& summary);

    app::OpenedRun m_run;
    QLabel* m_title = nullptr;
    Tag* m_state = nullptr;
    QLabel* m_facts = nullptr;
    QPushButton* m_report = nullptr;
    std::array<Figure*, 7> m_figures{};
    QGridLayout* m_charts = nullptr;
    std::vector<PlotView*> m_plots;
    QLabel* m_settingsTitle = nullptr;
    QLabel* m_settings = nullptr;
    QLabel* m_machineTitle = nullptr;
    QLabel* m_machine = nullptr;
    QLabel* m_noteTitle = nullptr;
    QPlainTextEdit* m_note = nullptr;
};

} // namespace ui
