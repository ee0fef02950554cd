// The policies in virtual time, with a model whose next token is a hash of the tokens it finds in
// the KV slots: a wrong slot, block or order changes the answer.
#include "engine/schedule/admission.h"
#include "engine/schedule/batch.h"
#include "engine/schedule/commit.h"
#include "engine/schedule/limits.h"

#include <QTest>

#include <map>
#include <memory>
#include <random>
#include <set>

using namespace engine;

namespace {

using Hash = std::uint64_t;

Hash extend(Hash hash, TokenId token) {
    return (hash ^ static_cast<Hash>(token)) * 0x9e3779b97f4a7c15ULL + 0x632be59bd9b4e019ULL;
}

TokenId tokenOf(Hash hash) {
    return static_cast<TokenId>((hash >> 33) % 50000);
}

// Worlds of each case: more than two million steps in all, where checks of memory and threads don't
// make each ten times as slow.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kSeeds = 40;
#else
constexpr std::uint64_t kSeeds = 260;
#endif

struct Case {
    Batching batching = Batching::Continuous;
    Limits limits;
    std::int64_t blocks = 64;
    int requests = 60;
    double arrivalsPerStep = 0.5;
    int longestPrompt = 300;
    int longestAnswer = 60;
    double cancelledShare = 0.0;
    double deadlineShare = 0.0;
    double batchLaneShare = 0.0;
    bool keepsPrefixes = false;
    double streamedShare = 0.0;    // prompts that are written piece by piece
    double interruptedShare = 0.0; // steps whose largest request is cancelled while they compute
    double switchShare = 0.0;      // steps before which settings change
};

// One run of random arrivals. Checks what must hold at every step.
class World {
public:
    World(const Case& parameters, std::uint64_t seed) : m_case(parameters), m_random(seed) {
        m_schedule.blockTokens = parameters.limits.blockTokens;
        m_schedule.keepsPrefixes = parameters.keepsPrefixes;
        m_schedule.resetBlocks(parameters.blocks);
        m_memory.assign(static_cast<std::size_t>(parameters.blocks * parameters.limits.blockTokens),
                        -1);
    }

    void run() {
        double due = 0.0;
        for (m_step = 1; m_arrived < m_case.requests || !isIdle(); ++m_step) {
            changeSettings();
            for (due += m_case.arrivalsPerStep; due >= 1.0 && m_arrived < m_case.requests; --due) {
                arrive();
            }
            step();
            if (QTest::currentTestFailed()) {
                return;
            }
            QVERIFY2(m_step < 200000, "the run does not end");
        }
        steps += m_step;
        QCOMPARE(static_cast<int>(m_ends.size()), m_case.requests);
        QCOMPARE(m_schedule.pool.used(), m_schedule.prefix.idle());
        m_schedule.prefix.expire(TimePoint::max(), m_schedule.pool);
        QCOMPARE(m_schedule.pool.free(), m_case.blocks);
    }

    std::map<std::uint64_t, std::vector<TokenId>> answers;
    int preemptions = 0;
    std::int64_t hits = 0;
    std::int64_t streamed = 0;
    int interrupted = 0;
    static inline std::uint64_t steps = 0; // of all worlds

private:
    // What becomes of a prompt that is being written.
    struct Draft {
        std::vector<TokenId> whole; // what it is in the end
        std::int64_t answerLimit = 0;
        std::uint64_t completedAt = 0; // step
    };

    bool isIdle() const {
        return m_schedule.queue.isEmpty() && m_schedule.running.empty() &&
               m_schedule.streams.empty();
    }

    bool happens(double share) {
        return share > 0.0 && std::uniform_real_distribution(0.0, 1.0)(m_random) < share;
    }

    // As an operator may, while everything runs; of the memory as much as the longest request needs
    // stays.
    void changeSettings() {
        if (!happens(m_case.switchShare)) {
            return;
        }
        const auto policies = policyTable();
        m_case.batching =
            policies[static_cast<std::size_t>(draw(std::ssize(policies)) - 1)].batching;
        m_case.limits.usesPriority = draw(2) == 1;
        m_case.limits.maxBatch = draw(12);
        m_case.limits.tokenBudget = draw(200);
        m_case.limits.prefillChunk = draw(100);
        m_case.limits.batchShare = draw(100);
        m_case.limits.passing = std::chrono::milliseconds(draw(2) == 1 ? 0 : 100);
        const std::int64_t least =
            (m_case.longestPrompt + m_case.longestAnswer) / m_schedule.blockTokens + 1;
        m_schedule.allowance = draw(2) == 1 ? -1 : least + draw(m_case.blocks);
        m_hasSwitched = true;
    }

    std::int64_t draw(std::int64_t most) {
        return 1 + static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>(most));
    }

