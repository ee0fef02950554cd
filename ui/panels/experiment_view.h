// One experiment: what is planned, its blocks over time, distributions of its sides, its measures,
// and the verdict. Shows what it is given, running or finished. UI thread.
#pragma once

#include "app/experiment/claims.h"
#include "app/plot/plot.h"
#include "ui/models/experiment_columns.h"

#include <QWidget>

#include <array>
#include <cmath>

class QLabel;
class QPushButton;

namespace ui {

class Card;
class ElidedText;
class PlotView;
class Tag;
class VerdictColumn;

struct ShownExperiment {
    app::Experiment experiment;
    std::vector<app::Block> blocks;
    app::ExperimentVerdict verdict;
    std::optional<app::RunInfo> run; // recorded or being recorded
    bool isRunning = false;
    bool canStart = true; // a model is loaded, nothing else runs
    QString state;        // "block 3 of 8, measuring", "finished in 7:44", or why it can't run
    std::vector<app::Plot> plots; // the wide one first
};

class ExperimentView final : public QWidget {
    Q_OBJECT

public:
    explicit ExperimentView(QWidget* parent = nullptr);

    void show(ShownExperiment shown);
    const ShownExperiment& shown() const { return m_shown; }
    const MeasureModel& measures() const { return *m_model; }

Q_SIGNALS:
    void startRequested();
    void stopRequested();
    void copyRequested();
    void applyRequested(); // side B
    void reportRequested(QPushButton* below);
    void moreRequested(int blocks);

protected:
    void changeEvent(QEvent* event) override;

private:
    QWidget* buildHead();
    QWidget* buildPlan();
    void refresh();
    void refreshPlan();

    ShownExperiment m_shown;
    QLabel* m_title = nullptr;
    Tag* m_state = nullptr;
    ElidedText* m_caption = nullptr;
    QPushButton* m_copy = nullptr;
    QPushButton* m_report = nullptr;
    QPushButton* m_apply = nullptr;
    QPushButton* m_start = nullptr;
    std::array<QLabel*, 5> m_planHeads{}, m_planValues{};
    std::array<ElidedText*, 5> m_planNotes{};
    Card* m_timelineCard = nullptr;
    PlotView* m_timeline = nullptr;
    QWidget* m_pair = nullptr;
    std::array<Card*, 2> m_plotCards{};
    std::array<PlotView*, 2> m_plots{};
    Card* m_tableCard = nullptr;
    MeasureModel* m_model = nullptr;
    TableView* m_table = nullptr;
    QLabel* m_foot = nullptr;
    VerdictColumn* m_verdict = nullptr;
};

} // namespace ui
