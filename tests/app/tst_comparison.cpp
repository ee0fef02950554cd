#include "app/compare/comparison.h"
#include "app/store/summary.h"
#include "tests/support/scripted_run.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using app::Comparison;
using app::RunData;
using app::Verdict;

namespace {

const app::ComparisonRow& row(const Comparison& comparison, std::string_view metric) {
    const auto found = std::ranges::find(comparison.rows, metric, &app::ComparisonRow::metric);
    if (found == comparison.rows.end()) {
        qFatal("no such row");
    }
    return *found;
}

bool hasCaution(const Comparison& comparison, std::string_view kind) {
    return std::ranges::find(comparison.cautions, kind) != comparison.cautions.end();
}

} // namespace

class TstComparison : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void everyMeasureIsARowInOrder();
    void fewerSlotsAreWorseInTheRightDirection();
    void runAgainstItselfIsNeitherBetterNorWorse();
    void intervalHoldsTheDifference();
    void shortRunsAreNotResolved();
    void emptyRunsHaveNothingToJudge();
    void sameRequestListNarrowsRates();
    void goodputIsCountedWithinOneTarget();
    void differingSettingsAreListedOthersCounted();
    void eachCautionHasItsCause();
    void verdictFollowsIntervalDirectionAndMargin_data();
    void verdictFollowsIntervalDirectionAndMargin();
    void largeRunsAreComparedInASecond();

private:
    RunData load(const tests::ScriptedRun& script);
    QTemporaryDir m_folder;
    std::unique_ptr<app::RunStore> m_store;
    RunData m_slow, m_fast;
};

RunData TstComparison::load(const tests::ScriptedRun& script) {
    return *m_store->load(tests::writeScriptedRun(*m_store, script));
}

void TstComparison::initTestCase() {
    m_store = std::move(*app::RunStore::open(
        m_folder.filePath(QStringLiteral("runs.db")).toStdString(), app::StoreMode::Write));
    m_slow = load({.seed = 5, .phases = {{.seconds = 60, .ratePerSecond = 7, .maxBatch = 2}}});
    m_fast = load({.seed = 5, .phases = {{.seconds = 60, .ratePerSecond = 7, .maxBatch = 16}}});
}

void TstComparison::everyMeasureIsARowInOrder() {
    const Comparison comparison = app::compareRuns(m_slow, m_fast);
    QCOMPARE(comparison.rows.size(), app::measures().size());
    for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
        QCOMPARE(comparison.rows[i].metric, std::string(app::measures()[i].key));
        QVERIFY(app::findMeasure(comparison.rows[i].metric) == &app::measures()[i]);
        QVERIFY(comparison.rows[i].a && comparison.rows[i].b && comparison.rows[i].difference);
    }
    QVERIFY(app::findMeasure("nothing") == nullptr);
    QCOMPARE(*row(comparison, "ttft_p50_ms").a, *m_slow.summary.ttftMs.p50);
    QCOMPARE(*row(comparison, "itl_p99_ms").b, *m_fast.summary.itlMs.p99);
    QCOMPARE(*row(comparison, "goodput_per_s").b, *m_fast.summary.goodputPerSecond);
}

void TstComparison::fewerSlotsAreWorseInTheRightDirection() {
    const Comparison better = app::compareRuns(m_slow, m_fast);
    const Comparison worse = app::compareRuns(m_fast, m_slow);
    for (const char* metric : {"ttft_p50_ms", "ttft_p90_ms", "e2e_p50_ms"}) {
        QCOMPARE(row(better, metric).verdict, Verdict::Better);
        QVERIFY(*row(better, metric).difference < 0);
        QVERIFY(row(better, metric).interval->high < 0);
        QCOMPARE(row(worse, metric).verdict, Verdict::Worse);
    }
    QCOMPARE(row(better, "goodput_per_s").verdict, Verdict::Better);
    QVERIFY(*row(better, "goodput_per_s").difference > 0);
    QCOMPARE(row(worse, "goodput_per_s").verdict, Verdict::Worse);
    QCOMPARE(row(better, "kv_peak_percent").verdict, Verdict::None); // one value: no interval
    QVERIFY(!row(better, "kv_peak_percent").interval.has_value());
}

void TstComparison::runAgainstItselfIsNeitherBetterNorWorse() {
    for (const app::ComparisonRow& same : app::compareRuns(m_fast, m_fast).rows) {
        QVERIFY2(same.verdict != Verdict::Better && same.verdict != Verdict::Worse,
                 same.metric.c_str());
        QCOMPARE(*same.difference, 0.0);
    }
    QCOMPARE(row(app::compareRuns(m_fast, m_fast), "achieved_rate").verdict, Verdict::Same);
}

