// What the Runs page does with runs: names, notes, deletion with undo, exports, other logs. See
// runs_page.h.
#include "app/background.h"
#include "app/report/report.h"
#include "app/session.h"
#include "app/store/example_run.h"
#include "ui/charts/chart_group.h"
#include "ui/pages/runs_page.h"
#include "ui/panels/comparison_view.h"
#include "ui/panels/run_charts.h"
#include "ui/panels/run_set_view.h"
#include "ui/panels/run_view.h"
#include "ui/theme.h"

#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QShortcut>
#include <QStackedWidget>
#include <QTimer>

#include <algorithm>

namespace ui {

namespace {

// One run, the pair of a comparison or of a cut, or a set of three to five.
struct ExportJob {
    app::OpenedRun opened;
    app::RunPair pair;
    app::RunSet set;
    std::filesystem::path file;
};

// What a file's name asks for; HTML where it asks for nothing known.
std::string documentOf(const std::string& suffix, const auto& content) {
    return suffix == ".pdf"  ? app::reportPdf(content)
           : suffix == ".md" ? app::reportMarkdown(content)
                             : app::reportHtml(content);
}

// Of a long run the rest is read here.
engine::Result<void> exportRun(const ExportJob& job, const std::string& suffix) {
    const auto run = app::wholeRun(job.opened);
    if (!run) {
        return std::unexpected(run.error());
    }
    if (suffix == ".csv") {
        // Five tables: a folder of that name without the suffix.
        return app::writeCsv(**run, std::filesystem::path(job.file).replace_extension());
    }
    return app::writeFile(job.file,
                          suffix == ".json" ? app::reportJson(**run) : documentOf(suffix, **run));
}

engine::Result<void> carryOut(const ExportJob& job) {
    const std::string suffix = job.file.extension().string();
    const std::filesystem::path folder = std::filesystem::path(job.file).replace_extension();
    const bool isSet = !job.set.runs.empty();
    if (!isSet && job.pair.a == nullptr) {
        return exportRun(job, suffix);
    }
    if (suffix == ".csv") {
        return isSet ? app::writeCsv(job.set.runs, job.set.againstFirst, folder)
                     : app::writeCsv(std::vector{job.pair.a, job.pair.b},
                                     std::vector{job.pair.comparison}, folder);
    }
    if (suffix == ".json") {
        return app::writeFile(job.file,
                              isSet ? app::comparisonJson(job.set) : app::comparisonJson(job.pair));
    }
    return app::writeFile(job.file,
                          isSet ? documentOf(suffix, job.set) : documentOf(suffix, job.pair));
}

void closeOnEscape(QLineEdit* editor, QWidget* back) {
    auto* escape = new QShortcut(QKeySequence(Qt::Key_Escape), editor);
    escape->setContext(Qt::WidgetShortcut);
    QObject::connect(escape, &QShortcut::activated, back, [back] { back->setFocus(); });
}

} // namespace

void RunsPage::renameRun(std::int64_t run, const QString& name) {
    const app::RunSummary* summary = find(run);
    const QString trimmed = name.trimmed();
    if (summary != nullptr && isOwnLog() && !trimmed.isEmpty() &&
        trimmed.toStdString() != summary->run.name) {
        m_session.renameRun(run, trimmed, QString::fromStdString(summary->run.note));
    }
}

void RunsPage::saveNote(std::int64_t run, const QString& note) {
    const app::RunSummary* summary = find(run);
    if (summary != nullptr && isOwnLog()) {
        m_session.renameRun(run, QString::fromStdString(summary->run.name), note);
    }
}

void RunsPage::editName(int row) {
    if (row < 0 || !isOwnLog()) {
        return;
    }
    const std::int64_t run = m_model->rowAt(row).run.id;
    auto* editor =
        new QLineEdit(QString::fromStdString(m_model->rowAt(row).run.name), m_table->viewport());
    setSheetProperty(editor, "dense", true);
    editor->setAccessibleName(tr("Name of run %1").arg(run));
    editor->setGeometry(
        m_table->visualRect(m_model->index(row, static_cast<int>(RunColumn::Name))));
    editor->selectAll();
    editor->show();
    editor->setFocus();
    connect(editor, &QLineEdit::returnPressed, this, [this, editor, run] {
        renameRun(run, editor->text());
        m_table->setFocus(); // which also ends the editor
    });
    closeOnEscape(editor, m_table);
    // Leaving it otherwise keeps the old name.
    connect(editor, &QLineEdit::editingFinished, editor, &QObject::deleteLater);
}

void RunsPage::deleteRun(std::int64_t run) {
    if (!isOwnLog() || find(run) == nullptr) {
        return;
    }
    if (m_session.currentRun() == run) {
        Q_EMIT messageRaised(tr("Run %1 is being recorded").arg(run),
                             tr("End the recording before deleting it."));
        return;
    }
    commitDeletion(); // of the one before: there is one undo
    m_deleting = run;
    std::erase(m_ticks, run);
    m_deleteTimer->start();
    applyFilter();
    showContent();
}

void RunsPage::undoDelete() {
    m_deleteTimer->stop();
    m_deleting.reset();
    applyFilter();
}

void RunsPage::commitDeletion() {
    m_deleteTimer->stop();
    if (m_deleting) {
        m_session.removeRun(*m_deleting);
        // It stays hidden until the list is read anew.
        const std::int64_t gone = *std::exchange(m_deleting, std::nullopt);
        std::vector<app::RunSummary> rest;
        std::ranges::copy_if(m_model->rows(), std::back_inserter(rest),
                             [gone](const app::RunSummary& run) { return run.run.id != gone; });
        m_model->setRows(std::move(rest));
        applyFilter();
    }
}

void RunsPage::setTags(std::int64_t run, const QStringList& tags) {
    std::vector<std::string> list;
    for (const QString& tag : tags) {
        if (const QString trimmed = tag.trimmed(); !trimmed.isEmpty()) {
            list.push_back(trimmed.toStdString());
        }
    }
    if (find(run) != nullptr && isOwnLog()) {
        m_session.setTags(run, std::move(list));
    }
}

void RunsPage::pinBaseline(std::int64_t run) {
    const app::RunSummary* chosen = find(run);
    if (chosen == nullptr || !isOwnLog()) {
        return;
    }
    const auto without = [](std::vector<std::string> tags) {
        std::erase(tags, app::kBaselineTag);
        return tags;
    };
    for (const app::RunSummary& each : m_model->rows()) {
        if (app::isBaseline(each)) {
            m_session.setTags(each.run.id, without(each.run.tags));
        }
    }
    if (!app::isBaseline(*chosen)) {
        std::vector<std::string> tags = chosen->run.tags;
        tags.emplace_back(app::kBaselineTag);
        m_session.setTags(run, std::move(tags));
    }
}

// Words with commas between them, typed in the place of the tags.
void RunsPage::editTags(int row) {
    if (row < 0 || !isOwnLog()) {
        return;
    }
    const app::RunSummary run = m_model->rowAt(row);
    QStringList tags;
    for (const std::string& tag : run.run.tags) {
        tags << QString::fromStdString(tag);
    }
    auto* editor = new QLineEdit(tags.join(QStringLiteral(", ")), m_table->viewport());
    setSheetProperty(editor, "dense", true);
    editor->setAccessibleName(tr("Tags of run %1").arg(run.run.id));
    editor->setGeometry(m_table->visualRect(m_model->index(row, static_cast<int>(RunColumn::Tags)))
                            .adjusted(1, 0, -1, -1));
    editor->show();
    editor->setFocus();
    connect(editor, &QLineEdit::returnPressed, this, [this, editor, id = run.run.id] {
        setTags(id, editor->text().split(QLatin1Char(',')));
        m_table->setFocus(); // which also ends the editor
    });
    closeOnEscape(editor, m_table);
    // Leaving it otherwise keeps the old ones.
    connect(editor, &QLineEdit::editingFinished, editor, &QObject::deleteLater);
}

void RunsPage::openMenu(const QPoint& position) {
    const QModelIndex index = m_table->indexAt(position);
    if (!index.isValid()) {
        return;
    }
    const int row = index.row();
    const std::int64_t run = m_model->rowAt(row).run.id;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Open"), this, [this, run] { openRun(run); });
    const bool isTicked = std::ranges::find(m_ticks, run) != m_ticks.end();
    menu->addAction(isTicked ? tr("Leave out of the comparison") : tr("Compare"), this,
                    [this, run, isTicked] { setTicked(run, !isTicked); });
    QAction* replay = menu->addAction(tr("Replay and what-if"), this, [this, run] {
        Q_EMIT pageRequested(QStringLiteral("experiments"), QStringLiteral("replay:%1").arg(run));
    });
    replay->setEnabled(isOwnLog());
    menu->addSeparator();
    QAction* rename = menu->addAction(tr("Rename (F2)"), this, [this, row] { editName(row); });
    QAction* tags = menu->addAction(tr("Tags…"), this, [this, row] { editTags(row); });
    const bool isPinned = app::isBaseline(m_model->rowAt(row));
    QAction* pin =
        menu->addAction(isPinned ? tr("Let go as baseline (B)") : tr("Pin as baseline (B)"), this,
                        [this, run] { pinBaseline(run); });
    QAction* remove = menu->addAction(tr("Delete"), this, [this, run] { deleteRun(run); });
    tags->setEnabled(isOwnLog());
    pin->setEnabled(isOwnLog());
    rename->setEnabled(isOwnLog());
    remove->setEnabled(isOwnLog() && m_session.currentRun() != run);
    menu->popup(m_table->viewport()->mapToGlobal(position));
}

void RunsPage::openReportMenu(QPushButton* below) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Report, HTML…"), this, [this] { chooseExport(QStringLiteral("html")); });
    menu->addAction(tr("Report, PDF…"), this, [this] { chooseExport(QStringLiteral("pdf")); });
    menu->addAction(tr("Report, Markdown…"), this, [this] { chooseExport(QStringLiteral("md")); });
    menu->addAction(tr("Data, JSON…"), this, [this] { chooseExport(QStringLiteral("json")); });
    menu->addAction(tr("Tables, CSV…"), this, [this] { chooseExport(QStringLiteral("csv")); });
    if (m_content->currentWidget() == m_opened) {
        menu->addSeparator();
        menu->addAction(tr("Archive, a run log of its own…"), this, &RunsPage::chooseArchive);
    }
    menu->popup(below->mapToGlobal(QPoint(0, below->height() + 2)));
}

