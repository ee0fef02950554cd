// What is behind the first page of a run's report: settings, ledger, outcomes, distributions.
#include "app/labels.h"
#include "app/plot/charts.h"
#include "app/report/report_text.h"
#include "app/report/sections.h"
#include "app/store/columns.h"
#include "app/store/summary.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <map>

namespace app::report {

namespace {

constexpr std::size_t kMostRows = 60;

using engine::RequestRecord;

Column number(const QString& head) {
    return {head, Align::Right};
}

bool isSample(const RequestRecord& record) {
    return engine::outcome(record.reason) == engine::Outcome::Completed && isWarm(record.tags);
}

QString fieldValue(const SettingRow& row, const std::string& raw) {
    const engine::Field* field = engine::findField(row.field);
    return field != nullptr ? choiceLabel(*field, raw) : text(raw);
}

QString fieldName(const SettingRow& row) {
    const engine::Field* field = engine::findField(row.field);
    return field != nullptr ? fieldLabel(*field) : text(row.field);
}

Text effectiveText(const SettingRow& row) {
    const Tone tone = row.requested == row.effective ? Tone::Plain : Tone::Warn;
    return {fieldValue(row, row.effective), tone};
}

// Gaps between tokens of one request resemble each other: their number promises too much.
enum class Values : std::uint8_t { Independent, Related };

// p50, p90, p95, p99, least, greatest, n of one row; the tail is grey where n is too small for it.
Row distributionRow(const QString& label, std::vector<double> values, Values kind) {
    std::ranges::sort(values);
    const auto n = static_cast<std::int64_t>(values.size());
    Row row{.cells = {label}};
    for (const double q : {0.5, 0.9, 0.95, 0.99}) {
        const auto interval = quantileInterval(values, q);
        Text cell(millisecondsText(quantile(values, q)), interval ? Tone::Strong : Tone::Muted);
        if (kind == Values::Independent && interval) {
            cell.add(QLatin1Char(' ') + intervalText(*interval), Tone::Muted);
        } else if (n > 0 && !interval) {
            cell.add(translated(QT_TRANSLATE_NOOP("report", " %1 more needed"))
                         .arg(countText(leastCount(q) - n)),
                     Tone::Muted);
        }
        row.cells.push_back(std::move(cell));
    }
    row.cells.emplace_back(millisecondsText(quantile(values, 0.0)));
    row.cells.emplace_back(millisecondsText(quantile(values, 1.0)));
    row.cells.emplace_back(countText(n));
    return row;
}

template <class Get>
std::vector<double> sampleValues(const RunData& run, Get get) {
    std::vector<double> values;
    for (const StoredRequest& request : run.requests) {
        if (isSample(request.record)) {
            get(request.record, values);
        }
    }
    return values;
}

void pushIfThere(std::vector<double>& values, const std::optional<engine::Nanoseconds>& span) {
    if (span) {
        values.push_back(milliseconds(*span));
    }
}

// One row of the table of outcomes or of a group of requests.
Row requestsRow(const QString& label, const std::vector<const RequestRecord*>& records,
                double share) {
    std::vector<double> ttft, e2e;
    double prompt = 0, output = 0;
    for (const RequestRecord* record : records) {
        pushIfThere(ttft, record->ttft());
        pushIfThere(e2e, record->e2e());
        prompt += static_cast<double>(record->promptTokens);
        output += static_cast<double>(record->outputTokens);
    }
    std::ranges::sort(ttft);
    std::ranges::sort(e2e);
    const auto n = static_cast<double>(records.size());
    const auto mean = [n](double sum) { return n > 0 ? numberText(sum / n) : dash(); };
    return {.cells = {label, numberText(n), numberText(share, 1) + QStringLiteral(" %"),
                      mean(prompt), mean(output), millisecondsText(quantile(ttft, 0.5)),
                      millisecondsText(quantile(ttft, 0.99)),
                      millisecondsText(quantile(e2e, 0.5))}};
}

template <class Key, class Label>
Table requestsTable(const QString& head, const std::map<Key, std::vector<const RequestRecord*>>& by,
                    Label label) {
    Table table;
    table.columns = {{head},
                     number(translated(QT_TRANSLATE_NOOP("report", "Requests"))),
                     number(translated(QT_TRANSLATE_NOOP("report", "Share"))),
                     number(translated(QT_TRANSLATE_NOOP("report", "Prompt tok"))),
                     number(translated(QT_TRANSLATE_NOOP("report", "Output tok"))),
                     number(translated(QT_TRANSLATE_NOOP("report", "TTFT p50 ms"))),
                     number(QStringLiteral("p99")),
                     number(translated(QT_TRANSLATE_NOOP("report", "E2EL p50 ms")))};
    std::vector<double> counts;
    for (const auto& [key, records] : by) {
        counts.push_back(static_cast<double>(records.size()));
    }
    const std::vector<double> parts = shares(counts);
    std::size_t i = 0;
    for (const auto& [key, records] : by) {
        if (i < kMostRows) {
            table.rows.push_back(requestsRow(label(key), records, parts[i]));
        }
        ++i;
    }
    if (by.size() > kMostRows) {
        table.more = translated(QT_TRANSLATE_NOOP("report", "%1 more rows"))
                         .arg(countText(static_cast<std::int64_t>(by.size() - kMostRows)));
    }
    return table;
}

} // namespace

Section settingsSection(const RunData& run) {
    Table table;
    table.columns = {{translated(QT_TRANSLATE_NOOP("report", "Setting"))},
                     {translated(QT_TRANSLATE_NOOP("report", "Key"))},
                     number(translated(QT_TRANSLATE_NOOP("report", "Requested"))),
                     number(translated(QT_TRANSLATE_NOOP("report", "Effective"))),
                     {translated(QT_TRANSLATE_NOOP("report", "State"))}};
    for (const SettingRow& row : run.summary.settings) {
        const QString state = row.reason.empty()
                                  ? engineText(row.state)
                                  : engineText(row.state) + QStringLiteral(": ") + text(row.reason);
        table.rows.push_back(
            {.cells = {fieldName(row), Text(text(row.field), Tone::Muted),
                       fieldValue(row, row.requested), effectiveText(row), state}});
    }
    if (table.rows.empty()) {
        return {};
    }
    return {.title = translated(QT_TRANSLATE_NOOP("report", "All settings")),
            .note = translated(QT_TRANSLATE_NOOP("report", "at the end of the run")),
            .blocks = {std::move(table)},
            .startsPage = true};
}

Section changesSection(const RunData& run) {
    Table table;
    table.columns = {{translated(QT_TRANSLATE_NOOP("report", "Time"))},
                     {translated(QT_TRANSLATE_NOOP("report", "Setting"))},
                     number(translated(QT_TRANSLATE_NOOP("report", "Requested"))),
                     number(translated(QT_TRANSLATE_NOOP("report", "Effective"))),
                     {translated(QT_TRANSLATE_NOOP("report", "State"))}};
    std::size_t changes = 0;
    for (const SettingRow& row : run.settings) {
        if (row.timeNs > 0 && ++changes <= kMostRows) {
            table.rows.push_back({.cells = {runTimeText(static_cast<double>(row.timeNs) / 1e9),
                                            fieldName(row), fieldValue(row, row.requested),
                                            effectiveText(row), engineText(row.state)}});
        }
    }
    if (table.rows.empty()) {
        return {};
    }
    if (changes > kMostRows) {
        table.more = translated(QT_TRANSLATE_NOOP("report", "%1 more changes in settings.csv"))
                         .arg(countText(static_cast<std::int64_t>(changes - kMostRows)));
    }
    return {.title = translated(QT_TRANSLATE_NOOP("report", "Settings over the run")),
            .note = {},
            .blocks = {std::move(table)}};
}

Section ledgerSection(const RunData& run) {
    std::array<std::vector<double>, engine::kStages> stages;
    std::vector<double> totals;
    for (const StoredRequest& request : run.requests) {
        if (isSample(request.record) && request.record.ledgerNs) {
            double total = 0;
            for (std::size_t i = 0; i < engine::kStages; ++i) {
                const auto ms = static_cast<double>((*request.record.ledgerNs)[i]) / 1e6;
                stages[i].push_back(ms);
                total += ms;
            }
            totals.push_back(total);
        }
    }
    if (totals.empty()) {
        return {};
    }
    const auto mean = [](const std::vector<double>& values) {
        double sum = 0;
        for (const double value : values) {
            sum += value;
        }
        return sum / static_cast<double>(values.size());
    };
    std::vector<double> means;
    for (const auto& stage : stages) {
        means.push_back(mean(stage));
    }
    const std::vector<double> parts = shares(means);
    Table table;
    table.columns = {{translated(QT_TRANSLATE_NOOP("report", "Stage"))},
                     number(translated(QT_TRANSLATE_NOOP("report", "Mean ms"))),
                     number(translated(QT_TRANSLATE_NOOP("report", "Share"))),
                     number(QStringLiteral("p50")),
                     number(QStringLiteral("p99"))};
    const auto add = [&](const Text& label, std::vector<double> values, double average,
                         double share) {
        std::ranges::sort(values);
        table.rows.push_back({.cells = {label, millisecondsText(average),
                                        numberText(share, 1) + QStringLiteral(" %"),
                                        millisecondsText(quantile(values, 0.5)),
                                        millisecondsText(quantile(values, 0.99))}});
    };
    for (std::size_t i = 0; i < engine::kStages; ++i) {
        const auto stage = static_cast<engine::Stage>(i);
        Text label = stageLabel(stage);
        if (stage == engine::Stage::PrefillWeights) {
            label.add(QLatin1Char(' ') + translated(QT_TRANSLATE_NOOP("report", "modelled")),
                      Tone::Muted);
        }
        add(label, stages[i], means[i], parts[i]);
    }
    add(Text(translated(QT_TRANSLATE_NOOP("report", "Time to first token")), Tone::Strong), totals,
        mean(totals), 100);
    return {.title = translated(QT_TRANSLATE_NOOP("report", "First token’s time by stage")),
            .note = translated(QT_TRANSLATE_NOOP("report", "warm requests, n %1; adds up"))
                        .arg(countText(static_cast<std::int64_t>(totals.size()))),
            .blocks = {std::move(table)}};
}

Section outcomesSection(const RunData& run) {
    if (run.requests.empty()) {
        return {};
    }
    std::map<engine::Outcome, std::vector<const RequestRecord*>> byOutcome;
    for (int i = 0; i < 4; ++i) {
        byOutcome[static_cast<engine::Outcome>(i)]; // zeros are shown, too
    }
    std::map<std::pair<engine::Lane, std::string>, std::vector<const RequestRecord*>> byLabel;
    std::map<std::string, std::int64_t> reasons;
    for (const StoredRequest& request : run.requests) {
        const RequestRecord& record = request.record;
        byOutcome[engine::outcome(record.reason)].push_back(&record);
        byLabel[{record.lane, record.label}].push_back(&record);
        if (!record.message.empty()) {
            ++reasons[record.message];
        }
    }
    Section section{.title = translated(QT_TRANSLATE_NOOP("report", "Requests by outcome")),
                    .note = {},
                    .blocks = {}};
    section.blocks.push_back(
        requestsTable(translated(QT_TRANSLATE_NOOP("report", "Outcome")), byOutcome, outcomeLabel));
    section.blocks.push_back(requestsTable(
        translated(QT_TRANSLATE_NOOP("report", "Lane and label")), byLabel, [](const auto& key) {
            return key.second.empty()
                       ? laneLabel(key.first)
                       : laneLabel(key.first) + QStringLiteral(", ") + text(key.second);
        }));
    Bullets why;
    for (const auto& [message, count] : reasons) {
        if (why.items.size() < 10) {
            why.items.emplace_back(countText(count) + QStringLiteral(" × ") + text(message));
        }
    }
    if (!why.items.empty()) {
        section.blocks.push_back(std::move(why));
    }
    return section;
}

Section distributionsSection(const RunData& run) {
    Table table;
    table.columns = {{translated(QT_TRANSLATE_NOOP("report", "ms"))},
                     number(QStringLiteral("p50")),
                     number(QStringLiteral("p90")),
                     number(QStringLiteral("p95")),
                     number(QStringLiteral("p99")),
                     number(translated(QT_TRANSLATE_NOOP("report", "least"))),
                     number(translated(QT_TRANSLATE_NOOP("report", "greatest"))),
                     number(QStringLiteral("n"))};
    using List = std::vector<double>;
    const auto add = [&](const char* label, Values kind, auto get) {
        table.rows.push_back(distributionRow(translated(label), sampleValues(run, get), kind));
    };
    add(QT_TRANSLATE_NOOP("report", "TTFT from scheduled"), Values::Independent,
        [](const RequestRecord& record, List& out) { pushIfThere(out, record.ttft()); });
    add(QT_TRANSLATE_NOOP("report", "TTFT from received"), Values::Independent,
        [](const RequestRecord& r, List& out) { pushIfThere(out, r.ttftFromReceived()); });
    add(QT_TRANSLATE_NOOP("report", "TTFT from admitted"), Values::Independent,
        [](const RequestRecord& r, List& out) { pushIfThere(out, r.ttftFromAdmitted()); });
    add(QT_TRANSLATE_NOOP("report", "TPOT"), Values::Independent,
        [](const RequestRecord& record, List& out) { pushIfThere(out, record.tpot()); });
    add(QT_TRANSLATE_NOOP("report", "ITL"), Values::Related,
        [](const RequestRecord& record, List& out) {
            for (std::size_t i = 1; i < record.steps.size(); ++i) {
                out.push_back(milliseconds(record.steps[i].time - record.steps[i - 1].time));
            }
        });
    add(QT_TRANSLATE_NOOP("report", "E2EL"), Values::Independent,
        [](const RequestRecord& record, List& out) { pushIfThere(out, record.e2e()); });
    return {.title = translated(QT_TRANSLATE_NOOP("report", "Distributions")),
            .note = translated(
                QT_TRANSLATE_NOOP("report", "warm, completed requests; 95 % interval in brackets")),
            .blocks = {std::move(table)}};
}

Section moreChartsSection(const RunData& run) {
    Section section{.title = translated(QT_TRANSLATE_NOOP("report", "Further charts")),
                    .note = {},
                    .blocks = {}};
    ChartRange range;
    range.to = std::max({1.0, run.summary.run.seconds, run.history.endSeconds()});
    range.maxPoints = 450;
    ChartRowOf2 pair;
    for (const ChartRow& row : chartTable()) {
        constexpr std::array<std::string_view, 3> kFirstPage = {"ttft", "ledger", "throughput"};
        if (std::ranges::find(kFirstPage, row.key) != kFirstPage.end()) {
            continue;
        }
        pair.plots.push_back(row.make(run.history, range));
        if (pair.plots.size() == 2) {
            section.blocks.push_back(std::exchange(pair, {}));
        }
    }
    if (!pair.plots.empty()) {
        section.blocks.push_back(std::move(pair));
    }
    return section;
}

} // namespace app::report
