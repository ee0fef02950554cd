#include "app/compare/statistics.h"
#include "app/observe/history.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using app::Interval;

namespace {

std::vector<double> counted(int n) { // 1, 2, ... n
    std::vector<double> values(static_cast<std::size_t>(n));
    std::iota(values.begin(), values.end(), 1.0);
    return values;
}

std::vector<double> exponential(std::mt19937_64& random, int n, double scale = 1) {
    std::exponential_distribution<double> draw(1 / scale);
    std::vector<double> values;
    for (int i = 0; i < n; ++i) {
        values.push_back(draw(random));
    }
    std::ranges::sort(values);
    return values;
}

bool holds(const std::optional<Interval>& interval, double truth) {
    return interval && interval->low <= truth && truth <= interval->high;
}

double median(std::span<const double> sorted) {
    return *app::quantile(sorted, 0.5);
}

// Share of all ways to choose which values are a's whose rank sum is as far from its mean.
double exactMannWhitney(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> all = a;
    all.insert(all.end(), b.begin(), b.end());
    std::ranges::sort(all);
    const auto rankSum = [&](const std::vector<double>& values) {
        double sum = 0;
        for (const double value : values) {
            sum += static_cast<double>(std::ranges::lower_bound(all, value) - all.begin()) + 1;
        }
        return sum;
    };
    const double mean = static_cast<double>(a.size() * (all.size() + 1)) / 2;
    const double seen = std::abs(rankSum(a) - mean);
    std::vector<bool> mask(all.size(), false);
    std::fill(mask.end() - static_cast<std::ptrdiff_t>(a.size()), mask.end(), true);
    double extreme = 0, total = 0;
    do {
        double sum = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            sum += mask[i] ? static_cast<double>(i) + 1 : 0;
        }
        extreme += std::abs(sum - mean) >= seen - 1e-9 ? 1 : 0;
        total += 1;
    } while (std::next_permutation(mask.begin(), mask.end()));
    return extreme / total;
}

} // namespace

class TstStatistics : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void quantileIsLinearBetweenOrderStatistics();
    void quantileIntervalOfKnownSizes_data();
    void quantileIntervalOfKnownSizes();
    void quantileIntervalNeedsTheLeastCount_data();
    void quantileIntervalNeedsTheLeastCount();
    void quantileIntervalCovers_data();
    void quantileIntervalCovers();
    void studentQuantilesAreThoseOfTheTables();
    void pairedIntervalIsThatOfTheTextbook();
    void pairedTestIsThatOfSciPy();
    void pairedIntervalCovers();
    void bootstrapIsDeterministicAndFollowsAShift();
    void bootstrapCoversTheDifferenceOfMedians();
    void quantileBootstrapAgreesWithTheGeneralOne_data();
    void quantileBootstrapAgreesWithTheGeneralOne();
    void quantileBootstrapIsEmptyForShortSamples();
    void clustersOfOneAreSimpleValues();
    void clustersOfAlikeValuesWidenTheInterval();
    void blockBootstrapCoversTheMeanOfARelatedSeries();
    void mannWhitneyIsNearTheExactTest();
    void mannWhitneyWithTies();
    void mannWhitneyIsUniformWithoutADifference();
    void holmOfAKnownFamily();
};

void TstStatistics::quantileIsLinearBetweenOrderStatistics() {
    QVERIFY(!app::quantile({}, 0.5));
    const std::vector<double> one = {7};
    QCOMPARE(*app::quantile(one, 0.99), 7.0);
    const std::vector<double> values = counted(10);
    QCOMPARE(*app::quantile(values, 0.0), 1.0);
    QCOMPARE(*app::quantile(values, 0.5), 5.5);
    QCOMPARE(*app::quantile(values, 0.9), 9.1); // R: quantile(1:10, .9)
    QCOMPARE(*app::quantile(values, 1.0), 10.0);
    const app::Quantiles same = app::quantiles(values);
    QCOMPARE(*same.p90, *app::quantile(values, 0.9)); // tiles and intervals tell one number
    QCOMPARE(*same.p99, *app::quantile(values, 0.99));
}

