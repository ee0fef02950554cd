#include "app/store/columns.h"
#include "app/store/event_json.h"
#include "app/store/run_store.h"
#include "app/store/sqlite.h"
#include "app/store/token_steps.h"
#include "tests/support/scripted_run.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

namespace fs = std::filesystem;
using app::RunStore;
using app::StoreMode;
using engine::Nanoseconds;
using engine::TimePoint;

namespace {

constexpr TimePoint kStart{std::chrono::hours(3)};

std::unique_ptr<RunStore> opened(const fs::path& file, StoreMode mode = StoreMode::Write) {
    auto store = RunStore::open(file, mode);
    if (!store) {
        qFatal("%s", store.error().message.c_str());
    }
    return std::move(*store);
}

engine::Event finished(const engine::RequestRecord& record) {
    engine::Event event;
    event.time = record.stamps.finished.value_or(kStart);
    event.body = engine::RequestFinished{std::make_shared<engine::RequestRecord>(record)};
    return event;
}

template <class Body>
engine::Event eventAt(double seconds, Body body,
                      engine::EventSource source = engine::EventSource::Engine) {
    engine::Event event;
    event.time = kStart + Nanoseconds(std::llround(seconds * 1e9));
    event.step = 17;
    event.source = source;
    event.body = std::move(body);
    return event;
}

std::int64_t begun(RunStore& store, app::RunInfo info = {}) {
    const auto run = store.beginRun(info, {});
    return run ? *run : -1;
}

} // namespace

class TstRunStore : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void runRoundTripsWhole();
    void requestRoundTripsWithEveryStamp();
    void absentStaysAbsent();
    void everyKindOfEventRoundTrips();
    void tokenStepsRoundTripAndDamageIsCutOff();
    void figuresAreThoseOfTheDefinitions();
    void requestsOutsideTheRunAreNoThroughput();
    void ratesOfNoTimeAreAbsent();
    void wantedRateIsAbsentInClosedLoops();
    void identitiesHoldOverATrafficRun();
    void settingsKeepEveryRowAndTheLastOfEachField();
    void historyHoldsWhatTheWindowWouldShow();
    void readerSeesWhatTheWriterCommitted();
    void batchIsAllOrNothing();
    void unfinishedRunIsFoundInterrupted();
    void removedRunIsGoneAndItsNumberIsNotUsedAgain();
    void renameChangesNameAndNote();
    void unknownRunsAreNamed();
    void digestChangesWithTheRowsOnly();
    void missingColumnsAreAddedOrReadAsAbsent();

private:
    fs::path file(const char* name) const { return fs::path(m_folder.path().toStdString()) / name; }
    QTemporaryDir m_folder;
};

void TstRunStore::runRoundTripsWhole() {
    const auto store = opened(file("whole.db"));
    app::RunInfo info;
    info.name = "a <b> \"c\" 'd'; DROP TABLE run; 实时 \xff";
    info.note = "line\nline";
    info.modelName = "model";
    info.modelDigest = "xxh3:1";
    info.workloadName = "demo";
    info.workloadToml = "[workload]\nseed = 1\n";
    info.requestDigest = "xxh3:2";
    info.seed = 0xffff'ffff'ffff'fffeULL;
    info.machineJson = R"({"cpu":"x"})";
    info.sloTtftMs = 250.5;
    info.tags = {"chat", "baseline", "chat"};
    const std::int64_t run = begun(*store, info);
    QVERIFY(run > 0);
    QVERIFY(store->endRun(run, app::RunState::Finished, 12.25, true).has_value());

    const auto data = store->load(run);
    QVERIFY(data.has_value());
    const app::RunInfo& read = data->summary.run;
    QCOMPARE(read.id, run);
    QCOMPARE(read.name, info.name);
    QCOMPARE(read.note, info.note);
    QCOMPARE(read.modelDigest, info.modelDigest);
    QCOMPARE(read.workloadToml, info.workloadToml);
    QCOMPARE(read.requestDigest, info.requestDigest);
    QCOMPARE(*read.seed, *info.seed);
    QCOMPARE(read.machineJson, info.machineJson);
    QCOMPARE(read.sloTtftMs, 250.5);
    QCOMPARE(read.sloTpotMs, 100.0);
    QCOMPARE(read.seconds, 12.25);
    QCOMPARE(read.state, app::RunState::Finished);
    QVERIFY(read.isIncomplete);
    QCOMPARE(read.uuid.size(), std::size_t{36});
    QVERIFY(read.startedUtc.ends_with("Z"));
    QCOMPARE(read.tags, (std::vector<std::string>{"baseline", "chat"}));
}

