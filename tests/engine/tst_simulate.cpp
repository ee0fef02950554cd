// The scheduler in virtual time: long random runs of every policy against what must always hold,
// and the effects that lanes and policies are there for.
#include "engine/simulate.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>

using namespace engine;
using namespace std::chrono_literals;

namespace {

// A step costs 4 ms and 0.25 ms a token.
CostModel plainCost() {
    CostModel cost;
    cost.ns = {4e6, 2.5e5, 2.5e5, 2.5e5, 2.5e5, 0.0, 0.0};
    return cost;
}

EngineConfig baseConfig(Batching batching) {
    EngineConfig config;
    config.batching = batching;
    config.kvBlocks = 400;
    config.blockTokens = 64;
    config.maxBatch = 16;
    config.tokenBudget = 512;
    config.prefillChunk = 256;
    return config;
}

struct Traffic {
    int requests = 500;
    double perSecond = 20.0;
    int shortest = 16, longest = 256;
    int answers = 40;
    double cancelled = 0.0, late = 0.0, batchLane = 0.0;
    // Every so often a prompt of that length; 0: none.
    int whale = 0;
};

std::vector<Arrival> arrivalsOf(const Traffic& traffic, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto uniform = [&] { return std::uniform_real_distribution(0.0, 1.0)(random); };
    std::vector<Arrival> arrivals;
    double at = 0.0;
    for (int i = 0; i < traffic.requests; ++i) {
        at += -std::log(1.0 - uniform()) / traffic.perSecond;
        Arrival arrival;
        arrival.at = Nanoseconds(static_cast<std::int64_t>(at * 1e9));
        arrival.promptTokens =
            traffic.shortest + static_cast<int>(uniform() * (traffic.longest - traffic.shortest));
        if (traffic.whale > 0 && i % 10 == 9) {
            arrival.promptTokens = traffic.whale;
        }
        arrival.outputTokens = 1 + static_cast<int>(uniform() * traffic.answers);
        arrival.lane = uniform() < traffic.batchLane ? Lane::Batch : Lane::Realtime;
        const auto soon = Nanoseconds(static_cast<std::int64_t>(uniform() * 3e9));
        if (uniform() < traffic.cancelled) {
            arrival.cancelledAt = arrival.at + soon;
        } else if (uniform() < traffic.late) {
            arrival.deadline = arrival.at + soon;
        }
        arrivals.push_back(arrival);
    }
    return arrivals;
}

Simulation run(const EngineConfig& config, std::vector<Arrival> arrivals) {
    auto result = simulate(
        {.config = config, .arrivals = std::move(arrivals), .cost = plainCost(), .onEnded = {}});
    return result ? *std::move(result) : Simulation{};
}

// Of the requests that `isMeant` names.
double ttftMs(const Simulation& simulation, double quantile,
              const std::function<bool(const SimulatedRequest&)>& isMeant) {
    std::vector<double> values;
    for (const SimulatedRequest& request : simulation.requests) {
        if (request.firstToken && isMeant(request)) {
            values.push_back(
                std::chrono::duration<double, std::milli>(*request.firstToken - request.arrival.at)
                    .count());
        }
    }
    std::ranges::sort(values);
    return values.empty() ? 0.0
                          : values[static_cast<std::size_t>(
                                quantile * static_cast<double>(values.size() - 1))];
}

} // namespace

class TstSimulate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyRequestEndsOnceUnderEveryPolicy_data();
    void everyRequestEndsOnceUnderEveryPolicy();
    void millionsOfStepsWereSimulated();
    void theSameInputsGiveTheSameRun();
    void aLoneRequestTakesWhatItsStepsCost();
    void dynamicCollectsForItsWindow();
    void dynamicOpensInTimeForADeadline();
    void closedBatchesHoldUpWhoWaits();
    void batchingServesMoreThanSingle();
    void realtimeIsQuickAtSaturation();
    void theBatchLaneAges();
    void aBulkThatAgesLeavesTheRealtimeLaneQuick_data();
    void aBulkThatAgesLeavesTheRealtimeLaneQuick();
    void realtimeWorkEndsBesideAgedWork();
    void theBatchLaneKeepsToItsShare();
    void aLongPromptDoesNotHoldUpShortOnes();
    void aLongPromptWithoutItsBlocksIsPassed();
    void selectiveStartsAShortPromptBesideAPausableAnswer();
    void selectiveFavoursShortPromptsAndStarvesNone();
    void tokenGapBoundsSteps();
    void closedLoopsGoOn();
    void impossibleSetupsAreErrors();
    void fitFindsTheCost();

