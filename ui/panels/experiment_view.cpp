#include "ui/panels/experiment_view.h"

#include "app/experiment/experiment_labels.h"
#include "app/labels.h"
#include "app/run_labels.h"
#include "app/value_text.h"
#include "ui/icons.h"
#include "ui/panels/verdict_column.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/plot_view.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace ui {

namespace {

constexpr int kVerdictWidth = 300;

QString secondsText(double seconds) {
    return app::numberText(seconds, seconds < 10 && seconds != std::floor(seconds) ? 1 : 0);
}

} // namespace

ExperimentView::ExperimentView(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(space::kBetweenCards);
    column->addWidget(buildHead());
    auto* parts = new QHBoxLayout;
    parts->setSpacing(space::kBetweenCards);
    auto* middle = new QVBoxLayout;
    middle->setSpacing(space::kBetweenCards);
    middle->addWidget(buildPlan());
    m_timelineCard = new Card(this);
    m_timeline = new PlotView(m_timelineCard);
    m_timelineCard->body()->addWidget(m_timeline, 1);
    middle->addWidget(m_timelineCard, 5);
    m_pair = new QWidget(this);
    auto* pair = new QHBoxLayout(m_pair);
    pair->setContentsMargins(0, 0, 0, 0);
    pair->setSpacing(space::kBetweenCards);
    for (std::size_t i = 0; i < m_plots.size(); ++i) {
        m_plotCards[i] = new Card(m_pair);
        m_plots[i] = new PlotView(m_plotCards[i]);
        m_plotCards[i]->body()->addWidget(m_plots[i], 1);
        pair->addWidget(m_plotCards[i], 1);
    }
    middle->addWidget(m_pair, 5);
    m_tableCard = new Card(this);
    m_tableCard->setFlush();
    m_model = new MeasureModel(measureColumns([this] { return measureScale(*m_model); }), this);
    m_table = new TableView(m_tableCard);
    m_table->setSortingEnabled(false);
    m_table->setModel(m_model);
    m_table->setItemDelegate(new MeasureDelegate(*m_model, m_table));
    m_table->horizontalHeader()->setSortIndicatorShown(false);
    for (int i = 0; i < m_model->columnCount(); ++i) {
        m_table->setColumnWidth(i, m_model->column(i).width);
    }
    m_table->setStretchColumn(static_cast<int>(MeasureColumn::Measure));
    m_tableCard->body()->addWidget(m_table, 1);
    m_tableCard->body()->addWidget(makeRule(m_tableCard));
    m_foot = makeLabel({}, TextRole::Caption, m_tableCard);
    m_foot->setWordWrap(true);
    setSheetProperty(m_foot, "place", QStringLiteral("foot"));
    m_tableCard->body()->addWidget(m_foot);
    middle->addWidget(m_tableCard, 6);
    parts->addLayout(middle, 1);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    m_verdict = new VerdictColumn(scroll);
    scroll->setWidget(m_verdict);
    scroll->setFixedWidth(kVerdictWidth);
    parts->addWidget(scroll);
    column->addLayout(parts, 1);
    connect(m_verdict, &VerdictColumn::moreRequested, this, &ExperimentView::moreRequested);
    refresh();
}

QWidget* ExperimentView::buildHead() {
    auto* row = new QWidget(this);
    auto* head = new QHBoxLayout(row);
    head->setContentsMargins(0, 0, 0, 0);
    head->setSpacing(8);
    m_title = makeLabel({}, TextRole::PageTitle, row);
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_state = new Tag({}, Tone::Accent, row);
    m_caption = new ElidedText(type::kControl, ColorRole::Text2, QFont::Normal, row);
    m_copy = makeButton({}, ButtonKind::Quiet, row);
    m_copy->setIcon(icon(QStringLiteral("copy")));
    m_report = makeButton({}, ButtonKind::Normal, row);
    m_report->setIcon(icon(QStringLiteral("export")));
    m_apply = makeButton({}, ButtonKind::Normal, row);
    m_start = makeButton({}, ButtonKind::Primary, row);
    head->addWidget(m_title);
    head->addWidget(m_state);
    head->addWidget(m_caption, 1);
    for (QPushButton* button : {m_copy, m_report, m_apply, m_start}) {
        head->addWidget(button);
    }
    connect(m_copy, &QPushButton::clicked, this, &ExperimentView::copyRequested);
    connect(m_report, &QPushButton::clicked, this, [this] { Q_EMIT reportRequested(m_report); });
    connect(m_apply, &QPushButton::clicked, this, &ExperimentView::applyRequested);
    connect(m_start, &QPushButton::clicked, this,
            [this] { m_shown.isRunning ? Q_EMIT stopRequested() : Q_EMIT startRequested(); });
    return row;
}

