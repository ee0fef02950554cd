// Hiding series and reading a legend.
#include "app/plot/visible_plot.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace app;

namespace {

Series constant(const QString& key, ColorRole color, double value, SeriesKind kind) {
    Series series{.key = key, .name = key, .color = color, .kind = kind};
    for (int x = 0; x <= 10; ++x) {
        series.points.emplace_back(x, value);
    }
    return series;
}

Plot quantilePlot() {
    Plot plot;
    plot.yMax = 1000.0;
    plot.series = {constant(QStringLiteral("p50"), ColorRole::TtftP50, 100, SeriesKind::Line),
                   constant(QStringLiteral("p99"), ColorRole::TtftP99, 900, SeriesKind::Line)};
    plot.bands = {{.color = ColorRole::TtftP99,
                   .lower = plot.series[0].points,
                   .upper = plot.series[1].points}};
    return plot;
}

} // namespace

class TstVisiblePlot : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingHiddenIsTheSamePlot();
    void hidingTakesTheBandAndFitsTheAxis();
    void hidingAllKeepsTheAxis();
    void aPercentAxisIsNotStretched();
    void readingsAddUpToTheTotal();
    void nowIsTheEndOfTheData();
    void thinQuantilesAreSaidToBeUnsure();
};

void TstVisiblePlot::nothingHiddenIsTheSamePlot() {
    const Plot plot = quantilePlot();
    const Plot shown = visiblePlot(plot, {QStringLiteral("no such key")});
    QCOMPARE(shown.series.size(), plot.series.size());
    QCOMPARE(shown.bands.size(), plot.bands.size());
    QCOMPARE(shown.yMax, plot.yMax);
}

void TstVisiblePlot::hidingTakesTheBandAndFitsTheAxis() {
    const Plot shown = visiblePlot(quantilePlot(), {QStringLiteral("p99")});
    QCOMPARE(shown.series.size(), std::size_t{1});
    QVERIFY(shown.bands.empty());
    QVERIFY(shown.yMax >= 100.0 && shown.yMax <= 200.0);
}

void TstVisiblePlot::hidingAllKeepsTheAxis() {
    const Plot shown = visiblePlot(quantilePlot(), {QStringLiteral("p50"), QStringLiteral("p99")});
    QVERIFY(shown.series.empty());
    QCOMPARE(shown.yMax, 1000.0);
}

void TstVisiblePlot::aPercentAxisIsNotStretched() {
    Plot plot;
    plot.yMax = 100.0;
    plot.series = {constant(QStringLiteral("a"), ColorRole::Kv, 99.9, SeriesKind::Area),
                   constant(QStringLiteral("b"), ColorRole::Memory, 1.0, SeriesKind::Area)};
    QVERIFY(visiblePlot(plot, {QStringLiteral("b")}).yMax <= 100.0);
}

void TstVisiblePlot::readingsAddUpToTheTotal() {
    Plot plot;
    plot.decimals = 1;
    plot.showsTotal = true;
    for (const double value : {7.84, 15.16, 14.34, 8.76, 3.06}) {
        plot.series.push_back(
            constant(QString::number(value), ColorRole::StageQueue, value, SeriesKind::Stack));
    }
    const LegendReading reading = legendReading(plot, 5.0);
    double sum = 0.0;
    for (const LegendValue& value : reading.values) {
        QVERIFY(value.value.has_value());
        sum += *value.value;
    }
    QVERIFY(reading.total.has_value());
    QVERIFY(std::abs(sum - *reading.total) < 1e-9);
    QVERIFY(!legendReading(plot, 50.0).total.has_value()); // outside of the data
}

void TstVisiblePlot::nowIsTheEndOfTheData() {
    Plot plot = quantilePlot();
    QCOMPARE(presentX(plot), 10.0);
    QVERIFY(legendReading(plot, presentX(plot)).values.front().value.has_value());
    // Nothing was measured lately: what there was before is not now.
    for (Series& series : plot.series) {
        series.points.back().setY(std::numeric_limits<double>::quiet_NaN());
    }
    QCOMPARE(presentX(plot), 10.0);
    QVERIFY(!legendReading(plot, presentX(plot)).values.front().value.has_value());
    plot.xMax = 5.0; // a view of the past is read at its edge
    QCOMPARE(presentX(plot), 5.0);
    QCOMPARE(presentX(Plot{}), Plot{}.xMax);
}

void TstVisiblePlot::thinQuantilesAreSaidToBeUnsure() {
    Plot plot = quantilePlot();
    Series& tail = plot.series.back();
    tail.unsure.assign(tail.points.size(), false);
    tail.unsure.front() = true;
    QVERIFY(legendReading(plot, tail.points.front().x()).values.back().isUnsure);
    QVERIFY(!legendReading(plot, tail.points.back().x()).values.back().isUnsure);
    QVERIFY(!legendReading(plot, tail.points.front().x()).values.front().isUnsure);
}

QTEST_APPLESS_MAIN(TstVisiblePlot)
#include "tst_visible_plot.moc"
