#include "engine/serving/breaker.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace engine {

namespace {

constexpr double kJitter = 0.1;
constexpr std::size_t kMostSamples = 200'000; // of a window: more say nothing new

double milliseconds(Nanoseconds span) {
    return std::chrono::duration<double, std::milli>(span).count();
}

Nanoseconds span(std::int64_t ms) {
    return std::chrono::milliseconds(ms);
}

std::optional<double> nearestRank(std::vector<double> values, double quantile) {
    if (values.empty()) {
        return std::nullopt;
    }
    const auto rank =
        static_cast<std::ptrdiff_t>(std::ceil(quantile * static_cast<double>(values.size())));
    const auto nth = values.begin() + std::max<std::ptrdiff_t>(rank, 1) - 1;
    std::nth_element(values.begin(), nth, values.end());
    return *nth;
}

double limitAbove(const ServingConfig& settings, int level) {
    return static_cast<double>(level == 0 ? settings.level1Ms : settings.level2Ms);
}

} // namespace

// P(Binomial(n, q) >= r) >= confidence for the largest r, summed from the top.
std::int64_t lowerBoundRank(std::int64_t n, double quantile, double confidence) {
    const auto count = static_cast<double>(n);
    const double whole = std::lgamma(count + 1);
    double sum = 0.0;
    for (std::int64_t r = n; r > 0; --r) {
        const auto k = static_cast<double>(r);
        sum += std::exp(whole - std::lgamma(k + 1) - std::lgamma(count - k + 1) +
                        k * std::log(quantile) + (count - k) * std::log1p(-quantile));
        if (sum >= confidence) {
            return r;
        }
    }
    return 0;
}

std::string_view name(BreakerCause cause) {
    constexpr std::array<std::string_view, 6> kNames = {
        "limit", "trial_began", "trial_passed", "trial_failed", "forced", "switched"};
    return kNames[static_cast<std::size_t>(cause)];
}

void Breaker::add(TimePoint known, TimePoint received, Nanoseconds ttft) {
    const Sample sample{.known = known, .received = received, .ms = milliseconds(ttft)};
    const auto place = std::ranges::upper_bound(m_samples, known, {}, &Sample::known);
    m_samples.insert(place, sample);
    if (m_samples.size() > kMostSamples) {
        m_samples.pop_front();
    }
}

void Breaker::prune(const ServingConfig& settings, TimePoint now) {
    const TimePoint from = now - span(settings.windowMs);
    while (!m_samples.empty() && m_samples.front().known < from) {
        m_samples.pop_front();
    }
    std::vector<double> values;
    values.reserve(m_samples.size());
    for (const Sample& sample : m_samples) {
        values.push_back(sample.ms);
    }
    m_figures.n = std::ssize(values);
    const std::int64_t rank = lowerBoundRank(m_figures.n, kWatchedQuantile, kBoundConfidence);
    m_figures.lowMs.reset();
    if (rank > 0) {
        const auto nth = values.begin() + rank - 1;
        std::nth_element(values.begin(), nth, values.end());
        m_figures.lowMs = *nth;
    }
    m_figures.p90Ms = nearestRank(std::move(values), kWatchedQuantile);
}

// From the setting each time: an edit of it holds at once.
void Breaker::setRecovery(const ServingConfig& settings) {
    const Nanoseconds cap = span(std::max(settings.recoveryCapMs, settings.recoveryMs));
    const auto lengthened =
        std::chrono::duration_cast<Nanoseconds>(span(settings.recoveryMs) * m_factor);
    m_recovery = std::min(lengthened, cap);
}

std::optional<BreakerChange> Breaker::evaluate(const ServingConfig& settings, TimePoint now,
                                               const BreakerInputs& inputs) {
    prune(settings, now);
    setRecovery(settings);
    const DegradationMode before = std::exchange(m_mode, settings.degradation);
    switch (settings.degradation) {
    case DegradationMode::Off:
        return force(0, BreakerCause::Switched, now);
    case DegradationMode::Level0:
    case DegradationMode::Level1:
    case DegradationMode::Level2:
        return force(static_cast<int>(settings.degradation) -
                         static_cast<int>(DegradationMode::Level0),
                     BreakerCause::Forced, now);
    case DegradationMode::Auto:
        break;
    }
    if (before != DegradationMode::Auto) {
        m_factor = 1.0; // goes on from the present level, without a past
        setRecovery(settings);
    }
    return m_trial ? judgeTrial(settings, now, inputs) : watch(settings, now, inputs.noise);
}