QWidget* ExperimentView::buildPlan() {
    auto* card = new Card(this);
    auto* line = new QHBoxLayout;
    line->setSpacing(24);
    for (std::size_t i = 0; i < m_planHeads.size(); ++i) {
        auto* part = new QVBoxLayout;
        part->setSpacing(2);
        m_planHeads[i] = makeLabel({}, TextRole::Caption, card);
        m_planValues[i] = makeLabel({}, TextRole::SmallTitle, card);
        m_planValues[i]->setWordWrap(true);
        m_planNotes[i] = new ElidedText(type::kCaption, ColorRole::Text3, QFont::Normal, card);
        for (QWidget* label :
             std::initializer_list<QWidget*>{m_planHeads[i], m_planValues[i], m_planNotes[i]}) {
            label->setMinimumWidth(40);
            part->addWidget(label);
        }
        line->addLayout(part, 1);
    }
    card->body()->addLayout(line);
    card->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Minimum); // as high as its words
    return card;
}

void ExperimentView::show(ShownExperiment shown) {
    m_shown = std::move(shown);
    refresh();
}

void ExperimentView::refreshPlan() {
    const app::Experiment& experiment = m_shown.experiment;
    const auto set = [this](std::size_t at, const QString& head, const QString& value,
                            const QString& note) {
        m_planHeads[at]->setText(head);
        m_planValues[at]->setText(value);
        m_planNotes[at]->setText(note);
        m_planValues[at]->setToolTip(value);
        m_planNotes[at]->setToolTip(note);
    };
    if (experiment.sides.empty()) {
        return;
    }
    const bool isPair = experiment.sweepKey.empty() && experiment.sides.size() == 2;
    set(0, tr("Varies"),
        isPair
            ? QStringLiteral("<span style=\"color:%1\">A</span> %2 &nbsp; "
                             "<span style=\"color:%3\">B</span> %4")
                  .arg(color(ColorRole::SideA).name(), app::sideText(experiment, 0).toHtmlEscaped(),
                       color(ColorRole::SideB).name(), app::sideText(experiment, 1).toHtmlEscaped())
            : app::variesText(experiment).toHtmlEscaped(),
        isPair ? app::variesText(experiment)
               : tr("%n level(s)", nullptr, static_cast<int>(experiment.sides.size())));
    QString load;
    const app::Stage& stage = experiment.workload.stages.front();
    switch (experiment.method) {
    case app::Method::Load:
        load = tr("another copy is loaded");
        break;
    case app::Method::Typing:
        load = tr("one user who types");
        break;
    case app::Method::Tokenize:
        load = tr("texts are encoded");
        break;
    case app::Method::Traffic:
        load = stage.kind == app::ArrivalKind::Closed
                   ? tr("closed loop, %n user(s)", nullptr, stage.users)
               : experiment.saturation > 0
                   ? tr("open loop, %1 × what it can do")
                         .arg(app::numberText(experiment.saturation * stage.ratePerSecond, 1))
                   : tr("open loop, %1 req/s").arg(app::numberText(stage.ratePerSecond, 1));
        break;
    }
    QStringList sets;
    for (const std::string& name : experiment.workload.promptSets) {
        sets << app::promptSetLabel(name);
    }
    set(1, tr("Workload"), load,
        tr("%1 · seed %2").arg(sets.join(QStringLiteral(", "))).arg(experiment.workload.seed));
    const bool isTimed = experiment.method != app::Method::Load;
    set(2, tr("Blocks"),
        isTimed ? tr("%1 × %2 s measured")
                      .arg(experiment.blocks)
                      .arg(secondsText(experiment.measureSeconds))
                : tr("%1 loads").arg(experiment.blocks),
        isPair ? QStringLiteral("A-B-A-B") : tr("levels take turns"));
    set(3, tr("Left out"), tr("%1 s warm-up, drain").arg(secondsText(experiment.warmupSeconds)),
        tr("shaded below"));
    set(4, tr("Stop rule"),
        experiment.stopAt > 0
            ? tr("interval ≤ %1 %, or all blocks").arg(app::numberText(100 * experiment.stopAt, 0))
            : tr("all blocks"),
        tr("%1 of %2 blocks").arg(m_shown.blocks.size()).arg(experiment.blocks));
}

