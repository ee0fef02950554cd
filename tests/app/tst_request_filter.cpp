#include "app/observe/request_csv.h"
#include "app/observe/request_filter.h"

#include <QTest>

#include <numeric>
#include <random>

using namespace std::chrono_literals;

namespace {

engine::TimePoint at(double milliseconds) {
    return engine::TimePoint{} +
           std::chrono::nanoseconds(static_cast<std::int64_t>(milliseconds * 1e6));
}

// Due at 1 s, received 0.2 ms later, first text after `ttftMs`, five tokens 5 ms apart.
engine::RequestRecord finished(std::uint64_t id, double ttftMs) {
    engine::RequestRecord record;
    record.id = engine::RequestId{id};
    record.label = "english";
    record.reason = engine::FinishReason::Length;
    record.promptTokens = 123;
    record.outputTokens = 5;
    record.stamps.scheduled = at(1000);
    record.stamps.received = at(1000.2);
    record.stamps.admitted = at(1002);
    record.stamps.firstVisible = at(1000 + ttftMs);
    record.stamps.lastToken = at(1000 + ttftMs + 20);
    record.stamps.finished = record.stamps.lastToken;
    record.ledgerNs.emplace();
    record.ledgerNs->fill(0);
    (*record.ledgerNs)[static_cast<std::size_t>(engine::Stage::Lag)] = 200'000;
    (*record.ledgerNs)[static_cast<std::size_t>(engine::Stage::Queue)] =
        static_cast<std::int64_t>((ttftMs - 0.2) * 1e6);
    return record;
}

app::RequestRow row(const engine::RequestRecord& record) {
    return app::requestRow(record, engine::TimePoint{});
}

bool matches(const app::RequestRow& row, const char* text) {
    const auto filter = app::RequestFilter::parse(text);
    if (!filter) {
        throw std::runtime_error(filter.error().message);
    }
    return filter->matches(row);
}

} // namespace

class TstRequestFilter : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rowKeepsAbsentAbsent();
    void matchesAsWritten_data();
    void matchesAsWritten();
    void refusesWithTheTermNamed_data();
    void refusesWithTheTermNamed();
    void absentNumbersSatisfyNoComparison();
    void shownStagesAddUpToTheShownTotal();
    void roundedPartsKeepTheTotalForAnyInput();
    void scaleIgnoresTheSlowestFew();
    void csvQuotesAndLeavesAbsentEmpty();
    void countsSumToTotal();
};

void TstRequestFilter::rowKeepsAbsentAbsent() {
    engine::RequestRecord record;
    record.reason = engine::FinishReason::TooLong;
    record.stamps.received = at(5);
    record.stamps.finished = at(6);
    const app::RequestRow refused = row(record);
    QCOMPARE(refused.outcome, engine::Outcome::Rejected);
    QVERIFY(!refused.ttftMs && !refused.tpotMs && !refused.ledgerMs);
    QCOMPARE(*refused.dueSeconds, 0.005);
    QVERIFY(!app::isLatencySample(refused));
    const app::RequestRow good = row(finished(1, 50));
    QVERIFY(app::isLatencySample(good));
    QCOMPARE(*good.ttftMs, 50.0);
    QVERIFY(qAbs(*good.ttftFromReceivedMs - 49.8) < 1e-6);
    QVERIFY(qAbs(*good.ttftFromAdmittedMs - 48.0) < 1e-6);
    QCOMPARE(*good.tpotMs, 5.0);
}

void TstRequestFilter::matchesAsWritten_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("cold");
    QTest::addColumn<bool>("warm");
    const auto add = [](const char* text, bool cold, bool warm) {
        QTest::newRow(text) << QByteArray(text) << cold << warm;
    };
    // cold: TTFT 150 ms, batch lane, cancelled, tags cold and preempted. warm: 50 ms, realtime.
    add("", true, true);
    add("   ", true, true);
    add("tag:cold", true, false);
    add("TAG:Cold", true, false);
    add("tag:warm", false, true);
    add("tag:warm,preempted", true, true);
    add("-tag:cold", false, true);
    add("ttft>100", true, false);
    add("ttft>100ms", true, false);
    add("ttft<0.1s", false, true);
    add("ttft>=50 ttft<=50", false, true);
    add("lane:batch", true, false);
    add("outcome:failed,cancelled", true, false);
    add("outcome:completed lane:batch", false, false);
    add("reason:length", false, true);
    add("queue>100", true, false);
    add("lag:0.2", true, true);
    add("prompt=123", true, true);
    add("output>=6", false, false);
    add("label:\"long prompts\"", true, false);
    add("long", true, false);
    add("\"long prompts\"", true, false);
    add("eng", false, true);
    add("-eng", true, false);
    add("id>1", true, false);
}

void TstRequestFilter::matchesAsWritten() {
    QFETCH(QByteArray, text);
    QFETCH(bool, cold);
    QFETCH(bool, warm);
    engine::RequestRecord record = finished(2, 150);
    record.tags = static_cast<std::uint32_t>(engine::SampleTag::Cold) |
                  static_cast<std::uint32_t>(engine::SampleTag::Preempted);
    record.lane = engine::Lane::Batch;
    record.reason = engine::FinishReason::Cancelled;
    record.label = "long prompts";
    QCOMPARE(matches(row(record), text), cold);
    QCOMPARE(matches(row(finished(1, 50)), text), warm);
}

