// One run opened: its figures (of all of it or of a selected span), its charts with events, what
// ran. Shows what was read elsewhere. UI thread.
#pragma once

#include "app/compare/dialect.h"
#include "app/compare/run_views.h"

#include <QWidget>

#include <array>

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QScrollArea;
class QStackedWidget;
class QTimer;

namespace ui {

class Figure;
class DialectView;
class ElidedText;
class RunCharts;
class Tag;

class RunView final : public QWidget {
    Q_OBJECT

public:
    explicit RunView(QWidget* parent = nullptr);

    void setRun(app::OpenedRun run);
    const app::OpenedRun& run() const { return m_run; }
    // Of a log that this program writes: note and bookmarks.
    void setEditable(bool isEditable);
    RunCharts* charts() const { return m_charts; }
    // As which tool names the figures; empty: as this program does, with charts.
    void readAs(std::optional<app::Dialect> dialect);
    const DialectView* dialectView() const { return m_dialectView; }
    // The figure in a place of the row, as text: "TTFT p50 34 ms n 431".
    QString figureText(std::size_t place) const;

Q_SIGNALS:
    void figuresShown(); // of a new run or another span
    void splitRequested(double seconds);
    void bookmarkNamed(double seconds, const QString& name);
    void bookmarkRemoved(double seconds, const QString& name);
    void reportRequested(QPushButton* below);
    void experimentRequested(); // that the run was recorded for
    void noteEdited(qint64 run, const QString& note);

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    void showFigures(const app::RunSummary& summary);
    void openChartMenu();
    void showDialect();
    void showSpan(); // the figures of the selection, or of the whole run

    app::OpenedRun m_run;
    QLabel* m_title = nullptr;
    Tag* m_state = nullptr;
    ElidedText* m_facts = nullptr;
    QPushButton* m_report = nullptr;
    QPushButton* m_experiment = nullptr;
    QPushButton* m_chartsButton = nullptr;
    std::array<Figure*, 7> m_figures{};
    RunCharts* m_charts = nullptr;
    QComboBox* m_dialects = nullptr;
    QStackedWidget* m_pictures = nullptr; // charts, or a table of another tool's figures
    DialectView* m_dialectView = nullptr;
    QPushButton* m_span = nullptr; // the selected span; a click clears it
    QTimer* m_spanDelay = nullptr;
    int m_spanNumber = 0;             // newest slice; older ones are dropped
    QScrollArea* m_ranWith = nullptr; // settings, machine, note
    QLabel* m_settingsTitle = nullptr;
    QLabel* m_settings = nullptr;
    QLabel* m_machineTitle = nullptr;
    QLabel* m_machine = nullptr;
    QLabel* m_noteTitle = nullptr;
    QPlainTextEdit* m_note = nullptr;
};

} // namespace ui