void RunsPage::chooseExport(const QString& suffix) {
    // What is shown, which need not be what is ticked or selected by now.
    QString name = QStringLiteral("run-%1").arg(currentRun().value_or(0));
    const auto numbers = [](const auto& runs) {
        QStringList list;
        for (const auto& run : runs) {
            list << QString::number(run->summary.run.id);
        }
        return QStringLiteral("runs-") + list.join(u'-');
    };
    if (m_content->currentWidget() == m_set) {
        name = numbers(m_set->runs().runs);
    } else if (m_content->currentWidget() == m_comparison) {
        const app::RunPair& pair = m_comparison->pair();
        name = pair.split ? name + QStringLiteral("-split") : numbers(std::vector{pair.a, pair.b});
    }
    auto* dialog = new QFileDialog(this, tr("Export"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    dialog->setNameFilter(QStringLiteral("*.") + suffix);
    dialog->selectFile(name + u'.' + suffix);
    connect(dialog, &QFileDialog::fileSelected, this, &RunsPage::exportTo);
    dialog->open();
}

void RunsPage::exportTo(const QString& file) {
    ExportJob job{.opened = {}, .pair = {}, .set = {}, .file = file.toStdString()};
    if (m_content->currentWidget() == m_comparison) {
        job.pair = m_comparison->pair();
    } else if (m_content->currentWidget() == m_set) {
        job.set = m_set->runs();
    } else {
        job.opened = m_opened->run();
    }
    if (job.pair.a == nullptr && job.set.runs.empty() && job.opened.data == nullptr) {
        return;
    }
    app::runInBackground(
        this, [job] { return carryOut(job); },
        [this, file](const engine::Result<void>& result) {
            const QString problem =
                result ? QString() : QString::fromStdString(result.error().message);
            Q_EMIT messageRaised(result ? tr("Report written") : tr("The report was not written"),
                                 result ? file : problem);
            Q_EMIT exported(file, problem);
        });
}

void RunsPage::chooseLog() {
    auto* dialog = new QFileDialog(this, tr("Open a run log"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Run logs (*.db)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& file) { openLog(file.toStdString()); });
    dialog->open();
}

void RunsPage::openLog(const std::filesystem::path& file) {
    commitDeletion();
    m_log = file;
    m_isFirstList = true;
    m_ticks.clear();
    m_model->clear();
    showContent();
    refreshToolbar();
    refreshList();
}

void RunsPage::openExample() {
    if (const auto log = app::exampleLog()) {
        openLog(*log);
        m_wanted = 1; // it holds one
    } else {
        Q_EMIT messageRaised(tr("The example run can't be opened"),
                             QString::fromStdString(log.error().message));
    }
}

QList<PageAction> RunsPage::actions() {
    QList<PageAction> actions{
        {.text = tr("Import runs…"), .value = {}, .keys = {}, .run = [this] { chooseImport(); }},
        {.text = tr("Salvage a damaged run log…"),
         .value = {},
         .keys = {},
         .run = [this] { chooseSalvage(); }},
        {.text = tr("Open another run log…"),
         .value = {},
         .keys = {},
         .run = [this] { chooseLog(); }},
        {.text = tr("Open the example run"), .value = {}, .keys = {}, .run = [this] {
             openExample();
         }}};
    const auto crosshair = m_opened->charts()->group().crosshair();
    if (m_content->currentWidget() == m_opened && crosshair) {
        actions << PageAction{
            .text = tr("Compare before and after %1").arg(app::runTimeText(*crosshair)),
            .value = {},
            .keys = QStringLiteral("X"),
            .run = [this, at = *crosshair] { splitOpened(at); }};
    }
    if (m_export->isEnabled()) {
        actions << PageAction{.text = tr("Export the report…"),
                              .value = {},
                              .keys = {},
                              .run = [this] { chooseExport(QStringLiteral("html")); }};
    }
    if (m_deleting) {
        actions << PageAction{
            .text = tr("Undo delete"), .value = {}, .keys = {}, .run = [this] { undoDelete(); }};
    }
    return actions;
}

QList<KeyHint> RunsPage::keys() const {
    return {{QStringLiteral("/"), tr("Filter: chat model:smol p99<300 state:interrupted")},
            {QStringLiteral("↑ ↓"), tr("Walk through the runs")},
            {QStringLiteral("Space"), tr("Tick for comparison")},
            {QStringLiteral("Enter"), tr("Open the run")},
            {QStringLiteral("F2"), tr("Rename")},
            {QStringLiteral("B"), tr("Pin as baseline, or let it go")},
            {QStringLiteral("Del"), tr("Delete, with undo")},
            {QStringLiteral("W A S D / F"), tr("Zoom and move the charts, the whole run")},
            {QStringLiteral("L"), tr("Logarithmic axis of the chart with the focus")},
            {QStringLiteral("← / →"), tr("Move the crosshair of the charts")},
            {QStringLiteral("[ / ]"), tr("Select from the crosshair, up to the crosshair")},
            {QStringLiteral("M"), tr("Bookmark at the crosshair")},
            {QStringLiteral("P"), tr("Show the chart in focus in a window of its own")},
            {QStringLiteral("X"), tr("Compare before and after the crosshair or the event")}};
}

} // namespace ui
