// The heart: a step takes what arrived, plans, runs and commits.
#include "engine/base/ensure.h"
#include "engine/base/failure.h"
#include "engine/loop/engine.h"
#include "engine/schedule/limits.h"
#include "engine/schedule/window_places.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {

namespace {

constexpr auto kPublishEvery = std::chrono::milliseconds(20);

bool servesAlike(const StepPlan& a, const StepPlan& b) {
    return a.tokens() == b.tokens() && a.slices.size() == b.slices.size() &&
           a.started.size() == b.started.size() && a.preempted.size() == b.preempted.size();
}

} // namespace

// False when there was nothing to do: the loop waits for the inbox.
bool Engine::step(const std::stop_token& stop) {
    // Before the inbox: a prompt is handed on before what changes it, so it can't be missing then.
    std::vector<PromptUpdate> updates = m_updates.take();
    takeInbox();
    takeUpdates(std::move(updates));
    takeCancellations();
    applyConfig();
    settleKv();

    StepTimes times;
    times.begun = Clock::now();
    endStreams(times.begun);
    dropPrefixes(times.begun);
    tendColdBlocks(times.begun);
    const StepPlan plan = makePlan(times.begun);
    m_wakeAt = plan.wakeAt;
    if (plan.isEmpty()) {
        return false;
    }
    times.planned = Clock::now();
    commitPlan(plan, m_schedule, m_step.fetch_add(1, std::memory_order_relaxed) + 1, times.planned);
    times.ready = Clock::now();
    notePlan(plan, times);
    if (!plan.slices.empty()) {
        std::optional<StepGate::Turn> turn;
        if (m_gate) {
            turn.emplace(*m_gate);
        }
        computeSlices(plan, times, stop);
    }
    publishIfDue();
    return true;
}

// Prompts that are still open give their blocks up before anybody waits for them.
StepPlan Engine::makePlan(TimePoint now) {
    const auto planWithin = [&](const Limits& limits) {
        return m_policy->plan(m_schedule.queue, m_schedule.running, limits, now);
    };
    Limits limits = this->limits();
    StepPlan plan = planWithin(limits);
    Limits withTheirs = limits;
    withTheirs.freeBlocks += streamBlocks();
    const bool areWanted =
        withTheirs.freeBlocks > limits.freeBlocks && !servesAlike(planWithin(withTheirs), plan);
    const bool hasWork = !m_schedule.queue.isEmpty() || !m_schedule.running.empty();
    const bool isStuck = hasWork && plan.isEmpty() && !plan.wakeAt && m_cold->unpacking() == 0;
    if ((areWanted || isStuck) && freeStreamBlocks(now)) {
        settleKv(); // perhaps only they still lived in an earlier cache
        limits = this->limits();
        plan = planWithin(limits);
    }
    if (plan.isEmpty() && now < m_streamsRestUntil && !m_schedule.streams.empty()) {
        plan.wakeAt = std::min(plan.wakeAt.value_or(m_streamsRestUntil), m_streamsRestUntil);
    } else {
        planStreams(streamsWithPlaces(plan, now), limits, plan);
    }
    return plan;
}

void Engine::claimBlocks(const StepPlan& plan) {
    for (const Slice& slice : plan.slices) {
        m_kv.claim(slice.sequence->kv,
                   slice.sequence->blocks().last(static_cast<std::size_t>(slice.newBlocks)));
    }
}

void Engine::computeSlices(const StepPlan& plan, StepTimes& times, const std::stop_token& stop) {
    claimBlocks(plan);
    const StepShape shape = shapeOf(plan);
    const bool hasOnlyStreams =
        std::ranges::all_of(plan.slices, [](const Slice& s) { return s.sequence->isOpen; });
    const StreamPace pace = streamPace(m_effective.threads, m_effective.streamCoresPercent);
    const TimePoint begun = Clock::now(); // not what waited for another engine's step
    if (hasOnlyStreams) {                 // whoever types needs processor time as well
        m_loaded.pool->limit(static_cast<int>(pace.threads));
    }
    const bool isComputed = computeAll(plan, times, stop);
    if (hasOnlyStreams) {
        m_loaded.pool->limit(static_cast<int>(m_effective.threads));
        const TimePoint now = Clock::now();
        m_streamsRestUntil = now + pace.restAfter(now - begun);
    }
    if (!isComputed) {
        return; // cancelled: the next plan ends it
    }
    times.sampled = Clock::now();
    commitComputed(plan, m_schedule);
    commitStep(plan, times);
    if (!hasOnlyStreams) {
        measureStep(shape, times);
    }
}