void TstStatistics::quantileIntervalOfKnownSizes_data() {
    QTest::addColumn<int>("n");
    QTest::addColumn<double>("q");
    QTest::addColumn<int>("low");
    QTest::addColumn<int>("high");
    // Medians: table A.7 of Conover, Practical Nonparametric Statistics.
    QTest::newRow("median of 6") << 6 << 0.5 << 1 << 6;
    QTest::newRow("median of 10") << 10 << 0.5 << 2 << 9;
    QTest::newRow("median of 25") << 25 << 0.5 << 8 << 18;
    QTest::newRow("median of 100") << 100 << 0.5 << 40 << 61;
    QTest::newRow("p99 of 299") << 299 << 0.99 << 1 << 299;
}

void TstStatistics::quantileIntervalOfKnownSizes() {
    QFETCH(int, n);
    QFETCH(double, q);
    QFETCH(int, low);
    QFETCH(int, high);
    const auto interval = app::quantileInterval(counted(n), q);
    QVERIFY(interval.has_value());
    QCOMPARE(interval->high, static_cast<double>(high));
    if (q == 0.5) {
        QCOMPARE(interval->low, static_cast<double>(low));
    } else {
        QVERIFY(interval->low >= low); // the upper end is the longest value, the lower one is free
    }
}

void TstStatistics::quantileIntervalNeedsTheLeastCount_data() {
    QTest::addColumn<double>("q");
    QTest::addColumn<int>("least");
    QTest::newRow("p50") << 0.5 << 6;
    QTest::newRow("p90") << 0.9 << 29;
    QTest::newRow("p95") << 0.95 << 59;
    QTest::newRow("p99") << 0.99 << 299;
    QTest::newRow("p99.9") << 0.999 << 2995;
}

void TstStatistics::quantileIntervalNeedsTheLeastCount() {
    QFETCH(double, q);
    QFETCH(int, least);
    QCOMPARE(app::leastCount(q), std::int64_t{least});
    QVERIFY(app::quantileInterval(counted(least), q).has_value());
    QVERIFY(!app::quantileInterval(counted(least - 1), q).has_value());
}

void TstStatistics::quantileIntervalCovers_data() {
    QTest::addColumn<double>("q");
    QTest::addColumn<int>("n");
    QTest::newRow("p50 of 40") << 0.5 << 40;
    QTest::newRow("p90 of 60") << 0.9 << 60;
    QTest::newRow("p99 of 299") << 0.99 << 299;
    QTest::newRow("p99 of 2000") << 0.99 << 2000;
}

void TstStatistics::quantileIntervalCovers() {
    QFETCH(double, q);
    QFETCH(int, n);
    std::mt19937_64 random(11);
    const double truth = -std::log1p(-q);
    int covered = 0;
    constexpr int kTrials = 1000;
    for (int i = 0; i < kTrials; ++i) {
        covered += holds(app::quantileInterval(exponential(random, n), q), truth) ? 1 : 0;
    }
    // By construction at least 95 %; 2.5 standard deviations of the simulation are 1.7 %.
    QVERIFY2(covered >= kTrials * 0.933, qPrintable(QString::number(covered)));
    QVERIFY2(covered <= kTrials * 0.995, qPrintable(QString::number(covered)));
}

void TstStatistics::studentQuantilesAreThoseOfTheTables() {
    const auto near = [](double got, double wanted) { return std::abs(got - wanted) < 2e-6; };
    QVERIFY(near(app::studentQuantile(0.975, 1), 12.7062047));
    QVERIFY(near(app::studentQuantile(0.975, 3), 3.1824463));
    QVERIFY(near(app::studentQuantile(0.975, 9), 2.2621572));
    QVERIFY(near(app::studentQuantile(0.995, 29), 2.7563859));
    QVERIFY(near(app::studentQuantile(0.975, 1000), 1.9623391));
    QVERIFY(near(app::studentQuantile(0.5, 7), 0));
    QVERIFY(near(app::studentQuantile(0.025, 3), -3.1824463));
}

