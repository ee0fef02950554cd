#include "engine/metrics.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <type_traits>
#include <vector>

using engine::Histogram;

class TstMetrics : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void quantilesAreWithinOnePercent_data();
    void quantilesAreWithinOnePercent();
    void smallCountsAreExact();
    void emptyHistogramHasNoQuantile();
    void valuesBelowOneCountAsZero();
    void valuesAboveTheRangeCountAsItsEnd();
    void sumOfHistogramsIsHistogramOfAll();
    void differenceIsTheWindowBetween();
    void metricKeysAreUniqueAndRead();
};

namespace {

double nearestRank(std::vector<std::int64_t> values, double q) {
    std::ranges::sort(values);
    const double wanted = std::ceil(q * static_cast<double>(values.size()));
    const auto rank = static_cast<std::size_t>(std::max(1.0, wanted));
    return static_cast<double>(values[rank - 1]);
}

constexpr std::array kQuantiles = {0.0, 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0};

} // namespace

void TstMetrics::quantilesAreWithinOnePercent_data() {
    QTest::addColumn<double>("lowestLog2");
    QTest::addColumn<double>("highestLog2");
    QTest::addColumn<int>("count");
    QTest::newRow("counts") << 0.0 << 8.0 << 1000;
    QTest::newRow("microseconds") << 10.0 << 20.0 << 500;
    QTest::newRow("milliseconds") << 20.0 << 30.0 << 3000;
    QTest::newRow("whole range") << 0.0 << 45.9 << 20000;
    QTest::newRow("one value") << 22.0 << 33.0 << 1;
}

void TstMetrics::quantilesAreWithinOnePercent() {
    QFETCH(double, lowestLog2);
    QFETCH(double, highestLog2);
    QFETCH(int, count);
    const auto seed = std::random_device{}();
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> exponent(lowestLog2, highestLog2);
    Histogram histogram;
    std::vector<std::int64_t> values;
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        values.push_back(static_cast<std::int64_t>(std::exp2(exponent(random))));
        histogram.add(values.back());
        sum += static_cast<double>(values.back());
    }
    QCOMPARE(histogram.count(), static_cast<std::uint64_t>(count));
    QVERIFY(std::abs(histogram.sum() - sum) <= 1e-9 * sum);
    double previous = 0.0;
    for (const double q : kQuantiles) {
        const double got = histogram.quantile(q).value();
        const double exact = nearestRank(values, q);
        QVERIFY2(std::abs(got - exact) <= 0.01 * exact,
                 qPrintable(QStringLiteral("seed %1, q %2: %3 against %4")
                                .arg(seed)
                                .arg(q)
                                .arg(got, 0, 'g', 12)
                                .arg(exact, 0, 'g', 12)));
        QVERIFY(got >= previous);
        previous = got;
    }
}

void TstMetrics::smallCountsAreExact() {
    for (std::int64_t value = 0; value < Histogram::kSubBuckets * 2; ++value) {
        Histogram histogram;
        histogram.add(value);
        QCOMPARE(histogram.quantile(0.5).value(), static_cast<double>(value));
    }
}

void TstMetrics::emptyHistogramHasNoQuantile() {
    QVERIFY(!Histogram{}.quantile(0.5).has_value());
    Histogram histogram;
    histogram.add(5);
    const Histogram before = histogram;
    histogram -= before;
    QCOMPARE(histogram.count(), std::uint64_t{0});
    QVERIFY(!histogram.quantile(0.5).has_value());
}

void TstMetrics::valuesBelowOneCountAsZero() {
    Histogram histogram;
    histogram.add(-5);
    histogram.add(0);
    histogram.add(std::numeric_limits<std::int64_t>::min());
    QCOMPARE(histogram.count(), std::uint64_t{3});
    QCOMPARE(histogram.sum(), 0.0);
    QCOMPARE(histogram.quantile(1.0).value(), 0.0);
}

void TstMetrics::valuesAboveTheRangeCountAsItsEnd() {
    Histogram histogram;
    histogram.add(std::numeric_limits<std::int64_t>::max());
    const double end = std::exp2(46);
    QVERIFY(histogram.quantile(0.5).value() > 0.98 * end);
    QVERIFY(histogram.quantile(0.5).value() <= end);
}

void TstMetrics::sumOfHistogramsIsHistogramOfAll() {
    std::mt19937_64 random(11);
    std::uniform_int_distribution<std::int64_t> value(0, 1'000'000'000);
    Histogram left, right, all;
    for (int i = 0; i < 4000; ++i) {
        const std::int64_t drawn = value(random);
        (i % 3 == 0 ? left : right).add(drawn);
        all.add(drawn);
    }
    left += right;
    QCOMPARE(left.count(), all.count());
    for (const double q : kQuantiles) {
        QCOMPARE(left.quantile(q).value(), all.quantile(q).value());
    }
}

void TstMetrics::differenceIsTheWindowBetween() {
    std::mt19937_64 random(12);
    std::uniform_int_distribution<std::int64_t> value(0, 1'000'000'000);
    Histogram running, window;
    for (int i = 0; i < 1000; ++i) {
        running.add(value(random));
    }
    const Histogram earlier = running;
    for (int i = 0; i < 500; ++i) {
        const std::int64_t drawn = value(random);
        running.add(drawn);
        window.add(drawn);
    }
    running -= earlier;
    QCOMPARE(running.count(), window.count());
    for (const double q : kQuantiles) {
        QCOMPARE(running.quantile(q).value(), window.quantile(q).value());
    }
}

void TstMetrics::metricKeysAreUniqueAndRead() {
    static_assert(std::is_trivially_copyable_v<engine::Snapshot>);
    static_assert(std::is_trivially_copyable_v<Histogram>);
    engine::Snapshot snapshot;
    snapshot.running = 3;
    snapshot.outputTokens = 17;
    std::set<std::string_view> keys, labels;
    for (const engine::Metric& metric : engine::metricTable()) {
        QVERIFY2(keys.insert(metric.key).second, metric.key.data());
        QVERIFY2(labels.insert(metric.label).second, metric.label.data());
        QVERIFY(metric.get != nullptr);
        const double expected = metric.key == "running"         ? 3.0
                                : metric.key == "output_tokens" ? 17.0
                                                                : 0.0;
        QCOMPARE(metric.get(snapshot), expected);
    }
    QVERIFY(keys.contains("running") && keys.contains("output_tokens"));
    QCOMPARE(engine::name(engine::EngineState::NoModel), std::string_view("no model"));
}

QTEST_APPLESS_MAIN(TstMetrics)
#include "tst_metrics.moc"
