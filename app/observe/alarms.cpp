#include "app/observe/alarms.h"

#include <algorithm>

namespace app {

Alarms::Alarms() : m_states(alarmTable().size()), m_settings(defaultAlarmSettings()) {}

const AlarmRule* findAlarm(std::string_view key) {
    const auto found = std::ranges::find(alarmTable(), key, &AlarmRule::key);
    return found == alarmTable().end() ? nullptr : &*found;
}

std::vector<AlarmSetting> defaultAlarmSettings() {
    std::vector<AlarmSetting> settings;
    for (const AlarmRule& rule : alarmTable()) {
        settings.push_back({.limit = rule.limit, .holdSeconds = rule.holdSeconds});
    }
    return settings;
}

// In proportion to the default; of a share that may not fall below, in proportion to what is
// missing, so that 100 % clears whatever the limit.
double clearingValue(const AlarmRule& rule, const AlarmSetting& setting) {
    if (rule.side == AlarmSide::Below && rule.unit == "%") {
        return setting.limit +
               (100.0 - setting.limit) * (rule.clear - rule.limit) / (100.0 - rule.limit);
    }
    return rule.limit == 0.0 ? rule.clear : setting.limit * rule.clear / rule.limit;
}

std::optional<bool> advanceAlarm(const AlarmRule& rule, const AlarmSetting& setting,
                                 AlarmState& state, const AlarmReading& reading, double seconds) {
    const bool isAbove = rule.side == AlarmSide::Above;
    const bool counts = reading.value && reading.n >= rule.leastCount;
    const auto beyond = [&](double limit) {
        return counts && (isAbove ? *reading.value > limit : *reading.value < limit);
    };
    state.reading = reading;
    const auto enter = [&](AlarmPhase phase) {
        state.phase = phase;
        state.since = seconds;
        state.calmSince.reset();
        state.isAcknowledged = false;
    };
    if (state.phase != AlarmPhase::Raised) {
        if (!beyond(setting.limit)) {
            enter(AlarmPhase::Quiet);
            return std::nullopt;
        }
        if (state.phase == AlarmPhase::Quiet) {
            enter(AlarmPhase::Rising);
        }
        if (seconds - state.since < setting.holdSeconds) {
            return std::nullopt;
        }
        enter(AlarmPhase::Raised);
        return true;
    }
    if (beyond(clearingValue(rule, setting))) {
        state.calmSince.reset();
        return std::nullopt;
    }
    state.calmSince = state.calmSince.value_or(seconds);
    if (seconds - *state.calmSince < rule.clearSeconds) {
        return std::nullopt;
    }
    enter(AlarmPhase::Quiet);
    return false;
}

std::vector<AlarmChange> Alarms::evaluate(const AlarmInputs& inputs, double seconds) {
    std::vector<AlarmChange> changes;
    for (std::size_t index = 0; index < m_states.size(); ++index) {
        const AlarmRule& rule = alarmTable()[index];
        const AlarmReading reading = rule.read(inputs);
        const auto isRaised =
            advanceAlarm(rule, m_settings[index], m_states[index], reading, seconds);
        if (isRaised) {
            changes.push_back({index, *isRaised, reading, m_settings[index].limit});
        }
    }
    return changes;
}

void Alarms::setSettings(std::vector<AlarmSetting> settings) {
    settings.resize(m_settings.size());
    m_settings = std::move(settings);
}

void Alarms::acknowledge(std::size_t rule) {
    m_states.at(rule).isAcknowledged = m_states.at(rule).phase == AlarmPhase::Raised;
}

void Alarms::reset() {
    m_states.assign(m_states.size(), AlarmState{});
}

double Alarms::limit(std::string_view key) const {
    const AlarmRule* rule = findAlarm(key);
    return rule == nullptr ? 0.0
                           : m_settings[static_cast<std::size_t>(rule - alarmTable().data())].limit;
}

int Alarms::raised(bool isNew) const {
    int count = 0;
    for (std::size_t index = 0; index < m_states.size(); ++index) {
        const AlarmState& state = m_states[index];
        count += state.phase == AlarmPhase::Raised && !m_settings[index].isMuted &&
                         !(isNew && state.isAcknowledged)
                     ? 1
                     : 0;
    }
    return count;
}

bool Alarms::isRaised(AlarmTile tile) const {
    if (tile == AlarmTile::None) {
        return false;
    }
    for (std::size_t index = 0; index < m_states.size(); ++index) {
        if (alarmTable()[index].tile == tile && !m_settings[index].isMuted &&
            m_states[index].phase == AlarmPhase::Raised) {
            return true;
        }
    }
    return false;
}

} // namespace app
