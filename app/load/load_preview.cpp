#include "app/load/load_preview.h"

#include "app/labels.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace app {

namespace {

constexpr double kMostBins = 120.0;
constexpr double kPointEverySeconds = 0.5;
constexpr std::size_t kMostPoints = 20'000;

QString say(const char* english) {
    return QCoreApplication::translate("LoadPreview", english);
}

// Whole seconds a bin, so that a bar is a rate that can be counted.
double binSeconds(double seconds) {
    return std::max(1.0, std::ceil(seconds / kMostBins));
}

Series plannedBins(const std::vector<PlannedRequest>& requests, const Workload& workload) {
    const double width = binSeconds(workload.seconds());
    const auto count = static_cast<std::size_t>(std::ceil(workload.seconds() / width));
    std::vector<double> bins(std::max<std::size_t>(count, 1), 0.0);
    for (const PlannedRequest& request : requests) {
        const Stage& stage = workload.stages[static_cast<std::size_t>(request.stage)];
        if (stage.kind != ArrivalKind::Closed) {
            const auto bin = static_cast<std::size_t>(std::max(0.0, request.atSeconds / width));
            bins[std::min(bin, bins.size() - 1)] += 1.0;
        }
    }
    Series series{.key = QStringLiteral("planned"),
                  .name = say(QT_TRANSLATE_NOOP("LoadPreview", "planned arrivals")),
                  .color = ColorRole::Running,
                  .kind = SeriesKind::Area};
    for (std::size_t i = 0; i < bins.size(); ++i) {
        const double from = static_cast<double>(i) * width;
        const double to = std::min(from + width, workload.seconds());
        const double rate = to > from ? bins[i] / (to - from) : 0.0;
        series.points.emplace_back(from, rate);
        series.points.emplace_back(to, rate);
    }
    return series;
}

// What each stage asks for; a gap where a closed loop has no rate of its own.
Series wantedRate(const Workload& workload) {
    Series series{.key = QStringLiteral("wanted"),
                  .name = say(QT_TRANSLATE_NOOP("LoadPreview", "wanted")),
                  .color = ColorRole::Text2,
                  .kind = SeriesKind::Line,
                  .width = 2.0};
    double at = 0.0;
    for (const Stage& stage : workload.stages) {
        const bool isClosed = stage.kind == ArrivalKind::Closed;
        const double none = std::numeric_limits<double>::quiet_NaN();
        series.points.emplace_back(at, isClosed ? none : stage.ratePerSecond);
        at += stage.seconds;
        series.points.emplace_back(at, isClosed ? none : stage.endRatePerSecond);
    }
    return series;
}

QString stageName(const Stage& stage) {
    switch (stage.kind) {
    case ArrivalKind::Closed:
        return say(QT_TRANSLATE_NOOP("LoadPreview", "%1 users, closed loop"))
            .arg(numberText(stage.users));
    case ArrivalKind::Poisson:
    case ArrivalKind::Gamma:
        break;
    }
    const auto rate = [](double value) {
        return numberText(value, value == std::floor(value) ? 0 : 1);
    };
    const QString range =
        stage.endRatePerSecond == stage.ratePerSecond
            ? rate(stage.ratePerSecond)
            : rate(stage.ratePerSecond) + QStringLiteral(" → ") + rate(stage.endRatePerSecond);
    const QString text = stage.kind == ArrivalKind::Gamma
                             ? say(QT_TRANSLATE_NOOP("LoadPreview", "%1/s in bursts"))
                             : say(QT_TRANSLATE_NOOP("LoadPreview", "%1/s"));
    return text.arg(range);
}

void nameStages(Plot& plot, const Workload& workload) {
    double at = 0.0;
    int number = 1;
    for (const Stage& stage : workload.stages) {
        if (stage.kind == ArrivalKind::Closed) {
            plot.shades.push_back({.from = at,
                                   .to = at + stage.seconds,
                                   .color = ColorRole::Running,
                                   .opacity = 0.10,
                                   .name = stageName(stage)});
        }
        if (workload.stages.size() > 1) {
            plot.markers.push_back({.x = at,
                                    .number = number++,
                                    .kind = MarkerKind::Workload,
                                    .text = stageName(stage)});
        }
        at += stage.seconds;
    }
}

double highest(const Plot& plot) {
    double most = 0.0;
    for (const Series& series : plot.series) {
        for (const QPointF& point : series.points) {
            most = std::isfinite(point.y()) ? std::max(most, point.y()) : most;
        }
    }
    return most;
}

} // namespace

