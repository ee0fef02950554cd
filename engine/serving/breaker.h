// Decides the level of degradation from times to first token. Pure: samples, settings, time and
// noise are arguments. One thread.
//
// Up: when the lower bound of the window's 90th percentile has been above the limit for the hold
// time. Down: after the healthy time the level below is tried for a few requests (half-open), then
// kept or given up; a relapse doubles the healthy time up to a cap.
#pragma once

#include "engine/config.h"
#include "engine/request.h"

#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace engine {

inline constexpr int kHighestLevel = 2;
inline constexpr double kWatchedQuantile = 0.9;
// Of the bound. With 95 % a stationary load whose true 90th percentile is 700 ms begins a level in
// up to one of 1,000 windows (30 requests each, exponential times); with this in none of 10^6.
inline constexpr double kBoundConfidence = 0.999;

// Rank, from 1, of the sample that lies below the quantile with that confidence; 0 where none does.
std::int64_t lowerBoundRank(std::int64_t n, double quantile, double confidence);

struct BreakerFigures {
    std::optional<double> p90Ms = {}, lowMs = {}; // the window's, and what it surely exceeds
    std::int64_t n = 0;
};

enum class BreakerCause : std::uint8_t {
    Limit,       // the percentile was above it
    TrialBegan,  // healthy for long enough: the level below is tried
    TrialPassed, // and stays; the level is the same as during the trial
    TrialFailed, // and is given up
    Forced,      // the operator chose a level
    Switched     // off, or back to automatic
};
std::string_view name(BreakerCause cause);

struct BreakerChange {
    int before = 0; // levels in force
    int after = 0;
    BreakerCause cause = BreakerCause::Limit;
    BreakerFigures figures; // that caused it
    double limitMs = 0.0;   // they were compared with
    Nanoseconds recovery{}; // healthy time until the next try, from now on
};

struct BreakerInputs {
    double noise = 0.5; // in [0, 1): of the healthy time after a relapse
    // Whether the engine computes as the level says; while it still prepares for it a trial would
    // judge the level before.
    bool isInForce = true;
    std::int64_t waiting = 0; // requests that nothing is computed for yet
};

class Breaker {
public:
    // A request received at `received` whose first token took `ttft`, known since `known`. In any
    // order within a window.
    void add(TimePoint known, TimePoint received, Nanoseconds ttft);
    // Once a second or so.
    std::optional<BreakerChange> evaluate(const ServingConfig& settings, TimePoint now,
                                          const BreakerInputs& inputs);

    int level() const { return m_trial ? m_level - 1 : m_level; } // in force
    bool isTrying() const { return m_trial.has_value(); }
    int settledLevel() const { return m_level; }
    const BreakerFigures& figures() const { return m_figures; } // of the last evaluation
    // Healthy time still to go until the level below is tried; empty at level 0 or while unhealthy.
    std::optional<Nanoseconds> untilTrial(TimePoint now) const;
    Nanoseconds recovery() const { return m_recovery; }

private:
    struct Sample {
        TimePoint known;
        TimePoint received;
        double ms = 0.0;
    };
    struct Trial {
        TimePoint begin;
    };

    void prune(const ServingConfig& settings, TimePoint now);
    std::optional<BreakerChange> force(int level, BreakerCause cause, TimePoint now);
    std::optional<BreakerChange> watch(const ServingConfig& settings, TimePoint now, double noise);
    std::optional<BreakerChange> judgeTrial(const ServingConfig& settings, TimePoint now,
                                            const BreakerInputs& inputs);
    void setRecovery(const ServingConfig& settings);
    BreakerChange change(int level, BreakerCause cause, TimePoint now);
    void relapse(const ServingConfig& settings, double noise);

    std::deque<Sample> m_samples;
    BreakerFigures m_figures;
    DegradationMode m_mode = DegradationMode::Off;
    int m_level = 0;
    std::optional<Trial> m_trial;
    std::optional<TimePoint> m_exceededSince, m_healthySince, m_changed, m_recovered;
    double m_factor = 1.0; // by which relapses have lengthened the setting's healthy time
    Nanoseconds m_recovery{0};
};

} // namespace engine