void TstRequestFilter::refusesWithTheTermNamed_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("named");
    QTest::newRow("unknown key") << QByteArray("colour:red") << QByteArray("colour");
    QTest::newRow("no value") << QByteArray("ttft>") << QByteArray("ttft>");
    QTest::newRow("no number") << QByteArray("ttft>soon") << QByteArray("soon");
    QTest::newRow("not finite") << QByteArray("ttft>inf") << QByteArray("inf");
    QTest::newRow("text compared") << QByteArray("lane>batch") << QByteArray("lane");
    QTest::newRow("operator alone") << QByteArray(">5") << QByteArray("");
}

void TstRequestFilter::refusesWithTheTermNamed() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, named);
    const auto filter = app::RequestFilter::parse(text.toStdString());
    QVERIFY(!filter);
    QCOMPARE(filter.error().code, engine::ErrorCode::Invalid);
    QVERIFY2(filter.error().message.find(named.toStdString()) != std::string::npos,
             filter.error().message.c_str());
}

void TstRequestFilter::absentNumbersSatisfyNoComparison() {
    engine::RequestRecord record;
    record.reason = engine::FinishReason::Rejected;
    for (const char* text : {"ttft>0", "ttft<1e9", "ttft:0", "queue>=0", "tpot<=5", "due>0"}) {
        QVERIFY2(!matches(row(record), text), text);
    }
    QVERIFY(matches(row(record), "-ttft>0"));
}

void TstRequestFilter::shownStagesAddUpToTheShownTotal() {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> length(0.0, 40.0);
    for (int round = 0; round < 500; ++round) {
        engine::RequestRecord record = finished(1, 50);
        for (std::int64_t& ns : *record.ledgerNs) {
            ns = static_cast<std::int64_t>(length(random) * 1e6);
        }
        const auto view = app::ledgerView(row(record));
        QVERIFY(view);
        double sum = 0.0, end = 0.0;
        for (const app::LedgerBar& bar : view->bars) {
            QCOMPARE(bar.beginMs, end);
            end = bar.beginMs + bar.lengthMs;
            sum += bar.shownMs;
            QVERIFY(qAbs(bar.shownMs - bar.lengthMs) <= 0.1 + 1e-9);
        }
        QVERIFY(qAbs(sum - view->shownTotalMs) < 1e-9);
        QVERIFY(qAbs(view->shownTotalMs - std::round(view->totalMs * 10) / 10) < 1e-6);
    }
    engine::RequestRecord none;
    QVERIFY(!app::ledgerView(row(none)));
}

void TstRequestFilter::roundedPartsKeepTheTotalForAnyInput() {
    QVERIFY(app::roundedParts({}, 1).empty());
    QCOMPARE(app::roundedParts({0.0, 0.0}, 1), (std::vector<double>{0.0, 0.0}));
    const auto thirds = app::roundedParts({1.0 / 3, 1.0 / 3, 1.0 / 3}, 1);
    QVERIFY(qAbs(std::accumulate(thirds.begin(), thirds.end(), 0.0) - 1.0) < 1e-9);
}

void TstRequestFilter::scaleIgnoresTheSlowestFew() {
    std::vector<double> times(100, 40.0);
    times.back() = 9000.0;
    QVERIFY(app::ledgerScaleMs(times) >= 40.0);
    QVERIFY(app::ledgerScaleMs(times) <= 100.0);
    QVERIFY(app::ledgerScaleMs({}) > 0.0);
}

void TstRequestFilter::csvQuotesAndLeavesAbsentEmpty() {
    engine::RequestRecord record;
    record.id = engine::RequestId{9};
    record.reason = engine::FinishReason::TooLong;
    record.label = "a \"b\", c";
    record.message = "two\nlines";
    const std::string text = app::requestCsv(std::vector{row(record), row(finished(1, 50))});
    const std::string header = text.substr(0, text.find("\r\n"));
    const auto commas = std::ranges::count(header, ',');
    QVERIFY(text.find("\"a \"\"b\"\", c\"") != std::string::npos);
    QVERIFY(text.find("\"two\nlines\"") != std::string::npos);
    QVERIFY(text.find("nan") == std::string::npos);
    const std::string last = text.substr(text.rfind("\r\n", text.size() - 3) + 2);
    QCOMPARE(std::ranges::count(last, ','), commas);
    QVERIFY(last.find(",50.000,") != std::string::npos);
}

void TstRequestFilter::countsSumToTotal() {
    app::OutcomeCounts counts;
    for (const auto outcome : {engine::Outcome::Completed, engine::Outcome::Completed,
                               engine::Outcome::Rejected, engine::Outcome::Failed}) {
        counts.add(outcome);
    }
    QCOMPARE(counts.total(), 4);
    QCOMPARE(counts.of(engine::Outcome::Completed), 2);
    QCOMPARE(counts.of(engine::Outcome::Cancelled), 0);
}

QTEST_GUILESS_MAIN(TstRequestFilter)
#include "tst_request_filter.moc"
