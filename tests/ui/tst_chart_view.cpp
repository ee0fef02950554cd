// A chart as pixels, and what mouse and keys do to the charts of a page.
#include "app/plot/charts.h"
#include "tests/support/example_history.h"
#include "ui/charts/chart_group.h"
#include "ui/charts/chart_view.h"
#include "ui/charts/chart_window.h"
#include "ui/charts/plot_table.h"
#include "ui/theme.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QContextMenuEvent>
#include <QElapsedTimer>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <limits>

using app::ColorRole;
using app::ThemeKind;

namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

app::Series line(const QString& key, ColorRole color, double height) {
    app::Series series{.key = key, .name = key, .color = color, .width = 2.0};
    for (int x = 0; x <= 100; ++x) {
        series.points.emplace_back(x, height);
    }
    return series;
}

app::Plot twoLines() {
    app::Plot plot;
    plot.key = QStringLiteral("test");
    plot.title = QStringLiteral("Test");
    plot.unit = QStringLiteral("ms");
    plot.xMax = 100.0;
    plot.yMax = 100.0;
    plot.series = {line(QStringLiteral("low"), ColorRole::OutputTokens, 20.0),
                   line(QStringLiteral("high"), ColorRole::PromptTokens, 80.0)};
    return plot;
}

bool isNear(const QColor& a, const QColor& b) {
    return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) +
               std::abs(a.blue() - b.blue()) <
           24;
}

// Pixels of a colour in a part of the picture.
int count(const QImage& image, const QColor& color, const QRect& part) {
    int found = 0;
    for (int y = part.top(); y <= part.bottom(); ++y) {
        for (int x = part.left(); x <= part.right(); ++x) {
            found += isNear(image.pixelColor(x, y), color) ? 1 : 0;
        }
    }
    return found;
}

struct Fixture {
    ui::ChartGroup group{nullptr};
    QWidget window;
    ui::ChartView* first = nullptr;
    ui::ChartView* second = nullptr;

    Fixture() {
        window.resize(700, 600);
        first = new ui::ChartView(group, &window);
        first->setGeometry(0, 0, 700, 300);
        second = new ui::ChartView(group, &window);
        second->setGeometry(0, 300, 700, 300);
        group.setEnd(100.0);
        window.show();
    }
    ~Fixture() {
        delete first;
        delete second;
    }
    void show(const app::Plot& plot) const {
        first->setPlot(plot);
        second->setPlot(plot);
    }
    // Plot area of the charts: between the grid's left end and the card's right side.
    static QRect plotPart() { return {60, 60, 620, 200}; }
};

void moveMouse(QWidget* viewport, QPoint position, Qt::MouseButtons buttons = Qt::NoButton) {
    QMouseEvent event(QEvent::MouseMove, QPointF(position),
                      QPointF(viewport->mapToGlobal(position)), Qt::NoButton, buttons,
                      Qt::NoModifier);
    QCoreApplication::sendEvent(viewport, &event);
}

} // namespace

class TstChartView : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void seriesAreDrawnInTheirColour_data();
    void seriesAreDrawnInTheirColour();
    void nothingIsJoinedAcrossAGap();
    void aHiddenSeriesIsNotDrawn();
    void controlClickShowsASeriesAlone();
    void crosshairIsSharedAndLeaves();
    void plotsOfAPageBeginAtOneX();
    void seriesAreHiddenFromTheMenu();
    void hoveringDoesNotMakeThePictureAnew();
    void draggingSelectsAndEscapeClears();
    void wheelZoomsAroundThePointer();
    void keysWalkMarkers();
    void keysMoveTheCrosshairAndSelect();
    void theMarkKeyAsksForABookmark();
    void aChartInAWindowOfItsOwnIsOneOfTheGroup();
    void anEmptyPlotSaysSo();
    void nothingOfTheFrameCoversThePlot();
    void themeSwitchRepaints();
    void tableShowsWhatTheChartShows();
    void copiedValuesHaveNoWordsForGaps();
    void gridStandsAtItsLabelsAtOnce();
    void latenciesHaveALogarithmicAxis();
    void aTickOfTheLivePageIsMeasured();
};

