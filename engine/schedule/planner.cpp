#include "engine/schedule/planner.h"

#include <algorithm>
#include <tuple>

namespace engine {

namespace {

constexpr std::int64_t kLeastPrompt = 16; // tokens a step, whatever the gap that was asked for
constexpr std::int64_t kMostPassed = 64;  // a step looks no further
constexpr std::int64_t kPercent = 100;

std::pair<TimePoint, RequestId> ageOf(const Sequence& sequence) {
    return {sequence.arrival, sequence.id()};
}

} // namespace

Planner::Planner(const Queue& queue, Running running, const Limits& limits, TimePoint now)
    : m_limits(limits),
      m_now(now),
      m_budget(limits.tokenBudget),
      m_batchBudget(limits.tokenBudget),
      m_promptBudget(limits.tokenBudget),
      m_free(limits.freeBlocks) {
    for (Sequence* sequence : running) {
        if (!planEnding(*sequence, now)) {
            m_alive.push_back(sequence);
        }
    }
    for (std::size_t lane = 0; lane < Queue::kLanes; ++lane) {
        for (Sequence* sequence : queue.lines()[lane]) {
            // Where only started ones go on, nobody else stands before them.
            if (!planEnding(*sequence, now) && (limits.admitsNew || sequence->hasStarted) &&
                !sequence->isRestoring) {
                m_waiting[lane].push_back(sequence);
            }
        }
    }
    promoteAged();
    std::ranges::stable_sort(m_alive, {}, [this](const Sequence* s) { return rank(*s); });
    const auto goesFirst = [this](const Sequence* s) { return !sharesBudget(*s); };
    const bool hasRealtime = std::ranges::any_of(m_alive, goesFirst) ||
                             std::ranges::any_of(m_waiting, [&](const auto& line) {
                                 return !line.empty() && goesFirst(line.front());
                             });
    if (hasRealtime) {
        m_batchBudget = std::max<std::int64_t>(1, m_budget * limits.batchShare / kPercent);
    }
}

// A bulk of batch work that came at once is old all at once: were all of it first, nothing would be
// left of the lanes. So the oldest ones join the realtime lane, a few at a time.
void Planner::promoteAged() {
    if (!m_limits.usesPriority || m_limits.ageing.count() <= 0) {
        return;
    }
    std::vector<std::pair<TimePoint, RequestId>> aged;
    const auto collect = [&](const Sequence* sequence) {
        if (sequence->lane == Lane::Batch && m_now - sequence->arrival >= m_limits.ageing) {
            aged.push_back(ageOf(*sequence));
        }
    };
    std::ranges::for_each(m_alive, collect);
    std::ranges::for_each(m_waiting[static_cast<std::size_t>(Lane::Batch)], collect);
    if (aged.empty()) {
        return;
    }
    const std::int64_t most =
        std::max<std::int64_t>(1, m_limits.maxBatch * m_limits.batchShare / kPercent);
    const auto last = aged.begin() + std::min<std::ptrdiff_t>(most, std::ssize(aged)) - 1;
    std::ranges::nth_element(aged, last);
    m_lastPromoted = *last;
}

bool Planner::planEnding(Sequence& sequence, TimePoint now) {
    const bool isLate = sequence.deadline && *sequence.deadline <= now;
    if (!sequence.isCancelled && !isLate) {
        return false;
    }
    m_plan.ended.push_back(
        {.sequence = &sequence,
         .reason = sequence.isCancelled ? FinishReason::Cancelled : FinishReason::Deadline});
    m_free += releasable(sequence);
    return true;
}

// Blocks that others can have once the sequence gives its own back. One that several sequences
// share counts for none of them, even where all of them leave: the next step sees it free.
std::int64_t Planner::releasable(const Sequence& sequence) const {
    if (m_limits.pool == nullptr) {
        return static_cast<std::int64_t>(sequence.blocks().size());
    }
    return std::ranges::count_if(sequence.blocks(), [this](BlockId block) {
        const bool isCached = m_limits.prefix != nullptr && m_limits.prefix->holds(block);
        return m_limits.pool->references(block) == (isCached ? 2 : 1);
    });
}

int Planner::rank(const Sequence& sequence) const {
    if (!m_limits.usesPriority || sequence.lane == Lane::Realtime) {
        return 0;
    }
    return m_lastPromoted && ageOf(sequence) <= *m_lastPromoted ? 0 : 1;
}

TimePoint Planner::due(const Sequence& sequence) const {
    const bool waitsLonger = m_limits.usesPriority && sequence.lane == Lane::Batch;
    return waitsLonger ? sequence.arrival + m_limits.ageing : sequence.arrival;
}

std::int64_t Planner::waitingCount() const {
    return static_cast<std::int64_t>(m_waiting[0].size() + m_waiting[1].size());
}

std::optional<std::size_t> Planner::WaitingCursor::lane() const {
    std::optional<std::size_t> best;
    // Where both lanes are first, they take turns: the one that was served longer ago.
    const auto key = [this](std::size_t lane) {
        const Sequence& head = *m_planner.m_waiting[lane][m_at[lane]];
        return std::make_tuple(m_planner.rank(head), !head.hasStarted,
                               m_planner.m_limits.usesPriority ? head.turn : 0,
                               m_planner.due(head));
    };
    for (std::size_t lane = 0; lane < Queue::kLanes; ++lane) {
        if (m_at[lane] < m_planner.m_waiting[lane].size() && (!best || key(lane) < key(*best))) {
            best = lane;
        }
    }
    return best;
}

Sequence* Planner::WaitingCursor::peek() const {
    const auto best = lane();
    return best ? m_planner.m_waiting[*best][m_at[*best]] : nullptr;
}

Sequence* Planner::WaitingCursor::next() {
    const auto best = lane();
    return best ? m_planner.m_waiting[*best][m_at[*best]++] : nullptr;
}

// Of the sequences that may have a slice, those with (or without) more than one token to go.
std::vector<Sequence*> Planner::inTurn(bool areDecoding, int rankWanted) const {
    const std::size_t places =
        std::min(m_alive.size(), static_cast<std::size_t>(m_limits.maxBatch));
    std::vector<Sequence*> chosen;
    std::copy_if(m_alive.begin(), m_alive.begin() + static_cast<std::ptrdiff_t>(places),
                 std::back_inserter(chosen), [&](const Sequence* s) {
                     return s->isDecoding() == areDecoding && rank(*s) == rankWanted;
                 });
    std::ranges::stable_sort(chosen, {}, [](const Sequence* s) { return s->turn; });
    return chosen;
}

void Planner::planDecodes() {
    for (const int wanted : {0, 1}) {
        for (Sequence* sequence : inTurn(true, wanted)) {
            if (budgetFor(*sequence) > 0 && isRunning(*sequence) && makeRoom(*sequence, 1)) {
                addSlice(*sequence, 1, sequence->cached());
            }
        }
    }
    limitPrompts();
}

// Prompt tokens lengthen the step that decoding sequences wait for.
void Planner::limitPrompts() {
    m_promptBudget = m_budget;
    if (m_limits.tokenGap.count() <= 0 || !m_limits.cost.isKnown() || m_plan.slices.empty()) {
        return;
    }
    const std::int64_t room = m_limits.cost.tokensWithin(m_limits.tokenGap);
    m_promptBudget = std::min(m_budget, std::max(kLeastPrompt, room / kLeastPrompt * kLeastPrompt));
}

void Planner::planPrompts(const Filter& filter) {
    WaitingCursor waiting(*this);
    for (const int wanted : {0, 1}) {
        planPromptsOf(wanted, waiting, filter);
    }
}

void Planner::planPromptsOf(int wanted, WaitingCursor& waiting, const Filter& filter) {
    std::vector<Sequence*> prompts = inTurn(false, wanted);
    std::erase_if(prompts, [&](const Sequence* s) { return filter && !filter(*s); });
    auto prompt = prompts.begin();
    bool isQueueServed = false;
    while (m_budget > 0 && m_promptBudget > 0) {
        prompt = std::find_if(prompt, prompts.end(),
                              [this](const Sequence* s) { return budgetFor(*s) > 0; });
        Sequence* head = headOf(wanted, waiting, filter);
        const bool canContinue = prompt != prompts.end();
        const bool takesTurn =
            canContinue && (head == nullptr || isQueueServed || (*prompt)->turn < head->turn);
        if (!takesTurn && head != nullptr) {
            if (startHead(*head, waiting)) {
                isQueueServed = true;
                continue;
            }
            if (waiting.peek() != head) {
                continue; // it was passed
            }
        }
        if (!canContinue) {
            return;
        }
        planChunk(**prompt++);
    }
}

// The next that waits with that rank and may have a turn now. Nobody of the batch lane goes before
// one of the realtime lane that waits for blocks.
Sequence* Planner::headOf(int wanted, WaitingCursor& waiting, const Filter& filter) const {
    for (;;) {
        Sequence* head = waiting.peek();
        if (head == nullptr || rank(*head) != wanted || (wanted > 0 && m_isFirstHeld)) {
            return nullptr;
        }
        const bool hasBudget = budgetFor(*head) > 0;
        if (hasBudget && (!filter || filter(*head))) {
            return head;
        }
        if (!hasBudget && wanted > 0) {
            return nullptr; // nor has anybody behind it
        }
        waiting.next();
    }
}

void Planner::planChunk(Sequence& sequence) {
    if (!isRunning(sequence)) {
        return;
    }
    if (isFull()) {
        if (rank(sequence) > 0) {
            return;
        }
        pauseOne();
    }
    std::int64_t tokens = chunkOf(sequence, sequence.cached());
    if (!makeRoom(sequence, tokens)) {
        // The last to start takes nobody's blocks: it computes what has a place.
        const std::int64_t places =
            (static_cast<std::int64_t>(sequence.blocks().size()) + m_free) * m_limits.blockTokens -
            sequence.cached();
        tokens = std::min(tokens, places);
    }
    if (tokens > 0) {
        m_hasPrompts = true;
        addSlice(sequence, tokens, sequence.cached());
    }
}

// Blocks that are left when the sequence has started: those that running prompts have still to
// take are spoken for.
std::int64_t Planner::blocksLeftBy(const Sequence& sequence) const {
    std::int64_t left = m_free - sequence.blocksNeeded(sequence.remaining(), m_limits.blockTokens);
    for (const Sequence* other : m_alive) {
        left -= other->blocksNeeded(other->remaining(), m_limits.blockTokens);
    }
    for (const Slice& slice : m_plan.slices) {
        left += slice.newBlocks; // counted in m_free and again just above
    }
    return left;
}

bool Planner::hasSlot(int wanted) const {
    const std::int64_t taken =
        wanted == 0 ? countAlive(0) : static_cast<std::int64_t>(m_alive.size());
    return taken < m_limits.maxBatch;
}

// Starts the sequence where it has its place. One of rank 0 takes that of rank 1: a slot by pausing
// it, blocks by preempting it where that is enough. One that lacks blocks is passed for a while:
// those behind it may need few, and running ones hold what it waits for.
bool Planner::startHead(Sequence& head, WaitingCursor& waiting) {
    if (!hasSlot(rank(head))) {
        return false;
    }
    if (makeBlocks(head)) {
        if (isFull()) {
            pauseOne();
        }
        waiting.next();
        start(head);
        return true;
    }
    if (m_now - head.arrival < m_limits.passing && m_passed < kMostPassed) {
        waiting.next();
        ++m_passed;
        m_isFirstHeld = m_isFirstHeld || rank(head) == 0;
    }
    return false;
}

bool Planner::makeBlocks(const Sequence& sequence) {
    const bool isFirst = rank(sequence) == 0;
    const std::int64_t wanted = m_alive.empty() ? 0 : m_limits.watermarkBlocks;
    std::int64_t left = blocksLeftBy(sequence);
    if (left >= wanted) {
        return m_plan.preempted.empty() || isFirst;
    }
    if (!isFirst || !m_plan.preempted.empty()) {
        return false;
    }
    std::size_t kept = m_alive.size();
    while (left < wanted && kept > 0 && rank(*m_alive[kept - 1]) == 1) {
        const Sequence& victim = *m_alive[--kept];
        left += releasable(victim) + victim.blocksNeeded(victim.remaining(), m_limits.blockTokens);
    }
    if (left < wanted) {
        return false;
    }
    while (m_alive.size() > kept) {
        preempt(*m_alive.back());
    }
    return true;
}

// The last of rank 1 sits this step out.
void Planner::pauseOne() {
    for (auto last = m_alive.rbegin(); last != m_alive.rend(); ++last) {
        if (std::ranges::find(m_plan.slices, *last, &Slice::sequence) != m_plan.slices.end()) {
            takeBackSlice(**last);
            return;
        }
    }
}

void Planner::start(Sequence& sequence) {
    // Behind rank 0, before rank 1.
    const auto place = std::ranges::find_if(
        m_alive, [&](const Sequence* other) { return rank(*other) > rank(sequence); });
    m_alive.insert(place, &sequence);
    std::vector<BlockId> prefix;
    if (m_limits.prefix != nullptr && sequence.blocks().empty()) {
        prefix = m_limits.prefix->find(sequence.salt, sequence.tokens());
        m_free -= m_limits.prefix->idleAmong(prefix);
    }
    const std::int64_t hit = static_cast<std::int64_t>(prefix.size()) * m_limits.blockTokens;
    const std::int64_t cached = std::max(hit, sequence.cached());
    m_plan.started.push_back({.sequence = &sequence, .prefix = std::move(prefix)});
    m_hasPrompts = true;
    addSlice(sequence, chunkOf(sequence, cached), cached);
}

bool Planner::sharesBudget(const Sequence& sequence) const {
    return m_limits.usesPriority && sequence.lane == Lane::Batch;
}

std::int64_t Planner::budgetFor(const Sequence& sequence) const {
    return sharesBudget(sequence) ? std::min(m_budget, m_batchBudget) : m_budget;
}

std::int64_t Planner::chunkOf(const Sequence& sequence, std::int64_t cached) const {
    return std::min(
        {sequence.known() - cached, m_limits.prefillChunk, budgetFor(sequence), m_promptBudget});
}

// Preempts the sequences that started last until `tokens` more of this one have their blocks.
// False where this one is itself the last: it waits with what it has, which costs nothing until
// an older one needs it.
bool Planner::makeRoom(const Sequence& sequence, std::int64_t tokens) {
    const std::int64_t needed = sequence.blocksNeeded(tokens, m_limits.blockTokens);
    while (needed > m_free) {
        if (m_alive.back() == &sequence) {
            return false;
        }
        preempt(*m_alive.back());
    }
    return true;
}

void Planner::preempt(Sequence& sequence) {
    ensure(std::ranges::find(m_plan.started, &sequence, &Start::sequence) == m_plan.started.end(),
           "a start leaves running prompts their blocks");
    takeBackSlice(sequence);
    m_free += releasable(sequence);
    m_plan.preempted.push_back(&sequence);
    std::erase(m_alive, &sequence);
}

bool Planner::isRunning(const Sequence& sequence) const {
    return std::ranges::find(m_alive, &sequence) != m_alive.end();
}

std::int64_t Planner::countAlive(int wanted) const {
    return std::ranges::count_if(m_alive, [&](const Sequence* s) { return rank(*s) == wanted; });
}

void Planner::openBatch() {
    forWaiting([&](Sequence& sequence) {
        m_plan.members.push_back(&sequence);
        return static_cast<std::int64_t>(m_plan.members.size()) < m_limits.maxBatch;
    });
}

bool Planner::isMember(const Sequence& sequence) const {
    return std::ranges::find(m_plan.members, &sequence) != m_plan.members.end();
}

void Planner::addSlice(Sequence& sequence, std::int64_t tokens, std::int64_t cached) {
    const std::int64_t held = std::max(static_cast<std::int64_t>(sequence.blocks().size()),
                                       cached / m_limits.blockTokens);
    const std::int64_t wanted = (cached + tokens + m_limits.blockTokens - 1) / m_limits.blockTokens;
    const std::int64_t newBlocks = std::max<std::int64_t>(0, wanted - held);
    m_plan.slices.push_back({.sequence = &sequence,
                             .tokens = tokens,
                             .newBlocks = newBlocks,
                             .wantsLogits = cached + tokens == sequence.known()});
    spend(sequence, tokens);
    m_free -= newBlocks;
}

void Planner::takeBackSlice(const Sequence& sequence) {
    const auto slice = std::ranges::find(m_plan.slices, &sequence, &Slice::sequence);
    if (slice != m_plan.slices.end()) {
        m_free += slice->newBlocks;
        spend(sequence, -slice->tokens);
        m_plan.slices.erase(slice);
    }
}

void Planner::spend(const Sequence& sequence, std::int64_t tokens) {
    m_budget -= tokens;
    m_promptBudget -= tokens;
    if (sharesBudget(sequence)) {
        m_batchBudget -= tokens;
    }
}

} // namespace engine