private:
    std::uint64_t m_steps = 0;
};

void TstSimulate::everyRequestEndsOnceUnderEveryPolicy_data() {
    QTest::addColumn<int>("batching");
    QTest::addColumn<double>("perSecond");
    QTest::newRow("single, saturated") << static_cast<int>(Batching::Single) << 5.0;
    QTest::newRow("dynamic, saturated") << static_cast<int>(Batching::Dynamic) << 12.0;
    QTest::newRow("continuous, saturated") << static_cast<int>(Batching::Continuous) << 12.0;
    QTest::newRow("selective, saturated") << static_cast<int>(Batching::Selective) << 12.0;
    QTest::newRow("single, light") << static_cast<int>(Batching::Single) << 1.5;
    QTest::newRow("dynamic, light") << static_cast<int>(Batching::Dynamic) << 1.5;
    QTest::newRow("continuous, light") << static_cast<int>(Batching::Continuous) << 1.5;
    QTest::newRow("selective, light") << static_cast<int>(Batching::Selective) << 1.5;
}

// Twenty thousand requests a row, with cancels, deadlines and too few blocks.
void TstSimulate::everyRequestEndsOnceUnderEveryPolicy() {
    QFETCH(const int, batching);
    QFETCH(const double, perSecond);
    EngineConfig config = baseConfig(static_cast<Batching>(batching));
    config.kvBlocks = 80;
    config.ageingMs = 2000;
    config.maxWaiting = 1000000;
    const Traffic traffic{.requests = 20000,
                          .perSecond = perSecond,
                          .answers = 60,
                          .cancelled = 0.3,
                          .late = 0.2,
                          .batchLane = 0.5,
                          .whale = 3000};
    const std::vector<Arrival> arrivals = arrivalsOf(traffic, 5);
    const Simulation result = run(config, arrivals);
    QCOMPARE(result.requests.size(), arrivals.size());
    QCOMPARE(result.blocksLeft, std::int64_t(0));
    m_steps += result.steps;
    std::map<FinishReason, int> ends;
    for (const SimulatedRequest& request : result.requests) {
        ++ends[request.reason];
        QVERIFY(request.finished >= request.arrival.at);
        switch (request.reason) {
        case FinishReason::Length:
            QCOMPARE(request.outputTokens, request.arrival.outputTokens);
            QVERIFY(!request.arrival.deadline ||
                    request.finished <= *request.arrival.deadline + 200ms);
            break;
        case FinishReason::Cancelled:
            QVERIFY(request.arrival.cancelledAt);
            // Within one step.
            QVERIFY(request.finished - std::max(*request.arrival.cancelledAt, request.arrival.at) <
                    200ms);
            break;
        case FinishReason::Deadline:
            QVERIFY(request.arrival.deadline);
            QVERIFY(request.finished >= *request.arrival.deadline);
            break;
        default:
            QFAIL("an end that nobody asked for");
        }
    }
    QVERIFY(ends[FinishReason::Cancelled] > 0 && ends[FinishReason::Deadline] > 0);
    QVERIFY(ends[FinishReason::Length] > 100);
}

void TstSimulate::millionsOfStepsWereSimulated() {
    if (m_steps == 0) {
        QSKIP("They are counted in the cases before.");
    }
    QVERIFY2(m_steps > 2'000'000, qPrintable(QString::number(m_steps)));
}

void TstSimulate::theSameInputsGiveTheSameRun() {
    const std::vector<Arrival> arrivals = arrivalsOf({.batchLane = 0.3}, 9);
    const Simulation one = run(baseConfig(Batching::Continuous), arrivals);
    const Simulation other = run(baseConfig(Batching::Continuous), arrivals);
    QCOMPARE(one.duration, other.duration);
    QCOMPARE(one.steps, other.steps);
}

void TstSimulate::aLoneRequestTakesWhatItsStepsCost() {
    Arrival arrival;
    arrival.at = 100ms;
    arrival.promptTokens = 300;
    arrival.outputTokens = 3;
    const Simulation result = run(baseConfig(Batching::Continuous), {arrival});
    // 256 and 44 tokens of the prompt, then two tokens of the answer.
    QCOMPARE(*result.requests[0].firstToken, Nanoseconds(100ms + 4ms + 64ms + 4ms + 11ms));
    QCOMPARE(result.requests[0].finished, Nanoseconds(183ms + 2 * 4250us));
    QCOMPARE(result.steps, std::uint64_t(4));
}

