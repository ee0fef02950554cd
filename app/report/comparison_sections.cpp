// The sections of a report that compares two runs.
#include "app/labels.h"
#include "app/plot/charts.h"
#include "app/report/report_text.h"
#include "app/report/sections.h"

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

QString comparisonCaution(const std::string& kind) {
    constexpr std::array<std::pair<std::string_view, const char*>, 7> kTexts = {{
        {"sequential",
         QT_TRANSLATE_NOOP("report", "The runs followed each other: drift of the machine between "
                                     "them is not excluded. An interleaved experiment excludes "
                                     "it.")},
        {"request_list_differs",
         QT_TRANSLATE_NOOP("report", "The request lists differ: prompts, lengths or arrivals may "
                                     "make the difference.")},
        {"machine_differs", QT_TRANSLATE_NOOP("report", "The machines differ.")},
        {"model_differs", QT_TRANSLATE_NOOP("report", "The models differ.")},
        {"length_differs", QT_TRANSLATE_NOOP("report", "The runs are not of the same length.")},
        {"interrupted", QT_TRANSLATE_NOOP("report", "A run did not end in order.")},
        {"incomplete", QT_TRANSLATE_NOOP("report", "A run has lost events.")},
    }};
    const auto* row = std::ranges::find(kTexts, kind, &decltype(kTexts)::value_type::first);
    return row != kTexts.end() ? translated(row->second) : text(kind);
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

Section verdictSection(const RunData&, const RunData&, const Comparison& comparison) {
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
    Bullets cautions;
    for (const std::string& kind : comparison.cautions) {
        cautions.items.emplace_back(comparisonCaution(kind),
                                    kind == "sequential" ? Tone::Muted : Tone::Warn);
    }
    return {.title = {},
            .note = {},
            .blocks = {Paragraph{.text = first + QStringLiteral(". ") + second, .isLead = true},
                       std::move(cautions)}};
}

Section differencesSection(const RunData& a, const RunData& b, const Comparison& comparison) {
    Table table;
    table.columns = {{translated(QT_TRANSLATE_NOOP("report", "Measure"))},
                     {runNumber(a), Align::Right},
                     {runNumber(b), Align::Right},
                     {QStringLiteral("%1 \u2212 %2").arg(runNumber(b), runNumber(a)), Align::Right},
                     {translated(QT_TRANSLATE_NOOP("report", "95 % interval")), Align::Right},
                     {QStringLiteral("\u2212100 \u2026 +100"), Align::Left, true},
                     {QStringLiteral("%"), Align::Right},
                     {translated(QT_TRANSLATE_NOOP("report", "Verdict"))},
                     {QStringLiteral("n"), Align::Right}};
    for (const ComparisonRow& row : comparison.rows) {
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

Section overlaysSection(const RunData& a, const RunData& b, const Comparison&) {
    return {.title = {},
            .note = {},
            .blocks = {
                ChartRowOf2{{overlayDistribution(a.history, runNumber(a), b.history, runNumber(b)),
                             overlayTtft(a.history, runNumber(a), b.history, runNumber(b))}}}};
}

Section differingSettingsSection(const RunData& a, const RunData& b, const Comparison& comparison) {
    Table table;
    table.columns = {{translated(QT_TRANSLATE_NOOP("report", "Setting"))},
                     {runNumber(a), Align::Right},
                     {runNumber(b), Align::Right}};
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

Section bothRunsSection(const RunData& a, const RunData& b, const Comparison&) {
    return {.title = {}, .note = {}, .blocks = {FactsRowOf2{runFacts(a), runFacts(b)}}};
}

Section comparisonMethods(const RunData& a, const RunData&, const Comparison&) {
    return methodsSection(a);
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