    void arrive() {
        const std::uint64_t number = static_cast<std::uint64_t>(m_arrived++);
        std::vector<TokenId> prompt(static_cast<std::size_t>(draw(m_case.longestPrompt)));
        for (TokenId& token : prompt) {
            token = static_cast<TokenId>(m_random() % 50000);
        }
        // Some prompts begin like others.
        for (std::size_t i = 0; i < prompt.size() / (1 + number % 3); ++i) {
            prompt[i] = static_cast<TokenId>(i * (1 + number % 2));
        }
        const bool isStreamed = happens(m_case.streamedShare);
        const std::int64_t answerTokens = draw(m_case.longestAnswer);
        if (isStreamed) {
            m_drafts[number] = {.whole = prompt,
                                .answerLimit = answerTokens,
                                .completedAt = m_step + static_cast<std::uint64_t>(draw(60))};
            prompt.resize(1);
        }
        auto sequence = std::make_unique<Sequence>(RequestId{number}, std::move(prompt),
                                                   isStreamed ? 1 : answerTokens);
        sequence->turn = m_step;
        sequence->arrival = time();
        sequence->salt = number % 5 == 0 ? 1 : 0;
        if (std::uniform_real_distribution(0.0, 1.0)(m_random) < m_case.batchLaneShare) {
            sequence->lane = Lane::Batch;
        }
        const double lot = std::uniform_real_distribution(0.0, 1.0)(m_random);
        if (lot < m_case.cancelledShare) {
            m_cancelAt[number] = m_step + static_cast<std::uint64_t>(draw(80));
        } else if (lot < m_case.cancelledShare + m_case.deadlineShare) {
            sequence->deadline = time() + std::chrono::milliseconds(draw(80));
        }
        if (isStreamed) {
            sequence->isOpen = true;
            sequence->deadline.reset(); // it counts from completion
            m_schedule.streams.push_back(sequence.get());
        } else {
            m_schedule.queue.push(*sequence);
            m_order[number] = ++m_queued;
        }
        m_sequences.push_back(std::move(sequence));
    }

    // Drafts grow, are cut anywhere and written again, and are completed or given up.
    void write() {
        for (Sequence* sequence : std::vector<Sequence*>(m_schedule.streams)) {
            const Draft& draft = m_drafts[raw(*sequence)];
            if (sequence->isCancelled) {
                m_ends[raw(*sequence)] = FinishReason::Cancelled;
                commitEnd(*sequence, m_schedule, time());
            } else if (draft.completedAt <= m_step) {
                complete(*sequence, draft);
            } else if (draw(3) == 1) {
                std::vector<TokenId> text(draft.whole.begin(),
                                          draft.whole.begin() + draw(std::ssize(draft.whole)));
                if (draw(4) == 1) { // a slip
                    text.back() += 1;
                }
                commitPrompt(*sequence, text, m_schedule, time());
            }
        }
    }

    void complete(Sequence& sequence, const Draft& draft) {
        std::erase(m_schedule.streams, &sequence);
        sequence.isOpen = false;
        commitPrompt(sequence, draft.whole, m_schedule, time());
        sequence.setAnswerLimit(draft.answerLimit);
        sequence.arrival = time();
        sequence.turn = m_step;
        streamed += sequence.cached();
        m_schedule.queue.push(sequence);
        m_order[raw(sequence)] = ++m_queued;
    }

    TimePoint time() const {
        return TimePoint{} + std::chrono::milliseconds(static_cast<std::int64_t>(m_step));
    }

    void step() {
        for (const auto& [number, when] : m_cancelAt) {
            if (when == m_step) {
                m_sequences[number]->isCancelled = true;
            }
        }
        write();
        Limits limits = limitsNow();
        const Policy& policy = policyFor(m_case.batching);
        StepPlan plan = policy.plan(m_schedule.queue, m_schedule.running, limits, time());
        if (plan.isEmpty() && !plan.wakeAt && giveStreamsUp()) {
            limits = limitsNow();
            plan = policy.plan(m_schedule.queue, m_schedule.running, limits, time());
        }
        checkPure(policy, plan, limits);
        checkPlan(plan, limits);
        const std::size_t own = plan.slices.size();
        planStreams(m_schedule.streams, limits, plan);
        checkStreams(plan, own, limits);
        const std::int64_t used = m_schedule.pool.used() - m_schedule.prefix.idle();
        commitPlan(plan, m_schedule, m_step, time());
        QVERIFY(m_schedule.pool.used() - m_schedule.prefix.idle() <=
                std::max(used, m_schedule.totalBlocks()));
        for (const Ending& ending : plan.ended) {
            m_ends[raw(*ending.sequence)] = ending.reason;
        }
        preemptions += static_cast<int>(plan.preempted.size());
        if (!plan.slices.empty() && happens(m_case.interruptedShare)) {
            // Nothing of the step counts, and the others compute theirs again.
            std::ranges::max_element(plan.slices, {}, &Slice::tokens)->sequence->isCancelled = true;
            ++interrupted;
        } else {
            compute(plan);
        }
        checkBooks();
    }

