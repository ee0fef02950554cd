// The bar above the table of requests: filter, outcomes, columns, export. See requests_page.h.
#include "app/background.h"
#include "app/observe/request_csv.h"
#include "app/report/report.h"
#include "ui/icons.h"
#include "ui/models/request_columns.h"
#include "ui/pages/requests_page.h"
#include "ui/theme.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/table_view.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>

namespace ui {

void RequestsPage::buildToolbar(QVBoxLayout* column) {
    auto* bar = new QHBoxLayout;
    m_toolbar = bar;
    bar->setSpacing(8);
    m_filter = new QLineEdit(this);
    m_filter->addAction(icon(QStringLiteral("search"), ColorRole::Text3),
                        QLineEdit::LeadingPosition);
    m_filter->setClearButtonEnabled(true);
    m_filter->setMinimumWidth(150);
    m_filter->setMaximumWidth(320);
    bar->addWidget(m_filter, 1);
    for (std::size_t i = 0; i < m_chips.size(); ++i) {
        m_chips[i] = new Chip({}, this);
        m_chips[i]->setAutoExclusive(true);
        bar->addWidget(m_chips[i]);
        connect(m_chips[i], &Chip::clicked, this, [this, i] {
            m_outcome = i == 0 ? std::nullopt : std::optional(static_cast<engine::Outcome>(i - 1));
            applyFilter();
        });
    }
    m_chips[0]->setChecked(true);
    m_spanChip = makeButton({}, ButtonKind::Normal, this);
    m_spanChip->setIcon(icon(QStringLiteral("cross"), ColorRole::Accent));
    m_spanChip->setLayoutDirection(Qt::RightToLeft); // the cross follows the times
    m_spanChip->hide();
    bar->addWidget(m_spanChip);
    connect(m_spanChip, &QPushButton::clicked, this, &RequestsPage::spanCleared);
    m_running = makeLabel({}, TextRole::Caption, this);
    bar->addWidget(m_running);
    bar->addStretch(1);
    m_columns = makeButton({}, ButtonKind::Quiet, this);
    m_columns->setIcon(icon(QStringLiteral("columns")));
    m_export = makeButton({}, ButtonKind::Quiet, this);
    m_export->setIcon(icon(QStringLiteral("export")));
    bar->addWidget(m_columns);
    bar->addWidget(m_export);
    column->addLayout(bar);
    m_filterError = makeLabel({}, TextRole::Caption, this);
    setSheetProperty(m_filterError, "tone", QStringLiteral("bad"));
    m_filterError->setWordWrap(true);
    m_filterError->hide();
    column->addWidget(m_filterError);
    connect(m_columns, &QPushButton::clicked, this, &RequestsPage::showColumnsMenu);
    connect(m_export, &QPushButton::clicked, this, &RequestsPage::exportCsv);
}

void RequestsPage::showColumnsMenu() {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (int i = 0; i < m_model->columnCount(); ++i) {
        QAction* action = menu->addAction(m_model->column(i).title());
        action->setCheckable(true);
        action->setChecked(!m_table->isColumnHidden(i));
        action->setEnabled(i != static_cast<int>(RequestColumn::Id));
        connect(action, &QAction::toggled, m_table,
                [this, i](bool isOn) { m_table->setColumnHidden(i, !isOn); });
    }
    menu->popup(m_columns->mapToGlobal(QPoint(0, m_columns->height() + 2)));
}

void RequestsPage::exportCsv() {
    auto* dialog = new QFileDialog(this, tr("Export the requests shown"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilter(tr("CSV files (*.csv)"));
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    dialog->selectFile(QStringLiteral("requests.csv"));
    connect(dialog, &QFileDialog::fileSelected, this, &RequestsPage::exportTo);
    dialog->open();
}

std::vector<app::RequestRow> RequestsPage::shownRows() const {
    std::vector<app::RequestRow> rows;
    rows.reserve(static_cast<std::size_t>(m_model->rowCount()));
    for (int i = 0; i < m_model->rowCount(); ++i) {
        rows.push_back(m_model->rowAt(i));
    }
    return rows;
}

void RequestsPage::exportTo(const QString& file) {
    app::runInBackground(
        this,
        [rows = shownRows(), path = file.toStdString()] {
            std::string text = app::requestCsvHeader();
            for (const app::RequestRow& row : rows) {
                text += app::requestCsvLine(row);
            }
            return app::writeFile(path, text);
        },
        [this, file](const engine::Result<void>& written) {
            Q_EMIT messageRaised(written ? tr("Requests exported") : tr("The export failed"),
                                 written ? file : QString::fromStdString(written.error().message));
        });
}

// What has no room is left out before it would be cut: the words of the buttons first, then how
// many run.
void RequestsPage::fitToolbar() {
    const std::array words{std::pair(m_columns, tr("Columns")), std::pair(m_export, tr("CSV"))};
    const QWidget* around = m_toolbar->parentWidget();
    const QMargins margins = around->layout()->contentsMargins();
    int room =
        around->width() - margins.left() - margins.right() - m_toolbar->minimumSize().width();
    int wanted = 0;
    for (const auto& [button, word] : words) {
        const int width = button->fontMetrics().horizontalAdvance(u' ' + word);
        room += button->text().isEmpty() ? 0 : width;
        wanted += width;
    }
    const int running = m_running->minimumSizeHint().width() + m_toolbar->spacing();
    room += m_running->isHidden() ? 0 : running;
    const bool showsRunning = !m_running->text().isEmpty() && running <= room;
    const bool showsWords = wanted <= room - (showsRunning ? running : 0);
    m_running->setVisible(showsRunning);
    for (const auto& [button, word] : words) {
        button->setText(showsWords ? word : QString());
    }
}

} // namespace ui
