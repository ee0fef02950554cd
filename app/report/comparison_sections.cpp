// The sections of a report that compares two runs.
#include "app/labels.h"
#include "app/report/report_text.h"
#include "app/report/sections.h"
#include "app/run_labels.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>

namespace app::report {

QString runNumber(const RunData& run) {
    return QString::number(run.summary.run.id);
}

const ComparisonRow* rowOf(const Comparison& comparison, std::string_view metric) {
    const auto found = std::ranges::find(comparison.rows, metric, &ComparisonRow::metric);
    return found != comparison.rows.end() ? &*found : nullptr;
}

QString changeText(const ComparisonRow& row) {
    const Measure& measure = *findMeasure(row.metric);
    const bool isResolved = row.verdict == Verdict::Better || row.verdict == Verdict::Worse;
    if (!row.difference || !row.interval || !isResolved) {
        return translated(QT_TRANSLATE_NOOP("report", "no difference in %1 is resolved"))
            .arg(measureLabel(measure));
    }
    const char* sentence = *row.difference < 0
                               ? QT_TRANSLATE_NOOP("report", "%1 fell from %2 to %3 %4 %5")
                               : QT_TRANSLATE_NOOP("report", "%1 rose from %2 to %3 %4 %5");
    return translated(sentence).arg(measureLabel(measure), valueText(measure, row.a),
                                    valueText(measure, row.b), text(row.unit),
                                    intervalText(*row.interval, Signs::Always));
}

Bullets cautionBullets(const std::vector<std::string>& kinds) {
    Bullets bullets;
    for (const std::string& kind : kinds) {
        const bool isUsual = kind == "sequential" || kind == "split";
        bullets.items.emplace_back(cautionText(kind), isUsual ? Tone::Muted : Tone::Warn);
    }
    return bullets;
}

Text settingValue(const std::string& key, const std::string& requested,
                  const std::string& effective) {
    const engine::Field* field = engine::findField(key);
    const auto value = [&](const std::string& raw) {
        return raw.empty() ? dash() : field != nullptr ? choiceLabel(*field, raw) : text(raw);
    };
    Text shown = value(requested);
    if (requested != effective) {
        shown.add(QStringLiteral(" → ") + value(effective), Tone::Warn);
    }
    return shown;
}

Facts runFacts(const RunData& run) {
    const RunInfo& info = run.summary.run;
    Facts facts{.title = translated(QT_TRANSLATE_NOOP("report", "Run %1")).arg(info.id),
                .rows = {}};
    const auto add = [&](const char* label, const QString& value) {
        facts.rows.emplace_back(translated(label), value.isEmpty() ? dash() : value);
    };
    add(QT_TRANSLATE_NOOP("report", "Name"), text(info.name));
    add(QT_TRANSLATE_NOOP("report", "Started"), utcText(info.startedUtc));
    add(QT_TRANSLATE_NOOP("report", "Length"), runTimeText(info.seconds));
    add(QT_TRANSLATE_NOOP("report", "Model"), text(info.modelName));
    add(QT_TRANSLATE_NOOP("report", "Device"), deviceText(info));
    add(QT_TRANSLATE_NOOP("report", "Workload"), text(info.workloadName));
    add(QT_TRANSLATE_NOOP("report", "Request list"), shortDigest(info.requestDigest));
    add(QT_TRANSLATE_NOOP("report", "Note"), text(info.note));
    return facts;
}

namespace {

// What the sides are called at the head of a column: the numbers of two runs, or what was before
// and after a cut.
QString headOf(const RunPair& pair, SplitSide side) {
    return pair.split ? sideName(side) : runNumber(side == SplitSide::Before ? *pair.a : *pair.b);
}

// What the sides of a cut are, and what is in neither.
QString splitText(const SplitFacts& facts) {
    return translated(QT_TRANSLATE_NOOP("report", "Before is %1 to %2, after %3 to %4. The first "
                                                  "%5 s after the cut are left out, and %6 "
                                                  "requests that it parts. Other changes inside "
                                                  "the sides: %7."))
        .arg(runTimeText(facts.from), runTimeText(facts.at),
             runTimeText(facts.at + facts.settleSeconds), runTimeText(facts.to),
             numberText(facts.settleSeconds), countText(facts.inFlight),
             countText(facts.otherChanges));
}

Section verdictSection(const RunPair& pair) {
    const Comparison& comparison = pair.comparison;
    const ComparisonRow* latency = rowOf(comparison, "ttft_p50_ms");
    const ComparisonRow* goodput = rowOf(comparison, "goodput_per_s");
    const QString first =
        capitalized(changeText(*latency) + QStringLiteral("; ") + changeText(*goodput));
    std::array<std::int64_t, 5> counts{};
    for (const ComparisonRow& row : comparison.rows) {
        ++counts[static_cast<std::size_t>(row.verdict)];
    }
    const auto count = [&](Verdict verdict) {
        return countText(counts[static_cast<std::size_t>(verdict)]);
    };
    const QString second =
        translated(QT_TRANSLATE_NOOP("report", "Of %1 measures %2 are better, %3 worse, %4 the "
                                               "same within 1 %, %5 not resolved."))
            .arg(countText(static_cast<std::int64_t>(comparison.rows.size())),
                 count(Verdict::Better), count(Verdict::Worse), count(Verdict::Same),
                 count(Verdict::NotResolved));
    Section section{
        .title = {},
        .note = {},
        .blocks = {Paragraph{.text = first + QStringLiteral(". ") + second, .isLead = true}}};
    if (pair.split) {
        section.blocks.emplace_back(Paragraph{.text = splitText(*pair.split)});
    }
    section.blocks.emplace_back(cautionBullets(comparison.cautions));
    return section;
}

Section differencesSection(const RunPair& pair) {
    const QString a = headOf(pair, SplitSide::Before), b = headOf(pair, SplitSide::After);
    Table table;
    table.columns = {{translated(QT_TRANSLATE_NOOP("report", "Measure"))},
                     {a, Align::Right},
                     {b, Align::Right},
                     {QStringLiteral("%1 \u2212 %2").arg(b, a), Align::Right},
                     {translated(QT_TRANSLATE_NOOP("report", "95 % interval")), Align::Right},
                     {QStringLiteral("\u2212100 \u2026 +100"), Align::Left, true},
                     {QStringLiteral("%"), Align::Right},
                     {translated(QT_TRANSLATE_NOOP("report", "Verdict"))},
                     {QStringLiteral("n"), Align::Right}};
    for (const ComparisonRow& row : pair.comparison.rows) {
        const Measure& measure = *findMeasure(row.metric);
        Text label = measureLabel(measure);
        label.add(QLatin1Char(' ') + text(row.unit), Tone::Muted);
        Text difference = row.difference
                              ? Text(signedText(measure, *row.difference), verdictTone(row.verdict))
                              : Text(dash());
        const std::optional<double> share = row.difference && row.a && *row.a != 0
                                                ? std::optional(*row.difference / std::abs(*row.a))
                                                : std::nullopt;
        const QString percent = share ? signedPercentText(*share) : dash();
        Text verdict(verdictLabel(row.verdict), verdictTone(row.verdict));
        if (const auto more = moreNeeded(row)) {
            verdict.add(
                translated(QT_TRANSLATE_NOOP("report", " (about %1 more)")).arg(countText(*more)),
                Tone::Muted);
        }
        table.rows.push_back(
            {.bar = share,
             .barTone = verdictTone(row.verdict),
             .cells = {label, valueText(measure, row.a), valueText(measure, row.b), difference,
                       Text(row.interval ? intervalText(*row.interval, Signs::Always) : dash(),
                            Tone::Muted),
                       QString(), percent, verdict,
                       Text(countText(row.nA) + QStringLiteral(" / ") + countText(row.nB),
                            Tone::Muted)}});
    }
    return {.title = translated(QT_TRANSLATE_NOOP("report", "Differences")),
            .note = translated(QT_TRANSLATE_NOOP(
                "report", "latencies by bootstrap over requests, rates over blocks of seconds")),
            .blocks = {std::move(table)}};
}

Section overlaysSection(const RunPair& pair) {
    return {.title = {}, .note = {}, .blocks = {ChartRowOf2{{pair.distribution, pair.overTime}}}};
}

Section differingSettingsSection(const RunPair& pair) {
    const Comparison& comparison = pair.comparison;
    Table table;
    table.columns = {{translated(QT_TRANSLATE_NOOP("report", "Setting"))},
                     {headOf(pair, SplitSide::Before), Align::Right},
                     {headOf(pair, SplitSide::After), Align::Right}};
    for (const SettingDifference& difference : comparison.settings) {
        const engine::Field* field = engine::findField(difference.field);
        table.rows.push_back(
            {.cells = {
                 field != nullptr ? fieldLabel(*field) : text(difference.field),
                 settingValue(difference.field, difference.requestedA, difference.effectiveA),
                 settingValue(difference.field, difference.requestedB, difference.effectiveB)}});
    }
    table.more = translated(QT_TRANSLATE_NOOP("report", "%1 equal settings are not listed."))
                     .arg(countText(comparison.equalSettings));
    return {.title = translated(QT_TRANSLATE_NOOP("report", "Settings that differ")),
            .note = {},
            .blocks = {std::move(table)}};
}

Section bothRunsSection(const RunPair& pair) {
    Facts a = runFacts(*pair.a), b = runFacts(*pair.b);
    if (pair.split) {
        a.title += QStringLiteral(" · ") + headOf(pair, SplitSide::Before);
        b.title += QStringLiteral(" · ") + headOf(pair, SplitSide::After);
    }
    return {.title = {}, .note = {}, .blocks = {FactsRowOf2{std::move(a), std::move(b)}}};
}

Section comparisonMethods(const RunPair& pair) {
    return methodsSection(*pair.a);
}

constexpr std::array kComparisonSections = {
    ComparisonSection{"verdict", verdictSection},
    ComparisonSection{"differences", differencesSection},
    ComparisonSection{"overlays", overlaysSection},
    ComparisonSection{"settings", differingSettingsSection},
    ComparisonSection{"runs", bothRunsSection},
    ComparisonSection{"methods", comparisonMethods},
};

} // namespace

std::span<const ComparisonSection> comparisonSections() {
    return kComparisonSections;
}

} // namespace app::report
