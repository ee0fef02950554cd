// Drives alarms through virtual time: a history that says what a test wants, and for every rule a
// state of the world that it calls bad and one that it calls good. One thread.
#pragma once

#include "app/observe/alarms.h"

#include <functional>
#include <span>
#include <vector>

namespace tests {

std::size_t indexOf(std::string_view alarm); // its row in the table

// A history that is fed ten times a second, evaluated once a second.
class AlarmDrive {
public:
    AlarmDrive() { m_history.reset(engine::TimePoint{}); }

    app::Sample level;                             // what every further sample says
    std::function<app::RequestPoint(int)> request; // of the n-th of a tick; none where empty
    int requestsPerTick = 3;
    app::LoadProgress load;
    app::ServiceTarget target;

    std::vector<app::AlarmChange> run(double seconds) {
        std::vector<app::AlarmChange> changes;
        for (int tick = 0; tick < static_cast<int>(seconds * 10.0); ++tick) {
            m_seconds += 0.1;
            level.seconds = m_seconds;
            m_history.addSample(level);
            for (int n = 0; request && n < requestsPerTick; ++n) {
                app::RequestPoint point = request(m_count++);
                point.seconds = m_seconds;
                m_history.addRequest(point);
            }
            if (tick % 10 == 9) {
                const auto some = alarms.evaluate({m_history, target, load}, m_seconds);
                changes.insert(changes.end(), some.begin(), some.end());
            }
        }
        return changes;
    }
    void checkQuality(const char* lossPercent, const char* garbled) {
        engine::Event event;
        event.body = engine::Notice{
            .kind = "quality_checked",
            .values = {{"perplexity_change_percent", lossPercent}, {"garbled", garbled}}};
        m_history.addEvent(event);
    }
    void applyConfig(const char* key, const char* before, const char* after) {
        engine::Event event;
        event.body = engine::ConfigApplied{.changes = {{key, before, after}}, .fromStep = 1};
        m_history.addEvent(event);
    }
    void beginRun() { m_history.reset(engine::TimePoint{}); }
    void takeModel() { m_history.resetQuality(engine::Attention::Full); }
    app::AlarmPhase phase(std::string_view key) const {
        return alarms.states()[indexOf(key)].phase;
    }

    app::Alarms alarms;

private:
    app::History m_history;
    double m_seconds = 0.0;
    int m_count = 0;
};

app::RequestPoint answered(double ttftMs);

struct AlarmCase {
    const char* key;
    void (*makeBad)(AlarmDrive&);
    void (*makeGood)(AlarmDrive&);
};
std::span<const AlarmCase> alarmCases(); // a row a rule

} // namespace tests
