// The state that a plan changes, and the only functions that change it: queue, running sequences,
// block pool. Borrows the sequences. Engine thread.
#pragma once

#include "engine/kv/block_pool.h"
#include "engine/schedule/policy.h"
#include "engine/schedule/queue.h"

#include <vector>

namespace engine {

struct Schedule {
    Queue queue{};
    std::vector<Sequence*> running{}; // in the order of their starts
    BlockPool pool{0};
    std::int64_t blockTokens = 64;

    // Tokens with a place in the pool; used blocks hold the rest as waste.
    std::int64_t cachedTokens() const;
    // Started sequences, preempted ones in the queue included.
    std::int64_t startedSequences() const;
};

// Before the step: who leaves, gives up, starts; blocks for every slice.
void commitPlan(const StepPlan& plan, Schedule& schedule, std::uint64_t step);
// After the step: what was planned is cached.
void commitComputed(const StepPlan& plan, const Schedule& schedule);
// A sequence leaves for good; its blocks are free at once.
void commitEnd(Sequence& sequence, Schedule& schedule);

} // namespace engine
