#include "ui/panels/tuner_view.h"

#include "app/experiment/experiment_labels.h"
#include "app/labels.h"
#include "app/store/summary.h"
#include "app/value_text.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/choice_field.h"
#include "ui/widgets/tuner_scatter.h"

#include <QDoubleSpinBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

constexpr int kFormWidth = 228, kRightWidth = 380;
constexpr int kMostEffects = 8, kMostFront = 8;

QDoubleSpinBox* numberBox(double least, double most, double value, const QString& suffix,
                          QWidget* parent) {
    auto* box = new QDoubleSpinBox(parent);
    box->setRange(least, most);
    box->setDecimals(0);
    box->setValue(value);
    box->setSuffix(suffix);
    return box;
}

QLabel* richLabel(QWidget* parent) {
    QLabel* label = makeLabel({}, TextRole::Small, parent);
    label->setTextFormat(Qt::RichText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

QString percent(double share) {
    const QString text = app::numberText(100 * share);
    return (share > 0 ? QStringLiteral("+") : QString()) + text + QStringLiteral(" %");
}

QString settingLine(const std::string& key, const QString& value) {
    const engine::Field* field = engine::findField(key);
    return QStringLiteral("%1 %2").arg(
        field != nullptr ? app::fieldLabel(*field) : QString::fromStdString(key), value);
}

QString valueText(const std::string& key, const std::string& value) {
    const engine::Field* field = engine::findField(key);
    return field != nullptr ? app::choiceLabel(*field, value) : QString::fromStdString(value);
}

} // namespace

TunerView::TunerView(QWidget* parent) : QWidget(parent) {
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(0);
    line->addWidget(buildForm());
    auto* body = new QVBoxLayout;
    body->setContentsMargins(8, 8, 8, 8);
    body->setSpacing(space::kBetweenCards);
    m_title = makeLabel({}, TextRole::PageTitle, this);
    body->addWidget(m_title);
    auto* parts = new QHBoxLayout;
    parts->setSpacing(space::kBetweenCards);
    auto* middle = new QVBoxLayout;
    middle->setSpacing(space::kBetweenCards);
    auto* card = new Card(this);
    m_scatter = new TunerScatter(card);
    card->body()->addWidget(m_scatter, 1);
    middle->addWidget(card, 1);
    m_effectsCard = new Card(this);
    m_effects = richLabel(m_effectsCard);
    m_effectsCard->body()->addWidget(m_effects);
    middle->addWidget(m_effectsCard);
    parts->addLayout(middle, 1);
    parts->addWidget(buildRight());
    body->addLayout(parts, 1);
    line->addLayout(body, 1);
    connect(m_scatter, &TunerScatter::pointChosen, this, &TunerView::showChosen);
    refresh();
}

QWidget* TunerView::buildForm() {
    auto* side = new QWidget(this);
    setSurface(side, Surface::Panel);
    setSheetProperty(side, "edge", QStringLiteral("right"));
    side->setFixedWidth(kFormWidth);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(space::kPanel, 12, space::kPanel, 10);
    column->setSpacing(6);
    m_formTitle = makeLabel({}, TextRole::CardTitle, side);
    column->addWidget(m_formTitle);
    m_ttftName = makeLabel({}, TextRole::Caption, side);
    m_ttft = numberBox(1, 600'000, 300, QStringLiteral(" ms"), side);
    m_tpotName = makeLabel({}, TextRole::Caption, side);
    m_tpot = numberBox(0, 60'000, 0, QStringLiteral(" ms"), side);
    m_workloadName = makeLabel({}, TextRole::Caption, side);
    m_workload = new ChoiceField(side);
    m_workload->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_workload->addItem(QString(), QString());
    for (const app::BuiltInWorkload& built : app::builtInWorkloads()) {
        const auto workload = app::parseWorkload(built.toml, built.name);
        if (workload && workload->stages.size() == 1) {
            const QString name = QString::fromStdString(built.name);
            m_workload->addItem(name, name);
        }
    }
    m_minutesName = makeLabel({}, TextRole::Caption, side);
    m_minutes = numberBox(1, 1440, 10, {}, side);
    for (QWidget* each :
         std::initializer_list<QWidget*>{m_ttftName, m_ttft, m_tpotName, m_tpot, m_workloadName,
                                         m_workload, m_minutesName, m_minutes}) {
        column->addWidget(each);
    }
    m_changes = makeLabel({}, TextRole::Small, side);
    m_changes->setWordWrap(true);
    column->addSpacing(6);
    column->addWidget(m_changes);
    m_stateText = makeLabel({}, TextRole::Small, side);
    m_stateText->setWordWrap(true);
    column->addWidget(m_stateText);
    column->addWidget(makeRule(side));
    m_roundsTitle = makeLabel({}, TextRole::CardTitle, side);
    column->addWidget(m_roundsTitle);
    m_rounds = richLabel(side);
    column->addWidget(m_rounds);
    column->addStretch(1);
    m_resume = makeButton({}, ButtonKind::Normal, side);
    column->addWidget(m_resume);
    m_start = makeButton({}, ButtonKind::Primary, side);
    column->addWidget(m_start);
    connect(m_resume, &QPushButton::clicked, this, &TunerView::resumeRequested);
    connect(m_minutes, &QDoubleSpinBox::valueChanged, this, &TunerView::refresh);
    connect(m_workload, &QComboBox::activated, this, &TunerView::refresh);
    connect(m_start, &QPushButton::clicked, this,
            [this] { m_isRunning ? Q_EMIT stopRequested() : Q_EMIT startRequested(); });
    for (QDoubleSpinBox* box : {m_ttft, m_tpot}) {
        connect(box, &QDoubleSpinBox::valueChanged, this,
                [this] { show(m_experiment, m_blocks, m_state); });
    }
    return side;
}

QWidget* TunerView::buildRight() {
    auto* side = new QWidget(this);
    side->setFixedWidth(kRightWidth);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::kBetweenCards);
    const auto add = [&](Card*& card, QLabel*& label) {
        card = new Card(side);
        label = richLabel(card);
        card->body()->addWidget(label);
        column->addWidget(card);
    };
    add(m_frontCard, m_front);
    add(m_chosenCard, m_chosen);
    auto* buttons = new QHBoxLayout;
    m_apply = makeButton({}, ButtonKind::Primary, m_chosenCard);
    m_prove = makeButton({}, ButtonKind::Normal, m_chosenCard);
    buttons->addWidget(m_apply);
    buttons->addWidget(m_prove);
    buttons->addStretch(1);
    m_chosenCard->body()->addLayout(buttons);
    add(m_ruleCard, m_rule);
    column->addStretch(1);
    connect(m_apply, &QPushButton::clicked, this,
            [this] { Q_EMIT applyRequested(m_chosenSettings); });
    connect(m_prove, &QPushButton::clicked, this,
            [this] { Q_EMIT proveRequested(m_chosenSettings); });
    return side;
}

app::ServiceLimits TunerView::limits() const {
    app::ServiceLimits limits{.ttftP99Ms = m_ttft->value(), .tpotP99Ms = {}};
    if (m_tpot->value() > 0) {
        limits.tpotP99Ms = m_tpot->value();
    }
    return limits;
}

void TunerView::setLimits(const app::RunInfo& run) {
    const QSignalBlocker ttft(m_ttft), tpot(m_tpot); // what is shown follows by itself
    m_ttft->setValue(app::isLimit(run.sloTtftMs) ? run.sloTtftMs : m_ttft->maximum());
    m_tpot->setValue(app::isLimit(run.sloTpotMs) ? run.sloTpotMs : 0.0);
}

double TunerView::minutes() const {
    return m_minutes->value();
}

std::optional<app::Workload> TunerView::workload() const {
    const QString name = m_workload->currentData().toString();
    const auto chosen = app::loadWorkload(name.toStdString());
    return name.isEmpty() || !chosen ? std::nullopt : std::optional(*chosen);
}

void TunerView::setInForce(app::SettingTexts settings) {
    m_inForce = std::move(settings);
    showChosen(m_scatter->chosen());
}

// Each round with half of the candidates before, for longer: planned, then how far it is.
void TunerView::showRounds() {
    QString text;
    const auto addLine = [&text](const QString& name, const QString& value) {
        text += QStringLiteral("<tr><td>%1</td><td align=\"right\"><b>%2</b></td></tr>")
                    .arg(name.toHtmlEscaped(), value.toHtmlEscaped());
    };
    int last = -1;
    for (const app::Block& block : m_blocks) {
        last = std::max(last, block.round);
    }
    for (int round = 0; round <= last; ++round) {
        const auto done = std::ranges::count_if(
            m_blocks, [round](const app::Block& b) { return b.round == round; });
        addLine(tr("Round %1").arg(round + 1), tr("%n measured", nullptr, static_cast<int>(done)));
    }
    if (last < 0) {
        const auto plan = app::planTuner(minutes(), workload());
        for (std::size_t i = 0; plan && i < plan->rounds.size(); ++i) {
            addLine(tr("Round %1").arg(i + 1),
                    tr("%1 × %2 s")
                        .arg(plan->rounds[i].candidates)
                        .arg(app::numberText(plan->rounds[i].measureSeconds, 0)));
        }
        m_scatter->setPlanned(plan ? static_cast<int>(plan->experiment.sides.size()) : 0, minutes(),
                              limits().ttftP99Ms);
    }
    m_roundsTitle->setText(tr("Successive halving"));
    m_rounds->setText(QStringLiteral("<table width=\"100%\" cellpadding=\"1\">") + text +
                      QStringLiteral("</table>"));
    const bool canResume = !m_isRunning && !m_blocks.empty();
    m_resume->setVisible(canResume);
    m_resume->setEnabled(m_canStart);
    m_resume->setText(tr("Search %1 min more").arg(app::numberText(minutes())));
}

void TunerView::setRunning(bool isRunning, bool canStart) {
    m_isRunning = isRunning;
    m_canStart = canStart;
    refresh();
}

void TunerView::show(const app::Experiment& experiment, const std::vector<app::Block>& blocks,
                     const QString& state) {
    m_experiment = experiment;
    m_blocks = blocks;
    m_state = state;
    m_result = app::tunerResult(m_experiment, m_blocks, limits());
    m_scatter->setResult(m_experiment, m_result, limits().ttftP99Ms);
    if (m_scatter->chosen() < 0 && m_result.optimum) {
        m_scatter->setChosen(*m_result.optimum);
    }
    refresh();
}

void TunerView::showChosen(int point) {
    const bool hasOne = point >= 0 && point < static_cast<int>(m_result.points.size());
    m_chosenCard->setVisible(hasOne);
    if (!hasOne) {
        return;
    }
    const app::TunerPoint& chosen = m_result.points[std::size_t(point)];
    const app::Side& side = m_experiment.sides[std::size_t(chosen.side)];
    m_chosenCard->setTitle(tr("Selected: %1").arg(app::configurationText(side)));
    m_chosenSettings.clear();
    QString text;
    for (const auto& [key, value] : side.settings) {
        if (!key.starts_with("workload.")) {
            m_chosenSettings.emplace_back(key, value);
            // Against what is in force: applying shows nothing new.
            const auto present =
                std::ranges::find(m_inForce, key, &app::SettingTexts::value_type::first);
            const QString after =
                QStringLiteral("<b>%1</b>").arg(valueText(key, value).toHtmlEscaped());
            const bool isKnown = present != m_inForce.end();
            text += settingLine(key, !isKnown ? after
                                     : present->second == value
                                         ? tr("%1, unchanged").arg(after)
                                         : valueText(key, present->second).toHtmlEscaped() +
                                               QStringLiteral(" → ") + after) +
                    QStringLiteral("<br>");
        }
    }
    text +=
        tr("TTFT p99 %1 ms, output %2 tok/s, goodput %3 req/s, n %4")
            .arg(app::millisecondsText(chosen.ttftP99Ms), app::numberText(chosen.outputPerSecond),
                 app::numberText(chosen.goodputPerSecond, 1),
                 app::numberText(static_cast<double>(chosen.n)));
    m_chosen->setText(text);
    m_apply->setEnabled(!m_isRunning && m_canStart);
    m_prove->setEnabled(!m_isRunning && m_canStart);
}

void TunerView::refresh() {
    m_formTitle->setText(tr("Search"));
    m_ttftName->setText(tr("TTFT p99, at most"));
    m_tpotName->setText(tr("TPOT p99, at most (0: no limit)"));
    m_minutesName->setText(tr("Time"));
    m_minutes->setSuffix(QLatin1Char(' ') + tr("min"));
    m_workloadName->setText(tr("Workload"));
    m_workload->setItemText(0, tr("chat, clients = slots"));
    m_ttft->setAccessibleName(m_ttftName->text());
    m_tpot->setAccessibleName(m_tpotName->text());
    m_workload->setAccessibleName(m_workloadName->text());
    m_minutes->setAccessibleName(m_minutesName->text());
    m_tpot->setSpecialValueText(tr("no limit"));
    showRounds();
    m_changes->setText(tr("Changed live: policy, slots, token budget, and precision where the "
                          "build has it. Clients follow the slots. What changes answers further "
                          "is left out on purpose."));
    m_stateText->setText(m_state);
    m_start->setText(m_isRunning ? tr("Stop") : tr("Search"));
    setButtonKind(m_start, m_isRunning ? ButtonKind::Danger : ButtonKind::Primary);
    m_start->setEnabled(m_isRunning || m_canStart);
    m_title->setText(tr("Pareto front of TTFT p99 and throughput"));
    m_apply->setText(tr("Apply live"));
    m_prove->setText(tr("Prove it, A-B-A-B"));
    m_frontCard->setTitle(tr("Measured front"));
    QString front = QStringLiteral("<table cellspacing=\"0\" cellpadding=\"3\" width=\"100%\">"
                                   "<tr><td>%1</td><td align=\"right\">TTFT p99 ms</td>"
                                   "<td align=\"right\">tok/s</td><td align=\"right\">%2</td></tr>")
                        .arg(tr("Configuration"), tr("Goodput"));
    int shown = 0;
    for (const app::TunerPoint& point : m_result.points) {
        if (point.isOnFront && ++shown <= kMostFront) {
            front += QStringLiteral("<tr><td>%1</td><td align=\"right\">%2</td>"
                                    "<td align=\"right\">%3</td><td align=\"right\"><b>%4</b></td>"
                                    "</tr>")
                         .arg(app::configurationText(m_experiment.sides[std::size_t(point.side)])
                                  .toHtmlEscaped(),
                              app::millisecondsText(point.ttftP99Ms),
                              app::numberText(point.outputPerSecond),
                              app::numberText(point.goodputPerSecond, 1));
        }
    }
    m_front->setText(front + QStringLiteral("</table>"));
    m_frontCard->setVisible(shown > 0);
    showChosen(m_scatter->chosen());
    const app::Advice advice = app::ruleFor(limits());
    QString rule = advice.isRealtime
                       ? tr("TTFT target below 300 ms: the rule says realtime first, one request "
                            "at a time, INT8, warmed.")
                       : tr("No TTFT target below 300 ms: the rule says throughput first, FP16, "
                            "dynamic batches.");
    if (m_result.ruleChoice) {
        rule += QLatin1Char(' ') +
                tr("It serves %1 req/s within the limits.")
                    .arg(app::numberText(
                        m_result.points[std::size_t(*m_result.ruleChoice)].goodputPerSecond, 1));
    }
    if (m_result.optimum) {
        rule += QLatin1Char(' ') +
                tr("The measured optimum serves %1 req/s.")
                    .arg(app::numberText(
                        m_result.points[std::size_t(*m_result.optimum)].goodputPerSecond, 1));
    }
    m_ruleCard->setTitle(tr("Rule against measurement"));
    m_rule->setText(rule);
    m_effectsCard->setTitle(tr("Which setting moved what"),
                            tr("median change when only this setting differs"));
    QString effects = QStringLiteral("<table cellspacing=\"0\" cellpadding=\"3\" width=\"100%\">");
    int listed = 0;
    for (const app::SettingEffect& effect : m_result.effects) {
        if (++listed > kMostEffects) {
            break;
        }
        effects += QStringLiteral("<tr><td>%1</td><td align=\"right\">%2 <b>%3</b></td>"
                                  "<td align=\"right\">TTFT p99 <b>%4</b></td>"
                                  "<td align=\"right\">%5</td></tr>")
                       .arg(settingLine(effect.field, valueText(effect.field, effect.from) +
                                                          QStringLiteral(" → ") +
                                                          valueText(effect.field, effect.to))
                                .toHtmlEscaped(),
                            tr("output"), percent(effect.output), percent(effect.ttftP99),
                            tr("%n pair(s)", nullptr, effect.pairs));
    }
    m_effects->setText(effects + QStringLiteral("</table>"));
    m_effectsCard->setVisible(listed > 0);
}

void TunerView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        refresh();
    }
}

} // namespace ui