void ExperimentView::refresh() {
    const app::Experiment& experiment = m_shown.experiment;
    m_title->setText(app::experimentTitle(experiment));
    m_state->setText(m_shown.state);
    m_state->setVisible(!m_shown.state.isEmpty());
    m_state->setTone(m_shown.isRunning ? Tone::Info : Tone::Accent);
    // Sides that have workloads of their own do not send the same.
    const bool isSameList = std::ranges::none_of(experiment.sides, [](const app::Side& side) {
        return std::ranges::any_of(side.settings, [](const auto& setting) {
            return setting.first.starts_with("workload.");
        });
    });
    m_caption->setText(m_shown.run && !m_shown.run->requestDigest.empty() && isSameList &&
                               experiment.method == app::Method::Traffic
                           ? tr("same request list on both sides, %1")
                                 .arg(app::shortDigest(m_shown.run->requestDigest))
                           : app::experimentNote(experiment));
    m_caption->setToolTip(app::experimentNote(experiment));
    m_copy->setText(tr("Copy and edit"));
    m_report->setText(tr("Report…"));
    m_report->setEnabled(m_shown.run && !m_shown.isRunning);
    const bool isPair = experiment.sweepKey.empty() && experiment.sides.size() == 2;
    m_apply->setVisible(isPair && !m_shown.blocks.empty() && !m_shown.isRunning &&
                        experiment.method == app::Method::Traffic);
    m_apply->setText(isPair ? tr("Apply %1").arg(app::sideText(experiment, 1)) : QString());
    m_start->setText(m_shown.isRunning ? tr("Stop")
                                       : (m_shown.blocks.empty() ? tr("Start") : tr("Run again")));
    setButtonKind(m_start, m_shown.isRunning ? ButtonKind::Danger : ButtonKind::Primary);
    m_start->setEnabled(m_shown.canStart || m_shown.isRunning);
    refreshPlan();
    const auto plotAt = [this](std::size_t at) {
        return at < m_shown.plots.size() ? m_shown.plots[at] : app::Plot{};
    };
    m_timelineCard->setVisible(!m_shown.plots.empty());
    m_timeline->setPlot(plotAt(0));
    m_pair->setVisible(m_shown.plots.size() > 1);
    for (std::size_t i = 0; i < m_plots.size(); ++i) {
        m_plots[i]->setPlot(plotAt(i + 1));
        m_plotCards[i]->setVisible(m_shown.plots.size() > i + 1);
    }
    m_model->setRows(m_shown.verdict.measures);
    m_tableCard->setVisible(isPair);
    m_foot->setText(tr("Paired t over rounds; p adjusted by Holm over the measures. Marked samples "
                       "are included."));
    m_table->setAccessibleName(tr("Measures of both sides"));
    m_verdict->show(experiment, m_shown.blocks, m_shown.verdict, m_shown.isRunning);
}

void ExperimentView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        m_model->retranslate();
        refresh();
    }
}

} // namespace ui
