// The chart functions over a made-up run, the painter's pixels, and the SVG beside them.
#include "app/plot/charts.h"
#include "app/plot/curve_cache.h"
#include "app/plot/plot_layout.h"
#include "app/plot/svg_writer.h"
#include "app/plot/visible_plot.h"
#include "tests/support/example_history.h"

#include <QElapsedTimer>
#include <QImage>
#include <QPainter>
#include <QSvgRenderer>
#include <QTest>
#include <QXmlStreamReader>

#include <cmath>
#include <limits>
#include <random>

using namespace app;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool near(const QColor& a, const QColor& b, int tolerance = 40) {
    return std::abs(a.red() - b.red()) <= tolerance &&
           std::abs(a.green() - b.green()) <= tolerance &&
           std::abs(a.blue() - b.blue()) <= tolerance;
}

const Series& find(const Plot& plot, const char* key) {
    const auto found = std::ranges::find(plot.series, QLatin1String(key), &Series::key);
    return *found;
}

QImage painted(const Plot& plot, const PlotScale& scale, QSize size) {
    QImage image(size, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::white);
    QPainter painter(&image);
    paintData(painter, plot, scale, ThemeKind::Light);
    return image;
}

Plot flatLine(double y, bool isUnsure) {
    Plot plot;
    plot.xMax = 100;
    plot.yMax = 10;
    plot.series.resize(1);
    plot.series[0].color = ColorRole::TtftP99;
    plot.series[0].width = 2.0;
    for (int i = 0; i <= 100; ++i) {
        plot.series[0].points.emplace_back(i, y);
        plot.series[0].unsure.push_back(isUnsure);
    }
    return plot;
}

} // namespace

class TstCharts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyChartIsDrawable_data();
    void everyChartIsDrawable();
    void emptyHistoryMakesEmptyCharts();
    void stacksAddUpToTtft();
    void quantilesAreOrderedAndUnsureAtFirst();
    void silenceIsAGap();
    void everyCurveIsReadAtThePresent();
    void ratesKeepTheirMean();
    void chartsAreFastEnough();
    void keptCurvesAreTheSameWhereverOneLooks();
    void keptCurvesAreForgottenWithTheirChoice();
    void aViewOfDaysLeavesNothingOut();
    void limitsAreThoseThatWereSet();
    void markersCarryKindAndText();
    void distributionsEndAtOneHundred();
    void lineLiesWhereTheScaleSays();
    void gapStaysWhite();
    void lagIsOfEveryRequestThatWasSent();
    void unsureLineIsDashed();
    void stackFillsFromZero();
    void dataStaysInsideItsArea();
    void svgAndPainterAgree();
    void svgSurvivesHostileText();
};

void TstCharts::everyChartIsDrawable_data() {
    QTest::addColumn<QByteArray>("key");
    for (const ChartRow& row : chartTable()) {
        QTest::newRow(row.key.data()) << QByteArray(row.key.data());
    }
}

void TstCharts::everyChartIsDrawable() {
    QFETCH(QByteArray, key);
    const History history = tests::exampleHistory({});
    const ChartRow* row = findChart(key.toStdString());
    QVERIFY(row != nullptr);
    const Plot plot = row->make(history, {.from = 0, .to = 460});
    QCOMPARE(plot.key, QString::fromUtf8(key));
    QVERIFY(!plot.title.isEmpty() && hasData(plot));
    QCOMPARE(plot.markers.size(), 3U);
    for (const Series& series : plot.series) {
        QVERIFY(!series.name.isEmpty());
        QVERIFY(std::ranges::is_sorted(series.points, {}, &QPointF::x));
        QVERIFY(series.points.size() <= 910);
        QVERIFY(series.unsure.empty() || series.unsure.size() == series.points.size());
        for (const QPointF& point : series.points) {
            QVERIFY(std::isnan(point.y()) || (point.y() >= 0 && point.y() <= plot.yMax));
        }
    }
    QXmlStreamReader reader(QString::fromStdString(writeSvg(plot, {800, 280})));
    int titles = 0;
    while (!reader.atEnd()) {
        if (reader.readNext() == QXmlStreamReader::StartElement &&
            reader.name() == QLatin1String("title")) {
            ++titles;
        }
    }
    QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
    QCOMPARE(titles, static_cast<int>(plot.series.size()) + 1);
    QImage image(800, 280, QImage::Format_ARGB32_Premultiplied);
    image.fill(color(ThemeKind::Dark, ColorRole::Card));
    QPainter painter(&image);
    paintPlot(painter, plot, QRectF(8, 8, 784, 264), ThemeKind::Dark);
    painter.end();
    if (qEnvironmentVariableIsSet("HEADWAY_TEST_PICTURES")) {
        image.save(qEnvironmentVariable("HEADWAY_TEST_PICTURES") + QLatin1Char('/') + plot.key +
                   QStringLiteral(".png"));
    }
}

