#include "app/load/load_counters.h"

#include <algorithm>

namespace app {

namespace {

constexpr std::chrono::seconds kRateWindow{10};

double secondsBetween(engine::TimePoint from, engine::TimePoint to) {
    return std::chrono::duration<double>(to - from).count();
}

// The rate that a stage asks for at a moment of it; 0 for closed loops and outside.
double rateAt(const Stage& stage, double seconds) {
    if (stage.kind == ArrivalKind::Closed || seconds < 0.0 || seconds >= stage.seconds) {
        return 0.0;
    }
    return stage.ratePerSecond +
           (stage.endRatePerSecond - stage.ratePerSecond) * (seconds / stage.seconds);
}

} // namespace

LoadCounters::LoadCounters(double totalSeconds, std::int64_t planned) {
    m_progress.totalSeconds = totalSeconds;
    m_progress.planned = planned;
}

void LoadCounters::begin(engine::TimePoint start) {
    const std::lock_guard lock(m_mutex);
    m_start = start;
    m_progress.isRunning = true;
}

void LoadCounters::beginStage(int index, const Stage& stage, engine::TimePoint start) {
    const std::lock_guard lock(m_mutex);
    m_progress.stage = index;
    m_stage = stage;
    m_stageStart = start;
}

void LoadCounters::countSent(engine::TimePoint due, engine::TimePoint sent) {
    const std::lock_guard lock(m_mutex);
    ++m_progress.sent;
    m_lag.add(std::chrono::nanoseconds(sent - due).count());
    m_recent.push_back(sent);
    forgetBefore(sent - kRateWindow);
}

void LoadCounters::countFinished(engine::Outcome outcome) {
    const std::lock_guard lock(m_mutex);
    ++m_progress.finished;
    switch (outcome) {
    case engine::Outcome::Completed:
        ++m_progress.completed;
        break;
    case engine::Outcome::Cancelled:
        ++m_progress.cancelled;
        break;
    case engine::Outcome::Failed:
        ++m_progress.failed;
        break;
    case engine::Outcome::Rejected:
        ++m_progress.rejected;
        break;
    }
}

void LoadCounters::end(engine::TimePoint time) {
    const std::lock_guard lock(m_mutex);
    m_end = time;
    m_progress.isRunning = false;
}

LoadProgress LoadCounters::progress(engine::TimePoint now) const {
    const std::lock_guard lock(m_mutex);
    LoadProgress progress = m_progress;
    const double toMilliseconds = 1e-6;
    progress.lagP50Ms = m_lag.quantile(0.5).value_or(0.0) * toMilliseconds;
    progress.lagP99Ms = m_lag.quantile(0.99).value_or(0.0) * toMilliseconds;
    progress.isBehind = progress.lagP50Ms > kLagLimitMs;
    if (!m_start) {
        return progress;
    }
    progress.seconds = secondsBetween(*m_start, m_end.value_or(now));
    // While the last answers are waited for nothing is due any more: the rate is of the schedule.
    const engine::TimePoint scheduled =
        *m_start + std::chrono::duration_cast<engine::Clock::duration>(
                       std::chrono::duration<double>(progress.totalSeconds));
    const engine::TimePoint until = std::min(m_end.value_or(now), scheduled);
    progress.wantedRate = m_end ? 0.0 : rateAt(m_stage, secondsBetween(m_stageStart, now));
    const engine::TimePoint from = std::max(*m_start, until - kRateWindow);
    const auto recent = std::count_if(m_recent.begin(), m_recent.end(),
                                      [&](engine::TimePoint sent) { return sent >= from; });
    if (until > from) {
        progress.achievedRate = static_cast<double>(recent) / secondsBetween(from, until);
    }
    return progress;
}

void LoadCounters::forgetBefore(engine::TimePoint time) {
    while (!m_recent.empty() && m_recent.front() < time) {
        m_recent.pop_front();
    }
}

} // namespace app
