// The state that a plan changes, and the only functions that change it: queue, running sequences,
// block pool, prefix cache. Borrows the sequences. Engine thread.
#pragma once

#include "engine/kv/block_pool.h"
#include "engine/kv/prefix_cache.h"
#include "engine/schedule/policy.h"
#include "engine/schedule/queue.h"

#include <algorithm>
#include <vector>

namespace engine {

struct Schedule {
    Queue queue{};
    std::vector<Sequence*> running{}; // in the order of their starts
    std::vector<Sequence*> streams{}; // prompts that are still open
    BlockPool pool{0};
    PrefixCache prefix{};
    bool keepsPrefixes = false; // full blocks go into the cache
    std::int64_t blockTokens = 64;
    std::uint64_t batches = 0; // closed batches opened so far
    std::uint64_t lineage = 0; // of sequences that begin now
    // Blocks that may be used where memory is short of all of them: caches of several formats share
    // it. Negative: all.
    std::int64_t allowance = -1;

    // Takes the place of pool and cache: nothing may hold a block.
    void resetBlocks(std::int64_t blocks);
    // Blocks that can be had: idle ones of the cache go when they are needed.
    std::int64_t availableBlocks() const;
    std::int64_t totalBlocks() const {
        return allowance < 0 ? pool.total() : std::min(pool.total(), allowance);
    }
    // Tokens with a place in the pool; used blocks hold the rest as waste.
    std::int64_t cachedTokens() const;
    // Started sequences, preempted ones in the queue included.
    std::int64_t startedSequences() const;
};

// Precondition: availableBlocks() > 0. Takes an idle one from the prefix cache where none is free.
void makeFreeBlock(Schedule& schedule);
// Before the step: who leaves, gives up, starts; blocks for every slice.
void commitPlan(const StepPlan& plan, Schedule& schedule, std::uint64_t step, TimePoint now);
// After the step: what was planned is cached, and full blocks are known to the prefix cache.
void commitComputed(const StepPlan& plan, Schedule& schedule);
// A sequence leaves for good; its blocks are free at once.
void commitEnd(Sequence& sequence, Schedule& schedule, TimePoint now);
// The prompt of a stream is another behind the first tokens that both have in common.
void commitPrompt(Sequence& sequence, std::span<const TokenId> tokens, Schedule& schedule,
                  TimePoint now);
// A sequence gives its blocks up and computes again what is no longer in the prefix cache.
void commitRelease(Sequence& sequence, Schedule& schedule, TimePoint now);

} // namespace engine