void TstSimulate::dynamicCollectsForItsWindow() {
    std::vector<Arrival> arrivals(3);
    arrivals[1].at = 30ms;
    arrivals[2].at = 79ms;
    for (Arrival& arrival : arrivals) {
        arrival.promptTokens = 10;
    }
    Simulation result = run(baseConfig(Batching::Dynamic), arrivals);
    for (const SimulatedRequest& request : result.requests) {
        QCOMPARE(*request.started, Nanoseconds(80ms));
    }
    EngineConfig full = baseConfig(Batching::Dynamic);
    full.maxBatch = 2;
    result = run(full, arrivals);
    QCOMPARE(*result.requests[0].started, Nanoseconds(30ms)); // as many as may run
    QCOMPARE(*result.requests[1].started, Nanoseconds(30ms));
}

// The window is longer than the request may take.
void TstSimulate::dynamicOpensInTimeForADeadline() {
    EngineConfig config = baseConfig(Batching::Dynamic);
    Arrival urgent;
    urgent.promptTokens = 10;
    urgent.deadline = 50ms;
    Simulation result = run(config, {urgent});
    QCOMPARE(result.requests[0].reason, FinishReason::Length);
    QCOMPARE(*result.requests[0].started, Nanoseconds(0));
    config.batchWindowMs = 60000;
    Arrival patient;
    patient.promptTokens = 10;
    urgent.at = 2s;
    urgent.deadline = 30s;
    urgent.outputTokens = 100;
    result = run(config, {patient, urgent});
    for (const SimulatedRequest& request : result.requests) {
        QCOMPARE(request.reason, FinishReason::Length);
        QCOMPARE(*request.started, Nanoseconds(2s)); // the one that waits comes with it
    }
    urgent.deadline = 200s; // time enough
    result = run(config, {patient, urgent});
    QCOMPARE(*result.requests[0].started, Nanoseconds(60s));
}

// The short answer's slot stays empty until the long answer is there.
void TstSimulate::closedBatchesHoldUpWhoWaits() {
    EngineConfig config = baseConfig(Batching::Dynamic);
    config.maxBatch = 2;
    std::vector<Arrival> arrivals(3);
    arrivals[0].outputTokens = 2;
    arrivals[1].outputTokens = 200;
    arrivals[2].at = 50ms;
    const Simulation closed = run(config, arrivals);
    QVERIFY(*closed.requests[2].started >= closed.requests[1].finished);
    config.batching = Batching::Continuous;
    const Simulation open = run(config, arrivals);
    QVERIFY(*open.requests[2].started < 60ms);
    QVERIFY(open.requests[1].finished > 500ms);
}

void TstSimulate::batchingServesMoreThanSingle() {
    std::vector<Arrival> arrivals(200);
    for (Arrival& arrival : arrivals) {
        arrival.promptTokens = 32;
        arrival.outputTokens = 64;
    }
    const auto single = run(baseConfig(Batching::Single), arrivals).duration;
    const auto continuous = run(baseConfig(Batching::Continuous), arrivals).duration;
    const auto dynamic = run(baseConfig(Batching::Dynamic), arrivals).duration;
    QVERIFY(single > 2 * continuous);
    QVERIFY(dynamic >= continuous);
}

void TstSimulate::realtimeIsQuickAtSaturation() {
    // 1.2 times what can be served.
    const Traffic traffic{.requests = 1500, .perSecond = 25.0, .batchLane = 0.7};
    const auto isRealtime = [](const SimulatedRequest& request) {
        return request.arrival.lane == Lane::Realtime;
    };
    for (const Batching batching : {Batching::Single, Batching::Continuous, Batching::Selective}) {
        EngineConfig config = baseConfig(batching);
        Traffic fitting = traffic;
        fitting.perSecond = batching == Batching::Single ? 6.0 : 25.0;
        const Simulation ranked = run(config, arrivalsOf(fitting, 3));
        config.usesPriority = false;
        const Simulation level = run(config, arrivalsOf(fitting, 3));
        QVERIFY2(ttftMs(ranked, 0.99, isRealtime) <= 0.4 * ttftMs(level, 0.99, isRealtime),
                 qPrintable(QStringLiteral("%1 against %2 ms")
                                .arg(ttftMs(ranked, 0.99, isRealtime))
                                .arg(ttftMs(level, 0.99, isRealtime))));
    }
}