LoadPreview previewLoad(const Workload& workload) {
    return previewLoad(workload, planRequests(workload));
}

LoadPreview previewLoad(const Workload& workload, const std::vector<PlannedRequest>& requests) {
    LoadPreview preview;
    preview.seconds = workload.seconds();
    double prompt = 0.0, output = 0.0;
    for (const PlannedRequest& request : requests) {
        const Stage& stage = workload.stages[static_cast<std::size_t>(request.stage)];
        preview.requests += stage.kind == ArrivalKind::Closed ? 0 : 1;
        prompt += request.promptTokens;
        output += request.maxTokens;
    }
    if (!requests.empty()) {
        preview.meanPromptTokens = prompt / static_cast<double>(requests.size());
        preview.meanOutputTokens = output / static_cast<double>(requests.size());
    }
    preview.hasClosedLoop = std::ranges::any_of(
        workload.stages, [](const Stage& stage) { return stage.kind == ArrivalKind::Closed; });
    Plot& plot = preview.plot;
    plot.key = QStringLiteral("arrivals");
    plot.title = say(QT_TRANSLATE_NOOP("LoadPreview", "Arrivals"));
    plot.unit = say(QT_TRANSLATE_NOOP("LoadPreview", "requests/s"));
    plot.xMax = std::max(preview.seconds, 1.0);
    plot.decimals = 1;
    if (preview.requests > 0) {
        plot.series = {plannedBins(requests, workload), wantedRate(workload)};
    }
    nameStages(plot, workload);
    plot.yMax = niceTicks(highest(plot)).bound;
    plot.emptyText = say(QT_TRANSLATE_NOOP(
        "LoadPreview",
        "A closed loop has no rate of its own: each user asks again after its answer."));
    return preview;
}

void RateTrace::add(const LoadProgress& progress) {
    if (progress.seconds > progress.totalSeconds) {
        return; // nothing is sent any more, only answers are waited for
    }
    const bool isDue =
        m_points.empty() || progress.seconds - m_points.back().x() >= kPointEverySeconds;
    if (progress.isRunning && isDue && m_points.size() < kMostPoints) {
        m_points.emplace_back(progress.seconds, progress.achievedRate);
    }
}

Plot RateTrace::over(Plot preview) const {
    if (m_points.empty()) {
        return preview;
    }
    preview.series.push_back({.key = QStringLiteral("achieved"),
                              .name = say(QT_TRANSLATE_NOOP("LoadPreview", "achieved, last 10 s")),
                              .color = ColorRole::OutputTokens,
                              .kind = SeriesKind::Line,
                              .width = 2.0,
                              .points = m_points});
    preview.xMax = std::max(preview.xMax, m_points.back().x());
    preview.yMax = niceTicks(highest(preview)).bound;
    return preview;
}

double shareDone(const LoadProgress& progress) {
    return progress.totalSeconds > 0.0
               ? std::clamp(progress.seconds / progress.totalSeconds, 0.0, 1.0)
               : 0.0;
}

std::optional<std::int64_t> leftToAnswer(const LoadProgress& progress) {
    const bool isDraining = progress.isRunning && progress.seconds > progress.totalSeconds;
    return isDraining ? std::optional(progress.sent - progress.finished) : std::nullopt;
}

double meanRate(const LoadProgress& progress) {
    const double seconds = std::min(progress.seconds, progress.totalSeconds);
    return seconds > 0.0 ? static_cast<double>(progress.sent) / seconds : 0.0;
}

double secondsLeft(const LoadProgress& progress) {
    return std::max(0.0, progress.totalSeconds - progress.seconds);
}

} // namespace app
