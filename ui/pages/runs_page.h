// Runs: the list of the run log, one run opened, cut in two, or several compared below it, exports,
// names, notes and deletion with undo. The log is read in the background; the session's writer
// makes the changes. UI thread.
#pragma once

#include "app/compare/run_views.h"
#include "ui/models/run_columns.h"
#include "ui/pages/page.h"

#include <filesystem>
#include <set>
#include <utility>

class QLabel;
class QLineEdit;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QTimer;
class QVBoxLayout;

namespace app {
class Session;
}

namespace ui {

class ComparisonView;
class RunSetView;
class RunView;

class RunsPage final : public Page {
    Q_OBJECT

public:
    RunsPage(app::Session& session, QWidget* parent = nullptr);
    ~RunsPage() override; // carries out a deletion that waits for its undo

    QString title() const override;
    void setShown(bool isShown) override;
    QList<PageAction> actions() override;
    QList<KeyHint> keys() const override;
    QWidget* firstFocus() override;
    bool pressKey(QKeyEvent* event) override;
    void openArgument(const QString& argument) override; // a run's id, "split:RUN:SECONDS"

    const RunModel& model() const { return *m_model; }
    const ComparisonView* comparison() const { return m_comparison; }
    RunView* opened() const { return m_opened; }
    const RunSetView* set() const { return m_set; }
    const RunTicks& ticks() const { return m_ticks; }
    bool isOwnLog() const; // of the session; others are only read

    void setTicked(std::int64_t run, bool isTicked);
    void openRun(std::int64_t run);
    // Before against after a time of the run, within a span or whole.
    void splitRun(std::int64_t run, double seconds, std::optional<std::pair<double, double>> span);
    void renameRun(std::int64_t run, const QString& name);
    void deleteRun(std::int64_t run);
    void undoDelete();
    // Others are held against it; one at a time. Again: it is let go.
    void pinBaseline(std::int64_t run);
    void setTags(std::int64_t run, const QStringList& tags);
    void openLog(const std::filesystem::path& file);
    void openExample(); // the recording that is part of the program
    // Writes the report of what is open or compared: .html, .csv (a folder), .json.
    void exportTo(const QString& file);
    // Into this log: an archive, another log, or a run as JSON.
    void importFile(const QString& file);
    void archiveRun(std::int64_t run, const QString& file); // a log that holds just it
    // What can be read of a damaged log, into a new one, which is opened then.
    void salvage(const QString& damaged, const QString& target);

Q_SIGNALS:
    void listed();       // the list was read anew
    void contentShown(); // a run or a comparison has appeared
    void exported(const QString& file, const QString& problem);

protected:
    void changeEvent(QEvent* event) override;

private:
    void buildToolbar(QVBoxLayout* column);
    void buildList(QVBoxLayout* column);
    void refreshList();
    void takeList(engine::Result<std::vector<app::RunSummary>> runs);
    void applyFilter();
    void fitList();
    void showContent();
    void showSentence(const QString& sentence);
    void commitDeletion();
    void editName(int row);
    void editTags(int row);
    void splitOpened(double seconds);
    void saveNote(std::int64_t run, const QString& note);
    void openMenu(const QPoint& position);
    void openReportMenu(QPushButton* below);
    void chooseExport(const QString& suffix);
    void chooseLog();
    void chooseImport();
    void takeImported(int count, qint64 first, const QString& problem);
    void chooseArchive();
    void chooseSalvage();
    void tell(const QString& done, const QString& failed, const QString& file,
              const engine::Result<void>& result);
    const app::RunSummary* find(std::int64_t run) const;
    std::optional<std::int64_t> currentRun() const;
    void refreshToolbar();
    void retranslate();

    app::Session& m_session;
    std::filesystem::path m_log;
    RunModel* m_model = nullptr;
    RunTicks m_ticks;                      // side A first
    std::vector<std::int64_t> m_tickOrder; // the same runs as they were ticked
    RunBaseline m_baseline;
    struct Split {
        std::int64_t run = 0;
        double seconds = 0.0;
        std::optional<std::pair<double, double>> span;
    };
    std::optional<Split> m_split;              // shown instead of the run
    std::optional<std::int64_t> m_wanted;      // to be selected once it is listed
    std::optional<std::int64_t> m_deleting;    // hidden, until undo is no longer possible
    int m_listNumber = 0, m_contentNumber = 0; // newest background read; older ones are dropped
    bool m_isShown = false;
    bool m_isUnreadable = false; // its list could not be read
    bool m_isFirstList = true;   // of this log: its newest run is opened

    QLineEdit* m_filter = nullptr;
    QLabel* m_filterError = nullptr;
    QLabel* m_counts = nullptr;
    QLabel* m_foreign = nullptr; // "read-only: another.db"
    QPushButton* m_open = nullptr;
    QPushButton* m_own = nullptr;
    QPushButton* m_import = nullptr;
    QPushButton* m_export = nullptr;
    QPushButton* m_salvage = nullptr; // where the log can't be read
    QPushButton* m_undo = nullptr;
    TableView* m_table = nullptr;
    QSplitter* m_divide = nullptr; // between list and content
    bool m_isDivideMoved = false;
    QLabel* m_empty = nullptr;
    QPushButton* m_example = nullptr; // in an empty list
    QStackedWidget* m_content = nullptr;
    QLabel* m_sentence = nullptr;
    RunView* m_opened = nullptr;
    ComparisonView* m_comparison = nullptr;
    RunSetView* m_set = nullptr;
    QTimer* m_deleteTimer = nullptr;
    QTimer* m_refreshTimer = nullptr; // while a run is being recorded
};

} // namespace ui
