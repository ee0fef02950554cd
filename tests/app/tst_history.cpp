// The history: rates, bounds of its memory, order, markers; and exact quantiles.
#include "app/observe/bookmark.h"
#include "app/observe/history.h"
#include "app/observe/marker_effect.h"
#include "app/observe/quiet_markers.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <random>

using namespace app;

namespace {

engine::TimePoint at(double seconds) {
    return engine::TimePoint{} + std::chrono::duration_cast<engine::Nanoseconds>(
                                     std::chrono::duration<double>(100.0 + seconds));
}

engine::Snapshot snapshotAt(double seconds) {
    engine::Snapshot snapshot;
    snapshot.timeNs = at(seconds).time_since_epoch().count();
    snapshot.threads = 2;
    return snapshot;
}

std::shared_ptr<engine::RequestRecord> record(double scheduled, double firstVisible) {
    auto made = std::make_shared<engine::RequestRecord>();
    made->reason = engine::FinishReason::Stop;
    made->outputTokens = 11;
    made->stamps.scheduled = at(scheduled);
    made->stamps.firstVisible = at(firstVisible);
    made->stamps.lastToken = made->stamps.finished = at(firstVisible + 1.0);
    made->ledgerNs.emplace();
    (*made->ledgerNs)[static_cast<std::size_t>(engine::Stage::Queue)] = 5'000'000;
    return made;
}

engine::Event eventAt(double seconds, decltype(engine::Event::body) body) {
    engine::Event event;
    event.time = at(seconds);
    event.body = std::move(body);
    return event;
}

} // namespace

class TstHistory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ratesAreDifferencesOverTime();
    void figuresForProgramsAreNoMarkers();
    void repeatedOrRestartedSnapshotsMakeNoFalseRates();
    void mergingKeepsCountsAndBoundsMemory();
    void aDayAtTenHertzHasABound();
    void recordedRunsKeepAllOfThemselves();
    void requestsAreOrderedByTheirFirstText();
    void firstTextsCountBeforeTheEnd();
    void recordsBecomePoints();
    void whatWasDoneIsNumbered();
    void burstsOfTheEngineAreOneMarkerWithoutANumber();
    void bookmarksStandWhereTheyPoint();
    void aDamagedBookmarkStandsWhereItWasSet();
    void bookmarksEndNoSpanOfAnEffect();
    void warmLeavesOutColdAndUnfinished();
    void leastCountsAreThoseOfTheDefinition();
    void quantilesAreExact();
};

void TstHistory::figuresForProgramsAreNoMarkers() {
    History history;
    history.reset(at(0));
    engine::Event event;
    event.time = at(1.0);
    event.body = engine::Notice{.kind = "step_cost", .values = {}};
    history.addEvent(event);
    QVERIFY(history.markers().empty());
    event.body = engine::Notice{.kind = "marker", .values = {}};
    history.addEvent(event);
    QCOMPARE(history.markers().size(), 1U);
}

void TstHistory::ratesAreDifferencesOverTime() {
    History history;
    history.reset(at(0));
    auto snapshot = snapshotAt(1.0);
    snapshot.outputTokens = 100;
    history.addSnapshot(snapshot);
    QVERIFY(history.samples().empty()); // a rate needs two
    snapshot = snapshotAt(1.5);
    snapshot.outputTokens = 150;
    snapshot.promptTokens = 20;
    snapshot.completed = 3;
    snapshot.running = 4;
    snapshot.kvBlocksUsed = 10;
    snapshot.kvBlocksTotal = 40;
    snapshot.poolBusyNs = 600'000'000;
    snapshot.machineTotalBytes = 100;
    snapshot.machineAvailableBytes = 75;
    history.addSnapshot(snapshot);
    QCOMPARE(history.samples().size(), 1U);
    const Sample& sample = history.samples().front();
    QCOMPARE(sample.seconds, 1.5);
    QCOMPARE(sample.outputPerSecond, 100.0);
    QCOMPARE(sample.promptPerSecond, 40.0);
    QCOMPARE(sample.requestsPerSecond, 6.0);
    QCOMPARE(sample.running, 4.0);
    QCOMPARE(sample.kvShare, 0.25);
    QCOMPARE(sample.busyShare, 0.6);
    QCOMPARE(sample.machineShare, 0.25);
    QCOMPARE(history.endSeconds(), 1.5);
}

