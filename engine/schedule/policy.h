// What the next step computes. A policy is a pure function from the queue, the running sequences
// and the limits to a StepPlan: it changes nothing, and the same inputs give the same plan. The
// table at the end is the list of policies.
#pragma once

#include "engine/config.h"
#include "engine/schedule/queue.h"
#include "engine/schedule/sequence.h"

#include <span>
#include <string_view>
#include <vector>

namespace engine {

// The next `tokens` tokens of a sequence. There is no prefill and no decode, only slices.
struct Slice {
    Sequence* sequence = nullptr;
    std::int64_t tokens = 0;
    std::int64_t newBlocks = 0; // to be taken from the pool for them
    bool wantsLogits = false;   // it reaches the last known token: the next one is sampled
};

struct Ending {
    Sequence* sequence = nullptr;
    FinishReason reason = FinishReason::Cancelled;
};

struct StepPlan {
    std::vector<Ending> ended;        // leave queue or running first
    std::vector<Sequence*> preempted; // then these go back to the queue, most recent first
    std::vector<Sequence*> started;   // then these move from the queue to running
    std::vector<Slice> slices;        // and these are computed

    std::int64_t tokens() const;
    bool isEmpty() const { return slices.empty() && ended.empty() && preempted.empty(); }
};

struct Limits {
    std::int64_t tokenBudget = 512;  // of all slices together
    std::int64_t prefillChunk = 256; // of one slice
    std::int64_t maxBatch = 16;      // sequences with a slice
    std::int64_t blockTokens = 64;
    std::int64_t freeBlocks = 0;
    // Blocks that starting a sequence leaves free beside running ones, so that it does not cost
    // another its place at once.
    std::int64_t watermarkBlocks = 0;
    bool admitsNew = true; // false while the pool waits to be replaced: only started ones go on
};

using Running = std::span<Sequence* const>; // in the order in which they started

struct Policy {
    Batching batching;
    std::string_view name;
    StepPlan (*plan)(const Queue& queue, Running running, const Limits& limits, TimePoint now);
};

std::span<const Policy> policyTable();
const Policy& policyFor(Batching batching);

// The planners of the table, a file each.
StepPlan planSingle(const Queue& queue, Running running, const Limits& limits, TimePoint now);
StepPlan planContinuous(const Queue& queue, Running running, const Limits& limits, TimePoint now);

} // namespace engine
