// Prompts that are still being written: computed in what other work leaves.
#include "engine/schedule/policy.h"

namespace engine {

namespace {

// Of one prompt in a step: whoever completes it waits for the step that is under way.
constexpr std::int64_t kStreamChunk = 64;

std::int64_t leftTokens(const Limits& limits, const StepPlan& plan) {
    std::int64_t decodes = 0;
    for (const Slice& slice : plan.slices) {
        decodes += slice.sequence->isDecoding() ? 1 : 0;
    }
    const std::int64_t prompts = plan.tokens() - decodes;
    std::int64_t left = limits.tokenBudget - plan.tokens();
    if (!plan.slices.empty()) {
        // Whoever decodes waits for no more than one chunk, streams included.
        left = std::min(left, limits.prefillChunk - prompts);
        if (limits.tokenGap.count() > 0 && limits.cost.isKnown()) {
            left = std::min(left, limits.cost.tokensWithin(limits.tokenGap) - prompts);
        }
    }
    return left;
}

std::int64_t leftBlocks(const Limits& limits, const StepPlan& plan) {
    std::int64_t left = limits.freeBlocks - limits.watermarkBlocks;
    for (const Slice& slice : plan.slices) {
        left -= slice.newBlocks;
    }
    for (const Start& start : plan.started) {
        left -= limits.prefix == nullptr ? 0 : limits.prefix->idleAmong(start.prefix);
    }
    return left;
}

constexpr double kNearEnough = 0.9; // of the share that was asked for

} // namespace

Nanoseconds StreamPace::restAfter(Nanoseconds work) const {
    return std::chrono::duration_cast<Nanoseconds>(work * (1.0 / busyShare - 1.0));
}

// Threads that never work leave others a whole core: the first choice where it comes near.
StreamPace streamPace(std::int64_t threads, std::int64_t percent) {
    const double wanted = static_cast<double>(threads * percent) / 100.0;
    const auto whole = static_cast<std::int64_t>(wanted);
    if (whole > 0 && static_cast<double>(whole) >= kNearEnough * wanted) {
        return {.threads = whole, .busyShare = 1.0};
    }
    return {.threads = whole + 1, .busyShare = wanted / static_cast<double>(whole + 1)};
}

void planStreams(std::span<Sequence* const> streams, const Limits& limits, StepPlan& plan) {
    if (streams.empty() || !plan.preempted.empty() || !limits.admitsNew) {
        return;
    }
    std::int64_t tokensLeft = leftTokens(limits, plan);
    std::int64_t blocksLeft = leftBlocks(limits, plan);
    std::vector<Sequence*> inTurn(streams.begin(), streams.end());
    std::ranges::stable_sort(inTurn, {}, [](const Sequence* s) { return s->turn; });
    for (Sequence* sequence : inTurn) {
        if (sequence->isRestoring || sequence->isParked) {
            continue;
        }
        std::int64_t cached = sequence->cached();
        std::vector<BlockId> prefix;
        // With blocks of a slice that was interrupted it has begun for itself.
        if (cached == 0 && sequence->blocks().empty() && limits.prefix != nullptr) {
            prefix = limits.prefix->find(sequence->salt, sequence->tokens());
            cached = static_cast<std::int64_t>(prefix.size()) * limits.blockTokens;
            blocksLeft -= limits.prefix->idleAmong(prefix);
        }
        const auto held = std::max(static_cast<std::int64_t>(sequence->blocks().size()),
                                   static_cast<std::int64_t>(prefix.size()));
        const std::int64_t places =
            (held + std::max<std::int64_t>(0, blocksLeft)) * limits.blockTokens - cached;
        const std::int64_t tokens = std::min(
            {sequence->known() - cached, limits.prefillChunk, kStreamChunk, tokensLeft, places});
        if (tokens <= 0) {
            continue;
        }
        const std::int64_t wanted = (cached + tokens + limits.blockTokens - 1) / limits.blockTokens;
        const std::int64_t newBlocks = std::max<std::int64_t>(0, wanted - held);
        if (!prefix.empty()) {
            plan.started.push_back({.sequence = sequence, .prefix = std::move(prefix)});
        }
        plan.slices.push_back(
            {.sequence = sequence, .tokens = tokens, .newBlocks = newBlocks, .wantsLogits = false});
        tokensLeft -= tokens;
        blocksLeft -= newBlocks;
    }
}

} // namespace engine
