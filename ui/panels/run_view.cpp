#include "ui/panels/run_view.h"

#include "app/labels.h"
#include "app/run_labels.h"
#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/figure.h"
#include "ui/widgets/note_edit.h"
#include "ui/widgets/plot_view.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace ui {

namespace {

QString plain(const std::string& text) {
    return QString::fromStdString(text);
}

Tone stateTone(app::RunState state) {
    switch (state) {
    case app::RunState::Recording:
    case app::RunState::Failed:
        return Tone::Bad;
    case app::RunState::Interrupted:
        return Tone::Warn;
    case app::RunState::Finished:
        break;
    }
    return Tone::Neutral;
}

// "n 212 · 87 more" where a quantile has too few samples to be sure of.
QString sampleNote(const app::Quantiles& quantiles, double share) {
    const QString n = RunView::tr("n %1").arg(app::numberText(static_cast<double>(quantiles.n)));
    const std::int64_t missing = app::leastCount(share) - quantiles.n;
    return missing <= 0 ? n
                        : RunView::tr("%1 · %2 more to be sure")
                              .arg(n, app::numberText(static_cast<double>(missing)));
}

QString settingLines(const app::RunSummary& summary) {
    QStringList lines;
    for (const app::SettingRow& row : summary.settings) {
        const engine::Field* field = engine::findField(row.field);
        if (field == nullptr) {
            continue;
        }
        QString line = app::fieldLabel(*field) + QStringLiteral(": ") +
                       app::choiceLabel(*field, row.requested);
        if (row.requested != row.effective && !row.effective.empty()) {
            line += QStringLiteral(" → ") + app::choiceLabel(*field, row.effective);
        }
        lines << line;
    }
    return lines.join(u'\n');
}

} // namespace

RunView::RunView(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::kBetweenCards);
    auto* head = new QHBoxLayout;
    head->setSpacing(8);
    m_title = makeLabel({}, TextRole::PageTitle, this);
    m_state = new Tag({}, Tone::Neutral, this);
    m_facts = makeLabel({}, TextRole::Small, this);
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_report = makeButton({}, ButtonKind::Normal, this);
    m_report->setIcon(icon(QStringLiteral("export")));
    head->addWidget(m_title);
    head->addWidget(m_state);
    head->addWidget(m_facts, 1);
    head->addWidget(m_report);
    column->addLayout(head);
    auto* figures = new QHBoxLayout;
    figures->setSpacing(space::kBetweenCards);
    for (Figure*& figure : m_figures) {
        figure = new Figure(this);
        figures->addWidget(figure, 1);
    }
    column->addLayout(figures);
    auto* parts = new QHBoxLayout;
    parts->setSpacing(space::kBetweenCards);
    m_charts = new QGridLayout;
    m_charts->setSpacing(space::kBetweenCards);
    parts->addLayout(m_charts, 4);
    auto* card = new Card(this);
    for (auto [title, text] :
         {std::pair(&m_settingsTitle, &m_settings), std::pair(&m_machineTitle, &m_machine)}) {
        *title = makeLabel({}, TextRole::CardTitle, card);
        *text = makeLabel({}, TextRole::Small, card);
        // Long lines are cut at the card; the tool tip has them whole.
        (*text)->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Minimum);
        (*text)->setTextInteractionFlags(Qt::TextSelectableByMouse);
        card->body()->addWidget(*title);
        card->body()->addWidget(*text);
        card->body()->addWidget(makeRule(card));
    }
    m_noteTitle = makeLabel({}, TextRole::CardTitle, card);
    auto* note = new NoteEdit(card);
    m_note = note;
    card->body()->addWidget(m_noteTitle);
    card->body()->addWidget(m_note);
    card->body()->addStretch(1);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(card);
    scroll->setMinimumWidth(240);
    parts->addWidget(scroll, 1);
    column->addLayout(parts, 1);
    connect(m_report, &QPushButton::clicked, this, [this] { Q_EMIT reportRequested(m_report); });
    connect(note, &NoteEdit::edited, this, [this](const QString& text) {
        if (m_run.data != nullptr) {
            Q_EMIT noteEdited(m_run.data->summary.run.id, text);
        }
    });
    refresh();
}

