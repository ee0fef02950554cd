// Continuous batching: sequences join and leave at every step. Sequences that decode come first,
// one token each; what is left of the budget goes to prompts in chunks, to who waits longest. When
// blocks run out, the sequence that started last gives its own up and is computed again later.
// Iteration-level scheduling: Orca, 2022; chunked prefill: Sarathi-Serve, 2024.
#include "engine/schedule/planner.h"

namespace engine {

StepPlan planContinuous(const Queue& queue, Running running, const Limits& limits, TimePoint now) {
    Planner planner(queue, running, limits, now);
    planner.planDecodes();
    planner.planPrompts();
    return planner.take();
}

} // namespace engine
