// The session over scripted backends and a real run log: loading, edits, workloads, recordings.
#include "app/session.h"
#include "app/store/run_store.h"
#include "tests/support/fake_backend.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <condition_variable>
#include <mutex>

using namespace app;
using namespace std::chrono_literals;

class TstSession : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void withoutAModelNothingIsServed();
    void loadingTellsPhasesThenTheModel();
    void aFailedLoadKeepsTheOldModel();
    void cancellingEndsWithin200Milliseconds();
    void theLaterOfTwoLoadsCounts();
    void editsGoThroughTheTable();
    void refusedEditsAreEvents();
    void eventsAndFiguresArePumped();
    void aWorkloadIsARecordedRun();
    void stoppingInterruptsTheRun();
    void settingsOfAWorkloadAreInTheRun();
    void settingsThatNeedAReloadAreRefusedFirst();
    void onlyOneWorkloadAtATime();
    void aWorkloadEndsTheRecordingBefore();
    void recordingsHaveNamesAndEnds();
    void aModelChangeEndsTheRun();
    void aLockedLogDoesNotStopTheLoad();
    void aFailedEngineFailsTheRun();
    void leavingWhileALoadRunsKeepsTheRun();
    void aRaisedAlarmIsInTheRun();
    void bookmarksAreInTheRun();

private:
    std::unique_ptr<Session> makeSession();
    std::filesystem::path runLog() const {
        return std::filesystem::path(m_folder->path().toStdString()) / "runs.db";
    }
    RunSummary summaryOf(std::int64_t run) const;
    void load(Session& session, const char* file = "a.gguf");

    std::unique_ptr<QTemporaryDir> m_folder;
    // Set by a test before it loads; called on the loading thread.
    BackendMaker m_maker;
    tests::FakeBackend* m_backend = nullptr; // the newest one; owned by the session
};

namespace {

Workload shortWorkload(double rate = 100.0, double seconds = 0.3) {
    Workload workload;
    workload.name = "short";
    workload.promptSets = {"english"};
    workload.promptTokens = {4, 8};
    workload.outputTokens = {2, 2};
    workload.stages = {{.ratePerSecond = rate, .endRatePerSecond = rate, .seconds = seconds}};
    return workload;
}

engine::Request greeting() {
    engine::Request request;
    request.prompt = std::string("Hello");
    request.maxTokens = 2;
    return request;
}

std::vector<std::string> noticeKinds(const QSignalSpy& events) {
    std::vector<std::string> kinds;
    for (const auto& arguments : events) {
        const auto event = arguments.front().value<engine::Event>();
        if (const auto* notice = std::get_if<engine::Notice>(&event.body)) {
            kinds.push_back(notice->kind);
        }
    }
    return kinds;
}

} // namespace

void TstSession::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    m_maker = [this](const auto&, const engine::EngineConfig& config, const auto& progress,
                     const std::stop_token&) -> engine::Result<std::unique_ptr<engine::Backend>> {
        progress({.phase = "open", .done = 0, .total = 1});
        progress({.phase = "convert", .done = 1, .total = 1});
        auto backend = std::make_unique<tests::FakeBackend>(config);
        m_backend = backend.get();
        return backend;
    };
}

void TstSession::cleanup() {
    m_folder.reset();
}

std::unique_ptr<Session> TstSession::makeSession() {
    return std::make_unique<Session>(
        runLog(), [this](const auto& file, const auto& config, const auto& progress,
                         std::stop_token stop) { return m_maker(file, config, progress, stop); });
}

void TstSession::load(Session& session, const char* file) {
    QSignalSpy changed(&session, &Session::modelChanged);
    session.openModel(file, {});
    QVERIFY(changed.wait(5000));
    QVERIFY(session.hasModel());
}

RunSummary TstSession::summaryOf(std::int64_t run) const {
    const auto store = RunStore::open(runLog(), StoreMode::ReadOnly);
    if (!store) {
        qFatal("%s", store.error().message.c_str());
    }
    const auto summary = (*store)->summary(run);
    if (!summary) {
        qFatal("%s", summary.error().message.c_str());
    }
    return *summary;
}

