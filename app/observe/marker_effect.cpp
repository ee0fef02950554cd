#include "app/observe/marker_effect.h"

#include "app/observe/bookmark.h"

#include <algorithm>
#include <cmath>

namespace app {

namespace {

constexpr double kSpanSeconds = 60.0;
constexpr double kSettleSeconds = 2.0;
constexpr std::size_t kLeastRequests = 30;
// Enough for an interval of a median; more would only cost time.
constexpr std::size_t kMostRequests = 1000;
constexpr int kResamples = 400;

// Of requests in (from, to): one at the very moment of a marker belongs to what follows.
std::vector<double> latencies(const History& history, double from, double to, SampleFilter filter) {
    std::vector<double> values;
    const auto& requests = history.requests();
    for (auto request = std::ranges::upper_bound(requests, from, {}, &RequestPoint::seconds);
         request != requests.end() && request->seconds < to; ++request) {
        if (isLatencySample(*request, filter)) {
            values.push_back(request->ttftMs);
        }
    }
    if (values.size() > kMostRequests) { // evenly, so that the span stays the same
        std::vector<double> thinned;
        for (std::size_t k = 0; k < kMostRequests; ++k) {
            thinned.push_back(values[k * values.size() / kMostRequests]);
        }
        values = std::move(thinned);
    }
    return values;
}

} // namespace

MarkerSpans markerSpans(const History& history, std::size_t markerIndex, SampleFilter filter) {
    const auto& markers = history.markers();
    const double at = markers[markerIndex].seconds;
    double from = std::max(0.0, at - kSpanSeconds);
    // A bookmark changes nothing, so it ends no neighbour's span.
    for (std::size_t index = markerIndex; index-- > 0;) {
        if (!bookmarkOf(markers[index].event)) {
            from = std::max(from, std::min(at, markers[index].seconds + kSettleSeconds));
            break;
        }
    }
    double to = at + kSpanSeconds;
    for (std::size_t index = markerIndex + 1; index < markers.size(); ++index) {
        if (!bookmarkOf(markers[index].event)) {
            to = std::min(to, markers[index].seconds);
            break;
        }
    }
    // Whether they complete is known at their end; a minute more lets the slow ones come in.
    constexpr double kLateSeconds = 60.0;
    return {.beforeMs = latencies(history, from, at, filter),
            .afterMs = latencies(history, std::min(at + kSettleSeconds, to), to, filter),
            .isFinal = history.endSeconds() > to + kLateSeconds};
}

std::optional<MarkerEffect> markerEffect(const MarkerSpans& spans) {
    if (spans.beforeMs.size() < kLeastRequests || spans.afterMs.size() < kLeastRequests) {
        return std::nullopt;
    }
    const auto median = [](std::span<const double> sorted) {
        return quantile(sorted, 0.5).value_or(std::nan(""));
    };
    const auto interval = bootstrapDifference(spans.beforeMs, spans.afterMs, median, kResamples);
    const Quantiles before = quantiles(spans.beforeMs);
    const Quantiles after = quantiles(spans.afterMs);
    if (!interval || !before.p50 || !after.p50) {
        return std::nullopt;
    }
    MarkerEffect effect{.beforeMs = *before.p50,
                        .afterMs = *after.p50,
                        .difference = *interval,
                        .nBefore = before.n,
                        .nAfter = after.n};
    if (interval->high < 0.0) {
        effect.verdict = Verdict::Better;
    } else if (interval->low > 0.0) {
        effect.verdict = Verdict::Worse;
    }
    return effect;
}

} // namespace app
