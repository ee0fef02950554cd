// The alarms: one table of rules, and a pure state machine that holds, raises and clears them.
// Readings come from a history; time is an argument. Any thread, one at a time.
#pragma once

#include "app/load/load_generator.h"
#include "app/observe/live_figures.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace app {

// Kinds of the notices that tell of an alarm: {alarm, value?, limit, n}.
inline constexpr std::string_view kAlarmRaised = "alarm_raised";
inline constexpr std::string_view kAlarmCleared = "alarm_cleared";

struct AlarmReading {
    std::optional<double> value; // in the rule's unit; empty: nothing to judge
    std::int64_t n = 0;          // samples behind it
};

struct AlarmInputs {
    const History& history;
    ServiceTarget target;
    LoadProgress load; // of the present workload; not running: none
};

enum class AlarmSide : std::uint8_t { Above, Below };
enum class AlarmTile : std::uint8_t { None, Ttft, Memory, Busy };

struct AlarmRule {
    std::string_view key;   // "ttft_gap"; also in settings and events
    std::string_view label; // English; translated by alarmLabel()
    std::string_view unit;
    AlarmSide side = AlarmSide::Above;
    double limit = 0.0;       // beyond it for holdSeconds: raised
    double clear = 0.0;       // back over this one for clearSeconds: cleared
    double holdSeconds = 0.0; // shorter excursions are noise
    double clearSeconds = 0.0;
    std::int64_t leastCount = 0; // fewer samples can't raise it
    double maximum = 0.0;        // greatest limit an operator may set
    AlarmTile tile = AlarmTile::None;
    AlarmReading (*read)(const AlarmInputs&) = nullptr;
};
std::span<const AlarmRule> alarmTable();
const AlarmRule* findAlarm(std::string_view key);

// What the operator chose for one rule. The clearing value keeps the rule's distance.
struct AlarmSetting {
    double limit = 0.0;
    double holdSeconds = 0.0;
    bool isMuted = false; // still watched and logged; no badge, no tile
};
std::vector<AlarmSetting> defaultAlarmSettings(); // a row a rule
double clearingValue(const AlarmRule& rule, const AlarmSetting& setting);

enum class AlarmPhase : std::uint8_t { Quiet, Rising, Raised };

struct AlarmState {
    AlarmPhase phase = AlarmPhase::Quiet;
    AlarmReading reading;            // the last one
    double since = 0.0;              // of the phase
    std::optional<double> calmSince; // while raised: back over the clearing value from here on
    bool isAcknowledged = false;     // of the present alarm
};

struct AlarmChange {
    std::size_t rule = 0; // row of the table
    bool isRaised = false;
    AlarmReading reading;
    double limit = 0.0;
};

// One evaluation of one rule. A reading that is absent or rests on too few samples never raises an
// alarm; a raised one clears when it stays so.
std::optional<bool> advanceAlarm(const AlarmRule& rule, const AlarmSetting& setting,
                                 AlarmState& state, const AlarmReading& reading, double seconds);

class Alarms {
public:
    Alarms();
    // Changes since the last evaluation, in order of the table. `seconds` never goes back.
    std::vector<AlarmChange> evaluate(const AlarmInputs& inputs, double seconds);
    const std::vector<AlarmState>& states() const { return m_states; } // a row a rule
    const std::vector<AlarmSetting>& settings() const { return m_settings; }
    void setSettings(std::vector<AlarmSetting> settings); // a row a rule
    double limit(std::string_view key) const; // in force; precondition: a key of the table
    void acknowledge(std::size_t rule);
    void reset(); // another model: nothing is known
    // Raised and not muted; with `isNew` only those that nobody acknowledged.
    int raised(bool isNew) const;
    bool isRaised(AlarmTile tile) const;

private:
    std::vector<AlarmState> m_states;
    std::vector<AlarmSetting> m_settings;
};

} // namespace app