void TstStatistics::pairedIntervalIsThatOfTheTextbook() {
    QVERIFY(!app::pairedInterval(std::vector<double>{1, 2, 3}));
    const auto interval = app::pairedInterval(std::vector<double>{1, 2, 3, 4, 5});
    // Mean 3, standard deviation sqrt(2.5), t(0.975, 4) = 2.7764451.
    QVERIFY(interval.has_value());
    QVERIFY(std::abs(interval->low - (3 - 2.7764451 * std::sqrt(2.5 / 5))) < 1e-6);
    QVERIFY(std::abs(interval->high - (3 + 2.7764451 * std::sqrt(2.5 / 5))) < 1e-6);
    const auto exact = app::pairedInterval(std::vector<double>{2, 2, 2, 2});
    QCOMPARE(exact->low, 2.0);
    QCOMPARE(exact->high, 2.0);
}

// Golden values of scipy.stats.ttest_1samp 1.x and its confidence_interval(0.95).
void TstStatistics::pairedTestIsThatOfSciPy() {
    struct Case {
        std::vector<double> differences;
        double p, low, high;
    };
    const std::vector<Case> cases = {
        {{1.2, 0.4, 2.1, 0.9}, 0.048560420341676375, 0.013639374156788842, 2.286360625843211},
        {{0.31, -0.12, 0.05, 0.22, -0.4, 0.11, 0.09, 0.5},
         0.3567826939084286,
         -0.13272939823411536,
         0.3227293982341154},
        {{-12.5, -9.75, -14.0, -10.125, -11.5, -13.25},
         1.272485623372288e-05,
         -13.642093393033942,
         -10.06623994029939},
        {{0.001, -0.002, 0.0015, -0.0005, 0.003},
         0.5225820763952053,
         -0.0017803058323038951,
         0.002980305832303895}};
    for (const Case& golden : cases) {
        const auto p = app::pairedP(golden.differences);
        const auto interval = app::pairedInterval(golden.differences);
        QVERIFY(p && interval);
        QVERIFY(std::abs(*p / golden.p - 1) < 1e-9);
        QVERIFY(std::abs(interval->low - golden.low) < 1e-9 * std::abs(golden.low));
        QVERIFY(std::abs(interval->high - golden.high) < 1e-9 * std::abs(golden.high));
    }
    QVERIFY(!app::pairedP(std::vector<double>{1, 2, 3}));
    QCOMPARE(app::pairedP(std::vector<double>{0, 0, 0, 0}), std::optional<double>(1.0));
    QCOMPARE(app::pairedP(std::vector<double>{2, 2, 2, 2}), std::optional<double>(0.0));
}

void TstStatistics::pairedIntervalCovers() {
    std::mt19937_64 random(5);
    std::normal_distribution<double> draw(3, 2);
    int covered = 0;
    for (int i = 0; i < 4000; ++i) {
        std::vector<double> differences(5);
        std::ranges::generate(differences, [&] { return draw(random); });
        covered += holds(app::pairedInterval(differences), 3) ? 1 : 0;
    }
    QVERIFY2(std::abs(covered / 4000.0 - 0.95) < 0.012, qPrintable(QString::number(covered)));
}

void TstStatistics::bootstrapIsDeterministicAndFollowsAShift() {
    std::mt19937_64 random(3);
    const std::vector<double> a = exponential(random, 200);
    std::vector<double> b = a;
    for (double& value : b) {
        value += 10;
    }
    const auto first = app::bootstrapDifference(a, b, median, 500, 9);
    const auto again = app::bootstrapDifference(a, b, median, 500, 9);
    const auto other = app::bootstrapDifference(a, b, median, 500, 10);
    QCOMPARE(first->low, again->low);
    QCOMPARE(first->high, again->high);
    QVERIFY(first->low != other->low || first->high != other->high);
    QVERIFY(first->low > 9.5 && first->high < 10.5 && first->low < 10 && first->high > 10);
    QVERIFY(!app::bootstrapDifference({}, b, median));
    const std::vector<double> one = {4}, two = {6};
    QCOMPARE(app::bootstrapDifference(one, two, median)->low, 2.0);
}

