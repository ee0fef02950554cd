#include "ui/panels/request_card.h"

#include "app/labels.h"
#include "ui/icons.h"
#include "ui/models/request_columns.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/waterfall.h"

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace ui {

namespace {

QLabel* makeKey(const QString& text, QWidget* parent) {
    auto* key = new QLabel(text, parent);
    setSheetProperty(key, "badge", QStringLiteral("key"));
    return key;
}

} // namespace

RequestCard::RequestCard(QWidget* parent) : QFrame(parent) {
    setSurface(this, Surface::Card);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(14, 10, 14, 10);
    column->setSpacing(8);
    auto* head = new QHBoxLayout;
    head->setSpacing(6);
    m_title = makeLabel({}, TextRole::CardTitle, this);
    m_tags = new QHBoxLayout;
    m_tags->setSpacing(4);
    m_edges = makeLabel({}, TextRole::Small, this);
    m_edges->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_copy = makeButton({}, ButtonKind::Quiet, this);
    m_copy->setIcon(icon(QStringLiteral("copy")));
    m_copy->setFixedSize(26, 26);
    head->addWidget(m_title);
    head->addSpacing(4);
    head->addLayout(m_tags);
    head->addStretch(1);
    head->addWidget(m_edges);
    head->addWidget(m_copy);
    column->addLayout(head);
    m_waterfall = new Waterfall(this);
    column->addWidget(m_waterfall, 1);
    m_second = makeLabel({}, TextRole::Small, this);
    m_second->setWordWrap(true);
    m_second->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_second->hide();
    column->addWidget(m_second);
    m_empty = makeLabel({}, TextRole::Muted, this);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    column->addWidget(m_empty, 1);
    column->addWidget(makeRule(this));
    m_foot = new QWidget(this);
    auto* foot = new QHBoxLayout(m_foot);
    foot->setContentsMargins(0, 0, 0, 0);
    foot->setSpacing(6);
    m_sum = makeLabel({}, TextRole::Small, m_foot);
    m_facts = makeLabel({}, TextRole::Small, m_foot);
    m_next = makeLabel({}, TextRole::Caption, m_foot);
    m_open = makeLabel({}, TextRole::Caption, m_foot);
    foot->addWidget(m_sum);
    foot->addSpacing(10);
    foot->addWidget(m_facts);
    foot->addStretch(1);
    foot->addWidget(makeKey(QStringLiteral("↑"), m_foot));
    foot->addWidget(makeKey(QStringLiteral("↓"), m_foot));
    foot->addWidget(m_next);
    foot->addWidget(makeKey(QStringLiteral("Enter"), m_foot));
    foot->addWidget(m_open);
    column->addWidget(m_foot);
    connect(m_copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(asText()); });
    refresh();
}

void RequestCard::setRequest(std::optional<app::RequestRow> row) {
    m_row = std::move(row);
    refresh();
}

void RequestCard::showTags() {
    while (QLayoutItem* item = m_tags->takeAt(0)) {
        item->widget()->deleteLater();
        delete item;
    }
    if (m_row) {
        m_tags->addWidget(new Tag(app::laneLabel(m_row->lane), Tone::Neutral, this));
        for (const TagLook& tag : requestTags(*m_row)) {
            m_tags->addWidget(new Tag(tag.text, tag.tone, this));
        }
    }
}

void RequestCard::refresh() {
    showTags();
    const std::optional<app::LedgerView> ledger = m_row ? app::ledgerView(*m_row) : std::nullopt;
    m_waterfall->setLedger(ledger);
    m_waterfall->setVisible(ledger.has_value());
    m_empty->setVisible(!ledger);
    m_copy->setVisible(m_row.has_value());
    m_edges->setVisible(ledger.has_value());
    m_copy->setToolTip(tr("Copy the stages"));
    m_copy->setAccessibleName(tr("Copy the stages of this request"));
    m_next->setText(tr("next request"));
    m_open->setText(tr("open on the timeline"));
    if (!m_row) {
        m_title->setText(tr("No request selected"));
        m_empty->setText(tr("Select a request to see where its first token's time went."));
        m_sum->clear();
        m_facts->clear();
        m_second->hide();
        return;
    }
    const auto bold = [](std::optional<double> ms) {
        return QStringLiteral("<b>") + app::millisecondsText(ms) + QStringLiteral("</b>");
    };
    m_title->setText(tr("Request %1").arg(app::numberText(static_cast<double>(m_row->id))));
    m_edges->setText(tr("TTFT %1 ms from scheduled &nbsp; from received %2 &nbsp; from admitted %3")
                         .arg(bold(m_row->ttftMs), bold(m_row->ttftFromReceivedMs),
                              bold(m_row->ttftFromAdmittedMs)));
    const QString message = app::sentenceLabel(m_row->message);
    m_empty->setText(
        message.isEmpty()
            ? tr("It ended before its first token: %1.").arg(app::finishLabel(m_row->reason))
            : message);
    m_sum->setText(ledger ? tr("<b>Sum of stages %1 ms</b>")
                                .arg(app::numberText(ledger->shownTotalMs, ledger->decimals))
                          : tr("<b>No first token</b>"));
    const QString preemptions =
        m_row->preemptions.empty()
            ? tr("no preemption")
            : tr("preempted %n times", nullptr, static_cast<int>(m_row->preemptions.size()));
    m_facts->setText(
        tr("%1 prompt tokens, %2 of them hits · %3 output tokens · %4")
            .arg(app::numberText(static_cast<double>(m_row->promptTokens)),
                 app::numberText(static_cast<double>(m_row->hitTokens)),
                 app::numberText(static_cast<double>(m_row->outputTokens)), preemptions) +
        blockedText(*m_row) + (ledger && !message.isEmpty() ? u'\n' + message : QString()));
    m_second->setText(secondLedger(*m_row));
    m_second->setVisible(!m_row->preemptions.empty());
}

// What the request lost after it had begun: each time its place was taken, and for how long.
QString RequestCard::secondLedger(const app::RequestRow& row) {
    QStringList parts;
    double total = 0.0;
    for (const app::RequestRow::Preemption& each : row.preemptions) {
        total += each.lengthMs.value_or(0.0);
        parts << (each.lengthMs
                      ? tr("at %1 ms for %2 ms")
                            .arg(app::numberText(each.atMs), app::millisecondsText(*each.lengthMs))
                      : tr("at %1 ms, to its end").arg(app::numberText(each.atMs)));
    }
    return tr("<b>Second ledger: %1 ms without a place</b> %2")
        .arg(app::millisecondsText(total), parts.join(QStringLiteral(" · ")));
}

// Who held it up, in a closed batch.
QString RequestCard::blockedText(const app::RequestRow& row) {
    if (row.blockedMs <= 0.0) {
        return {};
    }
    return QStringLiteral(" · ") + tr("%1 ms behind request %2 while places were free")
                                       .arg(app::millisecondsText(row.blockedMs),
                                            app::numberText(static_cast<double>(row.blockedBy)));
}

QString RequestCard::asText() const {
    if (!m_row) {
        return {};
    }
    return m_title->text() + u'\n' +
           tr("TTFT ms from scheduled %1, from received %2, from admitted %3")
               .arg(app::millisecondsText(m_row->ttftMs),
                    app::millisecondsText(m_row->ttftFromReceivedMs),
                    app::millisecondsText(m_row->ttftFromAdmittedMs)) +
           u'\n' + m_waterfall->asText();
}

void RequestCard::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        refresh();
    }
}

} // namespace ui
