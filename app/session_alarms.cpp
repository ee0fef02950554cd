// The session's alarms: readings of the live history, changes as events. See session.h.
#include "app/session.h"

#include <fmt/format.h>

namespace app {

namespace {

constexpr std::chrono::seconds kWatchEvery{1};

engine::Notice noticeOf(const AlarmChange& change) {
    const AlarmRule& rule = alarmTable()[change.rule];
    engine::Notice notice;
    notice.kind = std::string(change.isRaised ? kAlarmRaised : kAlarmCleared);
    notice.values.emplace_back("alarm", rule.key);
    if (change.reading.value) {
        notice.values.emplace_back("value", fmt::format("{:.1f}", *change.reading.value));
    }
    notice.values.emplace_back("limit", fmt::format("{:.1f}", change.limit));
    notice.values.emplace_back("n", std::to_string(change.reading.n));
    return notice;
}

} // namespace

void Session::watchAlarms() {
    const engine::TimePoint now = engine::Clock::now();
    if (now < m_nextAlarms) {
        return;
    }
    m_nextAlarms = now + kWatchEvery;
    const AlarmInputs inputs{.history = m_history,
                             .target = {.ttftMs = m_sloTtftMs, .tpotMs = m_sloTpotMs},
                             .load = m_isLoadRunning ? loadProgress() : LoadProgress{}};
    const double seconds = std::chrono::duration<double>(now.time_since_epoch()).count();
    for (const AlarmChange& change : m_alarms.evaluate(inputs, seconds)) {
        post(engine::EventSource::Serving, noticeOf(change));
    }
    Q_EMIT alarmsChanged();
}

void Session::acknowledgeAlarm(std::size_t rule) {
    m_alarms.acknowledge(rule);
    Q_EMIT alarmsChanged();
}

void Session::setAlarmSettings(std::vector<AlarmSetting> settings) {
    m_alarms.setSettings(std::move(settings));
    Q_EMIT alarmsChanged();
}

} // namespace app