void TstCharts::lagIsOfEveryRequestThatWasSent() {
    History history;
    history.reset({});
    for (int i = 1; i <= 400; ++i) {
        RequestPoint point;
        point.seconds = 0.1 * i;
        point.ttftMs = 50.0;
        point.hasLedger = i % 4 != 0; // the others tell no lag
        point.outcome = i % 3 == 0 ? engine::Outcome::Cancelled : engine::Outcome::Completed;
        point.ledgerMs[static_cast<std::size_t>(engine::Stage::Lag)] = i % 3 == 0 ? 12.0F : 2.0F;
        history.addRequest(point);
    }
    const Plot plot = findChart("lag")->make(history, {.from = 0, .to = 40, .window = 40.0});
    QCOMPARE(plot.series.size(), 2U);
    const double p50 = plot.series[0].points.back().y(), p99 = plot.series[1].points.back().y();
    QVERIFY2(std::abs(p50 - 2.0) < 0.02, qPrintable(QString::number(p50)));
    QVERIFY2(std::abs(p99 - 12.0) < 0.05, qPrintable(QString::number(p99)));
    QVERIFY(!plot.series[0].unsure.back() && plot.series[0].unsure.front());
}

// Panned to and fro, also beyond both ends: what was kept is what would have been computed.
void TstCharts::keptCurvesAreTheSameWhereverOneLooks() {
    const History history = tests::exampleHistory({.seconds = 460.0});
    CurveCache cache;
    std::mt19937_64 random(3);
    for (const char* key : {"ttft", "ledger", "lag"}) {
        const ChartRow* row = findChart(key);
        double from = 100.0;
        for (int move = 0; move < 40; ++move) {
            from += std::uniform_real_distribution<double>(-60.0, 70.0)(random);
            const ChartRange plain{.from = std::max(0.0, from),
                                   .to = std::max(0.0, from) + 120.0,
                                   .maxPoints = move % 9 == 8 ? 150 : 400};
            ChartRange kept = plain;
            kept.cache = &cache;
            const Plot expected = row->make(history, plain);
            const Plot got = row->make(history, kept);
            QCOMPARE(got.series.size(), expected.series.size());
            for (std::size_t s = 0; s < got.series.size(); ++s) {
                const auto &a = got.series[s].points, &b = expected.series[s].points;
                QCOMPARE(a.size(), b.size());
                QCOMPARE(got.series[s].unsure, expected.series[s].unsure);
                for (std::size_t i = 0; i < a.size(); ++i) {
                    QCOMPARE(a[i].x(), b[i].x());
                    QCOMPARE(std::isnan(a[i].y()), std::isnan(b[i].y()));
                    QVERIFY(std::isnan(a[i].y()) ||
                            std::abs(a[i].y() - b[i].y()) <= 1e-6 * std::max(1.0, b[i].y()));
                }
            }
        }
    }
    QVERIFY(cache.ttft.size() > 400);
    QVERIFY(cache.ttft.size() <= GridCache<QuantilePoint>::kMostPoints + 400);
}

