// The figures of a run from its requests. Pure; any thread. Definitions (METRICS in
// ARCHITECTURE.md):
//   latency   TTFT, TPOT, E2EL of warm, completed requests; ITL: gaps between their token steps.
//             Exact; of more than four million gaps with a relative error of 0.2 %
//   hits      prompt tokens of the requests behind TTFT that the prefix cache had, of all of them
//             that an engine in this house computed
//   rates     tokens and completed requests whose time lies within the run, per second of the run
//   wanted    requests with a schedule, per second between the first and the last of them
//   achieved  the same requests when they were received (all received ones where none had a
//             schedule); lag is received - scheduled
//   goodput   completed requests of the run within both limits, per second of the run
#pragma once

#include "app/plot/rolling.h"
#include "app/store/run_store.h"

namespace app {

// Neither cold, nor after an idle engine, nor a warm-up request.
bool isWarm(std::uint32_t tags);
double milliseconds(engine::Nanoseconds span);
std::optional<double> milliseconds(const std::optional<engine::Nanoseconds>& span);

// From this share on a comparison is marked: a hit makes a first token look fast.
inline constexpr double kPrefixHitShare = 0.01;

// The share of prompt tokens that were found in the prefix cache.
struct HitCount {
    double hits = 0, tokens = 0;
    void add(std::int64_t hitTokens, std::int64_t promptTokens) {
        hits += static_cast<double>(hitTokens);
        tokens += static_cast<double>(promptTokens);
    }
    std::optional<double> share() const {
        return tokens > 0 ? std::optional(hits / tokens) : std::nullopt;
    }
};

// Times of the records count from the start of the run (TimePoint{}).
class SummaryBuilder {
public:
    explicit SummaryBuilder(RunInfo info);
    void add(const engine::RequestRecord& record);
    RunSummary finish(const std::vector<SettingRow>& settings); // every row of the run

private:
    // A day of tokens has more gaps than fit in memory one by one.
    class Gaps {
    public:
        void add(double milliseconds);
        Quantiles finish();

    private:
        static constexpr std::size_t kExact = 4'000'000;
        std::vector<double> m_exact;
        std::optional<RollingQuantiles> m_buckets; // once there are more
        double m_least = 0, m_greatest = 0;
    };
    void addLatency(const engine::RequestRecord& record);
    void addRates(const engine::RequestRecord& record);
    void addArrival(const engine::RequestRecord& record);
    bool isInRun(engine::TimePoint time) const;

    RunSummary m_summary;
    std::vector<double> m_ttft, m_tpot, m_e2e, m_lag;
    Gaps m_itl;
    std::vector<double> m_scheduled, m_received, m_unscheduled; // seconds
    HitCount m_hits;
    double m_outputTokens = 0, m_promptTokens = 0, m_finished = 0, m_good = 0;
};

// In the order in which they were first told.
std::vector<SettingRow> lastOfEachField(const std::vector<SettingRow>& rows);
// Whether a completed request met the limits of its run; a missing TPOT is not held against it.
bool isGood(const engine::RequestRecord& record, const RunInfo& info);
bool haveSameLimits(const RunInfo& a, const RunInfo& b);
// A target that was not set: no request takes that long.
inline constexpr double kNoLimitMs = 1e9;
bool isLimit(double milliseconds);
// When the prompt had been computed; at the latest when text of the answer was seen, which is all
// that an attached server lets anybody know.
std::optional<engine::TimePoint> promptComputed(const engine::Stamps& stamps);

} // namespace app