void TstStatistics::bootstrapCoversTheDifferenceOfMedians() {
    std::mt19937_64 random(17);
    int covered = 0;
    constexpr int kTrials = 400;
    for (int i = 0; i < kTrials; ++i) {
        const auto a = exponential(random, 150), b = exponential(random, 150, 2);
        covered += holds(app::bootstrapQuantileDifference(a, b, 0.5, 500), std::log(2)) ? 1 : 0;
    }
    QVERIFY2(covered >= kTrials * 0.92 && covered <= kTrials * 0.985,
             qPrintable(QString::number(covered)));
}

void TstStatistics::quantileBootstrapAgreesWithTheGeneralOne_data() {
    QTest::addColumn<double>("q");
    QTest::newRow("p50") << 0.5;
    QTest::newRow("p90") << 0.9;
    QTest::newRow("p99") << 0.99;
}

void TstStatistics::quantileBootstrapAgreesWithTheGeneralOne() {
    QFETCH(double, q);
    std::mt19937_64 random(23);
    const auto a = exponential(random, 700), b = exponential(random, 500, 1.5);
    const auto general = app::bootstrapDifference(
        a, b, [q](std::span<const double> sorted) { return *app::quantile(sorted, q); }, 4000, 1);
    const auto fast = app::bootstrapQuantileDifference(a, b, q, 4000, 2);
    const double width = general->high - general->low;
    QVERIFY2(std::abs(fast->low - general->low) < 0.1 * width &&
                 std::abs(fast->high - general->high) < 0.1 * width,
             qPrintable(QStringLiteral("[%1, %2] against [%3, %4]")
                            .arg(fast->low)
                            .arg(fast->high)
                            .arg(general->low)
                            .arg(general->high)));
}

void TstStatistics::quantileBootstrapIsEmptyForShortSamples() {
    QVERIFY(!app::bootstrapQuantileDifference(counted(298), counted(1000), 0.99));
    QVERIFY(!app::bootstrapQuantileDifference(counted(1000), counted(298), 0.99));
    QVERIFY(app::bootstrapQuantileDifference(counted(299), counted(299), 0.99).has_value());
    // Extreme quantiles of the shortest samples stay inside the sample.
    const auto interval = app::bootstrapQuantileDifference(counted(6), counted(6), 0.5);
    QVERIFY(interval->low >= -5 && interval->high <= 5);
}

void TstStatistics::clustersOfOneAreSimpleValues() {
    std::mt19937_64 random(29);
    const auto a = exponential(random, 600), b = exponential(random, 600, 2);
    const auto clusters = [](const std::vector<double>& sorted) {
        app::Clusters result;
        for (std::uint32_t i = 0; i < sorted.size(); ++i) {
            result.values.emplace_back(sorted[i], i);
        }
        result.sizes.assign(sorted.size(), 1);
        return result;
    };
    const auto simple = app::bootstrapQuantileDifference(a, b, 0.9, 4000);
    const auto clustered = app::bootstrapClusterDifference(clusters(a), clusters(b), 0.9, 4000);
    const double width = simple->high - simple->low;
    QVERIFY(std::abs(simple->low - clustered->low) < 0.12 * width);
    QVERIFY(std::abs(simple->high - clustered->high) < 0.12 * width);
}

void TstStatistics::clustersOfAlikeValuesWidenTheInterval() {
    std::mt19937_64 random(31);
    const auto centres = exponential(random, 300);
    app::Clusters clusters;
    std::vector<double> pooled;
    for (std::uint32_t i = 0; i < centres.size(); ++i) {
        clusters.sizes.push_back(20);
        for (int k = 0; k < 20; ++k) {
            const double value = centres[i] + 0.001 * k;
            clusters.values.emplace_back(value, i);
            pooled.push_back(value);
        }
    }
    std::ranges::sort(clusters.values);
    std::ranges::sort(pooled);
    const auto honest = app::bootstrapClusterDifference(clusters, clusters, 0.9, 1000);
    const auto naive = app::bootstrapQuantileDifference(pooled, pooled, 0.9, 1000);
    QVERIFY(honest->high - honest->low > 2.5 * (naive->high - naive->low)); // sqrt(20) is 4.5
}

