#include "engine/serving/serving_backend.h"

#include "engine/serving/overlay.h"

#include <algorithm>
#include <ranges>

namespace engine {

ServingBackend::ServingBackend(ServingParts parts)
    : m_now(std::move(parts.now)),
      m_requested(parts.main->config().requested),
      m_random(std::random_device{}()),
      m_main(std::move(parts.main)),
      m_ahead(parts.ahead),
      m_keepsSettings(parts.keepsSettings),
      m_fileFormat(m_main->capabilities().fileFormat),
      m_modelPath(m_main->capabilities().modelPath),
      m_digest(m_main->capabilities().modelDigest),
      m_light(std::move(parts.makeLight)) {}

ServingBackend::~ServingBackend() = default;

std::shared_ptr<TokenStream> ServingBackend::open(Request request) {
    if (level() > 0) {
        request.tags |= static_cast<std::uint32_t>(SampleTag::Degraded);
    }
    return m_main->open(std::move(request));
}

void ServingBackend::append(RequestId id, std::string text) {
    m_main->append(id, std::move(text));
}

void ServingBackend::truncate(RequestId id, std::size_t bytes) {
    m_main->truncate(id, bytes);
}

void ServingBackend::complete(RequestId id, Completion completion) {
    m_main->complete(id, std::move(completion));
}

EngineConfig ServingBackend::requested() const {
    const std::lock_guard lock(m_configMutex);
    return m_requested;
}

EngineConfig ServingBackend::under(int level, const EngineConfig& requested) const {
    return m_keepsSettings ? requested
                           : underLevel(level, requested, weightBitsOf(requested, m_fileFormat));
}

Result<void> ServingBackend::apply(const EngineConfig& requested) {
    const EngineConfig wanted = under(level(), requested);
    return m_main->edit([&wanted](EngineConfig& config) { config = wanted; });
}

Result<void> ServingBackend::edit(const std::function<void(EngineConfig&)>& change) {
    // As in ConfigBox: `change` may look at this backend, and is made again where another edit came
    // in between.
    for (;;) {
        std::uint64_t seen = 0;
        EngineConfig edited;
        {
            const std::lock_guard lock(m_configMutex);
            seen = m_version;
            edited = m_requested;
        }
        change(edited);
        if (auto valid = validate(edited); !valid) {
            return valid;
        }
        const std::lock_guard lock(m_configMutex);
        if (m_version != seen) {
            continue;
        }
        if (auto applied = apply(edited); !applied) {
            return applied;
        }
        if (edited != m_requested) {
            m_isEvaluationDue.store(edited.serving != m_requested.serving,
                                    std::memory_order_relaxed);
            m_requested = edited;
            ++m_version;
        }
        return {};
    }
}

ConfigStatus ServingBackend::config() const {
    const std::lock_guard lock(m_configMutex);
    ConfigStatus status = m_main->config();
    status.version += m_version;
    return heldStatus(m_keepsSettings ? 0 : level(), m_requested, std::move(status),
                      weightBitsOf(m_requested, m_fileFormat));
}

Capabilities ServingBackend::capabilities() const {
    return m_main->capabilities();
}

Snapshot ServingBackend::snapshot() {
    Snapshot snapshot = m_main->snapshot();
    const Snapshot light = m_light.snapshot();
    snapshot.level = level();
    if (snapshot.state == EngineState::Idle && light.running > 0) {
        snapshot.state = EngineState::Running;
    }
    snapshot.running += light.running;
    snapshot.waiting += light.waiting;
    snapshot.promptTokens += light.promptTokens;
    snapshot.outputTokens += light.outputTokens;
    snapshot.cancelled += light.cancelled;
    snapshot.poolBusyNs += light.poolBusyNs;
    snapshot.weightsBytes += light.weightsBytes;
    snapshot.kvBytes += light.kvBytes;
    snapshot.kvBlocksPacked += light.kvBlocksPacked;
    snapshot.kvPackedBytes += light.kvPackedBytes;
    snapshot.kvUnpackedBytes += light.kvUnpackedBytes;
    snapshot.kvRestores += light.kvRestores;
    snapshot.cachedAnswers = m_storedAnswers.load(std::memory_order_relaxed);
    snapshot.lightAnswers = m_lightAnswers.load(std::memory_order_relaxed);
    const std::uint64_t lightFailures = m_lightFailures.load(std::memory_order_relaxed);
    snapshot.failed += lightFailures;
    snapshot.completed += light.completed + snapshot.cachedAnswers;
    snapshot.received += light.completed + light.cancelled + lightFailures +
                         static_cast<std::uint64_t>(light.running + light.waiting) +
                         snapshot.cachedAnswers;
    return snapshot;
}

void ServingBackend::resetPrefixCache() {
    m_main->resetPrefixCache();
}

void ServingBackend::post(EventSource source, Notice notice) {
    m_main->post(source, std::move(notice));
}

Result<std::vector<TokenId>> ServingBackend::tokenize(std::string_view text) const {
    return m_main->tokenize(text);
}

Result<std::string> ServingBackend::detokenize(std::span<const TokenId> ids) const {
    return m_main->detokenize(ids);
}

Result<std::string> ServingBackend::tokenBytes(TokenId id) const {
    return m_main->tokenBytes(id);
}

ServingStatus ServingBackend::servingStatus() const {
    const ConfigStatus status = m_main->config();
    ServingStatus result;
    {
        const std::lock_guard lock(m_statusMutex);
        result = m_status;
    }
    result.level = level();
    result.light = m_light.status();
    result.answers = m_answers.status();
    result.actions = levelActions(result.level, requested(), status, m_fileFormat, result.light,
                                  m_ahead != nullptr ? m_ahead->weightsAhead() : WeightsAhead{});
    if (m_keepsSettings) {
        for (LevelAction& action : result.actions) {
            if (!action.target.empty()) {
                action.state = ActionState::Unavailable;
                action.reason = "An attached server keeps its own settings.";
            }
        }
    }
    return result;
}

void ServingBackend::setLightModel(std::filesystem::path file) {
    {
        const std::lock_guard lock(m_statusMutex);
        m_lightFile = std::move(file);
    }
    m_isEvaluationDue.store(true, std::memory_order_relaxed);
}

void ServingBackend::forgetAnswers() {
    m_answers.clear();
}

void ServingBackend::limitAnswers(const ServingConfig& settings) {
    m_answers.limit(static_cast<std::uint64_t>(settings.answersMib) << 20U,
                    std::chrono::milliseconds(settings.answersTtlMs));
}

std::vector<KeptAnswer> ServingBackend::keptAnswers() const {
    return m_answers.all(m_now());
}

// From the one used longest ago on, so that the order stays. What is here already is newer.
void ServingBackend::addAnswers(std::vector<KeptAnswer> answers) {
    limitAnswers(requested().serving);
    const TimePoint now = m_now();
    for (KeptAnswer& kept : std::views::reverse(answers)) {
        if (!m_answers.holds(kept.key)) {
            m_answers.keep(std::move(kept.key), std::move(kept.answer), now - kept.age);
        }
    }
}

std::unique_ptr<Backend> withServing(ServingParts parts) {
    return std::make_unique<ServingBackend>(std::move(parts));
}

} // namespace engine