void TstRunStore::requestRoundTripsWithEveryStamp() {
    const auto store = opened(file("request.db"));
    const std::int64_t run = begun(*store);
    engine::RequestRecord record = tests::makeRecord(kStart, 1500, 42.5, 7.25, 5);
    record.lane = engine::Lane::Batch;
    record.reason = engine::FinishReason::Stop;
    record.message = "";
    record.tags = 9;
    record.hitTokens = 16;
    for (std::size_t stage = 0; stage < engine::kStages; ++stage) {
        (*record.ledgerNs)[stage] = static_cast<std::int64_t>(stage) * 1000 + 1;
    }
    record.steps[2].tokens = 3;
    record.preemptions = {{.begin = kStart + Nanoseconds(5), .end = kStart + Nanoseconds(9)},
                          {.begin = kStart + Nanoseconds(11), .end = std::nullopt}};
    // Began before the run did.
    record.stamps.scheduled = kStart - Nanoseconds(123);
    QVERIFY(
        store->append(run, kStart, {.events = {finished(record)}, .samples = {}, .settings = {}})
            .has_value());

    const auto data = store->load(run);
    QVERIFY(data.has_value());
    QCOMPARE(data->requests.size(), std::size_t{1});
    QCOMPARE(data->requests[0].n, std::int64_t{1});
    const engine::RequestRecord& read = data->requests[0].record;
    QCOMPARE(read.id, record.id);
    QCOMPARE(read.lane, record.lane);
    QCOMPARE(read.label, record.label);
    QCOMPARE(read.reason, record.reason);
    QCOMPARE(read.tags, record.tags);
    QCOMPARE(read.promptTokens, record.promptTokens);
    QCOMPARE(read.outputTokens, record.outputTokens);
    QCOMPARE(read.hitTokens, record.hitTokens);
    QCOMPARE(read.maxTokens, record.maxTokens);
    const auto shift = kStart - TimePoint{};
    for (const app::StampColumn& stamp : app::stampColumns()) {
        const auto& written = record.stamps.*stamp.member;
        const auto& got = read.stamps.*stamp.member;
        QVERIFY2(got.has_value() && *got + shift == *written, stamp.name.data());
    }
    QCOMPARE(*read.ledgerNs, *record.ledgerNs);
    QCOMPARE(read.steps.size(), record.steps.size());
    for (std::size_t i = 0; i < read.steps.size(); ++i) {
        QVERIFY(read.steps[i].time + shift == record.steps[i].time);
        QCOMPARE(read.steps[i].tokens, record.steps[i].tokens);
    }
    QCOMPARE(read.preemptions.size(), std::size_t{2});
    QVERIFY(read.preemptions[0].begin + shift == record.preemptions[0].begin);
    QVERIFY(*read.preemptions[0].end + shift == *record.preemptions[0].end);
    QVERIFY(!read.preemptions[1].end.has_value());
    QVERIFY(*read.ttft() == *record.ttft());
    QVERIFY(*read.tpot() == *record.tpot());
}

void TstRunStore::absentStaysAbsent() {
    const auto store = opened(file("absent.db"));
    const std::int64_t run = begun(*store);
    engine::RequestRecord record;
    record.reason = engine::FinishReason::Rejected;
    record.message = "The queue is full.";
    record.stamps.received = kStart;
    QVERIFY(
        store->append(run, kStart, {.events = {finished(record)}, .samples = {}, .settings = {}})
            .has_value());
    const auto data = store->load(run);
    QVERIFY(data.has_value());
    const engine::RequestRecord& read = data->requests.at(0).record;
    QVERIFY(read.stamps.received.has_value()); // at the start exactly: 0, which is not absent
    QVERIFY(!read.stamps.scheduled && !read.stamps.firstVisible && !read.stamps.finished);
    QVERIFY(!read.ledgerNs && read.steps.empty() && !read.ttft());
    QCOMPARE(read.message, record.message);
    QCOMPARE(data->summary.rejected, std::int64_t{1});
    QVERIFY(!data->summary.ttftMs.p50 && !data->summary.lagP50Ms && !data->summary.run.seed);

    const app::Database raw(file("absent.db"), app::DatabaseAccess::Read, 0);
    QCOMPARE(raw.integer("SELECT count(*) FROM request WHERE scheduled_ns IS NULL AND "
                         "ledger_queue_ns IS NULL AND token_steps IS NULL AND received_ns = 0"),
             std::int64_t{1});
}

