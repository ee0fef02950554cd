// The rest of the first page of a run's report: phases, events, what ran.
#include "app/labels.h"
#include "app/plot/charts.h"
#include "app/report/phases.h"
#include "app/report/report_text.h"
#include "app/report/sections.h"

#include <QCoreApplication>

#include <nlohmann/json.hpp>

namespace app::report {

namespace {

constexpr std::size_t kMostRows = 60;

Text effectText(const Effect& effect) {
    if (!effect.before || !effect.after) {
        return {};
    }
    Text cell = translated(QT_TRANSLATE_NOOP("report", "TTFT p50 %1 → %2 ms, n %3 / %4: "))
                    .arg(millisecondsText(effect.before), millisecondsText(effect.after),
                         countText(effect.nBefore), countText(effect.nAfter));
    cell.add(verdictLabel(effect.verdict), verdictTone(effect.verdict));
    return cell;
}

QString machineFact(const nlohmann::json& machine, const char* key) {
    if (!machine.is_object() || !machine.contains(key)) {
        return {};
    }
    const auto& value = machine[key];
    return value.is_string() ? text(value.get<std::string>()) : text(value.dump());
}

QString arrivalsText(const RunSummary& summary) {
    QStringList parts;
    if (summary.wantedRate) {
        parts << translated(QT_TRANSLATE_NOOP("report", "wanted %1, achieved %2 req/s"))
                     .arg(rateText(summary.wantedRate), rateText(summary.achievedRate));
    } else if (summary.achievedRate) {
        parts << translated(QT_TRANSLATE_NOOP("report", "%1 req/s"))
                     .arg(rateText(summary.achievedRate));
    }
    if (summary.lagP50Ms) {
        parts << translated(QT_TRANSLATE_NOOP("report", "lag p50 %1, p99 %2 ms"))
                     .arg(millisecondsText(summary.lagP50Ms), millisecondsText(summary.lagP99Ms));
    }
    return parts.isEmpty() ? dash() : parts.join(QStringLiteral("; "));
}

QString tagsText(const RunData& run) {
    std::int64_t cold = 0, idle = 0, warmUp = 0, preempted = 0, changed = 0;
    for (const StoredRequest& request : run.requests) {
        const auto has = [&](engine::SampleTag tag) {
            return (request.record.tags & static_cast<std::uint32_t>(tag)) != 0 ? 1 : 0;
        };
        cold += has(engine::SampleTag::Cold);
        idle += has(engine::SampleTag::IdleStart);
        warmUp += has(engine::SampleTag::WarmUp);
        preempted += has(engine::SampleTag::Preempted);
        changed += has(engine::SampleTag::ConfigChanged);
    }
    return translated(QT_TRANSLATE_NOOP("report", "cold %1, idle start %2, warm-up %3, preempted "
                                                  "%4, settings changed %5"))
        .arg(countText(cold), countText(idle), countText(warmUp), countText(preempted),
             countText(changed));
}

QString outcomesText(const RunSummary& summary) {
    return translated(
               QT_TRANSLATE_NOOP("report", "%1 completed, %2 cancelled, %3 failed, %4 rejected"))
        .arg(countText(summary.completed), countText(summary.cancelled), countText(summary.failed),
             countText(summary.rejected));
}

// Fields whose effective value is not the requested one, and those that changed during the run.
void addDifferingSettings(Facts& facts, const RunData& run) {
    for (const SettingRow& row : run.summary.settings) {
        const bool differs = row.requested != row.effective;
        if (!differs && row.timeNs <= 0) {
            continue;
        }
        const engine::Field* field = engine::findField(row.field);
        const auto value = [&](const std::string& raw) {
            return field != nullptr ? choiceLabel(*field, raw) : text(raw);
        };
        Text shown = value(row.requested);
        if (differs) {
            shown.add(QStringLiteral(" → ") + value(row.effective), Tone::Warn);
        }
        if (row.timeNs > 0) {
            shown.add(translated(QT_TRANSLATE_NOOP("report", " from %1"))
                          .arg(runTimeText(static_cast<double>(row.timeNs) / 1e9)));
        }
        if (!row.reason.empty()) {
            shown.add(QStringLiteral(", ") + text(row.reason));
        }
        facts.rows.emplace_back(field != nullptr ? fieldLabel(*field) : text(row.field), shown);
    }
}

} // namespace

QString deviceText(const RunInfo& run) {
    const auto machine = nlohmann::json::parse(run.machineJson, nullptr, false);
    QStringList parts;
    for (const char* key : {"device", "cpu", "isa"}) {
        if (const QString fact = machineFact(machine, key); !fact.isEmpty()) {
            parts << fact;
        }
    }
    if (const QString threads = machineFact(machine, "threads"); !threads.isEmpty()) {
        parts << translated(QT_TRANSLATE_NOOP("report", "%1 threads")).arg(threads);
    }
    return parts.isEmpty() ? dash() : parts.join(QStringLiteral(", "));
}

Section phasesSection(const RunData& run) {
    const std::vector<Phase> list = phases(run);
    if (list.size() < 2) {
        return {};
    }
    Table table;
    table.columns = {{QString()},
                     {translated(QT_TRANSLATE_NOOP("report", "In effect"))},
                     {translated(QT_TRANSLATE_NOOP("report", "From – to"))},
                     {QStringLiteral("n"), Align::Right},
                     {QStringLiteral("TTFT p50"), Align::Right},
                     {QStringLiteral("p90"), Align::Right},
                     {translated(QT_TRANSLATE_NOOP("report", "p99 ms")), Align::Right},
                     {translated(QT_TRANSLATE_NOOP("report", "Output tok/s")), Align::Right},
                     {translated(QT_TRANSLATE_NOOP("report", "Goodput")), Align::Right},
                     {translated(QT_TRANSLATE_NOOP("report", "Running")), Align::Right}};
    for (const Phase& phase : list) {
        if (table.rows.size() == kMostRows) {
            table.more = translated(QT_TRANSLATE_NOOP("report", "%1 more phases"))
                             .arg(countText(static_cast<std::int64_t>(list.size() - kMostRows)));
            break;
        }
        Text tail(millisecondsText(quantile(phase.ttftMs, 0.99)), Tone::Strong);
        const auto interval = quantileInterval(phase.ttftMs, 0.99);
        tail.add(QLatin1Char(' ') + (interval ? intervalText(*interval)
                                              : QStringLiteral("n < %1").arg(leastCount(0.99))),
                 Tone::Muted);
        table.rows.push_back(
            {.cells = {Text(phase.letter, Tone::Strong), phase.settings,
                       runTimeText(phase.from) + QStringLiteral("\u00a0\u2013\u00a0") +
                           runTimeText(phase.to),
                       countText(static_cast<std::int64_t>(phase.ttftMs.size())),
                       millisecondsText(quantile(phase.ttftMs, 0.5)),
                       millisecondsText(quantile(phase.ttftMs, 0.9)), tail,
                       rateText(phase.outputPerSecond), rateText(phase.goodputPerSecond),
                       numberText(phase.running, 1)}});
    }
    return {.title = translated(QT_TRANSLATE_NOOP("report", "By phase")),
            .note = translated(
                QT_TRANSLATE_NOOP("report", "warm samples; 95 % interval of p99 in brackets")),
            .blocks = {std::move(table)}};
}

Section eventsSection(const RunData& run) {
    const auto& markers = run.history.markers();
    const std::vector<Marker> pins = chartMarkers(run.history);
    Table table;
    table.columns = {{QString()}, {QString()}, {QString()}, {QString()}};
    for (std::size_t i = 0; i < markers.size() && i < kMostRows; ++i) {
        const engine::Event& event = markers[i].event;
        const auto effect = effectOf(run, i);
        table.rows.push_back({.pin = pins[i].number,
                              .pinKind = pins[i].kind,
                              .cells = {QString(), runTimeText(markers[i].seconds),
                                        capitalized(sourceLabel(event.source)) +
                                            QStringLiteral(": ") + eventText(event),
                                        effect ? effectText(*effect) : Text()}});
    }
    if (table.rows.empty()) {
        return {};
    }
    if (markers.size() > kMostRows) {
        table.more = translated(QT_TRANSLATE_NOOP("report", "%1 more events"))
                         .arg(countText(static_cast<std::int64_t>(markers.size() - kMostRows)));
    }
    return {.title = translated(QT_TRANSLATE_NOOP("report", "Events")),
            .note = {},
            .blocks = {std::move(table)}};
}

Section factsSection(const RunData& run) {
    const RunSummary& summary = run.summary;
    const RunInfo& info = summary.run;
    const auto machine = nlohmann::json::parse(info.machineJson, nullptr, false);
    Facts ran{.title = translated(QT_TRANSLATE_NOOP("report", "What ran")), .rows = {}};
    QStringList model = {info.modelName.empty() ? dash() : text(info.modelName)};
    for (const char* key : {"file_format", "computing"}) {
        if (const QString fact = machineFact(machine, key); !fact.isEmpty()) {
            model << fact;
        }
    }
    if (!info.modelDigest.empty()) {
        model << shortDigest(info.modelDigest);
    }
    ran.rows.emplace_back(translated(QT_TRANSLATE_NOOP("report", "Model")),
                          model.join(QStringLiteral(", ")));
    ran.rows.emplace_back(translated(QT_TRANSLATE_NOOP("report", "Device")), deviceText(info));
    QStringList workload = {info.workloadName.empty()
                                ? translated(QT_TRANSLATE_NOOP("report", "none: recorded by hand"))
                                : text(info.workloadName)};
    if (info.seed) {
        workload << translated(QT_TRANSLATE_NOOP("report", "seed %1")).arg(*info.seed);
    }
    if (!info.requestDigest.empty()) {
        workload << translated(QT_TRANSLATE_NOOP("report", "request list %1"))
                        .arg(shortDigest(info.requestDigest));
    }
    ran.rows.emplace_back(translated(QT_TRANSLATE_NOOP("report", "Workload")),
                          workload.join(QStringLiteral(", ")));
    ran.rows.emplace_back(translated(QT_TRANSLATE_NOOP("report", "Arrivals")),
                          arrivalsText(summary));
    if (!info.note.empty()) {
        ran.rows.emplace_back(translated(QT_TRANSLATE_NOOP("report", "Note")), text(info.note));
    }
    Facts effective{.title = translated(QT_TRANSLATE_NOOP("report", "Requested and effective")),
                    .rows = {}};
    addDifferingSettings(effective, run);
    if (effective.rows.empty()) {
        effective.rows.emplace_back(
            translated(QT_TRANSLATE_NOOP("report", "Settings")),
            translated(QT_TRANSLATE_NOOP("report", "every one as requested, none changed")));
    }
    effective.rows.emplace_back(translated(QT_TRANSLATE_NOOP("report", "Outcomes")),
                                outcomesText(summary));
    effective.rows.emplace_back(translated(QT_TRANSLATE_NOOP("report", "Tags")), tagsText(run));
    return {.title = {}, .note = {}, .blocks = {FactsRowOf2{std::move(ran), std::move(effective)}}};
}

} // namespace app::report