void TstCharts::keptCurvesAreForgottenWithTheirChoice() {
    const History history = tests::exampleHistory({.seconds = 120.0});
    CurveCache cache;
    const ChartRow* row = findChart("ttft");
    ChartRange range{.from = 0.0, .to = 120.0, .maxPoints = 200, .cache = &cache};
    static_cast<void>(row->make(history, range));
    range.window = 5.0;
    ChartRange plain = range;
    plain.cache = nullptr;
    const Plot got = row->make(history, range), expected = row->make(history, plain);
    for (std::size_t i = 0; i < got.series[2].points.size(); ++i) {
        const double a = got.series[2].points[i].y(), b = expected.series[2].points[i].y();
        QVERIFY((std::isnan(a) && std::isnan(b)) || a == b);
    }
}

void TstCharts::emptyHistoryMakesEmptyCharts() {
    History history;
    history.reset({});
    for (const ChartRow& row : chartTable()) {
        const Plot plot = row.make(history, {});
        QVERIFY(!hasData(plot));
        QVERIFY(!plot.emptyText.isEmpty());
        QVERIFY(plot.yMax > 0);
        const QString svg = QString::fromStdString(writeSvg(plot, {400, 200}));
        QVERIFY(svg.contains(plot.emptyText) && !svg.contains(QStringLiteral("nan")));
    }
    QVERIFY(findChart("nothing") == nullptr);
    QVERIFY(!hasData(overlayTtft(history, QStringLiteral("a"), history, QStringLiteral("b"))));
    QVERIFY(
        !hasData(overlayDistribution(history, QStringLiteral("a"), history, QStringLiteral("b"))));
}

void TstCharts::stacksAddUpToTtft() {
    const History history = tests::exampleHistory({});
    const ChartRange range{.from = 0, .to = 460};
    const Plot plot = findChart("ledger")->make(history, range);
    const auto total = stackTotal(plot);
    const double window = range.window / 6.0;
    int compared = 0;
    for (const QPointF& point : total) {
        double sum = 0.0;
        int count = 0;
        for (const RequestPoint& request : history.requests()) {
            if (request.seconds <= point.x() && request.seconds > point.x() - window) {
                sum += request.ttftMs;
                ++count;
            }
        }
        QCOMPARE(std::isnan(point.y()), count == 0);
        if (count > 0) {
            QVERIFY(std::abs(point.y() - sum / count) < 1e-3 * sum / count);
            ++compared;
        }
    }
    QVERIFY(compared > 400);
}

void TstCharts::quantilesAreOrderedAndUnsureAtFirst() {
    const History history = tests::exampleHistory({});
    const Plot plot = findChart("ttft")->make(history, {.from = 0, .to = 460});
    const Series& p50 = find(plot, "p50");
    const Series& p90 = find(plot, "p90");
    const Series& p99 = find(plot, "p99");
    for (std::size_t i = 0; i < p50.points.size(); ++i) {
        if (std::isfinite(p50.points[i].y())) {
            QVERIFY(p50.points[i].y() <= p90.points[i].y());
            QVERIFY(p90.points[i].y() <= p99.points[i].y());
        }
        // 12 a second: 299 need about 25 s of the 30 s window.
        const double x = p50.points[i].x();
        if (x > 4 && x < 15) {
            QVERIFY(!p50.unsure[i] && !p90.unsure[i] && p99.unsure[i]);
        }
    }
    QCOMPARE(unsureNote(plot)->text, QStringLiteral("n < 299"));
    // Against an exact window.
    const double x = p50.points[p50.points.size() / 2].x();
    std::vector<double> values;
    for (const RequestPoint& request : history.requests()) {
        if (request.seconds <= x && request.seconds > x - 30.0) {
            values.push_back(request.ttftMs);
        }
    }
    const Quantiles exact = quantiles(values);
    QVERIFY(std::abs(valueAt(p50, x).value() / exact.p50.value() - 1.0) < 0.02);
}

