#include "engine/loop/answer_text.h"

#include <QTest>

#include <random>

using engine::AnswerText;

class TstAnswerText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void textPassesWithoutStops();
    void stopIsFoundWhereverTokensSplitIt();
    void whatOnlyBeginsAStopIsReleased();
    void earliestStopWins();
    void charactersAreWhole();
    void nothingAfterTheStop();
};

void TstAnswerText::textPassesWithoutStops() {
    AnswerText text({""});
    QCOMPARE(text.push("ab"), std::string("ab"));
    QCOMPARE(text.push(""), std::string());
    QCOMPARE(text.flush(), std::string());
    QVERIFY(!text.isStopped());
}

void TstAnswerText::stopIsFoundWhereverTokensSplitIt() {
    const std::string whole = "one two ###STOP three";
    std::mt19937 random(4);
    for (int round = 0; round < 300; ++round) {
        AnswerText text({"###STOP", "nowhere"});
        std::string shown;
        for (std::size_t at = 0; at < whole.size();) {
            const std::size_t length = 1 + random() % 6;
            shown += text.push(whole.substr(at, length));
            at += length;
            QVERIFY(shown.find('#') == std::string::npos);
        }
        shown += text.flush();
        QCOMPARE(shown, std::string("one two "));
        QVERIFY(text.isStopped());
    }
}

void TstAnswerText::whatOnlyBeginsAStopIsReleased() {
    AnswerText text({"aab"});
    std::string shown = text.push("xa");
    QCOMPARE(shown, std::string("x"));
    shown += text.push("a");
    shown += text.push("a"); // "aaa": the last two may still begin it
    QCOMPARE(shown, std::string("xa"));
    shown += text.push("c");
    QCOMPARE(shown, std::string("xaaac"));
    shown += text.push("aa");
    shown += text.flush();
    QCOMPARE(shown, std::string("xaaacaa"));
    QVERIFY(!text.isStopped());
}

void TstAnswerText::earliestStopWins() {
    AnswerText text({"world", "lo"});
    QCOMPARE(text.push("hello world"), std::string("hel"));
    QVERIFY(text.isStopped());
}

void TstAnswerText::charactersAreWhole() {
    AnswerText text({});
    const std::string smile = "\xf0\x9f\x98\x80";
    QCOMPARE(text.push(smile.substr(0, 2)), std::string());
    QCOMPARE(text.push(smile.substr(2)), smile);
    QCOMPARE(text.push("\xe4\xbd"), std::string());
    QCOMPARE(text.flush(), std::string("\xef\xbf\xbd"));
}

void TstAnswerText::nothingAfterTheStop() {
    AnswerText text({"."});
    QCOMPARE(text.push("a.b"), std::string("a"));
    QCOMPARE(text.push("c"), std::string());
    QCOMPARE(text.flush(), std::string());
}

QTEST_APPLESS_MAIN(TstAnswerText)
#include "tst_answer_text.moc"
