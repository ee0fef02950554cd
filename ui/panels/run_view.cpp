#include "ui/panels/run_view.h"

#include "app/background.h"
#include "app/definitions.h"
#include "app/labels.h"
#include "app/run_labels.h"
#include "ui/charts/chart_group.h"
#include "ui/icons.h"
#include "ui/panels/dialect_view.h"
#include "ui/panels/run_charts.h"
#include "ui/panels/settings_difference.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/figure.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/line_scroll.h"
#include "ui/widgets/note_edit.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QStackedWidget>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QVBoxLayout>

namespace ui {

namespace {

constexpr int kSpanDelayMs = 100; // a drag changes the span with every move of the mouse

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
        QString line =
            app::fieldLabel(*field) + QStringLiteral(": ") + settingValue(*field, row.requested);
        if (row.requested != row.effective && !row.effective.empty()) {
            line += QStringLiteral(" → ") + settingValue(*field, row.effective);
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
    m_facts = new ElidedText(type::kControl, ColorRole::Text2, QFont::Normal, this);
    m_report = makeButton({}, ButtonKind::Normal, this);
    m_report->setIcon(icon(QStringLiteral("export")));
    m_span = makeButton({}, ButtonKind::Normal, this);
    m_span->setIcon(icon(QStringLiteral("cross"), ColorRole::Accent));
    m_span->setLayoutDirection(Qt::RightToLeft); // the cross follows the times
    m_span->setCheckable(true);
    m_span->setChecked(true);
    m_span->hide();
    m_dialects = new QComboBox(this);
    m_dialects->setItemDelegate(new QStyledItemDelegate(m_dialects));
    m_dialects->addItem({});
    for (std::size_t i = 0; i < app::kDialects; ++i) {
        m_dialects->addItem({});
    }
    m_title->setMinimumWidth(1); // cut before the buttons are; whole in its tool tip
    head->addWidget(m_title);
    head->addWidget(m_state);
    head->addWidget(m_facts, 1);
    head->addWidget(m_span);
    m_experiment = makeButton({}, ButtonKind::Normal, this);
    m_experiment->setIcon(icon(QStringLiteral("experiments")));
    m_experiment->hide();
    connect(m_experiment, &QPushButton::clicked, this, &RunView::experimentRequested);
    m_chartsButton = makeButton({}, ButtonKind::Quiet, this);
    m_chartsButton->setIcon(icon(QStringLiteral("columns")));
    connect(m_chartsButton, &QPushButton::clicked, this, &RunView::openChartMenu);
    head->addWidget(m_experiment);
    head->addWidget(m_chartsButton);
    head->addWidget(m_dialects);
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
    m_pictures = new QStackedWidget(this);
    m_charts = new RunCharts(m_pictures);
    m_dialectView = new DialectView(m_pictures);
    m_pictures->addWidget(m_charts);
    m_pictures->addWidget(m_dialectView);
    parts->addWidget(m_pictures, 4);
    auto* card = new Card(this);
    auto* scroll = new LineScroll(card);
    auto* facts = new QWidget;
    auto* lines = new QVBoxLayout(facts);
    lines->setContentsMargins(0, 0, space::kHalf, 0); // beside the scroll bar
    lines->setSpacing(6);
    for (auto [title, text] :
         {std::pair(&m_settingsTitle, &m_settings), std::pair(&m_machineTitle, &m_machine)}) {
        *title = makeLabel({}, TextRole::CardTitle, facts);
        *text = makeLabel({}, TextRole::Small, facts);
        (*text)->setWordWrap(true);
        (*text)->setTextInteractionFlags(Qt::TextSelectableByMouse);
        lines->addWidget(*title);
        lines->addWidget(*text);
        lines->addWidget(makeRule(facts));
    }
    m_noteTitle = makeLabel({}, TextRole::CardTitle, facts);
    auto* note = new NoteEdit(facts);
    m_note = note;
    lines->addWidget(m_noteTitle);
    lines->addWidget(m_note);
    lines->addStretch(1);
    scroll->setWidget(facts);
    m_ranWith = scroll;
    card->body()->addWidget(scroll, 1);
    card->setMinimumWidth(250);
    parts->addWidget(card, 1);
    column->addLayout(parts, 1);
    connect(m_report, &QPushButton::clicked, this, [this] { Q_EMIT reportRequested(m_report); });
    connect(note, &NoteEdit::edited, this, [this](const QString& text) {
        if (m_run.data != nullptr) {
            Q_EMIT noteEdited(m_run.data->summary.run.id, text);
        }
    });
    m_spanDelay = new QTimer(this);
    m_spanDelay->setSingleShot(true);
    m_spanDelay->setInterval(kSpanDelayMs);
    connect(m_spanDelay, &QTimer::timeout, this, &RunView::showSpan);
    connect(m_charts, &RunCharts::selectionChanged, m_spanDelay, qOverload<>(&QTimer::start));
    connect(m_span, &QPushButton::clicked, this,
            [this] { m_charts->group().select(std::nullopt); });
    connect(m_dialects, &QComboBox::currentIndexChanged, this, &RunView::showDialect);
    connect(m_charts, &RunCharts::splitRequested, this, &RunView::splitRequested);
    connect(m_charts, &RunCharts::bookmarkNamed, this, &RunView::bookmarkNamed);
    connect(m_charts, &RunCharts::bookmarkRemoved, this, &RunView::bookmarkRemoved);
    refresh();
}

void RunView::setRun(app::OpenedRun run) {
    m_run = std::move(run);
    m_charts->setRun(m_run);
    if (m_run.data != nullptr) {
        m_note->setPlainText(plain(m_run.data->summary.run.note));
    }
    refresh();
}

void RunView::openChartMenu() {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const auto& [key, title] : m_charts->available()) {
        QAction* action = menu->addAction(title);
        action->setCheckable(true);
        action->setChecked(m_charts->isChartShown(key));
        connect(action, &QAction::toggled, m_charts,
                [this, key = key](bool isOn) { m_charts->setChartShown(key, isOn); });
    }
    menu->popup(m_chartsButton->mapToGlobal(QPoint(0, m_chartsButton->height() + 2)));
}

void RunView::setEditable(bool isEditable) {
    m_note->setReadOnly(!isEditable);
    m_charts->setTakesBookmarks(isEditable);
}

void RunView::readAs(std::optional<app::Dialect> dialect) {
    m_dialects->setCurrentIndex(dialect ? static_cast<int>(*dialect) + 1 : 0);
}

void RunView::showDialect() {
    const int index = m_dialects->currentIndex();
    m_pictures->setCurrentIndex(index > 0 ? 1 : 0);
    if (index <= 0 || m_run.data == nullptr) {
        return;
    }
    const auto dialect = static_cast<app::Dialect>(index - 1);
    if (m_run.data->isWhole) {
        m_dialectView->setFigures(dialect, app::readAs(dialect, *m_run.data));
        return;
    }
    // Other definitions need every request.
    m_dialectView->setFigures(dialect, {});
    app::runInBackground(
        this,
        [run = m_run, dialect]() -> engine::Result<std::vector<app::DialectFigure>> {
            const auto whole = app::wholeRun(run);
            if (!whole) {
                return std::unexpected(whole.error());
            }
            return app::readAs(dialect, **whole);
        },
        [this, index,
         run = m_run.data](const engine::Result<std::vector<app::DialectFigure>>& figures) {
            if (figures && run == m_run.data && index == m_dialects->currentIndex()) {
                m_dialectView->setFigures(static_cast<app::Dialect>(index - 1), *figures);
            }
        });
}

QString RunView::figureText(std::size_t place) const {
    return m_figures.at(place)->accessibleName() + u' ' +
           m_figures.at(place)->accessibleDescription();
}

void RunView::showSpan() {
    const int number = ++m_spanNumber;
    const auto selection = m_charts->group().selection();
    m_span->setVisible(selection.has_value());
    m_span->setChecked(true);
    if (m_run.data == nullptr) {
        return;
    }
    if (!selection) {
        showFigures(m_run.data->summary);
        Q_EMIT figuresShown();
        return;
    }
    const QString times = QStringLiteral("%1 – %2").arg(app::runTimeText(selection->first),
                                                        app::runTimeText(selection->second));
    m_span->setText(times);
    app::runInBackground(
        this,
        [run = m_run, span = *selection] { return app::spanFigures(run, span.first, span.second); },
        [this, number, times](const engine::Result<app::RunSummary>& summary) {
            if (number == m_spanNumber && summary) {
                m_span->setText(
                    tr("%1 · n %2")
                        .arg(times, app::numberText(static_cast<double>(summary->ttftMs.n))));
                showFigures(*summary);
                Q_EMIT figuresShown();
            }
        });
}

void RunView::showFigures(const app::RunSummary& summary) {
    const auto latency = [&](std::size_t place, const QString& name,
                             const app::Quantiles& quantiles, std::optional<double> value,
                             double share) {
        m_figures[place]->setCaption(name);
        m_figures[place]->setToolTip(app::definitionTip(name.left(4).toLower().toStdString()));
        m_figures[place]->setValue(app::millisecondsText(value), QStringLiteral("ms"));
        QString note = sampleNote(quantiles, share);
        if (&quantiles == &summary.ttftMs && summary.hitShare.value_or(0) > 0) {
            note += tr(" · hits %1 %").arg(app::numberText(100 * *summary.hitShare, 1));
        }
        m_figures[place]->setNote(note);
        m_figures[place]->setUnsure(quantiles.n < app::leastCount(share));
    };
    latency(0, QStringLiteral("TTFT p50"), summary.ttftMs, summary.ttftMs.p50, 0.50);
    latency(1, QStringLiteral("TTFT p90"), summary.ttftMs, summary.ttftMs.p90, 0.90);
    latency(2, QStringLiteral("TTFT p99"), summary.ttftMs, summary.ttftMs.p99, 0.99);
    latency(3, QStringLiteral("TPOT p50"), summary.tpotMs, summary.tpotMs.p50, 0.50);
    m_figures[4]->setToolTip(app::definitionTip("output"));
    m_figures[5]->setToolTip(app::definitionTip("goodput"));
    m_figures[6]->setToolTip(app::definitionTip("requests"));
    m_figures[4]->setCaption(tr("Output"));
    m_figures[4]->setValue(app::numberText(summary.outputPerSecond), tr("tok/s"));
    m_figures[4]->setNote(tr("prompt %1").arg(app::numberText(summary.promptPerSecond)));
    m_figures[5]->setCaption(tr("Goodput"));
    m_figures[5]->setValue(app::numberText(summary.goodputPerSecond, 2), tr("req/s"));
    m_figures[5]->setNote(app::targetText(summary.run));
    m_figures[6]->setCaption(tr("Completed"));
    m_figures[6]->setValue(app::numberText(static_cast<double>(summary.completed)));
    m_figures[6]->setNote(tr("of %1").arg(app::numberText(static_cast<double>(summary.requests))));
}

void RunView::refresh() {
    m_report->setText(tr("Report…"));
    m_chartsButton->setText(tr("Charts"));
    m_chartsButton->setToolTip(tr("Choose the charts of the run"));
    m_experiment->setText(tr("Open the experiment"));
    m_experiment->setToolTip(tr("Its blocks and its verdict"));
    m_experiment->setVisible(m_run.isExperiment);
    m_span->setToolTip(tr("Figures of the selected span: requests that arrived and ended in it. "
                          "Click to clear (Esc)"));
    m_span->setAccessibleName(tr("Selected span"));
    m_dialects->setItemText(0, tr("Read as Headway"));
    for (std::size_t i = 0; i < app::kDialects; ++i) {
        m_dialects->setItemText(
            static_cast<int>(i) + 1,
            tr("Read as %1").arg(app::dialectName(static_cast<app::Dialect>(i))));
    }
    m_dialects->setToolTip(tr("The figures by the names and definitions of another tool"));
    m_dialects->setAccessibleName(m_dialects->toolTip());
    showDialect();
    m_settingsTitle->setText(tr("Requested and effective"));
    m_machineTitle->setText(tr("Machine"));
    m_ranWith->setAccessibleName(m_settingsTitle->text());
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
    m_facts->setToolTip(m_facts->text());
    showSpan();
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