void TstCharts::silenceIsAGap() {
    History history;
    history.reset({});
    for (double t = 1; t < 100; t += 1.0) {
        if (t < 40 || t > 70) {
            history.addSample({.seconds = t, .running = 2, .outputPerSecond = 10});
            history.addRequest({.seconds = t, .ttftMs = 5, .hasLedger = true});
        }
    }
    const ChartRange range{.from = 0, .to = 100, .window = 10.0};
    for (const char* key : {"batch", "throughput", "ttft", "ledger"}) {
        const Plot plot = findChart(key)->make(history, range);
        QVERIFY2(!valueAt(plot.series.front(), 60.0), key);
        QVERIFY2(valueAt(plot.series.front(), 30.0).has_value(), key);
        QVERIFY2(valueAt(plot.series.front(), 90.0).has_value(), key);
    }
}

// Curves on a grid end before the last sample, and so does what is drawn beside them.
void TstCharts::everyCurveIsReadAtThePresent() {
    History history;
    history.reset({});
    for (int i = 1; i <= 437; ++i) {
        history.addSample({.seconds = i / 10.0, .running = 7, .waiting = 3, .slots = 8});
        const Plot plot = findChart("batch")->make(history, {.from = 0, .to = 60});
        const LegendReading reading = legendReading(plot, presentX(plot));
        QVERIFY(i < 20 || reading.values.size() == 3);
        for (const LegendValue& each : reading.values) {
            QVERIFY2(i < 20 || each.value.has_value(), qPrintable(each.key));
        }
    }
}

void TstCharts::ratesKeepTheirMean() {
    const History history = tests::exampleHistory({.seconds = 300});
    const Plot plot = findChart("throughput")->make(history, {.from = 0, .to = 300});
    double sum = 0.0;
    for (const Sample& sample : history.samples()) {
        sum += sample.outputPerSecond;
    }
    const double mean = sum / static_cast<double>(history.samples().size());
    double drawn = 0.0;
    for (const QPointF& point : plot.series.front().points) {
        drawn += point.y();
    }
    drawn /= static_cast<double>(plot.series.front().points.size());
    QVERIFY2(std::abs(drawn / mean - 1.0) < 0.01, qPrintable(QString::number(drawn / mean)));
}

