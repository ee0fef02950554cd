// Where the time to the first visible token went: consecutive stages that add up to firstVisible -
// scheduled, with what nobody accounts for as the remainder. One a request; engine thread.
#pragma once

#include "engine/events.h"

#include <array>
#include <cstdint>

namespace engine {

// The instants of one step that the ledger needs.
struct StepTimes {
    TimePoint begun;    // before the plan
    TimePoint planned;  // the plan is made
    TimePoint ready;    // its blocks are taken
    TimePoint computed; // logits are there
    TimePoint sampled;
};

class TtftLedger {
public:
    void add(Stage stage, Nanoseconds time) { at(stage) += time.count(); }

    // A step that computed `ownTokens` of this request among `allTokens`. weightTraffic: modelled
    // time in which the step's weights are read, of which this request bears its share.
    void addPrefillStep(const StepTimes& times, std::int64_t ownTokens, std::int64_t allTokens,
                        Nanoseconds weightTraffic);
    // The request sat out steps since its last slice (or was preempted): it waited for its turn.
    void addWait(const StepTimes& times);

    // All stages: what stamps tell is added, the remainder is what is left.
    std::array<std::int64_t, kStages> close(const Stamps& stamps) const;

private:
    std::int64_t& at(Stage stage) { return m_stages[static_cast<std::size_t>(stage)]; }
    std::int64_t of(Stage stage) const { return m_stages[static_cast<std::size_t>(stage)]; }

    std::array<std::int64_t, kStages> m_stages{};
    std::optional<TimePoint> m_lastComputed; // end of its latest slice's step
};

} // namespace engine
