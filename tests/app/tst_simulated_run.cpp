// A profile from a recorded run, and workloads in virtual time from it.
#include "app/simulated_run.h"

#include <QTest>

#include <cmath>

using namespace app;
using namespace std::chrono_literals;

namespace {

engine::TimePoint at(std::chrono::nanoseconds time) {
    return engine::TimePoint{} + time;
}

Workload openLoad(double rate) {
    Workload workload;
    workload.name = "test";
    workload.stages = {{.kind = ArrivalKind::Poisson,
                        .ratePerSecond = rate,
                        .endRatePerSecond = rate,
                        .seconds = 20.0}};
    workload.promptTokens = {.minimum = 20, .maximum = 200};
    workload.outputTokens = {.minimum = 4, .maximum = 20};
    workload.promptSets = {"english"};
    return workload;
}

// A run of that workload whose prompts were 30 tokens more than one and a half times the asked
// length, and whose steps cost 5 ms and 0.2 ms a token.
RunData recordedRun(const Workload& workload) {
    RunData run;
    run.summary.run.id = 7;
    run.summary.run.workloadToml = workloadToml(workload);
    run.summary.settings = {{.timeNs = 0,
                             .field = "kv.blocks",
                             .requested = "0",
                             .effective = "300",
                             .state = "",
                             .reason = ""},
                            {.timeNs = 0,
                             .field = "batching.max_batch",
                             .requested = "8",
                             .effective = "8",
                             .state = "",
                             .reason = ""},
                            {.timeNs = 0,
                             .field = "no.such",
                             .requested = "8",
                             .effective = "8",
                             .state = "",
                             .reason = ""}};
    std::int64_t n = 0;
    for (const PlannedRequest& planned : planRequests(workload)) {
        StoredRequest request;
        request.n = ++n;
        request.record.id = engine::RequestId{static_cast<std::uint64_t>(n)};
        request.record.promptTokens = 30 + planned.promptTokens * 3 / 2;
        request.record.stamps.scheduled = at(std::chrono::milliseconds(n));
        request.record.ledgerNs.emplace();
        (*request.record.ledgerNs)[static_cast<std::size_t>(engine::Stage::Tokenize)] = 2'000'000;
        run.requests.push_back(std::move(request));
    }
    run.events.push_back({.sequence = 1,
                          .timeNs = 0,
                          .step = 1,
                          .source = "engine",
                          .kind = "step_cost",
                          .payloadJson = R"({"ns_0":"1","ns_1":"9"})"});
    run.events.push_back(
        {.sequence = 2,
         .timeNs = 0,
         .step = 2,
         .source = "engine",
         .kind = "step_cost",
         .payloadJson = R"({"ns_0":"5000000","ns_1":"200000","ns_2":"200000","ns_3":"200000",)"
                        R"("ns_4":"200000","ns_5":"0","ns_6":"-4"})"});
    return run;
}

} // namespace

class TstSimulatedRun : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void profileHoldsWhatTheRunMeasured();
    void runsWithoutCostsAreErrors();
    void openLoadsHaveTheFiguresOfTheirSteps();
    void closedLoopsKeepTheirUsersBusy();
    void damagedCostsAreNotTaken();
};

void TstSimulatedRun::profileHoldsWhatTheRunMeasured() {
    const auto profile = profileOf(recordedRun(openLoad(5.0)));
    QVERIFY(profile);
    QCOMPARE(profile->config.kvBlocks, std::int64_t(300));
    QCOMPARE(profile->config.maxBatch, std::int64_t(8));
    QVERIFY(std::abs(profile->perToken - 1.5) < 0.02);
    QVERIFY(std::abs(profile->fixedTokens - 30.0) < 2.0);
    QCOMPARE(profile->cost.ns[0], 5e6); // the last that was told
    QCOMPARE(profile->cost.ns[6], 0.0);
    QCOMPARE(profile->cost.arrivalNs, 2e6);
}

void TstSimulatedRun::runsWithoutCostsAreErrors() {
    RunData run = recordedRun(openLoad(5.0));
    run.events.clear();
    const auto profile = profileOf(run);
    QVERIFY(!profile);
    QVERIFY(profile.error().message.find("Run 7") != std::string::npos);
}

void TstSimulatedRun::openLoadsHaveTheFiguresOfTheirSteps() {
    const Workload workload = openLoad(1.0); // mostly alone
    const auto profile = profileOf(recordedRun(workload));
    const auto result = simulateWorkload(workload, *profile, profile->config);
    QVERIFY(result);
    QCOMPARE(result->summary.requests, static_cast<std::int64_t>(planRequests(workload).size()));
    QCOMPARE(result->summary.completed, result->summary.requests);
    // 60 to 330 tokens of prompt: 2 + 17 to 2 + 76 ms.
    QVERIFY(*result->summary.ttftMs.p50 > 19.0 && *result->summary.ttftMs.p50 < 120.0);
    QVERIFY(std::abs(*result->summary.tpotMs.p50 - 5.2) < 1.0);
    QVERIFY(result->summary.outputPerSecond > 5.0 && result->summary.outputPerSecond < 20.0);
    QCOMPARE(result->simulation.blocksLeft, std::int64_t(0));
}

void TstSimulatedRun::closedLoopsKeepTheirUsersBusy() {
    Workload workload = openLoad(1.0);
    const auto profile = profileOf(recordedRun(workload));
    workload.stages = {{.kind = ArrivalKind::Closed, .users = 4, .seconds = 10.0},
                       {.kind = ArrivalKind::Closed, .users = 8, .seconds = 10.0}};
    const auto result = simulateWorkload(workload, *profile, profile->config);
    QVERIFY(result);
    const auto sent = [&](double from, double to) {
        return std::ranges::count_if(result->simulation.requests, [&](const auto& request) {
            const double seconds = std::chrono::duration<double>(request.arrival.at).count();
            return seconds >= from && seconds < to;
        });
    };
    QVERIFY(sent(0.0, 10.0) > 40);
    QVERIFY(sent(10.0, 20.0) > sent(0.0, 10.0));
    QCOMPARE(sent(20.0, 1e9), std::ptrdiff_t(0));
    QVERIFY(result->summary.run.seconds >= 20.0);
}

void TstSimulatedRun::damagedCostsAreNotTaken() {
    RunData run = recordedRun(openLoad(5.0));
    for (const char* payload :
         {"[]", "null", "{\"ns_0\": [1]}", "{\"ns_0\":\"nan\"}", "not json"}) {
        run.events = {{.sequence = 1,
                       .timeNs = 0,
                       .step = 1,
                       .source = "engine",
                       .kind = "step_cost",
                       .payloadJson = payload}};
        QVERIFY2(!profileOf(run), payload);
    }
}

QTEST_GUILESS_MAIN(TstSimulatedRun)
#include "tst_simulated_run.moc"
