// Experiments on a session with a scripted backend: turns, settings put back, marks, stopping, the
// run log, a known effect.
#include "app/experiment/claims.h"
#include "app/experiment/experiment_run.h"
#include "tests/support/fake_session.h"

#include <QSignalSpy>
#include <QTest>
#include <QTimer>

#include <thread>

using app::Experiment;
using app::ExperimentPhase;
using app::ExperimentRun;

namespace {

// Two users; answers are made at once, or after `delay` of the setting in force.
Experiment shortPair() {
    Experiment experiment;
    experiment.name = "test-pair";
    experiment.title = "Test pair";
    experiment.metric = "requests_per_s";
    experiment.blocks = 8;
    experiment.measureSeconds = 0.12;
    experiment.warmupSeconds = 0.02;
    experiment.drainSeconds = 2.0;
    experiment.workload.stages = {{.kind = app::ArrivalKind::Closed, .users = 2, .seconds = 0.14}};
    experiment.workload.promptTokens = {8, 8};
    experiment.workload.outputTokens = {4, 4};
    experiment.workload.promptSets = {"english"};
    experiment.sides = {{.label = "A", .settings = {{"batching.max_batch", "4"}}},
                        {.label = "B", .settings = {{"batching.max_batch", "16"}}}};
    return experiment;
}

// A backend that answers after a time that depends on its setting, from a thread of its own.
class DelayedAnswers {
public:
    explicit DelayedAnswers(tests::FakeBackend& backend,
                            std::chrono::milliseconds slow = std::chrono::milliseconds(8))
        : m_backend(backend),
          m_slow(slow) {
        backend.setAnswer([this](const engine::Request& request,
                                 const std::shared_ptr<engine::TokenStream>& stream) {
            const bool isSlow = m_backend.config().effective.maxBatch == 4;
            const auto delay = isSlow ? m_slow : std::chrono::milliseconds(4);
            const std::lock_guard lock(m_mutex);
            m_due.emplace_back(engine::Clock::now() + delay, stream->id());
            m_tokens = request.maxTokens;
        });
        m_thread = std::jthread([this](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                std::this_thread::sleep_for(std::chrono::microseconds(200));
                std::vector<engine::RequestId> ready;
                {
                    const std::lock_guard lock(m_mutex);
                    std::erase_if(m_due, [&](const auto& due) {
                        const bool isReady = due.first <= engine::Clock::now();
                        if (isReady) {
                            ready.push_back(due.second);
                        }
                        return isReady;
                    });
                }
                for (const engine::RequestId id : ready) {
                    m_backend.finish(id, engine::FinishReason::Length, m_tokens);
                }
            }
        });
    }

private:
    tests::FakeBackend& m_backend;
    const std::chrono::milliseconds m_slow;
    std::mutex m_mutex;
    std::vector<std::pair<engine::TimePoint, engine::RequestId>> m_due;
    std::atomic<int> m_tokens = 4;
    std::jthread m_thread;
};

void runToEnd(ExperimentRun& run) {
    QSignalSpy finished(&run, &ExperimentRun::finished);
    const auto started = run.start();
    QVERIFY2(started, started ? "" : started.error().message.c_str());
    QTRY_VERIFY_WITH_TIMEOUT(finished.count() == 1, 20'000);
}

} // namespace

class TstExperimentRun : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sidesTakeTurnsAndSettingsComeBack();
    void aKnownEffectIsFoundAndRecorded();
    void anEditFromOutsideIsMarked();
    void anEditWhileItWarmsUpIsMarked();
    void anotherModelEndsIt();
    void aCancelledLoadDoesNot();
    void stoppingKeepsWhatWasMeasured();
    void whatIsNotPossibleIsRefused();
    void aFailingSideEndsIt();
    void loadingTakesACopy();
    void nothingElseStartsMeanwhile();
    void destructionPutsSettingsBack();
    void aScheduleDecidesWhatComesNext();
    void moreBlocksGoOnAfterTheEarlierOnes();
    void aBlockCutShortIsMeasuredAgain();
};