void TstChartView::initTestCase() {
    ui::applyTheme(*qApp, ThemeKind::Dark);
}

void TstChartView::seriesAreDrawnInTheirColour_data() {
    QTest::addColumn<int>("theme");
    QTest::newRow("dark") << static_cast<int>(ThemeKind::Dark);
    QTest::newRow("light") << static_cast<int>(ThemeKind::Light);
}

void TstChartView::seriesAreDrawnInTheirColour() {
    QFETCH(int, theme);
    ui::applyTheme(*qApp, static_cast<ThemeKind>(theme));
    Fixture fixture;
    const app::Plot plot = twoLines();
    fixture.show(plot);
    const QImage image = fixture.first->grab().toImage();
    for (const app::Series& series : plot.series) {
        const int pixels = count(image, ui::color(series.color), Fixture::plotPart());
        QVERIFY2(pixels > 500, qPrintable(series.key));
    }
    ui::applyTheme(*qApp, ThemeKind::Dark);
}

void TstChartView::nothingIsJoinedAcrossAGap() {
    Fixture fixture;
    app::Plot plot = twoLines();
    for (app::Series& series : plot.series) {
        for (QPointF& point : series.points) {
            if (point.x() > 40.0 && point.x() < 60.0) {
                point.setY(kGap);
            }
        }
    }
    fixture.show(plot);
    const QImage image = fixture.first->grab().toImage();
    const QRect all = Fixture::plotPart();
    const QRect middle(all.left() + all.width() * 44 / 100, all.top(), all.width() * 11 / 100,
                       all.height());
    for (const app::Series& series : plot.series) {
        QCOMPARE(count(image, ui::color(series.color), middle), 0);
        QVERIFY(count(image, ui::color(series.color), all) > 200);
    }
}

void TstChartView::aHiddenSeriesIsNotDrawn() {
    Fixture fixture;
    const app::Plot plot = twoLines();
    fixture.show(plot);
    fixture.first->setHiddenSeries({QStringLiteral("low")});
    const QImage image = fixture.first->grab().toImage();
    QCOMPARE(count(image, ui::color(ColorRole::OutputTokens), Fixture::plotPart()), 0);
    // The axis fits what is left, so the line lies at its upper end.
    QCOMPARE(fixture.first->plot().series.size(), std::size_t{2});
    QVERIFY(count(image, ui::color(ColorRole::PromptTokens), QRect(60, 40, 620, 220)) > 500);
}

void TstChartView::controlClickShowsASeriesAlone() {
    Fixture fixture;
    fixture.show(twoLines());
    fixture.first->grab();
    // The legend stands at the right of the title row; its last entry ends at the margin.
    const QPoint last(700 - 20, 18);
    QTest::mouseClick(fixture.first->viewport(), Qt::LeftButton, Qt::ControlModifier, last);
    QCOMPARE(fixture.first->hiddenSeries(), QStringList{QStringLiteral("low")});
    QTest::mouseClick(fixture.first->viewport(), Qt::LeftButton, Qt::ControlModifier, last);
    QCOMPARE(fixture.first->hiddenSeries(), QStringList());
    QTest::mouseClick(fixture.first->viewport(), Qt::LeftButton, Qt::NoModifier, last);
    QCOMPARE(fixture.first->hiddenSeries(), QStringList{QStringLiteral("high")});
}

void TstChartView::crosshairIsSharedAndLeaves() {
    Fixture fixture;
    fixture.show(twoLines());
    moveMouse(fixture.first->viewport(), QPoint(350, 150));
    QVERIFY(fixture.group.crosshair().has_value());
    QVERIFY(std::abs(*fixture.group.crosshair() - 50.0) < 5.0);
    const QImage other = fixture.second->grab().toImage();
    QVERIFY(count(other, ui::color(ColorRole::Crosshair), Fixture::plotPart()) > 100);
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(fixture.first, &leave);
    QVERIFY(!fixture.group.crosshair().has_value());
}

