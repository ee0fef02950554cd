#include "app/store/recorder.h"
#include "app/store/run_recording.h"
#include "app/store/sqlite.h"
#include "tests/support/fake_backend.h"
#include "tests/support/full_disk.h"
#include "tests/support/scripted_run.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <cstdio>
#include <signal.h>
#include <thread>

namespace fs = std::filesystem;
using app::Recorder;
using app::RunRecording;
using app::RunStore;
using app::StoreMode;
using engine::Clock;
using engine::Nanoseconds;
using engine::TimePoint;
using tests::FakeBackend;

namespace {

engine::RequestRecord finishedNow(std::uint64_t number) {
    engine::RequestRecord record = tests::makeRecord(Clock::now(), -20, 5, 5, 3);
    record.id = engine::RequestId{number};
    return record;
}

app::RunInfo named(const char* name) {
    app::RunInfo info;
    info.name = name;
    return info;
}

std::int64_t storedRequests(const fs::path& file, std::int64_t run) {
    const auto store = RunStore::open(file, StoreMode::ReadOnly);
    const auto summary = store ? (*store)->summary(run)
                               : engine::Result<app::RunSummary>(std::unexpected(store.error()));
    return summary ? summary->requests : -1;
}

// Copies as they come, until the one of this number has.
std::vector<engine::Event> copiesUpTo(Recorder& recorder, std::uint64_t sequence) {
    std::vector<engine::Event> copies;
    QElapsedTimer timer;
    timer.start();
    while ((copies.empty() || copies.back().sequence < sequence) && timer.elapsed() < 10'000) {
        for (engine::Event& event : recorder.takeEvents()) {
            copies.push_back(std::move(event));
        }
        QTest::qWait(5);
    }
    return copies;
}

// What the killed process does: records until it dies, and tells what it has handed over.
int recordForever(const char* file) {
    FakeBackend backend;
    Recorder recorder(file);
    recorder.attach(&backend);
    if (!recorder.beginRun(named("killed"))) {
        return 1;
    }
    for (std::uint64_t number = 1;; ++number) {
        backend.push(finishedNow(number));
        backend.setSnapshot([number](engine::Snapshot& snapshot) { snapshot.completed = number; });
        std::printf("%llu %lld\n", static_cast<unsigned long long>(number),
                    static_cast<long long>(Clock::now().time_since_epoch().count()));
        std::fflush(stdout);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

} // namespace

class TstRecorder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void secondsHoldRatesPeaksAndMetrics();
    void idleEngineHasSecondsTooAndRatesAreNotSmeared();
    void settingsRowsAreTheDifferences();
    void overflowMarksTheRunIncompleteAndKeepsRequests();
    void recordsWhatHappensDuringTheRun();
    void commitsWithinHalfASecond();
    void copiesArriveWithoutARunAndWithoutALog();
    void copiesNobodyTakesAreBounded();
    void busyLogIsSaidAndTakenWhenItIsFree();
    void secondRunBeginsAfterTheFirstEnded();
    void fullDiskLosesNothing();
    void runThatCanNotBeEndedIsEndedLater();
    void runThatCanNotBeEndedIsTold();
    void openedLogIsWrittenByTheRecorder();
    void deletedLogLosesNothing();
    void backendsMayComeAndGo();
    void destructionEndsTheRun();
    void killedRecorderLosesAtMostTheLastSecond();

private:
    fs::path file() const { return fs::path(m_folder->path().toStdString()) / "runs.db"; }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TstRecorder::init() {
    m_folder = std::make_unique<QTemporaryDir>();
}

void TstRecorder::secondsHoldRatesPeaksAndMetrics() {
    const TimePoint start{std::chrono::hours(5)};
    RunRecording recording(1, start, {});
    engine::Snapshot snapshot;
    snapshot.threads = 2;
    snapshot.kvBlocksTotal = 100;
    for (int tick = 0; tick <= 60; ++tick) { // 3 s at 20 Hz
        const TimePoint now = start + std::chrono::milliseconds(50) * tick;
        snapshot.timeNs = now.time_since_epoch().count() - 3'000'000; // published 3 ms before
        snapshot.outputTokens += 5;                                   // 100 a second
        snapshot.completed += tick % 4 == 0 ? 1 : 0;                  // 5 a second
        snapshot.poolBusyNs += 50'000'000;                            // half of two threads
        snapshot.kvBlocksUsed = tick == 30 ? 90 : 10;
        snapshot.running = 7;
        recording.addSnapshot(snapshot, now);
    }
    const auto& samples = recording.pending().samples;
    QCOMPARE(samples.size(), std::size_t{3});
    for (const app::SampleRow& row : samples) {
        QVERIFY2(std::abs(row.sample.outputPerSecond - 100) < 1,
                 qPrintable(QString::number(row.sample.outputPerSecond)));
        QVERIFY(std::abs(row.sample.busyShare - 0.5) < 0.01);
        QCOMPARE(row.sample.kvShare, 0.1);
        QCOMPARE(row.metrics.at(0).value(), 7.0); // the table begins with what runs
    }
    QCOMPARE(samples[0].kvSharePeak, 0.1);
    QCOMPARE(samples[1].kvSharePeak, 0.9); // between two samples, and not missed
    QCOMPARE(samples[2].kvSharePeak, 0.1);
    QCOMPARE(samples[0].sample.seconds, 1.0);
    QCOMPARE(samples[2].sample.seconds, 3.0);
    recording.close(start + std::chrono::milliseconds(3050));
    QCOMPARE(samples.size(), std::size_t{3}); // 50 ms are no second
}

void TstRecorder::idleEngineHasSecondsTooAndRatesAreNotSmeared() {
    const TimePoint start{std::chrono::hours(5)};
    RunRecording recording(1, start, {});
    engine::Snapshot snapshot;
    snapshot.threads = 1;
    snapshot.timeNs = (start - std::chrono::seconds(30)).time_since_epoch().count();
    int milliseconds = 0;
    for (; milliseconds <= 5000; milliseconds += 50) { // idle: the same figures again and again
        recording.addSnapshot(snapshot, start + std::chrono::milliseconds(milliseconds));
    }
    for (; milliseconds <= 6000; milliseconds += 50) {
        snapshot.timeNs =
            (start + std::chrono::milliseconds(milliseconds)).time_since_epoch().count();
        snapshot.outputTokens += 10;
        recording.addSnapshot(snapshot, start + std::chrono::milliseconds(milliseconds));
    }
    const auto& samples = recording.pending().samples;
    QCOMPARE(samples.size(), std::size_t{6});
    for (std::size_t i = 0; i < 5; ++i) {
        QCOMPARE(samples[i].sample.outputPerSecond, 0.0);
    }
    QVERIFY(std::abs(samples[5].sample.outputPerSecond - 200) < 1);
}

void TstRecorder::settingsRowsAreTheDifferences() {
    const TimePoint start{std::chrono::hours(5)};
    FakeBackend backend;
    RunRecording recording(1, start, {});
    recording.addConfig(backend.config(), start);
    QVERIFY(recording.pending().settings.empty()); // written with the run
    backend.holdEdits();
    QVERIFY(backend.edit([](engine::EngineConfig& config) { config.maxBatch = 5; }).has_value());
    recording.addConfig(backend.config(), start + std::chrono::seconds(2));
    QCOMPARE(recording.pending().settings.size(), std::size_t{1});
    const app::SettingRow pending = recording.pending().settings[0];
    QCOMPARE(pending.field, std::string("batching.max_batch"));
    QCOMPARE(pending.requested, std::string("5"));
    QCOMPARE(pending.effective, std::string("16"));
    QCOMPARE(pending.state, std::string("pending"));
    QCOMPARE(pending.timeNs, std::int64_t{2'000'000'000});

    backend.releaseEdits();
    std::vector<engine::Event> events = backend.takeEvents();
    events.at(0).time = start + std::chrono::milliseconds(2345);
    recording.addEvents(events);
    recording.addConfig(backend.config(), start + std::chrono::seconds(3));
    QCOMPARE(recording.pending().settings.size(), std::size_t{2});
    QCOMPARE(recording.pending().settings[1].effective, std::string("5"));
    QCOMPARE(recording.pending().settings[1].timeNs, std::int64_t{2'345'000'000}); // of the step
    recording.addConfig(backend.config(), start + std::chrono::seconds(4));
    QCOMPARE(recording.pending().settings.size(), std::size_t{2});
}

void TstRecorder::overflowMarksTheRunIncompleteAndKeepsRequests() {
    const TimePoint start = Clock::now();
    RunRecording recording(1, start, {.events = 10, .requests = 100, .copies = 10});
    std::vector<engine::Event> events(20);
    for (engine::Event& event : events) {
        event.body = engine::Preempted{};
    }
    recording.addEvents(events);
    QCOMPARE(recording.pending().events.size(), std::size_t{10});
    QVERIFY(recording.isIncomplete());
    for (engine::Event& event : events) {
        event.body = engine::RequestFinished{std::make_shared<engine::RequestRecord>()};
    }
    recording.addEvents(events);
    QCOMPARE(recording.pending().events.size(), std::size_t{30});
    for (int i = 0; i < 10; ++i) {
        recording.addEvents(events);
    }
    QCOMPARE(recording.pending().events.size(), std::size_t{110});
    recording.written();
    QVERIFY(recording.isIncomplete()); // the run stays what it is
    recording.addEvents(events);
    QCOMPARE(recording.pending().events.size(), std::size_t{20});
}

void TstRecorder::recordsWhatHappensDuringTheRun() {
    FakeBackend backend;
    Recorder recorder(file());
    recorder.attach(&backend);
    backend.push(finishedNow(1)); // before the run
    const auto run = recorder.beginRun(named("first"));
    QVERIFY2(run.has_value(), run ? "" : run.error().message.c_str());
    QCOMPARE(recorder.currentRun(), std::optional(*run));
    for (std::uint64_t i = 2; i <= 40; ++i) {
        backend.push(finishedNow(i));
    }
    backend.post(engine::EventSource::Operator, {.kind = "marker", .values = {{"text", "here"}}});
    QVERIFY(backend.edit([](engine::EngineConfig& config) { config.maxBatch = 3; }).has_value());
    QTRY_VERIFY_WITH_TIMEOUT(storedRequests(file(), *run) == 39, 10'000);
    QTest::qWait(1100); // a second of samples
    recorder.endRun();
    QVERIFY(!recorder.currentRun());
    QCOMPARE(recorder.problem(), std::string());
    backend.push(finishedNow(99)); // after the run

    const auto data = (*RunStore::open(file(), StoreMode::ReadOnly))->load(*run);
    QVERIFY(data.has_value());
    QCOMPARE(data->summary.run.state, app::RunState::Finished);
    QCOMPARE(data->summary.run.modelName, std::string("Fake-1M"));
    QVERIFY(data->summary.run.machineJson.find("\"headway\"") != std::string::npos);
    QCOMPARE(data->requests.size(), std::size_t{39});
    QCOMPARE(data->events.size(), std::size_t{2});
    QCOMPARE(data->settings.size(), engine::fieldTable().size() + 1);
    QCOMPARE(data->settings.back().effective, std::string("3"));
    QCOMPARE(data->settings.back().timeNs, data->events.back().timeNs);
    QVERIFY(!data->samples.empty());
    QVERIFY(data->summary.run.seconds >= 1.1);
    QVERIFY(data->requests.front().record.stamps.finished->time_since_epoch().count() >
            -50'000'000);
}

void TstRecorder::commitsWithinHalfASecond() {
    FakeBackend backend;
    Recorder recorder(file());
    recorder.attach(&backend);
    const std::int64_t run = *recorder.beginRun(named("prompt"));
    const auto reader = RunStore::open(file(), StoreMode::ReadOnly);
    qint64 worst = 0;
    for (std::int64_t i = 1; i <= 5; ++i) {
        QElapsedTimer timer;
        timer.start();
        backend.push(finishedNow(static_cast<std::uint64_t>(i)));
        while ((*reader)->summary(run)->requests < i && timer.elapsed() < 10'000) {
            QTest::qWait(5);
        }
        worst = std::max(worst, timer.elapsed());
    }
    QVERIFY2(worst < 1000, qPrintable(QString::number(worst)));
    qInfo("slowest commit seen by a reader after %lld ms", static_cast<long long>(worst));
}

void TstRecorder::copiesArriveWithoutARunAndWithoutALog() {
    FakeBackend backend;
    const fs::path impossible = file().parent_path(); // a folder is no log
    Recorder recorder(impossible);
    recorder.attach(&backend);
    backend.setSnapshot([](engine::Snapshot& snapshot) { snapshot.running = 11; });
    for (std::uint64_t i = 1; i <= 30; ++i) {
        backend.push(finishedNow(i));
    }
    const std::vector<engine::Event> copies = copiesUpTo(recorder, 60); // first token and end
    QCOMPARE(copies.size(), std::size_t{60});
    for (std::size_t i = 0; i < copies.size(); ++i) {
        QCOMPARE(copies[i].sequence, i + 1); // in order, each once
    }
    QCOMPARE(recorder.snapshot().running, std::int64_t{11});
    QVERIFY(recorder.problem().find("is a folder") != std::string::npos);
    const auto run = recorder.beginRun(named("nowhere"));
    QVERIFY(!run.has_value());
    QVERIFY(run.error().message.find("is a folder") != std::string::npos);
    QVERIFY(!recorder.currentRun());
    recorder.endRun(); // without a run: nothing
}

void TstRecorder::copiesNobodyTakesAreBounded() {
    FakeBackend backend;
    Recorder recorder(file(), {.events = 100, .requests = 100, .copies = 50});
    recorder.attach(&backend);
    for (std::uint64_t i = 1; i <= 200; ++i) {
        backend.push(finishedNow(i));
    }
    QVERIFY(recorder.beginRun(named("all of it is taken before")).has_value());
    const std::vector<engine::Event> copies = copiesUpTo(recorder, 400);
    QCOMPARE(copies.size(), std::size_t{50});
    QCOMPARE(copies.back().sequence, std::uint64_t{400});
}

void TstRecorder::busyLogIsSaidAndTakenWhenItIsFree() {
    FakeBackend backend;
    auto other = RunStore::open(file(), StoreMode::Write);
    QVERIFY(other.has_value());
    Recorder recorder(file());
    recorder.attach(&backend);
    QTRY_VERIFY_WITH_TIMEOUT(recorder.problem().find("is written by") != std::string::npos, 10'000);
    const auto refused = recorder.beginRun(named("refused"));
    QVERIFY(!refused.has_value());
    QCOMPARE(refused.error().code, engine::ErrorCode::Busy);
    other->reset();
    QVERIFY(recorder.beginRun(named("begun")).has_value());
    QCOMPARE(recorder.problem(), std::string());
}

void TstRecorder::secondRunBeginsAfterTheFirstEnded() {
    FakeBackend backend;
    Recorder recorder(file());
    recorder.attach(&backend);
    const auto first = recorder.beginRun(named("first"));
    const auto early = recorder.beginRun(named("too early"));
    QVERIFY(first.has_value() && !early.has_value());
    backend.push(finishedNow(1));
    recorder.endRun(app::RunState::Failed);
    const auto second = recorder.beginRun(named("second"));
    QVERIFY(second.has_value());
    QCOMPARE(*second, *first + 1);
    backend.push(finishedNow(2));
    backend.push(finishedNow(3));
    recorder.endRun();
    const auto runs = (*RunStore::open(file(), StoreMode::ReadOnly))->runs();
    QCOMPARE(runs->size(), std::size_t{2});
    QCOMPARE(runs->at(0).requests, std::int64_t{2}); // newest first
    QCOMPARE(runs->at(1).requests, std::int64_t{1});
    QCOMPARE(runs->at(1).run.state, app::RunState::Failed);
}

void TstRecorder::fullDiskLosesNothing() {
    tests::FullDisk disk;
    FakeBackend backend;
    Recorder recorder(file());
    recorder.attach(&backend);
    const std::int64_t run = *recorder.beginRun(named("full"));
    backend.push(finishedNow(1));
    QTRY_COMPARE_WITH_TIMEOUT(storedRequests(file(), run), std::int64_t{1}, 10'000);
    disk.fill();
    for (std::uint64_t i = 2; i <= 50; ++i) {
        backend.push(finishedNow(i));
    }
    QTRY_VERIFY_WITH_TIMEOUT(recorder.problem().find("no room") != std::string::npos, 10'000);
    for (std::uint64_t i = 51; i <= 60; ++i) {
        backend.push(finishedNow(i));
    }
    QCOMPARE(copiesUpTo(recorder, 120).size(), std::size_t{120}); // the window goes on
    disk.free();
    QTRY_COMPARE_WITH_TIMEOUT(recorder.problem(), std::string(), 10'000);
    recorder.endRun();
    const auto data = (*RunStore::open(file(), StoreMode::ReadOnly))->load(run);
    QCOMPARE(data->requests.size(), std::size_t{60});
    for (std::size_t i = 0; i < 60; ++i) {
        QCOMPARE(data->requests[i].record.id, engine::RequestId{i + 1});
    }
    QVERIFY(!data->summary.run.isIncomplete);
}

void TstRecorder::runThatCanNotBeEndedIsEndedLater() {
    tests::FullDisk disk;
    FakeBackend backend;
    Recorder recorder(file());
    recorder.attach(&backend);
    const std::int64_t run = *recorder.beginRun(named("late"));
    disk.fill();
    backend.push(finishedNow(1));
    recorder.endRun();
    QVERIFY(!recorder.currentRun());
    const auto next = recorder.beginRun(named("next"));
    QVERIFY(!next.has_value());
    QVERIFY(next.error().message.find("no room") != std::string::npos);
    disk.free();
    const auto begun = recorder.beginRun(named("next"));
    QVERIFY2(begun.has_value(), begun ? "" : begun.error().message.c_str());
    const auto first = (*RunStore::open(file(), StoreMode::ReadOnly))->summary(run);
    QCOMPARE(first->run.state, app::RunState::Finished);
    QCOMPARE(first->requests, std::int64_t{1});
}

void TstRecorder::runThatCanNotBeEndedIsTold() {
    FakeBackend backend;
    std::int64_t run = 0;
    {
        Recorder recorder(file());
        recorder.attach(&backend);
        run = *recorder.beginRun(named("locked at its end"));
        QVERIFY(!recorder.unwritten());
        app::Database other(file(), app::DatabaseAccess::Write, 0);
        other.run("BEGIN IMMEDIATE");
        for (std::uint64_t i = 1; i <= 7; ++i) {
            backend.push(finishedNow(i));
        }
        recorder.endRun();
        const auto left = recorder.unwritten();
        QVERIFY(left.has_value());
        QCOMPARE(left->run, run);
        QCOMPARE(left->requests, std::int64_t{7});
        QVERIFY2(left->problem.find("lock") != std::string::npos, left->problem.c_str());
        other.run("ROLLBACK");
        QTRY_VERIFY_WITH_TIMEOUT(!recorder.unwritten(), 10'000);
    }
    const auto data = (*RunStore::open(file(), StoreMode::ReadOnly))->load(run);
    QCOMPARE(data->requests.size(), std::size_t{7});
    QCOMPARE(data->summary.run.state, app::RunState::Finished);
}

void TstRecorder::openedLogIsWrittenByTheRecorder() {
    FakeBackend backend;
    Recorder recorder(*RunStore::open(file(), StoreMode::Write));
    QCOMPARE(recorder.file(), file());
    QVERIFY(!RunStore::open(file(), StoreMode::Write).has_value()); // nobody came between
    recorder.attach(&backend);
    const std::int64_t run = *recorder.beginRun(named("handed over"));
    backend.push(finishedNow(1));
    recorder.endRun();
    QCOMPARE(storedRequests(file(), run), std::int64_t{1});
}

void TstRecorder::deletedLogLosesNothing() {
    FakeBackend backend;
    Recorder recorder(file());
    recorder.attach(&backend);
    const std::int64_t run = *recorder.beginRun(named("deleted"));
    backend.push(finishedNow(1));
    QTRY_COMPARE_WITH_TIMEOUT(storedRequests(file(), run), std::int64_t{1}, 10'000);
    fs::remove(file());
    backend.push(finishedNow(2));
    recorder.endRun();
    QCOMPARE(recorder.problem(), std::string());
    QCOMPARE(storedRequests(file(), run), std::int64_t{2});
}

void TstRecorder::backendsMayComeAndGo() {
    Recorder recorder(file());
    const std::int64_t run = *recorder.beginRun(named("without a model"));
    {
        FakeBackend first;
        first.setSnapshot([](engine::Snapshot& snapshot) {
            snapshot.outputTokens = 1'000'000;
            snapshot.poolBusyNs = 1'000'000'000;
        });
        recorder.attach(&first);
        QTest::qWait(120);
        first.push(finishedNow(1));
        recorder.attach(nullptr); // and what it still held is not lost
    }
    FakeBackend second;
    recorder.attach(&second);
    second.push(finishedNow(2));
    QTest::qWait(1200);
    recorder.endRun();
    const auto data = (*RunStore::open(file(), StoreMode::ReadOnly))->load(run);
    QCOMPARE(data->requests.size(), std::size_t{2});
    QCOMPARE(data->requests[0].record.id, engine::RequestId{1});
    for (const app::SampleRow& row : data->samples) {
        QVERIFY(row.sample.outputPerSecond == 0 && row.sample.busyShare == 0);
    }
}

void TstRecorder::destructionEndsTheRun() {
    FakeBackend backend;
    std::int64_t run = 0;
    {
        Recorder recorder(file());
        recorder.attach(&backend);
        run = *recorder.beginRun(named("short"));
        backend.push(finishedNow(1));
    }
    const auto store = RunStore::open(file(), StoreMode::Write);
    QVERIFY((*store)->interruptedAtOpen().empty());
    QCOMPARE((*store)->summary(run)->run.state, app::RunState::Finished);
    QCOMPARE((*store)->summary(run)->requests, std::int64_t{1});
}

void TstRecorder::killedRecorderLosesAtMostTheLastSecond() {
    QProcess process;
    process.start(QCoreApplication::applicationFilePath(),
                  {QStringLiteral("--record-forever"), QString::fromStdString(file().string())});
    QVERIFY(process.waitForStarted());
    // Two seconds from its first row on: a busy machine takes long to start a program.
    QByteArray told;
    QElapsedTimer timer;
    while (!timer.isValid() || timer.elapsed() < 2000) {
        QVERIFY(process.waitForReadyRead(10'000));
        told += process.readAllStandardOutput();
        if (!timer.isValid()) {
            timer.start();
        }
    }
    const std::int64_t killedAt = Clock::now().time_since_epoch().count();
    ::kill(static_cast<pid_t>(process.processId()), SIGKILL);
    QVERIFY(process.waitForFinished());
    told += process.readAllStandardOutput();

    std::int64_t handedOver = 0, secondBefore = 0;
    for (const QByteArray& line : told.split('\n')) {
        const auto parts = line.split(' ');
        if (parts.size() == 2) {
            handedOver = parts[0].toLongLong();
            if (parts[1].toLongLong() < killedAt - 1'000'000'000) {
                secondBefore = handedOver;
            }
        }
    }
    QVERIFY(secondBefore > 0);
    const auto store = RunStore::open(file(), StoreMode::Write); // the dead one's lock is no lock
    QVERIFY2(store.has_value(), store ? "" : store.error().message.c_str());
    QCOMPARE((*store)->interruptedAtOpen().size(), std::size_t{1});
    const auto data = (*store)->load((*store)->interruptedAtOpen()[0]);
    QVERIFY(data.has_value());
    QCOMPARE(data->summary.run.state, app::RunState::Interrupted);
    QVERIFY(data->summary.run.seconds > 1.0);
    const auto rows = static_cast<std::int64_t>(data->requests.size());
    QVERIFY2(rows >= secondBefore && rows <= handedOver,
             qPrintable(QStringLiteral("%1 rows, %2 handed over a second before, %3 in all")
                            .arg(rows)
                            .arg(secondBefore)
                            .arg(handedOver)));
    qInfo("%lld of %lld rows kept", static_cast<long long>(rows),
          static_cast<long long>(handedOver));
    for (std::int64_t i = 0; i < rows; ++i) { // without a hole
        QCOMPARE(data->requests[static_cast<std::size_t>(i)].record.id,
                 engine::RequestId{static_cast<std::uint64_t>(i) + 1});
    }
    QVERIFY(!data->samples.empty());
    const app::Database raw(file(), app::DatabaseAccess::Read, 0);
    QCOMPARE(raw.text("PRAGMA quick_check"), std::string("ok"));
}

int main(int argc, char** argv) {
    if (argc == 3 && std::string_view(argv[1]) == "--record-forever") {
        return recordForever(argv[2]);
    }
    QCoreApplication application(argc, argv);
    TstRecorder test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_recorder.moc"
