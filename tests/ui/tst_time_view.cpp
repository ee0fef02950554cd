// The span that charts show: following, releasing, zooming around a place.
#include "ui/charts/time_view.h"

#include <QTest>

#include <cmath>
#include <random>

using ui::SpanChoice;
using ui::TimeView;

class TstTimeView : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aYoungRunShowsAMinute();
    void runFollowsItsEnd();
    void aSpanFollowsTheRightEdge();
    void releasingStaysInPlace();
    void zoomKeepsThePlaceUnderThePointer();
    void zoomOfAFollowingViewKeepsTheRightEdge();
    void panStopsAtTheEnds();
    void anEndThatFellBackIsAnotherRun();
    void aShownSpanIsExact();
    void anHourAndADayFollow();
    void anyWalkKeepsAValidSpan();
};

void TstTimeView::aYoungRunShowsAMinute() {
    TimeView view;
    view.setEnd(3.0);
    QCOMPARE(view.from(), 0.0);
    QCOMPARE(view.to(), TimeView::kFirstSpan);
}

void TstTimeView::runFollowsItsEnd() {
    TimeView view;
    view.setEnd(400.0);
    QCOMPARE(view.from(), 0.0);
    QCOMPARE(view.to(), 400.0);
}

void TstTimeView::aSpanFollowsTheRightEdge() {
    TimeView view;
    view.choose(SpanChoice::FiveMinutes);
    view.setEnd(1000.0);
    QCOMPARE(view.from(), 700.0);
    QCOMPARE(view.to(), 1000.0);
    view.setEnd(1001.0);
    QCOMPARE(view.to(), 1001.0);
}

void TstTimeView::aShownSpanIsExact() {
    TimeView view;
    view.setEnd(500.0);
    view.show(120.0, 140.0);
    QCOMPARE(view.from(), 120.0);
    QCOMPARE(view.to(), 140.0);
    QVERIFY(!view.isFollowing());
    view.show(0.0, 0.0); // a point: the least there is to see
    QCOMPARE(view.from(), 0.0);
    QCOMPARE(view.to(), TimeView::kLeastSpan);
}

void TstTimeView::anHourAndADayFollow() {
    TimeView view;
    view.setEnd(100'000.0);
    view.choose(SpanChoice::Hour);
    QCOMPARE(view.from(), 96'400.0);
    view.choose(SpanChoice::Day);
    QCOMPARE(view.from(), 13'600.0);
    view.setEnd(100'010.0);
    QCOMPARE(view.to(), 100'010.0);
}

void TstTimeView::releasingStaysInPlace() {
    TimeView view;
    view.choose(SpanChoice::OneMinute);
    view.setEnd(200.0);
    view.release();
    view.setEnd(300.0);
    QCOMPARE(view.from(), 140.0);
    QCOMPARE(view.to(), 200.0);
    view.follow();
    QCOMPARE(view.to(), 300.0);
    QCOMPARE(view.to() - view.from(), 60.0);
}

void TstTimeView::zoomKeepsThePlaceUnderThePointer() {
    TimeView view;
    view.setEnd(1000.0);
    view.release();
    const double at = 300.0;
    const double share = (at - view.from()) / (view.to() - view.from());
    view.zoom(0.5, at);
    QVERIFY(std::abs((at - view.from()) / (view.to() - view.from()) - share) < 1e-9);
    QCOMPARE(view.to() - view.from(), 500.0);
}

void TstTimeView::zoomOfAFollowingViewKeepsTheRightEdge() {
    TimeView view;
    view.setEnd(1000.0);
    view.zoom(0.25, 100.0);
    QVERIFY(view.isFollowing());
    QCOMPARE(view.to(), 1000.0);
    QCOMPARE(view.from(), 750.0);
    view.setEnd(1010.0);
    QCOMPARE(view.from(), 760.0);
}

void TstTimeView::panStopsAtTheEnds() {
    TimeView view;
    view.choose(SpanChoice::OneMinute);
    view.setEnd(600.0);
    view.pan(-100.0);
    QVERIFY(!view.isFollowing());
    QCOMPARE(view.from(), 0.0);
    QCOMPARE(view.to(), 60.0);
    view.pan(100.0);
    QCOMPARE(view.to(), 600.0);
}

void TstTimeView::anEndThatFellBackIsAnotherRun() {
    TimeView view;
    view.setEnd(600.0);
    view.zoom(0.1, 100.0);
    view.pan(-0.5);
    view.setEnd(0.5);
    QVERIFY(view.isFollowing());
    QCOMPARE(view.span(), SpanChoice::Run);
    QCOMPARE(view.from(), 0.0);
}

void TstTimeView::anyWalkKeepsAValidSpan() {
    const unsigned seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> any(0.0, 1.0);
    TimeView view;
    double end = 0.0;
    for (int step = 0; step < 20'000; ++step) {
        switch (random() % 7) {
        case 0:
            end += 10.0 * any(random);
            view.setEnd(end);
            break;
        case 1:
            view.zoom(0.2 + 4.0 * any(random),
                      view.from() + any(random) * (view.to() - view.from()));
            break;
        case 2:
            view.pan(4.0 * any(random) - 2.0);
            break;
        case 3:
            view.center(end * any(random));
            break;
        case 4:
            view.follow();
            break;
        case 5:
            view.release();
            break;
        default:
            view.choose(static_cast<SpanChoice>(random() % 4));
        }
        QVERIFY(view.from() >= -1e-9);
        QVERIFY(view.to() - view.from() >= TimeView::kLeastSpan - 1e-9);
        QVERIFY(std::isfinite(view.to()));
    }
}

QTEST_APPLESS_MAIN(TstTimeView)
#include "tst_time_view.moc"
