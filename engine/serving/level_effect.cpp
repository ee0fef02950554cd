#include "engine/serving/level_effect.h"

#include "engine/serving/breaker.h"

#include <algorithm>
#include <array>

namespace engine {

namespace {

constexpr double kSide = 0.975; // of a two-sided interval of 95 %
constexpr std::size_t kMostSamples = 50'000;

struct MedianInterval {
    std::optional<double> median, low, high; // low and high: absent below six samples
};

MedianInterval medianOf(std::vector<double> values) {
    MedianInterval result;
    if (values.empty()) {
        return result;
    }
    std::ranges::sort(values);
    const auto n = std::ssize(values);
    result.median = values[static_cast<std::size_t>((n - 1) / 2)];
    const std::int64_t rank = lowerBoundRank(n, 0.5, kSide);
    if (rank > 0) {
        result.low = values[static_cast<std::size_t>(rank - 1)];
        result.high = values[static_cast<std::size_t>(n - rank)];
    }
    return result;
}

} // namespace

std::string_view name(EffectVerdict verdict) {
    constexpr std::array<std::string_view, 3> kNames = {"better", "worse", "not_resolved"};
    return kNames[static_cast<std::size_t>(verdict)];
}

LevelEffect compareEffect(std::vector<double> beforeMs, std::vector<double> afterMs) {
    LevelEffect effect{.beforeN = std::ssize(beforeMs), .afterN = std::ssize(afterMs)};
    const MedianInterval before = medianOf(std::move(beforeMs));
    const MedianInterval after = medianOf(std::move(afterMs));
    effect.beforeMs = before.median;
    effect.afterMs = after.median;
    if (before.low && after.low) {
        effect.verdict = *after.high < *before.low   ? EffectVerdict::Better
                         : *after.low > *before.high ? EffectVerdict::Worse
                                                     : EffectVerdict::NotResolved;
    }
    return effect;
}

void LevelEffectWatch::add(TimePoint known, TimePoint received, Nanoseconds ttft) {
    m_samples.push_back({.known = known,
                         .received = received,
                         .ms = std::chrono::duration<double, std::milli>(ttft).count()});
    if (m_samples.size() > kMostSamples) {
        m_samples.pop_front();
    }
}

void LevelEffectWatch::begin(int before, int after, Nanoseconds window, TimePoint now) {
    m_window = window;
    m_open = LevelEffect{.before = before, .after = after};
    m_begun = now;
    m_before.clear();
    for (const Sample& sample : m_samples) {
        if (sample.known >= now - window) {
            m_before.push_back(sample.ms);
        }
    }
    m_samples.clear();
}

void LevelEffectWatch::postpone(TimePoint now) {
    m_begun = now;
}

std::optional<LevelEffect> LevelEffectWatch::evaluate(TimePoint now) {
    if (!m_open) {
        const TimePoint from = now - m_window;
        std::erase_if(m_samples, [from](const Sample& sample) { return sample.known < from; });
        return std::nullopt;
    }
    if (now - m_begun < m_window) {
        return std::nullopt;
    }
    std::vector<double> after;
    for (const Sample& sample : m_samples) {
        if (sample.received >= m_begun) { // the others waited under the level before
            after.push_back(sample.ms);
        }
    }
    LevelEffect effect = compareEffect(std::move(m_before), std::move(after));
    effect.before = m_open->before;
    effect.after = m_open->after;
    m_open.reset();
    m_before = {};
    return effect;
}

} // namespace engine
