// Parts of a run: what belongs to them, that they add up, and a run cut in two at a change.
#include "app/compare/run_slice.h"
#include "app/compare/run_views.h"
#include "app/observe/bookmark.h"
#include "app/store/event_json.h"
#include "app/store/summary.h"
#include "tests/support/scripted_run.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <limits>

using namespace app;

namespace {

engine::TimePoint at(double seconds) {
    return engine::TimePoint{} +
           std::chrono::duration_cast<engine::Nanoseconds>(std::chrono::duration<double>(seconds));
}

// A run of ten requests a second, each 300 ms long, for twenty seconds. From ten seconds on the
// first text takes four times as long.
RunData evenRun() {
    RunData run;
    run.summary.run.id = 7;
    run.summary.run.name = "even";
    run.summary.run.seconds = 20.0;
    run.summary.run.state = RunState::Finished;
    run.summary.run.requestDigest = "xxh3:1";
    for (int i = 0; i < 200; ++i) {
        const double begin = 0.1 * i + 0.01;
        const double ttftMs = begin < 10.0 ? 20.0 : 80.0;
        run.requests.push_back(
            {.n = i + 1, .record = tests::makeRecord(at(0), 1000.0 * begin, ttftMs, 20.0, 11)});
    }
    for (int second = 1; second <= 20; ++second) {
        SampleRow row;
        row.sample.seconds = second;
        row.sample.running = second;
        run.samples.push_back(row);
    }
    fillHistory(run);
    return run;
}

std::int64_t tokensIn(const RunData& run) {
    return std::llround(*run.summary.outputPerSecond * run.summary.run.seconds);
}

} // namespace

class TstRunSlice : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void timesCountFromTheBegin();
    void partsAddUp();
    void whatReachesOverAnEdgeIsNoLatencySample();
    void theWholeRunIsItself();
    void bookmarksMoveAlong();
    void aSplitFindsTheChange();
    void aSplitSaysWhatItLeftOut();
    void aSplitWithinASpanLeavesTheRestOut();
    void oddPlacesAreRefused_data();
    void oddPlacesAreRefused();
    void anEmptyRunIsSlicedToNothing();
    void aRunThatIsStillRecordedSplitsAsFarAsItCame();
    void aRunOfTheLogSplitsAtItsStage();
};

void TstRunSlice::timesCountFromTheBegin() {
    const RunData part = sliceRun(evenRun(), 5.0, 8.0);
    QCOMPARE(part.summary.run.seconds, 3.0);
    QCOMPARE(part.samples.size(), 3U);
    QCOMPARE(part.samples.front().sample.seconds, 1.0);
    QCOMPARE(part.samples.front().sample.running, 6.0);
    for (const RequestPoint& point : part.history.requests()) {
        QVERIFY(point.seconds >= 0.0 && point.seconds <= 3.4);
        QCOMPARE(point.ttftMs, 20.0);
    }
}

void TstRunSlice::partsAddUp() {
    const RunData run = evenRun();
    RunData whole = sliceRun(run, 0.0, 20.0);
    std::int64_t requests = 0, tokens = 0;
    double from = 0.0;
    for (const double to : {3.055, 3.155, 9.9991, 10.0007, 17.777, 20.0}) {
        const RunData part = sliceRun(run, from, to);
        requests += part.summary.requests;
        tokens += tokensIn(part);
        from = to;
    }
    QCOMPARE(requests, whole.summary.requests);
    QCOMPARE(tokens, tokensIn(whole));
}

void TstRunSlice::whatReachesOverAnEdgeIsNoLatencySample() {
    const RunData run = evenRun();
    const RunData part = sliceRun(run, 5.0, 8.0);
    // Those of 300 ms at either edge: three began before 5.0, three end after 8.0.
    std::int64_t samples = 0;
    for (const StoredRequest& request : part.requests) {
        samples += isWarm(request.record.tags) ? 1 : 0;
        QVERIFY(isWarm(request.record.tags) || !request.record.stamps.received.has_value() ||
                *request.record.stamps.finished > at(3.0));
    }
    QCOMPARE(samples, part.summary.ttftMs.n);
    QVERIFY(part.summary.ttftMs.n < static_cast<std::int64_t>(part.requests.size()));
    QVERIFY(std::abs(static_cast<double>(part.summary.ttftMs.n) - 28.0) <= 1.0);
    // Arrivals of the part only: ten a second.
    QVERIFY(std::abs(*part.summary.achievedRate - 10.0) < 0.5);
}

void TstRunSlice::theWholeRunIsItself() {
    RunData run = evenRun();
    SummaryBuilder builder(run.summary.run);
    for (const StoredRequest& request : run.requests) {
        builder.add(request.record);
    }
    const RunSummary expected = builder.finish({});
    const RunSummary whole = sliceRun(run, -5.0, 1e9).summary;
    QCOMPARE(whole.ttftMs.n, expected.ttftMs.n);
    QCOMPARE(whole.ttftMs.p50.value_or(0), expected.ttftMs.p50.value_or(-1));
    QCOMPARE(whole.goodputPerSecond > 0, expected.goodputPerSecond > 0);
}

void TstRunSlice::bookmarksMoveAlong() {
    RunData run = evenRun();
    for (const double place : {2.0, 6.5, 12.0}) {
        engine::Event event;
        event.time = at(30.0); // set after the end
        event.body = bookmarkNotice({.seconds = place, .name = "here"});
        const EventRow row = eventRow(event);
        run.events.push_back({.sequence = static_cast<std::int64_t>(run.events.size()) + 1,
                              .timeNs = 30'000'000'000,
                              .step = 0,
                              .source = "operator",
                              .kind = row.kind,
                              .payloadJson = row.payloadJson});
    }
    const RunData part = sliceRun(run, 5.0, 8.0);
    QCOMPARE(part.history.markers().size(), 1U);
    QCOMPARE(part.history.markers().front().seconds, 1.5);
}

