// What a load generator has sent and got back, for progress(): counts, lag, rate. Any thread.
#pragma once

#include "app/load/load_generator.h"

#include <deque>
#include <mutex>
#include <optional>

namespace app {

class LoadCounters {
public:
    LoadCounters(double totalSeconds, std::int64_t planned);

    void begin(engine::TimePoint start);
    void beginStage(int index, const Stage& stage, engine::TimePoint start);
    void countSent(engine::TimePoint due, engine::TimePoint sent);
    void countFinished(engine::Outcome outcome);
    void end(engine::TimePoint time);
    LoadProgress progress(engine::TimePoint now) const;

private:
    void forgetBefore(engine::TimePoint time);

    mutable std::mutex m_mutex;
    LoadProgress m_progress; // counts and fixed figures; the rest is computed when asked
    engine::Histogram m_lag;
    std::deque<engine::TimePoint> m_recent; // sent in the last 10 s
    std::optional<engine::TimePoint> m_start, m_end;
    Stage m_stage;
    engine::TimePoint m_stageStart{};
};

} // namespace app