void TstSession::withoutAModelNothingIsServed() {
    const auto session = makeSession();
    QVERIFY(!session->hasModel());
    QVERIFY(session->submit({}) == nullptr);
    session->cancel(engine::RequestId{1});
    session->stopLoad();
    session->stopRecording();
    session->cancelLoading();
    for (const auto& result :
         {session->startLoad(shortWorkload()), session->setField("batching.max_batch", "4"),
          session->edit([](engine::EngineConfig&) {})}) {
        QVERIFY(!result.has_value());
        QVERIFY(result.error().message.find("open one first") != std::string::npos);
    }
    QVERIFY(!session->startRecording(QStringLiteral("x")).has_value());
    QVERIFY(session->currentWorkload() == nullptr);
    QSignalSpy ticks(session.get(), &Session::ticked);
    QVERIFY(ticks.wait(2000));
    QCOMPARE(session->snapshot().state, engine::EngineState::NoModel);
}

void TstSession::loadingTellsPhasesThenTheModel() {
    const auto session = makeSession();
    QSignalSpy progressed(session.get(), &Session::loadProgressed);
    QSignalSpy events(session.get(), &Session::eventHappened);
    load(*session);
    QVERIFY(!session->isLoading());
    QStringList phases;
    for (const auto& arguments : progressed) {
        phases << arguments.front().toString();
    }
    QCOMPARE(phases, QStringList({QStringLiteral("open"), QStringLiteral("convert")}));
    QCOMPARE(session->modelFile(), std::filesystem::path("a.gguf"));
    QTRY_COMPARE(noticeKinds(events), std::vector<std::string>{"model_loaded"});
}

void TstSession::aFailedLoadKeepsTheOldModel() {
    const auto session = makeSession();
    load(*session);
    const engine::Backend* before = session->backend();
    m_maker = [](const auto&, const auto&, const auto&,
                 const auto&) -> engine::Result<std::unique_ptr<engine::Backend>> {
        return std::unexpected(engine::Error{engine::ErrorCode::Corrupt, "b.gguf is cut off."});
    };
    QSignalSpy failed(session.get(), &Session::loadFailed);
    session->openModel("b.gguf", {});
    QVERIFY(session->isLoading());
    QVERIFY(failed.wait(5000));
    QCOMPARE(failed.front().front().toString(), QStringLiteral("b.gguf is cut off."));
    QCOMPARE(session->backend(), before);
    // An exception is a failure like any other.
    m_maker = [](const auto&, const auto&, const auto&,
                 const auto&) -> engine::Result<std::unique_ptr<engine::Backend>> {
        throw std::runtime_error("no memory");
    };
    session->openModel("c.gguf", {});
    QVERIFY(failed.wait(5000));
    QVERIFY(failed.back().front().toString().contains(QStringLiteral("no memory")));
    QCOMPARE(session->backend(), before);
}

void TstSession::cancellingEndsWithin200Milliseconds() {
    const auto session = makeSession();
    m_maker = [](const auto&, const auto&, const auto&,
                 const std::stop_token& stop) -> engine::Result<std::unique_ptr<engine::Backend>> {
        std::mutex mutex;
        std::condition_variable_any changed;
        std::unique_lock lock(mutex);
        changed.wait(lock, stop, [] { return false; });
        return std::unexpected(engine::Error{engine::ErrorCode::Cancelled, "cancelled"});
    };
    QSignalSpy changed(session.get(), &Session::modelChanged);
    QSignalSpy failed(session.get(), &Session::loadFailed);
    session->openModel("a.gguf", {});
    const auto asked = engine::Clock::now();
    session->cancelLoading();
    QVERIFY(changed.wait(2000));
    QVERIFY(engine::Clock::now() - asked < 200ms);
    QVERIFY(!session->isLoading());
    QVERIFY(!session->hasModel());
    QVERIFY(failed.isEmpty());
}

