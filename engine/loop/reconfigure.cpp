// A change of settings at a step boundary: which fields may change now, and what each of them
// rebuilds. What cannot be had leaves the field as it was, with the reason.
#include "engine/base/failure.h"
#include "engine/loop/engine.h"
#include "engine/loop/kv_size.h"
#include "engine/loop/memory_reading.h"

#include <fmt/format.h>
#include <system_error>

#include <algorithm>
#include <array>
#include <new>

namespace engine {

// Fields that rebuild something; the others are read anew by every step.
struct Engine::Reconfiguration {
    std::string_view key;
    void (Engine::*rebuild)(const EngineConfig& next);
};

std::span<const Engine::Reconfiguration> Engine::reconfigurations() {
    static constexpr std::array<Reconfiguration, 15> kTable = {{
        {.key = "kv.cold_blocks", .rebuild = &Engine::switchColdBlocks},
        {.key = "batching.policy", .rebuild = &Engine::replacePolicy},
        {.key = "kv.prefix_cache", .rebuild = &Engine::switchPrefixes},
        {.key = "batching.max_batch", .rebuild = &Engine::resizeScratch},
        {.key = "batching.token_budget", .rebuild = &Engine::resizeScratch},
        {.key = "threads", .rebuild = &Engine::resizePool},
        {.key = "kv.blocks", .rebuild = &Engine::replaceKv},
        {.key = "weights.precision", .rebuild = &Engine::switchWeights},
        {.key = "kv.precision", .rebuild = &Engine::switchKv},
        {.key = "kv.key_precision", .rebuild = &Engine::switchKv},
        {.key = "kv.value_precision", .rebuild = &Engine::switchKv},
        {.key = "attention.mode", .rebuild = &Engine::changeAttention},
        {.key = "attention.first", .rebuild = &Engine::changeAttention},
        {.key = "attention.window", .rebuild = &Engine::changeAttention},
        {.key = "attention.share", .rebuild = &Engine::changeAttention},
    }};
    return kTable;
}

void Engine::applyConfig() {
    const std::uint64_t version = m_requested.version();
    const int ahead = m_wantedAhead.load(std::memory_order_relaxed);
    if (version == m_seenConfig && ahead == m_seenAhead && !m_isDraining &&
        !m_weights->hasResult()) {
        return;
    }
    const bool isNew = version != m_seenConfig;
    if (isNew || ahead != m_seenAhead) {
        tellAhead({}); // what failed is tried again
    }
    m_seenAhead = ahead;
    if (isNew) {
        m_seenConfig = version;
        m_wanted = m_requested.value();
        m_refused.clear();
    }
    const bool wasDraining = m_isDraining;
    const EngineConfig next = applicable();
    if (m_isDraining != wasDraining) {
        setState(m_isDraining ? EngineState::Draining : EngineState::Idle);
    }
    if (next != m_applied) {
        reconfigure(next);
    } else if (isNew) {
        publishConfig();
    }
}

// The applied values with every wanted one that may take effect now.
EngineConfig Engine::applicable() {
    EngineConfig next = m_applied;
    m_isDraining = false;
    const bool areWeightsReady = hasWeights();
    for (const Field& field : fieldTable()) {
        if (field.get(m_wanted) == field.get(m_applied) || m_refused.contains(field.key) ||
            field.takesEffect == TakesEffect::Reload) {
            continue;
        }
        if (field.key == "weights.precision" && !areWeightsReady) {
            continue; // on its way
        }
        if (field.takesEffect == TakesEffect::Drained && m_schedule.startedSequences() > 0) {
            m_isDraining = true;
        } else {
            field.set(next, field.get(m_wanted));
        }
    }
    refuseKeysThatNoBlockHolds(next);
    return next;
}

// Asked for together with larger blocks, such keys are valid; but blocks get their size when the
// model is loaded.
void Engine::refuseKeysThatNoBlockHolds(EngineConfig& next) {
    if (kvFormat(next, m_loaded.model->spec().weightFormat).keys != KvPrecision::INT4 ||
        m_schedule.blockTokens % kernels::kKvGroup == 0) {
        return;
    }
    for (const std::string_view key : {"kv.precision", "kv.key_precision"}) {
        const Field& field = *findField(key);
        if (field.get(next) != field.get(m_applied)) {
            field.set(next, field.get(m_applied));
            m_refused[field.key] =
                fmt::format("Keys in INT4 are coded {} tokens at a time, and KV blocks hold {} "
                            "until the model is loaded again.",
                            kernels::kKvGroup, m_schedule.blockTokens);
        }
    }
}

void Engine::reconfigure(const EngineConfig& next) {
    const EngineConfig before = m_effective;
    for (const Field& field : fieldTable()) {
        if (field.get(next) != field.get(m_applied) && tryApply(field, next)) {
            field.set(m_applied, field.get(next));
        }
    }
    publishConfig();
    auto changes = diff(before, m_effective);
    if (changes.empty()) {
        return;
    }
    for (const auto& [id, answer] : m_answers) {
        answer->tag(SampleTag::ConfigChanged);
    }
    checkQuality(changes);
    emit(ConfigApplied{.changes = std::move(changes),
                       .fromStep = m_step.load(std::memory_order_relaxed) + 1},
         Delivery::Guaranteed);
}

bool Engine::tryApply(const Field& field, const EngineConfig& next) {
    try {
        const std::int64_t before = field.get(m_effective);
        field.set(m_effective, field.get(next));
        for (const Reconfiguration& part : reconfigurations()) {
            if (part.key == field.key) {
                try {
                    (this->*part.rebuild)(next);
                } catch (...) {
                    field.set(m_effective, before);
                    throw;
                }
            }
        }
        return true;
    } catch (const Failure& failure) {
        m_refused[field.key] = failure.what();
    } catch (const std::bad_alloc&) {
        m_refused[field.key] = "There is not enough memory for it.";
    } catch (const std::system_error& fault) { // threads above all
        m_refused[field.key] =
            fmt::format("The system does not give it: {}.", fault.code().message());
    }
    return false;
}

void Engine::replacePolicy(const EngineConfig& next) {
    m_policy = &policyFor(next.batching);
    m_batchWatch.release(Clock::now());
}

void Engine::switchPrefixes(const EngineConfig& next) {
    KvCache& kv = m_kv.current();
    const bool isPossible = kv.windows() == nullptr;
    m_schedule.keepsPrefixes = next.keepsPrefixes && isPossible;
    if (!m_schedule.keepsPrefixes) {
        m_schedule.prefix.reset(m_schedule.pool);
    }
    if (next.keepsPrefixes && !isPossible && widestWindow(m_loaded.model->spec().kv) == 0) {
        throw Failure(ErrorCode::Unsupported,
                      "Keys in INT4 keep the last 128 tokens of a sequence in full, and nobody "
                      "keeps these for another one that begins alike.");
    }
    if (next.keepsPrefixes && !isPossible) {
        throw Failure(ErrorCode::Unsupported,
                      "Some layers of this model keep only what is inside their window, so that "
                      "the beginning of a prompt is not whole once it is out of sight.");
    }
}

// One field after the other: the second may be refused, and the first is in force then. The model's
// memory comes last, as it may become smaller than what the fields before allow.
void Engine::resizeScratch(const EngineConfig&) {
    growWindows(m_effective);
    m_loaded.model->reserve(m_effective.tokenBudget, m_effective.maxBatch);
}

void Engine::resizePool(const EngineConfig& next) {
    m_loaded.pool->resize(threadCount(next));
    m_effective.threads = m_loaded.pool->threads();
    m_samplers.resize(static_cast<std::size_t>(m_effective.threads));
}

// Layers with a window see all of it, whatever the setting leaves out: else their memory would keep
// what no list of blocks names any more. Who waits begins with what is in force.
void Engine::changeAttention(const EngineConfig& next) {
    m_effective.attentionWindow =
        std::max<std::int64_t>(next.attentionWindow, widestWindow(m_loaded.model->spec().kv));
    beginLineages();
}

void Engine::rejectWhatNoLongerFits() {
    for (Sequence* sequence : m_schedule.queue.all()) {
        if (sequence->hasStarted && sequence->kv != m_kv.currentId()) {
            continue; // it goes on in the cache that it began in
        }
        Answer& answer = answerOf(*sequence);
        if (const auto refusal = refuseLength(answer.promptTokens, capacity())) {
            finish(answer, refusal->reason, refusal->message);
        } else {
            sequence->limitAnswer(
                answerLimit(answer.promptTokens, answer.request.maxTokens, capacity()));
        }
    }
}

Capacity Engine::capacity() const {
    return {.contextTokens = contextLimit(m_effective, m_loaded.model->spec()),
            .poolTokens = m_kvWanted * m_schedule.blockTokens};
}

} // namespace engine
