#include "app/experiment/experiment_plots.h"

#include "app/experiment/experiment_labels.h"
#include "app/labels.h"
#include "app/value_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>

namespace app {

namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
constexpr int kBins = 40;

QString say(const char* english) {
    return QCoreApplication::translate("experiments", english);
}

ColorRole sideColor(int side) {
    return side % 2 == 0 ? ColorRole::SideA : ColorRole::SideB;
}

QString sideName(const Experiment& experiment, int side) {
    return QString::fromStdString(experiment.sides[static_cast<std::size_t>(side)].label);
}

bool isLatency(const Experiment& experiment) {
    return experiment.metric.starts_with("ttft") || experiment.metric.starts_with("queue");
}

// Means of output over whole seconds of a block, or the median TTFT of each.
std::vector<QPointF> secondsOf(const History& history, double from, double to, bool wantsLatency) {
    std::vector<QPointF> points;
    for (double second = from; second + 1.0 <= to + 1e-6; second += 1.0) {
        if (wantsLatency) {
            const auto& requests = history.requests();
            auto request = std::ranges::lower_bound(requests, second, {}, &RequestPoint::seconds);
            std::vector<double> values;
            for (; request != requests.end() && request->seconds < second + 1.0; ++request) {
                if (isLatencySample(*request, SampleFilter::Warm)) {
                    values.push_back(request->ttftMs);
                }
            }
            const Quantiles found = quantiles(std::move(values));
            points.emplace_back(second + 0.5, found.p50.value_or(kGap));
            continue;
        }
        const auto& samples = history.samples();
        auto sample = std::ranges::upper_bound(samples, second, {}, &Sample::seconds);
        double sum = 0.0;
        int count = 0;
        for (; sample != samples.end() && sample->seconds <= second + 1.0; ++sample) {
            sum += sample->outputPerSecond;
            ++count;
        }
        points.emplace_back(second + 0.5, count > 0 ? sum / count : kGap);
    }
    return points;
}

void fitY(Plot& plot) {
    double highest = 0.0;
    for (const Series& series : plot.series) {
        for (const QPointF& point : series.points) {
            highest = std::isfinite(point.y()) ? std::max(highest, point.y()) : highest;
        }
    }
    const Ticks ticks = niceTicks(highest);
    plot.yMax = ticks.bound;
    plot.decimals = ticks.decimals;
}

// Shares of values in equal bins up to the largest of both sides' 99.5 % quantile.
Plot distribution(const Experiment& experiment, std::vector<std::vector<double>> sides,
                  const char* key, const QString& title, const QString& unit) {
    Plot plot{.key = QLatin1String(key),
              .title = title,
              .unit = unit,
              .xAxis = XAxis::Number,
              .xMin = 0.0,
              .xMax = 1.0,
              .series = {},
              .bands = {},
              .markers = {},
              .thresholds = {},
              .shades = {},
              .emptyText = say(QT_TRANSLATE_NOOP("experiments", "No values yet"))};
    double top = 0.0;
    for (auto& values : sides) {
        std::ranges::sort(values);
        top = std::max(top, quantile(values, 0.995).value_or(0.0));
    }
    plot.xMax = niceTicks(top).bound;
    const double width = plot.xMax / kBins;
    for (std::size_t side = 0; side < sides.size(); ++side) {
        std::vector<double> shares(kBins + 1, 0.0);
        for (const double value : sides[side]) {
            const auto bin =
                static_cast<std::size_t>(std::clamp(value / width, 0.0, double(kBins)));
            shares[std::min<std::size_t>(bin, kBins - 1)] +=
                100.0 / static_cast<double>(sides[side].size());
        }
        const QString name = sideName(experiment, static_cast<int>(side));
        // The legend tells how many there are; an outline has no newest value.
        const auto median = quantile(sides[side], 0.5);
        plot.series.push_back(
            {.key = name,
             .name = name + QStringLiteral(" · n ") +
                     numberText(static_cast<double>(sides[side].size())) +
                     (median ? QStringLiteral(" · p50 ") + millisecondsText(median) : QString()),
             .color = sideColor(static_cast<int>(side))});
        Series series{.key = name + QStringLiteral("_outline"),
                      .color = sideColor(static_cast<int>(side)),
                      .kind = SeriesKind::Area,
                      .width = 2.0};
        for (int bin = 0; bin < kBins && !sides[side].empty(); ++bin) {
            const double share = shares[static_cast<std::size_t>(bin)];
            series.points.emplace_back(bin * width, share);
            series.points.emplace_back((bin + 1) * width, share);
        }
        plot.series.push_back(std::move(series));
    }
    fitY(plot);
    for (std::size_t side = 0; side < sides.size(); ++side) {
        if (const auto median = quantile(sides[side], 0.5)) {
            plot.series.push_back(
                {.key = sideName(experiment, static_cast<int>(side)) + QStringLiteral("_p50"),
                 .color = sideColor(static_cast<int>(side)),
                 .width = 1.0,
                 .points = {{*median, 0.0}, {*median, plot.yMax}}});
        }
    }
    return plot;
}

std::size_t shownSides(const Experiment& experiment) {
    return experiment.sweepKey.empty() ? experiment.sides.size() : 0;
}

} // namespace

