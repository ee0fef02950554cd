// One request at a time, its prompt in as few slices as the token budget allows: continuous
// batching with room for one.
#include "engine/schedule/policy.h"

namespace engine {

StepPlan planSingle(const Queue& queue, Running running, const Limits& limits, TimePoint now) {
    Limits one = limits;
    one.maxBatch = 1;
    one.prefillChunk = limits.tokenBudget;
    return planContinuous(queue, running, one, now);
}

} // namespace engine