void TstRunStore::everyKindOfEventRoundTrips() {
    const auto store = opened(file("events.db"));
    const std::int64_t run = begun(*store);
    const std::vector<engine::Event> written = {
        eventAt(0.5,
                engine::ConfigApplied{
                    .changes = {{"batching.max_batch", "4", "16"}, {"threads", "0", "2"}},
                    .fromStep = 99},
                engine::EventSource::Operator),
        eventAt(1.0, engine::PhaseTimed{.phase = "map",
                                        .duration = Nanoseconds(1'500'000),
                                        .items = 3,
                                        .bytes = 1ULL << 40}),
        eventAt(1.5, engine::Preempted{.id = engine::RequestId{7}, .tokens = 120}),
        eventAt(2.0, engine::StateChanged{.state = engine::EngineState::Draining}),
        eventAt(2.5, engine::Failed{.message = "out \"of\" \xfe memory", .requestsFailed = 3}),
        eventAt(3.0, engine::Notice{.kind = "stage", .values = {{"rate", "16"}, {"kind", "实时"}}},
                engine::EventSource::App)};
    QVERIFY(
        store->append(run, kStart, {.events = written, .samples = {}, .settings = {}}).has_value());
    const auto data = store->load(run);
    QVERIFY(data.has_value());
    QCOMPARE(data->events.size(), written.size());
    for (std::size_t i = 0; i < written.size(); ++i) {
        const engine::Event read = app::eventOf(data->events[i]);
        QCOMPARE(data->events[i].sequence, static_cast<std::int64_t>(i) + 1);
        QCOMPARE(read.body.index(), written[i].body.index());
        QCOMPARE(read.source, written[i].source);
        QCOMPARE(read.step, written[i].step);
        QVERIFY(read.time + (kStart - TimePoint{}) == written[i].time);
        QCOMPARE(app::eventRow(read).payloadJson, app::eventRow(written[i]).payloadJson);
    }
    const auto applied = std::get<engine::ConfigApplied>(app::eventOf(data->events[0]).body);
    QCOMPARE(applied.changes[1].key, std::string("threads"));
    QCOMPARE(applied.fromStep, std::uint64_t{99});

    // From a newer program, or damaged: something happened, and that is shown.
    app::StoredEvent strange;
    strange.kind = "failed";
    strange.payloadJson = "{\"x\":1}";
    QCOMPARE(std::get<engine::Notice>(app::eventOf(strange).body).values.at(0).second,
             std::string("1"));
    strange.kind = "phase_timed";
    strange.payloadJson = "not json";
    QVERIFY(std::holds_alternative<engine::Notice>(app::eventOf(strange).body));
}

void TstRunStore::tokenStepsRoundTripAndDamageIsCutOff() {
    std::vector<engine::TokenStep> steps;
    for (int i = 0; i < 200; ++i) {
        steps.push_back({.time = kStart + Nanoseconds(std::int64_t{i} * i * 1'234'567 - 5'000'000),
                         .tokens = i * 1000});
    }
    const auto blob = app::packTokenSteps(steps, kStart);
    const auto read = app::unpackTokenSteps(blob);
    QCOMPARE(read.size(), steps.size());
    for (std::size_t i = 0; i < read.size(); ++i) {
        QVERIFY(read[i].time + (kStart - TimePoint{}) == steps[i].time);
        QCOMPARE(read[i].tokens, steps[i].tokens);
    }
    for (std::size_t cut = 0; cut < blob.size(); ++cut) {
        QVERIFY(app::unpackTokenSteps(std::span(blob).first(cut)).size() < steps.size());
    }
    const std::vector<std::byte> endless(100, std::byte{0xff});
    QVERIFY(app::unpackTokenSteps(endless).empty());
}

