// Measures what a change of the level did: first tokens before it against those of requests that
// came after it. Pure; one thread.
#pragma once

#include "engine/serving.h"

#include <deque>
#include <optional>

namespace engine {

class LevelEffectWatch {
public:
    void add(TimePoint known, TimePoint received, Nanoseconds ttft); // as the breaker's
    // A change has just happened: what was before is kept, a measurement that was open is dropped.
    void begin(int before, int after, Nanoseconds window, TimePoint now);
    // The change takes its time: what is received until then is not of after it.
    void postpone(TimePoint now);
    // Once, when the window after the change is over.
    std::optional<LevelEffect> evaluate(TimePoint now);

private:
    struct Sample {
        TimePoint known;
        TimePoint received;
        double ms = 0.0;
    };
    std::deque<Sample> m_samples;
    Nanoseconds m_window{std::chrono::seconds(30)};
    std::optional<LevelEffect> m_open;
    std::vector<double> m_before;
    TimePoint m_begun;
};

// Medians with their 95 % intervals: better or worse only where these do not meet.
LevelEffect compareEffect(std::vector<double> beforeMs, std::vector<double> afterMs);

} // namespace engine
