// What prompts that are still open get of a step, rule by rule.
#include "engine/schedule/commit.h"

#include <QTest>

#include <memory>
#include <vector>

using namespace engine;
using namespace std::chrono_literals;

namespace {

// A schedule with open prompts, and a step of others beside them.
class Scene {
public:
    explicit Scene(std::int64_t blocks = 1000) {
        m_schedule.blockTokens = 16;
        m_schedule.resetBlocks(blocks);
        limits = {.tokenBudget = 512,
                  .prefillChunk = 256,
                  .maxBatch = 16,
                  .blockTokens = 16,
                  .freeBlocks = blocks};
    }

    Sequence& open(std::size_t tokens, TokenId token = 5) {
        Sequence& sequence = make(tokens, token);
        sequence.isOpen = true;
        m_schedule.streams.push_back(&sequence);
        return sequence;
    }

    // One that decodes, or a prompt of which a part is in the step.
    void beside(std::int64_t tokens) {
        Sequence& sequence = make(1000, 9);
        if (tokens == 1) {
            for (std::int64_t i = 0; i < 63; ++i) {
                sequence.addBlock(m_schedule.pool.acquire());
            }
            sequence.commitPlanned(999, 16);
            sequence.commitCached();
        }
        plan.slices.push_back({.sequence = &sequence, .tokens = tokens});
    }

    // Tokens of each open prompt.
    std::vector<std::int64_t> planned() {
        const std::size_t own = plan.slices.size();
        planStreams(m_schedule.streams, limits, plan);
        std::vector<std::int64_t> tokens(m_schedule.streams.size());
        for (std::size_t i = own; i < plan.slices.size(); ++i) {
            const auto which = std::ranges::find(m_schedule.streams, plan.slices[i].sequence) -
                               m_schedule.streams.begin();
            tokens[static_cast<std::size_t>(which)] += plan.slices[i].tokens;
        }
        return tokens;
    }

    void compute() {
        commitPlan(plan, m_schedule, ++m_step, {});
        commitComputed(plan, m_schedule);
        plan = {};
    }

    Schedule& schedule() { return m_schedule; }
    Limits limits;
    StepPlan plan;

private:
    Sequence& make(std::size_t tokens, TokenId token) {
        m_sequences.push_back(std::make_unique<Sequence>(RequestId{m_sequences.size() + 1},
                                                         std::vector<TokenId>(tokens, token), 10));
        return *m_sequences.back();
    }

    Schedule m_schedule;
    std::uint64_t m_step = 0;
    std::vector<std::unique_ptr<Sequence>> m_sequences;
};

using Tokens = std::vector<std::int64_t>;

} // namespace

class TstPlanStreams : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aloneEachHasAShortSlice();
    void besideOthersTheyStayWithinTheChunk();
    void aTokenGapCountsToo();
    void theyTakeTurns();
    void whoeverWaitsForBlocksComesFirst();
    void blocksAboveTheWatermarkAreLeft();
    void knownBeginningsAreTakenOver();
    void interruptedSlicesGoOnWhereTheyWere();
    void whoHasNoTurnIsPassed();
    void paceKeepsToItsShare();
};

// Whoever completes one waits for the step that is under way.
void TstPlanStreams::aloneEachHasAShortSlice() {
    Scene scene;
    scene.open(10);
    scene.open(64);
    scene.open(65);
    scene.open(1000);
    QCOMPARE(scene.planned(), (Tokens{10, 64, 64, 64}));
    for (const Slice& slice : scene.plan.slices) {
        QVERIFY(!slice.wantsLogits);
    }
    scene.compute();
    QCOMPARE(scene.planned(), (Tokens{0, 0, 1, 64}));
    Scene many;
    many.limits.tokenBudget = 100;
    many.open(200);
    many.open(200);
    QCOMPARE(many.planned(), (Tokens{64, 36}));
    Scene narrow;
    narrow.limits.prefillChunk = 20;
    narrow.open(200);
    QCOMPARE(narrow.planned(), (Tokens{20}));
}

void TstPlanStreams::besideOthersTheyStayWithinTheChunk() {
    const auto besideTokens = [](std::initializer_list<std::int64_t> others) {
        Scene scene;
        scene.limits.prefillChunk = 100;
        scene.open(1000);
        scene.open(1000);
        for (const std::int64_t tokens : others) {
            scene.beside(tokens);
        }
        return scene.planned();
    };
    QCOMPARE(besideTokens({1}), (Tokens{64, 36}));       // an answer waits for one chunk at most
    QCOMPARE(besideTokens({1, 1, 1}), (Tokens{64, 36})); // however many they are
    QCOMPARE(besideTokens({1, 70}), (Tokens{30, 0}));    // prompts are a part of it
    QCOMPARE(besideTokens({99}), (Tokens{1, 0}));
    QCOMPARE(besideTokens({1, 100}), (Tokens{0, 0}));
    QCOMPARE(besideTokens({1, 90, 90}), (Tokens{0, 0}));
    Scene full;
    full.limits.tokenBudget = 10;
    full.open(100);
    full.beside(8);
    QCOMPARE(full.planned(), (Tokens{2}));
}

void TstPlanStreams::aTokenGapCountsToo() {
    Scene scene;
    scene.limits.tokenGap = 20ms;
    scene.limits.cost = {.fixedNs = 10e6, .perTokenNs = 1e6};
    scene.open(1000);
    scene.beside(1);
    QCOMPARE(scene.planned(), (Tokens{10}));
    Scene late;
    late.limits.tokenGap = 5ms; // over before any prompt
    late.limits.cost = {.fixedNs = 10e6, .perTokenNs = 1e6};
    late.open(1000);
    late.beside(1);
    QCOMPARE(late.planned(), (Tokens{0}));
}

