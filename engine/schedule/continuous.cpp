// Continuous batching: sequences join and leave at every step. Sequences that decode come first,
// one token each; what is left of the budget goes to prompts in chunks, to who waits longest. When
// blocks run out, the sequence that started last gives its own up and is computed again later.
// Iteration-level scheduling: Orca, 2022; chunked prefill: Sarathi-Serve, 2024.
#include "engine/schedule/policy.h"

#include <algorithm>

namespace engine {

namespace {

// Builds one plan; what it holds is the state after the plan so far.
class Planner {
public:
    Planner(const Queue& queue, Running running, const Limits& limits, TimePoint now)
        : m_limits(limits),
          m_budget(limits.tokenBudget),
          m_free(limits.freeBlocks) {
        for (Sequence* sequence : running) {
            if (!planEnding(*sequence, now)) {
                m_alive.push_back(sequence);
            }
        }
        for (Sequence* sequence : queue.sequences()) {
            if (!planEnding(*sequence, now)) {
                m_waiting.push_back(sequence);
            }
        }
    }

    StepPlan plan() {
        planDecodes();
        planPrompts();
        return std::move(m_plan);
    }

private:
    bool planEnding(Sequence& sequence, TimePoint now) {
        const bool isLate = sequence.deadline && *sequence.deadline <= now;
        if (!sequence.isCancelled && !isLate) {
            return false;
        }
        m_plan.ended.push_back(
            {.sequence = &sequence,
             .reason = sequence.isCancelled ? FinishReason::Cancelled : FinishReason::Deadline});
        m_free += static_cast<std::int64_t>(sequence.blocks().size());
        return true;
    }

    // Of the sequences that may have a slice, those with (or without) more than one token to go.
    std::vector<Sequence*> inTurn(bool areDecoding) const {
        const std::size_t places =
            std::min(m_alive.size(), static_cast<std::size_t>(m_limits.maxBatch));
        std::vector<Sequence*> chosen;
        std::copy_if(m_alive.begin(), m_alive.begin() + static_cast<std::ptrdiff_t>(places),
                     std::back_inserter(chosen),
                     [&](const Sequence* s) { return s->isDecoding() == areDecoding; });
        std::ranges::stable_sort(chosen, {}, [](const Sequence* s) { return s->turn; });
        return chosen;
    }

    void planDecodes() {
        for (Sequence* sequence : inTurn(true)) {
            if (m_budget > 0 && isAlive(*sequence) && makeRoom(*sequence, 1)) {
                addSlice(*sequence, 1);
            }
        }
    }

    // Prompts that run and the queue take turns: who was served longer ago goes first, so that
    // neither a long prompt nor a stream of short ones holds the others up.
    void planPrompts() {
        const std::vector<Sequence*> prompts = inTurn(false);
        auto prompt = prompts.begin();
        auto waiting = m_waiting.begin();
        while (m_budget > 0) {
            const bool canContinue = prompt != prompts.end();
            const bool canStart = waiting != m_waiting.end() && mayStart(**waiting);
            const bool isQueueServed = !m_plan.started.empty();
            if (canContinue && (!canStart || isQueueServed || (*prompt)->turn < (*waiting)->turn)) {
                planChunk(**prompt++);
            } else if (canStart) {
                start(**waiting++);
            } else {
                return;
            }
        }
    }

    void planChunk(Sequence& sequence) {
        if (!isAlive(sequence)) {
            return;
        }
        std::int64_t tokens = chunkOf(sequence);
        if (!makeRoom(sequence, tokens)) {
            // The last to start takes nobody's blocks: it computes what has a place.
            const std::int64_t places =
                (static_cast<std::int64_t>(sequence.blocks().size()) + m_free) *
                    m_limits.blockTokens -
                sequence.cached();
            tokens = std::min(tokens, places);
        }
        if (tokens > 0) {
            addSlice(sequence, tokens);
        }
    }

    bool mayStart(const Sequence& sequence) const {
        const bool hasPlace = static_cast<std::int64_t>(m_alive.size()) < m_limits.maxBatch &&
                              (m_limits.admitsNew || sequence.hasStarted) &&
                              m_plan.preempted.empty();
        if (!hasPlace) {
            return false;
        }
        // Blocks that running prompts have still to take are spoken for.
        std::int64_t left = m_free - sequence.blocksNeeded(sequence.known(), m_limits.blockTokens);
        for (const Sequence* other : m_alive) {
            left -= other->blocksNeeded(other->remaining(), m_limits.blockTokens);
        }
        for (const Slice& slice : m_plan.slices) {
            left += slice.newBlocks; // counted in m_free and again just above
        }
        return left >= (m_alive.empty() ? 0 : m_limits.watermarkBlocks);
    }

    void start(Sequence& sequence) {
        m_alive.push_back(&sequence);
        m_plan.started.push_back(&sequence);
        addSlice(sequence, chunkOf(sequence));
    }

    std::int64_t chunkOf(const Sequence& sequence) const {
        return std::min({sequence.remaining(), m_limits.prefillChunk, m_budget});
    }

    // Preempts the sequences that started last until `tokens` more of this one have their blocks.
    // False where this one is itself the last: it waits with what it has, which costs nothing until
    // an older one needs it.
    bool makeRoom(const Sequence& sequence, std::int64_t tokens) {
        const std::int64_t needed = sequence.blocksNeeded(tokens, m_limits.blockTokens);
        while (needed > m_free) {
            if (m_alive.back() == &sequence) {
                ensure(m_alive.size() > 1 || m_free > 0,
                       "a sequence that is alone finds its place in the pool");
                return false;
            }
            preempt(*m_alive.back());
        }
        return true;
    }

    void preempt(Sequence& sequence) {
        ensure(std::ranges::find(m_plan.started, &sequence) == m_plan.started.end(),
               "a start leaves running prompts their blocks");
        const auto slice = std::ranges::find(m_plan.slices, &sequence, &Slice::sequence);
        if (slice != m_plan.slices.end()) {
            m_budget += slice->tokens;
            m_free += slice->newBlocks;
            m_plan.slices.erase(slice);
        }
        m_free += static_cast<std::int64_t>(sequence.blocks().size());
        m_plan.preempted.push_back(&sequence);
        m_alive.pop_back();
    }

    bool isAlive(const Sequence& sequence) const {
        return std::ranges::find(m_alive, &sequence) != m_alive.end();
    }

    void addSlice(Sequence& sequence, std::int64_t tokens) {
        const std::int64_t newBlocks = sequence.blocksNeeded(tokens, m_limits.blockTokens);
        m_plan.slices.push_back({.sequence = &sequence,
                                 .tokens = tokens,
                                 .newBlocks = newBlocks,
                                 .wantsLogits = tokens == sequence.remaining()});
        m_budget -= tokens;
        m_free -= newBlocks;
    }

    const Limits& m_limits;
    std::int64_t m_budget;
    std::int64_t m_free;
    std::vector<Sequence*> m_alive; // running, in the order of their starts
    std::vector<Sequence*> m_waiting;
    StepPlan m_plan;
};

} // namespace

StepPlan planContinuous(const Queue& queue, Running running, const Limits& limits, TimePoint now) {
    return Planner(queue, running, limits, now).plan();
}

} // namespace engine
