// Ticks, decimation, rolling quantiles, layout: the arithmetic of pictures.
#include "app/observe/history.h"
#include "app/plot/decimate.h"
#include "app/plot/plot_layout.h"
#include "app/plot/rolling.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <random>

using namespace app;

namespace {
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
}

class TstPlot : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ticksReachTheMaximumInThreeToFiveSteps();
    void ticksOfNothingAreOne();
    void timeStepsAreRound();
    void logarithmicAxesHoldEveryValueBetweenRoundBounds();
    void runTimeHasHoursFromOneHour();
    void valueIsLinearAndEmptyInGaps();
    void decimationKeepsExtremesAndOrder();
    void decimationKeepsGaps();
    void decimationIsStableWhileFollowing();
    void rollingQuantilesFollowExactOnes();
    void gridStaysInSpan();
    void segmentsShareTheirBorder();
    void closePinsMerge();
};

void TstPlot::ticksReachTheMaximumInThreeToFiveSteps() {
    std::mt19937_64 random(7);
    for (int i = 0; i < 20'000; ++i) {
        const double maximum =
            std::pow(10.0, std::uniform_real_distribution<double>(-6, 12)(random));
        const Ticks ticks = niceTicks(maximum);
        const double steps = std::round(ticks.bound / ticks.step);
        QVERIFY2(ticks.bound >= maximum * (1 - 1e-9), qPrintable(QString::number(maximum)));
        QVERIFY2(steps >= 3 && steps <= 5, qPrintable(QString::number(maximum)));
        QVERIFY(ticks.bound - ticks.step < maximum); // no empty step at the top
        const double mantissa =
            ticks.step / std::pow(10.0, std::floor(std::log10(ticks.step) + 1e-9));
        QVERIFY(std::abs(mantissa - 1) < 1e-6 || std::abs(mantissa - 2) < 1e-6 ||
                std::abs(mantissa - 5) < 1e-6);
        // The decimals show every tick exactly.
        const double shown = ticks.step * std::pow(10.0, ticks.decimals);
        QVERIFY(std::abs(shown - std::round(shown)) < 1e-6);
    }
    QCOMPARE(niceTicks(100.0).bound, 100.0);
    QCOMPARE(niceTicks(0.3).bound, 0.3);
}

void TstPlot::ticksOfNothingAreOne() {
    for (const double nothing : {0.0, -3.0, kNan, std::numeric_limits<double>::infinity()}) {
        QCOMPARE(niceTicks(nothing).bound, 1.0);
    }
    QVERIFY(std::isfinite(niceTicks(1e300).bound));
}