Plot blockTimeline(const Experiment& experiment, const std::vector<Block>& blocks,
                   const History& history) {
    const bool wantsLatency = isLatency(experiment);
    Plot plot{.key = QStringLiteral("blocks"),
              .title = say(QT_TRANSLATE_NOOP("experiments", "Blocks")),
              .unit =
                  wantsLatency
                      ? say(QT_TRANSLATE_NOOP("experiments",
                                              "TTFT, median of each second, ms; line: the block’s"))
                      : say(QT_TRANSLATE_NOOP("experiments",
                                              "output tokens/s, each second; line: the block’s")),
              .xMax = std::max(10.0, history.endSeconds()),
              .series = {},
              .bands = {},
              .markers = {},
              .thresholds = {},
              .shades = {},
              .emptyText = say(QT_TRANSLATE_NOOP("experiments", "No block has ended yet"))};
    const std::size_t curves = std::min<std::size_t>(2, experiment.sides.size());
    for (int side = 0; side < 2; ++side) {
        if (static_cast<std::size_t>(side) < curves) {
            plot.series.push_back(
                {.key = QString::number(side),
                 .name = experiment.sweepKey.empty() ? sideName(experiment, side) : QString(),
                 .color = sideColor(side),
                 .width = 1.5});
        }
    }
    Series means{.key = QStringLiteral("mean"), .color = ColorRole::Text1, .width = 1.0};
    // What is drawn, which need not be what the claim is about.
    const char* drawn = wantsLatency ? "ttft_p50_ms" : "output_tokens_per_s";
    for (const Block& block : blocks) {
        if (block.to <= 0.0) {
            continue; // measured before, in another run
        }
        auto& series = plot.series[static_cast<std::size_t>(block.side) % curves];
        for (const QPointF& point : secondsOf(history, block.from, block.to, wantsLatency)) {
            series.points.push_back(point);
        }
        series.points.emplace_back(block.to + 0.1, kGap);
        const auto figure = block.figures.find(drawn);
        QString name = QString::fromStdString(blockLabel(experiment, block));
        if (figure != block.figures.end()) {
            const double value = figure->second.value;
            name +=
                QStringLiteral(" · ") +
                (wantsLatency ? millisecondsText(value) : numberText(value, value < 99.95 ? 1 : 0));
            means.points.insert(means.points.end(),
                                {{block.from, value}, {block.to, value}, {block.to + 0.1, kGap}});
        }
        const bool isMarked = !block.contamination.empty();
        if (isMarked) {
            name = QStringLiteral("⚠ ") + name;
        }
        const auto shade = [&plot](double from, double to, ColorRole color, double opacity) {
            plot.shades.push_back(
                {.from = from, .to = to, .color = color, .opacity = opacity, .name = {}});
        };
        shade(block.begin, block.from, ColorRole::Text3, 0.06);                 // warm-up
        shade(block.to, std::max(block.to, block.end), ColorRole::Text3, 0.13); // drain
        shade(block.from, block.to, sideColor(block.side), 0.10);
        if (isMarked) {
            shade(block.from, block.to, ColorRole::Warn, 0.20);
        }
        // Its name has all of the block's room.
        plot.shades.push_back({.from = block.begin,
                               .to = std::max(block.to, block.end),
                               .color = isMarked ? ColorRole::Warn : sideColor(block.side),
                               .opacity = 0.0,
                               .name = name});
    }
    if (!means.points.empty()) {
        plot.series.push_back(std::move(means));
    }
    fitY(plot);
    return plot;
}

