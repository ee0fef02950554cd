#include "ui/panels/verdict_column.h"

#include "app/durations.h"
#include "app/experiment/experiment_labels.h"
#include "app/labels.h"
#include "app/value_text.h"
#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/claim_scale.h"
#include "ui/widgets/icon.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace ui {

namespace {

constexpr int kMostUnresolved = 3;
constexpr int kMostSpoilers = 6;

ColorRole toneRole(Tone tone) {
    return tone == Tone::Better  ? ColorRole::Better
           : tone == Tone::Worse ? ColorRole::Worse
                                 : ColorRole::Text2;
}

QLabel* wrapped(TextRole role, QWidget* parent) {
    QLabel* label = makeLabel({}, role, parent);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

} // namespace

VerdictColumn::VerdictColumn(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::kBetweenCards);

    m_answer = new Card(this);
    auto* head = new QHBoxLayout;
    m_tag = new Tag({}, Tone::Neutral, m_answer);
    m_count = makeLabel({}, TextRole::Caption, m_answer);
    head->addWidget(m_tag);
    head->addStretch(1);
    head->addWidget(m_count);
    m_answer->body()->addLayout(head);
    auto* figure = new QHBoxLayout;
    m_value = new QLabel(m_answer);
    m_value->setFont(ui::font(type::kVerdict, QFont::DemiBold));
    m_value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_unit = makeLabel({}, TextRole::Small, m_answer);
    m_unit->setWordWrap(true);
    figure->addWidget(m_value);
    figure->addWidget(m_unit, 1, Qt::AlignBottom);
    m_answer->body()->addLayout(figure);
    m_interval = wrapped(TextRole::Small, m_answer);
    m_answer->body()->addWidget(m_interval);
    m_answer->body()->addWidget(makeRule(m_answer));
    m_claim = wrapped(TextRole::Small, m_answer);
    m_answer->body()->addWidget(m_claim);
    m_scale = new ClaimScale(m_answer);
    m_answer->body()->addWidget(m_scale);
    auto* answer = new QHBoxLayout;
    m_icon = new Icon(QStringLiteral("check"), ColorRole::Better, 16, m_answer);
    m_sentence = wrapped(TextRole::SmallTitle, m_answer);
    answer->addWidget(m_icon, 0, Qt::AlignTop);
    answer->addWidget(m_sentence, 1);
    m_answer->body()->addLayout(answer);
    column->addWidget(m_answer);

    m_unresolved = new Card(this);
    m_unresolvedText = wrapped(TextRole::Small, m_unresolved);
    m_unresolved->body()->addWidget(m_unresolvedText);
    m_more = makeButton({}, ButtonKind::Normal, m_unresolved);
    m_more->setIcon(icon(QStringLiteral("plus")));
    m_unresolved->body()->addWidget(m_more, 0, Qt::AlignLeft);
    column->addWidget(m_unresolved);
    connect(m_more, &QPushButton::clicked, this, [this] { Q_EMIT moreRequested(m_moreBlocks); });

    m_spoilers = new Card(this);
    m_spoilersText = wrapped(TextRole::Small, m_spoilers);
    m_spoilersText->setTextFormat(Qt::PlainText);
    m_spoilers->body()->addWidget(m_spoilersText);
    column->addWidget(m_spoilers);
    column->addStretch(1);
}

void VerdictColumn::show(const app::Experiment& experiment, const std::vector<app::Block>& blocks,
                         const app::ExperimentVerdict& verdict, bool isRunning) {
    showAnswer(experiment, verdict, isRunning);
    showUnresolved(experiment, verdict, isRunning);
    showSpoilers(experiment, blocks, verdict);
}

void VerdictColumn::showAnswer(const app::Experiment& experiment,
                               const app::ExperimentVerdict& verdict, bool isRunning) {
    const app::ClaimResult& claim = verdict.claim;
    VerdictLook look = claimLook(claim.verdict);
    // Without a claim the answer is the direction of the metric itself.
    const auto row =
        std::ranges::find(verdict.measures, experiment.metric, &app::MeasureVerdict::metric);
    if (claim.verdict == app::ClaimVerdict::NotStated && row != verdict.measures.end() &&
        row->verdict != app::Verdict::None) {
        look = verdictLook(row->verdict);
    }
    m_tag->setText(isRunning ? tr("so far: %1").arg(look.text) : look.text);
    m_tag->setTone(look.tone);
    m_tag->setIconName(look.iconName);
    m_count->setText(claim.n > 0 ? tr("n %1").arg(app::numberText(static_cast<double>(claim.n)))
                                 : QString());
    const app::Measure* measure = app::findExperimentMeasure(experiment.metric);
    m_value->setText(claim.measured ? app::claimFigure(experiment, *claim.measured)
                                    : QStringLiteral("—"));
    const QString unit = measure != nullptr ? app::unitText(measure->unit) : QString();
    m_unit->setText(measure == nullptr ? QString()
                    : unit.isEmpty()   ? app::experimentMeasureLabel(*measure)
                                       : app::experimentMeasureLabel(*measure) + u' ' + unit);
    m_interval->setText(
        claim.interval
            ? tr("95 % interval %1, by round").arg(app::claimInterval(experiment, *claim.interval))
            : tr("An interval takes four rounds."));
    m_claim->setText(tr("Claim: %1").arg(app::claimedLabel(experiment)));
    m_scale->setClaim(experiment, claim);
    m_scale->setVisible(claim.measured.has_value());
    m_icon->setIcon(look.iconName.isEmpty() ? QStringLiteral("clock") : look.iconName,
                    toneRole(look.tone));
    m_sentence->setText(isRunning && claim.measured
                            ? tr("So far: %1").arg(app::answerText(experiment, verdict))
                            : app::answerText(experiment, verdict));
}

