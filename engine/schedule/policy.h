// What the next step computes. A policy is a pure function from the queue, the running sequences
// and the limits to a StepPlan: it changes nothing, and the same inputs give the same plan. The
// table at the end is the list of policies.
#pragma once

#include "engine/config.h"
#include "engine/schedule/queue.h"
#include "engine/schedule/sequence.h"

#include <optional>
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

struct Start {
    Sequence* sequence = nullptr;
    std::vector<BlockId> prefix; // of the prefix cache: its slice begins behind them
};

struct StepPlan {
    std::vector<Ending> ended;        // leave queue or running first
    std::vector<Sequence*> preempted; // then these go back to the queue, most recent first
    std::vector<Start> started;       // then these move from the queue to running
    std::vector<Slice> slices;        // and these are computed
    std::vector<Sequence*> members;   // a closed batch opens with these
    std::optional<TimePoint> wakeAt;  // nothing to do, but there will be at this time

    std::int64_t tokens() const;
    bool isEmpty() const { return slices.empty() && ended.empty() && preempted.empty(); }
};

// What a step with prompts costs, as far as it was measured: time = fixed + promptTokens *
// perToken, where fixed is the step of the sequences that decode.
struct StepCost {
    double fixedNs = 0.0;
    double perTokenNs = 0.0;
    bool isKnown() const { return perTokenNs > 0.0; }
    // Prompt tokens that a step of that length has room for.
    std::int64_t tokensWithin(Nanoseconds time) const;
};

struct Limits {
    std::int64_t tokenBudget = 512;  // of all slices together
    std::int64_t prefillChunk = 256; // of one slice
    std::int64_t maxBatch = 16;      // sequences with a slice
    std::int64_t blockTokens = 64;
    std::int64_t freeBlocks = 0; // idle ones of the prefix cache included
    // Blocks that starting a sequence leaves free beside running ones, so that it does not cost
    // another its place at once.
    std::int64_t watermarkBlocks = 0;
    bool admitsNew = true; // false while the pool waits to be replaced: only started ones go on
    const PrefixCache* prefix = nullptr; // null: switched off
    const BlockPool* pool = nullptr;     // where blocks are shared: who else holds one

    // Lanes. The realtime lane goes first; a request of the batch lane joins it after `ageing`.
    bool usesPriority = true;
    Nanoseconds ageing = std::chrono::seconds(30); // zero: never
    // Percent for the batch lane beside realtime work: of the budget, and of the slots for those of
    // it that have joined the realtime lane.
    std::int64_t batchShare = 50;

    // For so long after its arrival one that lacks blocks is passed by others of its lane.
    Nanoseconds passing{};

    // The gap between two tokens that prompts beside decoding sequences are cut for; zero: none.
    Nanoseconds tokenGap{};
    StepCost cost{};

    Nanoseconds batchWindow = std::chrono::milliseconds(80);    // dynamic: longest collecting
    std::int64_t classTokens = 1024;                            // selective: width of a class
    Nanoseconds classPatience = std::chrono::milliseconds(500); // selective: lead of a class
};

using Running = std::span<Sequence* const>; // in the order in which they started

struct Policy {
    Batching batching;
    std::string_view name;
    StepPlan (*plan)(const Queue& queue, Running running, const Limits& limits, TimePoint now);
};

std::span<const Policy> policyTable();
const Policy& policyFor(Batching batching);

// Adds slices of prompts that are still open, in what the step leaves: of its budget, of a chunk
// beside sequences that decode, and of blocks that nobody waits for. Pure but for the plan.
void planStreams(std::span<Sequence* const> streams, const Limits& limits, StepPlan& plan);

// How steps of open prompts alone keep to `percent` of `threads`: on so many of them, for so much
// of the time. Of two threads 80 % are no whole number: both work, and rest for a fifth of the
// time.
struct StreamPace {
    std::int64_t threads = 1;
    double busyShare = 1.0; // of the time; the rest they stand still

    Nanoseconds restAfter(Nanoseconds work) const;
};
StreamPace streamPace(std::int64_t threads, std::int64_t percent);

// The planners of the table, a file each.
StepPlan planSingle(const Queue& queue, Running running, const Limits& limits, TimePoint now);
StepPlan planDynamic(const Queue& queue, Running running, const Limits& limits, TimePoint now);
StepPlan planContinuous(const Queue& queue, Running running, const Limits& limits, TimePoint now);
StepPlan planSelective(const Queue& queue, Running running, const Limits& limits, TimePoint now);

} // namespace engine