// Every cache by itself: one but for a while after its format was changed. False where the step was
// cancelled.
bool Engine::computeAll(const StepPlan& plan, StepTimes& times, const std::stop_token& stop) {
    m_sampled.assign(plan.slices.size(), Sampled{});
    std::vector<std::uint32_t> caches;
    for (const Slice& slice : plan.slices) {
        if (std::ranges::find(caches, slice.sequence->kv) == caches.end()) {
            caches.push_back(slice.sequence->kv);
        }
    }
    for (const std::uint32_t cache : caches) {
        takePart(plan, cache);
        if (!computePart(plan, m_kv.of(cache), times, stop)) {
            return false;
        }
    }
    return true;
}

// The plan's slices that live in one cache. Those of an adapter stand together, so that their rows
// are computed at once: no row's result depends on where it stands.
void Engine::takePart(const StepPlan& plan, std::uint32_t cache) {
    m_part.clear();
    m_partRows.clear();
    m_sampling.clear();
    m_partOrder.clear();
    for (std::size_t i = 0; i < plan.slices.size(); ++i) {
        if (plan.slices[i].sequence->kv == cache) {
            m_partOrder.push_back(i);
        }
    }
    std::ranges::sort(m_partOrder, {}, [&plan](std::size_t i) {
        const Adapter* adapter = plan.slices[i].sequence->adapter;
        return std::pair(
            adapter != nullptr ? std::string_view(adapter->info().digest) : std::string_view(), i);
    });
    for (const std::size_t i : m_partOrder) {
        const Slice& slice = plan.slices[i];
        m_part.push_back(slice);
        if (slice.wantsLogits) {
            m_partRows.push_back(i);
            m_sampling.push_back(slice.sequence);
        }
    }
}

bool Engine::computePart(const StepPlan& plan, KvCache& kv, StepTimes& times,
                         const std::stop_token& stop) {
    buildBatch(m_part, m_schedule.blockTokens, m_batch);
    const WindowSight sight{.window = kv.window(), .blockTokens = kv.blockTokens()};
    if (WindowMap* windows = kv.windows()) {
        placeWindows(m_batch, *windows, sight, m_schedule.pool);
    }
    const std::optional<kernels::View> logits = forward(plan, kv, stop);
    if (!logits) {
        return false;
    }
    if (WindowMap* windows = kv.windows()) {
        trimWindows(m_batch, *windows, sight);
    }
    times.computed = Clock::now();
    sampleRows(*logits);
    return true;
}

// The step stops within a layer once the request that is most of it is cancelled, however long its
// prompt is. What was computed for the others is computed again, into the same places; where that
// can't be done (places of windows move on, and part of the step was done in an older cache, which
// may have such) only a request that is alone stops its step.
std::optional<kernels::View> Engine::forward(const StepPlan& plan, const KvCache& kv,
                                             const std::stop_token& stop) {
    KvCache& current = m_kv.current();
    const bool isAllHere = std::ranges::all_of(
        plan.slices, [this](const Slice& slice) { return slice.sequence->kv == m_kv.currentId(); });
    const bool canRepeat = isAllHere && &kv == &current && current.windows() == nullptr;
    const Slice& most = *std::ranges::max_element(plan.slices, {}, &Slice::tokens);
    if (plan.slices.size() > 1 && !(canRepeat && 2 * most.tokens > plan.tokens())) {
        return m_loaded.model->forward(m_batch, kv, stop);
    }
    std::stop_source cancelled = *answerOf(*most.sequence).cancellation;
    const std::stop_callback closing(stop, [&cancelled] { cancelled.request_stop(); });
    try {
        return m_loaded.model->forward(m_batch, kv, cancelled.get_token());
    } catch (const Interrupted&) {
        if (stop.stop_requested()) {
            throw;
        }
        most.sequence->isCancelled = true; // or it would be planned for ever
        return std::nullopt;
    }
}

Limits Engine::limits() const {
    Limits limits = limitsOf(m_effective, m_schedule);
    limits.cost = promptCost(m_costFit.model(), m_schedule);
    limits.admitsNew = !m_isDraining;
    return limits;
}

// What has been unused for too long, or everything where that was asked.
void Engine::dropPrefixes(TimePoint now) {
    if (m_effective.prefixTtlMs > 0) {
        m_schedule.prefix.expire(now - std::chrono::milliseconds(m_effective.prefixTtlMs),
                                 m_schedule.pool);
    }
    const std::uint64_t resets = m_prefixResets.load(std::memory_order_relaxed);
    if (resets != m_seenPrefixResets) {
        m_seenPrefixResets = resets;
        const std::int64_t blocks = m_schedule.prefix.reset(m_schedule.pool);
        emit(Notice{.kind = "prefix_reset", .values = {{"blocks", fmt::format("{}", blocks)}}},
             Delivery::Droppable);
    }
}

