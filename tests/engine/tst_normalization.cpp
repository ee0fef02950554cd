#include "engine/base/utf8.h"
#include "engine/tokenizer/normalization.h"
#include "tests/support/cpu_time.h"

#include <QTest>

#include <random>

class TstNormalization : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void knownCases_data();
    void knownCases();
    void randomTextsAgreeWithQt();
    void charactersAmongOthersAgreeWithQt();
    void normalizingTwiceChangesNothing();
    void longRunsOfMarksAreQuick();
};

namespace {

std::string composedBy(const QString& text) {
    return text.normalized(QString::NormalizationForm_C).toStdString();
}

// Characters that decompose, combine, or take part in Hangul; only such as Qt's Unicode knows.
QString randomText(std::mt19937_64& random) {
    static const std::vector<std::pair<char32_t, char32_t>> kRanges = {
        {0x41, 0x7A},     {0xC0, 0x17F},    {0x300, 0x36F},   {0x1E00, 0x1EFF}, {0x1100, 0x11FF},
        {0xAC00, 0xAD00}, {0x900, 0x9FF},   {0x591, 0x5BD},   {0xF00, 0xFFF},   {0x1D15E, 0x1D16E},
        {0x3040, 0x30FF}, {0x2126, 0x212B}, {0xF900, 0xFA20}, {0x340, 0x345},   {0x0, 0x10FFFF}};
    QString text;
    for (std::size_t left = random() % 12; left > 0; --left) {
        const auto [first, last] = kRanges[random() % kRanges.size()];
        const auto code = static_cast<char32_t>(first + random() % (last - first + 1));
        const bool isSurrogate = code >= 0xD800 && code < 0xE000;
        if (!isSurrogate && QChar::unicodeVersion(code) != QChar::Unicode_Unassigned) {
            text += QString::fromUcs4(&code, 1);
        }
    }
    return text;
}

} // namespace

void TstNormalization::knownCases_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char16_t* text, const char16_t* expected) {
        QTest::newRow(name) << QString::fromUtf16(text) << QString::fromUtf16(expected);
    };
    row("empty", u"", u"");
    row("plain", u"plain text", u"plain text");
    row("accent", u"e\u0301", u"\u00E9");
    row("angstrom", u"\u212B", u"\u00C5");
    row("order of marks", u"a\u0301\u0323", u"\u1EA1\u0301");
    row("blocked", u"a\u0302\u0302", u"\u00E2\u0302");
    row("excluded", u"\u0958", u"\u0915\u093C");
    row("Hangul", u"\u1100\u1161\u11A8", u"\uAC01");
    row("syllable and tail", u"\uAC00\u11A8", u"\uAC01");
    row("lone mark", u"\u0301a", u"\u0301a");
}

void TstNormalization::knownCases() {
    QFETCH(QString, text);
    QFETCH(QString, expected);
    QCOMPARE(QString::fromStdString(engine::normalizedC(text.toStdString())), expected);
}

void TstNormalization::randomTextsAgreeWithQt() {
    const auto seed = std::random_device{}();
    std::mt19937_64 random(seed);
    for (int round = 0; round < 20000; ++round) {
        const QString text = randomText(random);
        QVERIFY2(engine::normalizedC(text.toStdString()) == composedBy(text),
                 qPrintable(QStringLiteral("seed %1: %2")
                                .arg(seed)
                                .arg(QString::fromLatin1(text.toUtf8().toHex(' ')))));
    }
}

// Every character of the basic plane that Qt knows, and the pictures (beyond it Qt leaves
// compositions out that Unicode has), after a letter, after a syllable that may take more, and
// before a mark: also those that are taken over without a look at the tables.
void TstNormalization::charactersAmongOthersAgreeWithQt() {
    for (char32_t code = 0; code < 0x1FB00; ++code) {
        const bool isSurrogate = code >= 0xD800 && code < 0xE000;
        const bool isBetween = code >= 0x10000 && code < 0x1F300;
        if (isSurrogate || isBetween || QChar::unicodeVersion(code) == QChar::Unicode_Unassigned) {
            continue;
        }
        const QString character = QString::fromUcs4(&code, 1);
        const QString text = QStringLiteral("a") + character +
                             QStringLiteral("\u0323\u0301 \uAC00") + character + character +
                             QStringLiteral("b");
        const std::string normalized = engine::normalizedC(text.toStdString());
        QVERIFY2(normalized == composedBy(text), qPrintable(QString::number(code, 16)));
    }
}

void TstNormalization::normalizingTwiceChangesNothing() {
    std::mt19937_64 random(5);
    for (int round = 0; round < 3000; ++round) {
        const std::string once = engine::normalizedC(randomText(random).toStdString());
        QVERIFY(engine::normalizedC(once) == once);
        QVERIFY(engine::isValidUtf8(once));
    }
}

void TstNormalization::longRunsOfMarksAreQuick() {
    std::string text = "a";
    for (int i = 0; i < 200'000; ++i) {
        text += i % 2 == 0 ? "\xCC\x81" : "\xCC\xA3"; // two classes, to be sorted
    }
    std::string result;
    const double took = tests::cpuSeconds([&] { result = engine::normalizedC(text); });
    QVERIFY(!result.empty());
    QVERIFY2(took < tests::kLinearSeconds, qPrintable(QString::number(took)));
}

QTEST_APPLESS_MAIN(TstNormalization)
#include "tst_normalization.moc"
