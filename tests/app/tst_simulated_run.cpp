// A profile from a recorded run, and workloads in virtual time from it.
#include "app/simulated_run.h"

#include <QTest>

#include <array>
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
    run.summary.run.requestDigest =
        requestListDigest(planRequests(workload), *PromptLibrary::fromResources());
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
    void knownBeginningsShortenPrompts();
    void lanesHaveTheirOwnFigures();
    void runsWithoutCostsAreErrors();
    void openLoadsHaveTheFiguresOfTheirSteps();
    void closedLoopsKeepTheirUsersBusy();
    void damagedCostsAreNotTaken();
    void pacesAreWhatStepsTookBesideTheCosts();
    void loadsNearSaturationDependOnWhenTheMachineIsSlow();
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

// A third of the recorded run's prompt tokens were not computed: nor are they here, unless the
// cache is off.
void TstSimulatedRun::knownBeginningsShortenPrompts() {
    const Workload workload = openLoad(1.0);
    RunData run = recordedRun(workload);
    const auto plain = profileOf(run);
    QCOMPARE(plain->hitShare, 0.0);
    for (StoredRequest& request : run.requests) {
        request.record.stamps.planned = request.record.stamps.scheduled;
        request.record.hitTokens = request.record.promptTokens / 3;
    }
    const auto profile = profileOf(run);
    QVERIFY(std::abs(profile->hitShare - 1.0 / 3.0) < 0.01);
    const auto tokensOf = [&](const SimulationProfile& from, bool keepsPrefixes) {
        engine::EngineConfig config = from.config;
        config.keepsPrefixes = keepsPrefixes;
        double sum = 0.0;
        const auto simulated = simulateWorkload(workload, from, config);
        for (const auto& request : simulated->simulation.requests) {
            sum += static_cast<double>(request.arrival.promptTokens);
        }
        return sum;
    };
    const double whole = tokensOf(*plain, true);
    QVERIFY(std::abs(tokensOf(*profile, true) / whole - 2.0 / 3.0) < 0.02);
    QCOMPARE(tokensOf(*profile, false), whole);
}

void TstSimulatedRun::lanesHaveTheirOwnFigures() {
    Workload workload = openLoad(30.0); // more than is served
    const auto profile = profileOf(recordedRun(workload));
    const auto all = simulateWorkload(workload, *profile, profile->config);
    QVERIFY(all->lanes[0] && !all->lanes[1]);
    QCOMPARE(all->lanes[0]->requests, all->summary.requests);
    workload.batchShare = 0.7;
    const auto both = simulateWorkload(workload, *profile, profile->config);
    const auto& [realtime, batch] = both->lanes;
    QVERIFY(realtime && batch);
    QCOMPARE(realtime->requests + batch->requests, both->summary.requests);
    QVERIFY(*realtime->ttftMs.p99 < *batch->ttftMs.p50);
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

namespace {

// Costs told every two seconds: 100 steps of 10 tokens, which took `factor` times as long as the
// model of recordedRun() says.
void tellPaces(RunData& run, const std::vector<double>& factors) {
    const std::string model = run.events.back().payloadJson;
    const double expected = 100 * (5e6 + 10 * 2e5);
    run.events.clear();
    for (std::size_t i = 0; i < factors.size(); ++i) {
        std::string payload = model;
        payload.pop_back();
        payload += R"(,"sum_0":"100","sum_1":"400","sum_2":"600","took_ns":")" +
                   std::to_string(expected * factors[i]) + "\"}";
        run.events.push_back({.sequence = static_cast<std::int64_t>(i + 1),
                              .timeNs = static_cast<std::int64_t>(2e9 * double(i + 1)),
                              .step = i,
                              .source = "engine",
                              .kind = "step_cost",
                              .payloadJson = payload});
    }
}

} // namespace

void TstSimulatedRun::pacesAreWhatStepsTookBesideTheCosts() {
    const Workload workload = openLoad(5.0);
    RunData run = recordedRun(workload);
    QVERIFY(profileOf(run)->paces.empty()); // nothing was told of them
    tellPaces(run, {1.0, 1.5, 0.5, 0.5, 100.0, 0.001});
    const auto profile = profileOf(run);
    QVERIFY(profile);
    // Seconds 2, 4 and 8: the third span alone took too little time to be a pace; the fifth is held
    // to what a machine can be, and what follows the sixth is too short again.
    QCOMPARE(profile->paces.size(), std::size_t(4));
    const std::array factors = {1.0, 1.5, 0.5, 4.0};
    for (std::size_t i = 0; i < factors.size(); ++i) {
        QVERIFY2(std::abs(profile->paces[i].factor - factors[i]) < 1e-6,
                 qPrintable(QString::number(profile->paces[i].factor)));
    }
    QVERIFY(std::abs(profile->paces[1].seconds - 2.0) < 1e-6);
    QVERIFY(std::abs(profile->paces[2].seconds - 4.0) < 1e-6);
    // The load began with the first request, which was due a while after its begin.
    const double due = planRequests(workload).front().atSeconds;
    QVERIFY(std::abs(profile->paces[0].seconds - (2.0 - 0.001 + due)) < 1e-6);
}

void TstSimulatedRun::loadsNearSaturationDependOnWhenTheMachineIsSlow() {
    const Workload light = openLoad(1.0);
    RunData run = recordedRun(light);
    tellPaces(run, std::vector<double>(10, 1.0));
    auto profile = profileOf(run);
    const auto even = simulateSpread(light, *profile, profile->config);
    QVERIFY(even);
    QCOMPARE(even->size(), std::size_t(10));
    for (const SimulatedRun& each : *even) { // an even machine has no other times
        QCOMPARE(each.summary.ttftMs.p50, even->front().summary.ttftMs.p50);
        QCOMPARE(each.summary.outputPerSecond, even->front().summary.outputPerSecond);
    }
    tellPaces(run, {0.7, 0.7, 0.7, 0.7, 1.3, 1.3, 1.3, 1.3});
    profile = profileOf(run);
    const auto ratioOf = [&](double rate) {
        const auto runs = simulateSpread(openLoad(rate), *profile, profile->config);
        double low = 1e9;
        double high = 0.0;
        for (const SimulatedRun& each : *runs) {
            low = std::min(low, *each.summary.ttftMs.p50);
            high = std::max(high, *each.summary.ttftMs.p50);
        }
        return high / low;
    };
    // A request costs some 50 ms. Alone it is slow or fast; near saturation a queue makes more of
    // it.
    const double alone = ratioOf(2.0);
    const double near = ratioOf(24.0);
    QVERIFY2(alone < 1.6, qPrintable(QString::number(alone)));
    QVERIFY2(near > 1.3 * alone,
             qPrintable(QString::number(near) + QChar(0x20) + QString::number(alone)));
}

QTEST_GUILESS_MAIN(TstSimulatedRun)
#include "tst_simulated_run.moc"
