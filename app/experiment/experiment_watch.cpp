// What disturbed a block: other requests, edits, the machine. See experiment_run.h.
#include "app/experiment/experiment_run.h"

#include <algorithm>

namespace app {

namespace {

using engine::Clock;
using engine::TimePoint;

constexpr double kClockMove = 0.05;
constexpr double kBusyElsewhere = 0.05;
constexpr std::chrono::seconds kClockEvery{1};

} // namespace

void ExperimentRun::watchMachine() {
    const TimePoint now = Clock::now();
    if (now >= m_nextClock && now < m_work->measuredTo()) {
        m_nextClock = now + kClockEvery;
        if (const auto clock = processorClock()) {
            m_clocks.push_back(*clock);
        }
    }
    if (!m_timesAtEnd && now >= m_work->measuredTo()) {
        m_timesAtEnd = processorTimes();
    }
}

void ExperimentRun::takeEvent(const engine::Event& event) {
    if (!isRunning()) {
        return;
    }
    if (const auto* finished = std::get_if<engine::RequestFinished>(&event.body)) {
        if (finished->record != nullptr && m_work) {
            const auto& sets = m_experiment.workload.promptSets;
            const std::string& label = finished->record->label;
            const bool isOurs = std::ranges::find(sets, label) != sets.end() ||
                                std::ranges::any_of(promptSetNames(), [&](const auto& name) {
                                    return name == label;
                                });
            if (isOurs) {
                m_records.push_back(finished->record);
            } else if (label != "warm-up") {
                ++m_foreign;
            }
        }
    } else if (const auto* applied = std::get_if<engine::ConfigApplied>(&event.body)) {
        for (const engine::FieldChange& change : applied->changes) {
            m_edits.emplace_back(event.time, change.key);
        }
    }
}

std::vector<Contamination> ExperimentRun::contamination(const WorkOutcome& outcome,
                                                        const MeasuredWindow& window) const {
    const auto varied = variedFields(m_experiment);
    const bool variesPrefixes = std::ranges::find(varied, "kv.prefix_cache") != varied.end();
    std::vector<Contamination> list = contaminationOf(m_records, window, variesPrefixes);
    for (const auto& [time, key] : m_edits) {
        if (time >= m_workBegin && time < window.to) { // one while it warms up changes all of it
            list.push_back({.kind = "edit", .value = 1, .detail = key});
        }
    }
    if (m_foreign > 0) {
        list.push_back(
            {.kind = "other_requests", .value = static_cast<double>(m_foreign), .detail = {}});
    }
    if (outcome.lagP50Ms > kLagLimitMs) {
        list.push_back({.kind = "lag", .value = outcome.lagP50Ms, .detail = {}});
    }
    if (!m_clocks.empty()) {
        const auto [low, high] = std::ranges::minmax(m_clocks);
        if (high - low > kClockMove * high) {
            list.push_back({.kind = "clock", .value = 100 * (high - low) / high, .detail = {}});
        }
    }
    if (m_timesAtBegin && m_timesAtEnd) {
        const double share = busyElsewhere(*m_timesAtBegin, *m_timesAtEnd);
        if (share > kBusyElsewhere) {
            list.push_back({.kind = "busy_elsewhere", .value = 100 * share, .detail = {}});
        }
    }
    return list;
}

} // namespace app