void TstComparison::intervalHoldsTheDifference() {
    const Comparison comparison = app::compareRuns(m_slow, m_fast);
    int intervals = 0;
    for (const app::ComparisonRow& r : comparison.rows) {
        if (r.interval) {
            ++intervals;
            const double width = r.interval->high - r.interval->low;
            QVERIFY2(r.interval->low <= *r.difference + 0.1 * width &&
                         *r.difference - 0.1 * width <= r.interval->high,
                     r.metric.c_str());
        }
    }
    QVERIFY(intervals >= 14);
    const Comparison again = app::compareRuns(m_slow, m_fast);
    QCOMPARE(row(again, "ttft_p99_ms").interval->low, row(comparison, "ttft_p99_ms").interval->low);
}

void TstComparison::shortRunsAreNotResolved() {
    const RunData shortRun = load({.phases = {{.seconds = 8, .ratePerSecond = 7}}});
    QVERIFY(shortRun.summary.ttftMs.n < 299 && shortRun.summary.ttftMs.n > 6);
    const Comparison comparison = app::compareRuns(m_slow, shortRun);
    QCOMPARE(row(comparison, "ttft_p99_ms").verdict, Verdict::NotResolved);
    QVERIFY(!row(comparison, "ttft_p99_ms").interval.has_value());
    QVERIFY(row(comparison, "ttft_p99_ms").nB < app::findMeasure("ttft_p99_ms")->leastCount());
    QVERIFY(row(comparison, "ttft_p50_ms").interval.has_value());
    QVERIFY(!row(comparison, "output_tokens_per_s").interval.has_value()); // 8 seconds
}

void TstComparison::emptyRunsHaveNothingToJudge() {
    const Comparison comparison = app::compareRuns(RunData{}, RunData{});
    QCOMPARE(comparison.rows.size(), app::measures().size());
    for (const app::ComparisonRow& empty : comparison.rows) {
        QCOMPARE(empty.verdict, Verdict::None);
        QVERIFY(!empty.a && !empty.difference && !empty.interval);
    }
}

void TstComparison::sameRequestListNarrowsRates() {
    RunData other = m_fast;
    other.summary.run.requestDigest = "xxh3:another";
    const auto paired = row(app::compareRuns(m_slow, m_fast), "achieved_rate").interval;
    const auto unpaired = row(app::compareRuns(m_slow, other), "achieved_rate").interval;
    QVERIFY(paired->high - paired->low < 0.5 * (unpaired->high - unpaired->low));
}

// The same requests, judged by two targets: what differs is the target, and that is no result.
void TstComparison::goodputIsCountedWithinOneTarget() {
    RunData strict = m_fast, easy = m_fast;
    strict.summary.run.sloTtftMs = *m_fast.summary.ttftMs.p50;
    easy.summary.run.sloTtftMs = app::kNoLimitMs;
    for (RunData* run : {&strict, &easy}) {
        app::SummaryBuilder builder(run->summary.run);
        for (const app::StoredRequest& request : run->requests) {
            builder.add(request.record);
        }
        run->summary = builder.finish(run->settings);
    }
    QVERIFY(*easy.summary.goodputPerSecond > 1.5 * *strict.summary.goodputPerSecond);
    for (const auto& [a, b] : {std::pair(&strict, &easy), std::pair(&easy, &strict)}) {
        const Comparison comparison = app::compareRuns(*a, *b);
        const app::ComparisonRow& goodput = row(comparison, "goodput_per_s");
        QCOMPARE(*goodput.a, *a->summary.goodputPerSecond);
        QVERIFY(std::abs(*goodput.difference) < 1e-9);
        QVERIFY(goodput.verdict == Verdict::Same);
        QVERIFY(hasCaution(comparison, "limits_differ"));
    }
    QVERIFY(!hasCaution(app::compareRuns(strict, strict), "limits_differ"));
}

void TstComparison::differingSettingsAreListedOthersCounted() {
    const Comparison comparison = app::compareRuns(m_slow, m_fast);
    QCOMPARE(comparison.settings.size(), std::size_t{1});
    QCOMPARE(comparison.settings[0].field, std::string("batching.max_batch"));
    QCOMPARE(comparison.settings[0].requestedA, std::string("2"));
    QCOMPARE(comparison.settings[0].effectiveB, std::string("16"));
    QCOMPARE(comparison.equalSettings, static_cast<std::int64_t>(engine::fieldTable().size()) - 1);
}

