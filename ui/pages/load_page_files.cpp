// Workloads from and to files, and what the Load page offers by name. See load_page.h.
#include "app/report/report.h"
#include "app/session.h"
#include "ui/pages/load_page.h"
#include "ui/panels/workload_form.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/toml_edit.h"

#include <QFile>
#include <QFileDialog>
#include <QSignalBlocker>

namespace ui {

namespace {

constexpr qint64 kMostFileBytes = 1 << 20;

} // namespace

void LoadPage::openWorkload(const QString& nameOrFile) {
    // A file keeps its comments: its text goes to the editor as it is.
    QFile file(nameOrFile);
    if (file.exists() && file.size() > kMostFileBytes) {
        m_startProblem = tr("%1 is larger than a workload file may be (1 MiB).").arg(nameOrFile);
    } else if (file.open(QIODevice::ReadOnly)) {
        m_startProblem.clear();
        m_draft.setText(file.readAll().toStdString());
        if (!m_draft.isGood()) {
            m_view->setCurrentIndex(1); // where the line can be seen
        }
    } else if (const auto workload = app::loadWorkload(nameOrFile.toStdString())) {
        m_startProblem.clear();
        m_draft.setWorkload(*workload);
    } else {
        m_startProblem = QString::fromStdString(workload.error().message);
    }
    m_form->setWorkload(m_draft.workload());
    {
        const QSignalBlocker blocker(m_editor);
        m_editor->setPlainText(QString::fromStdString(m_draft.text()));
    }
    showProblem();
    planPreview();
}

void LoadPage::openFile() {
    auto* dialog = new QFileDialog(this, tr("Open a workload"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilter(tr("Workload files (*.toml)"));
    connect(dialog, &QFileDialog::fileSelected, this, &LoadPage::openWorkload);
    dialog->open();
}

void LoadPage::saveFile() {
    auto* dialog = new QFileDialog(this, tr("Save the workload"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilter(tr("Workload files (*.toml)"));
    dialog->setDefaultSuffix(QStringLiteral("toml"));
    dialog->selectFile(QString::fromStdString(m_draft.workload().name) + QStringLiteral(".toml"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        const auto written = app::writeFile(file.toStdString(), m_draft.text());
        m_startProblem = written ? QString() : QString::fromStdString(written.error().message);
        showProblem();
    });
    dialog->open();
}

QList<PageAction> LoadPage::actions() {
    return {
        {.text = m_session.isLoadRunning() ? tr("Stop the load") : tr("Start the load"),
         .value = QString::fromStdString(m_draft.workload().name),
         .keys = QStringLiteral("Ctrl+Return"),
         .run = [this] { startOrStop(); }},
        {.text = tr("Open a workload file…"),
         .value = {},
         .keys = {},
         .run = [this] { openFile(); }},
        {.text = tr("Save the workload…"), .value = {}, .keys = {}, .run = [this] { saveFile(); }}};
}

QList<KeyHint> LoadPage::keys() const {
    return {{QStringLiteral("Ctrl+Enter"), tr("Start or stop the load")}};
}

} // namespace ui
