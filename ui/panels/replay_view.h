// Replay and what-if: a recorded run's requests, or those of a trace, under other settings; first
// simulated with measured costs, then sent really, side by side with the simulation's error. Reads
// the log in the background; runs on the session. UI thread.
#pragma once

#include "app/replay.h"
#include "ui/models/table_model.h"

#include <QWidget>

#include <memory>

class QDoubleSpinBox;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace app {
class Session;
}

namespace ui {

class Card;
class ChoiceField;
class FieldRow;
class PlotView;
class TableView;
class Tag;

using ReplayModel = TableModel<app::ReplayRow>;

class ReplayView final : public QWidget {
    Q_OBJECT

public:
    ReplayView(app::Session& session, QWidget* parent = nullptr);

    // Runs of the session's log, newest first.
    void setRuns(std::vector<app::RunSummary> runs);
    void chooseRun(std::int64_t run);
    void openTrace(const QString& file);
    void changeSetting(const QString& key, const QString& value);
    void setFirstSeconds(double seconds); // 0: all of it
    void simulate();
    void runReally();

    const std::optional<app::Replay>& source() const { return m_source; }
    const ReplayModel& rows() const { return *m_model; }
    const std::optional<app::RunSummary>& simulated() const { return m_simulated; }
    const std::optional<app::RunSummary>& real() const { return m_real; }
    QString problem() const;
    bool isBusy() const { return m_isReading || m_isSimulating || m_isRunning; }

Q_SIGNALS:
    void changed(); // something was read, simulated or run, or could not be

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Source {
        app::Replay replay;
        std::shared_ptr<const app::RunData> recorded; // null of a trace
    };
    QWidget* buildForm();
    QWidget* buildResult();
    void takeSource(engine::Result<Source> source);
    void showSource();
    void addSetting(const std::string& key);
    void presentSettings();
    app::Replay wantedList() const;
    bool canRun() const;
    void followLoad();
    void takeReal(engine::Result<app::RunData> run);
    void fail(const QString& problem);
    void refresh();
    void showState();
    void fillRuns();
    void retranslate();

    app::Session& m_session;
    std::vector<app::RunSummary> m_runs;
    std::optional<app::Replay> m_source;
    std::shared_ptr<const app::RunData> m_recorded; // that the list is of, or that has the costs
    bool m_isOfTrace = false;
    engine::EngineConfig m_config; // that is tried
    std::vector<FieldRow*> m_settings;
    std::optional<app::RunSummary> m_simulated, m_real;
    std::shared_ptr<const app::RunData> m_realRun;
    engine::EngineConfig m_before; // in force before the real run
    std::int64_t m_realId = 0;
    QString m_problem, m_simulationNote;
    int m_number = 0; // newest background work; older results are dropped
    bool m_isReading = false, m_isSimulating = false, m_isRunning = false;

    QLabel* m_listTitle = nullptr;
    ChoiceField* m_choice = nullptr;
    QPushButton* m_trace = nullptr;
    QLabel* m_facts = nullptr;
    QLabel* m_costsName = nullptr;
    ChoiceField* m_costs = nullptr;
    QLabel* m_firstName = nullptr;
    QDoubleSpinBox* m_first = nullptr;
    QLabel* m_changesTitle = nullptr;
    QVBoxLayout* m_settingList = nullptr;
    ChoiceField* m_add = nullptr;
    QPushButton* m_simulate = nullptr;
    QPushButton* m_run = nullptr;
    QLabel* m_title = nullptr;
    Tag* m_state = nullptr;
    ReplayModel* m_model = nullptr;
    TableView* m_table = nullptr;
    QLabel* m_note = nullptr;
    Card* m_plotCard = nullptr;
    PlotView* m_plot = nullptr;
};

} // namespace ui