    Limits limitsNow() const {
        Limits limits = m_case.limits;
        limits.freeBlocks = m_schedule.availableBlocks();
        limits.pool = &m_schedule.pool;
        limits.prefix = m_case.keepsPrefixes ? &m_schedule.prefix : nullptr;
        return limits;
    }

    // Prompts that do not run give up what they hold, as in the engine.
    bool giveStreamsUp() {
        std::vector<Sequence*> holders = m_schedule.queue.all();
        holders.insert(holders.end(), m_schedule.streams.begin(), m_schedule.streams.end());
        bool hasFreed = false;
        for (Sequence* sequence : holders) {
            hasFreed = hasFreed || !sequence->blocks().empty();
            commitRelease(*sequence, m_schedule, time());
        }
        return hasFreed;
    }

    // Open prompts take only what the step leaves: of its tokens, of a chunk beside others, of
    // blocks above the watermark.
    void checkStreams(const StepPlan& plan, std::size_t own, const Limits& limits) {
        QVERIFY(plan.tokens() <= std::max(limits.tokenBudget, tokensOf(plan, 0, own)));
        std::int64_t prompts = 0;
        std::int64_t blocks = 0;
        for (std::size_t i = 0; i < own; ++i) {
            const Slice& slice = plan.slices[i];
            prompts += slice.sequence->isDecoding() ? 0 : slice.tokens;
            blocks += slice.newBlocks;
        }
        const std::int64_t open = tokensOf(plan, own, plan.slices.size());
        QVERIFY(open == 0 || own == 0 || prompts + open <= limits.prefillChunk);
        std::int64_t taken = 0;
        std::set<const Sequence*> seen;
        for (std::size_t i = own; i < plan.slices.size(); ++i) {
            const Slice& slice = plan.slices[i];
            QVERIFY(slice.sequence->isOpen && !slice.wantsLogits);
            QVERIFY(seen.insert(slice.sequence).second);
            QVERIFY(slice.tokens >= 1 &&
                    slice.tokens <= std::min<std::int64_t>(64, limits.prefillChunk));
            const auto start = std::ranges::find(plan.started, slice.sequence, &Start::sequence);
            hits += start == plan.started.end() ? 0 : std::ssize(start->prefix);
            taken += slice.newBlocks;
        }
        QVERIFY(open == 0 || plan.preempted.empty());
        // (Those that end in this step free more than is counted here.)
        QVERIFY(taken == 0 || blocks + taken <= limits.freeBlocks - limits.watermarkBlocks);
    }

    static std::int64_t tokensOf(const StepPlan& plan, std::size_t begin, std::size_t end) {
        std::int64_t sum = 0;
        for (std::size_t i = begin; i < end; ++i) {
            sum += plan.slices[i].tokens;
        }
        return sum;
    }

    static std::uint64_t raw(const Sequence& sequence) {
        return static_cast<std::uint64_t>(sequence.id());
    }

    void checkPure(const Policy& policy, const StepPlan& plan, const Limits& limits) {
        const StepPlan again = policy.plan(m_schedule.queue, m_schedule.running, limits, time());
        QCOMPARE(again.slices.size(), plan.slices.size());
        for (std::size_t i = 0; i < plan.slices.size(); ++i) {
            QCOMPARE(again.slices[i].sequence, plan.slices[i].sequence);
            QCOMPARE(again.slices[i].tokens, plan.slices[i].tokens);
        }
    }

    void checkPlan(const StepPlan& plan, const Limits& limits) {
        QVERIFY(plan.tokens() <= limits.tokenBudget);
        const std::int64_t most =
            m_case.batching == Batching::Single ? 1 : static_cast<std::int64_t>(limits.maxBatch);
        QVERIFY(static_cast<std::int64_t>(plan.slices.size()) <= most);
        checkShare(plan, limits);
        std::int64_t decoding = 0;
        for (const Slice& slice : plan.slices) {
            QVERIFY(slice.tokens >= 1);
            QVERIFY(slice.tokens <= slice.sequence->remaining());
            QVERIFY(m_case.batching == Batching::Single || slice.tokens <= limits.prefillChunk);
            const auto start = std::ranges::find(plan.started, slice.sequence, &Start::sequence);
            const std::int64_t hit =
                start == plan.started.end() ? 0 : std::ssize(start->prefix) * limits.blockTokens;
            QCOMPARE(slice.wantsLogits, slice.tokens == slice.sequence->remaining() - hit);
            hits += hit;
            decoding += slice.sequence->isDecoding() && slice.sequence->hasStarted ? 1 : 0;
        }
        checkOrder(plan, limits);
        // Nobody that decodes goes without a token while there is room for it.
        // (The batch lane may be paused for the realtime lane.)
        if (m_case.batching == Batching::Continuous && m_case.batchLaneShare == 0.0 &&
            m_case.switchShare == 0.0 && plan.preempted.empty() &&
            limits.tokenBudget >= limits.maxBatch && hasRoomForEveryDecode(limits)) {
            const auto ready = std::ranges::count_if(m_schedule.running, [&](const Sequence* s) {
                return s->isDecoding() && !hasEnded(plan, *s);
            });
            QCOMPARE(decoding, static_cast<std::int64_t>(ready));
        }
        QVERIFY2((m_schedule.queue.isEmpty() && m_schedule.running.empty()) || !plan.isEmpty() ||
                     plan.wakeAt,
                 "a step with work does nothing");
        QVERIFY(!plan.wakeAt || *plan.wakeAt > time());
    }