// More realtime work than can be served: the batch lane still gets its turn.
void TstSimulate::theBatchLaneAges() {
    std::vector<Arrival> arrivals =
        arrivalsOf({.requests = 3000, .perSecond = 40.0, .answers = 80}, 4);
    Arrival patient;
    patient.at = 5s;
    patient.lane = Lane::Batch;
    patient.outputTokens = 5;
    arrivals.push_back(patient);
    const auto start = [&](std::int64_t ageingMs) {
        EngineConfig config = baseConfig(Batching::Continuous);
        config.ageingMs = ageingMs;
        const Simulation result = run(config, arrivals);
        return *std::ranges::find(
                    result.requests, Lane::Batch,
                    [](const SimulatedRequest& request) { return request.arrival.lane; })
                    ->started;
    };
    const Nanoseconds never = start(0);
    const Nanoseconds aged = start(3000);
    QVERIFY(never > 60s);
    QVERIFY(aged < 5s + 3s + 10s);
}

void TstSimulate::aBulkThatAgesLeavesTheRealtimeLaneQuick_data() {
    QTest::addColumn<int>("batching");
    QTest::addColumn<int>("share");
    QTest::addColumn<double>("allowanceMs"); // beside twice the time before
    QTest::newRow("continuous") << static_cast<int>(Batching::Continuous) << 50 << 0.0;
    QTest::newRow("continuous, least share") << static_cast<int>(Batching::Continuous) << 1 << 0.0;
    QTest::newRow("selective") << static_cast<int>(Batching::Selective) << 50 << 0.0;
    // With one slot, or all of them for the batch lane, the lanes take turns.
    QTest::newRow("single") << static_cast<int>(Batching::Single) << 50 << 2 * 900.0;
    QTest::newRow("continuous, all slots")
        << static_cast<int>(Batching::Continuous) << 100 << 2 * 2200.0;
}

// More batch requests at once than are served in minutes: they have all waited long enough then.
void TstSimulate::aBulkThatAgesLeavesTheRealtimeLaneQuick() {
    QFETCH(const int, batching);
    QFETCH(const int, share);
    QFETCH(const double, allowanceMs);
    std::vector<Arrival> arrivals(batching == static_cast<int>(Batching::Single) ? 300 : 2000);
    for (Arrival& arrival : arrivals) {
        arrival.lane = Lane::Batch;
        arrival.promptTokens = 32;
        arrival.outputTokens = 200;
    }
    for (int i = 0; i < 120; ++i) {
        Arrival asked;
        asked.at = 500ms + i * 1000ms;
        asked.promptTokens = 32;
        asked.outputTokens = 20;
        arrivals.push_back(asked);
    }
    EngineConfig config = baseConfig(static_cast<Batching>(batching));
    config.maxWaiting = 1000000;
    config.batchSharePercent = share;
    const Simulation result = run(config, arrivals);
    const auto p99 = [&](Nanoseconds from, Nanoseconds to) {
        return ttftMs(result, 0.99, [&](const SimulatedRequest& request) {
            return request.arrival.lane == Lane::Realtime && request.arrival.at >= from &&
                   request.arrival.at < to;
        });
    };
    const double before = p99(0s, 30s);
    const double after = p99(30s, 120s);
    QVERIFY2(before > 0 && after <= 2 * before + allowanceMs,
             qPrintable(QStringLiteral("%1 ms, %2 before").arg(after).arg(before)));
    // The bulk still goes on beside it.
    const auto isDone = [](const SimulatedRequest& request) {
        return request.arrival.lane == Lane::Batch && request.finished < 120s;
    };
    QVERIFY(std::ranges::count_if(result.requests, isDone) >
            (batching == static_cast<int>(Batching::Single) ? 50 : 500));
}

