// The report of three to five runs, each held against the first.
#include "app/labels.h"
#include "app/report/report_text.h"
#include "app/report/sections.h"

#include <QCoreApplication>

#include <algorithm>

namespace app::report {

namespace {

// A sentence a run, and what spoils the comparison.
Section setVerdict(const RunSet& set) {
    Bullets changes;
    std::vector<std::string> kinds;
    for (std::size_t i = 0; i < set.againstFirst.size(); ++i) {
        const Comparison& comparison = set.againstFirst[i];
        const ComparisonRow* latency = rowOf(comparison, "ttft_p50_ms");
        const ComparisonRow* goodput = rowOf(comparison, "goodput_per_s");
        if (latency != nullptr && goodput != nullptr) {
            changes.items.emplace_back(
                translated(QT_TRANSLATE_NOOP("report", "Run %1 against run %2: %3; %4."))
                    .arg(runNumber(*set.runs[i + 1]), runNumber(*set.runs.front()),
                         changeText(*latency), changeText(*goodput)));
        }
        for (const std::string& kind : comparison.cautions) {
            if (std::ranges::find(kinds, kind) == kinds.end()) {
                kinds.push_back(kind);
            }
        }
    }
    return {.title = {}, .note = {}, .blocks = {std::move(changes), cautionBullets(kinds)}};
}

Text differenceText(const Measure& measure, const ComparisonRow& row) {
    Text cell = valueText(measure, row.b);
    if (row.difference) {
        cell.add(QLatin1Char(' ') + signedText(measure, *row.difference), verdictTone(row.verdict));
    }
    return cell;
}

// Value, difference to the first, and its interval under a run's name.
Section setMeasures(const RunSet& set) {
    Table table;
    table.columns = {{translated(QT_TRANSLATE_NOOP("report", "Measure"))}};
    for (const auto& run : set.runs) {
        table.columns.push_back({runNumber(*run), Align::Right});
        if (run != set.runs.front()) {
            table.columns.push_back(
                {translated(QT_TRANSLATE_NOOP("report", "95 % interval")), Align::Right});
            table.columns.push_back({translated(QT_TRANSLATE_NOOP("report", "Verdict"))});
        }
    }
    for (std::size_t i = 0; i < set.againstFirst.front().rows.size(); ++i) {
        const ComparisonRow& first = set.againstFirst.front().rows[i];
        const Measure& measure = *findMeasure(first.metric);
        Text label = measureLabel(measure);
        label.add(QLatin1Char(' ') + text(first.unit), Tone::Muted);
        Row row{.cells = {label, valueText(measure, first.a)}};
        for (const Comparison& comparison : set.againstFirst) {
            const ComparisonRow& each = comparison.rows[i];
            row.cells.push_back(differenceText(measure, each));
            row.cells.emplace_back(
                each.interval ? intervalText(*each.interval, Signs::Always) : dash(), Tone::Muted);
            row.cells.emplace_back(verdictLabel(each.verdict), verdictTone(each.verdict));
        }
        table.rows.push_back(std::move(row));
    }
    return {.title = translated(QT_TRANSLATE_NOOP("report", "Differences to run %1"))
                         .arg(runNumber(*set.runs.front())),
            .note = translated(QT_TRANSLATE_NOOP(
                "report", "latencies by bootstrap over requests, rates over blocks of seconds")),
            .blocks = {std::move(table)}};
}

Section setPictures(const RunSet& set) {
    Section section{.title = translated(QT_TRANSLATE_NOOP("report", "TTFT over the runs")),
                    .note = translated(QT_TRANSLATE_NOOP("report", "on one scale")),
                    .blocks = {}};
    for (std::size_t i = 0; i < set.overTime.size(); i += 2) {
        ChartRowOf2 row{.plots = {set.overTime[i]}};
        if (i + 1 < set.overTime.size()) {
            row.plots.push_back(set.overTime[i + 1]);
        }
        for (Plot& plot : row.plots) {
            plot.key += QStringLiteral("-") + QString::number(i + (&plot - row.plots.data()));
        }
        section.blocks.emplace_back(std::move(row));
    }
    return section;
}

// Of every run, where any of them has another value than the first.
Section setSettings(const RunSet& set) {
    std::vector<std::string> fields;
    for (const Comparison& comparison : set.againstFirst) {
        for (const SettingDifference& difference : comparison.settings) {
            if (std::ranges::find(fields, difference.field) == fields.end()) {
                fields.push_back(difference.field);
            }
        }
    }
    Table table;
    table.columns = {{translated(QT_TRANSLATE_NOOP("report", "Setting"))}};
    for (const auto& run : set.runs) {
        table.columns.push_back({runNumber(*run), Align::Right});
    }
    for (const std::string& key : fields) {
        const engine::Field* field = engine::findField(key);
        Row row{.cells = {field != nullptr ? fieldLabel(*field) : text(key)}};
        for (const auto& run : set.runs) {
            const auto& settings = run->summary.settings;
            const auto found = std::ranges::find(settings, key, &SettingRow::field);
            row.cells.push_back(found == settings.end()
                                    ? Text(dash())
                                    : settingValue(key, found->requested, found->effective));
        }
        table.rows.push_back(std::move(row));
    }
    Section section{.title = translated(QT_TRANSLATE_NOOP("report", "Settings that differ")),
                    .note = {},
                    .blocks = {}};
    if (table.rows.empty()) {
        section.blocks.emplace_back(
            Paragraph{.text = translated(QT_TRANSLATE_NOOP("report", "No setting differs."))});
    } else {
        section.blocks.emplace_back(std::move(table));
    }
    return section;
}

Section setFacts(const RunSet& set) {
    Section section;
    for (std::size_t i = 0; i < set.runs.size(); i += 2) {
        if (i + 1 < set.runs.size()) {
            section.blocks.emplace_back(
                FactsRowOf2{runFacts(*set.runs[i]), runFacts(*set.runs[i + 1])});
        } else {
            section.blocks.emplace_back(runFacts(*set.runs[i]));
        }
    }
    return section;
}

} // namespace

Document setDocument(const RunSet& set) {
    Document document;
    QStringList numbers, names, digests;
    for (const auto& run : set.runs) {
        numbers << runNumber(*run);
        names << runName(run->summary.run);
        digests << shortDigest(run->digest);
    }
    const QString comma = translated(QT_TRANSLATE_NOOP("report", ", "));
    document.kind = translated(QT_TRANSLATE_NOOP("report", "comparison"));
    document.headline = translated(QT_TRANSLATE_NOOP("report", "Runs %1")).arg(numbers.join(comma));
    document.title = names.join(QStringLiteral(" · "));
    if (set.againstFirst.empty()) {
        return document;
    }
    document.sections = {setVerdict(set),  setMeasures(set), setPictures(set),
                         setSettings(set), setFacts(set),    methodsSection(*set.runs.front())};
    document.footer = translated(QT_TRANSLATE_NOOP("report", "Raw data %1 · Headway %2"))
                          .arg(digests.join(comma), QStringLiteral(HEADWAY_VERSION));
    return document;
}

} // namespace app::report
