// From the inbox into the queue, or refused because it can never be served.
#include "engine/loop/engine.h"
#include "engine/schedule/limits.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

namespace engine {

namespace {

// A request that comes after this long without work finds cold caches and parked threads.
constexpr auto kIdleStart = std::chrono::seconds(1);
constexpr std::string_view kWarmUpLabel = "warm-up";

// The same text of two tenants, or of two adapters, is two texts to the prefix cache. An adapter is
// known by its numbers: loaded again, under whatever name, it finds what was kept.
std::uint64_t saltOf(const std::string& tenant, const Adapter* adapter, std::uint64_t lineage,
                     const AttentionTiers& tiers) {
    // What was computed with less in sight is another text. Before the tenant, whose name is
    // anybody's choice: none makes one of the other.
    const std::string text =
        (tiers.isSparse ? fmt::format("{}|{}|{}|", tiers.first, tiers.window, tiers.share)
                        : std::string("|")) +
        (adapter != nullptr ? adapter->info().digest : std::string()) + "|" + tenant;
    // apart from the cache's own links
    return XXH3_64bits_withSeed(text.data(), text.size(), lineage) >> 1U;
}

AttentionTiers tiersOf(const std::optional<Attention>& own, const EngineConfig& config) {
    return {.isSparse = own.value_or(config.attention) == Attention::Sparse,
            .first = config.attentionFirst,
            .window = config.attentionWindow,
            .share = config.attentionShare};
}

} // namespace

void Engine::takeInbox() {
    for (auto& arrived : m_inbox.take()) {
        Answer& answer = *arrived;
        m_answers.emplace(answer.id, std::move(arrived));
        if (!answer.isOpen) {
            setDeadline(answer); // whatever becomes of it
        }
        if (answer.refusal) {
            const Refusal refusal = *answer.refusal;
            finish(answer, refusal.reason, refusal.message);
        } else if (answer.isOpen) {
            admitOpen(answer);
        } else {
            admit(answer);
        }
    }
    if (m_answers.empty() && !m_idleSince) {
        m_idleSince = Clock::now();
    }
}

void Engine::admit(Answer& answer) {
    const TimePoint now = Clock::now();
    answer.stamps.admitted = now;
    answer.promptTokens = static_cast<std::int64_t>(answer.prompt.size());
    if (answer.cancellation->stop_requested()) {
        finish(answer, FinishReason::Cancelled, "The request was cancelled.");
        return;
    }
    if (const auto refusal = refusePrompt(answer.prompt)) {
        finish(answer, refusal->reason, refusal->message);
        return;
    }
    answer.sequence.emplace(answer.id, std::move(answer.prompt),
                            answerLimit(answer.promptTokens, answer.request.maxTokens, capacity()));
    enqueue(answer, now);
}

std::optional<Refusal> Engine::refusePrompt(std::span<const TokenId> prompt) const {
    if (prompt.empty()) {
        return Refusal{.message = "The prompt is empty: this model needs at least one token to "
                                  "begin with."};
    }
    const std::int64_t vocabulary = m_loaded.model->spec().vocabulary;
    const auto isForeign = [&](TokenId id) { return id < 0 || id >= vocabulary; };
    if (const auto id = std::ranges::find_if(prompt, isForeign); id != prompt.end()) {
        return Refusal{.message = fmt::format("The prompt holds the token {}; the model has {} "
                                              "tokens.",
                                              *id, vocabulary)};
    }
    return refuseLength(static_cast<std::int64_t>(prompt.size()), capacity());
}

void Engine::enqueue(Answer& answer, TimePoint now) {
    Sequence& sequence = *answer.sequence;
    sequence.deadline = answer.request.deadline;
    sequence.lane = answer.request.lane;
    sequence.arrival = now;
    answer.heldBefore = m_batchWatch.held(now);
    beginLineage(answer);
    sequence.turn = m_step.load(std::memory_order_relaxed);
    m_schedule.queue.push(sequence);
    tagArrival(answer, now);
}

void Engine::setDeadline(Answer& answer) const {
    answer.request.deadline = deadlineOf(answer.request.deadline, answer.request.lane, m_effective,
                                         *answer.stamps.received);
}

// A sequence keeps what it began with: its cache, and what its blocks were computed with.
void Engine::beginLineage(Answer& answer) {
    Sequence& sequence = *answer.sequence;
    if (sequence.hasStarted || !sequence.blocks().empty()) {
        return;
    }
    sequence.lineage = m_schedule.lineage;
    sequence.tiers = tiersOf(answer.request.attention, m_effective);
    sequence.adapter = answer.adapter.get();
    sequence.salt =
        saltOf(answer.request.tenant, sequence.adapter, sequence.lineage, sequence.tiers);
    sequence.kv = m_kv.currentId();
    if (sequence.tiers.isSparse) {
        m_kv.current().useBounds();
    }
}

// Of everyone who waits, after a change of the schedule's lineage, or of what tokens see.
void Engine::beginLineages() {
    for (const auto& [id, answer] : m_answers) {
        if (answer->sequence) {
            beginLineage(*answer);
        }
    }
}

void Engine::tagArrival(Answer& answer, TimePoint now) {
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
        if (answer->sequence) { // an open prompt without a token has none yet
            answer->sequence->isCancelled = answer->cancellation->stop_requested();
        }
    }
}

// The part of an open prompt that is certain: the rest of it may yet become other tokens.
void Engine::takeStable(Answer& answer, std::span<const TokenId> tokens) {
    const TimePoint now = Clock::now();
    answer.lastPiece = now;
    if (tokens.empty()) {
        if (answer.sequence) {
            commitEnd(*answer.sequence, m_schedule, now);
            answer.sequence.reset();
        }
        return;
    }
    if (const auto refusal = refusePrompt(tokens)) {
        finish(answer, refusal->reason, refusal->message);
        return;
    }
    answer.promptTokens = static_cast<std::int64_t>(tokens.size());
    if (answer.sequence) {
        answer.sequence->isParked = answer.sequence->isRestoring = false;
        commitPrompt(*answer.sequence, tokens, m_schedule, now);
        forgetOutOfSight(answer, now);
        beginLineage(answer); // perhaps nothing is left of what it began with
        return;
    }
    answer.sequence.emplace(answer.id, std::vector<TokenId>(tokens.begin(), tokens.end()), 1);
    answer.sequence->isOpen = true;
    beginLineage(answer);
    answer.sequence->turn = m_step.load(std::memory_order_relaxed);
    m_schedule.streams.push_back(&*answer.sequence);
}

} // namespace engine