    // Beside work of the realtime lane the batch lane has its share of the tokens, whatever its
    // age.
    void checkShare(const StepPlan& plan, const Limits& limits) {
        const auto isRealtime = [&](const Sequence* s) {
            return s->lane == Lane::Realtime && !hasEnded(plan, *s);
        };
        if (!limits.usesPriority ||
            (std::ranges::none_of(m_schedule.running, isRealtime) &&
             std::ranges::none_of(m_schedule.queue.line(Lane::Realtime), isRealtime))) {
            return;
        }
        std::int64_t tokens = 0;
        for (const Slice& slice : plan.slices) {
            tokens += slice.sequence->lane == Lane::Batch ? slice.tokens : 0;
        }
        QVERIFY(tokens <= std::max<std::int64_t>(1, limits.tokenBudget * limits.batchShare / 100));
    }

    // Starts in the order of arrival within a lane, preempted ones aside; and nobody of the batch
    // lane starts while one of the realtime lane waits, but for as many as have joined it.
    void checkOrder(const StepPlan& plan, const Limits& limits) {
        std::int64_t young = 0;
        std::int64_t aged = 0;
        for (const Start& start : plan.started) {
            const Sequence& sequence = *start.sequence;
            if (!sequence.hasStarted && m_case.batching != Batching::Selective && !m_hasSwitched) {
                auto& last = m_lastStarted[sequence.lane];
                const std::int64_t place = orderOf(sequence);
                for (const Sequence* passed : m_schedule.queue.line(sequence.lane)) {
                    const bool isPassed = passed != &sequence && orderOf(*passed) < place &&
                                          !hasEnded(plan, *passed) && !isStarted(plan, *passed);
                    QVERIFY2(!isPassed || time() - passed->arrival < limits.passing,
                             "a later request overtakes");
                }
                QVERIFY2(limits.passing.count() > 0 || place > last, "a later request overtakes");
                last = std::max(last, place);
            }
            if (limits.usesPriority && sequence.lane == Lane::Batch) {
                const bool isAged =
                    limits.ageing.count() > 0 && time() - sequence.arrival >= limits.ageing;
                ++(isAged ? aged : young);
            }
        }
        const auto& line = m_schedule.queue.line(Lane::Realtime);
        const bool waits = std::ranges::any_of(line, [&](const Sequence* waiting) {
            return !hasEnded(plan, *waiting) && !isStarted(plan, *waiting) &&
                   (m_case.batching != Batching::Dynamic || waiting->batch != 0 ||
                    waiting->hasStarted);
        });
        QVERIFY2(!waits || young == 0, "the batch lane overtakes the realtime lane");
        QVERIFY2(!waits ||
                     aged <= std::max<std::int64_t>(1, limits.maxBatch * limits.batchShare / 100),
                 "too many of the batch lane have joined the realtime lane");
        // Who is in a closed batch is chosen in the same order.
        const bool hasYoungMember = std::ranges::any_of(plan.members, [&](const Sequence* s) {
            return limits.usesPriority && s->lane == Lane::Batch &&
                   (limits.ageing.count() <= 0 || time() - s->arrival < limits.ageing);
        });
        const bool leavesOut = std::ranges::any_of(line, [&](const Sequence* s) {
            return !hasEnded(plan, *s) && std::ranges::find(plan.members, s) == plan.members.end();
        });
        QVERIFY2(!hasYoungMember || !leavesOut, "a closed batch leaves the realtime lane out");
    }

    // When it came into the queue.
    std::int64_t orderOf(const Sequence& sequence) const {
        const auto found = m_order.find(raw(sequence));
        return found == m_order.end() ? 0 : found->second;
    }

    static bool isStarted(const StepPlan& plan, const Sequence& sequence) {
        return std::ranges::find(plan.started, &sequence, &Start::sequence) != plan.started.end();
    }

    static bool hasEnded(const StepPlan& plan, const Sequence& sequence) {
        return std::ranges::find(plan.ended, &sequence, &Ending::sequence) != plan.ended.end();
    }

    bool hasRoomForEveryDecode(const Limits& limits) const {
        return limits.freeBlocks >= static_cast<std::int64_t>(m_schedule.running.size());
    }

