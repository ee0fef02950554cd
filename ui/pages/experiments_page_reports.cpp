// Reports of the Experiments page: of one experiment, of the table of claims. See
// experiments_page.h.
#include "app/background.h"
#include "app/experiment/experiment_labels.h"
#include "app/report/experiment_sections.h"
#include "app/report/html_writer.h"
#include "app/report/markdown_writer.h"
#include "app/report/pdf_writer.h"
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

std::string written(const app::report::Document& document, const std::string& suffix) {
    return suffix == ".md"    ? app::report::writeMarkdown(document)
           : suffix == ".pdf" ? app::report::writePdf(document)
                              : app::report::writeHtml(document);
}

engine::Result<void> carryOut(const ReportJob& job) {
    const std::string suffix = job.file.extension().string();
    const bool isJson = suffix == ".json";
    if (!job.claims.empty()) {
        return app::writeFile(job.file,
                              isJson ? app::claimsJson(job.claims)
                                     : written(app::report::claimsDocument(job.claims), suffix));
    }
    if (isJson) {
        return app::writeFile(job.file, app::experimentJson(job.result));
    }
    auto store = app::RunStore::open(job.log, app::StoreMode::ReadOnly);
    if (!store) {
        return std::unexpected(store.error());
    }
    // Without its requests the report has no pictures.
    const auto run = (*store)->load(job.result.run.id);
    return app::writeFile(
        job.file,
        written(app::report::experimentDocument(job.result, run ? &*run : nullptr), suffix));
}

} // namespace

void ExperimentsPage::openReportMenu(QPushButton* below, bool isOfClaims) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const auto& [text, suffix] :
         {std::pair(tr("Report, HTML…"), "html"), std::pair(tr("Report, PDF…"), "pdf"),
          std::pair(tr("Report, Markdown…"), "md"), std::pair(tr("Data, JSON…"), "json")}) {
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