void TstChartView::plotsOfAPageBeginAtOneX() {
    Fixture fixture;
    fixture.show(twoLines());
    app::Plot wide = twoLines();
    wide.yMax = 5'000'000.0; // long labels
    fixture.second->setPlot(wide);
    QCOMPARE(fixture.first->placeOf(0.0).x(), fixture.second->placeOf(0.0).x());
    const int before = fixture.first->placeOf(0.0).x();
    fixture.second->setPlot(twoLines());
    QVERIFY(fixture.first->placeOf(0.0).x() < before); // and gives the room back
    QCOMPARE(fixture.first->placeOf(0.0).x(), fixture.second->placeOf(0.0).x());
}

void TstChartView::seriesAreHiddenFromTheMenu() {
    Fixture fixture;
    fixture.show(twoLines());
    QContextMenuEvent event(QContextMenuEvent::Keyboard, QPoint(50, 50), QPoint(50, 50));
    QCoreApplication::sendEvent(fixture.first, &event);
    auto* menu = fixture.first->findChild<QMenu*>();
    QVERIFY(menu != nullptr);
    QMenu* series = nullptr;
    for (QAction* action : menu->actions()) {
        series = action->text() == QStringLiteral("Series") ? action->menu() : series;
    }
    QVERIFY(series != nullptr);
    QCOMPARE(series->actions().size(), 2);
    QVERIFY(series->actions().front()->isChecked());
    series->actions().front()->trigger();
    QCOMPARE(fixture.first->hiddenSeries().size(), 1);
    menu->close();
}

void TstChartView::hoveringDoesNotMakeThePictureAnew() {
    Fixture fixture;
    app::History history = tests::exampleHistory({});
    const app::Plot plot = app::findChart("ttft")->make(history, {.from = 0, .to = 460});
    fixture.show(plot);
    QCoreApplication::processEvents();
    QElapsedTimer timer;
    timer.start();
    constexpr int kMoves = 100;
    for (int k = 0; k < kMoves; ++k) {
        fixture.group.setCrosshair(100.0 + k);
        QCoreApplication::processEvents();
    }
    const double move = static_cast<double>(timer.nsecsElapsed()) / 1e6 / kMoves;
    timer.start();
    for (int k = 0; k < kMoves; ++k) {
        fixture.show(plot);
        QCoreApplication::processEvents();
    }
    const double tick = static_cast<double>(timer.nsecsElapsed()) / 1e6 / kMoves;
    qInfo("two charts: %.2f ms a move of the crosshair, %.2f ms a tick", move, tick);
    QVERIFY2(move < tick, "hovering costs as much as drawing the data");
}

void TstChartView::draggingSelectsAndEscapeClears() {
    Fixture fixture;
    fixture.show(twoLines());
    QSignalSpy selected(&fixture.group, &ui::ChartGroup::selectionChanged);
    QWidget* viewport = fixture.first->viewport();
    QTest::mousePress(viewport, Qt::LeftButton, Qt::NoModifier, QPoint(500, 150));
    moveMouse(viewport, QPoint(200, 150), Qt::LeftButton);
    QTest::mouseRelease(viewport, Qt::LeftButton, Qt::NoModifier, QPoint(200, 150));
    QVERIFY(selected.count() > 0);
    const auto selection = fixture.group.selection();
    QVERIFY(selection.has_value());
    QVERIFY(selection->first < selection->second); // also when dragged to the left
    QTest::keyClick(fixture.first, Qt::Key_Escape);
    QVERIFY(!fixture.group.selection().has_value());
}