    void compute(const StepPlan& plan) {
        buildBatch(plan.slices, m_schedule.blockTokens, m_batch);
        QCOMPARE(m_batch.tokens(), plan.tokens());
        for (std::size_t row = 0; row < m_batch.ids.size(); ++row) {
            m_memory[static_cast<std::size_t>(m_batch.slots[row])] = m_batch.ids[row];
        }
        std::vector<TokenId> sampled;
        for (const auto& slice : m_batch.slices) {
            Hash hash = 1;
            for (int position = 0; position < slice.firstPosition + slice.tokens; ++position) {
                hash = extend(hash, readBack(slice, position));
            }
            sampled.push_back(tokenOf(hash));
        }
        commitComputed(plan, m_schedule);
        std::size_t wanted = 0;
        for (std::size_t i = 0; i < plan.slices.size(); ++i) {
            if (!plan.slices[i].wantsLogits) {
                continue;
            }
            QCOMPARE(m_batch.logitRows[wanted++],
                     m_batch.slices[i].firstRow + m_batch.slices[i].tokens - 1);
            commitSampled(*plan.slices[i].sequence, sampled[i]);
        }
        QCOMPARE(m_batch.logitRows.size(), wanted);
    }

    TokenId readBack(const kernels::AttentionSlice& slice, int position) {
        const auto blockTokens = static_cast<int>(m_schedule.blockTokens);
        const auto& reference =
            m_batch.blocks[static_cast<std::size_t>(slice.firstBlock + position / blockTokens)];
        return m_memory[static_cast<std::size_t>(reference.block * blockTokens + position -
                                                 reference.firstPosition)];
    }

    void commitSampled(Sequence& sequence, TokenId token) {
        sequence.commitToken(token);
        answers[raw(sequence)].push_back(token);
        if (sequence.isAnswerFull()) {
            checkAnswer(sequence);
            m_ends[raw(sequence)] = FinishReason::Length;
            commitEnd(sequence, m_schedule, time());
        }
    }

    // The answer is what the model says of the tokens alone, whatever was preempted or chunked.
    void checkAnswer(const Sequence& sequence) {
        Hash hash = 1;
        for (std::int64_t i = 0; i < sequence.known(); ++i) {
            const TokenId token = sequence.tokens()[static_cast<std::size_t>(i)];
            if (i >= sequence.promptTokens()) {
                QCOMPARE(token, tokenOf(hash));
            }
            hash = extend(hash, token);
        }
    }

    void checkBooks() {
        std::vector<std::span<const BlockId>> tables;
        for (const auto& sequence : m_sequences) {
            tables.push_back(sequence->blocks());
        }
        const std::vector<BlockId> kept = m_schedule.prefix.table();
        tables.push_back(kept);
        const auto problem = m_schedule.pool.findProblem(tables);
        QVERIFY2(!problem, problem.value_or("").c_str());
    }

    Case m_case;
    std::mt19937_64 m_random;
    std::uint64_t m_step = 0;
    int m_arrived = 0;
    std::map<Lane, std::int64_t> m_lastStarted = {{Lane::Realtime, -1}, {Lane::Batch, -1}};
    Schedule m_schedule;
    Batch m_batch;
    std::vector<TokenId> m_memory;
    std::vector<std::unique_ptr<Sequence>> m_sequences;
    std::map<std::uint64_t, Draft> m_drafts;
    std::map<std::uint64_t, std::int64_t> m_order; // in which they came into the queue
    std::int64_t m_queued = 0;
    bool m_hasSwitched = false;
    std::map<std::uint64_t, std::uint64_t> m_cancelAt;
    std::map<std::uint64_t, FinishReason> m_ends;
};

std::vector<TokenId> promptOf(std::size_t tokens) {
    return std::vector<TokenId>(tokens, 5);
}

} // namespace

Q_DECLARE_METATYPE(Case)

class TstSchedule : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void randomArrivalsKeepEveryRule_data();
    void randomArrivalsKeepEveryRule();
    void millionsOfStepsWereChecked();
    void preemptedRequestsGiveTheSameAnswers();
    void shortPromptIsNotHeldUpByLongOnes();
    void longPromptIsNotStarvedByShortOnes();
    void pausedAdmissionLetsStartedOnesGoOn();
    void pausedAdmissionLetsNobodyStandBeforeThem();
    void smallerBatchPausesTheLastStarted();
    void aStartLeavesTheWatermark();
    void sequenceRefusesBrokenLengths();
    void lengthsThatNeverFitAreRefusedWithNumbers();
    void policyTableHasEveryPolicy();
};