Plot ttftDistribution(const Experiment& experiment, const std::vector<Block>& blocks,
                      const History& history) {
    std::vector<std::vector<double>> sides(shownSides(experiment));
    for (const Block& block : blocks) {
        const auto side = static_cast<std::size_t>(block.side);
        const auto& requests = history.requests();
        auto request = std::ranges::lower_bound(requests, block.from, {}, &RequestPoint::seconds);
        for (; side < sides.size() && request != requests.end() && request->seconds < block.to;
             ++request) {
            if (isLatencySample(*request, SampleFilter::Warm)) {
                sides[side].push_back(request->ttftMs);
            }
        }
    }
    return distribution(experiment, std::move(sides), "ttft_distribution",
                        say(QT_TRANSLATE_NOOP("experiments", "TTFT")),
                        say(QT_TRANSLATE_NOOP("experiments", "ms, share of requests, %")));
}

Plot outputDistribution(const Experiment& experiment, const std::vector<Block>& blocks,
                        const History& history) {
    std::vector<std::vector<double>> sides(shownSides(experiment));
    for (const Block& block : blocks) {
        const auto side = static_cast<std::size_t>(block.side);
        if (side >= sides.size()) {
            continue;
        }
        for (const QPointF& point : secondsOf(history, block.from, block.to, false)) {
            if (std::isfinite(point.y())) {
                sides[side].push_back(point.y());
            }
        }
    }
    return distribution(experiment, std::move(sides), "output_distribution",
                        say(QT_TRANSLATE_NOOP("experiments", "Output")),
                        say(QT_TRANSLATE_NOOP("experiments", "tokens/s, share of seconds, %")));
}

Plot sweepPlot(const Experiment& experiment, const ExperimentVerdict& verdict) {
    const Measure* measure = findExperimentMeasure(experiment.metric);
    Plot plot{.key = QStringLiteral("sweep"),
              .title = measure != nullptr ? experimentMeasureLabel(*measure) : QString(),
              .unit = QStringLiteral("%1 · %2").arg(
                  measure != nullptr ? unitText(measure->unit) : QString(), variesText(experiment)),
              .xAxis = XAxis::Number,
              .xMin = 0.0,
              .series = {},
              .bands = {},
              .markers = {},
              .thresholds = {},
              .shades = {},
              .emptyText = say(QT_TRANSLATE_NOOP("experiments", "No round has ended yet"))};
    Series series{.key = QStringLiteral("mean"),
                  .name = say(QT_TRANSLATE_NOOP("experiments", "mean, 95 % interval")),
                  .color = ColorRole::SideB,
                  .width = 2.0};
    Band band{.color = ColorRole::SideB, .opacity = 0.16, .lower = {}, .upper = {}};
    for (const Level& level : verdict.levels) {
        if (!level.mean) {
            continue;
        }
        series.points.emplace_back(level.x, *level.mean);
        const Interval interval = level.interval.value_or(Interval{*level.mean, *level.mean});
        band.lower.emplace_back(level.x, std::max(0.0, interval.low));
        band.upper.emplace_back(level.x, interval.high);
        plot.xMax = series.points.size() == 1 ? level.x : std::max(plot.xMax, level.x);
    }
    if (experiment.claim.kind == ClaimKind::Within) {
        plot.shades.push_back({.from = experiment.claim.value,
                               .to = experiment.claim.high,
                               .color = ColorRole::Accent,
                               .opacity = 0.10,
                               .name = say(QT_TRANSLATE_NOOP("experiments", "claimed"))});
    }
    plot.series.push_back(std::move(series));
    plot.bands.push_back(std::move(band));
    fitY(plot);
    return plot;
}

} // namespace app
