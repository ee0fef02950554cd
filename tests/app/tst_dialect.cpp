// A run in the words of other tools: what each figure is made of, checked against requests whose
// every time is known.
#include "app/compare/dialect.h"
#include "tests/support/scripted_run.h"

#include <QTest>

#include <cmath>

using namespace app;

namespace {

// Two answers: 100 ms to the first text, then 20 ms a token, 11 and 1 of them. A third failed.
RunData threeRequests() {
    RunData run;
    run.summary.run.seconds = 10.0;
    run.summary.run.sloTtftMs = 200.0;
    run.requests.push_back(
        {.n = 1, .record = tests::makeRecord(engine::TimePoint{}, 0.0, 100.0, 20.0, 11)});
    run.requests.push_back(
        {.n = 2, .record = tests::makeRecord(engine::TimePoint{}, 1000.0, 100.0, 20.0, 1)});
    run.requests.push_back(
        {.n = 3, .record = tests::makeRecord(engine::TimePoint{}, 2000.0, 100.0, 20.0, 5)});
    run.requests.back().record.reason = engine::FinishReason::Failed;
    return run;
}

DialectFigure figure(Dialect dialect, const RunData& run, const char* name) {
    for (const DialectFigure& each : readAs(dialect, run)) {
        if (each.name == QLatin1String(name)) {
            return each;
        }
    }
    return {};
}

bool isNear(const std::optional<double>& value, double expected) {
    return value && std::abs(*value - expected) < 1e-6 * std::max(1.0, std::abs(expected));
}

} // namespace

class TstDialect : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void firstTokensCountFromArrival();
    void paceMeansAnotherThingInEach();
    void ratesAreOfTheTimeBetweenFirstAndLast();
    void failedRequestsHaveNoLatency();
    void anEmptyRunHasNoFigures();
};

void TstDialect::firstTokensCountFromArrival() {
    const RunData run = threeRequests();
    // Received 5 ms after it was due, so 95 of the 100 ms.
    QVERIFY(isNear(figure(Dialect::Vllm, run, "TTFT").p50, 95.0));
    QVERIFY(isNear(figure(Dialect::AiPerf, run, "Time to First Token").mean, 95.0));
    QVERIFY(isNear(figure(Dialect::GuideLlm, run, "TTFT").p99, 95.0));
    QVERIFY(!figure(Dialect::Vllm, run, "TTFT").note.isEmpty());
}

void TstDialect::paceMeansAnotherThingInEach() {
    const RunData run = threeRequests();
    const DialectFigure tpot = figure(Dialect::Vllm, run, "TPOT (excl. 1st token)");
    QVERIFY(isNear(tpot.mean, 20.0));
    QCOMPARE(tpot.n, std::int64_t(1)); // an answer of one token has none
    QVERIFY(isNear(figure(Dialect::AiPerf, run, "Inter Token Latency").p50, 20.0));
    QVERIFY(isNear(figure(Dialect::AiPerf, run, "Time to Second Token").p50, 20.0));
    QCOMPARE(figure(Dialect::Vllm, run, "ITL").n, std::int64_t(10)); // gaps, pooled
    QVERIFY(isNear(figure(Dialect::GuideLlm, run, "ITL").p50, 20.0));
    // 295 ms for 11 tokens and 95 ms for one.
    QVERIFY(isNear(figure(Dialect::GuideLlm, run, "TPOT").mean, (295.0 / 11.0 + 95.0) / 2.0));
    QVERIFY(isNear(figure(Dialect::AiPerf, run, "Output Token Throughput Per User").mean, 50.0));
    QVERIFY(isNear(figure(Dialect::GuideLlm, run, "Request Latency").mean, 0.195));
}

void TstDialect::ratesAreOfTheTimeBetweenFirstAndLast() {
    const RunData run = threeRequests();
    const double seconds = 1.1 - 0.005; // first arrival to last token
    QVERIFY(isNear(figure(Dialect::Vllm, run, "Benchmark duration").value, seconds));
    QVERIFY(isNear(figure(Dialect::Vllm, run, "Output token throughput").value, 12.0 / seconds));
    QVERIFY(isNear(figure(Dialect::Vllm, run, "Total token throughput").value, 92.0 / seconds));
    QVERIFY(isNear(figure(Dialect::AiPerf, run, "Request Throughput").value, 2.0 / seconds));
    QVERIFY(isNear(figure(Dialect::GuideLlm, run, "Concurrency").value, 0.39 / seconds));
    QVERIFY(isNear(figure(Dialect::Vllm, run, "Request goodput").value, 2.0 / seconds));
}

void TstDialect::failedRequestsHaveNoLatency() {
    const RunData run = threeRequests();
    QVERIFY(isNear(figure(Dialect::Vllm, run, "Successful requests").value, 2.0));
    QVERIFY(isNear(figure(Dialect::GuideLlm, run, "Incomplete or errored requests").value, 1.0));
    QCOMPARE(figure(Dialect::AiPerf, run, "Request Latency").n, std::int64_t(2));
}

void TstDialect::anEmptyRunHasNoFigures() {
    for (std::size_t i = 0; i < kDialects; ++i) {
        for (const DialectFigure& each : readAs(static_cast<Dialect>(i), RunData{})) {
            QVERIFY(!each.mean && !each.p50 && !each.p99);
            QVERIFY(!each.value || *each.value == 0.0);
        }
    }
}

QTEST_GUILESS_MAIN(TstDialect)
#include "tst_dialect.moc"
