// The advisor: the plain rule for the operator's limits beside what recorded runs and the last
// search measured, each to be applied live. Shows what it is given. UI thread.
#pragma once

#include "app/experiment/advice.h"
#include "ui/models/table_model.h"
#include "ui/widgets/table_view.h"

#include <QWidget>

class QDoubleSpinBox;
class QLabel;
class QPushButton;

namespace ui {

class Card;

// A way to serve: what it is, and what was measured of it, if anything.
struct AdviceRow {
    enum class Kind : std::uint8_t { Rule, BestRun, Search, InForce };
    Kind kind = Kind::Rule;
    app::SettingTexts settings{};
    std::optional<std::int64_t> run{}; // that measured it
    std::optional<double> ttftP99Ms{}, tpotP99Ms{}, outputPerSecond{}, requestsPerSecond{};
    std::int64_t n = 0;
    bool isWithin = false;
};
using AdviceModel = TableModel<AdviceRow>;

class AdvisorView final : public QWidget {
    Q_OBJECT

public:
    explicit AdvisorView(QWidget* parent = nullptr);

    app::ServiceLimits limits() const;
    // What is known: the runs of the log, the search that ended last, what is in force.
    void setRuns(std::vector<app::RunSummary> runs);
    void setSearch(std::optional<AdviceRow> optimum);
    void setInForce(app::SettingTexts settings);
    void setCanApply(bool canApply);
    const AdviceModel& rows() const { return *m_model; }
    TableView* table() const { return m_table; }

Q_SIGNALS:
    void applyRequested(const app::SettingTexts& settings);
    void runRequested(std::int64_t run);
    void searchRequested(); // in the tuner
    void limitsChanged();

protected:
    void changeEvent(QEvent* event) override;

private:
    QWidget* buildForm();
    void refresh();
    void showChosen();

    std::vector<app::RunSummary> m_runs;
    std::optional<AdviceRow> m_search;
    app::SettingTexts m_inForce;
    bool m_canApply = false;
    QLabel* m_formTitle = nullptr;
    QLabel* m_ttftName = nullptr;
    QLabel* m_tpotName = nullptr;
    QDoubleSpinBox* m_ttft = nullptr;
    QDoubleSpinBox* m_tpot = nullptr;
    QLabel* m_note = nullptr;
    QPushButton* m_searchButton = nullptr;
    QLabel* m_title = nullptr;
    Card* m_ruleCard = nullptr;
    QLabel* m_rule = nullptr;
    Card* m_measuredCard = nullptr;
    QLabel* m_measured = nullptr;
    Card* m_tableCard = nullptr;
    AdviceModel* m_model = nullptr;
    TableView* m_table = nullptr;
    QPushButton* m_apply = nullptr;
    QPushButton* m_open = nullptr;
};

} // namespace ui
