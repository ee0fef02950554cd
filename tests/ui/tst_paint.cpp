// The cheap ways to paint boxes and words against what QPainter itself makes of them.
#include "ui/theme.h"
#include "ui/widgets/paint.h"

#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <QTest>

#include <algorithm>
#include <cstdlib>

namespace {

QImage paper() {
    QImage image(220, 60, QImage::Format_RGB32);
    image.fill(Qt::black);
    return image;
}

int farthest(const QImage& a, const QImage& b) {
    int most = 0;
    for (int y = 0; y < a.height(); ++y) {
        for (int x = 0; x < a.width(); ++x) {
            most = std::max(most, std::abs(qGray(a.pixel(x, y)) - qGray(b.pixel(x, y))));
        }
    }
    return most;
}

// The box around everything that is not black.
QRect inkOf(const QImage& image) {
    QRect ink;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            if (qGray(image.pixel(x, y)) > 40) {
                ink |= QRect(x, y, 1, 1);
            }
        }
    }
    return ink;
}

} // namespace

class TestPaint : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void boxesAreRoundedAsAPathIs_data() {
        QTest::addColumn<QRectF>("bounds");
        QTest::addColumn<double>("radius");
        QTest::newRow("card") << QRectF(2, 2, 200, 50) << 8.0;
        QTest::newRow("pin") << QRectF(10, 10, 14, 14) << 3.0;
        QTest::newRow("square") << QRectF(4, 4, 30, 20) << 0.0;
        QTest::newRow("rounder than it is high") << QRectF(4, 4, 60, 12) << 40.0;
    }

    void boxesAreRoundedAsAPathIs() {
        QFETCH(const QRectF, bounds);
        QFETCH(const double, radius);
        QImage own = paper(), path = paper();
        QPainter ownPainter(&own);
        ui::paintBox(ownPainter, bounds, Qt::darkGray, Qt::white, radius);
        ownPainter.end();
        QPainter painter(&path);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(Qt::white, 1.0));
        painter.setBrush(Qt::darkGray);
        const double round = std::min(radius, bounds.height() / 2.0); // a pill, not an ellipse
        painter.drawRoundedRect(bounds.adjusted(0.5, 0.5, -0.5, -0.5), round, round);
        painter.end();
        // A corner's pixels may differ by a shade; a gap or a side out of place is white on black.
        QVERIFY2(farthest(own, path) < 110, qPrintable(QString::number(farthest(own, path))));
        QVERIFY(inkOf(own) == inkOf(path));
    }

    void wordsStandWhereTheyAreAsked_data() {
        QTest::addColumn<int>("alignment");
        QTest::newRow("left") << int(Qt::AlignLeft | Qt::AlignVCenter);
        QTest::newRow("right") << int(Qt::AlignRight | Qt::AlignVCenter);
        QTest::newRow("centre") << int(Qt::AlignCenter);
    }

    void wordsStandWhereTheyAreAsked() {
        QFETCH(const int, alignment);
        const QFont font = ui::font(ui::type::kBody, QFont::DemiBold);
        const QRectF bounds(20, 10, 150, 30);
        const QString text = QStringLiteral("12,345.6 tokens");
        for (int round = 0; round < 2; ++round) { // the second time from what is known
            QImage own = paper(), plain = paper();
            QPainter ownPainter(&own);
            const double used = ui::paintText(ownPainter, bounds, text, font, Qt::white,
                                              Qt::Alignment::fromInt(alignment));
            ownPainter.end();
            QPainter painter(&plain);
            painter.setFont(font);
            painter.setPen(Qt::white);
            painter.drawText(bounds, alignment | Qt::TextSingleLine, text);
            painter.end();
            QCOMPARE(used, QFontMetricsF(font).horizontalAdvance(text));
            const QRect a = inkOf(own), b = inkOf(plain);
            QVERIFY(!a.isEmpty());
            QVERIFY(std::abs(a.left() - b.left()) <= 1 && std::abs(a.right() - b.right()) <= 1);
            QVERIFY(std::abs(a.top() - b.top()) <= 1 && std::abs(a.bottom() - b.bottom()) <= 1);
        }
    }

    void longWordsEndInDots() {
        const QFont font = ui::font(ui::type::kBody);
        const QString text(200, QLatin1Char('m'));
        QImage image = paper();
        QPainter painter(&image);
        QCOMPARE(ui::paintText(painter, QRectF(20, 10, 100, 30), text, font, Qt::white), 100.0);
        painter.end();
        const QRect ink = inkOf(image);
        QVERIFY(ink.left() >= 19 && ink.right() <= 121);
    }

    void manyTextsAreForgottenNotMixed() {
        const QFont small = ui::font(ui::type::kCaption), large = ui::font(ui::type::kTtft);
        for (int i = 0; i < 5000; ++i) {
            const QString text = QString::number(i);
            QCOMPARE(ui::textWidth(small, text), QFontMetricsF(small).horizontalAdvance(text));
        }
        const QString text = QStringLiteral("4999");
        QCOMPARE(ui::textWidth(large, text), QFontMetricsF(large).horizontalAdvance(text));
        QVERIFY(ui::textWidth(large, text) > ui::textWidth(small, text));
    }
};

QTEST_MAIN(TestPaint)
#include "tst_paint.moc"
