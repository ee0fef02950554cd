// The table of alarms: what each reads, and its default figures.
#include "app/observe/alarms.h"

#include <QCoreApplication>

#include <algorithm>

namespace app {

namespace {

constexpr double kWindowSeconds = 60.0; // of shares: time-outs need many requests
constexpr double kRecentSeconds = 5.0;  // of levels

// Requests whose first text, or end without one, fell in the last seconds of a history.
template <class Use>
void forRecentRequests(const History& history, double seconds, Use use) {
    const auto& requests = history.requests();
    const double from = history.endSeconds() - seconds;
    for (auto request = std::ranges::upper_bound(requests, from, {}, &RequestPoint::seconds);
         request != requests.end(); ++request) {
        use(*request);
    }
}

AlarmReading readGap(const AlarmInputs& inputs) {
    std::vector<double> values;
    forRecentRequests(inputs.history, FigureSpans{}.latencySeconds,
                      [&](const RequestPoint& request) {
                          if (isLatencySample(request, SampleFilter::Warm)) {
                              values.push_back(request.ttftMs);
                          }
                      });
    const Quantiles found = quantiles(std::move(values));
    return {.value = found.p50 && found.p99 ? std::optional(*found.p99 - *found.p50) : std::nullopt,
            .n = found.n};
}

// Too late is too late, also where no text came at all, or who asked gave up after that time.
AlarmReading readTimeOuts(const AlarmInputs& inputs) {
    std::int64_t all = 0;
    std::int64_t late = 0;
    forRecentRequests(inputs.history, kWindowSeconds, [&](const RequestPoint& request) {
        if (isLatencySample(request, SampleFilter::Warm)) {
            ++all;
            late += request.ttftMs > inputs.target.ttftMs ? 1 : 0;
        } else if (request.outcome == engine::Outcome::Failed ||
                   request.waitedMs > inputs.target.ttftMs) {
            ++all;
            ++late;
        }
    });
    return {.value = all > 0 ? std::optional(100.0 * static_cast<double>(late) /
                                             static_cast<double>(all))
                             : std::nullopt,
            .n = all};
}

// Mean over the last seconds of what `get` makes of a sample; samples it makes nothing of are out.
template <class Get>
AlarmReading recentMean(const History& history, Get get) {
    const auto& samples = history.samples();
    const double from = history.endSeconds() - kRecentSeconds;
    double sum = 0.0;
    std::int64_t n = 0;
    for (auto sample = std::ranges::upper_bound(samples, from, {}, &Sample::seconds);
         sample != samples.end(); ++sample) {
        if (const std::optional<double> value = get(*sample)) {
            sum += *value;
            ++n;
        }
    }
    return {.value = n > 0 ? std::optional(sum / static_cast<double>(n)) : std::nullopt, .n = n};
}

AlarmReading readMemory(const AlarmInputs& inputs) {
    return recentMean(inputs.history, [](const Sample& sample) -> std::optional<double> {
        return sample.machineShare > 0 ? std::optional(100.0 * sample.machineShare) : std::nullopt;
    });
}

AlarmReading readBusy(const AlarmInputs& inputs) {
    return recentMean(inputs.history, [](const Sample& sample) -> std::optional<double> {
        return sample.hasBusyShare() ? std::optional(100.0 * sample.busyShare) : std::nullopt;
    });
}

// An idle device is no fault; one that idles while requests wait is.
AlarmReading readStarved(const AlarmInputs& inputs) {
    return recentMean(inputs.history, [](const Sample& sample) -> std::optional<double> {
        return sample.waiting > 0 && sample.hasBusyShare() ? std::optional(100.0 * sample.busyShare)
                                                           : std::nullopt;
    });
}

AlarmReading readTimeliness(const AlarmInputs& inputs) {
    std::int64_t all = 0;
    std::int64_t met = 0;
    forRecentRequests(inputs.history, kWindowSeconds, [&](const RequestPoint& request) {
        if (request.metDeadline) {
            ++all;
            met += *request.metDeadline ? 1 : 0;
        }
    });
    return {.value =
                all > 0 ? std::optional(100.0 * static_cast<double>(met) / static_cast<double>(all))
                        : std::nullopt,
            .n = all};
}

// A measured workload whose prompts begin alike is faster than the same with prompts of its own.
AlarmReading readPrefixHits(const AlarmInputs& inputs) {
    if (!inputs.load.isRunning) {
        return {};
    }
    std::int64_t n = 0;
    double prompt = 0.0;
    double hits = 0.0;
    forRecentRequests(inputs.history, kWindowSeconds, [&](const RequestPoint& request) {
        if (isLatencySample(request, SampleFilter::Warm)) {
            ++n;
            prompt += static_cast<double>(request.promptTokens);
            hits += static_cast<double>(request.hitTokens);
        }
    });
    return {.value = prompt > 0.0 ? std::optional(100.0 * hits / prompt) : std::nullopt, .n = n};
}

// Garbled answers count whatever the perplexity says.
AlarmReading readQuality(const AlarmInputs& inputs) {
    const auto& quality = inputs.history.quality();
    if (!quality) {
        return {};
    }
    constexpr double kGarbled = 100.0;
    return {.value = quality->isGarbled ? std::max(kGarbled, quality->lossPercent)
                                        : quality->lossPercent,
            .n = 1};
}

AlarmReading readLag(const AlarmInputs& inputs) {
    if (!inputs.load.isRunning || inputs.load.sent == 0) {
        return {};
    }
    return {.value = inputs.load.lagP50Ms, .n = inputs.load.sent};
}

constexpr std::array kRules = {
    AlarmRule{.key = "ttft_gap",
              .label = QT_TRANSLATE_NOOP("labels", "TTFT p99 − p50"),
              .unit = "ms",
              .limit = 100.0,
              .clear = 85.0,
              .holdSeconds = 5.0,
              .clearSeconds = 10.0,
              .leastCount = 299, // before, p99 has no interval
              .maximum = 600'000.0,
              .tile = AlarmTile::Ttft,
              .read = readGap},
    AlarmRule{.key = "ttft_timeouts",
              .label = QT_TRANSLATE_NOOP("labels", "TTFT above the target"),
              .unit = "%",
              .limit = 1.0,
              .clear = 0.8,
              .holdSeconds = 5.0,
              .clearSeconds = 15.0,
              .leastCount = 100, // below, a single one is more than 1 %
              .maximum = 99.0,
              .tile = AlarmTile::Ttft,
              .read = readTimeOuts},
    AlarmRule{.key = "memory",
              .label = QT_TRANSLATE_NOOP("labels", "Memory of the machine"),
              .unit = "%",
              .limit = 85.0,
              .clear = 82.0,
              .holdSeconds = 5.0,
              .clearSeconds = 10.0,
              .leastCount = 1,
              .maximum = 99.0,
              .tile = AlarmTile::Memory,
              .read = readMemory},
    AlarmRule{.key = "device_busy",
              .label = QT_TRANSLATE_NOOP("labels", "Device busy"),
              .unit = "%",
              .limit = 80.0,
              .clear = 75.0,
              .holdSeconds = 30.0, // a prompt may take every thread for a while
              .clearSeconds = 10.0,
              .leastCount = 1,
              .maximum = 99.0,
              .tile = AlarmTile::Busy,
              .read = readBusy},
    AlarmRule{.key = "device_starved",
              .label = QT_TRANSLATE_NOOP("labels", "Device busy while requests wait"),
              .unit = "%",
              .side = AlarmSide::Below,
              .limit = 60.0,
              .clear = 65.0,
              .holdSeconds = 15.0,
              .clearSeconds = 10.0,
              .leastCount = 1,
              .maximum = 99.0,
              .tile = AlarmTile::Busy,
              .read = readStarved},
    AlarmRule{.key = "batch_timeliness",
              .label = QT_TRANSLATE_NOOP("labels", "Batch requests done by their deadline"),
              .unit = "%",
              .side = AlarmSide::Below,
              .limit = 99.9,
              .clear = 99.95,
              .holdSeconds = 5.0,
              .clearSeconds = 15.0,
              .leastCount = 10,
              .maximum = 99.99,
              .tile = AlarmTile::None,
              .read = readTimeliness},
    AlarmRule{.key = "prefix_hits",
              .label =
                  QT_TRANSLATE_NOOP("labels", "Prompt tokens of a workload found in the cache"),
              .unit = "%",
              .limit = 1.0,
              .clear = 0.8,
              .holdSeconds = 5.0,
              .clearSeconds = 10.0,
              .leastCount = 30,
              .maximum = 99.0,
              .tile = AlarmTile::None,
              .read = readPrefixHits},
    AlarmRule{.key = "quality_loss",
              .label = QT_TRANSLATE_NOOP("labels", "Perplexity lost to the precision"),
              .unit = "%",
              .limit = 20.0,
              .clear = 10.0,
              .holdSeconds = 1.0, // one check is one reading
              .clearSeconds = 1.0,
              .leastCount = 1,
              .maximum = 1000.0,
              .tile = AlarmTile::None,
              .read = readQuality},
    AlarmRule{.key = "load_lag",
              .label = QT_TRANSLATE_NOOP("labels", "Lag of the load generator, median"),
              .unit = "ms",
              .limit = kLagLimitMs,
              .clear = 0.8 * kLagLimitMs,
              .holdSeconds = 3.0,
              .clearSeconds = 5.0,
              .leastCount = 6,
              .maximum = 60'000.0,
              .tile = AlarmTile::None,
              .read = readLag},
};

} // namespace

std::span<const AlarmRule> alarmTable() {
    return kRules;
}

} // namespace app
