// Workloads from and to files, and what the Load page offers by name. See load_page.h.
#include "app/background.h"
#include "app/labels.h"
#include "app/report/report.h"
#include "app/session.h"
#include "ui/pages/load_page.h"
#include "ui/panels/workload_form.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/toml_edit.h"

#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QSignalBlocker>

namespace ui {

namespace {

constexpr qint64 kMostFileBytes = 1 << 20;

} // namespace

// What the workload stands for, until it is edited: then its own list is sent.
const std::vector<app::PlannedRequest>& LoadPage::ownList() const {
    static const std::vector<app::PlannedRequest> kNone;
    return m_list && m_list->workload == m_draft.workload() ? m_list->requests : kNone;
}

// Up to half a gigabyte: read aside. A damaged line is told here, and nothing of the file is used.
void LoadPage::openTrace(const QString& file) {
    const int number = ++m_openNumber;
    m_startProblem.clear();
    app::runInBackground(
        this, [path = file.toStdString()] { return app::loadTrace(path); },
        [this, file, number](engine::Result<app::Trace> trace) {
            if (number == m_openNumber) {
                takeTrace(file, std::move(trace));
            }
            Q_EMIT fileOpened();
        });
}

void LoadPage::takeTrace(const QString& file, engine::Result<app::Trace> trace) {
    if (!trace) {
        m_startProblem = QString::fromStdString(trace.error().message);
        showProblem();
        return;
    }
    const QString name = QFileInfo(file).completeBaseName();
    QString origin =
        tr("%1 trace, sent as it was recorded: %2 requests. An edit of the workload replaces it.")
            .arg(QString::fromUtf8(app::name(trace->kind).data(),
                                   static_cast<qsizetype>(app::name(trace->kind).size())),
                 app::numberText(static_cast<double>(trace->requests.size())));
    if (trace->skipped > 0) {
        origin +=
            u' ' + tr("%n without an answer left out.", nullptr, static_cast<int>(trace->skipped));
    }
    app::Workload workload = app::traceWorkload(*trace, name.toStdString());
    m_list = TraceList{
        .workload = workload, .requests = std::move(trace->requests), .origin = std::move(origin)};
    setWorkload(workload);
}

void LoadPage::openWorkload(const QString& nameOrFile) {
    const QString suffix = QFileInfo(nameOrFile).suffix().toLower();
    if (QFileInfo(nameOrFile).isFile() && suffix != QLatin1String("toml")) {
        openTrace(nameOrFile);
        return;
    }
    ++m_openNumber; // a trace still being read is no longer wanted
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
    Q_EMIT fileOpened();
}

void LoadPage::openFile() {
    auto* dialog = new QFileDialog(this, tr("Open a workload or a trace"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters(
        {tr("Workloads and traces (*.toml *.csv *.jsonl)"), tr("Workload files (*.toml)"),
         tr("Traces of Azure, BurstGPT, Mooncake (*.csv *.jsonl)"), tr("All files (*)")});
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
        {.text = tr("Open a workload or a trace…"),
         .value = {},
         .keys = {},
         .run = [this] { openFile(); }},
        {.text = tr("Save the workload…"), .value = {}, .keys = {}, .run = [this] { saveFile(); }}};
}

QList<KeyHint> LoadPage::keys() const {
    return {{QStringLiteral("Ctrl+Enter"), tr("Start or stop the load")}};
}

} // namespace ui