void TstRunSlice::aSplitFindsTheChange() {
    const auto split = splitRun(evenRun(), 10.0);
    QVERIFY(split.has_value());
    QCOMPARE(split->before.summary.ttftMs.maximum.value_or(0), 20.0);
    QCOMPARE(split->after.summary.ttftMs.minimum.value_or(0), 80.0);
    const Comparison comparison = compareSides(*split);
    const auto row = std::ranges::find(comparison.rows, "ttft_p50_ms", &ComparisonRow::metric);
    QVERIFY(row != comparison.rows.end());
    QCOMPARE(row->verdict, Verdict::Worse);
    QVERIFY(row->interval && row->interval->low > 50.0 && row->interval->high < 70.0);
    const auto has = [&](const char* kind) {
        return std::ranges::find(comparison.cautions, kind) != comparison.cautions.end();
    };
    QVERIFY(has("split"));
    QVERIFY(has("split_in_flight"));
    QVERIFY(!has("sequential"));
    QVERIFY(!has("request_list_differs"));
}

void TstRunSlice::aSplitSaysWhatItLeftOut() {
    const auto split = splitRun(evenRun(), 10.0);
    QVERIFY(split.has_value());
    // Ten a second: those of the two seconds after the cut, and those that it parts.
    QVERIFY(split->facts.inFlight >= 20 && split->facts.inFlight <= 25);
    QCOMPARE(split->facts.settleSeconds, 2.0);
    QCOMPARE(split->before.summary.run.seconds, 10.0);
    QCOMPARE(split->after.summary.run.seconds, 8.0);
    QCOMPARE(split->facts.otherChanges, std::int64_t(0));
}

void TstRunSlice::aSplitWithinASpanLeavesTheRestOut() {
    const auto split = splitRun(evenRun(), 10.0, std::pair(6.0, 15.0));
    QVERIFY(split.has_value());
    QCOMPARE(split->before.summary.run.seconds, 4.0);
    QCOMPARE(split->after.summary.run.seconds, 3.0);
}

void TstRunSlice::oddPlacesAreRefused_data() {
    QTest::addColumn<double>("place");
    QTest::newRow("the begin") << 0.0;
    QTest::newRow("the end") << 20.0;
    QTest::newRow("too near the end") << 17.5;
    QTest::newRow("before") << -3.0;
    QTest::newRow("beyond") << 1e12;
    QTest::newRow("no number") << std::numeric_limits<double>::quiet_NaN();
}

void TstRunSlice::oddPlacesAreRefused() {
    QFETCH(double, place);
    const auto split = splitRun(evenRun(), place);
    QVERIFY(!split.has_value());
    QVERIFY(split.error().message.find("run 7") != std::string::npos);
}

void TstRunSlice::anEmptyRunIsSlicedToNothing() {
    const RunData part = sliceRun(RunData{}, 0.0, 10.0);
    QCOMPARE(part.summary.run.seconds, 0.0);
    QCOMPARE(part.summary.requests, std::int64_t(0));
    QVERIFY(!splitRun(RunData{}, 1.0).has_value());
}

void TstRunSlice::aRunThatIsStillRecordedSplitsAsFarAsItCame() {
    RunData run = evenRun();
    run.summary.run.seconds = 0.0;
    run.summary.run.state = RunState::Recording;
    const auto split = splitRun(run, 10.0);
    QVERIFY(split.has_value());
    QCOMPARE(split->before.summary.ttftMs.maximum.value_or(0), 20.0);
    QCOMPARE(split->after.summary.ttftMs.minimum.value_or(0), 80.0);
    QVERIFY(split->after.summary.run.seconds > 7.0);
}

void TstRunSlice::aRunOfTheLogSplitsAtItsStage() {
    const QTemporaryDir folder;
    const std::filesystem::path log = folder.path().toStdString() + "/runs.db";
    std::int64_t run = 0;
    {
        auto store = RunStore::open(log, StoreMode::Write);
        QVERIFY(store.has_value());
        run = tests::writeScriptedRun(**store, {.phases = {{30.0, 8.0, 2}, {30.0, 8.0, 16}}});
    }
    const auto pair = openSplit(log, run, 30.0, {});
    QVERIFY(pair.has_value());
    QVERIFY(pair->split.has_value());
    QCOMPARE(pair->a->summary.run.id, run);
    QCOMPARE(pair->b->summary.run.id, run);
    const auto row =
        std::ranges::find(pair->comparison.rows, "ttft_p50_ms", &ComparisonRow::metric);
    QCOMPARE(row->verdict, Verdict::Better); // more slots, less waiting
    QVERIFY(!pair->distribution.series.empty());
    QCOMPARE(pair->distribution.series.front().name, sideName(SplitSide::Before));
    const auto set = openSet(log, {run, run, run});
    QVERIFY(set.has_value());
    QCOMPARE(set->againstFirst.size(), 2U);
    QCOMPARE(set->overTime.size(), 3U);
    QCOMPARE(set->overTime[0].yMax, set->overTime[2].yMax);
    QVERIFY(!openSet(log, {run, run + 99}).has_value());
}

QTEST_MAIN(TstRunSlice)
#include "tst_run_slice.moc"
