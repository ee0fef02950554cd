// Cold blocks: kept prefixes that nobody has used for a while, and prompts that nobody writes on,
// leave the pool packed, and come back before a request that begins with them starts.
#include "engine/base/failure.h"
#include "engine/loop/engine.h"

#include <algorithm>

namespace engine {

namespace {

// Blocks that are packed at once: others can't have them meanwhile.
constexpr std::int64_t kPackedAtOnce = 2;
// What was unpacked is not packed again before who waits for the rest of it can begin.
constexpr auto kAwaited = std::chrono::seconds(1);

} // namespace

void Engine::switchColdBlocks(const EngineConfig& next) {
    const bool isPossible = m_loaded.ops->device() == kernels::Device::Cpu;
    if (next.packsColdBlocks && !isPossible) {
        throw Failure(ErrorCode::Unsupported,
                      "Blocks are packed where the processor computes: those of a GPU stay there.");
    }
    if (!next.packsColdBlocks) {
        m_schedule.prefix.trimPacked(0);
    }
}

// Nothing touches a block in the background any more.
void Engine::drainColdBlocks() {
    m_cold->drain();
    takeColdResults(Clock::now());
}

void Engine::tendColdBlocks(TimePoint now) {
    takeColdResults(now);
    if (m_effective.packsColdBlocks && m_schedule.keepsPrefixes) {
        const TimePoint limit = now - std::chrono::milliseconds(m_effective.coldAfterMs);
        parkStreams(limit, now);
        orderPacking(limit);
        const std::uint64_t most = m_effective.coldLimitMib == 0
                                       ? m_kv.bytes()
                                       : static_cast<std::uint64_t>(m_effective.coldLimitMib)
                                             << 20U;
        m_schedule.prefix.trimPacked(most);
    }
    orderRestores(now);
}

void Engine::takeColdResults(TimePoint now) {
    for (ColdJob& job : m_cold->takePacked()) {
        m_schedule.prefix.keepPacked(job.block, job.isDone ? std::move(job.packed) : nullptr,
                                     m_schedule.pool, now);
    }
    bool isAnyBack = false;
    for (const ColdJob& job : m_cold->takeUnpacked()) {
        m_schedule.prefix.keepRestored(job.key, job.block, job.isDone, m_schedule.pool,
                                       now + kAwaited);
        m_figures.kvRestores += job.isDone ? 1 : 0;
        isAnyBack = true;
    }
    if (isAnyBack) {
        for (Sequence* sequence : streamHolders()) {
            endRestoring(*sequence, now);
        }
    }
}

// An open prompt that nobody writes on gives its blocks to the prefix cache, where they are packed
// like others. What of its last block is not kept is computed again once it goes on.
void Engine::parkStreams(TimePoint limit, TimePoint now) {
    for (Sequence* sequence : std::vector<Sequence*>(m_schedule.streams)) {
        Answer& answer = answerOf(*sequence);
        const bool isKept = sequence->lineage == m_schedule.lineage && !sequence->chain().empty();
        if (!sequence->isParked && answer.lastPiece < limit && isKept &&
            sequence->remaining() == 0) {
            commitRelease(*sequence, m_schedule, now);
            beginLineage(answer);
            sequence->isParked = true;
        }
    }
}

void Engine::orderPacking(TimePoint limit) {
    const std::int64_t room = kPackedAtOnce - m_cold->packing();
    const bool hasBounds = m_kv.current().usesBounds();
    for (const BlockId block : m_schedule.prefix.takeCold(limit, room, m_schedule.pool)) {
        m_cold->pack({.block = block,
                      .parts = m_kv.current().parts(block, hasBounds),
                      .hasBounds = hasBounds,
                      .packed = nullptr});
    }
}

// Of those that may start next, whoever begins with packed blocks waits until they are unpacked.
void Engine::orderRestores(TimePoint now) {
    if (m_schedule.prefix.packed() == 0 && m_cold->unpacking() == 0) {
        return;
    }
    const auto slots = static_cast<std::size_t>(std::max<std::int64_t>(
        1, m_effective.maxBatch - static_cast<std::int64_t>(m_schedule.running.size())));
    for (const Queue::Line& line : m_schedule.queue.lines()) {
        for (std::size_t i = 0; i < std::min(slots, line.size()); ++i) {
            restoreFor(*line[i], now);
        }
    }
    for (Sequence* sequence : m_schedule.streams) {
        if (!sequence->isParked) {
            restoreFor(*sequence, now);
        }
    }
}

void Engine::restoreFor(Sequence& sequence, TimePoint now) {
    if (sequence.isRestoring || !sequence.blocks().empty()) {
        return;
    }
    PrefixCache& prefix = m_schedule.prefix;
    const PrefixCache::Cold cold = prefix.findCold(sequence.salt, sequence.tokens());
    const auto needed = static_cast<std::int64_t>(cold.packed.size());
    if (needed + cold.restoring == 0) {
        return;
    }
    // What is there of its beginning is not given up for the rest of it.
    const std::vector<BlockId> present = prefix.find(sequence.salt, sequence.tokens());
    if (m_schedule.availableBlocks() - prefix.idleAmong(present) < needed) {
        return; // nor could it start
    }
    for (auto block = present.rbegin(); block != present.rend(); ++block) {
        prefix.touch(*block, now + kAwaited);
    }
    for (const std::uint64_t key : cold.packed) {
        makeFreeBlock(m_schedule);
        PrefixCache::Restore restore = prefix.beginRestore(key, m_schedule.pool);
        const bool hasBounds = restore.packed->hasBounds;
        m_cold->unpack({.block = restore.block,
                        .parts = m_kv.current().parts(restore.block, hasBounds),
                        .hasBounds = hasBounds,
                        .key = key,
                        .packed = std::move(restore.packed)});
    }
    sequence.isRestoring = true;
    answerOf(sequence).restoringSince = now;
}

// It has a turn again, and the time counts as that of its blocks.
void Engine::endRestoring(Sequence& sequence, TimePoint now) {
    if (!sequence.isRestoring) {
        return;
    }
    sequence.isRestoring = false;
    Answer& answer = answerOf(sequence);
    if (!answer.isOpen && !answer.stamps.firstSampled && answer.restoringSince) {
        const Nanoseconds time = now - *answer.restoringSince;
        answer.ledger.add(Stage::Kv, time);
        answer.ledger.add(Stage::Queue, -time);
    }
    answer.restoringSince.reset();
}

} // namespace engine