void RunView::setRun(app::OpenedRun run) {
    m_run = std::move(run);
    while (m_plots.size() < m_run.plots.size()) {
        auto* card = new Card(this);
        auto* plot = new PlotView(card);
        card->body()->addWidget(plot, 1);
        const auto place = static_cast<int>(m_plots.size());
        m_charts->addWidget(card, place / 2, place % 2);
        m_plots.push_back(plot);
    }
    for (std::size_t i = 0; i < m_run.plots.size(); ++i) {
        m_plots[i]->setPlot(m_run.plots[i]);
    }
    if (m_run.data != nullptr) {
        m_note->setPlainText(plain(m_run.data->summary.run.note));
    }
    refresh();
}

void RunView::setNoteEditable(bool isEditable) {
    m_note->setReadOnly(!isEditable);
}

void RunView::showFigures(const app::RunSummary& summary) {
    const auto latency = [&](std::size_t place, const QString& name,
                             const app::Quantiles& quantiles, std::optional<double> value,
                             double share) {
        m_figures[place]->setCaption(name);
        m_figures[place]->setValue(app::millisecondsText(value), QStringLiteral("ms"));
        m_figures[place]->setNote(sampleNote(quantiles, share));
    };
    latency(0, QStringLiteral("TTFT p50"), summary.ttftMs, summary.ttftMs.p50, 0.50);
    latency(1, QStringLiteral("TTFT p90"), summary.ttftMs, summary.ttftMs.p90, 0.90);
    latency(2, QStringLiteral("TTFT p99"), summary.ttftMs, summary.ttftMs.p99, 0.99);
    latency(3, QStringLiteral("TPOT p50"), summary.tpotMs, summary.tpotMs.p50, 0.50);
    m_figures[4]->setCaption(tr("Output"));
    m_figures[4]->setValue(app::numberText(summary.outputPerSecond), tr("tok/s"));
    m_figures[4]->setNote(tr("prompt %1").arg(app::numberText(summary.promptPerSecond)));
    m_figures[5]->setCaption(tr("Goodput"));
    m_figures[5]->setValue(app::numberText(summary.goodputPerSecond, 2), tr("req/s"));
    m_figures[5]->setNote(
        tr("≤ %1 ms, ≤ %2 ms")
            .arg(app::numberText(summary.run.sloTtftMs), app::numberText(summary.run.sloTpotMs)));
    m_figures[6]->setCaption(tr("Completed"));
    m_figures[6]->setValue(app::numberText(static_cast<double>(summary.completed)));
    m_figures[6]->setNote(tr("of %1").arg(app::numberText(static_cast<double>(summary.requests))));
}

void RunView::refresh() {
    m_report->setText(tr("Report…"));
    m_settingsTitle->setText(tr("Requested and effective"));
    m_machineTitle->setText(tr("Machine"));
    m_noteTitle->setText(tr("Note"));
    m_note->setPlaceholderText(m_note->isReadOnly() ? tr("No note") : tr("Write a note"));
    m_note->setAccessibleName(m_noteTitle->text());
    if (m_run.data == nullptr) {
        return;
    }
    const app::RunSummary& summary = m_run.data->summary;
    m_title->setText(
        tr("Run %1: %2").arg(QString::number(summary.run.id), plain(summary.run.name)));
    m_state->setText(app::runStateLabel(summary.run.state));
    m_state->setTone(stateTone(summary.run.state));
    QStringList facts{app::startedText(summary.run.startedUtc, QDateTime::currentDateTime()),
                      app::runTimeText(summary.run.seconds), plain(summary.run.modelName)};
    if (summary.lagP99Ms) {
        facts << tr("lag p99 %1 ms").arg(app::millisecondsText(summary.lagP99Ms));
    }
    facts.removeAll(QString());
    m_facts->setText(facts.join(QStringLiteral(" · ")));
    showFigures(summary);
    m_settings->setText(settingLines(summary));
    m_machine->setText(app::machineLines(summary.run.machineJson).join(u'\n'));
    m_machine->setToolTip(m_machine->text());
}

void RunView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        refresh();
    }
}

} // namespace ui
