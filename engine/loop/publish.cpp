// The figures of an instant, for whoever watches.
#include "engine/loop/engine.h"
#include "engine/loop/memory_reading.h"

namespace engine {

namespace {

constexpr auto kReadMemoryEvery = std::chrono::milliseconds(250); // it costs some 50 us

} // namespace

void Engine::publish() {
    const TimePoint now = Clock::now();
    m_lastPublished = now;
    const auto running = static_cast<std::int64_t>(m_schedule.running.size());
    const std::int64_t started = m_schedule.startedSequences();
    m_started.store(started, std::memory_order_relaxed);
    if (now - m_lastMemoryReading >= kReadMemoryEvery) {
        m_lastMemoryReading = now;
        const MemoryReading memory = readMemory();
        m_figures.processBytes = memory.processBytes;
        m_figures.machineTotalBytes = memory.totalBytes;
        m_figures.machineAvailableBytes = memory.availableBytes;
    }
    m_figures.timeNs = std::chrono::duration_cast<Nanoseconds>(now.time_since_epoch()).count();
    m_figures.step = m_step.load(std::memory_order_relaxed);
    m_figures.state = m_state;
    if (m_state == EngineState::Idle && !m_answers.empty()) {
        m_figures.state = EngineState::Running;
    }
    const std::int64_t received = m_received.load(std::memory_order_relaxed);
    m_figures.received = static_cast<std::uint64_t>(received);
    m_figures.running = running;
    m_figures.waiting =
        received - m_leftWaiting.load(std::memory_order_relaxed) + started - running;
    m_figures.slots = m_effective.batching == Batching::Single ? 1 : m_effective.maxBatch;
    m_figures.kvBlocksKept = m_schedule.prefix.idle();
    m_figures.kvBlocksPacked = m_schedule.prefix.packed();
    m_figures.kvPackedBytes = m_schedule.prefix.packedBytes();
    m_figures.kvUnpackedBytes = m_schedule.prefix.unpackedBytes();
    m_figures.kvBlocksUsed = m_schedule.pool.used() - m_figures.kvBlocksKept;
    m_figures.kvBlocksTotal = m_schedule.totalBlocks();
    m_figures.kvTokens = m_schedule.cachedTokens();
    m_figures.kvBytes = m_kv.bytes();
    m_figures.weightsAheadBytes = m_preparedWeights && m_preparedWeights->model
                                      ? m_preparedWeights->model->weightsBytes()
                                      : 0;
    m_adapters->setBaseBytes(m_figures.weightsBytes);
    const AdapterShelf::Figures adapters = m_adapters->figures();
    m_figures.adapters = adapters.loaded;
    m_figures.adapterBytes = adapters.bytes;
    m_figures.poolBusyNs = m_loaded.pool->busyNanoseconds();
    m_figures.threads = m_loaded.pool->threads();
    m_snapshot.publish(m_figures);
}

void Engine::publishConfig() {
    const std::lock_guard lock(m_statusMutex);
    m_inForce.applied = m_applied;
    m_inForce.effective = m_effective;
    m_inForce.refused = m_refused;
    m_inForce.reasons.clear();
    if (m_effective.attentionWindow != m_applied.attentionWindow) {
        m_inForce.reasons["attention.window"] =
            "Layers of this model have a longer window, and see all of it.";
    }
    m_inForce.weights = m_loaded.model->spec().weightGroups;
    m_capabilities.computing = computingOf(m_loaded.model->spec());
    m_inForce.consideredVersion = m_seenConfig;
    ++m_inForce.version;
    m_capabilities.kvBytesPerToken =
        m_loaded.model->spec().kvBytesPerToken(m_kv.current().format());
    m_capabilities.contextTokens = capacity().limitTokens();
}

} // namespace engine