// More aged batch work than the machine does, and more realtime work: both are served, and the
// realtime lane has at least what the batch lane's share leaves.
void TstSimulate::realtimeWorkEndsBesideAgedWork() {
    for (const Batching batching : {Batching::Single, Batching::Continuous, Batching::Selective}) {
        EngineConfig config = baseConfig(batching);
        config.ageingMs = 1000;
        config.maxWaiting = 1000000;
        const Simulation result =
            run(config, arrivalsOf({.requests = 3000, .perSecond = 100.0, .batchLane = 0.5}, 8));
        std::array<int, 2> early{};
        for (const SimulatedRequest& request : result.requests) {
            QCOMPARE(request.reason, FinishReason::Length);
            early[static_cast<std::size_t>(request.arrival.lane)] +=
                request.finished < result.duration / 4 ? 1 : 0;
        }
        const auto [realtime, batch] = early;
        QVERIFY2(realtime > 300 && batch > 100,
                 qPrintable(QStringLiteral("%1 and %2").arg(realtime).arg(batch)));
        QVERIFY(realtime * 2 > batch);
    }
}

// Beside prompts of the realtime lane those of the batch lane have their share of the tokens, no
// more, and without them all.
void TstSimulate::theBatchLaneKeepsToItsShare() {
    const auto endOf = [](std::int64_t share, bool hasRealtime) {
        std::vector<Arrival> arrivals(2);
        arrivals[0].lane = Lane::Batch;
        arrivals[0].promptTokens = 10000;
        arrivals[1].promptTokens = hasRealtime ? 60000 : 1;
        EngineConfig config = baseConfig(Batching::Continuous);
        config.kvBlocks = 2000;
        config.batchSharePercent = share;
        config.tokenBudget = 400;
        config.prefillChunk = 200;
        return *run(config, arrivals).requests[0].firstToken;
    };
    // A step of 200 tokens of the one and a share of 400 of the other.
    const auto steps = [](double perStep) {
        return Nanoseconds(static_cast<std::int64_t>(10000.0 / perStep * 4e6 +
                                                     10000.0 * (200.0 + perStep) / perStep * 25e4));
    };
    for (const std::int64_t share : {10, 25, 50}) {
        const double perStep = 4.0 * static_cast<double>(share);
        const double ratio = static_cast<double>(endOf(share, true).count()) /
                             static_cast<double>(steps(perStep).count());
        QVERIFY2(std::abs(ratio - 1.0) < 0.03, qPrintable(QString::number(ratio)));
        QVERIFY(endOf(share, false) < endOf(share, true) / 1.5);
    }
}

void TstSimulate::aLongPromptDoesNotHoldUpShortOnes() {
    std::vector<Arrival> arrivals(12);
    arrivals[0].promptTokens = 30000;
    for (std::size_t i = 1; i < arrivals.size(); ++i) {
        arrivals[i].at = 100ms + 10ms * static_cast<int>(i);
        arrivals[i].promptTokens = 60;
    }
    EngineConfig config = baseConfig(Batching::Continuous);
    config.kvBlocks = 1000;
    const Simulation result = run(config, arrivals);
    QVERIFY(*result.requests[0].firstToken > 7s);
    for (std::size_t i = 1; i < result.requests.size(); ++i) {
        // Some steps of at most 132 ms, of which the first was under way.
        QVERIFY(*result.requests[i].firstToken - result.requests[i].arrival.at < 600ms);
    }
}

// It waits for blocks that an answer holds: those behind it need few, and go before it for a while.
void TstSimulate::aLongPromptWithoutItsBlocksIsPassed() {
    for (const Batching batching : {Batching::Continuous, Batching::Selective}) {
        std::vector<Arrival> arrivals(13);
        arrivals[0].promptTokens = 6000; // holds 100 blocks
        arrivals[0].outputTokens = 2000;
        arrivals[1].at = 2s;
        arrivals[1].promptTokens = 30000; // needs 469
        for (std::size_t i = 2; i < arrivals.size(); ++i) {
            arrivals[i].at = 2100ms + 10ms * static_cast<int>(i);
            arrivals[i].promptTokens = 60;
        }
        EngineConfig config = baseConfig(batching);
        config.kvBlocks = 512;
        const Simulation result = run(config, arrivals);
        QVERIFY(result.requests[0].finished > 8s);
        QVERIFY(*result.requests[1].started >= result.requests[0].finished);
        for (std::size_t i = 2; i < arrivals.size(); ++i) {
            QVERIFY(*result.requests[i].firstToken - result.requests[i].arrival.at < 600ms);
        }
        // A stream of short ones that never leaves the blocks free does not keep it out.
        std::vector<Arrival> flood(4000);
        for (std::size_t i = 0; i < flood.size(); ++i) {
            flood[i].at = 4ms * static_cast<int>(i);
            flood[i].promptTokens = 60;
            flood[i].outputTokens = 40;
        }
        Arrival whale;
        whale.at = 3s;
        whale.promptTokens = 30 * 64 - 10;
        flood.push_back(whale);
        config.kvBlocks = 32;
        config.maxWaiting = 1000000;
        const Simulation flooded = run(config, flood);
        const auto served = std::ranges::find(
            flooded.requests, whale.promptTokens,
            [](const SimulatedRequest& request) { return request.arrival.promptTokens; });
        QCOMPARE(served->reason, FinishReason::Length);
        QVERIFY(*served->started < flooded.duration / 2);
    }
}

