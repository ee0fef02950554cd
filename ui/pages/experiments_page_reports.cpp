// Reports of the Experiments page: of one experiment, of the table of claims. See
// experiments_page.h.
#include "app/background.h"
#include "app/experiment/experiment_labels.h"
#include "app/report/experiment_file.h"
#include "app/report/report.h"
#include "app/session.h"
#include "ui/pages/experiments_page.h"
#include "ui/panels/claims_view.h"
#include "ui/panels/experiment_view.h"

#include <QFileDialog>
#include <QMenu>
#include <QPushButton>

namespace ui {

namespace {

// What is written is copied: the page goes on while the file is made.
struct ReportJob {
    std::vector<app::ClaimRow> claims; // or, where there are none,
    app::ExperimentResult result;
    std::filesystem::path log;
    std::filesystem::path file;
};

engine::Result<void> carryOut(const ReportJob& job) {
    const std::string ending = job.file.extension().string();
    // A name of one's own, without an ending that says more, is a page.
    const std::string as = app::isReportEnding(ending) ? ending : ".html";
    return app::writeFile(job.file, job.claims.empty() ? app::experimentAs(as, job.result, job.log)
                                                       : app::claimsAs(as, job.claims));
}

} // namespace

void ExperimentsPage::openReportMenu(QPushButton* below, bool isOfClaims) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const auto& [text, suffix] :
         {std::pair(tr("Report, HTML…"), "html"), std::pair(tr("Report, PDF…"), "pdf"),
          std::pair(tr("Report, Markdown…"), "md"), std::pair(tr("Data, JSON…"), "json"),
          std::pair(tr("Data, CSV…"), "csv")}) {
        menu->addAction(text, this, [this, suffix = QString::fromLatin1(suffix), isOfClaims] {
            auto* dialog = new QFileDialog(this, tr("Write a report"));
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            dialog->setAcceptMode(QFileDialog::AcceptSave);
            dialog->setDefaultSuffix(suffix);
            dialog->setNameFilter(QStringLiteral("*.") + suffix);
            const QString name = isOfClaims
                                     ? QStringLiteral("claims")
                                     : QString::fromStdString(m_view->shown().experiment.name);
            dialog->selectFile(name + u'.' + suffix);
            connect(dialog, &QFileDialog::fileSelected, this,
                    [this, isOfClaims](const QString& file) { exportTo(file, isOfClaims); });
            dialog->open();
        });
    }
    menu->popup(below->mapToGlobal(QPoint(0, below->height() + 2)));
}

void ExperimentsPage::exportTo(const QString& file, bool isOfClaims) {
    ReportJob job{.claims = {}, .result = {}, .log = m_shownLog, .file = file.toStdString()};
    if (isOfClaims) {
        job.claims = m_claims->rows();
    } else {
        const ShownExperiment& shown = m_view->shown();
        job.result = {.run = shown.run.value_or(app::RunInfo{}),
                      .experiment = shown.experiment,
                      .blocks = shown.blocks,
                      .verdict = shown.verdict};
    }
    app::runInBackground(
        this, [job = std::move(job)] { return carryOut(job); },
        [this, file](const engine::Result<void>& done) {
            const QString problem = done ? QString() : QString::fromStdString(done.error().message);
            Q_EMIT messageRaised(done ? tr("Report written") : tr("The report was not written"),
                                 done ? file : problem);
            Q_EMIT exported(file, problem);
        });
}

} // namespace ui
