// Selective batching: the prompts of a step are of one class of lengths, so that a short prompt's
// step is not lengthened by a long one's. Sequences that decode go on in every step. The class with
// the shortest prompts goes first, but each class has waited at most `patience` longer than the one
// before it when its turn comes: whoever arrives later than that stands behind it.
#include "engine/schedule/planner.h"

#include <limits>

namespace engine {

namespace {

std::int64_t classOf(const Sequence& sequence, const Limits& limits) {
    return (sequence.promptTokens() - 1) / limits.classTokens;
}

} // namespace

StepPlan planSelective(const Queue& queue, Running running, const Limits& limits, TimePoint now) {
    Planner planner(queue, running, limits, now);
    planner.planDecodes();
    int bestRank = std::numeric_limits<int>::max();
    TimePoint bestTurn = TimePoint::max();
    std::int64_t chosen = 0;
    const auto consider = [&](const Sequence& sequence) {
        const int rank = planner.rank(sequence);
        const std::int64_t itsClass = classOf(sequence, limits);
        const TimePoint turn = planner.due(sequence) + itsClass * limits.classPatience;
        if (rank < bestRank || (rank == bestRank && turn < bestTurn)) {
            bestRank = rank;
            bestTurn = turn;
            chosen = itsClass;
        }
        return true;
    };
    for (const Sequence* sequence : planner.running()) {
        if (!sequence->isDecoding()) {
            consider(*sequence);
        }
    }
    if (static_cast<std::int64_t>(planner.running().size()) < limits.maxBatch || bestRank > 0) {
        planner.forWaiting(consider);
    }
    planner.planPrompts(
        [&](const Sequence& sequence) { return classOf(sequence, limits) == chosen; });
    if (!planner.hasPrompts()) {
        planner.planPrompts(); // the class waits for blocks that others hold: they go on
    }
    return planner.take();
}

} // namespace engine
