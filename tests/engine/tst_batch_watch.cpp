// Who waited for whom, and how long, where batches are closed.
#include "engine/loop/batch_watch.h"

#include <QTest>

#include <array>

using namespace engine;
using namespace std::chrono_literals;

namespace {

TimePoint at(Nanoseconds time) {
    return TimePoint{} + time;
}

constexpr std::array kThree = {RequestId{1}, RequestId{2}, RequestId{3}};

} // namespace

class TstBatchWatch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theEventTellsTheTail();
    void onlyTheTimeBehindTheFirstEndCounts();
    void severalBatchesAddUp();
    void whoComesWithinATailWaitsForTheRestOfIt();
    void nobodyWaitsForABatchThatIsOpen();
    void endsThatAreNoneOfItsAreIgnored();
};

void TstBatchWatch::theEventTellsTheTail() {
    BatchWatch watch;
    watch.open(7, kThree, at(100ms));
    QVERIFY(!watch.end(7, RequestId{2}, 0, at(150ms)));
    QVERIFY(!watch.end(7, RequestId{1}, 4, at(180ms)));
    const auto ended = watch.end(7, RequestId{3}, 5, at(400ms));
    QVERIFY(ended);
    QCOMPARE(ended->batch, std::uint64_t(7));
    QCOMPARE(ended->requests, std::int64_t(3));
    QCOMPARE(ended->duration, Nanoseconds(300ms));
    QCOMPARE(ended->tail, Nanoseconds(250ms));
    QCOMPARE(ended->last, RequestId{3});
    QCOMPARE(ended->waiting, std::int64_t(5));
    // A batch whose members end together, and one of a single request, have no tail.
    watch.open(8, std::array{RequestId{4}}, at(400ms));
    QCOMPARE(watch.end(8, RequestId{4}, 0, at(900ms))->tail, Nanoseconds(0));
    QCOMPARE(watch.held(at(2s)), Nanoseconds(250ms));
}

void TstBatchWatch::onlyTheTimeBehindTheFirstEndCounts() {
    BatchWatch watch;
    const Nanoseconds early = watch.held(at(0ms));
    watch.open(1, kThree, at(0ms));
    const Nanoseconds during = watch.held(at(50ms));
    watch.end(1, RequestId{1}, 1, at(100ms));
    watch.end(1, RequestId{3}, 1, at(110ms));
    watch.end(1, RequestId{2}, 1, at(500ms));
    for (const Nanoseconds noted : {early, during}) { // there was no place before
        const auto blocked = watch.blocked(noted, at(600ms));
        QVERIFY(blocked);
        QCOMPARE(blocked->time, Nanoseconds(400ms));
        QCOMPARE(blocked->by, RequestId{2});
    }
    QVERIFY(!watch.blocked(watch.held(at(550ms)), at(600ms))); // it came afterwards
}

// Two batches were opened before it had a place.
void TstBatchWatch::severalBatchesAddUp() {
    BatchWatch watch;
    const Nanoseconds noted = watch.held(at(0ms));
    for (std::uint64_t batch = 1; batch <= 5; ++batch) {
        const auto begin = at(batch * 1s);
        const std::array members = {RequestId{10 * batch}, RequestId{10 * batch + 1}};
        watch.open(batch, members, begin);
        watch.end(batch, members[0], 1, begin + 100ms);
        watch.end(batch, members[1], 1, begin + 100ms + batch * 10ms);
    }
    const auto blocked = watch.blocked(noted, at(10s));
    QVERIFY(blocked);
    QCOMPARE(blocked->time, Nanoseconds(150ms));
    QCOMPARE(blocked->by, RequestId{51});
}

void TstBatchWatch::whoComesWithinATailWaitsForTheRestOfIt() {
    BatchWatch watch;
    watch.open(1, kThree, at(0ms));
    watch.end(1, RequestId{1}, 0, at(100ms));
    const Nanoseconds noted = watch.held(at(300ms));
    watch.end(1, RequestId{2}, 0, at(350ms));
    watch.end(1, RequestId{3}, 0, at(400ms));
    QCOMPARE(watch.blocked(noted, at(400ms))->time, Nanoseconds(100ms));
}

// The policy was changed: whoever starts then waited as long as the batch was closed.
void TstBatchWatch::nobodyWaitsForABatchThatIsOpen() {
    BatchWatch watch;
    watch.open(1, kThree, at(0ms));
    watch.end(1, RequestId{1}, 0, at(100ms));
    watch.release(at(150ms));
    const auto blocked = watch.blocked(Nanoseconds(0), at(1s));
    QVERIFY(blocked);
    QCOMPARE(blocked->time, Nanoseconds(50ms));
    QCOMPARE(blocked->by, RequestId{3}); // one that still ran
    watch.release(at(2s));
    watch.end(1, RequestId{3}, 0, at(3s));
    QCOMPARE(watch.end(1, RequestId{2}, 0, at(4s))->tail, Nanoseconds(3900ms)); // it had one
    QCOMPARE(watch.held(at(5s)), Nanoseconds(50ms));
    // Before any end there is nothing to wait for.
    watch.open(2, kThree, at(6s));
    watch.release(at(7s));
    watch.end(2, RequestId{1}, 0, at(8s));
    QCOMPARE(watch.held(at(9s)), Nanoseconds(50ms));
}

void TstBatchWatch::endsThatAreNoneOfItsAreIgnored() {
    BatchWatch watch;
    QVERIFY(!watch.end(0, RequestId{1}, 0, at(1s)));
    watch.open(3, std::array{RequestId{1}}, at(0s));
    QVERIFY(!watch.end(2, RequestId{1}, 0, at(1s)));
    QVERIFY(!watch.end(3, RequestId{9}, 0, at(1s)));
    QVERIFY(watch.end(3, RequestId{1}, 0, at(2s)));
    QVERIFY(!watch.end(3, RequestId{1}, 0, at(3s)));
}

QTEST_APPLESS_MAIN(TstBatchWatch)
#include "tst_batch_watch.moc"