void TstExperimentRun::sidesTakeTurnsAndSettingsComeBack() {
    tests::FakeSession at;
    at.load();
    ExperimentRun run(at.session, shortPair());
    std::vector<std::int64_t> sizes;
    connect(&run, &ExperimentRun::changed, this, [&] {
        if (run.phase() == ExperimentPhase::Measuring) {
            sizes.push_back(at.session.config().effective.maxBatch);
        }
    });
    // A backend that answers at once would be asked without end.
    const DelayedAnswers answers(*at.backend);
    runToEnd(run);
    QCOMPARE(run.phase(), ExperimentPhase::Finished);
    QCOMPARE(sizes, (std::vector<std::int64_t>{4, 16, 4, 16, 4, 16, 4, 16}));
    QCOMPARE(at.session.config().requested.maxBatch, engine::EngineConfig{}.maxBatch);
    QCOMPARE(run.blocks().size(), std::size_t{8});
    double end = 0.0;
    for (const app::Block& block : run.blocks()) {
        QVERIFY(block.isWhole);
        QVERIFY(end <= block.begin && block.begin <= block.from && block.from < block.to &&
                block.to <= block.end + 1e-3);
        QVERIFY(std::abs(block.to - block.from - 0.12) < 1e-6);
        end = block.end;
    }
}

void TstExperimentRun::aKnownEffectIsFoundAndRecorded() {
    tests::FakeSession at;
    at.load();
    std::optional<std::int64_t> number;
    {
        Experiment experiment = shortPair();
        experiment.claim = {.kind = app::ClaimKind::AtLeast, .value = 20.0};
        ExperimentRun run(at.session, experiment);
        // More than what a busy machine adds to either side.
        const DelayedAnswers answers(*at.backend, std::chrono::milliseconds(20));
        runToEnd(run);
        number = run.run();
        const auto& rows = run.verdict().measures;
        const auto row = std::ranges::find(rows, "requests_per_s", &app::MeasureVerdict::metric);
        QVERIFY(row != rows.end());
        QVERIFY(row->interval);
        QCOMPARE(row->verdict, app::Verdict::Better);
        // Side B answers in a fifth of the time.
        QVERIFY2(row->b / row->a > 2.0 && row->b / row->a < 6.0,
                 std::to_string(row->b / row->a).c_str());
        QCOMPARE(run.verdict().claim.verdict, app::ClaimVerdict::Holds);
    }
    QVERIFY(number);
    QTRY_VERIFY(!at.session.isExperimentRunning());
    const auto log = at.session.runLog();
    const auto results = app::experimentResults(log);
    QVERIFY2(results, results ? "" : results.error().message.c_str());
    QCOMPARE(results->size(), std::size_t{1});
    const app::ExperimentResult& result = results->front();
    QCOMPARE(result.run.id, *number);
    QCOMPARE(result.experiment.title, std::string("Test pair"));
    QCOMPARE(result.blocks.size(), std::size_t{8});
    QCOMPARE(result.verdict.claim.verdict, app::ClaimVerdict::Holds);
    QVERIFY(app::experimentText(result).find("holds") != std::string::npos);
    QVERIFY(!app::experimentJson(result).empty());
}

void TstExperimentRun::anEditFromOutsideIsMarked() {
    tests::FakeSession at;
    at.load();
    const DelayedAnswers answers(*at.backend);
    Experiment experiment = shortPair();
    experiment.blocks = 2;
    ExperimentRun run(at.session, experiment);
    bool isEdited = false;
    connect(&run, &ExperimentRun::changed, this, [&] {
        if (run.phase() == ExperimentPhase::Measuring && !isEdited) {
            isEdited = true;
            QTimer::singleShot(
                60, this, [&] { QVERIFY(at.session.setField("batching.token_budget", "640")); });
        }
    });
    runToEnd(run);
    const auto& marks = run.blocks().front().contamination;
    const auto edit = std::ranges::find(marks, "edit", &app::Contamination::kind);
    QVERIFY(edit != marks.end());
    QCOMPARE(edit->detail, std::string("batching.token_budget"));
    QVERIFY(
        std::ranges::find(run.blocks().back().contamination, "edit", &app::Contamination::kind) ==
        run.blocks().back().contamination.end());
}