void TstSchedule::randomArrivalsKeepEveryRule_data() {
    QTest::addColumn<Case>("parameters");
    const Limits usual{.tokenBudget = 128,
                       .prefillChunk = 48,
                       .maxBatch = 8,
                       .blockTokens = 16,
                       .watermarkBlocks = 1};
    QTest::newRow("roomy") << Case{.limits = usual, .blocks = 400};
    QTest::newRow("tight pool") << Case{.limits = usual, .blocks = 24, .arrivalsPerStep = 2.0};
    QTest::newRow("pool for one") << Case{.limits = usual, .blocks = 23};
    Limits oneByOne = usual;
    oneByOne.tokenBudget = 1;
    oneByOne.prefillChunk = 1;
    QTest::newRow("budget of one") << Case{
        .limits = oneByOne, .blocks = 60, .requests = 15, .longestPrompt = 40, .longestAnswer = 10};
    Limits narrow = usual;
    narrow.tokenBudget = 5;
    QTest::newRow("budget below batch")
        << Case{.limits = narrow, .blocks = 60, .requests = 25, .longestPrompt = 60};
    Limits tinyBlocks = usual;
    tinyBlocks.blockTokens = 1;
    QTest::newRow("blocks of one token")
        << Case{.limits = tinyBlocks, .blocks = 400, .arrivalsPerStep = 3.0};
    Limits wide = usual;
    wide.tokenBudget = 2048;
    wide.prefillChunk = 2048;
    wide.maxBatch = 64;
    QTest::newRow("wide") << Case{.limits = wide, .blocks = 120, .arrivalsPerStep = 30.0};
    QTest::newRow("cancelled and late") << Case{.limits = usual,
                                                .blocks = 40,
                                                .arrivalsPerStep = 1.0,
                                                .cancelledShare = 0.3,
                                                .deadlineShare = 0.3};
    QTest::newRow("single") << Case{
        .batching = Batching::Single, .limits = usual, .blocks = 30, .requests = 20};
    for (const Policy& policy : policyTable()) {
        const std::string name(policy.name);
        const Case lanes{.batching = policy.batching,
                         .limits = usual,
                         .blocks = 45,
                         .requests = 40,
                         .arrivalsPerStep = 1.0,
                         .cancelledShare = 0.3,
                         .deadlineShare = 0.1,
                         .batchLaneShare = 0.5};
        QTest::newRow((name + ", lanes").c_str()) << lanes;
        Case ageing = lanes;
        ageing.limits.ageing = std::chrono::milliseconds(40);
        ageing.limits.classTokens = 100;
        ageing.limits.classPatience = std::chrono::milliseconds(5);
        QTest::newRow((name + ", lanes that age").c_str()) << ageing;
        Case prefixes = lanes;
        prefixes.keepsPrefixes = true;
        QTest::newRow((name + ", prefixes in a tight pool").c_str()) << prefixes;
        prefixes.blocks = 400;
        QTest::newRow((name + ", prefixes in a roomy pool").c_str()) << prefixes;
        Case gap = lanes;
        gap.limits.tokenGap = std::chrono::milliseconds(20);
        gap.limits.cost = {.fixedNs = 5e6, .perTokenNs = 4e5};
        QTest::newRow((name + ", token gap").c_str()) << gap;
        Case written = prefixes;
        written.streamedShare = 0.5;
        QTest::newRow((name + ", open prompts in a roomy pool").c_str()) << written;
        written.blocks = 45;
        QTest::newRow((name + ", open prompts in a tight pool").c_str()) << written;
        written.keepsPrefixes = false;
        written.limits.passing = std::chrono::milliseconds(50);
        QTest::newRow((name + ", passed while blocks are short").c_str()) << written;
        written.interruptedShare = 0.1;
        written.keepsPrefixes = true;
        QTest::newRow((name + ", interrupted steps").c_str()) << written;
        written.switchShare = 0.1;
        written.limits.ageing = std::chrono::milliseconds(40);
        QTest::newRow((name + ", settings that change").c_str()) << written;
    }
}

void TstSchedule::randomArrivalsKeepEveryRule() {
    QFETCH(const Case, parameters);
    std::int64_t streamed = 0;
    std::int64_t hits = 0;
    int interrupted = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        World world(parameters, seed);
        world.run();
        if (QTest::currentTestFailed()) {
            qWarning("seed %llu", static_cast<unsigned long long>(seed));
            return;
        }
        streamed += world.streamed;
        hits += world.hits;
        interrupted += world.interrupted;
    }
    // What a row is there for did happen.
    QCOMPARE(streamed > 0, parameters.streamedShare > 0.0);
    QCOMPARE(hits > 0, parameters.keepsPrefixes);
    QCOMPARE(interrupted > 0, parameters.interruptedShare > 0.0);
}

// Every one of them with all that must hold at every step.
void TstSchedule::millionsOfStepsWereChecked() {
    if (World::steps == 0) {
        QSKIP("They are counted in the cases before.");
    }
    QVERIFY2(World::steps > 8000 * kSeeds, qPrintable(QString::number(World::steps)));
}

void TstSchedule::preemptedRequestsGiveTheSameAnswers() {
    Case roomy{.limits = {.tokenBudget = 128,
                          .prefillChunk = 48,
                          .maxBatch = 8,
                          .blockTokens = 8,
                          .watermarkBlocks = 1},
               .blocks = 1000,
               .requests = 40,
               .arrivalsPerStep = 2.0,
               .longestPrompt = 60,
               .longestAnswer = 150};
    Case tight = roomy;
    tight.blocks = 40;
    World free(roomy, 3);
    World pressed(tight, 3);
    free.run();
    pressed.run();
    QCOMPARE(free.preemptions, 0);
    QVERIFY(pressed.preemptions > 10);
    QVERIFY(free.answers == pressed.answers);
}

