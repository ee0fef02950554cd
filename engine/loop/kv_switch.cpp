// Keys and values in another format, or of another size, while requests run. A sequence keeps the
// format it began with: a change opens a second cache within the same budget, and the old one goes
// with its last sequence.
#include "engine/base/failure.h"
#include "engine/loop/engine.h"
#include "engine/loop/kv_size.h"
#include "engine/loop/memory_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace engine {

namespace {

EngineConfig withFormat(const EngineConfig& config, const KvFormat& format) {
    EngineConfig result = config;
    result.keyPrecision = format.keys;
    result.valuePrecision = format.values;
    return result;
}

} // namespace

// Precondition: no sequence holds a block. The old memory is given back first, as there may not be
// room for both.
void Engine::replaceKv(const EngineConfig& next) {
    const std::int64_t before = m_schedule.pool.total();
    freeStreamBlocks(Clock::now());
    drainColdBlocks();
    m_kv.clear();
    const std::uint64_t available = readMemory().availableBytes;
    try {
        allocateKv(next, chooseKvBlocks(next, m_loaded.model->spec(), available));
        m_kvBudget = next.kvBlocks == 0 ? available / 4
                                        : kvMemory(next, m_loaded.model->spec(), next.kvBlocks);
    } catch (const std::exception&) {
        takeBackKv(before);
        throw;
    }
    rejectWhatNoLongerFits();
}

// What was given back a moment ago. Where even that is gone nothing can be computed any more.
void Engine::takeBackKv(std::int64_t blocks) {
    try {
        allocateKv(m_applied, blocks);
    } catch (const std::exception&) {
        throw std::runtime_error("there is no memory left for keys and values");
    }
}

void Engine::allocateKv(const EngineConfig& next, std::int64_t blocks) {
    const ModelSpec& spec = m_loaded.model->spec();
    m_kv.replace(KvCache(*m_loaded.ops, spec.kv, blocks, m_schedule.blockTokens,
                         windowPlaces(next, spec), kvFormat(next, spec.weightFormat)));
    m_schedule.resetBlocks(blocks);
    m_schedule.allowance = -1;
    ++m_schedule.lineage;
    m_kvWanted = blocks;
    m_effective.kvBlocks = blocks;
    noteKvFormat(next);
    applyPrefixes(next);
    beginLineages();
}

void Engine::applyPrefixes(const EngineConfig& next) {
    try {
        switchPrefixes(next);
        m_effective.keepsPrefixes = next.keepsPrefixes;
    } catch (const Failure& failure) {
        m_applied.keepsPrefixes = m_effective.keepsPrefixes = false;
        m_refused["kv.prefix_cache"] = failure.what();
    }
}

// The values that are in force now, where some were left to the engine.
void Engine::noteKvFormat(const EngineConfig& next) {
    const kernels::Format weights = m_loaded.model->spec().weightFormat;
    const KvFormat format = kvFormat(next, weights);
    EngineConfig together = next;
    together.keyPrecision = together.valuePrecision = KvPrecision::Auto;
    m_effective.kvPrecision = kvFormat(together, weights).keys;
    m_effective.keyPrecision = format.keys;
    m_effective.valuePrecision = format.values;
}

std::uint64_t Engine::blockBytes(const KvFormat& format) const {
    return static_cast<std::uint64_t>(m_schedule.blockTokens) *
           kvBytesPerToken(m_loaded.model->spec().kv, format).lasting;
}

void Engine::switchKv(const EngineConfig& next) {
    const ModelSpec& spec = m_loaded.model->spec();
    const KvFormat format = kvFormat(next, spec.weightFormat);
    if (!(format == m_kv.current().format())) {
        // As many blocks as were asked for, or as fit the budget.
        const std::int64_t blocks = next.kvBlocks != 0
                                        ? chooseKvBlocks(next, spec, readMemory().availableBytes)
                                        : kvBlocksWithin(next, spec, m_kvBudget);
        if (blocks < 1) {
            throw Failure(ErrorCode::OutOfMemory,
                          fmt::format("There is no room for it in the {:.3f} GiB of the keys and "
                                      "values.",
                                      static_cast<double>(m_kvBudget) / 0x1p30));
        }
        openKv(next, format, blocks);
    }
    noteKvFormat(next);
}

void Engine::openKv(const EngineConfig& next, const KvFormat& format, std::int64_t blocks) {
    const ModelSpec& spec = m_loaded.model->spec();
    drainColdBlocks();
    // Any block of the pool may come to lie in it.
    const std::int64_t places = std::max(blocks, m_schedule.pool.total());
    if (!m_kv.reopen(format, places)) {
        m_kv.open(KvCache(*m_loaded.ops, spec.kv, places, m_schedule.blockTokens,
                          windowPlaces(next, spec), format));
    }
    m_kvWanted = blocks;
    m_schedule.prefix.reset(m_schedule.pool);
    ++m_schedule.lineage;
    applyPrefixes(next);
    beginLineages();
    settleKv();
    m_effective.kvBlocks = blocks;
    rejectWhatNoLongerFits();
}

// Lets go of caches that nobody lives in, and keeps what all of them use within the budget.
void Engine::settleKv() {
    if (m_kv.isOne() && m_schedule.pool.total() >= m_kvWanted) {
        m_schedule.allowance = m_kvWanted;
        return;
    }
    std::set<std::uint32_t> used;
    for (const auto& [id, answer] : m_answers) {
        if (answer->sequence) {
            used.insert(answer->sequence->kv);
        }
    }
    m_kv.dropUnused(used);
    if (m_kv.isOne() && m_schedule.pool.total() < m_kvWanted) {
        m_schedule.pool.grow(m_kvWanted);
        m_schedule.prefix.grow(m_kvWanted);
    }
    m_schedule.allowance = kvAllowance(m_kvWanted, earlierSequences());
}

std::vector<EarlierSequence> Engine::earlierSequences() {
    const std::uint32_t present = m_kv.currentId();
    const auto size = static_cast<double>(blockBytes(m_kv.current().format()));
    // Those of the present format end within their own number of blocks.
    const bool areAlone = std::ranges::none_of(
        m_schedule.running, [present](const Sequence* s) { return s->kv == present; });
    std::vector<EarlierSequence> earlier;
    for (const auto& [id, answer] : m_answers) {
        if (answer->sequence && answer->sequence->kv != present) {
            const Sequence& sequence = *answer->sequence;
            const std::int64_t blocks =
                (sequence.known() + m_schedule.blockTokens - 1) / m_schedule.blockTokens;
            const auto own = static_cast<double>(blockBytes(m_kv.of(sequence.kv).format()));
            earlier.push_back({.held = static_cast<std::int64_t>(sequence.blocks().size()),
                               .needed = areAlone && sequence.hasStarted ? blocks : 0,
                               .size = own / size});
        }
    }
    return earlier;
}

// Old caches serve as many sequences as the new one.
void Engine::growWindows(const EngineConfig& next) {
    m_kv.each([&](std::uint32_t, KvCache& kv) {
        kv.growWindows(*m_loaded.ops,
                       windowPlaces(withFormat(next, kv.format()), m_loaded.model->spec()));
    });
}

} // namespace engine
