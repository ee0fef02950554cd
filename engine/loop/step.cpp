// The heart: a step takes what arrived, plans, runs and commits.
#include "engine/base/ensure.h"
#include "engine/base/failure.h"
#include "engine/loop/engine.h"
#include "engine/schedule/window_places.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {

namespace {

// A request that comes after this long without work finds cold caches and parked threads.
constexpr auto kIdleStart = std::chrono::seconds(1);
constexpr auto kPublishEvery = std::chrono::milliseconds(20);
constexpr std::string_view kWarmUpLabel = "warm-up";

std::string messageOf(FinishReason reason) {
    switch (reason) {
    case FinishReason::Cancelled:
        return "The request was cancelled.";
    case FinishReason::Deadline:
        return "The deadline passed before the answer was complete.";
    default:
        return {};
    }
}

} // namespace

// False when there was nothing to do: the loop waits for the inbox.
bool Engine::step(const std::stop_token& stop) {
    takeInbox();
    takeCancellations();
    applyConfig();

    StepTimes times;
    const StepPlan plan =
        m_policy->plan(m_schedule.queue, m_schedule.running, limits(), Clock::now());
    if (plan.isEmpty()) {
        return false;
    }
    times.planned = Clock::now();
    commitPlan(plan, m_schedule, m_step.fetch_add(1, std::memory_order_relaxed) + 1);
    times.ready = Clock::now();
    notePlan(plan, times);

    if (!plan.slices.empty()) {
        buildBatch(plan, m_schedule.blockTokens, m_batch);
        const WindowSight sight{.window = m_kv.window(), .blockTokens = m_kv.blockTokens()};
        if (WindowMap* windows = m_kv.windows()) {
            placeWindows(m_batch, *windows, sight, m_schedule.pool);
        }
        const kernels::View logits = m_loaded.model->forward(m_batch, m_kv, stop);
        if (WindowMap* windows = m_kv.windows()) {
            trimWindows(m_batch, *windows, sight);
        }
        times.computed = Clock::now();
        sampleRows(plan, logits);
        times.sampled = Clock::now();
        commitComputed(plan, m_schedule);
        commitStep(plan, times);
    }
    publishIfDue();
    return true;
}

void Engine::takeInbox() {
    for (auto& arrived : m_inbox.take()) {
        Answer& answer = *arrived;
        m_answers.emplace(answer.id, std::move(arrived));
        if (answer.refusal) {
            const Refusal refusal = *answer.refusal;
            finish(answer, refusal.reason, refusal.message);
        } else {
            admit(answer);
        }
    }
    if (m_answers.empty() && !m_idleSince) {
        m_idleSince = Clock::now();
    }
}

// Into the queue, or refused because it can never be served.
void Engine::admit(Answer& answer) {
    const TimePoint now = Clock::now();
    answer.stamps.admitted = now;
    answer.promptTokens = static_cast<std::int64_t>(answer.prompt.size());
    if (answer.cancellation->stop_requested()) {
        finish(answer, FinishReason::Cancelled, messageOf(FinishReason::Cancelled));
        return;
    }
    if (answer.prompt.empty()) {
        finish(answer, FinishReason::Rejected,
               "The prompt is empty: this model needs at least one token to begin with.");
        return;
    }
    const std::int64_t vocabulary = m_loaded.model->spec().vocabulary;
    const auto isForeign = [&](TokenId id) { return id < 0 || id >= vocabulary; };
    if (const auto id = std::ranges::find_if(answer.prompt, isForeign); id != answer.prompt.end()) {
        finish(answer, FinishReason::Rejected,
               fmt::format("The prompt holds the token {}; the model has {} tokens.", *id,
                           vocabulary));
        return;
    }
    if (const auto refusal = refuseLength(answer.promptTokens, capacity())) {
        finish(answer, refusal->reason, refusal->message);
        return;
    }
    answer.sequence.emplace(answer.id, std::move(answer.prompt),
                            answerLimit(answer.promptTokens, answer.request.maxTokens, capacity()));
    answer.sequence->deadline = answer.request.deadline;
    answer.sequence->turn = m_step.load(std::memory_order_relaxed);
    m_schedule.queue.push(*answer.sequence);

    if (answer.origin == Origin::WarmUp || answer.request.label == kWarmUpLabel) {
        answer.tag(SampleTag::WarmUp);
    }
    if (m_idleSince && now - *m_idleSince >= kIdleStart) {
        answer.tag(SampleTag::IdleStart);
    }
    m_idleSince.reset();
}