void TstPlanStreams::theyTakeTurns() {
    Scene scene;
    scene.limits.tokenBudget = 64;
    for (int i = 0; i < 4; ++i) {
        scene.open(640);
    }
    Tokens sum(4);
    for (int step = 0; step < 8; ++step) {
        const Tokens planned = scene.planned();
        for (std::size_t i = 0; i < sum.size(); ++i) {
            sum[i] += planned[i];
        }
        scene.compute();
    }
    QCOMPARE(sum, (Tokens{128, 128, 128, 128}));
}

void TstPlanStreams::whoeverWaitsForBlocksComesFirst() {
    Scene preempting;
    preempting.open(100);
    Sequence victim(RequestId{99}, {1, 2, 3}, 4);
    preempting.plan.preempted.push_back(&victim);
    QCOMPARE(preempting.planned(), (Tokens{0}));
    Scene draining;
    draining.open(100);
    draining.limits.admitsNew = false;
    QCOMPARE(draining.planned(), (Tokens{0}));
}

void TstPlanStreams::blocksAboveTheWatermarkAreLeft() {
    Scene scene;
    scene.limits.freeBlocks = 5;
    scene.limits.watermarkBlocks = 2;
    scene.open(1000);
    scene.open(1000);
    QCOMPARE(scene.planned(), (Tokens{48, 0}));
    Scene taken;
    taken.limits.freeBlocks = 5;
    taken.limits.watermarkBlocks = 2;
    taken.open(1000);
    taken.beside(1);
    taken.plan.slices.back().newBlocks = 2; // the answer's
    QCOMPARE(taken.planned(), (Tokens{16}));
    Scene negative; // more are in use than there may be
    negative.limits.freeBlocks = -3;
    negative.open(1000);
    QCOMPARE(negative.planned(), (Tokens{0}));
    Scene begun; // the place in its last block is its own
    begun.open(20);
    begun.planned();
    begun.compute();
    const std::vector<TokenId> longer(100, 5);
    commitPrompt(*begun.schedule().streams.front(), longer, begun.schedule(), {});
    begun.limits.freeBlocks = 0;
    QCOMPARE(begun.planned(), (Tokens{12}));
}

void TstPlanStreams::knownBeginningsAreTakenOver() {
    Scene scene;
    scene.schedule().keepsPrefixes = true;
    scene.open(100);
    scene.planned();
    scene.compute();
    scene.planned();
    scene.compute();
    scene.limits.prefix = &scene.schedule().prefix;
    Sequence& second = scene.open(100);
    QCOMPARE(scene.planned(), (Tokens{0, 4})); // six blocks of the first are its own too
    QCOMPARE(scene.plan.started.size(), std::size_t(1));
    QCOMPARE(scene.plan.started[0].prefix.size(), std::size_t(6));
    scene.compute();
    QCOMPARE(second.cached(), std::int64_t(100));
    QCOMPARE(second.hitTokens, std::int64_t(96));
    QCOMPARE(second.blocks().front(), scene.schedule().streams.front()->blocks().front());
}

// Its blocks are there, and nothing is cached: meanwhile others have computed the same beginning.
void TstPlanStreams::interruptedSlicesGoOnWhereTheyWere() {
    Scene scene;
    scene.schedule().keepsPrefixes = true;
    Sequence& interrupted = scene.open(100);
    scene.planned();
    commitPlan(scene.plan, scene.schedule(), 1, {}); // and not computed
    scene.plan = {};
    interrupted.isParked = true;
    scene.open(100);
    scene.planned();
    scene.compute();
    interrupted.isParked = false;
    scene.limits.prefix = &scene.schedule().prefix;
    QCOMPARE(interrupted.cached(), std::int64_t(0));
    QVERIFY(!interrupted.blocks().empty());
    QCOMPARE(scene.planned(), (Tokens{64, 36}));
    QVERIFY(scene.plan.started.empty());
    scene.compute();
    QCOMPARE(interrupted.cached(), std::int64_t(64));
}

void TstPlanStreams::whoHasNoTurnIsPassed() {
    Scene scene;
    scene.open(100).isParked = true;
    scene.open(100).isRestoring = true;
    scene.open(100);
    QCOMPARE(scene.planned(), (Tokens{0, 0, 64}));
    StepPlan none;
    planStreams({}, scene.limits, none);
    QVERIFY(none.isEmpty());
}

// Never more than the share, and never less than nine tenths of it.
void TstPlanStreams::paceKeepsToItsShare() {
    for (std::int64_t threads = 1; threads <= 64; ++threads) {
        for (std::int64_t percent = 1; percent <= 100; ++percent) {
            const StreamPace pace = streamPace(threads, percent);
            QVERIFY(pace.threads >= 1 && pace.threads <= threads);
            QVERIFY(pace.busyShare > 0 && pace.busyShare <= 1);
            const double used = static_cast<double>(pace.threads) * pace.busyShare;
            const double wanted = static_cast<double>(threads * percent) / 100.0;
            QVERIFY2(
                used <= wanted * (1 + 1e-12) && used >= 0.9 * wanted,
                qPrintable(QStringLiteral("%1 of %2: %3").arg(percent).arg(threads).arg(used)));
        }
    }
    QCOMPARE(streamPace(10, 80).threads, std::int64_t(8));
    QCOMPARE(streamPace(10, 80).restAfter(40ms), Nanoseconds(0));
    QCOMPARE(streamPace(2, 80).threads, std::int64_t(2));
    QCOMPARE(streamPace(2, 80).restAfter(40ms), Nanoseconds(10ms));
}

QTEST_APPLESS_MAIN(TstPlanStreams)
#include "tst_plan_streams.moc"
