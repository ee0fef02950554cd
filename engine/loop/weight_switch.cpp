// Weights in another precision while requests run: ordered when the setting changes, put in place
// of the old ones between two steps.
#include "engine/base/failure.h"
#include "engine/loop/engine.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {

namespace {

constexpr std::string_view kKey = "weights.precision";

std::string nameOf(WeightPrecision precision) {
    EngineConfig config;
    config.precision = precision;
    return valueText(*findField(kKey), config);
}

} // namespace

std::uint64_t Engine::weightsMemory() const {
    const bool isCopied = m_effective.weightsLayout == WeightsLayout::Packed ||
                          m_effective.precision != WeightPrecision::File;
    return isCopied ? m_loaded.model->weightsBytes() : m_loaded.checkpoint->fileBytes();
}

void Engine::prepareWeights(std::optional<WeightPrecision> precision) {
    const int wanted = precision ? static_cast<int>(*precision) : kNoneAhead;
    if (m_wantedAhead.exchange(wanted, std::memory_order_relaxed) != wanted) {
        m_inbox.wake();
    }
}

WeightsAhead Engine::weightsAhead() const {
    const std::lock_guard lock(m_statusMutex);
    return m_ahead;
}

void Engine::tellAhead(const WeightsAhead& ahead) {
    const std::lock_guard lock(m_statusMutex);
    m_ahead = ahead;
}

// What was refused is no change until somebody edits again.
bool Engine::isWeightsChange() const {
    return m_wanted.precision != m_applied.precision && !m_refused.contains(kKey);
}

// Whether weights of the wanted precision are ready; orders them where they are not, and those that
// are to be there before they are wanted.
bool Engine::hasWeights() {
    takePrepared();
    const bool isChange = isWeightsChange();
    const bool isAhead = !isChange && m_seenAhead != kNoneAhead &&
                         m_seenAhead != static_cast<int>(m_applied.precision);
    const WeightPrecision target =
        isAhead ? static_cast<WeightPrecision>(m_seenAhead) : m_wanted.precision;
    if (m_preparedWeights && (m_preparedWeights->precision != target || (!isChange && !isAhead))) {
        dropPrepared();
    }
    if (!isAhead) {
        tellAhead({});
    }
    if (!isChange && !isAhead) {
        m_weights->cancel();
        return false;
    }
    if (m_preparedWeights) {
        if (isAhead) {
            tellAhead({.state = WeightsAhead::State::Ready, .precision = target});
        }
        return isChange;
    }
    if (isAhead) {
        const WeightsAhead before = weightsAhead();
        if (before.state == WeightsAhead::State::Failed && before.precision == target) {
            return false; // tried again when somebody changes something
        }
        tellAhead({.state = WeightsAhead::State::Preparing, .precision = target});
    }
    m_weights->order({.precision = target,
                      .layout = m_applied.weightsLayout == WeightsLayout::Packed
                                    ? kernels::WeightLayout::Packed
                                    : kernels::WeightLayout::File,
                      .path = m_loaded.path,
                      .digest = m_loaded.checkpoint->digest(),
                      .ops = m_loaded.ops.get(),
                      .threads = threadCount(m_applied),
                      .stepTokens = m_effective.tokenBudget,
                      .logitRows = m_effective.maxBatch});
    return false;
}

// What was made; of what was made in advance it is told how it went, and a failure is not kept: it
// may be possible by the time it is wanted.
void Engine::takePrepared() {
    if (!m_weights->hasResult()) {
        return;
    }
    m_preparedWeights = m_weights->take();
    if (!m_preparedWeights || isWeightsChange()) {
        return;
    }
    const WeightPrecision precision = m_preparedWeights->precision;
    if (m_preparedWeights->model) {
        tellAhead({.state = WeightsAhead::State::Ready, .precision = precision});
    } else {
        tellAhead({.state = WeightsAhead::State::Failed,
                   .precision = precision,
                   .reason = m_preparedWeights->error});
        m_preparedWeights.reset();
    }
}

void Engine::dropPrepared() {
    if (m_preparedWeights) {
        m_weights->dispose(std::move(m_preparedWeights->model),
                           std::move(m_preparedWeights->checkpoint));
        m_preparedWeights.reset();
    }
}