void TstSession::theLaterOfTwoLoadsCounts() {
    const auto session = makeSession();
    const auto quick = m_maker;
    m_maker =
        [quick](const auto& file, const auto& config, const auto& progress,
                const std::stop_token& stop) -> engine::Result<std::unique_ptr<engine::Backend>> {
        if (file == "slow.gguf") {
            std::mutex mutex;
            std::condition_variable_any changed;
            std::unique_lock lock(mutex);
            changed.wait(lock, stop, [] { return false; });
            return std::unexpected(engine::Error{engine::ErrorCode::Cancelled, "cancelled"});
        }
        return quick(file, config, progress, stop);
    };
    session->openModel("slow.gguf", {});
    load(*session, "quick.gguf");
    QCOMPARE(session->modelFile(), std::filesystem::path("quick.gguf"));
    QTRY_VERIFY(!session->isLoading());
    QCOMPARE(session->modelFile(), std::filesystem::path("quick.gguf"));
}

void TstSession::editsGoThroughTheTable() {
    const auto session = makeSession();
    load(*session);
    QSignalSpy changed(session.get(), &Session::configChanged);
    QVERIFY(session->setField("batching.max_batch", "5").has_value());
    QCOMPARE(session->config().requested.maxBatch, std::int64_t(5));
    QVERIFY(session->setField("--max-batch", "6").has_value());
    QCOMPARE(session->config().requested.maxBatch, std::int64_t(6));
    QVERIFY(session->edit([](engine::EngineConfig& config) { config.maxBatch = 7; }).has_value());
    QCOMPARE(session->config().effective.maxBatch, std::int64_t(7));
    QVERIFY(changed.wait(2000));
}

void TstSession::refusedEditsAreEvents() {
    const auto session = makeSession();
    load(*session);
    QSignalSpy events(session.get(), &Session::eventHappened);
    const auto refused = session->setField("batching.max_batch", "0");
    QVERIFY(!refused.has_value());
    QVERIFY(!refused.error().message.empty());
    QVERIFY(!session->setField("batching.nonsense", "1").has_value());
    QCOMPARE(session->config().requested.maxBatch, engine::EngineConfig{}.maxBatch);
    QTRY_VERIFY(!events.isEmpty());
    QTRY_COMPARE(noticeKinds(events), (std::vector<std::string>{"model_loaded", "edit_refused"}));
}

void TstSession::eventsAndFiguresArePumped() {
    const auto session = makeSession();
    load(*session);
    QSignalSpy events(session.get(), &Session::eventHappened);
    auto stream = session->submit(greeting());
    QVERIFY(stream != nullptr);
    QTRY_VERIFY(std::any_of(events.begin(), events.end(), [](const auto& arguments) {
        return std::holds_alternative<engine::RequestFinished>(
            arguments.front().template value<engine::Event>().body);
    }));
    QCOMPARE(session->history().requests().size(), std::size_t(1));
    m_backend->setSnapshot([](engine::Snapshot& snapshot) { snapshot.running = 3; });
    QTRY_COMPARE(session->snapshot().running, std::int64_t(3));
}

