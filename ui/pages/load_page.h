// Load: the workload at the left, as a form and as TOML; at the right its arrivals before the
// start, then achieved over wanted, lag and progress. UI thread; lists are planned in the
// background.
#pragma once

#include "app/load/load_preview.h"
#include "app/load/trace.h"
#include "app/load/workload_draft.h"
#include "ui/pages/page.h"

class QComboBox;
class QLabel;
class QPushButton;
class QStackedWidget;
class QTimer;
class QVBoxLayout;

namespace app {
class Session;
}

namespace ui {

class Banner;
class Card;
class Figure;
class PlotView;
class Segmented;
class TomlEdit;
class WorkloadForm;

class LoadPage final : public Page {
    Q_OBJECT

public:
    LoadPage(app::Session& session, QWidget* parent = nullptr);

    QString title() const override;
    void setShown(bool isShown) override;
    bool hasPanelBeside() const override { return true; }
    QList<PageAction> actions() override;
    QList<KeyHint> keys() const override;
    QWidget* firstFocus() override;
    void openArgument(const QString& argument) override; // a built-in name or a file

    const app::WorkloadDraft& draft() const { return m_draft; }
    void setWorkload(const app::Workload& workload);
    TomlEdit* editor() const { return m_editor; }
    WorkloadForm* form() const { return m_form; }
    const app::Plot& shownPlot() const;
    // Of an opened trace, while the workload is not edited; else empty.
    std::size_t traceRequests() const { return ownList().size(); }

Q_SIGNALS:
    void fileOpened(); // or refused: the problem says why

public:
public Q_SLOTS:
    void startOrStop();

protected:
    void changeEvent(QEvent* event) override;

private:
    void buildWorkload(QWidget* side);
    void buildRun(QVBoxLayout* column);
    void fillPresets();
    void takeForm();
    void takeText();
    void showDraft();
    void showProblem();
    void planPreview();
    void showPlot();
    void follow();
    void refreshButtons();
    void openFile();
    void saveFile();
    void openWorkload(const QString& nameOrFile);
    void openTrace(const QString& file);
    void takeTrace(const QString& file, engine::Result<app::Trace> trace);
    const std::vector<app::PlannedRequest>& ownList() const; // empty: the workload's own
    void retranslate();

    app::Session& m_session;
    app::WorkloadDraft m_draft;
    app::LoadPreview m_preview;
    app::RateTrace m_trace;
    // Recorded arrivals of another system, sent as they are while the workload stands for them.
    struct TraceList {
        app::Workload workload;
        std::vector<app::PlannedRequest> requests;
        QString origin; // "Azure, 120 requests"
    };
    std::optional<TraceList> m_list;
    int m_planNumber = 0; // of the newest background plan; older results are dropped
    int m_openNumber = 0; // of the newest file that was asked for, likewise
    bool m_isShown = false;
    QString m_startProblem;

    QLabel* m_workloadTitle = nullptr;
    QComboBox* m_presets = nullptr;
    QPushButton* m_open = nullptr;
    QPushButton* m_save = nullptr;
    Segmented* m_view = nullptr;
    QStackedWidget* m_stack = nullptr;
    WorkloadForm* m_form = nullptr;
    TomlEdit* m_editor = nullptr;
    QLabel* m_problem = nullptr;
    QTimer* m_textDelay = nullptr;
    QTimer* m_planDelay = nullptr;

    QLabel* m_origin = nullptr; // of a trace
    QLabel* m_name = nullptr;
    QLabel* m_summary = nullptr;
    QPushButton* m_start = nullptr;
    Banner* m_banner = nullptr;
    Figure* m_progress = nullptr;
    Figure* m_rate = nullptr;
    Figure* m_lag = nullptr;
    Figure* m_outcomes = nullptr;
    PlotView* m_plot = nullptr;
};

} // namespace ui
