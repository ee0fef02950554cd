// Runs that come and go as files: imports, archives, what is saved of a damaged log. See
// runs_page.h.
#include "app/background.h"
#include "app/session.h"
#include "app/store/run_archive.h"
#include "app/store/salvage.h"
#include "ui/pages/runs_page.h"
#include "ui/panels/run_view.h"

#include <QFile>
#include <QFileDialog>
#include <QFileInfo>

namespace ui {

namespace {

std::filesystem::path pathOf(const QString& file) {
    return QFile::encodeName(file).toStdString();
}

QFileDialog* makeDialog(QWidget* parent, const QString& title) {
    auto* dialog = new QFileDialog(parent, title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    return dialog;
}

} // namespace

void RunsPage::importFile(const QString& file) {
    m_session.importRuns(pathOf(file));
}

void RunsPage::takeImported(int count, qint64 first, const QString& problem) {
    if (!problem.isEmpty()) {
        Q_EMIT messageRaised(tr("Nothing was imported"), problem);
        return;
    }
    if (count == 0) {
        Q_EMIT messageRaised(tr("Nothing was imported"),
                             tr("Every run of the file is in the log already."));
        return;
    }
    Q_EMIT messageRaised(tr("%n run(s) imported", nullptr, count), tr("from run %1 on").arg(first));
    if (isOwnLog()) {
        m_wanted = first;
        refreshList();
    } else {
        openLog(m_session.runLog());
        m_wanted = first;
    }
}

void RunsPage::tell(const QString& done, const QString& failed, const QString& file,
                    const engine::Result<void>& result) {
    const QString problem = result ? QString() : QString::fromStdString(result.error().message);
    Q_EMIT messageRaised(result ? done : failed, result ? file : problem);
    Q_EMIT exported(file, problem);
}

void RunsPage::archiveRun(std::int64_t run, const QString& file) {
    app::runInBackground(
        this,
        [log = m_log, run, target = pathOf(file)] { return app::archiveRun(log, run, target); },
        [this, file](const engine::Result<void>& result) {
            tell(tr("Run archived"), tr("The run was not archived"), file, result);
        });
}

void RunsPage::salvage(const QString& damaged, const QString& target) {
    app::runInBackground(
        this, [from = pathOf(damaged), to = pathOf(target)] { return app::salvageLog(from, to); },
        [this, target](const engine::Result<app::Salvage>& saved) {
            if (!saved) {
                const QString problem = QString::fromStdString(saved.error().message);
                Q_EMIT messageRaised(tr("Nothing was saved"), problem);
                Q_EMIT exported(target, problem);
                return;
            }
            Q_EMIT messageRaised(tr("%n run(s) saved", nullptr, static_cast<int>(saved->runs)),
                                 target);
            Q_EMIT exported(target, {});
            openLog(pathOf(target));
        });
}

void RunsPage::chooseImport() {
    auto* dialog = makeDialog(this, tr("Import runs"));
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters(
        {tr("Archives, run logs, runs as JSON (*.db *.json)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, &RunsPage::importFile);
    dialog->open();
}

void RunsPage::chooseArchive() {
    const auto& opened = m_opened->run();
    if (opened.data == nullptr) {
        return;
    }
    const std::int64_t run = opened.data->summary.run.id;
    auto* dialog = makeDialog(this, tr("Archive the run"));
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("db"));
    dialog->setNameFilter(tr("Run logs (*.db)"));
    dialog->selectFile(QStringLiteral("run-%1.db").arg(run));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, run](const QString& file) { archiveRun(run, file); });
    dialog->open();
}

// Two questions, one after the other: of which file, and where to.
void RunsPage::chooseSalvage() {
    const auto askTarget = [this](const QString& damaged) {
        auto* dialog = makeDialog(this, tr("Save what can be read as"));
        dialog->setAcceptMode(QFileDialog::AcceptSave);
        dialog->setDefaultSuffix(QStringLiteral("db"));
        dialog->setNameFilter(tr("Run logs (*.db)"));
        dialog->selectFile(QFileInfo(damaged).completeBaseName() + QStringLiteral("-saved.db"));
        connect(dialog, &QFileDialog::fileSelected, this,
                [this, damaged](const QString& target) { salvage(damaged, target); });
        dialog->open();
    };
    if (m_isUnreadable) {
        askTarget(QFile::decodeName(m_log.c_str()));
        return;
    }
    auto* dialog = makeDialog(this, tr("Salvage a damaged run log"));
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Run logs (*.db)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, askTarget);
    dialog->open();
}

} // namespace ui