// All slots are taken, by answers of the batch lane and a long prompt: the short prompt has the
// place of one of them at once.
void TstSimulate::selectiveStartsAShortPromptBesideAPausableAnswer() {
    std::vector<Arrival> arrivals(5);
    for (std::size_t i = 0; i < 3; ++i) {
        arrivals[i].lane = Lane::Batch;
        arrivals[i].outputTokens = 1000;
    }
    arrivals[3].at = 100ms;
    arrivals[3].promptTokens = 25000;
    arrivals[4].at = 1s;
    arrivals[4].promptTokens = 60;
    EngineConfig config = baseConfig(Batching::Selective);
    config.maxBatch = 4;
    config.kvBlocks = 1000;
    const Simulation result = run(config, arrivals);
    QVERIFY(*result.requests[3].firstToken > 5s);
    QVERIFY(*result.requests[4].started - 1s < 200ms); // the step under way, and perhaps one more
}

void TstSimulate::selectiveFavoursShortPromptsAndStarvesNone() {
    // Beside a prompt of 20,000 tokens short ones come, each into a step of their own.
    std::vector<Arrival> arrivals(21);
    arrivals[0].promptTokens = 20000;
    for (std::size_t i = 1; i < arrivals.size(); ++i) {
        arrivals[i].at = 100ms + static_cast<int>(i) * 170ms + static_cast<int>(i * i % 7) * 9ms;
        arrivals[i].promptTokens = 100;
    }
    const auto isShort = [](const SimulatedRequest& request) {
        return request.arrival.promptTokens < 1024;
    };
    const Simulation mixed = run(baseConfig(Batching::Continuous), arrivals);
    EngineConfig config = baseConfig(Batching::Selective);
    const Simulation apart = run(config, arrivals);
    QVERIFY(ttftMs(apart, 0.5, isShort) < ttftMs(mixed, 0.5, isShort));
    for (const SimulatedRequest& request : apart.requests) {
        QCOMPARE(request.reason, FinishReason::Length);
    }
    // A stream of short prompts that takes the whole machine: the long one still has its turn.
    std::vector<Arrival> flood = arrivalsOf({.requests = 4000, .perSecond = 60.0, .answers = 4}, 2);
    Arrival whale;
    whale.at = 1s;
    whale.promptTokens = 3000;
    flood.push_back(whale);
    const Simulation flooded = run(config, flood);
    const auto served = std::ranges::find(
        flooded.requests, std::int64_t{3000},
        [](const SimulatedRequest& request) { return request.arrival.promptTokens; });
    QVERIFY(*served->started < flooded.duration / 2);
}

void TstSimulate::tokenGapBoundsSteps() {
    std::vector<Arrival> arrivals(2);
    arrivals[0].promptTokens = 10;
    arrivals[0].outputTokens = 300;
    arrivals[1].at = 200ms;
    arrivals[1].promptTokens = 2000;
    EngineConfig config = baseConfig(Batching::Continuous);
    const Simulation free = run(config, arrivals);
    config.tokenGapMs = 20;
    const Simulation bounded = run(config, arrivals);
    // 64 of 300 steps carry 60 tokens at 19 ms instead of 8 that carry 256 at 68 ms.
    QVERIFY(*bounded.requests[1].firstToken > *free.requests[1].firstToken);
    QVERIFY(bounded.steps > free.steps - 10);
    const auto stepsOfPrompt = (*bounded.requests[1].firstToken - 200ms) / Nanoseconds(20ms);
    QVERIFY2(stepsOfPrompt >= 30, qPrintable(QString::number(stepsOfPrompt)));
}