// Precondition: hasWeights(). Throws Failure where they could not be made.
void Engine::switchWeights(const EngineConfig& next) {
    PreparedWeights prepared = std::exchange(m_preparedWeights, std::nullopt).value();
    m_seenAhead = kNoneAhead; // what is to be ready is considered anew, however this ends
    if (!prepared.model) {
        throw Failure(ErrorCode::Unsupported, prepared.error);
    }
    // Steps as they are in force: wider ones may have been refused in the same edit.
    prepared.model->reserve(m_effective.tokenBudget, m_effective.maxBatch);
    const std::uint64_t before = m_figures.weightsBytes;
    const std::string from = nameOf(m_applied.precision);
    m_loaded.model.swap(prepared.model);
    m_loaded.weightsFile.swap(prepared.checkpoint);
    m_weights->dispose(std::move(prepared.model), std::move(prepared.checkpoint));
    // What was computed with the old ones goes on, and is nobody else's beginning.
    m_schedule.prefix.reset(m_schedule.pool);
    ++m_schedule.lineage;
    beginLineages();
    for (const auto& [id, answer] : m_answers) {
        if (answer->sequence && answer->sequence->lineage != m_schedule.lineage) {
            answer->tag(SampleTag::Mixed);
        }
    }
    m_costFit = {}; // another speed
    m_figures.weightsBytes = weightsMemory();
    emit(Notice{.kind = "weights_changed",
                .values = {{"from", from},
                           {"to", nameOf(next.precision)},
                           {"before_bytes", fmt::format("{}", before)},
                           {"after_bytes", fmt::format("{}", m_figures.weightsBytes)},
                           {"prepared_ms",
                            fmt::format("{:.0f}",
                                        std::chrono::duration<double, std::milli>(prepared.duration)
                                            .count())}}},
         Delivery::Guaranteed);
}

// After every change of numbers: of weights, of keys and values, of what tokens see.
void Engine::checkQuality(const std::vector<FieldChange>& changes) {
    const bool isOfNumbers = !changesOfNumbers(changes, m_effective.attention).empty();
    const kernels::Format weights = m_loaded.model->spec().weightFormat;
    const bool isReference = m_effective.precision == WeightPrecision::File &&
                             m_effective.attention == Attention::Full &&
                             kvFormat(m_effective, weights) == kvFormat(EngineConfig{}, weights);
    if (isOfNumbers && isReference) {
        m_quality->trust(m_effective);
        return;
    }
    if (!m_effective.checksQuality) { // one that runs would go on beside what is measured now
        m_quality->cancel();
        return;
    }
    if (!isOfNumbers) {
        return;
    }
    m_quality->order(
        {.path = m_loaded.path,
         .digest = m_loaded.checkpoint->digest(),
         .options = {.threads = m_effective.threads,
                     .blockTokens = m_effective.blockTokens,
                     .precision = m_effective.precision,
                     .kvPrecision = m_effective.kvPrecision,
                     .keyPrecision = m_effective.keyPrecision,
                     .valuePrecision = m_effective.valuePrecision,
                     .attention = m_effective.attention,
                     .attentionFirst = m_effective.attentionFirst,
                     .attentionWindow = m_effective.attentionWindow,
                     .attentionShare = m_effective.attentionShare},
         .cut = {.tokens = m_effective.qualityTokens},
         .contextTokens = m_loaded.model->spec().contextTokens,
         .vocabulary = m_loaded.model->spec().vocabulary,
         .weightsBytes = std::max(weightBytesNeeded(*m_loaded.checkpoint, WeightPrecision::File),
                                  weightBytesNeeded(*m_loaded.checkpoint, m_effective.precision)),
         .encode =
             [this](std::string_view text) {
                 return m_loaded.tokenizer->encode(text, SpecialTokens::Escape);
             },
         .config = m_effective});
}

// Kinds of tensors that are held in something else than what is in force.
void Engine::addWeightReasons(ConfigStatus& status) {
    const auto field = std::ranges::find(status.fields, kKey, &FieldStatus::key);
    if (field == status.fields.end() || field->state != FieldState::InForce) {
        return;
    }
    for (const WeightGroupStatus& group : status.weights) {
        if (!group.reason.empty()) {
            field->reason += fmt::format("{}{}: {}", field->reason.empty() ? "" : " ", group.group,
                                         group.reason);
        }
    }
}

// What is on its way, for whoever asks. Any thread.
void Engine::addPreparing(ConfigStatus& status) const {
    const auto progress = m_weights->progress();
    if (!progress || status.requested.precision == status.effective.precision) {
        return;
    }
    for (FieldStatus& field : status.fields) {
        if (field.key != kKey || field.state != FieldState::Pending) {
            continue;
        }
        field.state = FieldState::Preparing;
        field.progress = static_cast<float>(progress->part);
        field.secondsLeft = progress->secondsLeft;
        field.reason =
            fmt::format("The weights are being converted, {:.0f} % done", progress->part * 100.0);
        field.reason += progress->secondsLeft
                            ? fmt::format(", about {:.0f} s left.", *progress->secondsLeft)
                            : ".";
    }
}

} // namespace engine
