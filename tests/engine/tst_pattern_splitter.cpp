// Splitting by patterns from outside: behaviours, the dialect, and patterns that mean harm.
#include "engine/base/failure.h"
#include "engine/tokenizer/pattern_dialect.h"
#include "engine/tokenizer/pattern_splitter.h"
#include "engine/tokenizer/pretokenizer.h"
#include "tests/support/cpu_time.h"

#include <QTest>

using engine::SplitBehavior;
using engine::SplitStep;

class TstPatternSplitter : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void behavioursAreThoseOfTokenizerJson_data();
    void behavioursAreThoseOfTokenizerJson();
    void theDialectIsOnigurumas_data();
    void theDialectIsOnigurumas();
    void stepsWorkOnPiecesApart();
    void emptyMatchesCutNothingAway();
    void hostilePatternsAreStopped_data();
    void hostilePatternsAreStopped();
    void badPatternsAreNamed_data();
    void badPatternsAreNamed();
    void longMatchesNeedNoDeepStack();
};

namespace {

QString joined(const std::vector<SplitStep>& steps, const std::string& text,
               engine::PatternLimits limits = {}) {
    QStringList words;
    for (const std::string_view word :
         engine::wordsOf(*engine::makePatternSplitter(steps, limits), text)) {
        words << QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()));
    }
    return words.join(QLatin1Char('|'));
}

} // namespace

void TstPatternSplitter::behavioursAreThoseOfTokenizerJson_data() {
    QTest::addColumn<int>("behavior");
    QTest::addColumn<bool>("inverts");
    QTest::addColumn<QString>("words");
    // What the tokenizers library makes of "the-final--countdown" and the pattern "-".
    const auto row = [](const char* tag, SplitBehavior behavior, bool inverts, const char* words) {
        QTest::newRow(tag) << static_cast<int>(behavior) << inverts << QString::fromLatin1(words);
    };
    row("isolated", SplitBehavior::Isolated, false, "the|-|final|-|-|countdown");
    row("removed", SplitBehavior::Removed, false, "the|final|countdown");
    row("with previous", SplitBehavior::MergedWithPrevious, false, "the-|final-|-|countdown");
    row("with next", SplitBehavior::MergedWithNext, false, "the|-final|-|-countdown");
    row("contiguous", SplitBehavior::Contiguous, false, "the|-|final|--|countdown");
    row("isolated, inverted", SplitBehavior::Isolated, true, "the|-|final|-|-|countdown");
    row("removed, inverted", SplitBehavior::Removed, true, "-|-|-");
}

void TstPatternSplitter::behavioursAreThoseOfTokenizerJson() {
    QFETCH(int, behavior);
    QFETCH(bool, inverts);
    QFETCH(QString, words);
    const SplitStep step{.pattern = "-",
                         .isLiteral = true,
                         .behavior = static_cast<SplitBehavior>(behavior),
                         .inverts = inverts};
    QCOMPARE(joined({step}, "the-final--countdown"), words);
}

void TstPatternSplitter::theDialectIsOnigurumas_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* pattern, const char* text, const char* words) {
        QTest::newRow(pattern) << QString::fromUtf8(pattern) << QString::fromUtf8(text)
                               << QString::fromUtf8(words);
    };
    row(R"(\s+)", "a\xC2\x85 b\xE2\x80\x8B", "a|\xC2\x85 |b\xE2\x80\x8B"); // U+0085, U+200B
    row(R"([^\s]+)", "a\xC2\x85 b", "a|\xC2\x85 |b");
    row(R"([\S]+)", "a\xC2\x85 b", "a|\xC2\x85 |b");
    row(R"(\S+)", "a\xC2\x85 b", "a|\xC2\x85 |b");
    row(R"(\w+)", "e\xCC\x81t_1-", "e\xCC\x81t_1|-"); // a combining mark is of the word
    row(R"(\h+)", "xBEEFy 0", "x|BEEF|y |0");
    row(R"([\p{L}&&[^\p{Han}]]+)",
        "ab\xE4\xB8\xAD"
        "c",
        "ab|\xE4\xB8\xAD|c");
    row(R"([a-z&&[^aeiou]]+)", "strength", "str|e|ngth");
    row(R"([[a-c][x-z]]+)", "abxmz", "abx|m|z");
    row(R"([^[a-c][^a-y]]+)", "abxmz", "ab|xm|z");
    row(R"([0-9[^\W]]+)", "ab-1", "ab|-|1");
    row(R"([\[\]]+)", "a[]b", "a|[]|b");
    row(R"([]a]+)", "b]a", "b|]a");
    row(R"([[:digit:]]+)", "a12", "a|12");
    row(R"(\u4e00+)", "a\xE4\xB8\x80\xE4\xB8\x80", "a|\xE4\xB8\x80\xE4\xB8\x80");
    row(R"((?i:'s|'t)|\d{1,3})", "it'S1234", "it|'S|123|4");
    row(R"(^b)", "b\nb b", "b|\n|b| b"); // ^ holds at every line
    row(R"(a++|b*+)", "aab", "aa|b");
    row(R"((?<=a)b)", "abcb", "a|b|cb"); // looks behind into the piece
}

void TstPatternSplitter::theDialectIsOnigurumas() {
    QFETCH(QString, pattern);
    QFETCH(QString, text);
    QFETCH(QString, words);
    QCOMPARE(joined({{.pattern = pattern.toStdString()}}, text.toStdString()), words);
}