void TstChartView::wheelZoomsAroundThePointer() {
    Fixture fixture;
    fixture.show(twoLines());
    fixture.group.setFollowing(false);
    const double before = fixture.group.view().to() - fixture.group.view().from();
    const QPoint position(350, 150);
    QWheelEvent event(QPointF(position), QPointF(fixture.first->mapToGlobal(position)), QPoint(),
                      QPoint(0, 120), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(fixture.first->viewport(), &event);
    const double after = fixture.group.view().to() - fixture.group.view().from();
    QVERIFY(after < before);
    QVERIFY(std::abs((fixture.group.view().from() + fixture.group.view().to()) / 2.0 - 50.0) < 6.0);
}

void TstChartView::keysWalkMarkers() {
    Fixture fixture;
    app::Plot plot = twoLines();
    plot.markers = {{.x = 10.0, .number = 1}, {.x = 50.0, .number = 2}, {.x = 90.0, .number = 3}};
    fixture.group.setMarkers(plot.markers);
    fixture.show(plot);
    QTest::keyClick(fixture.first, Qt::Key_Period);
    QCOMPARE(fixture.group.crosshair().value_or(-1), 10.0);
    QTest::keyClick(fixture.first, Qt::Key_Period);
    QCOMPARE(fixture.group.crosshair().value_or(-1), 50.0);
    QTest::keyClick(fixture.first, Qt::Key_Comma);
    QCOMPARE(fixture.group.crosshair().value_or(-1), 10.0);
    QTest::keyClick(fixture.first, Qt::Key_Comma);
    QCOMPARE(fixture.group.crosshair().value_or(-1), 10.0); // there is none before
}

void TstChartView::keysMoveTheCrosshairAndSelect() {
    Fixture fixture;
    fixture.show(twoLines());
    QTest::keyClick(fixture.first, Qt::Key_Right);
    const double first = fixture.group.crosshair().value_or(-1);
    QVERIFY(first > 50.0 && first < 51.0); // from the middle of 0 … 100
    QTest::keyClick(fixture.second, Qt::Key_Left, Qt::ShiftModifier);
    const double second = fixture.group.crosshair().value_or(-1);
    const double pixel = 100.0 / fixture.first->plotWidth();
    QVERIFY(std::abs(first - second - 10.0 * pixel) < 1e-9);
    // From here to the end of the data, then only up to a place further right.
    QTest::keyClick(fixture.first, Qt::Key_BracketLeft);
    QCOMPARE(fixture.group.selection()->first, second);
    QCOMPARE(fixture.group.selection()->second, 100.0);
    QTest::keyClick(fixture.first, Qt::Key_Right, Qt::ShiftModifier);
    const double third = fixture.group.crosshair().value_or(-1);
    QTest::keyClick(fixture.first, Qt::Key_BracketRight);
    QCOMPARE(fixture.group.selection()->first, second);
    QCOMPARE(fixture.group.selection()->second, third);
    // An end left of the begin is a selection of nothing, never a negative one.
    fixture.group.setCrosshair(second - 20.0);
    QTest::keyClick(fixture.first, Qt::Key_BracketRight);
    QVERIFY(fixture.group.selection()->first <= fixture.group.selection()->second);
    fixture.group.select(std::pair(20.0, 40.0));
    QTest::keyClick(fixture.first, Qt::Key_Z);
    QCOMPARE(fixture.group.view().from(), 20.0);
    QCOMPARE(fixture.group.view().to(), 40.0);
}

void TstChartView::theMarkKeyAsksForABookmark() {
    Fixture fixture;
    fixture.show(twoLines());
    QSignalSpy asked(&fixture.group, &ui::ChartGroup::bookmarkRequested);
    QTest::keyClick(fixture.first, Qt::Key_M);
    QCOMPARE(asked.count(), 0); // a log that is only read takes none
    fixture.group.setTakesBookmarks(true);
    QTest::keyClick(fixture.first, Qt::Key_M);
    QCOMPARE(asked.takeFirst().front().toDouble(), 100.0); // the newest
    fixture.group.setCrosshair(42.0);
    QTest::keyClick(fixture.second, Qt::Key_M);
    QCOMPARE(asked.takeFirst().front().toDouble(), 42.0);
}

void TstChartView::aChartInAWindowOfItsOwnIsOneOfTheGroup() {
    Fixture fixture;
    fixture.show(twoLines());
    {
        ui::ChartWindow window(fixture.group, &fixture.window);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.chart()->setPlot(twoLines());
        QCOMPARE(fixture.group.charts().size(), 3U);
        QTest::keyClick(&window, Qt::Key_Right);
        QVERIFY(fixture.group.crosshair().has_value());
        const QImage image = window.chart()->grab().toImage();
        const int crosshair =
            count(image, ui::color(ColorRole::Crosshair), QRect(0, 60, image.width(), 200));
        QVERIFY(crosshair > 100);
        QSignalSpy closed(&window, &ui::ChartWindow::closed);
        QTest::keyClick(&window, Qt::Key_W, Qt::ControlModifier);
        QCOMPARE(closed.count(), 1);
    }
    QCOMPARE(fixture.group.charts().size(), 2U);
}

void TstChartView::anEmptyPlotSaysSo() {
    Fixture fixture;
    app::Plot plot;
    plot.title = QStringLiteral("Nothing");
    plot.emptyText = QStringLiteral("No data in this span");
    fixture.show(plot);
    const QImage image = fixture.first->grab().toImage();
    QVERIFY(count(image, ui::color(ColorRole::Text3), QRect(250, 100, 250, 100)) > 20);
}

// The frame has a ground and a title of its own; neither is shown.
void TstChartView::nothingOfTheFrameCoversThePlot() {
    Fixture fixture;
    fixture.show(twoLines());
    QVERIFY(!fixture.first->chart()->isBackgroundVisible());
    const QImage picture = fixture.first->grab().toImage();
    for (const QPoint corner : {QPoint(10, 4), QPoint(60, 5)}) {
        const QColor ground = picture.pixelColor(corner * picture.devicePixelRatio());
        QVERIFY2(isNear(ground, ui::color(ColorRole::Card)), qPrintable(ground.name()));
    }
}

void TstChartView::themeSwitchRepaints() {
    Fixture fixture;
    fixture.show(twoLines());
    const QPoint inside(5, 150);
    QVERIFY(isNear(fixture.first->grab().toImage().pixelColor(inside), ui::color(ColorRole::Card)));
    ui::applyTheme(*qApp, ThemeKind::Light);
    QVERIFY(isNear(fixture.first->grab().toImage().pixelColor(inside), ui::color(ColorRole::Card)));
    ui::applyTheme(*qApp, ThemeKind::Dark);
}

void TstChartView::tableShowsWhatTheChartShows() {
    ui::PlotTable table(nullptr);
    QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
    table.setPlot(twoLines());
    QCOMPARE(table.rowCount(), 101);
    QCOMPARE(table.columnCount(), 3);
    QCOMPARE(table.index(0, 0).data().toString(), QStringLiteral("01:40")); // newest first
    QCOMPARE(table.index(0, 2).data().toString(), QStringLiteral("80.0"));
    Fixture fixture;
    fixture.show(twoLines());
    QTest::keyClick(fixture.first, Qt::Key_T);
    QVERIFY(fixture.first->isTableShown());
    QTest::keyClick(fixture.first, Qt::Key_Escape);
    QVERIFY(!fixture.first->isTableShown());
}

void TstChartView::copiedValuesHaveNoWordsForGaps() {
    app::Plot plot = twoLines();
    plot.series[0].points[50].setY(kGap);
    const QStringList lines = ui::plotAsText(plot).split(QLatin1Char('\n'));
    QCOMPARE(lines.size(), 102);
    QCOMPARE(lines[0], QStringLiteral("seconds\tlow\thigh"));
    QCOMPARE(lines[51], QStringLiteral("50.000\t\t80"));
}

// Also right after a chart was resized, when Qt Charts has not laid its axes out yet.
void TstChartView::gridStandsAtItsLabelsAtOnce() {
    Fixture at;
    for (const int height : {300, 160, 260}) {
        at.first->setGeometry(0, 0, 700, height);
        at.show(twoLines());
        const QImage image = at.first->grab().toImage();
        const auto rowsOf = [&](ColorRole role) {
            std::vector<int> rows;
            for (int y = 0; y < image.height(); ++y) {
                int same = 0;
                for (int x = 100; x < 650; ++x) {
                    same += image.pixelColor(x, y) == color(ui::themeKind(), role) ? 1 : 0;
                }
                if (same > 500) {
                    rows.push_back(y);
                }
            }
            return rows;
        };
        std::vector<int> rows = rowsOf(ColorRole::Grid);
        const std::vector<int> zero = rowsOf(ColorRole::Axis);
        QCOMPARE(zero.size(), std::size_t{1});
        // 0 to 100 in steps of 20; the lines of the data lie over 20 and 80.
        QCOMPARE(rows.size(), std::size_t{3});
        const double step = (zero.front() - rows.front()) / 5.0;
        QVERIFY(step > 10.0);
        for (const auto& [row, steps] : {std::pair(rows[1], 3.0), std::pair(rows[2], 2.0)}) {
            QVERIFY2(std::abs(zero.front() - steps * step - row) <= 1.5,
                     qPrintable(QString::number(row)));
        }
    }
}

void TstChartView::latenciesHaveALogarithmicAxis() {
    Fixture at;
    app::Plot plot = twoLines();
    plot.series[0] = line(QStringLiteral("low"), ColorRole::OutputTokens, 2.0);
    at.show(plot);
    const QColor low = color(ui::themeKind(), ColorRole::OutputTokens);
    const auto rowOf = [&] {
        const QImage image = at.first->grab().toImage();
        int lowest = 0;
        for (int y = 0; y < image.height(); ++y) {
            lowest = count(image, low, QRect(200, y, 200, 1)) > 100 ? y : lowest;
        }
        return lowest;
    };
    const int linear = rowOf();
    QSignalSpy changed(at.first, &ui::ChartView::logarithmicChanged);
    QTest::keyClick(at.first, Qt::Key_L);
    QVERIFY(at.first->isLogarithmic() && !at.second->isLogarithmic());
    QCOMPARE(changed.count(), 1);
    // 2 of 100 lies just above zero; on an axis from 2 to 100 it lies at the foot.
    at.show(plot);
    QVERIFY(at.first->isLogarithmic()); // of the chart, not of one plot
    QVERIFY(std::abs(rowOf() - linear) <= 8);
    plot.series[1] = line(QStringLiteral("high"), ColorRole::PromptTokens, 0.1);
    at.show(plot);
    QVERIFY(rowOf() < linear - 100); // the greater one now, at the top
    // Nothing of a chart that is not of latencies.
    plot.unit = QStringLiteral("tokens/s");
    at.show(plot);
    QTest::keyClick(at.second, Qt::Key_L);
    QVERIFY(!at.second->isLogarithmic());
    QTest::keyClick(at.first, Qt::Key_L);
    QVERIFY(at.first->isLogarithmic()); // it has none to leave
}

void TstChartView::aTickOfTheLivePageIsMeasured() {
    const app::History history = tests::exampleHistory({});
    ui::ChartGroup group(nullptr);
    QWidget window;
    window.resize(1056, 560);
    std::vector<std::pair<const app::ChartRow*, ui::ChartView*>> charts;
    for (const app::ChartRow& row : app::chartTable()) {
        if (row.isDefault) {
            const int index = static_cast<int>(charts.size());
            auto* view = new ui::ChartView(group, &window);
            view->setGeometry((index % 2) * 528, (index / 2) * 280, 520, 272);
            charts.emplace_back(&row, view);
        }
    }
    window.show();
    QCoreApplication::processEvents();
    std::vector<double> turns;
    for (int tick = 0; tick < 25; ++tick) {
        for (const auto& [row, view] : charts) {
            QElapsedTimer timer;
            timer.start();
            view->setPlot(row->make(
                history,
                {.from = 0.1 * tick, .to = 440.0 + 0.1 * tick, .maxPoints = view->plotWidth()}));
            QCoreApplication::processEvents();
            turns.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
        }
    }
    std::ranges::sort(turns);
    qInfo("a turn of one chart, x following: p50 %.1f ms, p95 %.1f ms, max %.1f ms",
          turns[turns.size() / 2], turns[turns.size() * 95 / 100], turns.back());
    QVERIFY2(turns[turns.size() / 2] < 100.0, "drawing one chart takes a tick");
    for (const auto& chart : charts) {
        delete chart.second;
    }
}

QTEST_MAIN(TstChartView)
#include "tst_chart_view.moc"
