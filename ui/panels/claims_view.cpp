#include "ui/panels/claims_view.h"

#include "app/durations.h"
#include "app/experiment/experiment_labels.h"
#include "app/labels.h"
#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/claim_scale.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <map>

namespace ui {

ClaimsView::ClaimsView(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 8, 16, 8);
    column->setSpacing(space::kBetweenCards);
    auto* head = new QHBoxLayout;
    head->setSpacing(8);
    m_title = makeLabel({}, TextRole::PageTitle, this);
    m_filter = new QLineEdit(this);
    m_filter->addAction(icon(QStringLiteral("search"), ColorRole::Text3),
                        QLineEdit::LeadingPosition);
    m_filter->setFixedWidth(180);
    m_report = makeButton({}, ButtonKind::Normal, this);
    m_report->setIcon(icon(QStringLiteral("export")));
    m_run = makeButton({}, ButtonKind::Primary, this);
    head->addWidget(m_title);
    head->addStretch(1);
    head->addWidget(m_filter);
    head->addWidget(m_report);
    head->addWidget(m_run);
    column->addLayout(head);
    auto* summary = new Card(this);
    auto* line = new QHBoxLayout;
    m_counts = makeLabel({}, TextRole::Body, summary);
    m_counts->setTextFormat(Qt::RichText);
    m_machine = makeLabel({}, TextRole::Small, summary);
    m_machine->setAlignment(Qt::AlignRight);
    line->addWidget(m_counts, 1);
    line->addWidget(m_machine);
    summary->body()->addLayout(line);
    summary->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    column->addWidget(summary);
    auto* card = new Card(this);
    card->setFlush();
    m_model = new ClaimModel(claimColumns(), this);
    m_table = new TableView(card);
    m_table->setSortingEnabled(false);
    m_table->setModel(m_model);
    m_table->setItemDelegate(new ClaimDelegate(*m_model, m_table));
    m_table->horizontalHeader()->setSortIndicatorShown(false);
    for (int i = 0; i < m_model->columnCount(); ++i) {
        m_table->setColumnWidth(i, m_model->column(i).width);
    }
    m_table->setStretchColumn(static_cast<int>(ClaimColumn::Claim));
    card->body()->addWidget(m_table, 1);
    column->addWidget(card, 1);
    connect(m_filter, &QLineEdit::textChanged, this, &ClaimsView::applyFilter);
    connect(m_report, &QPushButton::clicked, this, [this] { Q_EMIT reportRequested(m_report); });
    connect(m_run, &QPushButton::clicked, this,
            [this] { m_isRunning ? Q_EMIT stopRequested() : Q_EMIT runAllRequested(); });
    connect(m_table, &TableView::rowActivated, this, [this](int row) {
        if (const ClaimLine& chosen = m_model->rowAt(row); chosen.row) {
            Q_EMIT experimentRequested(QString::fromStdString(chosen.row->experiment.name));
        }
    });
    refresh();
}

void ClaimsView::setRows(std::vector<app::ClaimRow> rows, const QString& machine) {
    m_rows = std::move(rows);
    m_machineText = machine;
    m_model->setRows(claimLines(m_rows));
    refresh();
}

void ClaimsView::setRunning(bool isRunning, bool canStart) {
    m_isRunning = isRunning;
    m_canStart = canStart;
    refresh();
}

void ClaimsView::applyFilter() {
    const QString text = m_filter->text();
    m_model->setFilter([text](const ClaimLine& line) {
        return text.isEmpty() ||
               (line.row &&
                app::experimentTitle(line.row->experiment).contains(text, Qt::CaseInsensitive));
    });
}

void ClaimsView::refresh() {
    m_title->setText(tr("Claims, measured on this machine"));
    m_filter->setPlaceholderText(tr("Filter claims"));
    m_filter->setAccessibleName(tr("Filter claims"));
    m_report->setText(tr("Report…"));
    m_table->setAccessibleName(tr("Claims"));
    double seconds = 0.0;
    std::map<app::ClaimVerdict, int> counts;
    for (const app::ClaimRow& row : m_rows) {
        ++counts[row.verdict.claim.verdict];
        if (row.verdict.claim.verdict != app::ClaimVerdict::Needs) {
            seconds += row.experiment.seconds();
        }
    }
    m_run->setText(
        m_isRunning
            ? tr("Stop")
            : tr("Run all, about %1").arg(QString::fromStdString(app::durationText(seconds))));
    setButtonKind(m_run, m_isRunning ? ButtonKind::Danger : ButtonKind::Primary);
    m_run->setEnabled(m_isRunning || m_canStart);
    QString text;
    for (const app::ClaimVerdict verdict :
         {app::ClaimVerdict::Holds, app::ClaimVerdict::DoesNotHold, app::ClaimVerdict::NotResolved,
          app::ClaimVerdict::NotStated, app::ClaimVerdict::Modelled, app::ClaimVerdict::Needs,
          app::ClaimVerdict::NotRun}) {
        if (counts[verdict] > 0) {
            const VerdictLook look = claimLook(verdict);
            text +=
                QStringLiteral("<span style=\"font-size:20px;font-weight:600;color:%1\">%2</span>"
                               "&nbsp;&nbsp;%3&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;")
                    .arg(toneColors(look.tone).text.name())
                    .arg(counts[verdict])
                    .arg(look.text.toHtmlEscaped());
        }
    }
    m_counts->setText(text);
    m_machine->setText(m_machineText + QLatin1Char('\n') +
                       tr("another model or machine has its own table"));
}

void ClaimsView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange || event->type() == QEvent::PaletteChange) {
        m_model->retranslate();
        refresh();
    }
}

} // namespace ui
