#include "engine/schedule/commit.h"

namespace engine {

namespace {

void releaseBlocks(Sequence& sequence, BlockPool& pool) {
    const std::vector<BlockId> blocks = sequence.takeBlocks();
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
        pool.release(*block);
    }
}

} // namespace

std::int64_t Schedule::cachedTokens() const {
    std::int64_t tokens = 0;
    for (const Sequence* sequence : running) {
        tokens += sequence->cached();
    }
    return tokens;
}

std::int64_t Schedule::startedSequences() const {
    return static_cast<std::int64_t>(running.size()) +
           std::ranges::count_if(queue.sequences(), &Sequence::hasStarted);
}

void commitPlan(const StepPlan& plan, Schedule& schedule, std::uint64_t step) {
    for (const Ending& ending : plan.ended) {
        commitEnd(*ending.sequence, schedule);
    }
    for (Sequence* sequence : plan.preempted) {
        std::erase(schedule.running, sequence);
        releaseBlocks(*sequence, schedule.pool);
        schedule.queue.pushFront(*sequence);
    }
    for (Sequence* sequence : plan.started) {
        schedule.queue.remove(*sequence);
        schedule.running.push_back(sequence);
        sequence->hasStarted = true;
    }
    if (!plan.started.empty() && !schedule.queue.isEmpty()) {
        // The queue has had its turn: the new head begins to wait for the next one.
        Sequence& head = *schedule.queue.sequences().front();
        head.turn = std::max(head.turn, step);
    }
    for (const Slice& slice : plan.slices) {
        for (std::int64_t i = 0; i < slice.newBlocks; ++i) {
            slice.sequence->addBlock(schedule.pool.acquire());
        }
        slice.sequence->commitPlanned(slice.tokens, schedule.blockTokens);
        slice.sequence->turn = step;
    }
}

void commitComputed(const StepPlan& plan, const Schedule& schedule) {
    for (const Slice& slice : plan.slices) {
        slice.sequence->commitCached();
        slice.sequence->check(schedule.blockTokens);
    }
}

void commitEnd(Sequence& sequence, Schedule& schedule) {
    std::erase(schedule.running, &sequence);
    schedule.queue.remove(sequence);
    releaseBlocks(sequence, schedule.pool);
}

} // namespace engine
