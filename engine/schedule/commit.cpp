#include "engine/schedule/commit.h"

namespace engine {

namespace {

BlockId takeBlock(Schedule& schedule) {
    makeFreeBlock(schedule);
    return schedule.pool.acquire();
}

void adoptPrefix(const Start& start, Schedule& schedule) {
    std::vector<PrefixLink> chain;
    for (const BlockId block : start.prefix) {
        schedule.pool.retain(block);
        schedule.prefix.noteHeld(block);
        chain.push_back(schedule.prefix.linkOf(block));
    }
    Sequence& sequence = *start.sequence;
    sequence.adopt(start.prefix, std::move(chain), schedule.blockTokens);
    if (!sequence.hasStarted && sequence.cached() > sequence.givenUp()) {
        sequence.hitTokens = sequence.cached();
    }
}

void keepFullBlocks(Sequence& sequence, Schedule& schedule) {
    std::vector<PrefixLink>& chain = sequence.chain();
    const auto size = static_cast<std::size_t>(schedule.blockTokens);
    const auto full = static_cast<std::size_t>(sequence.cached() / schedule.blockTokens);
    while (chain.size() < full) {
        const PrefixLink parent = chain.empty() ? PrefixCache::root(sequence.salt) : chain.back();
        chain.push_back(schedule.prefix.insert(parent,
                                               sequence.tokens().subspan(chain.size() * size, size),
                                               sequence.blocks()[chain.size()], schedule.pool));
    }
}

// The end of a text first: of two idle blocks the one that fewer texts begin with goes first.
void giveBack(const std::vector<BlockId>& blocks, Schedule& schedule, TimePoint now) {
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
        schedule.pool.release(*block);
        if (schedule.pool.references(*block) == 1) {
            schedule.prefix.noteIdle(*block, now);
        }
    }
}

} // namespace

void Schedule::resetBlocks(std::int64_t blocks) {
    pool = BlockPool(blocks);
    prefix = PrefixCache(blocks, blockTokens);
}

// Below zero where more are in use than there may be: nobody takes another one then.
std::int64_t Schedule::availableBlocks() const {
    return std::min(pool.free(), totalBlocks() - pool.used()) + prefix.idle();
}

// Only a last block has places without a token, and that one is nobody else's.
std::int64_t Schedule::cachedTokens() const {
    std::int64_t tokens = (pool.used() - prefix.idle()) * blockTokens;
    const auto leaveEmpty = [&](const Sequence& sequence) {
        tokens -=
            static_cast<std::int64_t>(sequence.blocks().size()) * blockTokens - sequence.cached();
    };
    for (const Sequence* sequence : running) {
        leaveEmpty(*sequence);
    }
    for (const Sequence* sequence : streams) {
        leaveEmpty(*sequence);
    }
    for (const Queue::Line& line : queue.lines()) {
        for (const Sequence* sequence : line) {
            leaveEmpty(*sequence);
        }
    }
    return tokens;
}

std::int64_t Schedule::startedSequences() const {
    auto started = static_cast<std::int64_t>(running.size());
    for (const Queue::Line& line : queue.lines()) {
        started += std::ranges::count_if(line, &Sequence::hasStarted);
    }
    return started;
}

void makeFreeBlock(Schedule& schedule) {
    const bool isOver =
        schedule.pool.used() >= schedule.totalBlocks() && schedule.prefix.idle() > 0;
    if (schedule.pool.free() == 0 || isOver) {
        schedule.prefix.evictOne(schedule.pool);
    }
}

void commitPlan(const StepPlan& plan, Schedule& schedule, std::uint64_t step, TimePoint now) {
    for (const Ending& ending : plan.ended) {
        commitEnd(*ending.sequence, schedule, now);
    }
    for (Sequence* sequence : plan.preempted) {
        std::erase(schedule.running, sequence);
        commitRelease(*sequence, schedule, now);
        schedule.queue.pushFront(*sequence);
    }
    if (!plan.members.empty()) {
        ++schedule.batches;
        for (Sequence* sequence : plan.members) {
            sequence->batch = schedule.batches;
        }
    }
    // All known beginnings before any new block: what was found is not evicted for another.
    for (const Start& start : plan.started) {
        if (!start.prefix.empty()) {
            adoptPrefix(start, schedule);
        }
    }
    for (const Start& start : plan.started) {
        Sequence& sequence = *start.sequence;
        if (sequence.isOpen) {
            continue; // it stays among the streams
        }
        schedule.queue.remove(sequence);
        schedule.running.push_back(&sequence);
        sequence.hasStarted = true;
        const Queue::Line& line = schedule.queue.line(sequence.lane);
        if (!line.empty()) {
            // The queue has had its turn: the new head begins to wait for the next one.
            line.front()->turn = std::max(line.front()->turn, step);
        }
    }
    for (const Slice& slice : plan.slices) {
        for (std::int64_t i = 0; i < slice.newBlocks; ++i) {
            slice.sequence->addBlock(takeBlock(schedule));
        }
        slice.sequence->commitPlanned(slice.tokens, schedule.blockTokens);
        slice.sequence->turn = step;
    }
}

void commitComputed(const StepPlan& plan, Schedule& schedule) {
    for (const Slice& slice : plan.slices) {
        slice.sequence->commitCached();
        slice.sequence->check(schedule.blockTokens);
        if (schedule.keepsPrefixes && slice.sequence->lineage == schedule.lineage) {
            keepFullBlocks(*slice.sequence, schedule);
        }
    }
}

void commitEnd(Sequence& sequence, Schedule& schedule, TimePoint now) {
    std::erase(schedule.running, &sequence);
    std::erase(schedule.streams, &sequence);
    schedule.queue.remove(sequence);
    commitRelease(sequence, schedule, now);
}

void commitPrompt(Sequence& sequence, std::span<const TokenId> tokens, Schedule& schedule,
                  TimePoint now) {
    const auto common = std::ranges::mismatch(sequence.tokens(), tokens).in1;
    std::int64_t kept = common - sequence.tokens().begin();
    if (!sequence.isOpen) {
        // The next token is sampled from the last one's logits.
        kept = std::min(kept, static_cast<std::int64_t>(tokens.size()) - 1);
    }
    giveBack(sequence.replacePrompt(tokens, kept, schedule.blockTokens), schedule, now);
}

void commitRelease(Sequence& sequence, Schedule& schedule, TimePoint now) {
    giveBack(sequence.takeBlocks(), schedule, now);
}

} // namespace engine
