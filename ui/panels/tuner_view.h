// The tuner: limits, workload and time at the left; the measured front; what is best, what the rule
// says, what each setting moved. UI thread.
#pragma once

#include "app/experiment/tuner.h"

#include <QWidget>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;

namespace ui {

class Card;
class TunerScatter;

class TunerView final : public QWidget {
    Q_OBJECT

public:
    explicit TunerView(QWidget* parent = nullptr);

    app::ServiceLimits limits() const;
    void setLimits(const app::RunInfo& run); // those that its goodput was counted within
    double minutes() const;
    // Built in, or none: chat with as many clients as slots.
    std::optional<app::Workload> workload() const;
    void setInForce(app::SettingTexts settings); // what a choice is told against
    const std::vector<app::Block>& blocks() const { return m_blocks; }
    void setRunning(bool isRunning, bool canStart);
    void show(const app::Experiment& experiment, const std::vector<app::Block>& blocks,
              const QString& state);
    const app::Experiment& experiment() const { return m_experiment; }
    const app::TunerResult& result() const { return m_result; }
    TunerScatter* scatter() const { return m_scatter; }

Q_SIGNALS:
    void startRequested();
    void resumeRequested(); // with the blocks shown, for some minutes more
    void stopRequested();
    void applyRequested(const app::SettingTexts& settings);
    void proveRequested(const app::SettingTexts& settings); // against what is in force, A-B-A-B

protected:
    void changeEvent(QEvent* event) override;

private:
    QWidget* buildForm();
    QWidget* buildRight();
    void refresh();
    void showChosen(int point);
    void showRounds();

    app::Experiment m_experiment;
    std::vector<app::Block> m_blocks;
    app::TunerResult m_result;
    app::SettingTexts m_chosenSettings, m_inForce;
    QString m_state;
    bool m_isRunning = false, m_canStart = false;
    QLabel* m_formTitle = nullptr;
    QLabel* m_ttftName = nullptr;
    QLabel* m_tpotName = nullptr;
    QLabel* m_minutesName = nullptr;
    QDoubleSpinBox* m_ttft = nullptr;
    QDoubleSpinBox* m_tpot = nullptr;
    QDoubleSpinBox* m_minutes = nullptr;
    QLabel* m_workloadName = nullptr;
    QComboBox* m_workload = nullptr;
    QLabel* m_changes = nullptr;
    QLabel* m_roundsTitle = nullptr;
    QLabel* m_rounds = nullptr;
    QLabel* m_stateText = nullptr;
    QPushButton* m_resume = nullptr;
    QPushButton* m_start = nullptr;
    QLabel* m_title = nullptr;
    TunerScatter* m_scatter = nullptr;
    Card* m_frontCard = nullptr;
    QLabel* m_front = nullptr;
    Card* m_chosenCard = nullptr;
    QLabel* m_chosen = nullptr;
    QPushButton* m_apply = nullptr;
    QPushButton* m_prove = nullptr;
    Card* m_ruleCard = nullptr;
    QLabel* m_rule = nullptr;
    Card* m_effectsCard = nullptr;
    QLabel* m_effects = nullptr;
};

} // namespace ui
