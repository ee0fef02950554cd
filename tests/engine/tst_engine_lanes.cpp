// What the engine tells of lanes and closed batches.
#include "tests/support/open_prompts.h"

#include <QTest>

#include <thread>

using namespace engine;
using tests::Ended;
using tests::TinyEngine;
using tests::words;
using namespace std::chrono_literals;

class TstEngineLanes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refusedRequestsMissTheDeadlineOfTheirLane();
    void warmingUpCollectsNobody();
    void closedBatchesTellWhoWaitedForWhom();
    void whoStartsAfterASwitchIsToldToo();
};

void TstEngineLanes::refusedRequestsMissTheDeadlineOfTheirLane() {
    EngineConfig config = TinyEngine::smallConfig();
    config.maxWaiting = 1;
    config.maxBatch = 1;
    config.batchDeadlineMs = 60000;
    TinyEngine engine(config);
    const auto running = engine.submitHeld(TinyEngine::request("a", 3));
    Request batch = TinyEngine::request("b", 3);
    batch.lane = Lane::Batch;
    const auto waiting = engine->submit(batch);
    const auto refused = engine->submit(batch);
    engine.ops().release();
    const Ended ended = tests::readToEnd(*refused);
    QCOMPARE(ended.reason, FinishReason::Overloaded);
    QVERIFY(ended.record->deadline);
    QVERIFY(ended.record->metDeadline() == std::optional(false));
    tests::readToEnd(*waiting);
    tests::readToEnd(*running);
    const Snapshot figures = engine.waitForFigures(
        [](const Snapshot& s) { return s.deadlinesMet + s.deadlinesMissed == 2; });
    QCOMPARE(figures.deadlinesMissed, std::uint64_t(1));
    QCOMPARE(figures.deadlinesMet, std::uint64_t(1));
}

// The engine is warm when it is ready, and its own request is in nobody's batch.
void TstEngineLanes::warmingUpCollectsNobody() {
    EngineConfig config = TinyEngine::smallConfig();
    config.batching = Batching::Dynamic;
    config.batchWindowMs = 60000;
    config.warmupRequests = 2;
    TinyEngine engine(config);
    QVERIFY(engine.ops().products() > 0);
    const Snapshot ready = engine.waitForFigures([](const Snapshot& s) { return s.step >= 4; });
    QVERIFY(ready.step >= 4);
    QCOMPARE(engine->config().effective.batching, Batching::Dynamic);
}

namespace {

EngineConfig closedBatches() {
    EngineConfig config = TinyEngine::smallConfig();
    config.batching = Batching::Dynamic;
    config.maxBatch = 2;
    config.batchWindowMs = 10000; // both, or none
    return config;
}

struct Three {
    std::shared_ptr<TokenStream> brief, lengthy, late;
};

// Two in a batch, of which one ends much later, and one that waits meanwhile.
Three submitThree(TinyEngine& engine, int longest) {
    engine.ops().hold();
    Three three;
    three.brief = engine->submit(TinyEngine::request(words(10, 1), 40));
    three.lengthy = engine->submit(TinyEngine::request(words(10, 2), longest));
    three.late = engine->submit(TinyEngine::request(words(10, 3), 4));
    std::this_thread::sleep_for(30ms); // all are encoded
    engine.ops().release();
    return three;
}

} // namespace

void TstEngineLanes::closedBatchesTellWhoWaitedForWhom() {
    TinyEngine engine(closedBatches());
    const Three three = submitThree(engine, 200);
    const auto other = engine->submit(TinyEngine::request(words(10, 4), 4));
    const Ended brief = tests::readToEnd(*three.brief);
    const Ended lengthy = tests::readToEnd(*three.lengthy);
    const Ended late = tests::readToEnd(*three.late);
    tests::readToEnd(*other);
    std::optional<BatchEnded> told;
    QVERIFY(engine.waitForEvent([&](const Event& event) {
        const auto* ended = std::get_if<BatchEnded>(&event.body);
        told = ended != nullptr ? std::optional(*ended) : told;
        return ended != nullptr;
    }));
    QCOMPARE(told->requests, std::int64_t(2));
    QCOMPARE(told->last, lengthy.record->id);
    QVERIFY(told->waiting >= 1);
    const Nanoseconds between = *lengthy.record->stamps.finished - *brief.record->stamps.finished;
    QVERIFY(told->tail > Nanoseconds(0) && told->tail <= told->duration);
    QVERIFY(std::chrono::abs(told->tail - between) < 50ms + between / 10);
    QCOMPARE(late.record->blockedBy, lengthy.record->id);
    QVERIFY(late.record->blockedNs > 0 && late.record->blockedNs <= told->tail.count());
    if (*late.record->stamps.admitted < *brief.record->stamps.finished) {
        QCOMPARE(late.record->blockedNs, std::int64_t(told->tail.count()));
    }
    QCOMPARE(brief.record->blockedNs + lengthy.record->blockedNs, std::int64_t(0));
    QVERIFY(engine->snapshot().blockedNs >= static_cast<std::uint64_t>(late.record->blockedNs));
}

void TstEngineLanes::whoStartsAfterASwitchIsToldToo() {
    EngineConfig config = closedBatches();
    TinyEngine engine(config);
    const Three three = submitThree(engine, 450);
    const Ended brief = tests::readToEnd(*three.brief);
    std::this_thread::sleep_for(1ms);
    QVERIFY(engine->edit([](EngineConfig& edited) { edited.batching = Batching::Continuous; }));
    const Ended late = tests::readToEnd(*three.late);
    const Ended lengthy = tests::readToEnd(*three.lengthy);
    if (*late.record->stamps.planned <
        *lengthy.record->stamps.finished) { // it was switched in time
        QCOMPARE(late.record->blockedBy, lengthy.record->id);
        QVERIFY(late.record->blockedNs > 0);
        QVERIFY(late.record->blockedNs <=
                Nanoseconds(*late.record->stamps.planned - *brief.record->stamps.finished + 20ms)
                    .count());
    }
}

QTEST_APPLESS_MAIN(TstEngineLanes)
#include "tst_engine_lanes.moc"