void TstSchedule::shortPromptIsNotHeldUpByLongOnes() {
    const Limits limits{.tokenBudget = 128,
                        .prefillChunk = 64,
                        .maxBatch = 8,
                        .blockTokens = 16,
                        .freeBlocks = 1000};
    Schedule schedule;
    schedule.blockTokens = 16;
    schedule.resetBlocks(1000);
    Sequence first(RequestId{1}, promptOf(2000), 4);
    Sequence second(RequestId{2}, promptOf(2000), 4);
    Sequence brief(RequestId{3}, promptOf(20), 4);
    schedule.queue.push(first);
    schedule.queue.push(second);
    for (std::uint64_t step = 1; step <= 4; ++step) {
        if (step == 3) {
            brief.turn = step;
            schedule.queue.push(brief);
        }
        const StepPlan plan = planContinuous(schedule.queue, schedule.running, limits, {});
        commitPlan(plan, schedule, step, {});
        commitComputed(plan, schedule);
    }
    QCOMPARE(brief.cached(), std::int64_t(20));
    QVERIFY(first.cached() > 100 && second.cached() > 100);
}

void TstSchedule::longPromptIsNotStarvedByShortOnes() {
    const Limits limits{.tokenBudget = 64,
                        .prefillChunk = 64,
                        .maxBatch = 1000,
                        .blockTokens = 16,
                        .freeBlocks = 100000};
    Schedule schedule;
    schedule.blockTokens = 16;
    schedule.resetBlocks(100000);
    Sequence whale(RequestId{1}, promptOf(640), 1);
    schedule.queue.push(whale);
    std::vector<std::unique_ptr<Sequence>> minnows;
    for (std::uint64_t step = 1; step <= 40; ++step) {
        minnows.push_back(std::make_unique<Sequence>(RequestId{step + 1}, promptOf(64), 1));
        minnows.back()->turn = step;
        schedule.queue.push(*minnows.back());
        const StepPlan plan = planContinuous(schedule.queue, schedule.running, limits, {});
        commitPlan(plan, schedule, step, {});
        commitComputed(plan, schedule);
        for (const Slice& slice : plan.slices) {
            if (slice.wantsLogits) {
                commitEnd(*slice.sequence, schedule, {});
            }
        }
    }
    QVERIFY2(whale.cached() == 0 && whale.hasStarted, "the long prompt has ended");
}

void TstSchedule::pausedAdmissionLetsStartedOnesGoOn() {
    Limits limits{
        .tokenBudget = 64, .prefillChunk = 64, .maxBatch = 8, .blockTokens = 16, .freeBlocks = 100};
    limits.admitsNew = false;
    Queue queue;
    Sequence fresh(RequestId{1}, promptOf(20), 4);
    Sequence preempted(RequestId{2}, promptOf(20), 4);
    preempted.hasStarted = true;
    queue.push(fresh);
    QVERIFY(planContinuous(queue, {}, limits, {}).isEmpty());
    queue.pushFront(preempted);
    const StepPlan plan = planContinuous(queue, {}, limits, {});
    QCOMPARE(plan.started.size(), std::size_t(1));
    QCOMPARE(plan.started.front().sequence, &preempted);
}

// A request of the realtime lane that may not start is before those of the batch lane, and would
// keep them out for as long as the pause lasts: which is until they have ended.
void TstSchedule::pausedAdmissionLetsNobodyStandBeforeThem() {
    Limits limits{
        .tokenBudget = 64, .prefillChunk = 64, .maxBatch = 8, .blockTokens = 16, .freeBlocks = 100};
    limits.admitsNew = false;
    limits.ageing = {};
    Queue queue;
    Sequence fresh(RequestId{1}, promptOf(20), 4);
    Sequence preempted(RequestId{2}, promptOf(20), 4);
    preempted.lane = Lane::Batch;
    preempted.hasStarted = true;
    queue.push(fresh);
    queue.push(preempted);
    for (const Policy& policy : policyTable()) {
        const StepPlan plan = policy.plan(queue, {}, limits, {});
        QVERIFY2(plan.started.size() == 1, std::string(policy.name).c_str());
        QCOMPARE(plan.started.front().sequence, &preempted);
    }
    fresh.isCancelled = true; // it is ended all the same
    QCOMPARE(planContinuous(queue, {}, limits, {}).ended.size(), std::size_t(1));
}

void TstSchedule::smallerBatchPausesTheLastStarted() {
    Limits limits{
        .tokenBudget = 64, .prefillChunk = 64, .maxBatch = 2, .blockTokens = 16, .freeBlocks = 100};
    Sequence a(RequestId{1}, promptOf(20), 4);
    Sequence b(RequestId{2}, promptOf(20), 4);
    Sequence c(RequestId{3}, promptOf(20), 4);
    const std::vector<Sequence*> running = {&a, &b, &c};
    const StepPlan plan = planContinuous(Queue{}, running, limits, {});
    QCOMPARE(plan.slices.size(), std::size_t(2));
    QCOMPARE(plan.slices[0].sequence, &a);
    QCOMPARE(plan.slices[1].sequence, &b);
    QVERIFY(plan.preempted.empty());
}