void TstStatistics::blockBootstrapCoversTheMeanOfARelatedSeries() {
    std::mt19937_64 random(37);
    std::normal_distribution<double> draw;
    int covered = 0;
    constexpr int kTrials = 300;
    for (int trial = 0; trial < kTrials; ++trial) {
        std::vector<double> series(120);
        double value = draw(random);
        for (double& point : series) { // autoregressive, 0.4
            value = 0.4 * value + draw(random) * std::sqrt(1 - 0.16);
            point = 50 + value;
        }
        covered += holds(app::bootstrapMean(series, 400, 1), 50) ? 1 : 0;
    }
    // Blocks of 5 from 120 values: known to fall a little short of 95 %.
    QVERIFY2(covered >= kTrials * 0.86 && covered <= kTrials * 0.985,
             qPrintable(QString::number(covered)));
    QVERIFY(!app::bootstrapMean(counted(9)));
    const std::vector<double> flat(60, 12.0);
    QCOMPARE(app::bootstrapMeanDifference(flat, flat)->low, 0.0);
    QCOMPARE(app::bootstrapMeanDifference(flat, flat)->high, 0.0);
}

void TstStatistics::mannWhitneyIsNearTheExactTest() {
    QVERIFY(!app::mannWhitney({}, counted(3)));
    // R: wilcox.test(1:5, 6:10, exact = FALSE)$p.value
    QVERIFY(std::abs(*app::mannWhitney(counted(5), std::vector<double>{6, 7, 8, 9, 10}) -
                     0.01218578) < 1e-7);
    std::mt19937_64 random(41);
    for (int trial = 0; trial < 20; ++trial) {
        const auto a = exponential(random, 7), b = exponential(random, 8, 1 + 0.2 * trial);
        const double approximate = *app::mannWhitney(a, b);
        QVERIFY(std::abs(approximate - exactMannWhitney(a, b)) < 0.015);
        QVERIFY(std::abs(approximate - *app::mannWhitney(b, a)) < 1e-12);
    }
}

void TstStatistics::mannWhitneyWithTies() {
    // By hand: ranks of a are 1, 3, 3, 5.5, so U = 2.5 of 8 expected; ties of 3, 2 and 2 values.
    const std::vector<double> a = {1, 2, 2, 3}, b = {2, 3, 4, 4};
    const double ties = (27 - 3) + (8 - 2) + (8 - 2);
    const double variance = 16.0 / 12 * (9 - ties / (8 * 7));
    const double expected = std::erfc((8 - 2.5 - 0.5) / std::sqrt(2 * variance));
    QVERIFY(std::abs(*app::mannWhitney(a, b) - expected) < 1e-12);
    const std::vector<double> same(10, 3.0);
    QCOMPARE(*app::mannWhitney(same, same), 1.0);
}

void TstStatistics::mannWhitneyIsUniformWithoutADifference() {
    std::mt19937_64 random(43);
    int rejected = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        const double p = *app::mannWhitney(exponential(random, 25), exponential(random, 30));
        QVERIFY(p >= 0 && p <= 1);
        rejected += p < 0.05 ? 1 : 0;
    }
    QVERIFY2(rejected > 60 && rejected < 140, qPrintable(QString::number(rejected)));
}

void TstStatistics::holmOfAKnownFamily() {
    QVERIFY(app::holm({}).empty());
    const std::vector<double> p = {0.01, 0.04, 0.03, 0.005};
    const std::vector<double> adjusted = app::holm(p); // R: p.adjust(p, "holm")
    const std::vector<double> expected = {0.03, 0.06, 0.06, 0.02};
    for (std::size_t i = 0; i < p.size(); ++i) {
        QVERIFY(std::abs(adjusted[i] - expected[i]) < 1e-12);
    }
    QCOMPARE(app::holm(std::vector<double>{0.9, 0.8}).front(), 1.0);
}

QTEST_APPLESS_MAIN(TstStatistics)
#include "tst_statistics.moc"
