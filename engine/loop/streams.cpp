// Prompts that are written piece by piece: opened, computed as far as they are certain, completed
// into ordinary requests, or given up.
#include "engine/loop/engine.h"
#include "engine/schedule/window_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace engine {

std::shared_ptr<TokenStream> Engine::open(Request request) {
    auto answer =
        std::make_unique<Answer>(RequestId{m_nextId.fetch_add(1, std::memory_order_relaxed)},
                                 std::move(request), Origin::Served);
    auto stream = receive(*answer);
    answer->stamps.scheduled.reset(); // latency counts from completion
    answer->isOpen = true;
    if (answer->refusal) {
        m_inbox.push(std::move(answer));
    } else {
        m_encoder->open(std::move(answer));
    }
    return stream;
}

void Engine::append(RequestId id, std::string text) {
    m_encoder->change({.id = id, .what = PromptAppended{std::move(text)}});
}

void Engine::truncate(RequestId id, std::size_t bytes) {
    m_encoder->change({.id = id, .what = PromptTruncated{bytes}});
}

void Engine::complete(RequestId id, Completion completion) {
    m_encoder->change(
        {.id = id,
         .what = PromptCompleted{.completion = std::move(completion), .received = Clock::now()}});
}

void Engine::admitOpen(Answer& answer) {
    answer.request.prompt = std::string{}; // the tokenizer thread keeps it
    answer.lastPiece = Clock::now();
    m_openPrompts.push_back(answer.id);
}

void Engine::takeUpdates(std::vector<PromptUpdate> updates) {
    for (PromptUpdate& update : updates) {
        const auto found = m_answers.find(update.id);
        if (found == m_answers.end() || !found->second->isOpen) {
            continue; // it ended in the meantime
        }
        Answer& answer = *found->second;
        if (update.refusal) {
            finish(answer, update.refusal->reason, update.refusal->message);
        } else if (update.completed) {
            completePrompt(answer, update);
        } else {
            takeStable(answer, update.tokens);
        }
    }
}

// From here on it is a request like any other, of which a part is computed.
void Engine::completePrompt(Answer& answer, PromptUpdate& update) {
    const TimePoint now = Clock::now();
    const Completion& completion = update.completed->completion;
    answer.request.maxTokens = completion.maxTokens;
    answer.request.sampling = completion.sampling;
    if (answer.request.deadline) { // it counts from completion, as latency does
        *answer.request.deadline += update.completed->received - *answer.stamps.received;
    }
    answer.stamps.received = update.completed->received;
    setDeadline(answer);
    answer.stamps.scheduled = completion.scheduled;
    if (answer.stamps.scheduled) {
        answer.stamps.scheduled = std::min(*answer.stamps.scheduled, *answer.stamps.received);
    }
    answer.stamps.tokenized = update.tokenized;
    answer.stamps.admitted = now;
    answer.promptTokens = static_cast<std::int64_t>(update.tokens.size());
    auto refusal = refusePrompt(update.tokens);
    if (answer.cancellation->stop_requested()) { // perhaps before it was here to be marked
        refusal =
            Refusal{.reason = FinishReason::Cancelled, .message = "The request was cancelled."};
    } else if (completion.maxTokens < 1) {
        refusal = Refusal{.message = fmt::format("The answer may have {} tokens; ask for at least "
                                                 "1.",
                                                 completion.maxTokens)};
    } else if (!refusal) {
        refusal = refuseOverload();
    }
    if (refusal) {
        finish(answer, refusal->reason, refusal->message);
        return;
    }
    const std::int64_t limit = answerLimit(answer.promptTokens, completion.maxTokens, capacity());
    if (answer.sequence) {
        std::erase(m_schedule.streams, &*answer.sequence);
        answer.sequence->isOpen = answer.sequence->isParked = false;
        answer.sequence->isRestoring = false;
        commitPrompt(*answer.sequence, update.tokens, m_schedule, now);
        forgetOutOfSight(answer, now);
        answer.sequence->setAnswerLimit(limit);
    } else {
        answer.sequence.emplace(answer.id, std::move(update.tokens), limit);
    }
    answer.streamedTokens = answer.sequence->cached();
    answer.tag(SampleTag::Streamed);
    answer.isOpen = false;
    std::erase(m_openPrompts, answer.id);
    m_received.fetch_add(1, std::memory_order_relaxed);
    enqueue(answer, now);
}

// It ends before it was completed: it counts as received only now. Nobody waited for an answer.
void Engine::closePrompt(Answer& answer) {
    if (!answer.stamps.admitted) {
        answer.stamps = Stamps{};
        answer.stamps.received = Clock::now();
    }
    answer.isOpen = false;
    std::erase(m_openPrompts, answer.id);
    m_received.fetch_add(1, std::memory_order_relaxed);
    if (m_encoder) {
        m_encoder->change({.id = answer.id, .what = PromptClosed{}});
    }
}