// Beside a running answer a start leaves a hundredth of the blocks, and one at least: it would be
// preempted for the answer's next block.
void TstSchedule::aStartLeavesTheWatermark() {
    for (const auto& [total, expected] :
         std::initializer_list<std::pair<std::int64_t, std::int64_t>>{
             {1, 0}, {2, 1}, {80, 1}, {199, 1}, {200, 2}, {5000, 50}}) {
        Schedule schedule;
        schedule.blockTokens = 16;
        schedule.resetBlocks(total);
        QCOMPARE(limitsOf({}, schedule).watermarkBlocks, expected);
    }
    Schedule schedule;
    schedule.blockTokens = 16;
    schedule.resetBlocks(80);
    Sequence answer(RequestId{1}, promptOf(60 * 16), 100);
    Sequence next(RequestId{2}, promptOf(19 * 16 + 1), 100); // all that is left
    Sequence smaller(RequestId{3}, promptOf(19 * 16), 100);
    schedule.queue.push(answer);
    EngineConfig config;
    config.tokenBudget = config.prefillChunk = 2000;
    const auto step = [&](std::uint64_t number) {
        const StepPlan plan =
            planContinuous(schedule.queue, schedule.running, limitsOf(config, schedule), {});
        commitPlan(plan, schedule, number, {});
        commitComputed(plan, schedule);
    };
    step(1);
    schedule.queue.push(next);
    step(2);
    QVERIFY(!next.hasStarted);
    schedule.queue.remove(next);
    schedule.queue.push(smaller);
    step(3);
    QVERIFY(smaller.hasStarted);
    schedule.queue.push(next);
    commitEnd(answer, schedule, {});
    commitEnd(smaller, schedule, {});
    schedule.queue.remove(next);
    Sequence whole(RequestId{4}, promptOf(80 * 16), 1); // alone it may have all
    schedule.queue.push(whole);
    step(4);
    QCOMPARE(std::ssize(whole.blocks()), std::ptrdiff_t(80));
}

void TstSchedule::sequenceRefusesBrokenLengths() {
    QVERIFY_EXCEPTION_THROWN(Sequence(RequestId{1}, {}, 4), std::logic_error);
    QVERIFY_EXCEPTION_THROWN(Sequence(RequestId{1}, promptOf(3), 0), std::logic_error);
    Sequence sequence(RequestId{1}, promptOf(20), 4);
    QVERIFY_EXCEPTION_THROWN(sequence.commitPlanned(16, 16), std::logic_error); // no block
    sequence.addBlock(BlockId{0});
    sequence.commitPlanned(16, 16);
    sequence.addBlock(BlockId{1});
    QVERIFY_EXCEPTION_THROWN(sequence.commitPlanned(21, 16), std::logic_error); // past the end
}

void TstSchedule::lengthsThatNeverFitAreRefusedWithNumbers() {
    const Capacity byContext{.contextTokens = 100, .poolTokens = 1000};
    const Capacity byPool{.contextTokens = 8192, .poolTokens = 256};
    QVERIFY(!refuseLength(99, byContext));
    const auto refused = refuseLength(100, byContext);
    QVERIFY(refused && refused->reason == FinishReason::TooLong);
    QVERIFY(refused->message.find("100 tokens") != std::string::npos);
    QVERIFY(refuseLength(256, byPool)->message.find("256 tokens") != std::string::npos);
    QVERIFY(!refuseBytes(990, 10, byContext));
    QVERIFY(refuseBytes(1000, 10, byContext));
    QVERIFY(!refuseBytes(1000000, 0, byContext));
    QCOMPARE(answerLimit(90, 128, byContext), std::int64_t(10));
    QCOMPARE(answerLimit(10, 5, byContext), std::int64_t(5));
    QVERIFY(cutText(5, 5, byContext).empty());
    QCOMPARE(cutText(10, 128, byContext),
             std::string("The answer was cut at 10 of 128 tokens: with its prompt it fills the "
                         "context of 100 tokens."));
}

void TstSchedule::policyTableHasEveryPolicy() {
    for (const Batching batching :
         {Batching::Single, Batching::Dynamic, Batching::Continuous, Batching::Selective}) {
        QCOMPARE(policyFor(batching).batching, batching);
        const Field& field = *findField("batching.policy");
        EngineConfig config;
        config.batching = batching;
        QCOMPARE(valueText(field, config), std::string(policyFor(batching).name));
    }
    QCOMPARE(policyTable().size(), std::size_t(4));
}

QTEST_APPLESS_MAIN(TstSchedule)
#include "tst_schedule.moc"