void Engine::takeCancellations() {
    // acquire: pairs with the release in cancel(), so that the request's own mark is seen.
    const std::uint64_t cancels = m_cancels.load(std::memory_order_acquire);
    if (cancels == m_seenCancels) {
        return;
    }
    m_seenCancels = cancels;
    for (const auto& [id, answer] : m_answers) {
        answer->sequence->isCancelled = answer->cancellation->stop_requested();
    }
}

Limits Engine::limits() const {
    constexpr std::int64_t kWatermarkShare = 100; // one block in so many
    return {.tokenBudget = m_effective.tokenBudget,
            .prefillChunk = m_effective.prefillChunk,
            .maxBatch = m_effective.maxBatch,
            .blockTokens = m_schedule.blockTokens,
            .freeBlocks = m_schedule.pool.free(),
            .watermarkBlocks = m_schedule.pool.total() / kWatermarkShare,
            .admitsNew = !m_isDraining};
}

// Who left, gave up or started with this plan.
void Engine::notePlan(const StepPlan& plan, const StepTimes& times) {
    const std::uint64_t step = m_step.load(std::memory_order_relaxed);
    for (const Ending& ending : plan.ended) {
        finish(answerOf(*ending.sequence), ending.reason, messageOf(ending.reason));
    }
    for (const Sequence* sequence : plan.preempted) {
        Answer& answer = answerOf(*sequence);
        answer.tag(SampleTag::Preempted);
        answer.preemptions.push_back({.begin = times.planned, .end = std::nullopt});
        ++m_figures.preemptions;
        emit(Preempted{.id = answer.id, .tokens = sequence->known()}, Delivery::Droppable);
    }
    for (const Sequence* sequence : plan.started) {
        Answer& answer = answerOf(*sequence);
        leaveWaiting(answer);
        if (!answer.preemptions.empty()) {
            answer.preemptions.back().end = times.planned;
        }
    }
    for (const Slice& slice : plan.slices) {
        Answer& answer = answerOf(*slice.sequence);
        if (!answer.stamps.planned) {
            answer.stamps.planned = times.planned;
            answer.stamps.kvReady = times.ready;
            if (m_isCold) {
                answer.tag(SampleTag::Cold);
            }
        } else if (!answer.stamps.firstSampled && answer.lastStep + 1 < step) {
            answer.ledger.addWait(times);
        }
        answer.lastStep = step;
    }
}

void Engine::sampleRows(const StepPlan& plan, kernels::View logits) {
    m_sampled.clear();
    m_sampling.clear();
    for (const Slice& slice : plan.slices) {
        if (slice.wantsLogits) {
            m_sampling.push_back(slice.sequence);
        }
    }
    m_sampled.resize(m_sampling.size());
    // Rows past the tokenizer's vocabulary are padding.
    const std::int64_t vocabulary =
        std::min(m_loaded.tokenizer->size(), m_loaded.model->spec().vocabulary);
    const auto sampleRange = [&](std::int64_t begin, std::int64_t end, int worker) {
        for (std::int64_t row = begin; row < end; ++row) {
            const Sequence& sequence = *m_sampling[static_cast<std::size_t>(row)];
            const std::span values(logits.f32() + row * logits.shape.rowLength(),
                                   static_cast<std::size_t>(vocabulary));
            m_sampled[static_cast<std::size_t>(row)] =
                m_samplers[static_cast<std::size_t>(worker)].sample(
                    values, answerOf(sequence).request.sampling, sequence.known());
        }
    };
    m_loaded.pool->parallelFor(static_cast<std::int64_t>(m_sampling.size()), 1, sampleRange);
}

void Engine::commitStep(const StepPlan& plan, const StepTimes& times) {
    m_isCold = false;
    m_figures.stepSequences = static_cast<std::int64_t>(plan.slices.size());
    m_figures.stepTokens = plan.tokens();
    const Nanoseconds weightTraffic = modelledWeightTraffic();
    std::size_t sampled = 0;
    for (const Slice& slice : plan.slices) {
        Answer& answer = answerOf(*slice.sequence);
        countPrompt(answer);
        if (!answer.stamps.firstSampled) {
            answer.ledger.addPrefillStep(times, slice.tokens, m_figures.stepTokens, weightTraffic);
        }
        if (slice.wantsLogits) {
            commitSampled(answer, m_sampled[sampled++], times);
        }
    }
    if (m_effective.weightsLayout == WeightsLayout::File) {
        if (const auto whole = m_loaded.stillWhole(); !whole) {
            throw Failure(whole.error().code, whole.error().message);
        }
    }
}

// Time in which this step's weights come from memory: a model, never a measurement.
Nanoseconds Engine::modelledWeightTraffic() const {
    const double bytes = static_cast<double>(
        m_loaded.model->trafficBytes(m_batch.tokens(), !m_batch.logitRows.empty()));
    const double seconds = bytes / std::max(1.0, m_readBytesPerSecond);
    return std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(seconds));
}