void TstHistory::repeatedOrRestartedSnapshotsMakeNoFalseRates() {
    History history;
    history.reset(at(0));
    auto snapshot = snapshotAt(-1.0); // of the time before
    history.addSnapshot(snapshot);
    snapshot = snapshotAt(1.0);
    snapshot.outputTokens = 1000;
    history.addSnapshot(snapshot);
    history.addSnapshot(snapshot);
    QVERIFY(history.samples().empty());
    snapshot = snapshotAt(2.0);
    snapshot.outputTokens = 10; // another engine
    history.addSnapshot(snapshot);
    QCOMPARE(history.samples().size(), 1U);
    QCOMPARE(history.samples().front().outputPerSecond, 0.0);
    // Division by nothing stays finite.
    QCOMPARE(history.samples().front().kvShare, 0.0);
    QCOMPARE(history.samples().front().machineShare, 0.0);
}

void TstHistory::mergingKeepsCountsAndBoundsMemory() {
    History history;
    history.reset(at(0));
    double produced = 0.0;
    const int ticks = 30'000; // 50 minutes
    double last = 0.0;
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> jitter(0.06, 0.14);
    for (int i = 0; i < ticks; ++i) {
        const double step = jitter(random);
        last += step;
        Sample sample;
        sample.seconds = last;
        sample.outputPerSecond = static_cast<double>(i % 50);
        sample.slots = 16;
        produced += sample.outputPerSecond * step;
        history.addSample(sample);
    }
    const auto& samples = history.samples();
    QVERIFY(samples.size() <= History::kFineSamples + static_cast<std::size_t>(last) + 2);
    QVERIFY(samples.size() >= History::kFineSamples);
    double kept = 0.0;
    double previous = 0.0;
    for (const Sample& sample : samples) {
        QVERIFY(sample.seconds > previous);
        kept += sample.outputPerSecond * (sample.seconds - previous);
        previous = sample.seconds;
    }
    QVERIFY2(std::abs(kept / produced - 1.0) < 0.005, qPrintable(QString::number(kept / produced)));
    QCOMPARE(samples.front().slots, 16.0);
    QCOMPARE(history.endSeconds(), last);
}