void TstSession::aWorkloadIsARecordedRun() {
    const auto session = makeSession();
    load(*session);
    QSignalSpy runs(session.get(), &Session::runChanged);
    QSignalSpy loads(session.get(), &Session::loadRunChanged);
    session->setServiceTarget(500, 50);
    const Workload workload = shortWorkload();
    const auto started = session->startLoad(workload);
    QVERIFY2(started.has_value(), started ? "" : started.error().message.c_str());
    QVERIFY(session->isLoadRunning());
    QVERIFY(session->currentRun().has_value());
    QCOMPARE(session->currentWorkload()->name, std::string("short"));
    QTRY_VERIFY_WITH_TIMEOUT(!session->isLoadRunning(), 5000);
    QCOMPARE(loads.size(), 2);
    QCOMPARE(runs.size(), 2);
    QVERIFY(!session->currentRun().has_value());
    const RunSummary summary = summaryOf(*session->lastRun());
    const auto planned = planRequests(workload);
    QCOMPARE(summary.run.state, RunState::Finished);
    QCOMPARE(summary.requests, std::int64_t(planned.size()));
    QCOMPARE(summary.completed, summary.requests);
    QCOMPARE(summary.run.workloadName, std::string("short"));
    QCOMPARE(summary.run.workloadToml, workloadToml(workload));
    QCOMPARE(summary.run.requestDigest,
             requestListDigest(planned, *PromptLibrary::fromResources()));
    QCOMPARE(summary.run.seed, std::optional(workload.seed));
    QCOMPARE(summary.run.sloTtftMs, 500.0);
    QVERIFY(summary.run.machineJson.find("\"sqlite\"") != std::string::npos);
    QVERIFY(summary.run.seconds >= 0.3 && summary.run.seconds < 3.0);
    QVERIFY(summary.lagP50Ms.has_value());
    QCOMPARE(session->loadProgress().finished, summary.requests);
    QVERIFY(!session->loadProgress().isRunning);
}

void TstSession::stoppingInterruptsTheRun() {
    const auto session = makeSession();
    load(*session);
    QVERIFY(session->startLoad(shortWorkload(100.0, 60.0)).has_value());
    QTRY_VERIFY(session->loadProgress().sent > 5);
    const auto asked = engine::Clock::now();
    session->stopLoad();
    QTRY_VERIFY(!session->isLoadRunning());
    QVERIFY(engine::Clock::now() - asked < 400ms); // 200 to stop, the rest to write the run
    const RunSummary summary = summaryOf(*session->lastRun());
    QCOMPARE(summary.run.state, RunState::Interrupted);
    QCOMPARE(summary.requests, session->loadProgress().sent);
}

void TstSession::settingsOfAWorkloadAreInTheRun() {
    const auto session = makeSession();
    load(*session);
    Workload workload = shortWorkload();
    workload.settings = {{"batching.max_batch", "3"}};
    QVERIFY(session->startLoad(workload).has_value());
    QTRY_VERIFY_WITH_TIMEOUT(!session->isLoadRunning(), 5000);
    const RunSummary summary = summaryOf(*session->lastRun());
    const auto row =
        std::find_if(summary.settings.begin(), summary.settings.end(),
                     [](const auto& setting) { return setting.field == "batching.max_batch"; });
    QVERIFY(row != summary.settings.end());
    QCOMPARE(row->requested, std::string("3"));
    QCOMPARE(row->effective, std::string("3"));
}

void TstSession::settingsThatNeedAReloadAreRefusedFirst() {
    const auto session = makeSession();
    load(*session);
    m_backend->holdEdits();
    Workload workload = shortWorkload();
    workload.settings = {{"kv.block_tokens", "32"}};
    const auto started = session->startLoad(workload);
    QVERIFY(!started.has_value());
    QVERIFY2(started.error().message.find("kv.block_tokens") != std::string::npos,
             started.error().message.c_str());
    QVERIFY(!session->isLoadRunning());
    QVERIFY(!session->currentRun().has_value());
}

void TstSession::onlyOneWorkloadAtATime() {
    const auto session = makeSession();
    load(*session);
    QVERIFY(session->startLoad(shortWorkload(10.0, 30.0)).has_value());
    const auto second = session->startLoad(shortWorkload());
    QVERIFY(!second.has_value());
    QCOMPARE(second.error().code, engine::ErrorCode::Busy);
    session->stopLoad();
    QTRY_VERIFY(!session->isLoadRunning());
    QVERIFY(session->startLoad(shortWorkload()).has_value());
    QTRY_VERIFY_WITH_TIMEOUT(!session->isLoadRunning(), 5000);
    QCOMPARE(summaryOf(*session->lastRun()).run.state, RunState::Finished);
}