std::optional<BreakerChange> Breaker::force(int level, BreakerCause cause, TimePoint now) {
    m_exceededSince.reset();
    m_healthySince.reset();
    m_recovered.reset();
    if (level == this->level() && !m_trial) {
        return std::nullopt;
    }
    return change(level, cause, now);
}

// Precondition: the level in force is another one, or a trial ends.
BreakerChange Breaker::change(int level, BreakerCause cause, TimePoint now) {
    BreakerChange result{.before = this->level(),
                         .after = level,
                         .cause = cause,
                         .figures = m_figures,
                         .recovery = m_recovery};
    m_trial.reset();
    m_level = level;
    m_changed = now;
    m_exceededSince.reset();
    m_healthySince.reset();
    return result;
}

std::optional<BreakerChange> Breaker::watch(const ServingConfig& settings, TimePoint now,
                                            double noise) {
    if (m_level == 0 && m_recovered && now - *m_recovered >= m_recovery) {
        m_recovered.reset(); // it lasted
        m_factor = 1.0;
        setRecovery(settings);
    }
    const bool isJudged = m_figures.n >= settings.leastRequests;
    const double limit = limitAbove(settings, m_level);
    const bool isExceeded = m_level < kHighestLevel && isJudged && m_figures.lowMs > limit;
    m_exceededSince = isExceeded ? std::optional(m_exceededSince.value_or(now)) : std::nullopt;
    const bool hasStayed = !m_changed || now - *m_changed >= span(settings.dwellMs);
    if (isExceeded && hasStayed && now - *m_exceededSince >= span(settings.holdMs)) {
        if (m_recovered && now - *m_recovered < m_recovery) {
            relapse(settings, noise);
        }
        m_recovered.reset();
        BreakerChange up = change(m_level + 1, BreakerCause::Limit, now);
        up.limitMs = limit;
        return up;
    }
    // Nobody is kept waiting where nobody asks.
    const bool isHealthy =
        !m_figures.p90Ms || *m_figures.p90Ms < static_cast<double>(settings.healthyMs);
    m_healthySince =
        isHealthy && m_level > 0 ? std::optional(m_healthySince.value_or(now)) : std::nullopt;
    if (m_healthySince && hasStayed && now - *m_healthySince >= m_recovery) {
        BreakerChange down{.before = m_level,
                           .after = m_level - 1,
                           .cause = BreakerCause::TrialBegan,
                           .figures = m_figures,
                           .limitMs = static_cast<double>(settings.healthyMs),
                           .recovery = m_recovery};
        m_trial = Trial{.begin = now};
        m_changed = now;
        m_healthySince.reset();
        return down;
    }
    return std::nullopt;
}

std::optional<BreakerChange> Breaker::judgeTrial(const ServingConfig& settings, TimePoint now,
                                                 const BreakerInputs& inputs) {
    if (!inputs.isInForce) {
        m_trial->begin = now;
        return std::nullopt;
    }
    std::vector<double> values;
    for (const Sample& sample : m_samples) {
        if (sample.received >= m_trial->begin) {
            values.push_back(sample.ms);
        }
    }
    BreakerFigures figures{.n = std::ssize(values)};
    const bool isOver = now - m_trial->begin >= span(settings.trialMs);
    if (figures.n < settings.trialRequests && !isOver) {
        return std::nullopt;
    }
    figures.p90Ms = nearestRank(std::move(values), kWatchedQuantile);
    const double limit = limitAbove(settings, m_level - 1);
    // Without a first token it is well where nobody asks, and not where they wait for one.
    const bool hasPassed = figures.p90Ms ? *figures.p90Ms <= limit : inputs.waiting == 0;
    if (!hasPassed) {
        relapse(settings, inputs.noise);
    }
    BreakerChange end =
        change(hasPassed ? m_level - 1 : m_level,
               hasPassed ? BreakerCause::TrialPassed : BreakerCause::TrialFailed, now);
    if (hasPassed) {
        m_recovered = now;
    }
    end.figures = figures;
    end.limitMs = limit;
    end.recovery = m_recovery;
    return end;
}

void Breaker::relapse(const ServingConfig& settings, double noise) {
    const double most = static_cast<double>(std::max(settings.recoveryCapMs, settings.recoveryMs)) /
                        static_cast<double>(std::max<std::int64_t>(1, settings.recoveryMs));
    m_factor = std::min(m_factor * 2.0 * (1.0 + kJitter * (2.0 * noise - 1.0)), most);
    setRecovery(settings);
}

std::optional<Nanoseconds> Breaker::untilTrial(TimePoint now) const {
    if (!m_healthySince || m_trial) {
        return std::nullopt;
    }
    return std::max(Nanoseconds(0), m_recovery - (now - *m_healthySince));
}

} // namespace engine