void TstComparison::eachCautionHasItsCause() {
    const Comparison plain = app::compareRuns(m_slow, m_fast);
    QCOMPARE(plain.cautions, std::vector<std::string>{"sequential"});
    const auto with = [this](auto change) {
        RunData other = m_fast;
        change(other.summary.run);
        return app::compareRuns(m_slow, other);
    };
    using Run = app::RunInfo;
    QVERIFY(hasCaution(with([](Run& run) { run.requestDigest = "x"; }), "request_list_differs"));
    QVERIFY(hasCaution(with([](Run& run) { run.requestDigest = ""; }), "request_list_differs"));
    QVERIFY(hasCaution(with([](Run& run) { run.machineJson = R"({"cpu":"other"})"; }),
                       "machine_differs"));
    QVERIFY(hasCaution(with([](Run& run) { run.machineJson = "not json"; }), "machine_differs"));
    QVERIFY(hasCaution(with([](Run& run) { run.modelDigest = "x"; }), "model_differs"));
    QVERIFY(hasCaution(with([](Run& run) { run.seconds *= 1.2; }), "length_differs"));
    QVERIFY(!hasCaution(with([](Run& run) { run.seconds *= 1.02; }), "length_differs"));
    QVERIFY(
        hasCaution(with([](Run& run) { run.state = app::RunState::Interrupted; }), "interrupted"));
    QVERIFY(hasCaution(with([](Run& run) { run.isIncomplete = true; }), "incomplete"));
    for (const double share : {0.02, 0.005}) {
        RunData hits = m_fast;
        hits.summary.hitShare = share;
        const Comparison comparison = app::compareRuns(m_slow, hits);
        QCOMPARE(hasCaution(comparison, "prefix_hits"), share >= 0.01);
        QCOMPARE(row(comparison, "prefix_hit_percent").b.value_or(-1), 100 * share);
    }
}

void TstComparison::verdictFollowsIntervalDirectionAndMargin_data() {
    QTest::addColumn<bool>("higherIsBetter");
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::addColumn<int>("verdict");
    const auto add = [](const char* name, bool higher, double low, double high, Verdict verdict) {
        QTest::newRow(name) << higher << low << high << static_cast<int>(verdict);
    };
    add("lower is better, all below", false, -20, -5, Verdict::Better);
    add("lower is better, all above", false, 5, 20, Verdict::Worse);
    add("higher is better, all above", true, 5, 20, Verdict::Better);
    add("higher is better, all below", true, -20, -5, Verdict::Worse);
    add("holds zero", true, -3, 8, Verdict::NotResolved);
    add("touches zero", false, 0, 8, Verdict::NotResolved);
    add("within one percent", false, -0.8, 0.9, Verdict::Same);
    add("significant and tiny", false, 0.2, 0.9, Verdict::Same);
    add("just beyond one percent", false, 0.2, 1.1, Verdict::Worse);
}

void TstComparison::verdictFollowsIntervalDirectionAndMargin() {
    QFETCH(bool, higherIsBetter);
    QFETCH(double, low);
    QFETCH(double, high);
    QFETCH(int, verdict);
    const app::Measure measure{.key = "x",
                               .label = "x",
                               .unit = "",
                               .better = higherIsBetter ? app::Better::Higher : app::Better::Lower};
    QCOMPARE(static_cast<int>(app::judge(measure, 100.0, app::Interval{low, high})), verdict);
    QCOMPARE(app::judge(measure, 100.0, std::nullopt), Verdict::NotResolved);
}

void TstComparison::largeRunsAreComparedInASecond() {
    const RunData large =
        load({.seed = 8, .phases = {{.seconds = 600, .ratePerSecond = 12, .maxBatch = 8}}});
    QVERIFY(large.summary.requests > 6000);
    QElapsedTimer timer;
    timer.start();
    app::compareRuns(large, large);
    qInfo("two runs of %lld requests and %lld gaps compared in %lld ms",
          static_cast<long long>(large.summary.requests),
          static_cast<long long>(large.summary.itlMs.n), static_cast<long long>(timer.elapsed()));
    QVERIFY(timer.elapsed() < 10'000); // a tenth of that on an idle machine
}

QTEST_GUILESS_MAIN(TstComparison)
#include "tst_comparison.moc"