void TstSession::aWorkloadEndsTheRecordingBefore() {
    const auto session = makeSession();
    load(*session);
    const auto recording = session->startRecording(QStringLiteral("by hand"));
    QVERIFY(recording.has_value());
    QVERIFY(session->startLoad(shortWorkload()).has_value());
    QVERIFY(*session->currentRun() != *recording);
    QTRY_VERIFY_WITH_TIMEOUT(!session->isLoadRunning(), 5000);
    QCOMPARE(summaryOf(*recording).run.state, RunState::Finished);
    QCOMPARE(summaryOf(*recording).requests, std::int64_t(0));
}

void TstSession::recordingsHaveNamesAndEnds() {
    const auto session = makeSession();
    load(*session);
    const auto run = session->startRecording(QStringLiteral("\u5f55\u5236"));
    QVERIFY(run.has_value());
    QVERIFY(!session->startRecording(QStringLiteral("again")).has_value());
    session->submit(greeting());
    QTest::qWait(150);
    QVERIFY(session->runSeconds() > 0.1);
    session->stopRecording();
    QCOMPARE(session->runSeconds(), 0.0);
    const RunSummary summary = summaryOf(*run);
    QCOMPARE(summary.run.name, QStringLiteral("\u5f55\u5236").toStdString());
    QCOMPARE(summary.requests, std::int64_t(1));
    QVERIFY(summary.run.workloadToml.empty());
    QCOMPARE(summary.run.state, RunState::Finished);
}

void TstSession::bookmarksAreInTheRun() {
    const auto session = makeSession();
    load(*session);
    QSignalSpy edited(session.get(), &Session::runsEdited);
    // Without a run they are in the history only.
    session->addBookmark({}, {.seconds = 0.0, .name = "before"});
    QCOMPARE(session->history().markers().back().seconds, 0.0);
    const auto run = session->startRecording(QStringLiteral("marked"));
    QVERIFY(run.has_value());
    session->addBookmark({}, {.seconds = 0.5, .name = "while it runs"});
    QTRY_VERIFY(!session->history().markers().empty());
    // It is in the log as soon as it is announced, while the run goes on.
    QTRY_COMPARE(edited.count(), 1);
    {
        auto reader = RunStore::open(runLog(), StoreMode::ReadOnly);
        QVERIFY(reader.has_value());
        const auto running = (*reader)->load(*run);
        QVERIFY(running.has_value());
        QCOMPARE(running->summary.run.state, RunState::Recording);
        QVERIFY(std::ranges::any_of(running->history.markers(), [](const HistoryMarker& marker) {
            const auto bookmark = bookmarkOf(marker.event);
            return bookmark && bookmark->name == "while it runs";
        }));
    }
    session->stopRecording();
    // The picture is still that of the run: what is marked now belongs to it as well.
    session->addBookmark({}, {.seconds = 0.25, .name = "\u4e4b\u540e \"quoted\""});
    session->addBookmark(*run, {.seconds = 0.125, .name = "from the list"});
    session->removeBookmark(*run, {.seconds = 0.5, .name = "while it runs"});
    QTRY_COMPARE(edited.count(), 4);
    for (const auto& arguments : edited) {
        QCOMPARE(arguments.front().toString(), QString());
    }
    auto store = RunStore::open(runLog(), StoreMode::ReadOnly);
    QVERIFY(store.has_value());
    const auto data = (*store)->load(*run);
    QVERIFY(data.has_value());
    std::vector<std::string> names;
    for (const HistoryMarker& marker : data->history.markers()) {
        if (const auto bookmark = bookmarkOf(marker.event)) {
            names.push_back(bookmark->name);
        }
    }
    QCOMPARE(names, (std::vector<std::string>{"from the list", "\u4e4b\u540e \"quoted\""}));
}

