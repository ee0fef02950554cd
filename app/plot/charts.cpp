#include "app/plot/charts.h"

#include "app/labels.h"
#include "app/observe/alarms.h"
#include "app/observe/quiet_markers.h"
#include "app/plot/chart_parts.h"
#include "app/plot/curve_cache.h"
#include "app/plot/rolling.h"
#include "app/plot/visible_plot.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace app {

namespace {

using parts::text;

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

Plot throughputChart(const History& history, const ChartRange& range) {
    Plot plot = parts::emptyPlot("throughput", text(QT_TRANSLATE_NOOP("charts", "Throughput")),
                                 text(QT_TRANSLATE_NOOP("charts", "tokens/s")), range);
    plot.series = {{.key = QStringLiteral("output"),
                    .name = text(QT_TRANSLATE_NOOP("charts", "output")),
                    .color = ColorRole::OutputTokens,
                    .width = 2.0,
                    .points = parts::meanPoints(history, range,
                                                [](const Sample& s) { return s.outputPerSecond; })},
                   {.key = QStringLiteral("prompt"),
                    .name = text(QT_TRANSLATE_NOOP("charts", "prompt")),
                    .color = ColorRole::PromptTokens,
                    .points = parts::meanPoints(
                        history, range, [](const Sample& s) { return s.promptPerSecond; })}};
    parts::fitY(plot);
    plot.markers = parts::markersIn(history, range);
    return plot;
}

// The batch limit as it was at each time, where it is near enough not to flatten the rest.
void addSlots(Plot& plot, const History& history, const ChartRange& range) {
    Series limit{.key = QStringLiteral("slots"),
                 .name = text(QT_TRANSLATE_NOOP("charts", "slots")),
                 .color = ColorRole::Text3,
                 .kind = SeriesKind::Step,
                 .width = 1.0};
    const auto& samples = history.samples();
    auto sample = std::ranges::lower_bound(samples, range.from, {}, &Sample::seconds);
    const double present = std::min(presentX(plot), range.to); // where the curves are read
    double most = 0.0, last = -1.0;
    for (; sample != samples.end() && sample->seconds <= present; ++sample) {
        if (sample->slots != last) {
            limit.points.emplace_back(sample->seconds, sample->slots > 0 ? sample->slots : kGap);
            last = sample->slots;
            most = std::max(most, last);
        }
    }
    constexpr double kNear = 2.5;
    if (most <= 0.0 || most > kNear * plot.yMax) {
        return;
    }
    limit.points.emplace_back(present, last > 0 ? last : kGap);
    plot.series.push_back(std::move(limit));
    parts::fitY(plot);
}

Plot batchChart(const History& history, const ChartRange& range) {
    Plot plot = parts::emptyPlot("batch", text(QT_TRANSLATE_NOOP("charts", "Batch and queue")),
                                 text(QT_TRANSLATE_NOOP("charts", "requests")), range);
    plot.decimals = 1;
    plot.series = {
        {.key = QStringLiteral("running"),
         .name = text(QT_TRANSLATE_NOOP("charts", "running")),
         .color = ColorRole::Running,
         .kind = SeriesKind::Area,
         .points = parts::meanPoints(history, range, [](const Sample& s) { return s.running; })},
        {.key = QStringLiteral("waiting"),
         .name = text(QT_TRANSLATE_NOOP("charts", "waiting")),
         .color = ColorRole::Waiting,
         .width = 2.0,
         .points = parts::meanPoints(history, range, [](const Sample& s) { return s.waiting; })}};
    parts::fitY(plot);
    addSlots(plot, history, range);
    plot.markers = parts::markersIn(history, range);
    return plot;
}

// One measure in percent of a whole: the axis ends at 100.
Plot percentChart(const ChartRange& range, const char* key, const QString& title, ColorRole role,
                  std::vector<QPointF> points, const History& history) {
    Plot plot = parts::emptyPlot(key, title, QStringLiteral("%"), range);
    plot.series = {{.key = QLatin1String(key),
                    .name = title,
                    .color = role,
                    .kind = SeriesKind::Area,
                    .width = 2.0,
                    .points = std::move(points)}};
    plot.decimals = 1;
    plot.yMax = 100.0;
    plot.markers = parts::markersIn(history, range);
    return plot;
}

Plot kvChart(const History& history, const ChartRange& range) {
    return percentChart(
        range, "kv", text(QT_TRANSLATE_NOOP("charts", "KV blocks in use")), ColorRole::Kv,
        parts::samplePoints(history, range, [](const Sample& s) { return 100.0 * s.kvShare; }),
        history);
}

Plot memoryChart(const History& history, const ChartRange& range) {
    Plot plot = percentChart(
        range, "memory", text(QT_TRANSLATE_NOOP("charts", "Memory of the machine")),
        ColorRole::Memory,
        parts::samplePoints(history, range, [](const Sample& s) { return 100.0 * s.machineShare; }),
        history);
    plot.thresholds.push_back({.y = range.limits.memoryPercent,
                               .color = ColorRole::Warn,
                               .name = text(QT_TRANSLATE_NOOP("charts", "limit %1 %"))
                                           .arg(numberText(range.limits.memoryPercent))});
    return plot;
}

Plot processChart(const History& history, const ChartRange& range) {
    Plot plot =
        parts::emptyPlot("process", text(QT_TRANSLATE_NOOP("charts", "Memory of this process")),
                         QStringLiteral("MiB"), range);
    plot.series = {{.key = QStringLiteral("process"),
                    .name = text(QT_TRANSLATE_NOOP("charts", "resident")),
                    .color = ColorRole::Memory,
                    .kind = SeriesKind::Area,
                    .width = 2.0,
                    .points = parts::samplePoints(history, range, [](const Sample& s) {
                        return s.processBytes / (1024.0 * 1024.0);
                    })}};
    parts::fitY(plot);
    plot.markers = parts::markersIn(history, range);
    return plot;
}

Plot busyChart(const History& history, const ChartRange& range) {
    Plot plot = percentChart(
        range, "busy", text(QT_TRANSLATE_NOOP("charts", "Device busy: share of threads")),
        ColorRole::DeviceBusy,
        parts::meanPoints(history, range, [](const Sample& s) { return 100.0 * s.busyShare; }),
        history);
    plot.thresholds = {{.y = range.limits.busyFrom,
                        .color = ColorRole::DeviceBusy,
                        .name = text(QT_TRANSLATE_NOOP("charts", "healthy from %1 %"))
                                    .arg(numberText(range.limits.busyFrom))},
                       {.y = range.limits.busyTo,
                        .color = ColorRole::DeviceBusy,
                        .name = text(QT_TRANSLATE_NOOP("charts", "healthy to %1 %"))
                                    .arg(numberText(range.limits.busyTo))}};
    return plot;
}

// What the ledger's stages are drawn as, from the bottom.
struct LedgerGroup {
    const char* key;
    const char* name;
    ColorRole color;
    bool isModelled;
    bool (*holds)(engine::Stage);
};
constexpr std::array<LedgerGroup, 5> kLedgerGroups = {{
    {"prefill_weights", QT_TRANSLATE_NOOP("charts", "prefill weights"), ColorRole::StageWeights,
     true, [](engine::Stage s) { return s == engine::Stage::PrefillWeights; }},
    {"prefill_compute", QT_TRANSLATE_NOOP("charts", "arithmetic"), ColorRole::StageCompute, true,
     [](engine::Stage s) { return s == engine::Stage::PrefillCompute; }},
    {"batch_mates", QT_TRANSLATE_NOOP("charts", "batch mates"), ColorRole::StageMates, false,
     [](engine::Stage s) { return s == engine::Stage::BatchMates; }},
    {"queue", QT_TRANSLATE_NOOP("charts", "queue"), ColorRole::StageQueue, false,
     [](engine::Stage s) { return s == engine::Stage::Queue; }},
    {"others", QT_TRANSLATE_NOOP("charts", "%1 more"), ColorRole::StageLag, false,
     [](engine::Stage s) {
         return s != engine::Stage::PrefillWeights && s != engine::Stage::PrefillCompute &&
                s != engine::Stage::BatchMates && s != engine::Stage::Queue;
     }},
}};
using GroupSums = LedgerPoint;
static_assert(kLedgerGroups.size() == kLedgerCurves);

// Which group a stage belongs to.
constexpr std::array<std::size_t, engine::kStages> kGroupOfStage = [] {
    std::array<std::size_t, engine::kStages> groups{};
    for (std::size_t stage = 0; stage < engine::kStages; ++stage) {
        for (std::size_t group = 0; group < kLedgerGroups.size(); ++group) {
            if (kLedgerGroups[group].holds(static_cast<engine::Stage>(stage))) {
                groups[stage] = group;
            }
        }
    }
    return groups;
}();

// "queue", or how many stages are held together.
QString ledgerName(const LedgerGroup& group) {
    const QString name = text(group.name);
    if (!name.contains(QStringLiteral("%1"))) {
        return name;
    }
    int stages = 0;
    for (std::size_t stage = 0; stage < engine::kStages; ++stage) {
        stages += group.holds(static_cast<engine::Stage>(stage)) ? 1 : 0;
    }
    return name.arg(stages);
}

// Adds or takes away (sign) what a request spent.
void addRequest(GroupSums& sums, const RequestPoint& request, double sign) {
    for (std::size_t stage = 0; stage < engine::kStages; ++stage) {
        sums[kGroupOfStage[stage]] += sign * static_cast<double>(request.ledgerMs[stage]);
    }
}

Plot ledgerChart(const History& history, const ChartRange& range) {
    Plot plot = parts::emptyPlot(
        "ledger", text(QT_TRANSLATE_NOOP("charts", "Where the first token’s time goes")),
        text(QT_TRANSLATE_NOOP("charts", "mean ms a request, adds up")), range);
    plot.decimals = 1;
    plot.showsTotal = true;
    for (const LedgerGroup& group : kLedgerGroups) {
        plot.series.push_back({.key = QLatin1String(group.key),
                               .name = ledgerName(group),
                               .color = group.color,
                               .kind = SeriesKind::Stack,
                               .hatched = group.isModelled});
    }
    // Shorter than the quantiles' window: a mean needs fewer requests than a tail. No shorter than
    // a step, so that every request is in a point.
    constexpr double kLeastStep = 0.5;
    const double window = std::max({2.0, range.window / 6.0,
                                    gridStep(range.from, std::min(range.to, history.endSeconds()),
                                             range.maxPoints, kLeastStep)});
    const auto& requests = history.requests();
    const auto counts = [&range](const RequestPoint& request) {
        return request.hasLedger && isLatencySample(request, range.filter);
    };
    const double to = std::min(range.to, history.endSeconds());
    const std::vector<double> times = gridTimes(range.from, to, range.maxPoints, kLeastStep);
    const auto compute = [&](std::size_t begin, std::size_t end, std::vector<GroupSums>& means) {
        auto entering =
            std::ranges::upper_bound(requests, times[begin] - window, {}, &RequestPoint::seconds);
        auto leaving = entering;
        GroupSums sums{};
        std::int64_t count = 0;
        for (std::size_t i = begin; i < end; ++i) {
            for (; entering != requests.end() && entering->seconds <= times[i]; ++entering) {
                if (counts(*entering)) {
                    addRequest(sums, *entering, 1.0);
                    ++count;
                }
            }
            for (; leaving != entering && leaving->seconds <= times[i] - window; ++leaving) {
                if (counts(*leaving)) {
                    addRequest(sums, *leaving, -1.0);
                    --count;
                }
            }
            if (count == 0) {
                sums = {}; // what rounding left
            }
            for (std::size_t group = 0; group < sums.size(); ++group) {
                means[i][group] =
                    count > 0 ? std::max(0.0, sums[group] / static_cast<double>(count)) : kGap;
            }
        }
    };
    const CurveKey key{.step = gridStep(range.from, to, range.maxPoints, kLeastStep),
                       .window = window,
                       .filter = range.filter,
                       .edge = TtftEdge::Scheduled};
    const std::vector<GroupSums> means = onGrid<GroupSums>(
        times, key, range.cache != nullptr ? &range.cache->ledger : nullptr, compute);
    for (std::size_t i = 0; i < times.size(); ++i) {
        for (std::size_t group = 0; group < kLedgerGroups.size(); ++group) {
            plot.series[group].points.emplace_back(times[i], means[i][group]);
        }
    }
    parts::fitY(plot);
    if (plot.yMax >= 1000.0) {
        plot.decimals = 0; // tenths of a millisecond say nothing beside seconds
    }
    plot.markers = parts::markersIn(history, range);
    return plot;
}

constexpr std::array<ChartRow, 9> kCharts = {{
    {"ttft", parts::ttftChart, true, true},
    {"throughput", throughputChart, true},
    {"batch", batchChart, true},
    {"ledger", ledgerChart, true, true},
    {"kv", kvChart, false},
    {"memory", memoryChart, false},
    {"process", processChart, false},
    {"busy", busyChart, false},
    {"lag", parts::lagChart, false, true},
}};

} // namespace

