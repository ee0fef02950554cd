// Experiments: a list, one experiment running in place or finished, the claims table, and the views
// beside them. The log is read in the background. UI thread.
#pragma once

#include "app/experiment/claims.h"
#include "app/experiment/experiment_run.h"
#include "app/experiment/tuner.h"
#include "ui/pages/page.h"

#include <deque>
#include <filesystem>
#include <memory>

class QLineEdit;
class QPushButton;
class QStackedWidget;

namespace app {
class Session;
}

namespace ui {

class AdvisorView;
class ClaimsView;
class ExperimentEditor;
class ExperimentList;
class ExperimentView;
class ReplayView;
class TabRow;
class TunerView;

class ExperimentsPage final : public Page {
    Q_OBJECT

public:
    ExperimentsPage(app::Session& session, QWidget* parent = nullptr);
    ~ExperimentsPage() override;

    QString title() const override;
    void setShown(bool isShown) override;
    QList<PageAction> actions() override;
    QList<KeyHint> keys() const override;
    QWidget* firstFocus() override;
    void openArgument(const QString& argument) override; // "claims", or an experiment's name

    const ExperimentView* view() const { return m_view; }
    const ClaimsView* claims() const { return m_claims; }
    TunerView* tuner() const { return m_tuner; }
    AdvisorView* advisor() const { return m_advisor; }
    ReplayView* replay() const { return m_replay; }
    ExperimentList* list() const { return m_list; }
    const app::ExperimentRun* run() const { return m_run.get(); }
    void showTab(int index);
    void start(app::Experiment experiment, app::BlockSchedule schedule = {});
    // Goes on with the experiment shown where the same model is loaded; else says why not.
    void continueShown(int blocks);
    void startSearch();
    void resumeSearch(); // goes on with the one shown, its blocks kept
    void proveSettings(const app::SettingTexts& settings);
    void stop();
    // Writes the report of the experiment shown, or of the claims: .html, .pdf, .md, .json.
    void exportTo(const QString& file, bool isOfClaims);

Q_SIGNALS:
    void listed(); // results were read anew
    void exported(const QString& file, const QString& problem);
    void contentShown(); // the chosen experiment is there with its pictures

protected:
    void changeEvent(QEvent* event) override;

private:
    QWidget* buildExperiments();
    void buildViews(); // beside the tuner
    void feedViews();  // with the runs of the log, in the background
    void feedAdvisor();
    void launch(std::unique_ptr<app::ExperimentRun> run);
    void refreshResults();
    void takeResults(std::vector<app::ExperimentResult> results);
    void fillList();
    void fillClaims();
    void showChosen();
    void showResult(const app::ExperimentResult& result, const std::filesystem::path& log);
    void readForeign(std::filesystem::path log, std::int64_t run); // 0: none is chosen
    void chooseRun(std::int64_t run);
    void showPlanned(const app::Experiment& experiment);
    void showRunning();
    void runFinished();
    void startNext();
    void showSearch();
    void aimFor(const app::ServiceLimits& limits);
    void restoreTarget();
    bool canStart() const;
    QString stateText() const;
    void copyShown();
    void applyShown();
    void applySettings(const app::SettingTexts& settings, const QString& name);
    void openReportMenu(QPushButton* below, bool isOfClaims);
    void retranslate();

    app::Session& m_session;
    std::unique_ptr<app::ExperimentRun> m_run;
    std::deque<app::Experiment> m_queue; // of "Run all"
    std::vector<app::ExperimentResult> m_results;
    std::vector<app::ExperimentResult> m_foreign; // of another log: at first the example
    std::filesystem::path m_foreignLog, m_shownLog;
    bool m_isExample = true;
    std::optional<std::int64_t> m_wantedRun; // to be chosen once it is listed
    std::vector<app::Experiment> m_library, m_own;
    int m_resultNumber = 0, m_contentNumber = 0; // newest background read; older ones are dropped
    bool m_isShown = false;
    std::optional<std::pair<double, double>>
        m_targetBefore;             // of the service, during a search or its proof
    std::int64_t m_searchShown = 0; // the run whose limits the tuner's form has
    qint64 m_lastPictures = 0;      // when the running one's pictures were made, ms

    TabRow* m_tabs = nullptr;
    QStackedWidget* m_stack = nullptr;
    QLineEdit* m_search = nullptr;
    QPushButton* m_new = nullptr;
    ExperimentList* m_list = nullptr;
    QStackedWidget* m_content = nullptr;
    ExperimentView* m_view = nullptr;
    ExperimentEditor* m_editor = nullptr;
    ClaimsView* m_claims = nullptr;
    TunerView* m_tuner = nullptr;
    AdvisorView* m_advisor = nullptr;
    ReplayView* m_replay = nullptr;
};

} // namespace ui