void TstExperimentRun::anEditWhileItWarmsUpIsMarked() {
    tests::FakeSession at;
    at.load();
    const DelayedAnswers answers(*at.backend);
    Experiment experiment = shortPair();
    experiment.blocks = 2;
    experiment.warmupSeconds = 0.2;
    ExperimentRun run(at.session, experiment);
    bool isEdited = false;
    connect(&run, &ExperimentRun::changed, this, [&] {
        if (run.phase() == ExperimentPhase::WarmingUp && !isEdited) {
            isEdited = true;
            QTimer::singleShot(
                30, this, [&] { QVERIFY(at.session.setField("batching.token_budget", "640")); });
        }
    });
    runToEnd(run);
    const auto isMarked = [](const app::Block& block) {
        return std::ranges::find(block.contamination, "edit", &app::Contamination::kind) !=
               block.contamination.end();
    };
    QVERIFY(isMarked(run.blocks().front()));
    QVERIFY(!isMarked(run.blocks().back()));
}

void TstExperimentRun::anotherModelEndsIt() {
    tests::FakeSession at;
    at.load();
    auto answers = std::make_unique<DelayedAnswers>(*at.backend);
    Experiment experiment = shortPair();
    experiment.blocks = 100;
    ExperimentRun run(at.session, experiment);
    QSignalSpy finished(&run, &ExperimentRun::finished);
    QVERIFY(run.start());
    QTRY_VERIFY(run.blocks().size() >= 1);
    connect(&at.session, &app::Session::backendLeaving, this, [&] { answers.reset(); });
    at.session.openModel("other.gguf", {});
    QTRY_COMPARE(finished.count(), 1);
    QCOMPARE(run.phase(), ExperimentPhase::Stopped);
    QVERIFY(!at.session.isExperimentRunning());
    QTRY_VERIFY(!at.session.currentRun());
    auto store = app::RunStore::open(at.session.runLog(), app::StoreMode::ReadOnly);
    QVERIFY(store);
    QCOMPARE((*store)->summary(*run.run())->run.state, app::RunState::Interrupted);
}