void VerdictColumn::showUnresolved(const app::Experiment& experiment,
                                   const app::ExperimentVerdict& verdict, bool isRunning) {
    QStringList lines;
    m_moreBlocks = verdict.claim.moreBlocks.value_or(0);
    int shown = 0;
    for (const app::MeasureVerdict& row : verdict.measures) {
        if (row.verdict != app::Verdict::NotResolved || ++shown > kMostUnresolved) {
            continue;
        }
        const app::Measure& measure = *app::findExperimentMeasure(row.metric);
        const QString name = app::experimentMeasureLabel(measure);
        const QString unit = app::unitText(measure.unit);
        QString difference = (row.difference > 0 ? QStringLiteral("+") : QString()) +
                             app::numberText(row.difference, 1);
        difference += unit.isEmpty() ? QString() : u' ' + unit;
        if (row.interval) {
            difference += QStringLiteral(" [%1, %2]")
                              .arg(app::numberText(row.interval->low, 1),
                                   app::numberText(row.interval->high, 1));
        }
        const bool holdsZero = row.interval && row.interval->low <= 0 && row.interval->high >= 0;
        QString line =
            !row.interval ? tr("%1: too few rounds.").arg(name)
            : holdsZero ? tr("%1 differs by %2: the interval includes zero.").arg(name, difference)
                        : tr("%1 differs by %2: among so many measures that may be "
                             "chance.")
                              .arg(name, difference);
        if (row.moreBlocks) {
            line += QLatin1Char(' ') + tr("About %n more block(s).", nullptr, *row.moreBlocks);
            if (row.metric == experiment.metric) {
                m_moreBlocks = std::max(m_moreBlocks, *row.moreBlocks);
            }
        }
        lines << line;
    }
    m_unresolved->setVisible(!lines.isEmpty() || m_moreBlocks > 0);
    m_unresolved->setTitle(tr("Not resolved"));
    m_unresolvedText->setText(lines.join(QLatin1Char('\n')));
    m_unresolvedText->setVisible(!lines.isEmpty());
    m_more->setVisible(!isRunning && m_moreBlocks > 0);
    // Whole rounds: a half one says nothing.
    const int sides = std::max(1, static_cast<int>(experiment.sides.size()));
    m_moreBlocks = (m_moreBlocks + sides - 1) / sides * sides;
    const double seconds = m_moreBlocks * experiment.blockSeconds();
    m_more->setText(tr("Run %n more block(s), about %1", nullptr, m_moreBlocks)
                        .arg(QString::fromStdString(app::durationText(seconds))));
    m_more->setToolTip(tr("Goes on after the blocks measured so far, with the same model"));
}

void VerdictColumn::showSpoilers(const app::Experiment& experiment,
                                 const std::vector<app::Block>& blocks,
                                 const app::ExperimentVerdict& verdict) {
    QStringList lines;
    int left = 0;
    for (const app::Block& block : blocks) {
        for (const app::Contamination& entry : block.contamination) {
            if (lines.size() >= kMostSpoilers) {
                ++left;
                continue;
            }
            lines << tr("⚠ %1: %2")
                         .arg(QString::fromStdString(app::blockLabel(experiment, block)),
                              app::contaminationLabel(entry));
        }
    }
    if (left > 0) {
        lines << tr("and %n more", nullptr, left);
    }
    if (verdict.claim.withoutMarked && verdict.claim.measured) {
        lines << tr("Leaving marked rounds out: %1 instead of %2.")
                     .arg(app::claimFigure(experiment, *verdict.claim.withoutMarked),
                          app::claimFigure(experiment, *verdict.claim.measured));
    }
    if (lines.isEmpty() && !blocks.empty()) {
        lines << tr("No edits, preemptions, cold samples, prefix hits or other load.");
    }
    const auto earlier =
        std::ranges::count_if(blocks, [](const app::Block& block) { return block.to <= 0.0; });
    if (earlier > 0) {
        lines << tr("%n block(s) were measured before and looked at. Going on because the answer "
                    "was open makes intervals a little too narrow.",
                    nullptr, static_cast<int>(earlier));
    }
    if (verdict.drift) {
        lines << tr("Drift over the first side's blocks: %1 %")
                     .arg(app::numberText(*verdict.drift, 1));
    }
    m_spoilers->setTitle(tr("What could spoil it"));
    m_spoilersText->setText(lines.join(QLatin1Char('\n')));
    m_spoilers->setVisible(!lines.isEmpty());
}

} // namespace ui