void Engine::sampleRows(kernels::View logits) {
    // Rows past the tokenizer's vocabulary are padding.
    const std::int64_t vocabulary =
        std::min(m_loaded.tokenizer->size(), m_loaded.model->spec().vocabulary);
    const auto sampleRange = [&](std::int64_t begin, std::int64_t end, int worker) {
        for (std::int64_t row = begin; row < end; ++row) {
            const Sequence& sequence = *m_sampling[static_cast<std::size_t>(row)];
            const std::span values(logits.f32() + row * logits.shape.rowLength(),
                                   static_cast<std::size_t>(vocabulary));
            const Request& request = answerOf(sequence).request;
            Sampler& sampler = m_samplers[static_cast<std::size_t>(worker)];
            Sampled& sampled = m_sampled[m_partRows[static_cast<std::size_t>(row)]];
            sampled.token = sampler.sample(values, request.sampling, sequence.known());
            if (sampled.token && request.logprobs) {
                sampled.logprobs = sampler.logprobs(values, *sampled.token,
                                                    std::min(*request.logprobs, kMostLogprobs));
            }
        }
    };
    m_loaded.pool->parallelFor(static_cast<std::int64_t>(m_sampling.size()), 1, sampleRange);
}

void Engine::commitStep(const StepPlan& plan, const StepTimes& times) {
    m_isCold = false;
    m_figures.stepSequences = static_cast<std::int64_t>(plan.slices.size());
    m_figures.stepTokens = plan.tokens();
    countStep(m_figures.stepTokens);
    const Nanoseconds weightTraffic = modelledWeightTraffic();
    for (std::size_t i = 0; i < plan.slices.size(); ++i) {
        const Slice& slice = plan.slices[i];
        Answer& answer = answerOf(*slice.sequence);
        countPrompt(answer);
        if (slice.sequence->isOpen) {
            noteStreamed(answer, slice, times);
            continue;
        }
        if (!answer.stamps.firstSampled) {
            answer.ledger.addPrefillStep(times, slice.tokens, m_figures.stepTokens, weightTraffic);
        }
        if (slice.wantsLogits) {
            commitSampled(answer, std::move(m_sampled[i]), times);
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

// Tokens that are computed again after a preemption count once, those of a hit not at all.
void Engine::countPrompt(Answer& answer) {
    answer.countedPrompt = std::max(answer.countedPrompt, answer.sequence->hitTokens);
    const std::int64_t computed = std::min(answer.sequence->cached(), answer.promptTokens);
    const std::int64_t fresh = std::max<std::int64_t>(0, computed - answer.countedPrompt);
    answer.countedPrompt += fresh;
    if (answer.origin == Origin::Served) {
        m_figures.promptTokens += static_cast<std::uint64_t>(fresh);
    }
}

void Engine::countStep(std::int64_t tokens) {
    const auto edge = std::ranges::lower_bound(kStepTokenEdges, tokens);
    ++m_figures.stepsByTokens[static_cast<std::size_t>(edge - kStepTokenEdges.begin())];
    m_figures.stepTokensSum += static_cast<std::uint64_t>(tokens);
}

void Engine::commitSampled(Answer& answer, Sampled sampled, const StepTimes& times) {
    const std::optional<TokenId> token = sampled.token;
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
    deliver(answer, text, *token, std::move(sampled.logprobs));
    if (answer.text.isStopped()) {
        finish(answer, FinishReason::Stop, {});
    } else if (isFull) {
        finish(answer, FinishReason::Length,
               cutText(answer.outputTokens, answer.request.maxTokens, capacity()));
    }
}

void Engine::deliver(Answer& answer, const std::string& text, std::optional<TokenId> id,
                     std::optional<TokenLogprobs> logprobs) {
    const TimePoint ready = Clock::now();
    answer.stream->push(text, id, std::move(logprobs));
    const TimePoint now = Clock::now();
    const bool isFirst = !text.empty() && !answer.stamps.firstVisible;
    if (!text.empty()) {
        if (isFirst) {
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
    if (isFirst && answer.origin == Origin::Served) {
        emit(FirstToken{.record = makeRecord(answer, FinishReason::Failed, {})},
             Delivery::Guaranteed);
    }
}

// A sequence leaves the schedule at once, and its request gets its end.
void Engine::finish(Answer& answer, FinishReason reason, const std::string& message) {
    if (answer.sequence) {
        commitEnd(*answer.sequence, m_schedule, Clock::now());
        noteBatch(answer);
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
    if (answer.isOpen) {
        closePrompt(answer);
    }
    leaveWaiting(answer);
    answer.stamps.finished = Clock::now();
    const auto record = makeRecord(answer, reason, message);
    if (answer.origin == Origin::Served) {
        countOutcome(*record);
        publish(); // who takes this record finds it in the figures read after it
        emit(RequestFinished{.record = record}, Delivery::Guaranteed);
    }
    answer.stream->finish(reason, std::move(message), record);
}

void Engine::publishIfDue() {
    if (Clock::now() - m_lastPublished >= kPublishEvery) {
        publish();
    }
}

} // namespace engine
