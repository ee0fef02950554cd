#include "app/compare/run_views.h"

#include "app/plot/charts.h"
#include "app/plot/plot_layout.h"

#include <QCoreApplication>
#include <QString>

#include <algorithm>
#include <cmath>

namespace app {

namespace {

QString nameOf(const RunData& run) {
    return QString::number(run.summary.run.id);
}

} // namespace

engine::Result<std::vector<RunSummary>> listRuns(const std::filesystem::path& log) {
    std::error_code error;
    if (!std::filesystem::exists(log, error)) {
        return std::vector<RunSummary>{};
    }
    auto store = RunStore::open(log, StoreMode::ReadOnly);
    if (!store) {
        return std::unexpected(store.error());
    }
    return (*store)->runs();
}

ChartLimits runLimits(const RunSummary& run) {
    engine::EngineConfig config;
    for (const SettingRow& row : run.settings) {
        if (const engine::Field* field = engine::findField(row.field)) {
            // A value of another version is left at its default.
            static_cast<void>(engine::setFromText(
                *field, config, row.effective.empty() ? row.requested : row.effective));
        }
    }
    return limitsOf(config, run.run.sloTtftMs);
}

engine::Result<OpenedRun> openRun(const std::filesystem::path& log, std::int64_t run) {
    auto store = RunStore::open(log, StoreMode::ReadOnly);
    if (!store) {
        return std::unexpected(store.error());
    }
    const auto size = (*store)->size(run);
    if (!size) {
        return std::unexpected(size.error());
    }
    const bool isShort =
        size->requests <= kReadWhole.requests && size->samples <= kReadWhole.samples;
    auto data = isShort ? (*store)->load(run) : (*store)->overview(run);
    if (!data) {
        return std::unexpected(data.error());
    }
    OpenedRun opened{.data = nullptr, .plots = {}, .log = log};
    const double end = std::max({data->summary.run.seconds, data->history.endSeconds(), 1.0});
    const ChartLimits limits = runLimits(data->summary);
    for (const ChartRow& row : chartTable()) {
        Plot plot = row.make(data->history, {.from = 0.0, .to = end, .limits = limits});
        if (row.isDefault || hasData(plot)) {
            opened.plots.push_back(std::move(plot));
        }
    }
    if (const auto experiments = (*store)->experiments()) {
        opened.isExperiment =
            std::ranges::any_of(*experiments, [run](const StoredExperiment& experiment) {
                return experiment.run.id == run;
            });
    }
    opened.data = std::make_shared<const RunData>(std::move(*data));
    return opened;
}

engine::Result<std::shared_ptr<const RunData>> wholeRun(const OpenedRun& opened) {
    if (opened.data == nullptr || opened.data->isWhole) {
        return opened.data;
    }
    auto store = RunStore::open(opened.log, StoreMode::ReadOnly);
    if (!store) {
        return std::unexpected(store.error());
    }
    auto data = (*store)->load(opened.data->summary.run.id);
    if (!data) {
        return std::unexpected(data.error());
    }
    return std::make_shared<const RunData>(std::move(*data));
}

engine::Result<RunSummary> spanFigures(const OpenedRun& opened, double from, double to) {
    if (opened.data->isWhole) {
        return sliceRun(*opened.data, from, to).summary;
    }
    auto store = RunStore::open(opened.log, StoreMode::ReadOnly);
    if (!store) {
        return std::unexpected(store.error());
    }
    auto part = (*store)->loadSpan(opened.data->summary.run.id, from, to);
    if (!part) {
        return std::unexpected(part.error());
    }
    return sliceRun(*part, from, to).summary;
}

bool needsSeconds(const RunData& run, double from, double to) {
    constexpr double kMinutesSuffice = 12.0 * 3600.0; // a pixel is about a minute
    return !run.isWhole && to > from && to - from < kMinutesSuffice;
}

engine::Result<std::shared_ptr<const FinePart>> readFinePart(const OpenedRun& opened, double from,
                                                             double to) {
    auto store = RunStore::open(opened.log, StoreMode::ReadOnly);
    if (!store) {
        return std::unexpected(store.error());
    }
    const auto samples = (*store)->seconds(opened.data->summary.run.id, from, to);
    if (!samples) {
        return std::unexpected(samples.error());
    }
    auto part = std::make_shared<FinePart>();
    part->from = from;
    part->to = to;
    part->history.reset(engine::TimePoint{}, HistoryBound::Whole);
    for (const Sample& sample : *samples) {
        part->history.addSample(sample);
    }
    for (const HistoryMarker& marker : opened.data->history.markers()) {
        part->history.addMarker(marker);
    }
    return part;
}

RunPair comparePair(std::shared_ptr<const RunData> a, std::shared_ptr<const RunData> b) {
    RunPair pair;
    pair.comparison = compareRuns(*a, *b);
    pair.distribution = overlayDistribution(a->history, nameOf(*a), b->history, nameOf(*b));
    pair.overTime = overlayTtft(a->history, nameOf(*a), b->history, nameOf(*b));
    pair.a = std::move(a);
    pair.b = std::move(b);
    return pair;
}

engine::Result<RunPair> openPair(const std::filesystem::path& log, std::int64_t a, std::int64_t b) {
    auto store = RunStore::open(log, StoreMode::ReadOnly);
    if (!store) {
        return std::unexpected(store.error());
    }
    std::shared_ptr<const RunData> ofA, ofB;
    for (const auto& [side, run] : {std::pair(&ofA, a), std::pair(&ofB, b)}) {
        auto data = (*store)->load(run);
        if (!data) {
            return std::unexpected(data.error());
        }
        *side = std::make_shared<const RunData>(std::move(*data));
    }
    return comparePair(std::move(ofA), std::move(ofB));
}

RunPair compareSplit(RunSplit split) {
    RunPair pair;
    pair.comparison = compareSides(split);
    const QString before = sideName(SplitSide::Before), after = sideName(SplitSide::After);
    pair.distribution =
        overlayDistribution(split.before.history, before, split.after.history, after);
    pair.overTime = overlayTtft(split.before.history, before, split.after.history, after);
    pair.split = split.facts;
    pair.a = std::make_shared<const RunData>(std::move(split.before));
    pair.b = std::make_shared<const RunData>(std::move(split.after));
    return pair;
}

engine::Result<RunPair> openSplit(const std::filesystem::path& log, std::int64_t run, double at,
                                  std::optional<std::pair<double, double>> span) {
    auto store = RunStore::open(log, StoreMode::ReadOnly);
    if (!store) {
        return std::unexpected(store.error());
    }
    auto data = (*store)->load(run);
    if (!data) {
        return std::unexpected(data.error());
    }
    auto split = splitRun(*data, at, span);
    if (!split) {
        return std::unexpected(split.error());
    }
    return compareSplit(std::move(*split));
}

QString sideName(SplitSide side) {
    return side == SplitSide::Before ? QCoreApplication::translate("runs", "before")
                                     : QCoreApplication::translate("runs", "after");
}

RunSet compareSet(std::vector<std::shared_ptr<const RunData>> runs) {
    RunSet set{.runs = std::move(runs), .againstFirst = {}, .overTime = {}};
    const ChartRow* chart = findChart("ttft");
    double longest = 1.0;
    for (const auto& run : set.runs) {
        longest = std::max({longest, run->summary.run.seconds, run->history.endSeconds()});
        if (run != set.runs.front()) {
            set.againstFirst.push_back(compareRuns(*set.runs.front(), *run));
        }
    }
    double highest = 0.0;
    for (const auto& run : set.runs) {
        Plot plot = chart->make(run->history, {.from = 0.0, .to = longest, .maxPoints = 400});
        plot.title = QCoreApplication::translate("runs", "Run %1").arg(nameOf(*run));
        highest = std::max(highest, plot.yMax);
        set.overTime.push_back(std::move(plot));
    }
    for (Plot& plot : set.overTime) {
        plot.yMax = highest; // small pictures compare only on one scale
    }
    return set;
}

engine::Result<RunSet> openSet(const std::filesystem::path& log,
                               const std::vector<std::int64_t>& runs) {
    auto store = RunStore::open(log, StoreMode::ReadOnly);
    if (!store) {
        return std::unexpected(store.error());
    }
    std::vector<std::shared_ptr<const RunData>> read;
    for (const std::int64_t run : runs) {
        auto data = (*store)->load(run);
        if (!data) {
            return std::unexpected(data.error());
        }
        read.push_back(std::make_shared<const RunData>(std::move(*data)));
    }
    return compareSet(std::move(read));
}

bool isBaseline(const RunSummary& run) {
    return std::ranges::find(run.run.tags, kBaselineTag) != run.run.tags.end();
}

ToBaseline toBaseline(const RunSummary& run, const RunSummary& baseline) {
    constexpr double kLeastShare = 0.8; // of the baseline's length
    if (run.run.id == baseline.run.id) {
        return {.differenceMs = {}, .bar = BaselineBar::Itself};
    }
    if (run.run.requestDigest.empty() || run.run.requestDigest != baseline.run.requestDigest) {
        return {.differenceMs = {}, .bar = BaselineBar::OtherWorkload};
    }
    if (run.run.modelDigest != baseline.run.modelDigest) {
        return {.differenceMs = {}, .bar = BaselineBar::OtherModel};
    }
    if (run.run.seconds < kLeastShare * baseline.run.seconds) {
        return {.differenceMs = {}, .bar = BaselineBar::TooShort};
    }
    if (!run.ttftMs.p99 || !baseline.ttftMs.p99) {
        return {.differenceMs = {}, .bar = BaselineBar::NoValue};
    }
    return {.differenceMs = *run.ttftMs.p99 - *baseline.ttftMs.p99, .bar = BaselineBar::None};
}

std::optional<RelativeDifference> relativeDifference(const ComparisonRow& row) {
    if (!row.a || !row.difference || *row.a == 0.0) {
        return std::nullopt;
    }
    const double base = std::abs(*row.a);
    RelativeDifference relative{.share = *row.difference / base, .interval = std::nullopt};
    if (row.interval) {
        relative.interval = Interval{row.interval->low / base, row.interval->high / base};
    }
    return relative;
}

int shownDecimals(const ComparisonRow& row) {
    const double size = std::max(std::abs(row.a.value_or(0.0)), std::abs(row.b.value_or(0.0)));
    return size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
}

bool isAboutZero(const ComparisonRow& row, int decimals) {
    return row.difference && std::abs(*row.difference) < 0.5 * std::pow(10.0, -decimals);
}

} // namespace app