void TstPlot::timeStepsAreRound() {
    QCOMPARE(timeTickStep(60, 6), 10.0);
    QCOMPARE(timeTickStep(900, 7), 300.0);
    QCOMPARE(timeTickStep(86'400, 7), 21'600.0);
    for (double span = 1; span < 1e7; span *= 1.37) {
        QVERIFY(span / timeTickStep(span, 7) <= 7.0 + 1e-9);
    }
}

void TstPlot::logarithmicAxesHoldEveryValueBetweenRoundBounds() {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> exponent(-4.0, 7.0);
    for (int round = 0; round < 500; ++round) {
        Plot plot;
        plot.unit = QStringLiteral("ms");
        plot.xMax = 10.0;
        Series series{.key = QStringLiteral("p50")};
        double least = 1e300, greatest = 0.0;
        for (int i = 0; i <= 10; ++i) {
            const double value = std::pow(10.0, exponent(random));
            least = std::min(least, value);
            greatest = std::max(greatest, value);
            series.points.emplace_back(i, value);
        }
        series.points.emplace_back(5.5, std::nan("")); // gaps and nothings have no place
        series.points.emplace_back(6.5, 0.0);
        series.points.emplace_back(50.0, 1e12); // out of view
        plot.series = {series};
        QVERIFY(canBeLogarithmic(plot));
        const Plot log = logarithmic(plot);
        QVERIFY(log.yLogMin > 0 && log.yLogMin <= least * (1 + 1e-9));
        QVERIFY(log.yMax >= greatest * (1 - 1e-9) && log.yMax <= 1e9);
        QVERIFY(log.yMax / log.yLogMin >= 10.0 * (1 - 1e-9));
        const PlotScale scale = plotScale(log, QRectF(0, 0, 100, 200));
        QVERIFY(std::abs(scale.y(log.yLogMin) - 200.0) < 1e-6);
        QVERIFY(std::abs(scale.y(log.yMax)) < 1e-6);
        QVERIFY(scale.y(0.0) == scale.y(log.yLogMin)); // nothing below the axis
        QVERIFY(std::isnan(scale.y(std::nan(""))));
        const auto labels = yLabels(log);
        QVERIFY2(labels.size() >= 2 && labels.size() <= 13,
                 qPrintable(QString::number(labels.size())));
        for (const AxisLabel& label : labels) {
            QVERIFY(scale.y(label.value) > -1e-6 && scale.y(label.value) < 200.0 + 1e-6);
            QVERIFY(label.text != QStringLiteral("0"));
        }
        // A decade is as long wherever it lies.
        const double first = scale.y(log.yLogMin * 2) - scale.y(log.yLogMin * 20);
        const double second = scale.y(log.yLogMin) - scale.y(log.yLogMin * 10);
        QVERIFY(std::abs(first - second) < 1e-6 * 200.0);
    }
    Plot stacked;
    stacked.unit = QStringLiteral("ms");
    stacked.series = {{.key = QStringLiteral("queue"), .kind = SeriesKind::Stack}};
    QVERIFY(!canBeLogarithmic(stacked)); // parts of a whole begin at zero
    Plot empty;
    empty.unit = QStringLiteral("ms");
    empty.series = {{.key = QStringLiteral("p50"), .points = {{1.0, 0.0}, {2.0, std::nan("")}}}};
    QCOMPARE(logarithmic(empty).yLogMin, 0.0);
}

void TstPlot::runTimeHasHoursFromOneHour() {
    QCOMPARE(runTimeText(0), QStringLiteral("00:00"));
    QCOMPARE(runTimeText(462), QStringLiteral("07:42"));
    QCOMPARE(runTimeText(3599.4), QStringLiteral("59:59"));
    QCOMPARE(runTimeText(3723), QStringLiteral("1:02:03"));
    QCOMPARE(runTimeText(-5), QStringLiteral("\u221200:05"));
    QCOMPARE(runTimeText(kNan), QString());
}

void TstPlot::valueIsLinearAndEmptyInGaps() {
    Series series;
    series.points = {{0, 10}, {2, 20}, {3, kNan}, {4, 40}, {5, 50}};
    QCOMPARE(valueAt(series, 1.0), std::optional(15.0));
    QCOMPARE(valueAt(series, 2.0), std::optional(20.0));
    QCOMPARE(valueAt(series, 5.0), std::optional(50.0));
    for (const double absent : {-1.0, 2.5, 3.0, 3.5, 5.1}) {
        QVERIFY2(!valueAt(series, absent), qPrintable(QString::number(absent)));
    }
    QVERIFY(!valueAt(Series{}, 0.0));
    series.kind = SeriesKind::Step;
    QCOMPARE(valueAt(series, 4.9), std::optional(40.0));
}

void TstPlot::decimationKeepsExtremesAndOrder() {
    std::mt19937_64 random(11);
    std::normal_distribution<double> noise(100, 30);
    std::vector<QPointF> points;
    for (int i = 0; i < 50'000; ++i) {
        points.emplace_back(i * 0.01, noise(random));
    }
    points[31'234].setY(1e6);
    points[31'235].setY(-1e6);
    const auto out = decimateExtremes(points, {.from = 0, .to = 500, .maxPoints = 600});
    QVERIFY(out.size() <= 602);
    QVERIFY(std::ranges::is_sorted(out, {}, &QPointF::x));
    const auto [low, high] = std::ranges::minmax(out, {}, &QPointF::y);
    QCOMPARE(low.y(), -1e6);
    QCOMPARE(high.y(), 1e6);
    // Every point that came out went in.
    for (const QPointF& point : out) {
        QCOMPARE(points[static_cast<std::size_t>(std::lround(point.x() / 0.01))], point);
    }
    const std::vector<QPointF> few(points.begin(), points.begin() + 100);
    QCOMPARE(decimateExtremes(few, {.from = 0, .to = 1, .maxPoints = 600}), few);
    QVERIFY(decimateExtremes({}, {.from = 0, .to = 1, .maxPoints = 600}).empty());
}

void TstPlot::decimationKeepsGaps() {
    std::vector<QPointF> points;
    for (int i = 0; i < 10'000; ++i) {
        const bool isGap = (i >= 3000 && i < 3050) || i == 7001;
        points.emplace_back(i, isGap ? kNan : 1.0 + i % 7);
    }
    const auto out = decimateExtremes(points, {.from = 0, .to = 10'000, .maxPoints = 400});
    const auto gaps =
        std::ranges::count_if(out, [](const QPointF& p) { return std::isnan(p.y()); });
    QCOMPARE(gaps, 2);
    // No two points on either side of the gap became neighbours.
    for (std::size_t i = 1; i < out.size(); ++i) {
        if (std::isfinite(out[i].y()) && std::isfinite(out[i - 1].y())) {
            QVERIFY(!(out[i - 1].x() < 3000 && out[i].x() >= 3050));
        }
    }
}

void TstPlot::decimationIsStableWhileFollowing() {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> noise(0, 1);
    std::vector<QPointF> points;
    for (int i = 0; i < 20'000; ++i) {
        points.emplace_back(i * 0.1, noise(random));
    }
    const auto before = decimateExtremes(points, {.from = 100, .to = 1000, .maxPoints = 500});
    const auto after = decimateExtremes(points, {.from = 100.7, .to = 1000.7, .maxPoints = 500});
    // Away from the edges the same points are chosen.
    const auto inside = [](const std::vector<QPointF>& all) {
        std::vector<QPointF> kept;
        std::ranges::copy_if(all, std::back_inserter(kept),
                             [](const QPointF& p) { return p.x() > 120 && p.x() < 980; });
        return kept;
    };
    QCOMPARE(inside(before), inside(after));
}

void TstPlot::rollingQuantilesFollowExactOnes() {
    std::mt19937_64 random(5);
    std::lognormal_distribution<double> latency(4.0, 1.2);
    std::vector<double> values(4000);
    std::ranges::generate(values, [&] { return latency(random); });
    RollingQuantiles rolling;
    QVERIFY(!rolling.quantile(0.5));
    constexpr std::size_t kWindow = 700;
    for (std::size_t i = 0; i < values.size(); ++i) {
        rolling.add(values[i]);
        if (i >= kWindow) {
            rolling.remove(values[i - kWindow]);
        }
        if (i % 97 != 0) {
            continue;
        }
        const std::size_t first = i >= kWindow ? i - kWindow + 1 : 0;
        std::vector<double> sorted(values.begin() + static_cast<std::ptrdiff_t>(first),
                                   values.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        std::ranges::sort(sorted);
        QCOMPARE(rolling.count(), static_cast<std::int64_t>(sorted.size()));
        for (const double q : {0.0, 0.5, 0.9, 0.99, 1.0}) {
            const auto rank =
                static_cast<std::size_t>(std::llround(q * static_cast<double>(sorted.size() - 1)));
            const double got = rolling.quantile(q).value();
            QVERIFY2(std::abs(got / sorted[rank] - 1.0) <= 0.002, qPrintable(QString::number(got)));
        }
    }
    // Zero, negative and huge values are held, not lost.
    RollingQuantiles odd;
    for (const double value : {0.0, -5.0, 1e300}) {
        odd.add(value);
    }
    QCOMPARE(odd.count(), 3);
    for (const double value : {0.0, -5.0, 1e300}) {
        odd.remove(value);
    }
    QVERIFY(!odd.quantile(0.5));
}

void TstPlot::gridStaysInSpan() {
    const auto times = gridTimes(3.3, 63.3, 100, 0.25);
    QVERIFY(times.size() <= 101);
    QVERIFY(times.front() >= 3.3);
    QCOMPARE(times.back(), 63.3);
    QVERIFY(std::ranges::is_sorted(times));
    QVERIFY(gridTimes(5, 5, 100, 0.25).empty());
    QVERIFY(gridTimes(5, 4, 100, 0.25).empty());
}

void TstPlot::segmentsShareTheirBorder() {
    const std::vector<QPointF> points = {{0, 1}, {1, 1}, {2, 1}, {3, kNan}, {4, 1}};
    const auto parts = segments(points, {true, true, false, false, false});
    QCOMPARE(parts.size(), 3U);
    QVERIFY(parts[0].isUnsure && parts[0].begin == 0 && parts[0].end == 3);
    QVERIFY(!parts[1].isUnsure && parts[1].begin == 2 && parts[1].end == 3);
    QVERIFY(parts[2].begin == 4 && parts[2].end == 5);
    QVERIFY(segments({}, {}).empty());
}

void TstPlot::closePinsMerge() {
    Plot plot;
    plot.xMax = 100;
    plot.markers = {
        {.x = 10, .number = 1, .kind = MarkerKind::Operator, .text = QStringLiteral("a")},
        {.x = 11, .number = 2, .kind = MarkerKind::Alarm, .text = QStringLiteral("b")},
        {.x = 50, .number = 3, .kind = MarkerKind::Workload, .text = {}},
        {.x = 150, .number = 4, .kind = MarkerKind::Workload, .text = {}}};
    const auto result = pins(plot, plotScale(plot, QRectF(0, 0, 400, 100)));
    QCOMPARE(result.size(), 2U);
    QCOMPARE(result[0].label, QStringLiteral("×2"));
    QVERIFY(result[0].kind == MarkerKind::Alarm);
    QCOMPARE(result[1].label, QStringLiteral("3"));
    QCOMPARE(result[0].room, 160.0);
}

QTEST_GUILESS_MAIN(TstPlot)
#include "tst_plot.moc"