std::span<const ChartRow> chartTable() {
    return kCharts;
}

ChartLimits limitsOf(const engine::EngineConfig& config, double targetMs) {
    constexpr double kNoTarget = 1e8; // what a search without a limit leaves in a run
    ChartLimits limits;
    if (targetMs > 0.0 && targetMs < kNoTarget) {
        limits.targetMs = targetMs;
    }
    if (config.serving.degradation != engine::DegradationMode::Off) {
        limits.level1Ms = static_cast<double>(config.serving.level1Ms);
        limits.level2Ms = static_cast<double>(config.serving.level2Ms);
    }
    return limits;
}

const ChartRow* findChart(std::string_view key) {
    const auto* row = std::ranges::find(kCharts, key, &ChartRow::key);
    return row != kCharts.end() ? row : nullptr;
}

MarkerKind markerKind(const engine::Event& event) {
    if (std::holds_alternative<engine::Failed>(event.body)) {
        return MarkerKind::Alarm;
    }
    if (const auto* changed = std::get_if<engine::StateChanged>(&event.body)) {
        return changed->state == engine::EngineState::Failed ? MarkerKind::Alarm : MarkerKind::Note;
    }
    const auto* notice = std::get_if<engine::Notice>(&event.body);
    if (notice != nullptr && (notice->kind == kAlarmRaised || notice->kind == kAlarmCleared)) {
        return notice->kind == kAlarmRaised ? MarkerKind::Alarm : MarkerKind::Note;
    }
    if (notice != nullptr && notice->kind == "degradation_changed") {
        const bool isHighest =
            std::ranges::find(notice->values, std::pair<std::string, std::string>("after", "2")) !=
            notice->values.end();
        return isHighest ? MarkerKind::Alarm : MarkerKind::Warning;
    }
    if (notice != nullptr && notice->kind == kPreemptionBurst) {
        return MarkerKind::Warning;
    }
    if (notice != nullptr && notice->kind == "degradation_effect") {
        return MarkerKind::Note;
    }
    switch (event.source) {
    case engine::EventSource::Operator:
        return MarkerKind::Operator;
    case engine::EventSource::Serving:
        return MarkerKind::Warning;
    case engine::EventSource::App:
        return MarkerKind::Workload;
    case engine::EventSource::Engine:
        break;
    }
    // The engine applies what the operator asked for; the event is the engine's.
    return std::holds_alternative<engine::ConfigApplied>(event.body) ? MarkerKind::Operator
                                                                     : MarkerKind::Note;
}

Marker chartMarker(const HistoryMarker& marker) {
    return {.x = marker.seconds,
            .number = marker.number,
            .kind = markerKind(marker.event),
            .text = markerText(marker.event)};
}

std::vector<Marker> chartMarkers(const History& history) {
    std::vector<Marker> markers;
    markers.reserve(history.markers().size());
    for (const HistoryMarker& marker : history.markers()) {
        markers.push_back(chartMarker(marker));
    }
    return markers;
}

} // namespace app