void TstPatternSplitter::stepsWorkOnPiecesApart() {
    // The white space before a number is the end of its piece, so all of it is one word.
    QCOMPARE(joined({{.pattern = R"(\d+)"}, {.pattern = R"(\s+(?!\S)|\s+)"}}, "a  1  b"),
             QStringLiteral("a|  |1| | |b"));
    QCOMPARE(joined({}, "as it is"), QStringLiteral("as it is"));
    QCOMPARE(joined({{.pattern = "a"}}, ""), QString());
    const std::string special = "a.b*c[d]e\\f";
    for (const char byte : special) {
        const SplitStep step{.pattern = std::string(1, byte), .isLiteral = true};
        QCOMPARE(joined({step}, special).remove(QLatin1Char('|')).toStdString(), special);
        QVERIFY(joined({step}, special).count(QLatin1Char('|')) >= 1);
    }
}

void TstPatternSplitter::emptyMatchesCutNothingAway() {
    for (const char* pattern : {"x*", "(?=b)", "", "a?", "$"}) {
        QString words = joined({{.pattern = pattern}}, "aab\xE4\xB8\xAD\n"
                                                       "b");
        QCOMPARE(words.remove(QLatin1Char('|')), QString::fromUtf8("aab\xE4\xB8\xAD\n"
                                                                   "b"));
    }
    QCOMPARE(joined({{.pattern = "(?=b)"}}, "abab"), QStringLiteral("a|ba|b"));
}

void TstPatternSplitter::hostilePatternsAreStopped_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("unit");
    const auto row = [](const char* pattern, const char* unit) {
        QTest::newRow(pattern) << QString::fromLatin1(pattern) << QString::fromLatin1(unit);
    };
    row("(a+)+$", "a");
    row("(?:a|a)*b", "a");
    row("(a|aa)+$", "a");
    row("(.*)*x", "ab");
    row("(?:(?:a?){20}a{20}){9}b", "a");
    row("a*b", "a"); // not exponential, but square in the text
}

void TstPatternSplitter::hostilePatternsAreStopped() {
    QFETCH(QString, pattern);
    QFETCH(QString, unit);
    std::string text;
    while (text.size() < 300'000) {
        text += unit.toStdString();
    }
    text += "!";
    const engine::PatternLimits limits{.stepsOfMatch = 1'000'000,
                                       .whole = std::chrono::milliseconds(100)};
    const auto splitter = engine::makePatternSplitter({{.pattern = pattern.toStdString()}}, limits);
    QString message;
    const double took = tests::cpuSeconds([&] {
        try {
            engine::wordsOf(*splitter, text);
        } catch (const engine::Failure& failure) {
            message = QString::fromUtf8(failure.what());
        }
    });
    // PCRE2 sees through some of them: then there is nothing to stop.
    QVERIFY2(message.isEmpty() || message.contains(pattern), qPrintable(message));
    QVERIFY2(took < tests::kLinearSeconds, qPrintable(QString::number(took)));
    if (pattern == QLatin1String("(a|aa)+$")) {
        QVERIFY(message.contains(QLatin1String("too much work")));
    }
}

void TstPatternSplitter::badPatternsAreNamed_data() {
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("mentions");
    QTest::newRow("open group") << "ab("
                                << "\"ab(\"";
    QTest::newRow("moves its own beginning") << "(?=ab\\K)"
                                             << "can't be used";
    QTest::newRow("open class") << "ab[x"
                                << "\"ab[x\"";
    QTest::newRow("unknown class") << "\\p{Nonsense}"
                                   << "unknown property";
    QTest::newRow("repeats beyond reason") << "((a{1000}){1000}){1000}"
                                           << "can't be used";
    QTest::newRow("nests beyond reason")
        << QString(QLatin1Char('(')).repeated(500) + QString(QLatin1Char(')')).repeated(500)
        << "can't be used";
    QTest::newRow("classes beyond reason")
        << QString(QLatin1Char('[')).repeated(5000) << "can't be used";
    QTest::newRow("too long") << QString(QLatin1Char('a')).repeated(70'000) << "70000 bytes";
    QTest::newRow("ends in a backslash") << "a\\"
                                         << "can't be used";
}

void TstPatternSplitter::badPatternsAreNamed() {
    QFETCH(QString, pattern);
    QFETCH(QString, mentions);
    try {
        engine::makeSplitter({{.pattern = pattern.toStdString()}});
        QFAIL("it was taken");
    } catch (const engine::Failure& failure) {
        const QString message = QString::fromUtf8(failure.what());
        QVERIFY2(message.contains(mentions), qPrintable(message));
        QVERIFY(message.size() < 500);
    }
}

void TstPatternSplitter::longMatchesNeedNoDeepStack() {
    const std::string text(2'000'000, 'a');
    for (const char* pattern : {"a+", "(?:a)+", "(a)+", "(?:a|b)+", "[a-z]+|b"}) {
        const auto splitter = engine::makePatternSplitter({{.pattern = pattern}});
        try {
            QCOMPARE(engine::wordsOf(*splitter, text).size(), std::size_t{1});
        } catch (const engine::Failure& failure) {
            // A group that remembers each of two million turns may say that it can't.
            QVERIFY2(QString::fromUtf8(failure.what()).contains(QLatin1String(pattern)),
                     failure.what());
            QVERIFY(std::string_view(pattern).starts_with("("));
        }
    }
}

QTEST_APPLESS_MAIN(TstPatternSplitter)
#include "tst_pattern_splitter.moc"