void TstCharts::chartsAreFastEnough() {
    // Generous limits (ten times what was measured): a quadratic function would break them.
    const History quarterHour = tests::exampleHistory({.seconds = 900});
    const History busy = tests::exampleHistory({.seconds = 900, .requestsPerSecond = 115});
    QVERIFY(busy.requests().size() > 100'000);
    for (const ChartRow& row : chartTable()) {
        QElapsedTimer timer;
        timer.start();
        const Plot plot = row.make(quarterHour, {.from = 0, .to = 900});
        const double live = static_cast<double>(timer.nsecsElapsed()) / 1e6;
        timer.restart();
        const Plot large = row.make(busy, {.from = 0, .to = 900});
        const double many = static_cast<double>(timer.nsecsElapsed()) / 1e6;
        timer.restart();
        QImage image(453, 253, QImage::Format_ARGB32_Premultiplied);
        QPainter painter(&image);
        paintData(painter, plot, plotScale(plot, QRectF(0, 0, 453, 253)), ThemeKind::Dark);
        painter.end();
        const double paint = static_cast<double>(timer.nsecsElapsed()) / 1e6;
        qInfo("%-10s make %.2f ms, of 100,000 requests %.2f ms, paint %.2f ms", row.key.data(),
              live, many, paint);
        QVERIFY(live < 100 && many < 300 && paint < 150);
    }
}

// Points lie ten minutes apart there: the window is no shorter, or the one slow request is missed.
void TstCharts::aViewOfDaysLeavesNothingOut() {
    History history;
    history.reset({}, HistoryBound::Whole, kMinuteGrain);
    engine::Event event;
    event.body = engine::Failed{.message = "out of memory", .requestsFailed = 1};
    for (int minute = 1; minute <= 2 * 1440; ++minute) {
        const double now = 60.0 * minute;
        history.addSample({.seconds = now, .running = 4.0, .outputPerSecond = 100.0});
        history.addRequest({.id = engine::RequestId{static_cast<std::uint64_t>(minute)},
                            .seconds = now,
                            .ttftMs = minute == 1001 ? 5000.0 : 50.0,
                            .ledgerMs = {},
                            .hasLedger = true});
        event.time = engine::TimePoint{} + std::chrono::seconds(60 * minute);
        history.addEvent(event);
    }
    const ChartRange range{.from = 0.0, .to = 172'800.0, .maxPoints = 300};
    const Plot ttft = findChart("ttft")->make(history, range);
    double highest = 0.0;
    for (const QPointF& point : ttft.series.back().points) {
        highest = std::max(highest, std::isfinite(point.y()) ? point.y() : 0.0);
    }
    QVERIFY2(highest > 4000.0, qPrintable(QString::number(highest)));
    QVERIFY2(ttft.unit.contains(QStringLiteral("578")), qPrintable(ttft.unit)); // said
    // Minutes are no gaps.
    for (const char* key : {"throughput", "kv"}) {
        const Plot plot = findChart(key)->make(history, range);
        QVERIFY(plot.series.front().points.size() > 100);
        for (const QPointF& point : plot.series.front().points) {
            QVERIFY2(std::isfinite(point.y()), key);
        }
    }
    // Of many markers each has its place, and words where they are few.
    QCOMPARE(ttft.markers.size(), 2880U);
    QVERIFY(ttft.markers.front().text.isEmpty());
    const Plot hour = findChart("ttft")->make(history, {.from = 3600.0, .to = 7200.0});
    QCOMPARE(hour.markers.size(), 61U);
    QVERIFY(!hour.markers.front().text.isEmpty());
}

void TstCharts::limitsAreThoseThatWereSet() {
    const History history = tests::exampleHistory({});
    ChartRange range{.from = 0, .to = 60};
    QVERIFY(findChart("ttft")->make(history, range).thresholds.empty());
    engine::EngineConfig config;
    config.serving.degradation = engine::DegradationMode::Auto;
    config.serving.level1Ms = 900;
    config.serving.level2Ms = 1600;
    range.limits = limitsOf(config, 300.0);
    range.limits.memoryPercent = 70.0;
    range.limits.busyTo = 90.0;
    const Plot ttft = findChart("ttft")->make(history, range);
    QCOMPARE(ttft.thresholds.size(), std::size_t{3});
    QCOMPARE(ttft.thresholds[0].y, 300.0);
    QVERIFY(ttft.thresholds[1].name.contains(QStringLiteral("900")));
    QCOMPARE(ttft.thresholds[2].y, 1600.0);
    QCOMPARE(findChart("memory")->make(history, range).thresholds.front().y, 70.0);
    QCOMPARE(findChart("busy")->make(history, range).thresholds.back().y, 90.0);
    // One line for two limits at the same place; none for levels that are off, nor without a
    // target.
    range.limits = limitsOf(config, 900.0);
    QCOMPARE(findChart("ttft")->make(history, range).thresholds.size(), std::size_t{2});
    config.serving.degradation = engine::DegradationMode::Off;
    QVERIFY(!limitsOf(config, 1e9).targetMs && !limitsOf(config, 1e9).level1Ms);
}

void TstCharts::markersCarryKindAndText() {
    const auto markers = chartMarkers(tests::exampleHistory({}));
    QCOMPARE(markers.size(), 3U);
    QVERIFY(markers[0].kind == MarkerKind::Operator);
    QCOMPARE(markers[0].text, QStringLiteral("single → continuous"));
    QVERIFY(markers[1].kind == MarkerKind::Workload);
    QVERIFY(markers[1].text.contains(QStringLiteral("16")));
    QVERIFY(markers[2].kind == MarkerKind::Alarm);
}

void TstCharts::distributionsEndAtOneHundred() {
    const History a = tests::exampleHistory({});
    const History b = tests::exampleHistory({.seconds = 200, .seed = 9});
    const Plot plot = overlayDistribution(a, QStringLiteral("a"), b, QStringLiteral("b"));
    QCOMPARE(plot.series.size(), 2U);
    for (const Series& series : plot.series) {
        QVERIFY(std::ranges::is_sorted(series.points, {}, &QPointF::y));
        QVERIFY(std::ranges::is_sorted(series.points, {}, &QPointF::x));
        QCOMPARE(series.points.back().y(), 100.0);
    }
    const Plot overRun = overlayTtft(a, QStringLiteral("a"), b, QStringLiteral("b"));
    QCOMPARE(overRun.series.size(), 4U);
    QVERIFY(!valueAt(find(overRun, "b_p50"), 300.0)); // the shorter run has ended
    QVERIFY(valueAt(find(overRun, "a_p50"), 300.0).has_value());
}

void TstCharts::lineLiesWhereTheScaleSays() {
    const Plot plot = flatLine(5.0, false);
    const PlotScale scale = plotScale(plot, QRectF(20, 10, 400, 200));
    const QImage image = painted(plot, scale, {440, 220});
    const QColor ink = color(ThemeKind::Light, ColorRole::TtftP99);
    for (int x = 25; x < 415; ++x) {
        QVERIFY2(near(image.pixelColor(x, 109), ink) || near(image.pixelColor(x, 110), ink),
                 qPrintable(QString::number(x)));
        QVERIFY(near(image.pixelColor(x, 100), Qt::white, 2));
    }
    QCOMPARE(scale.valueX(scale.x(33.0)), 33.0);
}

void TstCharts::gapStaysWhite() {
    Plot plot = flatLine(5.0, false);
    for (std::size_t i = 40; i < 60; ++i) {
        plot.series[0].points[i].setY(kNan);
    }
    for (const SeriesKind kind :
         {SeriesKind::Line, SeriesKind::Area, SeriesKind::Step, SeriesKind::Stack}) {
        plot.series[0].kind = kind;
        const QImage image = painted(plot, plotScale(plot, QRectF(0, 0, 400, 200)), {400, 200});
        for (int y = 0; y < 200; ++y) {
            QVERIFY(near(image.pixelColor(200, y), Qt::white, 2));
        }
    }
}

void TstCharts::unsureLineIsDashed() {
    const Plot plot = flatLine(5.0, true);
    const QImage image = painted(plot, plotScale(plot, QRectF(0, 0, 400, 200)), {400, 200});
    const QColor ink = color(ThemeKind::Light, ColorRole::Text3);
    int inked = 0;
    for (int x = 0; x < 400; ++x) {
        inked += near(image.pixelColor(x, 99), ink, 60) ? 1 : 0;
        QVERIFY(!near(image.pixelColor(x, 99), color(ThemeKind::Light, ColorRole::TtftP99)));
    }
    QVERIFY2(inked > 150 && inked < 260, qPrintable(QString::number(inked))); // 3 on, 3 off
}

void TstCharts::stackFillsFromZero() {
    Plot plot;
    plot.xMax = 10;
    plot.yMax = 10;
    plot.series.resize(2);
    plot.series[0].color = ColorRole::StageQueue;
    plot.series[1].color = ColorRole::StageCompute;
    for (Series& series : plot.series) {
        series.kind = SeriesKind::Stack;
        for (int i = 0; i <= 100; ++i) {
            series.points.emplace_back(i * 0.1, 4.0);
        }
    }
    const QImage image = painted(plot, plotScale(plot, QRectF(0, 0, 300, 200)), {300, 200});
    for (int x = 1; x < 299; ++x) {
        QCOMPARE(image.pixelColor(x, 150), color(ThemeKind::Light, ColorRole::StageQueue));
        QCOMPARE(image.pixelColor(x, 80), color(ThemeKind::Light, ColorRole::StageCompute));
        QCOMPARE(image.pixelColor(x, 20), QColor(Qt::white));
    }
}

void TstCharts::dataStaysInsideItsArea() {
    Plot plot = flatLine(5.0, false);
    plot.series[0].points[50].setY(1e12); // far above the bound
    const QRectF area(50, 50, 200, 100);
    const QImage image = painted(plot, plotScale(plot, area), {300, 200});
    for (int y = 0; y < 200; ++y) {
        for (int x = 0; x < 300; ++x) {
            if (!area.adjusted(-1, -2, 1, 2).contains(x, y)) {
                QCOMPARE(image.pixelColor(x, y), QColor(Qt::white));
            }
        }
    }
}

void TstCharts::svgAndPainterAgree() {
    const History history = tests::exampleHistory({});
    for (const char* key : {"ttft", "batch", "ledger"}) {
        Plot plot = findChart(key)->make(history, {.from = 0, .to = 460});
        plot.markers.clear();
        for (Series& series : plot.series) {
            series.hatched = false; // the hatch of a screen and of paper differ
        }
        const QSizeF size(700, 280);
        QSvgRenderer renderer(QByteArray::fromStdString(writeSvg(plot, size)));
        QVERIFY(renderer.isValid());
        QImage fromSvg(size.toSize(), QImage::Format_ARGB32_Premultiplied);
        fromSvg.fill(Qt::white);
        QPainter svgPainter(&fromSvg);
        renderer.render(&svgPainter);
        svgPainter.end();
        const PlotLayout layout = plotLayout(
            plot, QRectF({0, 0}, size), LegendValues::None, [](const QString& text, double pixels) {
                return static_cast<double>(text.size()) * pixels * 0.6;
            });
        QImage direct(size.toSize(), QImage::Format_ARGB32_Premultiplied);
        direct.fill(Qt::white);
        QPainter painter(&direct);
        paintPlot(painter, plot, QRectF({0, 0}, size), ThemeKind::Light);
        painter.end();
        // Compared as columns of ink in the middle of the area: text and one pixel of antialiasing
        // differ.
        const QRect middle = layout.area.adjusted(60, 30, -60, -10).toRect();
        int same = 0;
        int all = 0;
        for (int x = middle.left(); x < middle.right(); x += 2) {
            for (int y = middle.top(); y < middle.bottom(); y += 2) {
                const QColor wanted = direct.pixelColor(x, y);
                bool isFound = false;
                for (int dx = -4; dx <= 4 && !isFound; ++dx) {
                    for (int dy = -2; dy <= 2 && !isFound; ++dy) {
                        isFound = near(fromSvg.pixelColor(x + dx, y + dy), wanted, 48);
                    }
                }
                same += isFound ? 1 : 0;
                ++all;
            }
        }
        QVERIFY2(
            same > 0.97 * all,
            qPrintable(QStringLiteral("%1: %2 of %3").arg(QLatin1String(key)).arg(same).arg(all)));
    }
}

void TstCharts::svgSurvivesHostileText() {
    Plot plot = flatLine(5.0, false);
    plot.key = QStringLiteral("a\"b<c");
    plot.title = QStringLiteral("<script>&\"' \x01 \ufffe 首词元");
    plot.series[0].name = QStringLiteral("</title>");
    plot.markers = {{.x = 5, .number = 1, .kind = MarkerKind::Note, .text = plot.title}};
    plot.thresholds = {{.y = 5, .color = ColorRole::Warn, .name = plot.title}};
    const QString svg = QString::fromStdString(writeSvg(plot, {600, 200}));
    QXmlStreamReader reader(svg);
    while (!reader.atEnd()) {
        reader.readNext();
    }
    QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
    QVERIFY(!svg.contains(QStringLiteral("<script>")));
    QVERIFY(QString::fromStdString(svgStyle()).contains(QStringLiteral("prefers-color-scheme")));
}

QTEST_MAIN(TstCharts)
#include "tst_charts.moc"