// A day and a half in virtual time, as the window feeds it: after the first nothing grows any more.
void TstHistory::aDayAtTenHertzHasABound() {
    History history;
    history.reset(at(0));
    constexpr int kDay = 864'000;
    constexpr std::size_t kMergedAtOnce = 310; // half a minute
    std::size_t samplesOfADay = 0, requestsOfADay = 0;
    engine::Event event;
    event.body = engine::Notice{.kind = "marker", .values = {}};
    for (int tick = 1; tick <= kDay + kDay / 2; ++tick) {
        const double now = 0.1 * tick;
        history.addSample({.seconds = now, .running = 4.0, .outputPerSecond = 300.0});
        history.addRequest({.id = engine::RequestId{static_cast<std::uint64_t>(tick)},
                            .seconds = now,
                            .ttftMs = 40.0});
        if (tick % 60 == 0) {
            event.time = at(now);
            history.addEvent(event);
        }
        if (tick == kDay + kDay / 8) {
            samplesOfADay = history.samples().size();
            requestsOfADay = history.requests().size();
        }
    }
    QVERIFY(samplesOfADay <= History::kFineSamples + History::kMergedSamples + kMergedAtOnce);
    QVERIFY(history.samples().size() <= samplesOfADay + kMergedAtOnce);
    QVERIFY(requestsOfADay <= History::kMaxRequests);
    QVERIFY(history.requests().size() <= History::kMaxRequests);
    QVERIFY(history.markers().size() <= History::kMaxMarkers);
    // What is kept is the newest day, without holes.
    QVERIFY(history.endSeconds() - history.samples().front().seconds > 86'400.0);
    double previous = history.samples().front().seconds;
    for (const Sample& sample : history.samples()) {
        QVERIFY(sample.seconds - previous < 1.2);
        QVERIFY(std::abs(sample.outputPerSecond - 300.0) < 1e-6);
        previous = sample.seconds;
    }
}

void TstHistory::recordedRunsKeepAllOfThemselves() {
    History history;
    history.reset(at(0), HistoryBound::Whole);
    constexpr int kSeconds = 150'000; // more than a day and its fine part
    for (int second = 1; second <= kSeconds; ++second) {
        history.addSample({.seconds = static_cast<double>(second)});
    }
    QCOMPARE(history.samples().size(), static_cast<std::size_t>(kSeconds));
    QCOMPARE(history.samples().front().seconds, 1.0);
    history.reset(at(0)); // a live one is bounded again
    for (int second = 1; second <= kSeconds; ++second) {
        history.addSample({.seconds = static_cast<double>(second)});
    }
    QVERIFY(history.samples().size() < static_cast<std::size_t>(kSeconds));
}

void TstHistory::requestsAreOrderedByTheirFirstText() {
    History history;
    history.reset(at(0));
    for (const double seconds : {5.0, 2.0, 9.0, 2.5, -1.0}) {
        history.addRequest({.seconds = seconds});
    }
    QCOMPARE(history.requests().size(), 4U); // the one before the start is none of ours
    QVERIFY(std::ranges::is_sorted(history.requests(), {}, &RequestPoint::seconds));
    QCOMPARE(history.endSeconds(), 9.0);
}

void TstHistory::firstTextsCountBeforeTheEnd() {
    History history;
    history.reset(at(0));
    auto answering = std::make_shared<engine::RequestRecord>(*record(1.0, 1.25));
    answering->id = engine::RequestId{7};
    answering->reason = engine::FinishReason::Failed; // not known yet, and not to be read
    answering->stamps.finished.reset();
    history.addEvent(eventAt(1.25, engine::FirstToken{answering}));
    QCOMPARE(history.requests().size(), 1U);
    QVERIFY(!history.requests().front().outcome);
    QVERIFY(!std::isfinite(history.requests().front().tpotMs));
    QVERIFY(isLatencySample(history.requests().front(), SampleFilter::Warm));
    auto other = std::make_shared<engine::RequestRecord>(*answering);
    other->id = engine::RequestId{8}; // at the same instant
    history.addEvent(eventAt(1.25, engine::FirstToken{other}));
    auto ended = std::make_shared<engine::RequestRecord>(*record(1.0, 1.25));
    ended->id = engine::RequestId{7};
    history.addEvent(eventAt(60.0, engine::RequestFinished{ended}));
    QCOMPARE(history.requests().size(), 2U);
    const auto& requests = history.requests();
    QCOMPARE(std::ranges::count_if(requests, [](const auto& each) { return !each.outcome; }), 1);
    const auto point = std::ranges::find(requests, engine::RequestId{7}, &RequestPoint::id);
    QVERIFY(point->outcome == engine::Outcome::Completed);
    QCOMPARE(point->tpotMs, 100.0);
    auto cancelled = std::make_shared<engine::RequestRecord>(*other);
    cancelled->reason = engine::FinishReason::Cancelled;
    history.addEvent(eventAt(61.0, engine::RequestFinished{cancelled}));
    QCOMPARE(history.requests().size(), 2U);
    const auto gone = std::ranges::find(requests, engine::RequestId{8}, &RequestPoint::id);
    QVERIFY(!isLatencySample(*gone, SampleFilter::Warm));
}

void TstHistory::recordsBecomePoints() {
    History history;
    history.reset(at(0));
    history.addEvent(eventAt(3.0, engine::RequestFinished{record(1.0, 1.25)}));
    auto refused = std::make_shared<engine::RequestRecord>();
    refused->reason = engine::FinishReason::TooLong;
    history.addEvent(eventAt(4.0, engine::RequestFinished{refused}));
    history.addEvent(eventAt(5.0, engine::RequestFinished{nullptr}));
    QCOMPARE(history.requests().size(), 2U);
    const RequestPoint& point = history.requests().front();
    QCOMPARE(point.seconds, 1.25);
    QCOMPARE(point.ttftMs, 250.0);
    QCOMPARE(point.tpotMs, 100.0);
    QVERIFY(!std::isfinite(point.waitedMs));
    QVERIFY(point.hasLedger);
    QCOMPARE(point.ledgerMs[static_cast<std::size_t>(engine::Stage::Queue)], 5.0F);
    auto left = std::make_shared<engine::RequestRecord>();
    left->reason = engine::FinishReason::Cancelled;
    left->stamps.received = at(1.5);
    left->stamps.finished = at(3.75);
    History others;
    others.reset(at(0));
    others.addEvent(eventAt(3.75, engine::RequestFinished{left}));
    QCOMPARE(others.requests().front().waitedMs, 2250.0);
    const RequestPoint& absent = history.requests().back();
    QCOMPARE(absent.seconds, 4.0);
    QVERIFY(std::isnan(absent.ttftMs));
    QVERIFY(absent.outcome == engine::Outcome::Rejected);
    QVERIFY(!absent.hasLedger);
}

void TstHistory::whatWasDoneIsNumbered() {
    History history;
    history.reset(at(0));
    history.addEvent(eventAt(1, engine::ConfigApplied{{{"threads", "1", "2"}}, 7}));
    history.addEvent(eventAt(2, engine::PhaseTimed{}));
    history.addEvent(eventAt(3, engine::StateChanged{engine::EngineState::Running}));
    history.addEvent(eventAt(4, engine::Notice{"stage", {}}));
    history.addEvent(eventAt(5, engine::StateChanged{engine::EngineState::Failed}));
    history.addEvent(eventAt(-5, engine::Notice{"before", {}}));
    QCOMPARE(history.markers().size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        QCOMPARE(history.markers()[i].number, static_cast<int>(i) + 1);
    }
    QCOMPARE(history.markers()[1].seconds, 4.0);
    for (std::size_t i = 0; i < History::kMaxMarkers; ++i) {
        history.addEvent(eventAt(6, engine::Notice{"note", {}}));
    }
    QCOMPARE(history.markers().size(), History::kMaxMarkers);
    QCOMPARE(history.markers().back().number, static_cast<int>(History::kMaxMarkers) + 3);
    history.reset(at(10));
    QVERIFY(history.markers().empty());
}

void TstHistory::burstsOfTheEngineAreOneMarkerWithoutANumber() {
    History history;
    history.reset(at(0));
    history.addEvent(eventAt(1, engine::ConfigApplied{{{"threads", "1", "2"}}, 7}));
    for (const double seconds : {20.0, 21.5, 29.0, 60.0}) {
        history.addEvent(eventAt(seconds, engine::Preempted{.id = {}, .tokens = 8}));
    }
    RequestPoint cold;
    cold.seconds = 3.0;
    cold.tags = static_cast<std::uint32_t>(engine::SampleTag::Cold);
    history.addRequest(cold);
    cold.seconds = 4.0;
    history.addRequest(cold); // of the same start
    history.addEvent(eventAt(70, engine::Notice{"stage", {}}));
    const auto& markers = history.markers();
    QCOMPARE(markers.size(), 5U);
    QVERIFY(std::ranges::is_sorted(markers, {}, &HistoryMarker::seconds));
    const auto noticeOf = [](const HistoryMarker& marker) {
        return std::get<engine::Notice>(marker.event.body);
    };
    QCOMPARE(noticeOf(markers[1]).kind, std::string(kColdStart));
    QCOMPARE(markers[1].seconds, 3.0);
    QCOMPARE(noticeOf(markers[2]).kind, std::string(kPreemptionBurst));
    QCOMPARE(noticeOf(markers[2]).values[0].second, std::string("3"));
    QCOMPARE(noticeOf(markers[3]).values[0].second, std::string("1"));
    QVERIFY(markers[2].number < 0 && markers[3].number < 0 && markers[1].number < 0);
    // What people did keeps its numbers.
    QCOMPARE(markers[0].number, 1);
    QCOMPARE(markers[4].number, 2);
}

void TstHistory::bookmarksStandWhereTheyPoint() {
    History history;
    history.reset(at(0));
    history.addEvent(eventAt(5.0, engine::Failed{.message = "first", .requestsFailed = 0}));
    history.addEvent(eventAt(30.0, engine::Failed{.message = "second", .requestsFailed = 0}));
    const Bookmark early{.seconds = 12.5, .name = "slow here"};
    const Bookmark late{.seconds = 25.0, .name = "slow here"};
    history.addEvent(eventAt(31.0, bookmarkNotice(late)));
    history.addEvent(eventAt(32.0, bookmarkNotice(early)));
    QCOMPARE(history.markers().size(), 4U);
    std::vector<double> places;
    std::vector<int> numbers;
    for (const HistoryMarker& marker : history.markers()) {
        places.push_back(marker.seconds);
        numbers.push_back(marker.number);
    }
    QCOMPARE(places, (std::vector<double>{5.0, 12.5, 25.0, 30.0}));
    QCOMPARE(numbers, (std::vector<int>{1, 4, 3, 2})); // what was numbered keeps its number
    QCOMPARE(bookmarkOf(history.markers()[1].event).value_or(Bookmark{}), early);
    // Of two with one name only the meant one goes; what is not there takes nothing along.
    history.addEvent(eventAt(33.0, bookmarkRemovedNotice(late)));
    history.addEvent(eventAt(34.0, bookmarkRemovedNotice({.seconds = 30.0, .name = "second"})));
    QCOMPARE(history.markers().size(), 3U);
    QCOMPARE(history.markers()[1].seconds, 12.5);
}

void TstHistory::aDamagedBookmarkStandsWhereItWasSet() {
    for (const char* place : {"", "x", "1e999", "nan", "-3", "5 apples"}) {
        History history;
        history.reset(at(0));
        const engine::Notice notice{.kind = std::string(kBookmark),
                                    .values = {{"name", "odd"}, {"at_s", place}}};
        history.addEvent(eventAt(7.0, notice));
        QVERIFY2(!bookmarkOf(eventAt(7.0, notice)), place);
        QCOMPARE(history.markers().size(), 1U);
        QCOMPARE(history.markers().front().seconds, 7.0);
    }
}

void TstHistory::bookmarksEndNoSpanOfAnEffect() {
    const auto spansWith = [](bool hasBookmarks) {
        History history;
        history.reset(at(0));
        for (int i = 0; i < 400; ++i) {
            history.addRequest({.seconds = 0.25 * i, .ttftMs = 10.0});
        }
        history.addEvent(eventAt(50.0, engine::Failed{.message = "x", .requestsFailed = 0}));
        if (hasBookmarks) {
            history.addEvent(eventAt(50.0, bookmarkNotice({.seconds = 49.0, .name = "a"})));
            history.addEvent(eventAt(50.0, bookmarkNotice({.seconds = 53.0, .name = "b"})));
        }
        return markerSpans(history, hasBookmarks ? 1 : 0, SampleFilter::All);
    };
    const MarkerSpans without = spansWith(false);
    const MarkerSpans with = spansWith(true);
    QVERIFY(without.beforeMs.size() > 100);
    QCOMPARE(with.beforeMs.size(), without.beforeMs.size());
    QCOMPARE(with.afterMs.size(), without.afterMs.size());
}

void TstHistory::warmLeavesOutColdAndUnfinished() {
    RequestPoint point{.ttftMs = 10.0};
    QVERIFY(isLatencySample(point, SampleFilter::Warm));
    point.tags = static_cast<std::uint32_t>(engine::SampleTag::Cold);
    QVERIFY(!isLatencySample(point, SampleFilter::Warm));
    QVERIFY(isLatencySample(point, SampleFilter::All));
    point.tags = static_cast<std::uint32_t>(engine::SampleTag::Preempted);
    QVERIFY(isLatencySample(point, SampleFilter::Warm));
    point.outcome = engine::Outcome::Cancelled;
    QVERIFY(!isLatencySample(point, SampleFilter::Warm));
    point.ttftMs = std::numeric_limits<double>::quiet_NaN();
    QVERIFY(!isLatencySample(point, SampleFilter::All));
}

void TstHistory::leastCountsAreThoseOfTheDefinition() {
    QCOMPARE(leastCount(0.50), 6);
    QCOMPARE(leastCount(0.90), 29);
    QCOMPARE(leastCount(0.95), 59);
    QCOMPARE(leastCount(0.99), 299);
    QCOMPARE(leastCount(0.999), 2995);
}

void TstHistory::quantilesAreExact() {
    QCOMPARE(quantiles({}).n, 0);
    QVERIFY(!quantiles({}).p50);
    std::vector<double> values;
    for (int i = 100; i >= 0; --i) {
        values.push_back(i);
    }
    values.push_back(std::numeric_limits<double>::quiet_NaN());
    const Quantiles result = quantiles(values);
    QCOMPARE(result.n, 101);
    QCOMPARE(result.p50, std::optional(50.0));
    QCOMPARE(result.p90, std::optional(90.0));
    QCOMPARE(result.p95, std::optional(95.0));
    QCOMPARE(result.p99, std::optional(99.0));
    QCOMPARE(result.minimum, std::optional(0.0));
    QCOMPARE(result.maximum, std::optional(100.0));
    QCOMPARE(quantiles({3.0}).p99, std::optional(3.0));
}

QTEST_GUILESS_MAIN(TstHistory)
#include "tst_history.moc"
