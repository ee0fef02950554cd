#include "app/report/experiment_sections.h"

#include "app/experiment/experiment_labels.h"
#include "app/experiment/experiment_plots.h"
#include "app/labels.h"
#include "app/report/report_text.h"
#include "app/report/sections.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <map>

namespace app::report {

namespace {

Tone claimTone(ClaimVerdict verdict) {
    return verdict == ClaimVerdict::Holds         ? Tone::Better
           : verdict == ClaimVerdict::DoesNotHold ? Tone::Worse
                                                  : Tone::Muted;
}

Section verdictSection(const ExperimentResult& result) {
    const ClaimResult& claim = result.verdict.claim;
    const Experiment& experiment = result.experiment;
    Figures figures;
    const auto add = [&](const char* label, const QString& value, Text detail) {
        figures.figures.push_back(
            {.label = translated(label), .value = value, .unit = {}, .detail = std::move(detail)});
    };
    add(QT_TRANSLATE_NOOP("report", "Measured"),
        claim.measured ? claimFigure(experiment, *claim.measured) : dash(),
        claim.interval ? Text(claimInterval(experiment, *claim.interval)) : Text(dash()));
    add(QT_TRANSLATE_NOOP("report", "Claimed"), claimedLabel(experiment),
        Text(claimVerdictLabel(claim.verdict), claimTone(claim.verdict)));
    const QString whole = countText(result.verdict.wholeRounds);
    const int planned = experiment.rounds();
    add(QT_TRANSLATE_NOOP("report", "Rounds"),
        result.verdict.wholeRounds == planned
            ? whole
            : translated(QT_TRANSLATE_NOOP("report", "%1 of %2")).arg(whole, countText(planned)),
        Text(translated(QT_TRANSLATE_NOOP("report", "n %1")).arg(countText(claim.n))));
    const QString note = experimentNote(experiment);
    Paragraph lead{.text = answerText(experiment, result.verdict) +
                           (note.isEmpty() ? QStringLiteral(".") : QStringLiteral(". ") + note),
                   .isLead = true};
    return {.title = {}, .note = {}, .blocks = {std::move(lead), std::move(figures)}};
}

Section pictureSection(const ExperimentResult& result, const RunData& run) {
    Section section{.title = {}, .note = {}, .blocks = {}};
    const Experiment& experiment = result.experiment;
    if (experiment.method == Method::Traffic || experiment.method == Method::Typing) {
        section.blocks.push_back(Chart{blockTimeline(experiment, result.blocks, run.history)});
    }
    if (!experiment.sweepKey.empty()) {
        section.blocks.push_back(Chart{sweepPlot(experiment, result.verdict)});
    } else if (experiment.method == Method::Traffic) {
        section.blocks.push_back(
            ChartRowOf2{{ttftDistribution(experiment, result.blocks, run.history),
                         outputDistribution(experiment, result.blocks, run.history)}});
    }
    return section;
}

Section measuresSection(const ExperimentResult& result) {
    Table table;
    const auto head = [](const char* english) { return translated(english); };
    table.columns = {{head(QT_TRANSLATE_NOOP("report", "Measure"))},
                     {QStringLiteral("A"), Align::Right},
                     {QStringLiteral("B"), Align::Right},
                     {QStringLiteral("B − A"), Align::Right},
                     {head(QT_TRANSLATE_NOOP("report", "95 % interval")), Align::Right},
                     {QStringLiteral("−100 … +100"), Align::Left, true},
                     {head(QT_TRANSLATE_NOOP("report", "p, Holm")), Align::Right},
                     {head(QT_TRANSLATE_NOOP("report", "Verdict"))},
                     {QStringLiteral("n"), Align::Right}};
    for (const MeasureVerdict& row : result.verdict.measures) {
        const Measure& measure = *findExperimentMeasure(row.metric);
        Text label = experimentMeasureLabel(measure);
        label.add(QLatin1Char(' ') + text(measure.unit), Tone::Muted);
        Text verdict(verdictLabel(row.verdict), verdictTone(row.verdict));
        if (row.moreBlocks) {
            verdict.add(QLatin1Char(' ') +
                            translated(QT_TRANSLATE_NOOP("report", "about %1 blocks more"))
                                .arg(*row.moreBlocks),
                        Tone::Muted);
        }
        table.rows.push_back(
            {.bar = row.a != 0 ? std::optional(std::clamp(row.difference / row.a, -1.0, 1.0))
                               : std::nullopt,
             .barTone = verdictTone(row.verdict),
             .cells = {label, valueText(measure, row.a), valueText(measure, row.b),
                       Text(signedText(measure, row.difference), verdictTone(row.verdict)),
                       row.interval ? intervalText(*row.interval, Signs::Always) : dash(),
                       QString(), row.p ? numberText(*row.p, 3) : dash(), verdict,
                       QStringLiteral("%1 / %2").arg(countText(row.nA), countText(row.nB))}});
    }
    return {.title = translated(QT_TRANSLATE_NOOP("report", "Measures")),
            .note = translated(QT_TRANSLATE_NOOP("report", "paired t over rounds, Holm over the "
                                                           "measures")),
            .blocks =
                table.rows.empty() ? std::vector<Block>{} : std::vector<Block>{std::move(table)}};
}

Section levelsSection(const ExperimentResult& result) {
    Table table;
    const Measure& measure = *findExperimentMeasure(result.experiment.metric);
    table.columns = {
        {variesText(result.experiment)},
        {experimentMeasureLabel(measure) + QLatin1Char(' ') + text(measure.unit), Align::Right},
        {translated(QT_TRANSLATE_NOOP("report", "95 % interval")), Align::Right},
        {QStringLiteral("n"), Align::Right}};
    for (const Level& level : result.verdict.levels) {
        table.rows.push_back({.cells = {text(level.label), valueText(measure, level.mean),
                                        level.interval ? intervalText(*level.interval) : dash(),
                                        countText(level.n)}});
    }
    const bool isPair = !result.verdict.measures.empty();
    return {.title = translated(QT_TRANSLATE_NOOP("report", "Levels")),
            .note = {},
            .blocks = isPair ? std::vector<Block>{} : std::vector<Block>{std::move(table)}};
}

Section spoilSection(const ExperimentResult& result) {
    Bullets bullets;
    for (const app::Block& block : result.blocks) {
        for (const Contamination& entry : block.contamination) {
            bullets.items.emplace_back(text(blockLabel(result.experiment, block)) +
                                           QStringLiteral(": ") + contaminationLabel(entry),
                                       Tone::Warn);
        }
    }
    if (result.verdict.claim.withoutMarked) {
        bullets.items.emplace_back(
            translated(QT_TRANSLATE_NOOP("report", "Without the marked rounds: %1"))
                .arg(claimFigure(result.experiment, *result.verdict.claim.withoutMarked)));
    }
    if (bullets.items.empty()) {
        bullets.items.emplace_back(translated(
            QT_TRANSLATE_NOOP("report", "Nothing was marked: no edits, preemptions, cold samples, "
                                        "prefix hits, late sends or other load.")));
    }
    for (const LeftOutRounds& rounds : leftOutRounds(result.experiment, result.blocks)) {
        bullets.items.emplace_back(leftOutLabel(result.experiment, rounds), Tone::Warn);
    }
    if (result.verdict.drift) {
        bullets.items.emplace_back(translated(QT_TRANSLATE_NOOP("report", "Drift over side A's "
                                                                          "blocks: %1 %"))
                                       .arg(signedPercentText(*result.verdict.drift / 100)));
    }
    return {.title = translated(QT_TRANSLATE_NOOP("report", "What could spoil it")),
            .note = {},
            .blocks = {std::move(bullets)}};
}

Section planSection(const ExperimentResult& result) {
    const Experiment& experiment = result.experiment;
    Facts plan{.title = translated(QT_TRANSLATE_NOOP("report", "Plan")), .rows = {}};
    const auto add = [](Facts& facts, const char* label, const QString& value) {
        facts.rows.emplace_back(translated(label), value.isEmpty() ? dash() : value);
    };
    add(plan, QT_TRANSLATE_NOOP("report", "Varies"), variesText(experiment));
    for (std::size_t side = 0; side < experiment.sides.size() && experiment.sweepKey.empty();
         ++side) {
        plan.rows.emplace_back(text(experiment.sides[side].label), sideText(experiment, side));
    }
    add(plan, QT_TRANSLATE_NOOP("report", "Workload"), text(experiment.workload.name));
    add(plan, QT_TRANSLATE_NOOP("report", "Blocks"),
        translated(QT_TRANSLATE_NOOP("report", "%1 of %2 s, taking turns"))
            .arg(experiment.blocks)
            .arg(numberText(experiment.measureSeconds, experiment.measureSeconds < 10 ? 1 : 0)));
    add(plan, QT_TRANSLATE_NOOP("report", "Left out"),
        translated(QT_TRANSLATE_NOOP("report", "%1 s warm-up, drain up to %2 s"))
            .arg(numberText(experiment.warmupSeconds, 1), numberText(experiment.drainSeconds, 0)));
    Facts what{.title = translated(QT_TRANSLATE_NOOP("report", "What ran")), .rows = {}};
    add(what, QT_TRANSLATE_NOOP("report", "Model"), text(result.run.modelName));
    add(what, QT_TRANSLATE_NOOP("report", "Device"), deviceText(result.run));
    add(what, QT_TRANSLATE_NOOP("report", "Request list"), shortDigest(result.run.requestDigest));
    add(what, QT_TRANSLATE_NOOP("report", "Started"), utcText(result.run.startedUtc));
    return {.title = {}, .note = {}, .blocks = {FactsRowOf2{std::move(plan), std::move(what)}}};
}

} // namespace

Document experimentDocument(const ExperimentResult& result, const RunData* run) {
    Document document;
    document.kind = translated(QT_TRANSLATE_NOOP("report", "experiment"));
    document.headline = translated(QT_TRANSLATE_NOOP("report", "Run %1")).arg(result.run.id) +
                        QStringLiteral(" · ") + utcText(result.run.startedUtc);
    document.title = experimentTitle(result.experiment);
    const auto add = [&document](Section section) {
        if (!section.blocks.empty()) {
            document.sections.push_back(std::move(section));
        }
    };
    add(verdictSection(result));
    if (run != nullptr) {
        add(pictureSection(result, *run));
    }
    add(measuresSection(result));
    add(levelsSection(result));
    add(spoilSection(result));
    add(planSection(result));
    document.footer = QStringLiteral("Headway " HEADWAY_VERSION);
    if (run != nullptr) {
        document.footer =
            translated(QT_TRANSLATE_NOOP("report", "Raw data %1 · Headway %2 · opens in the "
                                                   "console by its run id"))
                .arg(shortDigest(run->digest), QStringLiteral(HEADWAY_VERSION));
    }
    return document;
}

Document claimsDocument(const std::vector<ClaimRow>& rows) {
    Document document;
    document.kind = translated(QT_TRANSLATE_NOOP("report", "claims"));
    document.title = translated(QT_TRANSLATE_NOOP("report", "Claims, measured on this machine"));
    std::map<ClaimVerdict, std::int64_t> counts;
    const RunInfo* newest = nullptr;
    Table table;
    table.columns = {{translated(QT_TRANSLATE_NOOP("report", "Claim"))},
                     {translated(QT_TRANSLATE_NOOP("report", "Claimed")), Align::Right},
                     {translated(QT_TRANSLATE_NOOP("report", "Measured")), Align::Right},
                     {translated(QT_TRANSLATE_NOOP("report", "95 % interval")), Align::Right},
                     {QStringLiteral("n"), Align::Right},
                     {translated(QT_TRANSLATE_NOOP("report", "Verdict"))}};
    std::string group;
    for (const ClaimRow& row : rows) {
        const ClaimResult& claim = row.verdict.claim;
        ++counts[claim.verdict];
        newest = row.run && (newest == nullptr || newest->id < row.run->id) ? &*row.run : newest;
        if (row.experiment.group != group) {
            group = row.experiment.group;
            table.rows.push_back(
                {.cells = {Text(experimentGroupLabel(group), Tone::Strong), QString(), QString(),
                           QString(), QString(), QString()}});
        }
        Text verdict(claimVerdictLabel(claim.verdict), claimTone(claim.verdict));
        if (claim.verdict == ClaimVerdict::Needs) {
            verdict = Text(answerText(row.experiment, row.verdict), Tone::Muted);
        } else if (row.isShortened) {
            verdict = Text(translated(QT_TRANSLATE_NOOP("report", "%1, shortened"))
                               .arg(claimVerdictLabel(claim.verdict)),
                           claimTone(claim.verdict));
        }
        table.rows.push_back(
            {.cells = {experimentTitle(row.experiment), claimedLabel(row.experiment),
                       claim.measured
                           ? Text(claimFigure(row.experiment, *claim.measured), Tone::Strong)
                           : Text(dash()),
                       claim.interval ? claimInterval(row.experiment, *claim.interval) : dash(),
                       claim.n > 0 ? countText(claim.n) : QString(), verdict}});
    }
    Figures figures;
    for (const ClaimVerdict verdict :
         {ClaimVerdict::Holds, ClaimVerdict::DoesNotHold, ClaimVerdict::NotResolved,
          ClaimVerdict::NotStated, ClaimVerdict::Needs, ClaimVerdict::NotRun}) {
        figures.figures.push_back({.label = claimVerdictLabel(verdict),
                                   .value = countText(counts[verdict]),
                                   .unit = {},
                                   .detail = {}});
    }
    if (newest != nullptr) {
        document.headline = text(newest->modelName) + QStringLiteral(" · ") + deviceText(*newest);
    }
    document.sections.push_back({.title = {}, .note = {}, .blocks = {std::move(figures)}});
    document.sections.push_back(
        {.title = {},
         .note = {},
         .blocks = {
             std::move(table),
             Paragraph{.text = translated(QT_TRANSLATE_NOOP(
                           "report", "Another model or machine has its own table. Intervals "
                                     "by paired t over rounds. A claim holds where the whole "
                                     "interval meets it."))}}});
    document.footer = QStringLiteral("Headway " HEADWAY_VERSION);
    return document;
}

} // namespace app::report
