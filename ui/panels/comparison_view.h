// Two runs, or two parts of one, against each other: difference table, settings that differ,
// environment, note, charts over each other. Shows what was computed elsewhere. UI thread.
#pragma once

#include "app/compare/run_views.h"
#include "ui/models/comparison_columns.h"

#include <QWidget>

class QBoxLayout;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace ui {

class OverlayChart;
class SettingsDifference;

class ComparisonView final : public QWidget {
    Q_OBJECT

public:
    explicit ComparisonView(QWidget* parent = nullptr);

    void setPair(app::RunPair pair);
    const app::RunPair& pair() const { return m_pair; }
    const ComparisonModel& model() const { return *m_model; }
    void setNoteEditable(bool isEditable);
    OverlayChart* distribution() const { return m_distribution; }
    OverlayChart* overTime() const { return m_overTime; }

Q_SIGNALS:
    void reportRequested(QPushButton* below);
    void swapRequested();
    void backRequested(); // from a split to its run
    void noteEdited(qint64 run, const QString& note);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* buildTable();
    QWidget* buildMiddle();
    void addCharts();
    void placeSide();
    void refresh();
    QString sideA() const; // what its column is called
    QString sideB() const;
    QString splitFacts() const;

    app::RunPair m_pair;
    QLabel* m_title = nullptr;
    QLabel* m_facts = nullptr;
    QPushButton* m_back = nullptr;
    QPushButton* m_swap = nullptr;
    QPushButton* m_report = nullptr;
    ComparisonModel* m_model = nullptr;
    TableView* m_table = nullptr;
    QLabel* m_cautions = nullptr;
    QBoxLayout* m_side = nullptr; // settings and charts: beside each other where there is room
    SettingsDifference* m_settings = nullptr;
    QLabel* m_environmentTitle = nullptr;
    QLabel* m_environment = nullptr;
    QLabel* m_noteTitle = nullptr;
    QPlainTextEdit* m_note = nullptr;
    OverlayChart* m_distribution = nullptr;
    OverlayChart* m_overTime = nullptr;
};

} // namespace ui
