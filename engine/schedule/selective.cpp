// Selective batching: the prompts of a step are of one class of lengths, so that a short prompt's
// step is not lengthened by a long one's. Sequences that decode go on in every step. The class with
// the shortest prompts goes first, but each class has waited at most `patience` longer than the one
// before it when its turn comes: whoever arrives later than that stands behind it. The realtime
// lane and those that have joined it from the batch lane take turns.
#include "engine/schedule/planner.h"

#include <array>

namespace engine {

namespace {

std::int64_t classOf(const Sequence& sequence, const Limits& limits) {
    return (sequence.promptTokens() - 1) / limits.classTokens;
}

// Of the prompts that could have a slice, the first of the realtime lane, of those that joined it,
// and of the batch lane.
class FirstPrompts {
public:
    FirstPrompts(const Planner& planner, const Limits& limits)
        : m_planner(planner),
          m_limits(limits) {
        for (const Sequence* sequence : planner.running()) {
            if (!sequence->isDecoding()) {
                consider(*sequence);
            }
        }
        const std::array hasSlot = {planner.hasSlot(0), planner.hasSlot(1)};
        planner.forWaiting([&](const Sequence& sequence) {
            if (hasSlot[static_cast<std::size_t>(planner.rank(sequence))]) {
                consider(sequence);
            }
            return true;
        });
    }

    const Sequence* first() const {
        const auto& [realtime, joined, batch] = m_first;
        if (realtime.sequence != nullptr && joined.sequence != nullptr) {
            return joined.sequence->turn < realtime.sequence->turn ? joined.sequence
                                                                   : realtime.sequence;
        }
        for (const First& each : m_first) {
            if (each.sequence != nullptr) {
                return each.sequence;
            }
        }
        return nullptr;
    }

private:
    struct First {
        const Sequence* sequence = nullptr;
        TimePoint due;
    };

    void consider(const Sequence& sequence) {
        const bool isFirst = m_planner.rank(sequence) == 0;
        First& first = m_first[!isFirst ? 2 : m_planner.sharesBudget(sequence) ? 1 : 0];
        const TimePoint due =
            m_planner.due(sequence) + classOf(sequence, m_limits) * m_limits.classPatience;
        if (first.sequence == nullptr || due < first.due) {
            first = {.sequence = &sequence, .due = due};
        }
    }

    const Planner& m_planner;
    const Limits& m_limits;
    std::array<First, 3> m_first;
};

} // namespace

StepPlan planSelective(const Queue& queue, Running running, const Limits& limits, TimePoint now) {
    Planner planner(queue, running, limits, now);
    planner.planDecodes();
    const FirstPrompts prompts(planner, limits);
    if (const Sequence* first = prompts.first()) {
        const std::int64_t chosen = classOf(*first, limits);
        // One of another class that waits is before the batch lane all the same.
        bool isOtherFirst = false;
        planner.forWaiting([&](const Sequence& sequence) {
            isOtherFirst = isOtherFirst ||
                           (planner.rank(sequence) == 0 && classOf(sequence, limits) != chosen);
            return !isOtherFirst && planner.rank(sequence) == 0;
        });
        planner.planPrompts([&, chosen, isOtherFirst](const Sequence& sequence) {
            const bool mayRun =
                !isOtherFirst || planner.rank(sequence) == 0 || planner.isRunning(sequence);
            return classOf(sequence, limits) == chosen && mayRun;
        });
    }
    if (!planner.hasPrompts()) {
        planner.planPrompts(); // the class waits for blocks that others hold: they go on
    }
    return planner.take();
}

} // namespace engine