void TstRunStore::figuresAreThoseOfTheDefinitions() {
    const auto store = opened(file("figures.db"));
    app::RunInfo info;
    info.sloTtftMs = 250;
    info.sloTpotMs = 15;
    const std::int64_t run = begun(*store, info);
    RunStore::Batch batch;
    // TTFT 100, 200 ... 1000 ms every second; TPOT 10 ms but 20 ms in the second one; 5 tokens.
    // Of 40 prompt tokens the third has 20 hits.
    for (int i = 1; i <= 10; ++i) {
        auto record = tests::makeRecord(kStart, i * 1000, i * 100, i == 2 ? 20 : 10, 5);
        record.hitTokens = i == 3 ? 20 : 0;
        batch.events.push_back(finished(record));
    }
    auto warmUp = tests::makeRecord(kStart, 500, 9000, 1, 5);
    warmUp.tags = static_cast<std::uint32_t>(engine::SampleTag::WarmUp);
    warmUp.hitTokens = 40;
    batch.events.push_back(finished(warmUp));
    auto cancelled = tests::makeRecord(kStart, 600, 1, 1, 5);
    cancelled.reason = engine::FinishReason::Cancelled;
    batch.events.push_back(finished(cancelled));
    QVERIFY(store->append(run, kStart, batch).has_value());
    QVERIFY(store->endRun(run, app::RunState::Finished, 20, false).has_value());

    const auto summary = store->summary(run);
    QVERIFY(summary.has_value());
    QCOMPARE(summary->requests, std::int64_t{12});
    QCOMPARE(summary->completed, std::int64_t{11});
    QCOMPARE(summary->cancelled, std::int64_t{1});
    QCOMPARE(summary->ttftMs.n, std::int64_t{10}); // neither warm-up nor cancelled
    QCOMPARE(*summary->ttftMs.p50, 550.0);
    QCOMPARE(*summary->ttftMs.minimum, 100.0);
    QCOMPARE(*summary->ttftMs.maximum, 1000.0);
    QCOMPARE(*summary->tpotMs.p50, 10.0);
    QCOMPARE(summary->itlMs.n, std::int64_t{40});
    QCOMPARE(*summary->itlMs.maximum, 20.0);
    QCOMPARE(*summary->outputPerSecond, 12 * 5 / 20.0);
    QCOMPARE(*summary->hitShare, 20 / 400.0); // of the ten behind TTFT
    QCOMPARE(*summary->promptPerSecond, (12 * 40 - 60) / 20.0);
    QCOMPARE(*summary->requestsPerSecond, 11 / 20.0);
    // Within both limits: the first only (the second is too slow a token).
    QCOMPARE(*summary->goodputPerSecond, 1 / 20.0);
    // 12 schedules over 9.5 s.
    QCOMPARE(*summary->wantedRate, 11 / 9.5);
    QVERIFY(summary->achievedRate > 0 && summary->achievedRate != *summary->wantedRate);
    QVERIFY(*summary->lagP50Ms > 0 && *summary->lagP99Ms >= *summary->lagP50Ms);
}

