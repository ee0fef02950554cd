// The series of one run or of the live view: samples, finished requests, markers. The same object
// is filled live by Session's signals or from the run log, and every chart is a function of it. One
// thread.
#pragma once

#include "engine/events.h"
#include "engine/metrics.h"

#include <QString>

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace app {

// One tick of the live view or one stored second. Rates are over the time since the previous
// sample.
struct Sample {
    double seconds = 0.0; // since the start
    double running = 0, waiting = 0, slots = 0;
    double outputPerSecond = 0, promptPerSecond = 0, requestsPerSecond = 0;
    double kvShare = 0;   // 0..1
    double busyShare = 0; // 0..1 of the pool's threads
    double processBytes = 0;
    double machineShare = 0; // memory in use of the machine

    // An attached server tells neither its slots nor what its device does: that is absent, not 0.
    bool hasBusyShare() const { return slots > 0 || busyShare > 0; }
};

// True where an event gets a numbered pin on every chart: what someone did or what went wrong.
bool isMarkerEvent(const engine::Event& event);

// A request with a first text, or an end, reduced to what charts need.
struct RequestPoint {
    engine::RequestId id{};
    double seconds = 0.0; // of the first visible text; of the end where there is none
    double ttftMs = 0.0;  // from scheduled; NaN where absent
    // The same first text seen from other edges; NaN where absent.
    float ttftFromReceivedMs = std::numeric_limits<float>::quiet_NaN();
    float ttftFromAdmittedMs = std::numeric_limits<float>::quiet_NaN();
    double tpotMs = 0.0; // NaN where absent
    double e2eMs = 0.0;
    // Until it was cancelled without a first text; NaN for all others.
    double waitedMs = std::numeric_limits<double>::quiet_NaN();
    std::uint32_t tags = 0;
    std::optional<engine::Outcome> outcome = engine::Outcome::Completed; // empty: not ended yet
    std::int64_t outputTokens = 0;
    std::int64_t promptTokens = 0, hitTokens = 0;
    std::optional<bool> metDeadline = {};          // of the batch lane, where there was one
    std::array<float, engine::kStages> ledgerMs{}; // zeros where absent
    bool hasLedger = false;
};

// `otherwise`: when it ended, where it has neither a text nor an end of its own.
RequestPoint requestPointOf(const engine::RequestRecord& record, engine::TimePoint start,
                            engine::TimePoint otherwise = {});

// The last check of what a changed precision predicts.
struct QualityReading {
    double lossPercent = 0.0; // of perplexity against the file's own precision
    bool isGarbled = false;
};

struct HistoryMarker {
    double seconds = 0.0;
    int number = 0;
    engine::Event event;
};

// Live: as much as a day needs, older parts coarser. Whole: a recorded run as it was read.
enum class HistoryBound : std::uint8_t { Live, Whole };

// How far its samples lie apart. Ten a second live and one a second from the log; and a step of the
// engine that computes long prompts may take seconds, its sample stands for all of it.
struct SampleGrain {
    double usual = 1.0;
    double longest = 10.0; // a longer silence is no data
};
inline constexpr SampleGrain kMinuteGrain{.usual = 60.0, .longest = 130.0};

class History {
public:
    // What is known of the answers' quality stays: a run that begins makes them no better.
    void reset(engine::TimePoint start, HistoryBound bound = HistoryBound::Live,
               SampleGrain grain = {});
    const SampleGrain& grain() const { return m_grain; }
    // Another model, of which nothing is known yet; `attention` is what it has in force.
    void resetQuality(engine::Attention attention);
    engine::TimePoint start() const { return m_start; }

    void addSnapshot(
        const engine::Snapshot& snapshot);      // a live tick; makes a Sample from the difference
    void addSample(const Sample& sample);       // a stored one
    void addEvent(const engine::Event& event);  // requests and markers
    void addRequest(const RequestPoint& point); // takes the place of the same one, not ended yet

    void addMarker(const HistoryMarker& marker); // of another history, with its number; in order

    const std::deque<Sample>& samples() const { return m_samples; }         // in order of time
    const std::deque<RequestPoint>& requests() const { return m_requests; } // in order of `seconds`
    const std::vector<HistoryMarker>& markers() const { return m_markers; } // in order of time
    // Empty before the first check, and from a change of precision to its own.
    const std::optional<QualityReading>& quality() const { return m_quality; }
    double endSeconds() const; // of the newest sample or request

    // Ten samples a second for 15 minutes; older ones are merged to one a second, kept for 24 h.
    static constexpr std::size_t kFineSamples = 9000;
    static constexpr std::size_t kMergedSamples = 86'400;
    static constexpr std::size_t kMaxRequests = 1'000'000;
    static constexpr std::size_t kMaxMarkers = 10'000;

private:
    void mergeOldest();
    void keepBound();
    void noteQuality(const engine::Event& event);
    double secondsOf(engine::TimePoint time) const;

    engine::TimePoint m_start{};
    HistoryBound m_bound = HistoryBound::Live;
    SampleGrain m_grain;
    std::optional<engine::Snapshot> m_previous;
    std::deque<Sample> m_samples; // merged ones first
    std::size_t m_merged = 0;     // how many of them
    std::deque<RequestPoint> m_requests;
    std::vector<HistoryMarker> m_markers;
    std::optional<QualityReading> m_quality;
    engine::Attention m_attention = engine::Attention::Full;
    int m_nextNumber = 1;
};

// Which requests count as latency samples: Warm leaves out cold and idle starts, warm-up, and what
// ended without being complete; All takes every request that has a first token.
enum class SampleFilter : std::uint8_t { Warm, All };
bool isLatencySample(const RequestPoint& point, SampleFilter filter);

// Where the time to the first visible text begins: as the operator sees it, as the server, as the
// engine.
enum class TtftEdge : std::uint8_t { Scheduled, Received, Admitted };
double ttftMs(const RequestPoint& point, TtftEdge edge); // NaN where absent

struct Quantiles {
    std::optional<double> p50, p90, p95, p99, minimum, maximum;
    std::int64_t n = 0;
};
// Least n for a distribution-free 95 % interval of a quantile: 6, 29, 59, 299, 2995.
std::int64_t leastCount(double quantile);
// Exact, linear between order statistics; values that are not finite are left out.
Quantiles quantiles(std::vector<double> values);

} // namespace app