// Open prompts that were cancelled, or that nobody writes on any more.
void Engine::endStreams(TimePoint now) {
    const auto lifetime = std::chrono::milliseconds(m_effective.streamTtlMs);
    for (const RequestId id : std::vector<RequestId>(m_openPrompts)) {
        Answer& answer = *m_answers.at(id);
        if (answer.cancellation->stop_requested()) {
            finish(answer, FinishReason::Cancelled, "The request was cancelled.");
        } else if (now - answer.lastPiece >= lifetime && !m_encoder->hasChanges(id) &&
                   m_updates.isEmpty()) { // else it was written on in time
            finish(answer, FinishReason::Cancelled,
                   fmt::format("Nothing was added to the prompt for {} s (setting streams.ttl).",
                               m_effective.streamTtlMs / 1000));
        }
    }
}

// Prompts that do not run and may hold blocks: open ones, and completed ones in the queue.
std::vector<Sequence*> Engine::streamHolders() const {
    std::vector<Sequence*> holders = m_schedule.queue.all();
    holders.insert(holders.end(), m_schedule.streams.begin(), m_schedule.streams.end());
    return holders;
}

// Blocks that can be had if all of them give theirs up: nobody who runs shares them.
std::int64_t Engine::streamBlocks() const {
    std::vector<BlockId> held;
    for (const Sequence* sequence : streamHolders()) {
        held.insert(held.end(), sequence->blocks().begin(), sequence->blocks().end());
    }
    std::ranges::sort(held);
    std::int64_t count = 0;
    for (auto block = held.begin(); block != held.end();) {
        const auto next = std::upper_bound(block, held.end(), *block);
        const auto references = m_schedule.pool.references(*block);
        const std::int64_t others = references - (next - block);
        count += others == (m_schedule.prefix.holds(*block) ? 1 : 0) ? 1 : 0;
        block = next;
    }
    return count;
}

// What they hold stays in the prefix cache as long as nobody needs the place.
bool Engine::freeStreamBlocks(TimePoint now) {
    bool hasFreed = false;
    for (Sequence* sequence : streamHolders()) {
        if (!sequence->blocks().empty()) {
            commitRelease(*sequence, m_schedule, now);
            beginLineage(answerOf(*sequence)); // without a block it begins in the present cache
            hasFreed = true;
        }
    }
    return hasFreed;
}

// Open prompts that may have a slice. Where layers keep what is in sight only, a cache has places
// for so many sequences: those that run go first, and others give theirs up for them.
std::vector<Sequence*> Engine::streamsWithPlaces(const StepPlan& plan, TimePoint now) {
    std::map<std::uint32_t, std::int64_t> free; // places, in sequences, by cache
    m_kv.each([&](std::uint32_t id, KvCache& kv) {
        if (const WindowMap* windows = kv.windows()) {
            free[id] = sequencesWithin({.window = kv.window(), .blockTokens = kv.blockTokens()},
                                       windows->places(), m_effective.tokenBudget);
        }
    });
    if (free.empty()) {
        return m_schedule.streams;
    }
    const auto hasPlaces = [&](const Sequence* s) {
        return free.contains(s->kv) && !s->blocks().empty();
    };
    for (const Sequence* sequence : m_schedule.running) {
        if (hasPlaces(sequence)) {
            --free[sequence->kv];
        }
    }
    std::vector<Sequence*> givers = streamHolders();
    std::erase_if(givers, [&](const Sequence* s) { return !hasPlaces(s); });
    for (const Sequence* giver : givers) {
        --free[giver->kv];
    }
    for (const Start& start : plan.started) {
        std::erase(givers, start.sequence);
        if (free.contains(start.sequence->kv) && start.sequence->blocks().empty()) {
            --free[start.sequence->kv];
        }
    }
    for (; !givers.empty(); givers.pop_back()) {
        Sequence& giver = *givers.back();
        if (free[giver.kv] < 0) {
            ++free[giver.kv];
            commitRelease(giver, m_schedule, now);
            beginLineage(answerOf(giver));
        }
    }
    std::vector<Sequence*> able;
    for (Sequence* sequence : m_schedule.streams) {
        if (!free.contains(sequence->kv) || hasPlaces(sequence) || --free[sequence->kv] >= 0) {
            able.push_back(sequence);
        }
    }
    return able;
}

// A prompt that was cut: where layers keep what is in sight only, the cut may lie before that.
void Engine::forgetOutOfSight(Answer& answer, TimePoint now) {
    Sequence& sequence = *answer.sequence;
    if (sequence.blocks().empty()) {
        return;
    }
    KvCache& kv = m_kv.of(sequence.kv);
    const WindowSight sight{.window = kv.window(), .blockTokens = kv.blockTokens()};
    if (kv.windows() != nullptr &&
        !holdsSight(*kv.windows(), sight, sequence.blocks(), sequence.cached())) {
        commitRelease(sequence, m_schedule, now);
    }
}

void Engine::noteStreamed(Answer& answer, const Slice& slice, const StepTimes& times) {
    answer.streamedNs += Nanoseconds((times.computed - times.ready) * slice.tokens /
                                     std::max<std::int64_t>(1, m_figures.stepTokens))
                             .count();
}

} // namespace engine