void TstSession::aModelChangeEndsTheRun() {
    const auto session = makeSession();
    load(*session);
    m_backend->setAnswer([](const engine::Request&, auto) {}); // answers stay open
    QVERIFY(session->startLoad(shortWorkload(100.0, 60.0)).has_value());
    QTRY_VERIFY(session->loadProgress().sent > 5);
    load(*session, "b.gguf");
    QVERIFY(!session->isLoadRunning());
    QVERIFY(!session->currentRun().has_value());
    const RunSummary summary = summaryOf(*session->lastRun());
    QCOMPARE(summary.run.state, RunState::Interrupted);
    QCOMPARE(summary.cancelled, summary.requests);
    QVERIFY(summary.requests > 5);
    QCOMPARE(session->currentWorkload()->name, std::string("short"));
    QVERIFY(session->loadProgress().sent >= summary.requests);
}

void TstSession::aLockedLogDoesNotStopTheLoad() {
    const auto holder = RunStore::open(runLog(), StoreMode::Write);
    QVERIFY(holder.has_value());
    const auto session = makeSession();
    load(*session);
    QTRY_VERIFY(!session->recordingProblem().isEmpty());
    QVERIFY(session->startLoad(shortWorkload()).has_value());
    QVERIFY(!session->currentRun().has_value());
    QTRY_VERIFY_WITH_TIMEOUT(!session->isLoadRunning(), 5000);
    QVERIFY(session->loadProgress().completed > 5);
    QVERIFY(!session->startRecording(QStringLiteral("x")).has_value());
}

void TstSession::aFailedEngineFailsTheRun() {
    const auto session = makeSession();
    load(*session);
    QVERIFY(session->startLoad(shortWorkload(50.0, 60.0)).has_value());
    QTRY_VERIFY(session->loadProgress().sent > 3);
    m_backend->setSnapshot(
        [](engine::Snapshot& snapshot) { snapshot.state = engine::EngineState::Failed; });
    QTRY_VERIFY_WITH_TIMEOUT(!session->isLoadRunning(), 5000);
    QCOMPARE(summaryOf(*session->lastRun()).run.state, RunState::Failed);
}

void TstSession::leavingWhileALoadRunsKeepsTheRun() {
    std::int64_t run = 0;
    {
        const auto session = makeSession();
        load(*session);
        QVERIFY(session->startLoad(shortWorkload(100.0, 60.0)).has_value());
        QTRY_VERIFY(session->loadProgress().sent > 5);
        run = *session->currentRun();
    }
    const RunSummary summary = summaryOf(run);
    QCOMPARE(summary.run.state, RunState::Interrupted);
    QVERIFY(summary.requests > 5);
}

void TstSession::aRaisedAlarmIsInTheRun() {
    auto session = makeSession();
    load(*session);
    std::vector<AlarmSetting> settings = defaultAlarmSettings();
    for (AlarmSetting& setting : settings) {
        setting.holdSeconds = 0.1;
    }
    session->setAlarmSettings(settings);
    const auto run = session->startRecording(QStringLiteral("tight"));
    QVERIFY(run);
    QSignalSpy events(session.get(), &Session::eventHappened);
    QTimer pulse; // an engine's figures move on
    connect(&pulse, &QTimer::timeout, this, [this] {
        m_backend->setSnapshot([](engine::Snapshot& snapshot) {
            snapshot.machineTotalBytes = 1000;
            snapshot.machineAvailableBytes = 50;
        });
    });
    pulse.start(50);
    QTRY_COMPARE(session->alarms().raised(true), 1);
    QTRY_VERIFY(std::ranges::count(noticeKinds(events), std::string(kAlarmRaised)) == 1);
    session->stopRecording();
    QCOMPARE(summaryOf(*run).alarms, std::int64_t{1});
    const auto rule = findAlarm("memory") - alarmTable().data();
    session->acknowledgeAlarm(static_cast<std::size_t>(rule));
    QCOMPARE(session->alarms().raised(true), 0);
    load(*session, "b.gguf"); // another model: nothing is known of it
    QCOMPARE(session->alarms().raised(false), 0);
}

QTEST_GUILESS_MAIN(TstSession)
#include "tst_session.moc"
