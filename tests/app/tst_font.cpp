// The product's font: its ten digits are equally wide in every weight and size, so that numbers in
// tables and tiles do not jitter. Skipped where the build could not make the font.
#include <QDirIterator>
#include <QFontDatabase>
#include <QFontMetricsF>
#include <QTest>

class TstFont : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void digitsAreEquallyWide();
};

void TstFont::digitsAreEquallyWide() {
    QSet<QString> families;
    int files = 0;
    for (QDirIterator it(QStringLiteral(HEADWAY_BINARY_DIR "/fonts"), {QStringLiteral("*.otf")});
         it.hasNext();) {
        const int id = QFontDatabase::addApplicationFont(it.next());
        QVERIFY2(id >= 0, qPrintable(it.filePath()));
        const QStringList loaded = QFontDatabase::applicationFontFamilies(id);
        families += QSet<QString>(loaded.begin(), loaded.end());
        ++files;
    }
    if (files == 0) {
        QSKIP("the font was not built (headway was not, or fonts-inter or fonttools were missing)");
    }
    QCOMPARE(files, 3);
    QCOMPARE(families, QSet<QString>{QStringLiteral("Headway Sans")}); // weights of one family
    for (const QFont::Weight weight : {QFont::Normal, QFont::Medium, QFont::DemiBold}) {
        for (int pixels = 11; pixels <= 30; ++pixels) {
            QFont font(QStringLiteral("Headway Sans"));
            font.setWeight(weight);
            font.setPixelSize(pixels);
            const QFontMetricsF metrics(font);
            const double zero = metrics.horizontalAdvance(QStringLiteral("0000"));
            for (int digit = 1; digit < 10; ++digit) {
                const QString four(4, QLatin1Char(static_cast<char>('0' + digit)));
                QCOMPARE(metrics.horizontalAdvance(four), zero);
            }
        }
    }
}

QTEST_MAIN(TstFont)
#include "tst_font.moc"