void TstExperimentRun::aCancelledLoadDoesNot() {
    tests::FakeSession at;
    at.load();
    const DelayedAnswers answers(*at.backend);
    ExperimentRun run(at.session, shortPair());
    QSignalSpy finished(&run, &ExperimentRun::finished);
    QVERIFY(run.start());
    QTRY_VERIFY(run.blocks().size() >= 1);
    Q_EMIT at.session.modelChanged(); // as when loading another one was cancelled
    QTRY_VERIFY_WITH_TIMEOUT(finished.count() == 1, 20'000);
    QCOMPARE(run.phase(), ExperimentPhase::Finished);
}

void TstExperimentRun::stoppingKeepsWhatWasMeasured() {
    tests::FakeSession at;
    at.load();
    const DelayedAnswers answers(*at.backend);
    ExperimentRun run(at.session, shortPair());
    connect(&run, &ExperimentRun::changed, this, [&] {
        if (run.blockNumber() == 3 && run.phase() == ExperimentPhase::Measuring) {
            QTimer::singleShot(0, &run, &ExperimentRun::stop);
        }
    });
    runToEnd(run);
    QCOMPARE(run.phase(), ExperimentPhase::Stopped);
    QCOMPARE(run.blocks().size(), std::size_t{3});
    QVERIFY(run.blocks()[1].isWhole);
    QVERIFY(!run.blocks()[2].isWhole);
    QCOMPARE(run.verdict().wholeRounds, 1);
    QCOMPARE(at.session.config().requested.maxBatch, engine::EngineConfig{}.maxBatch);
    QVERIFY(!at.session.isExperimentRunning());
}

void TstExperimentRun::whatIsNotPossibleIsRefused() {
    tests::FakeSession at;
    ExperimentRun early(at.session, shortPair());
    QVERIFY(!early.start()); // no model
    at.load();
    Experiment reload = shortPair();
    reload.sides[1].settings = {{"load.mode", "read"}};
    ExperimentRun wrong(at.session, reload);
    QCOMPARE(wrong.start().error().code, engine::ErrorCode::Unsupported);
    Experiment needy = shortPair();
    needy.needs = {"cuda"};
    ExperimentRun cuda(at.session, needy);
    QCOMPARE(cuda.start().error().code, engine::ErrorCode::Unsupported);
    Experiment odd = shortPair();
    odd.blocks = 7;
    ExperimentRun invalid(at.session, odd);
    QVERIFY(!invalid.start());
    QVERIFY(!at.session.isExperimentRunning());
}

void TstExperimentRun::aFailingSideEndsIt() {
    tests::FakeSession at;
    at.load();
    const DelayedAnswers answers(*at.backend);
    Experiment experiment = shortPair();
    experiment.blocks = 2;
    ExperimentRun run(at.session, experiment);
    connect(&run, &ExperimentRun::changed, this, [&] {
        if (run.blockNumber() == 2 && run.phase() == ExperimentPhase::Switching) {
            at.backend->refuseEdits({});
        } else if (run.blockNumber() == 1 && run.phase() == ExperimentPhase::Measuring) {
            at.backend->refuseEdits("The scripted backend refuses.");
        }
    });
    runToEnd(run);
    QCOMPARE(run.phase(), ExperimentPhase::Finished); // accepted again in time
    ExperimentRun second(at.session, experiment);
    at.backend->refuseEdits("The scripted backend refuses.");
    QSignalSpy finished(&second, &ExperimentRun::finished);
    QVERIFY(second.start());
    QCOMPARE(finished.count(), 1);
    QCOMPARE(second.phase(), ExperimentPhase::Failed);
    QVERIFY(second.message().contains(QStringLiteral("refuses")));
}

void TstExperimentRun::loadingTakesACopy() {
    tests::FakeSession at;
    at.load();
    Experiment experiment = shortPair();
    experiment.method = app::Method::Load;
    experiment.metric = "load_ms";
    experiment.blocks = 4;
    experiment.sides[0].settings = {{"load.mode", "read"}};
    experiment.sides[1].settings = {{"load.mode", "mmap"}};
    std::vector<engine::LoadMode> modes;
    std::mutex mutex;
    const auto maker = [&](const std::filesystem::path&, const engine::EngineConfig& config,
                           const std::function<void(const engine::LoadProgress&)>&,
                           std::stop_token) -> engine::Result<std::unique_ptr<engine::Backend>> {
        const std::lock_guard lock(mutex);
        modes.push_back(config.loadMode);
        return std::make_unique<tests::FakeBackend>(config);
    };
    ExperimentRun run(at.session, experiment, maker);
    runToEnd(run);
    QCOMPARE(run.phase(), ExperimentPhase::Finished);
    using Mode = engine::LoadMode;
    QCOMPARE(modes, (std::vector{Mode::Read, Mode::Mmap, Mode::Read, Mode::Mmap}));
    for (const app::Block& block : run.blocks()) {
        QVERIFY(block.figures.contains("load_ms") && block.figures.contains("first_ttft_ms"));
    }
}

void TstExperimentRun::nothingElseStartsMeanwhile() {
    tests::FakeSession at;
    at.load();
    const DelayedAnswers answers(*at.backend);
    ExperimentRun run(at.session, shortPair());
    QVERIFY(run.start());
    QCOMPARE(at.session.startLoad(*app::loadWorkload("demo")).error().code,
             engine::ErrorCode::Busy);
    ExperimentRun second(at.session, shortPair());
    QCOMPARE(second.start().error().code, engine::ErrorCode::Busy);
    run.stop();
    QTRY_VERIFY(!run.isRunning());
    QVERIFY(second.start());
}

void TstExperimentRun::destructionPutsSettingsBack() {
    tests::FakeSession at;
    at.load();
    const DelayedAnswers answers(*at.backend);
    {
        ExperimentRun run(at.session, shortPair());
        QVERIFY(run.start());
        QTRY_COMPARE(at.session.config().effective.maxBatch, 4);
    }
    QCOMPARE(at.session.config().requested.maxBatch, engine::EngineConfig{}.maxBatch);
    QVERIFY(!at.session.isExperimentRunning());
    QVERIFY(!at.session.currentRun());
}

void TstExperimentRun::aScheduleDecidesWhatComesNext() {
    tests::FakeSession at;
    at.load();
    const DelayedAnswers answers(*at.backend);
    ExperimentRun run(at.session, shortPair());
    run.setSchedule([](const std::vector<app::Block>& blocks) -> std::optional<app::NextBlock> {
        if (blocks.size() == 3) {
            return std::nullopt;
        }
        return app::NextBlock{.side = blocks.empty() ? 0 : 1,
                              .round = static_cast<int>(blocks.size()),
                              .measureSeconds = 0.1 * static_cast<double>(1 + blocks.size())};
    });
    runToEnd(run);
    QCOMPARE(run.phase(), ExperimentPhase::Finished);
    QCOMPARE(run.blocks().size(), std::size_t{3});
    QCOMPARE(run.blocks()[0].side, 0);
    QCOMPARE(run.blocks()[2].side, 1);
    QCOMPARE(run.blocks()[2].round, 2);
    QVERIFY(std::abs(run.blocks()[2].to - run.blocks()[2].from - 0.3) < 1e-6);
}

void TstExperimentRun::moreBlocksGoOnAfterTheEarlierOnes() {
    tests::FakeSession at;
    at.load();
    const DelayedAnswers answers(*at.backend);
    ExperimentRun first(at.session, shortPair());
    runToEnd(first);
    Experiment longer = shortPair();
    longer.blocks = 12;
    ExperimentRun second(at.session, longer);
    second.continueAfter(first.blocks(), {});
    runToEnd(second);
    QCOMPARE(second.blocks().size(), std::size_t{12});
    QCOMPARE(second.verdict().wholeRounds, 6);
    for (std::size_t i = 0; i < 12; ++i) {
        const app::Block& block = second.blocks()[i];
        QCOMPARE(block.number, static_cast<int>(i) + 1);
        QCOMPARE(block.side, static_cast<int>(i % 2));
        QCOMPARE(block.to > 0.0, i >= 8); // the earlier ones lie before the run
        if (i < 8) {
            QCOMPARE(block.figures, first.blocks()[i].figures);
        }
    }
    // The new run holds all of them, so that it can be read without the first one.
    QVERIFY(first.run() != second.run());
    const auto store = app::RunStore::open(at.session.runLog(), app::StoreMode::ReadOnly);
    QVERIFY(store.has_value());
    const auto kept = (*store)->experiments();
    QVERIFY(kept.has_value() && kept->size() == 2);
    QCOMPARE(kept->front().blocks.size(), std::size_t{12});
}

void TstExperimentRun::aBlockCutShortIsMeasuredAgain() {
    tests::FakeSession at;
    at.load();
    const DelayedAnswers answers(*at.backend);
    ExperimentRun first(at.session, shortPair());
    runToEnd(first);
    std::vector<app::Block> earlier = first.blocks();
    earlier.resize(6);
    earlier.back().isWhole = false;
    ExperimentRun second(at.session, shortPair());
    second.continueAfter(earlier, {});
    runToEnd(second);
    QCOMPARE(second.blocks().size(), std::size_t{8});
    QVERIFY(second.blocks()[4].to <= 0.0);
    QVERIFY(second.blocks()[5].to > 0.0 && second.blocks()[5].isWhole);
}

QTEST_GUILESS_MAIN(TstExperimentRun)
#include "tst_experiment_run.moc"