void TstSimulate::closedLoopsGoOn() {
    SimulationSetup setup{.config = baseConfig(Batching::Continuous),
                          .arrivals = std::vector<Arrival>(8),
                          .cost = plainCost(),
                          .onEnded = {}};
    setup.onEnded = [](const Arrival&, Nanoseconds now, std::vector<Arrival>& more) {
        if (now < 5s) {
            Arrival next;
            next.at = now;
            next.promptTokens = 20;
            next.outputTokens = 10;
            more.push_back(next);
        }
    };
    const auto result = simulate(setup);
    QVERIFY(result);
    QVERIFY(result->requests.size() > 300);
    QVERIFY(result->duration >= 5s && result->duration < 6s);
    QCOMPARE(result->blocksLeft, std::int64_t(0));
}

void TstSimulate::impossibleSetupsAreErrors() {
    EngineConfig config = baseConfig(Batching::Continuous);
    const auto errorOf = [](const SimulationSetup& setup) {
        const auto result = simulate(setup);
        return result ? std::string() : result.error().message;
    };
    QVERIFY(
        errorOf({.config = config, .arrivals = {}, .cost = plainCost(), .onEnded = {}}).empty());
    QVERIFY(!errorOf({.config = config, .arrivals = {}, .cost = {}, .onEnded = {}}).empty());
    config.kvBlocks = 0;
    QVERIFY(errorOf({.config = config, .arrivals = {}, .cost = plainCost(), .onEnded = {}})
                .find("--kv-blocks") != std::string::npos);
    config = baseConfig(Batching::Continuous);
    config.maxBatch = 0;
    QVERIFY(
        !errorOf({.config = config, .arrivals = {}, .cost = plainCost(), .onEnded = {}}).empty());
    // What can never fit is refused at once, as the engine does.
    std::vector<Arrival> huge(1);
    huge[0].promptTokens = 400 * 64;
    QCOMPARE(run(baseConfig(Batching::Continuous), huge).requests[0].reason, FinishReason::TooLong);
}

void TstSimulate::fitFindsTheCost() {
    CostModel truth;
    truth.ns = {3e6, 1e5, 2e5, 3e5, 4e5, 5e5, 1e4};
    std::mt19937_64 random(6);
    CostFit fit;
    QVERIFY(!fit.model().isKnown());
    for (int i = 0; i < 3000; ++i) {
        const StepShape shape{.tokens =
                                  static_cast<std::int64_t>(1 + random() % (i % 3 == 0 ? 400 : 40)),
                              .logitRows = static_cast<std::int64_t>(random() % 17),
                              .attended = static_cast<double>(random() % 200000)};
        const double noise = std::normal_distribution(1.0, 0.02)(random);
        fit.add(shape, truth.stepNs(shape) * noise);
    }
    const CostModel found = fit.model();
    for (const StepShape& shape :
         {StepShape{1, 1, 100}, StepShape{16, 16, 5000}, StepShape{300, 1, 90000}}) {
        const double ratio = found.stepNs(shape) / truth.stepNs(shape);
        QVERIFY2(std::abs(ratio - 1.0) < 0.03, qPrintable(QString::number(ratio)));
    }
    // Where some steps are disturbed, the sum of all times is met and not that of the fast ones.
    CostFit disturbed;
    for (int i = 0; i < 3000; ++i) {
        const StepShape shape{.tokens = static_cast<std::int64_t>(1 + random() % 16),
                              .logitRows = 1,
                              .attended = 1000};
        disturbed.add(shape, truth.stepNs(shape) * (random() % 5 == 0 ? 2.0 : 1.0));
    }
    const StepShape one{.tokens = 8, .logitRows = 1, .attended = 1000};
    const double slower = disturbed.model().stepNs(one) / truth.stepNs(one);
    QVERIFY2(std::abs(slower - 1.2) < 0.04, qPrintable(QString::number(slower)));
    // Steps that are all alike are told by their mean, and nothing is negative.
    CostFit poor;
    for (int i = 0; i < 50; ++i) {
        poor.add({.tokens = 8, .logitRows = 8, .attended = 800}, 5e6);
    }
    const CostModel alike = poor.model();
    QVERIFY(std::abs(alike.stepNs({.tokens = 8, .logitRows = 8, .attended = 800}) / 5e6 - 1) <
            0.01);
    QVERIFY(std::ranges::all_of(alike.ns, [](double value) { return value >= 0.0; }));
}

QTEST_APPLESS_MAIN(TstSimulate)
#include "tst_simulate.moc"