// Tokens that are computed again after a preemption count once.
void Engine::countPrompt(Answer& answer) {
    const std::int64_t computed = std::min(answer.sequence->cached(), answer.promptTokens);
    const std::int64_t fresh = std::max<std::int64_t>(0, computed - answer.countedPrompt);
    answer.countedPrompt += fresh;
    if (answer.origin == Origin::Served) {
        m_figures.promptTokens += static_cast<std::uint64_t>(fresh);
    }
}

void Engine::commitSampled(Answer& answer, std::optional<TokenId> token, const StepTimes& times) {
    if (!answer.stamps.firstSampled) {
        answer.stamps.prefillDone = times.computed;
        answer.stamps.firstSampled = times.sampled;
        answer.ledger.add(Stage::Sample, times.sampled - times.computed);
    }
    if (!token) {
        finish(answer, FinishReason::Failed,
               "The model computed values that are no numbers: its file may be damaged.");
        return;
    }
    const Tokenizer& tokenizer = *m_loaded.tokenizer;
    if (tokenizer.isEndOfGeneration(*token) && !answer.request.ignoreEnd) {
        deliver(answer, answer.text.flush(), std::nullopt);
        finish(answer, FinishReason::Stop, {});
        return;
    }
    answer.sequence->commitToken(*token);
    ++answer.outputTokens;
    m_figures.outputTokens += answer.origin == Origin::Served ? 1 : 0;
    m_tokenBytes.clear();
    tokenizer.appendBytes(*token, m_tokenBytes);
    std::string text = answer.text.push(m_tokenBytes);
    const bool isFull = answer.sequence->isAnswerFull();
    if (isFull) {
        text += answer.text.flush();
    }
    deliver(answer, text, *token);
    if (answer.text.isStopped()) {
        finish(answer, FinishReason::Stop, {});
    } else if (isFull) {
        finish(answer, FinishReason::Length, {});
    }
}

void Engine::deliver(Answer& answer, const std::string& text, std::optional<TokenId> id) {
    const TimePoint ready = Clock::now();
    answer.stream->push(text, id);
    const TimePoint now = Clock::now();
    if (!text.empty()) {
        if (!answer.stamps.firstVisible) {
            answer.stamps.firstVisible = now;
            answer.ledger.add(Stage::Detokenize, ready - *answer.stamps.firstSampled);
            answer.ledger.add(Stage::Deliver, now - ready);
        }
        answer.steps.push_back(
            {.time = now,
             .tokens = static_cast<std::int32_t>(answer.outputTokens - answer.shownTokens)});
        answer.shownTokens = answer.outputTokens;
    }
    if (answer.stamps.firstVisible && (id || !text.empty())) {
        answer.stamps.lastToken = now;
    }
}

// A sequence leaves the schedule at once, and its request gets its end.
void Engine::finish(Answer& answer, FinishReason reason, const std::string& message) {
    if (answer.sequence) {
        commitEnd(*answer.sequence, m_schedule);
    }
    const RequestId id = answer.id;
    conclude(answer, reason, message);
    m_answers.erase(id);
}

void Engine::conclude(Answer& answer, FinishReason reason, std::string message) {
    const bool hasText = answer.stamps.firstVisible || answer.text.isStopped();
    if (outcome(reason) == Outcome::Completed && !hasText) {
        reason = FinishReason::Failed;
        message = fmt::format("The answer has no text: the model ended it after {} tokens.",
                              answer.outputTokens);
    }
    leaveWaiting(answer);
    answer.stamps.finished = Clock::now();
    const auto record = makeRecord(answer, reason, message);
    if (answer.origin == Origin::Served) {
        countOutcome(reason);
        emit(RequestFinished{.record = record}, Delivery::Guaranteed);
    }
    answer.stream->finish(reason, std::move(message), record);
}

void Engine::countOutcome(FinishReason reason) {
    switch (outcome(reason)) {
    case Outcome::Completed:
        ++m_figures.completed;
        break;
    case Outcome::Cancelled:
        ++m_figures.cancelled;
        break;
    case Outcome::Failed:
        ++m_figures.failed;
        break;
    case Outcome::Rejected:
        ++m_figures.rejected;
        break;
    }
}

void Engine::leaveWaiting(Answer& answer) {
    if (!answer.hasLeftWaiting && answer.origin == Origin::Served) {
        m_leftWaiting.fetch_add(1, std::memory_order_relaxed);
    }
    answer.hasLeftWaiting = true;
}

void Engine::publishIfDue() {
    if (Clock::now() - m_lastPublished >= kPublishEvery) {
        publish();
    }
}

} // namespace engine
