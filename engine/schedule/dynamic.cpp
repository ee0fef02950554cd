// Dynamic batching: requests are collected until there are as many as may run, or until the first
// has waited for the window, or has no time for that; then that batch runs to its end and nobody
// joins it. Short answers leave slots empty while the longest one goes on: what that costs who
// waits is told by BatchEnded.
#include "engine/schedule/planner.h"

namespace engine {

namespace {

// What the request takes by itself, as far as steps were measured.
Nanoseconds timeAlone(const Sequence& sequence, const StepCost& cost) {
    if (!cost.isKnown()) {
        return {};
    }
    const auto prompt = static_cast<double>(sequence.remaining());
    const auto answer = static_cast<double>(sequence.answerLimit());
    return Nanoseconds(static_cast<std::int64_t>(cost.fixedNs + cost.perTokenNs * prompt +
                                                 answer * (cost.fixedNs + cost.perTokenNs)));
}

} // namespace

StepPlan planDynamic(const Queue& queue, Running running, const Limits& limits, TimePoint now) {
    Planner planner(queue, running, limits, now);
    // Members that have not started yet, or were preempted, still belong to the batch.
    bool hasMembers = !planner.running().empty();
    std::optional<TimePoint> first;
    planner.forWaiting([&](const Sequence& sequence) {
        hasMembers = hasMembers || sequence.batch != 0 || sequence.hasStarted;
        first = std::min(first.value_or(sequence.arrival), sequence.arrival);
        return !hasMembers;
    });
    if (hasMembers) {
        planner.planDecodes();
        planner.planPrompts(
            [](const Sequence& sequence) { return sequence.batch != 0 || sequence.hasStarted; });
        return planner.take();
    }
    if (!first || !limits.admitsNew) {
        return planner.take();
    }
    TimePoint due = *first + limits.batchWindow;
    planner.forWaiting([&](const Sequence& sequence) {
        // Collecting for longer would cost it its deadline.
        const bool isUrgent =
            sequence.deadline && *sequence.deadline - timeAlone(sequence, limits.cost) <= due;
        due = isUrgent ? now : due;
        return !isUrgent;
    });
    if (planner.waitingCount() < limits.maxBatch && now < due) {
        planner.wakeAt(due);
        return planner.take();
    }
    planner.openBatch();
    planner.planPrompts([&](const Sequence& sequence) { return planner.isMember(sequence); });
    return planner.take();
}

} // namespace engine
