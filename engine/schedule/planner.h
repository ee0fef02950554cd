// Builds one plan: the rules that all policies share (who ends, lanes, budgets, blocks,
// preemption). A policy decides whose turn it is. What a planner holds is the state after the plan
// so far. Engine thread, or a simulation's.
#pragma once

#include "engine/schedule/policy.h"

#include <array>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace engine {

class Planner {
public:
    // May a waiting or running prompt have a turn; the policy's own condition.
    using Filter = std::function<bool(const Sequence& sequence)>;

    // Who was cancelled or is late is ended.
    Planner(const Queue& queue, Running running, const Limits& limits, TimePoint now);

    // One token for each sequence that decodes: the realtime lane first.
    void planDecodes();
    // What is left goes to prompts, realtime first. Within a lane prompts that run and the queue
    // take turns: who was served longer ago goes first, so that neither a long prompt nor a stream
    // of short ones holds the others up.
    void planPrompts(const Filter& filter = {});
    bool hasPrompts() const { return m_hasPrompts; } // some prompt has a slice
    // A closed batch of those that wait, at most as many as may run.
    void openBatch();
    bool isMember(const Sequence& sequence) const;
    StepPlan take() { return std::move(m_plan); }
    void wakeAt(TimePoint time) { m_plan.wakeAt = time; }

    // 0: goes first. 1: the batch lane, but for the few of it that have waited so long that they
    // joined the realtime lane: never more of them at a time than the batch lane's share of slots.
    int rank(const Sequence& sequence) const;
    // When it came in; for the batch lane, when it joins the realtime one.
    TimePoint due(const Sequence& sequence) const;

    const std::vector<Sequence*>& running() const { return m_alive; } // rank 0 first
    bool isRunning(const Sequence& sequence) const;
    // The batch lane has its share of the budget beside the realtime lane, whatever its rank.
    bool sharesBudget(const Sequence& sequence) const;
    // Whether who waits with that rank would find a slot.
    bool hasSlot(int rank) const;
    std::int64_t waitingCount() const;
    // Waiting sequences in the order of their turns.
    template <class Use> // bool(Sequence&): false ends it
    void forWaiting(Use use) const {
        WaitingCursor cursor(*this);
        while (Sequence* sequence = cursor.next()) {
            if (!use(*sequence)) {
                return;
            }
        }
    }

private:
    // Merges the lines of the lanes by rank, start and time.
    class WaitingCursor {
    public:
        explicit WaitingCursor(const Planner& planner) : m_planner(planner) {}
        Sequence* peek() const;
        Sequence* next();

    private:
        std::optional<std::size_t> lane() const;

        const Planner& m_planner;
        std::array<std::size_t, Queue::kLanes> m_at{};
    };

    bool planEnding(Sequence& sequence, TimePoint now);
    void promoteAged();
    std::vector<Sequence*> inTurn(bool areDecoding, int rank) const;
    void planPromptsOf(int rank, WaitingCursor& waiting, const Filter& filter);
    Sequence* headOf(int rank, WaitingCursor& waiting, const Filter& filter) const;
    bool startHead(Sequence& head, WaitingCursor& waiting);
    void limitPrompts();
    void planChunk(Sequence& sequence);
    bool makeBlocks(const Sequence& sequence);
    std::int64_t releasable(const Sequence& sequence) const;
    std::int64_t blocksLeftBy(const Sequence& sequence) const;
    void start(Sequence& sequence);
    std::int64_t budgetFor(const Sequence& sequence) const;
    std::int64_t chunkOf(const Sequence& sequence, std::int64_t known) const;
    bool makeRoom(const Sequence& sequence, std::int64_t tokens);
    void preempt(Sequence& sequence);
    std::int64_t countAlive(int rank) const;
    void addSlice(Sequence& sequence, std::int64_t tokens, std::int64_t cached);
    void takeBackSlice(const Sequence& sequence);
    bool isFull() const {
        return static_cast<std::int64_t>(m_plan.slices.size()) >= m_limits.maxBatch;
    }
    void pauseOne();
    void spend(const Sequence& sequence, std::int64_t tokens);

    const Limits& m_limits;
    const TimePoint m_now;
    std::int64_t m_budget;
    std::int64_t m_batchBudget; // of it, for the batch lane
    std::int64_t m_promptBudget;
    std::int64_t m_free;
    std::vector<Sequence*> m_alive; // rank 0 in the order of their starts, then rank 1
    std::array<std::vector<Sequence*>, Queue::kLanes> m_waiting;
    // The last to come of the batch lane that has joined the realtime one.
    std::optional<std::pair<TimePoint, RequestId>> m_lastPromoted;
    bool m_hasPrompts = false;
    std::int64_t m_passed = 0;  // that lack blocks, by others of their rank
    bool m_isFirstHeld = false; // one of rank 0 is among them
    StepPlan m_plan;
};

} // namespace engine
