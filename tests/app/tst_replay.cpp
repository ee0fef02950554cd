// What is sent again of a run or a trace, and that a simulation is of that very list.
#include "app/replay.h"
#include "app/simulated_run.h"
#include "tests/support/scripted_run.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

namespace {

constexpr const char* kTrace = "TIMESTAMP,ContextTokens,GeneratedTokens\n"
                               "2023-11-16 18:00:00.0,600,30\n"
                               "2023-11-16 18:00:00.5,80,0\n"
                               "2023-11-16 18:00:01.0,80,20\n"
                               "2023-11-16 18:00:09.0,40,40\n";

app::SimulationProfile profile() {
    app::SimulationProfile profile;
    profile.config.kvBlocks = 1024;
    profile.cost.ns.fill(0.0);
    profile.cost.ns[0] = 5e6;
    return profile;
}

} // namespace

class TstReplay : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void aRunWithoutItsWorkloadIsSentAsRecorded();
    void theWorkloadsOwnListIsKnownByItsDigest();
    void theSimulationIsOfTheListThatIsSent();
    void aTraceIsAWorkload();
    void damageIsRefusedWhole();
    void errorsAreOfWhatBothHave();

private:
    QTemporaryDir m_folder;
    app::RunData m_run;
};

void TstReplay::initTestCase() {
    const auto store = app::RunStore::open(
        m_folder.filePath(QStringLiteral("runs.db")).toStdString(), app::StoreMode::Write);
    QVERIFY(store);
    m_run = *(*store)->load(tests::writeScriptedRun(**store, {.phases = {{20.0, 8.0, 4}}}));
}

void TstReplay::aRunWithoutItsWorkloadIsSentAsRecorded() {
    const auto replay = app::replayOf(m_run);
    QVERIFY2(replay, replay ? "" : replay.error().message.c_str());
    QVERIFY(!replay->isOwnList);
    QCOMPARE(replay->requests.size(), m_run.requests.size());
    QVERIFY(std::ranges::is_sorted(replay->requests, {}, &app::PlannedRequest::atSeconds));
    std::int64_t asked = 0, recorded = 0;
    for (const app::PlannedRequest& request : replay->requests) {
        asked += request.maxTokens;
    }
    for (const app::StoredRequest& request : m_run.requests) {
        recorded += request.record.maxTokens;
    }
    QCOMPARE(asked, recorded);
    app::RunData empty = m_run;
    empty.requests.clear();
    QVERIFY(!app::replayOf(empty));
}

void TstReplay::theWorkloadsOwnListIsKnownByItsDigest() {
    const app::Workload workload = *app::loadWorkload("demo");
    const auto planned = app::planRequests(workload);
    app::RunData run = m_run;
    run.summary.run.workloadToml = app::workloadToml(workload);
    run.summary.run.requestDigest =
        app::requestListDigest(planned, *app::PromptLibrary::fromResources());
    const auto own = app::replayOf(run);
    QVERIFY(own && own->isOwnList);
    QCOMPARE(own->requests.size(), planned.size());
    run.summary.run.requestDigest = "xxh3:another";
    const auto other = app::replayOf(run);
    QVERIFY(other && !other->isOwnList);
    QCOMPARE(other->requests.size(), run.requests.size());
}

void TstReplay::theSimulationIsOfTheListThatIsSent() {
    const auto replay = app::replayOf(m_run);
    app::SimulationProfile costs = profile();
    const auto simulated =
        app::simulateRequests(replay->workload, replay->requests, costs, costs.config);
    QVERIFY2(simulated, simulated ? "" : simulated.error().message.c_str());
    QCOMPARE(simulated->simulation.requests.size(), replay->requests.size());
    for (std::size_t i = 0; i < replay->requests.size(); ++i) {
        const engine::Arrival& arrival = simulated->simulation.requests[i].arrival;
        QCOMPARE(arrival.promptTokens, std::int64_t{replay->requests[i].promptTokens});
        QCOMPARE(arrival.outputTokens, std::int64_t{replay->requests[i].maxTokens});
        const double at = std::chrono::duration<double>(arrival.at).count();
        QVERIFY(std::abs(at - replay->requests[i].atSeconds) < 1e-6);
    }
    // What the workload plans is another list, which is why it has to be handed over.
    QVERIFY(app::planRequests(replay->workload).size() != replay->requests.size() ||
            app::planRequests(replay->workload)[1].atSeconds != replay->requests[1].atSeconds);
    const app::Replay first = app::shortened(*replay, 5.0);
    QVERIFY(first.requests.size() < replay->requests.size());
    QVERIFY(first.requests.back().atSeconds <= 5.0);
    QCOMPARE(first.workload.seconds(), 5.0);
}

void TstReplay::aTraceIsAWorkload() {
    const QString file = m_folder.filePath(QStringLiteral("azure.csv"));
    QFile out(file);
    QVERIFY(out.open(QIODevice::WriteOnly) && out.write(kTrace) > 0);
    out.close();
    QVERIFY(app::isTraceFile(file.toStdString()) && !app::isTraceFile("workload.toml"));
    const auto replay = app::loadReplay(file.toStdString());
    QVERIFY2(replay, replay ? "" : replay.error().message.c_str());
    QCOMPARE(replay->requests.size(), std::size_t{3});
    QCOMPARE(replay->skipped, 1);
    QCOMPARE(replay->origin, std::string("Azure trace"));
    QVERIFY(app::validateWorkload(replay->workload));
    app::SimulationProfile costs = profile();
    costs.config.maxContext = 2048;
    const auto simulated =
        app::simulateRequests(replay->workload, replay->requests, costs, costs.config);
    QVERIFY2(simulated, simulated ? "" : simulated.error().message.c_str());
    QCOMPARE(simulated->summary.requests, 3);
    QCOMPARE(simulated->summary.completed, 3);
}

void TstReplay::damageIsRefusedWhole() {
    const QString file = m_folder.filePath(QStringLiteral("cut.csv"));
    QFile out(file);
    QVERIFY(out.open(QIODevice::WriteOnly) && out.write(QByteArray(kTrace) + "2023-11-16 18") > 0);
    out.close();
    const auto replay = app::loadReplay(file.toStdString());
    QVERIFY(!replay);
    QVERIFY2(replay.error().message.find("cut.csv:6") != std::string::npos,
             replay.error().message.c_str());
}

void TstReplay::errorsAreOfWhatBothHave() {
    app::RunSummary model, real;
    model.ttftMs.p50 = 110.0;
    real.ttftMs.p50 = 100.0;
    model.ttftMs.p99 = 400.0; // the other has too few
    const auto rows = app::replayRows(std::nullopt, model, real);
    const auto of = [&rows](std::string_view key) {
        return *std::ranges::find(rows, key, &app::ReplayRow::key);
    };
    QVERIFY(std::abs(*of("ttft_p50_ms").error - 0.1) < 1e-9);
    QVERIFY(!of("ttft_p99_ms").error && of("ttft_p99_ms").simulated);
    QVERIFY(!of("output_tokens_per_s").error); // nothing over nothing
    QVERIFY(!of("ttft_p50_ms").recorded);
}

QTEST_GUILESS_MAIN(TstReplay)
#include "tst_replay.moc"