void TstRunStore::requestsOutsideTheRunAreNoThroughput() {
    const auto store = opened(file("outside.db"));
    const std::int64_t run = begun(*store);
    RunStore::Batch batch;
    batch.events.push_back(finished(tests::makeRecord(kStart, -5000, 10, 10, 3)));
    batch.events.push_back(finished(tests::makeRecord(kStart, 99'000, 10, 10, 3)));
    QVERIFY(store->append(run, kStart, batch).has_value());
    QVERIFY(store->endRun(run, app::RunState::Finished, 10, false).has_value());
    const auto summary = store->summary(run);
    QVERIFY(summary.has_value());
    QCOMPARE(summary->requests, std::int64_t{2});
    QCOMPARE(*summary->outputPerSecond + *summary->promptPerSecond + *summary->requestsPerSecond +
                 *summary->goodputPerSecond,
             0.0);
}

void TstRunStore::ratesOfNoTimeAreAbsent() {
    const auto store = opened(file("no_time.db"));
    const std::int64_t run = begun(*store);
    RunStore::Batch batch;
    batch.events.push_back(finished(tests::makeRecord(kStart, 0, 10, 10, 3)));
    QVERIFY(store->append(run, kStart, batch).has_value());
    QVERIFY(store->endRun(run, app::RunState::Finished, 0, false).has_value());
    const auto isAbsent = [&] {
        const auto summary = store->summary(run);
        return summary && summary->requests == 1 && !summary->outputPerSecond &&
               !summary->promptPerSecond && !summary->requestsPerSecond &&
               !summary->goodputPerSecond && !summary->achievedRate;
    };
    QVERIFY(isAbsent());
    for (auto some = store->tidySome(); some && *some; some = store->tidySome()) {
    }
    QVERIFY(isAbsent()); // kept figures say the same
}

void TstRunStore::wantedRateIsAbsentInClosedLoops() {
    const auto store = opened(file("closed.db"));
    app::RunInfo info;
    info.workloadToml = "[workload]\nseed = 1\n[[stage]]\nkind = \"closed\"\nusers = 2\n"
                        "seconds = 5\n[lengths]\nprompt = [20, 160]\noutput = [16, 48]\n"
                        "[prompts]\nsets = [\"english\"]\n";
    const std::int64_t run = begun(*store, info);
    RunStore::Batch batch;
    for (int i = 0; i < 4; ++i) {
        batch.events.push_back(finished(tests::makeRecord(kStart, i * 1000, 10, 10, 3)));
    }
    QVERIFY(store->append(run, kStart, batch).has_value());
    const auto summary = store->summary(run);
    QVERIFY(summary.has_value());
    QVERIFY(!summary->wantedRate.has_value());
    QCOMPARE(*summary->achievedRate, 1.0);
}

void TstRunStore::identitiesHoldOverATrafficRun() {
    const auto store = opened(file("traffic.db"));
    const std::int64_t run = tests::writeScriptedRun(
        *store, {.seed = 7, .phases = {{.seconds = 40, .ratePerSecond = 12, .maxBatch = 4}}});
    const auto data = store->load(run);
    QVERIFY(data.has_value());
    const app::RunSummary& summary = data->summary;
    QVERIFY(summary.requests > 300);
    QCOMPARE(summary.completed + summary.cancelled + summary.failed + summary.rejected,
             summary.requests);
    QVERIFY(summary.cancelled > 0);
    for (const app::Quantiles& q : {summary.ttftMs, summary.tpotMs, summary.e2eMs, summary.itlMs}) {
        QVERIFY(q.n > 0);
        QVERIFY(*q.minimum <= *q.p50 && *q.p50 <= *q.p90 && *q.p90 <= *q.p95 && *q.p95 <= *q.p99 &&
                *q.p99 <= *q.maximum);
    }
    QVERIFY(summary.goodputPerSecond <= summary.requestsPerSecond);
    for (const app::StoredRequest& request : data->requests) {
        std::int64_t sum = 0;
        for (const std::int64_t stage : *request.record.ledgerNs) {
            sum += stage;
        }
        QCOMPARE(sum, request.record.ttft()->count());
    }
    for (const app::SampleRow& row : data->samples) {
        QVERIFY(row.kvSharePeak >= row.sample.kvShare);
        QVERIFY(row.processBytesPeak >= row.sample.processBytes);
    }
    const auto list = store->runs();
    QVERIFY(list.has_value());
    QCOMPARE(list->size(), std::size_t{1});
    QCOMPARE(*list->front().ttftMs.p99, *summary.ttftMs.p99);
}

void TstRunStore::settingsKeepEveryRowAndTheLastOfEachField() {
    const auto store = opened(file("settings.db"));
    const std::int64_t run = tests::writeScriptedRun(
        *store, {.phases = {{.seconds = 2, .maxBatch = 4}, {.seconds = 2, .maxBatch = 8}}});
    const auto data = store->load(run);
    QVERIFY(data.has_value());
    QCOMPARE(data->settings.size(), engine::fieldTable().size() + 1);
    QCOMPARE(data->summary.settings.size(), engine::fieldTable().size());
    for (const app::SettingRow& row : data->summary.settings) {
        if (row.field == "batching.max_batch") {
            QCOMPARE(row.effective, std::string("8"));
            QCOMPARE(row.timeNs, std::int64_t{2'000'000'000});
        } else {
            QCOMPARE(row.timeNs, std::int64_t{0});
        }
    }
}

void TstRunStore::historyHoldsWhatTheWindowWouldShow() {
    const auto store = opened(file("history.db"));
    const std::int64_t run = tests::writeScriptedRun(
        *store, {.phases = {{.seconds = 5, .maxBatch = 4}, {.seconds = 5, .maxBatch = 8}}});
    const auto data = store->load(run);
    QVERIFY(data.has_value());
    QCOMPARE(data->history.samples().size(), data->samples.size());
    QCOMPARE(data->samples.size(), std::size_t{10});
    QCOMPARE(data->history.requests().size(), data->requests.size());
    const auto& markers = data->history.markers();
    const auto isNumbered = [](const app::HistoryMarker& marker) { return marker.number > 0; };
    QCOMPARE(std::ranges::count_if(markers, isNumbered), std::ptrdiff_t{1});
    QCOMPARE(std::ranges::find_if(markers, isNumbered)->seconds, 5.0);
    QVERIFY(data->history.requests()[0].hasLedger);
}

void TstRunStore::readerSeesWhatTheWriterCommitted() {
    const fs::path path = file("reader.db");
    const auto writer = opened(path);
    const std::int64_t run = begun(*writer);
    const auto reader = opened(path, StoreMode::ReadOnly);
    QCOMPARE(reader->summary(run)->requests, std::int64_t{0});
    for (int i = 1; i <= 5; ++i) {
        RunStore::Batch batch;
        batch.events.push_back(finished(tests::makeRecord(kStart, i * 100, 10, 10, 3)));
        QVERIFY(writer->append(run, kStart, batch).has_value());
        QCOMPARE(reader->summary(run)->requests, std::int64_t{i});
    }
    QCOMPARE(reader->summary(run)->run.state, app::RunState::Recording);
    QVERIFY(reader->summary(run)->run.seconds > 0.5);
    QVERIFY(reader->interruptedAtOpen().empty()); // the writer lives
    const auto refused = reader->rename(run, "x", "");
    QVERIFY(!refused.has_value());
    QVERIFY(refused.error().message.find("reading only") != std::string::npos);
}

void TstRunStore::batchIsAllOrNothing() {
    const auto store = opened(file("atomic.db"));
    const std::int64_t run = begun(*store);
    app::SampleRow second;
    second.sample.seconds = 1;
    second.metrics.assign(engine::metricTable().size(), std::nullopt);
    RunStore::Batch batch;
    batch.events.push_back(finished(tests::makeRecord(kStart, 100, 10, 10, 3)));
    batch.events.push_back(eventAt(1, engine::Notice{.kind = "marker", .values = {}}));
    batch.samples = {second, second}; // the same second twice can't be stored
    QVERIFY(!store->append(run, kStart, batch).has_value());
    QVERIFY(store->load(run)->requests.empty());
    batch.samples.pop_back();
    QVERIFY(store->append(run, kStart, batch).has_value());
    const auto data = store->load(run);
    QCOMPARE(data->requests.at(0).n, std::int64_t{1});
    QCOMPARE(data->events.at(0).sequence, std::int64_t{1});
    QCOMPARE(data->samples.size(), std::size_t{1});
}

void TstRunStore::unfinishedRunIsFoundInterrupted() {
    const fs::path path = file("interrupted.db");
    std::int64_t run = 0, whole = 0;
    {
        const auto store = opened(path);
        whole = tests::writeScriptedRun(*store, {.phases = {{.seconds = 1}}});
        run = tests::writeScriptedRun(*store, {.phases = {{.seconds = 4}}, .hasEnd = false});
        const auto reader = opened(path, StoreMode::ReadOnly);
        QCOMPARE(reader->summary(run)->run.state, app::RunState::Recording);
    }
    // Told by the lock: the one who wrote it is gone.
    QCOMPARE(opened(path, StoreMode::ReadOnly)->summary(run)->run.state,
             app::RunState::Interrupted);
    const auto store = opened(path);
    QCOMPARE(store->interruptedAtOpen(), std::vector<std::int64_t>{run});
    QCOMPARE(store->summary(run)->run.state, app::RunState::Interrupted);
    QVERIFY(store->summary(run)->run.seconds >= 4.0);
    QCOMPARE(store->summary(whole)->run.state, app::RunState::Finished);
}

void TstRunStore::removedRunIsGoneAndItsNumberIsNotUsedAgain() {
    const auto store = opened(file("remove.db"));
    const std::int64_t run = tests::writeScriptedRun(*store, {.phases = {{.seconds = 3}}});
    QVERIFY(store->remove(run).has_value());
    QVERIFY(!store->summary(run).has_value());
    QVERIFY(!store->remove(run).has_value());
    const app::Database raw(file("remove.db"), app::DatabaseAccess::Read, 0);
    for (const char* table : {"request", "sample_1s", "event", "setting", "tag"}) {
        QCOMPARE(raw.integer(std::string("SELECT count(*) FROM ") + table), std::int64_t{0});
    }
    QVERIFY(begun(*store) > run);
}

void TstRunStore::renameChangesNameAndNote() {
    const auto store = opened(file("rename.db"));
    app::RunInfo info;
    info.name = "before";
    const std::int64_t run = begun(*store, info);
    QVERIFY(store->rename(run, "after 'quotes'", "a note").has_value());
    QCOMPARE(store->summary(run)->run.name, std::string("after 'quotes'"));
    QCOMPARE(store->summary(run)->run.note, std::string("a note"));
}

void TstRunStore::unknownRunsAreNamed() {
    const auto store = opened(file("unknown.db"));
    const auto missing = store->load(4711);
    QVERIFY(!missing.has_value());
    QCOMPARE(missing.error().code, engine::ErrorCode::NotFound);
    QVERIFY(missing.error().message.find("4711") != std::string::npos);
    QVERIFY(!store->rename(4711, "x", "").has_value());
}

void TstRunStore::digestChangesWithTheRowsOnly() {
    const auto store = opened(file("digest.db"));
    const tests::ScriptedRun script{.phases = {{.seconds = 3}}};
    const std::int64_t a = tests::writeScriptedRun(*store, script);
    const std::int64_t b = tests::writeScriptedRun(*store, script);
    const std::string digest = store->load(a)->digest;
    QVERIFY(digest.starts_with("sha256:") && digest.size() == 7 + 64);
    QCOMPARE(store->load(b)->digest, digest);
    QVERIFY(store->rename(a, "another name", "").has_value());
    QCOMPARE(store->load(a)->digest, digest);
    RunStore::Batch batch;
    batch.events.push_back(eventAt(1, engine::Notice{.kind = "marker", .values = {}}));
    QVERIFY(store->append(b, kStart, batch).has_value());
    QVERIFY(store->load(b)->digest != digest);
}

void TstRunStore::missingColumnsAreAddedOrReadAsAbsent() {
    const fs::path path = file("older.db");
    std::int64_t run = 0;
    {
        const auto store = opened(path);
        run = tests::writeScriptedRun(*store, {.phases = {{.seconds = 3}}});
    }
    {
        app::Database raw(path, app::DatabaseAccess::Write, 0);
        raw.run("ALTER TABLE request DROP COLUMN ledger_queue_ns; "
                "ALTER TABLE sample_1s DROP COLUMN metric_running; "
                "ALTER TABLE request ADD COLUMN ledger_future_ns INTEGER");
    }
    {
        const auto reader = opened(path, StoreMode::ReadOnly);
        const auto data = reader->load(run);
        QVERIFY(data.has_value());
        const auto queue = static_cast<std::size_t>(engine::Stage::Queue);
        QCOMPARE((*data->requests.at(0).record.ledgerNs)[queue], std::int64_t{0});
        QVERIFY(!data->samples.at(0).metrics.at(0).has_value());
    }
    const auto store = opened(path);
    QVERIFY(begun(*store) > run);
    QVERIFY(tests::writeScriptedRun(*store, {.phases = {{.seconds = 1}}}) > run);
    QVERIFY(store->load(run)->samples.size() == 3);
}

QTEST_GUILESS_MAIN(TstRunStore)
#include "tst_run_store.moc"
