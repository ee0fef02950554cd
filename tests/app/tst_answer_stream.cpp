#include "app/answer_stream.h"

#include <QSignalSpy>
#include <QTest>

#include <thread>

using namespace std::chrono_literals;

class TstAnswerStream : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void textArrivesInOrderFromAnotherThread();
    void whatCameBeforeIsNotLost();
    void refusalHasAMessageAndNoFigures();
    void figuresComeFromTheRecordAfterTheEnd();
    void streamMayOutliveItsFace();
    void aFastWriterDoesNotFloodTheLoop();
};

namespace {

std::shared_ptr<engine::TokenStream> makeStream() {
    return std::make_shared<engine::TokenStream>(engine::RequestId{7});
}

std::shared_ptr<engine::RequestRecord> makeRecord() {
    auto record = std::make_shared<engine::RequestRecord>();
    const engine::TimePoint start{};
    record->outputTokens = 11;
    record->stamps.scheduled = start + 1s;
    record->stamps.firstVisible = start + 1s + 40ms;
    record->stamps.lastToken = start + 1s + 140ms;
    return record;
}

} // namespace

void TstAnswerStream::textArrivesInOrderFromAnotherThread() {
    auto stream = makeStream();
    app::AnswerStream answer(stream, engine::Clock::now());
    QSignalSpy finished(&answer, &app::AnswerStream::finished);
    QString expected;
    for (int i = 0; i < 200; ++i) {
        expected += QString::number(i) + u' ';
    }
    std::jthread writer([stream] {
        for (int i = 0; i < 200; ++i) {
            stream->push(std::to_string(i) + " ", i);
        }
        stream->finish(engine::FinishReason::Stop, {}, nullptr);
    });
    QTRY_COMPARE(finished.count(), 1);
    QCOMPARE(answer.text(), expected);
    QVERIFY(answer.isFinished());
    QCOMPARE(answer.figures().tokens, 200);
    QTest::qWait(20);
    QCOMPARE(finished.count(), 1);
}

void TstAnswerStream::whatCameBeforeIsNotLost() {
    auto stream = makeStream();
    stream->push("early", 1);
    stream->finish(engine::FinishReason::Length, {}, nullptr);
    app::AnswerStream answer(stream, engine::Clock::now());
    QSignalSpy finished(&answer, &app::AnswerStream::finished);
    QTRY_COMPARE(finished.count(), 1);
    QCOMPARE(answer.text(), QStringLiteral("early"));
}

void TstAnswerStream::refusalHasAMessageAndNoFigures() {
    auto stream = makeStream();
    app::AnswerStream answer(stream, engine::Clock::now());
    stream->finish(engine::FinishReason::TooLong, "over the context", nullptr);
    QTRY_VERIFY(answer.isFinished());
    QCOMPARE(answer.message(), QStringLiteral("over the context"));
    QCOMPARE(answer.reason(), engine::FinishReason::TooLong);
    const app::AnswerFigures figures = answer.figures();
    QVERIFY(!figures.ttftMs && !figures.tpotMs && !figures.tokensPerSecond);
}

void TstAnswerStream::figuresComeFromTheRecordAfterTheEnd() {
    auto stream = makeStream();
    app::AnswerStream answer(stream, engine::Clock::now() - 5s);
    stream->push("a", 1);
    QTRY_COMPARE(answer.text(), QStringLiteral("a"));
    QVERIFY(*answer.figures().ttftMs >= 5000.0); // taken here, from when it was sent
    QVERIFY(!answer.figures().isFinal);
    stream->finish(engine::FinishReason::Stop, {}, makeRecord());
    QTRY_VERIFY(answer.isFinished());
    const app::AnswerFigures figures = answer.figures();
    QVERIFY(figures.isFinal);
    QCOMPARE(figures.tokens, 11);
    QCOMPARE(*figures.ttftMs, 40.0);
    QCOMPARE(*figures.tpotMs, 10.0);
    QCOMPARE(*figures.tokensPerSecond, 100.0);
}

void TstAnswerStream::streamMayOutliveItsFace() {
    auto stream = makeStream();
    {
        const app::AnswerStream answer(stream, engine::Clock::now());
        stream->push("a", 1);
    }
    stream->push("b", 2);
    stream->finish(engine::FinishReason::Stop, {}, nullptr);
    QTest::qWait(10);
    QVERIFY(stream->isFinished());
}

void TstAnswerStream::aFastWriterDoesNotFloodTheLoop() {
    auto stream = makeStream();
    app::AnswerStream answer(stream, engine::Clock::now());
    QSignalSpy arrived(&answer, &app::AnswerStream::arrived);
    for (int i = 0; i < 10'000; ++i) {
        stream->push("x", i);
    }
    QTRY_COMPARE(answer.text().size(), 10'000);
    QCOMPARE(arrived.count(), 1);
}

QTEST_GUILESS_MAIN(TstAnswerStream)
#include "tst_answer_stream.moc"
