#include "app/observe/history.h"

#include "app/labels.h"
#include "app/observe/bookmark.h"
#include "app/observe/quiet_markers.h"
#include "engine/quality.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <ranges>

namespace app {

namespace {

constexpr std::size_t kMergedAtOnce = 300; // half a minute
constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

double toSeconds(engine::Nanoseconds span) {
    return std::chrono::duration<double>(span).count();
}

double toMilliseconds(const std::optional<engine::Nanoseconds>& span) {
    return span ? std::chrono::duration<double, std::milli>(*span).count() : kAbsent;
}

double share(std::uint64_t part, std::uint64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

// A counter that fell back belongs to another engine: nothing can be said about the time between.
double perSecond(std::uint64_t before, std::uint64_t after, double seconds) {
    return after >= before ? static_cast<double>(after - before) / seconds : 0.0;
}

Sample sampleBetween(const engine::Snapshot& before, const engine::Snapshot& after,
                     double seconds) {
    Sample sample;
    sample.running = static_cast<double>(after.running);
    sample.waiting = static_cast<double>(after.waiting);
    sample.slots = static_cast<double>(after.slots);
    sample.outputPerSecond = perSecond(before.outputTokens, after.outputTokens, seconds);
    sample.promptPerSecond = perSecond(before.promptTokens, after.promptTokens, seconds);
    sample.requestsPerSecond = perSecond(before.completed, after.completed, seconds);
    sample.kvShare = after.kvBlocksTotal > 0 ? static_cast<double>(after.kvBlocksUsed) /
                                                   static_cast<double>(after.kvBlocksTotal)
                                             : 0.0;
    const auto busyNs = static_cast<double>(after.poolBusyNs - before.poolBusyNs);
    if (after.threads > 0 && busyNs > 0) {
        const double poolNs = seconds * 1e9 * static_cast<double>(after.threads);
        // A long task is booked when it ends, so one short tick can hold more than its own time.
        sample.busyShare = std::min(1.0, busyNs / poolNs);
    }
    sample.processBytes = static_cast<double>(after.processBytes);
    sample.machineShare = share(after.machineTotalBytes -
                                    std::min(after.machineTotalBytes, after.machineAvailableBytes),
                                after.machineTotalBytes);
    return sample;
}

} // namespace

static RequestPoint requestPoint(const engine::RequestRecord& record, double seconds) {
    RequestPoint point;
    point.id = record.id;
    point.seconds = seconds;
    point.ttftMs = toMilliseconds(record.ttft());
    point.ttftFromReceivedMs = static_cast<float>(toMilliseconds(record.ttftFromReceived()));
    point.ttftFromAdmittedMs = static_cast<float>(toMilliseconds(record.ttftFromAdmitted()));
    point.tpotMs = toMilliseconds(record.tpot());
    point.e2eMs = toMilliseconds(record.e2e());
    const engine::Stamps& stamps = record.stamps;
    const auto asked = stamps.scheduled ? stamps.scheduled : stamps.received;
    if (record.reason == engine::FinishReason::Cancelled && !stamps.firstVisible && asked &&
        stamps.finished) {
        point.waitedMs = toMilliseconds(*stamps.finished - *asked);
    }
    point.tags = record.tags;
    point.outcome = engine::outcome(record.reason);
    point.outputTokens = record.outputTokens;
    point.promptTokens = record.promptTokens;
    point.hitTokens = record.hitTokens;
    if (record.lane == engine::Lane::Batch) {
        point.metDeadline = record.metDeadline();
    }
    if (record.ledgerNs) {
        point.hasLedger = true;
        for (std::size_t stage = 0; stage < engine::kStages; ++stage) {
            point.ledgerMs[stage] =
                static_cast<float>(static_cast<double>((*record.ledgerNs)[stage]) / 1e6);
        }
    }
    return point;
}

RequestPoint requestPointOf(const engine::RequestRecord& record, engine::TimePoint start,
                            engine::TimePoint otherwise) {
    const auto& stamps = record.stamps;
    const auto time = stamps.firstVisible ? stamps.firstVisible : stamps.finished;
    return requestPoint(record, toSeconds(time.value_or(otherwise) - start));
}

bool isMarkerEvent(const engine::Event& event) {
    if (!isForPeople(event)) {
        return false;
    }
    if (const auto* changed = std::get_if<engine::StateChanged>(&event.body)) {
        return changed->state == engine::EngineState::Failed ||
               changed->state == engine::EngineState::Draining;
    }
    if (const auto* notice = std::get_if<engine::Notice>(&event.body)) {
        return notice->kind != kBookmarkRemoved;
    }
    return std::holds_alternative<engine::ConfigApplied>(event.body) ||
           std::holds_alternative<engine::Failed>(event.body);
}

bool isLatencySample(const RequestPoint& point, SampleFilter filter) {
    if (!std::isfinite(point.ttftMs)) {
        return false;
    }
    constexpr auto kNotWarm = static_cast<std::uint32_t>(engine::SampleTag::Cold) |
                              static_cast<std::uint32_t>(engine::SampleTag::IdleStart) |
                              static_cast<std::uint32_t>(engine::SampleTag::WarmUp) |
                              static_cast<std::uint32_t>(engine::SampleTag::Mixed);
    if ((point.tags & engine::kNotComputed) != 0) {
        return false; // of no model, or of another one
    }
    const bool isWell =
        point.outcome.value_or(engine::Outcome::Completed) == engine::Outcome::Completed;
    return filter == SampleFilter::All || (isWell && (point.tags & kNotWarm) == 0);
}

double ttftMs(const RequestPoint& point, TtftEdge edge) {
    switch (edge) {
    case TtftEdge::Scheduled:
        return point.ttftMs;
    case TtftEdge::Received:
        return static_cast<double>(point.ttftFromReceivedMs);
    case TtftEdge::Admitted:
        return static_cast<double>(point.ttftFromAdmittedMs);
    }
    return kAbsent;
}

void History::reset(engine::TimePoint start, HistoryBound bound, SampleGrain grain) {
    History fresh;
    fresh.m_start = start;
    fresh.m_bound = bound;
    fresh.m_grain = grain;
    fresh.m_quality = m_quality;
    fresh.m_attention = m_attention;
    *this = std::move(fresh);
}

void History::resetQuality(engine::Attention attention) {
    m_quality.reset();
    m_attention = attention;
}

double History::secondsOf(engine::TimePoint time) const {
    return toSeconds(time - m_start);
}

void History::addSnapshot(const engine::Snapshot& snapshot) {
    const engine::TimePoint time{engine::Nanoseconds(snapshot.timeNs)};
    if (time < m_start) {
        return;
    }
    if (!m_previous || snapshot.timeNs < m_previous->timeNs) {
        m_previous = snapshot;
        return;
    }
    const double seconds = static_cast<double>(snapshot.timeNs - m_previous->timeNs) / 1e9;
    if (seconds <= 0) {
        return; // the same figures again
    }
    Sample sample = sampleBetween(*m_previous, snapshot, seconds);
    sample.seconds = secondsOf(time);
    m_previous = snapshot;
    addSample(sample);
}

void History::addSample(const Sample& sample) {
    if (!m_samples.empty() && sample.seconds <= m_samples.back().seconds) {
        return; // time goes forward only
    }
    m_samples.push_back(sample);
    if (m_bound == HistoryBound::Live &&
        m_samples.size() - m_merged > kFineSamples + kMergedAtOnce) {
        mergeOldest();
    }
}

namespace {

// The mean of samples of one second, each weighted with the time it stands for, so that rates keep
// their counts. `previous`: when the sample before them was taken.
template <class Place>
Sample meanOf(Place first, Place last, double previous) {
    constexpr std::array kMeans = {
        &Sample::running,         &Sample::waiting,           &Sample::outputPerSecond,
        &Sample::promptPerSecond, &Sample::requestsPerSecond, &Sample::kvShare,
        &Sample::busyShare,       &Sample::processBytes,      &Sample::machineShare};
    Sample mean;
    double total = 0.0;
    for (auto sample = first; sample != last; ++sample) {
        const double weight = std::min(1.0, sample->seconds - previous);
        previous = sample->seconds;
        total += weight;
        for (const auto member : kMeans) {
            mean.*member += weight * (*sample).*member;
        }
    }
    for (const auto member : kMeans) {
        mean.*member /= total;
    }
    mean.slots = (last - 1)->slots; // a setting, not a measurement
    mean.seconds = (last - 1)->seconds;
    return mean;
}

} // namespace

// Replaces the oldest fine samples by means over seconds: several at once, because those that stay
// have to move up.
void History::mergeOldest() {
    const auto first = m_samples.begin() + static_cast<std::ptrdiff_t>(m_merged);
    double previous = m_merged > 0 ? (first - 1)->seconds : first->seconds - 0.1;
    auto write = first, read = first;
    while (m_samples.end() - read > static_cast<std::ptrdiff_t>(kFineSamples)) {
        const double second = std::floor(read->seconds);
        const auto last = std::find_if(read, m_samples.end(), [second](const Sample& sample) {
            return std::floor(sample.seconds) != second;
        });
        const Sample mean = meanOf(read, last, previous);
        previous = mean.seconds;
        *write++ = mean;
        read = last;
    }
    m_merged += static_cast<std::size_t>(write - first);
    m_samples.erase(write, read);
    for (; m_merged > kMergedSamples; --m_merged) {
        m_samples.pop_front();
    }
}

void History::addEvent(const engine::Event& event) {
    if (const auto* first = std::get_if<engine::FirstToken>(&event.body)) {
        if (first->record && first->record->stamps.firstVisible) {
            RequestPoint point =
                requestPoint(*first->record, secondsOf(*first->record->stamps.firstVisible));
            point.outcome.reset();
            point.tpotMs = kAbsent;
            point.e2eMs = kAbsent;
            point.metDeadline.reset();
            addRequest(point);
        }
        return;
    }
    if (const auto* finished = std::get_if<engine::RequestFinished>(&event.body)) {
        if (finished->record) {
            addRequest(requestPointOf(*finished->record, m_start, event.time));
        }
        return;
    }
    if (std::holds_alternative<engine::Preempted>(event.body)) {
        addToBurst(m_markers, kPreemptionBurst, secondsOf(event.time));
        return;
    }
    noteQuality(event);
    if (const auto removed = removedBookmarkOf(event)) {
        const auto marker = std::ranges::find_if(m_markers, [&removed](const HistoryMarker& each) {
            return bookmarkOf(each.event) == removed;
        });
        if (marker != m_markers.end()) {
            m_markers.erase(marker);
        }
        return;
    }
    const auto bookmark = bookmarkOf(event);
    const double seconds = bookmark ? bookmark->seconds : secondsOf(event.time);
    if (seconds < 0 || !isMarkerEvent(event)) {
        return;
    }
    // A bookmark may mark the past. Numbers stay what they were, so that people can speak of them.
    const auto place = std::ranges::upper_bound(m_markers, seconds, {}, &HistoryMarker::seconds);
    m_markers.insert(place, {.seconds = seconds, .number = m_nextNumber++, .event = event});
    if (m_markers.size() > kMaxMarkers) {
        m_markers.erase(m_markers.begin());
    }
}

void History::addMarker(const HistoryMarker& marker) {
    m_markers.push_back(marker);
    m_nextNumber = std::max(m_nextNumber, marker.number + 1);
}

void History::noteQuality(const engine::Event& event) {
    if (const auto* applied = std::get_if<engine::ConfigApplied>(&event.body)) {
        for (const engine::FieldChange& change : applied->changes) {
            if (change.key == "attention.mode") {
                m_attention =
                    change.after == "sparse" ? engine::Attention::Sparse : engine::Attention::Full;
            }
        }
        if (!engine::changesOfNumbers(applied->changes, m_attention).empty()) {
            m_quality.reset();
        }
        return;
    }
    const auto* notice = std::get_if<engine::Notice>(&event.body);
    if (notice == nullptr || notice->kind != "quality_checked") {
        return;
    }
    constexpr double kNoText = 1000.0; // what predicts no numbers has no perplexity
    QualityReading reading{.lossPercent = kNoText, .isGarbled = false};
    for (const auto& [key, value] : notice->values) {
        if (key == "perplexity_change_percent") {
            bool isNumber = false;
            const double percent = QString::fromStdString(value).toDouble(&isNumber);
            reading.lossPercent = isNumber ? percent : kNoText;
        } else if (key == "garbled") {
            reading.isGarbled = value == "yes";
        }
    }
    m_quality = reading;
}

void History::addRequest(const RequestPoint& point) {
    if (point.seconds < 0) {
        return; // began before this history
    }
    const bool isNew = !point.outcome || point.outcome == engine::Outcome::Completed;
    if ((point.tags & static_cast<std::uint32_t>(engine::SampleTag::Cold)) != 0 && isNew) {
        addToBurst(m_markers, kColdStart, point.seconds);
    }
    if (m_requests.empty() || point.seconds > m_requests.back().seconds) {
        m_requests.push_back(point);
        keepBound();
        return;
    }
    const auto [first, last] =
        std::ranges::equal_range(m_requests, point.seconds, {}, &RequestPoint::seconds);
    const auto known = std::ranges::find_if(first, last, [&point](const RequestPoint& each) {
        return each.id == point.id && !each.outcome;
    });
    if (known != last) {
        *known = point;
        return;
    }
    m_requests.insert(last, point); // near the end, so that it moves few
    keepBound();
}

void History::keepBound() {
    if (m_bound == HistoryBound::Live && m_requests.size() > kMaxRequests) {
        m_requests.pop_front();
    }
}

double History::endSeconds() const {
    const double sample = m_samples.empty() ? 0.0 : m_samples.back().seconds;
    const double request = m_requests.empty() ? 0.0 : m_requests.back().seconds;
    return std::max(sample, request);
}

std::int64_t leastCount(double quantile) {
    // The sample's extremes enclose the quantile with 95 % when 1 - q^n - (1-q)^n >= 0.95. Asked at
    // every picture: looked for by halves.
    const auto isTooFew = [quantile](std::int64_t n) {
        const auto count = static_cast<double>(n);
        return 1.0 - std::pow(quantile, count) - std::pow(1.0 - quantile, count) < 0.95;
    };
    constexpr std::int64_t kMost = 1'000'000;
    return *std::ranges::partition_point(std::views::iota(std::int64_t{1}, kMost), isTooFew);
}

Quantiles quantiles(std::vector<double> values) {
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    Quantiles result;
    result.n = static_cast<std::int64_t>(values.size());
    if (values.empty()) {
        return result;
    }
    // Each quantile orders only what lies above the one before: millions of values are not sorted.
    auto ordered = values.begin();
    const auto at = [&values, &ordered](double q) {
        const double rank = q * static_cast<double>(values.size() - 1);
        const auto below = values.begin() + static_cast<std::ptrdiff_t>(rank);
        std::nth_element(ordered, below, values.end());
        ordered = below;
        const double next =
            below + 1 == values.end() ? *below : *std::min_element(below + 1, values.end());
        return *below + (rank - std::floor(rank)) * (next - *below);
    };
    const auto [least, greatest] = std::ranges::minmax(values);
    result.minimum = least;
    result.maximum = greatest;
    result.p50 = at(0.50);
    result.p90 = at(0.90);
    result.p95 = at(0.95);
    result.p99 = at(0.99);
    return result;
}

} // namespace app
