#include "engine/events.h"
#include "engine/request.h"

#include <QTest>

#include <atomic>
#include <thread>

using engine::FinishReason;
using engine::RequestId;
using engine::TokenStream;
using namespace std::chrono_literals;

class TstRequest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readerGetsEverythingOnceAndThenTheEnd();
    void emptyChunkMeansTimeIsOver();
    void textWithoutIdAndIdWithoutTextArrive();
    void nothingFollowsTheEnd();
    void callbackRunsForEachPushAndTheEnd();
    void lateCallbackIsToldAtOnce();
    void callbackIsReleasedAtTheEnd();
    void concurrentReaderMissesNothing();
    void reasonsHaveNames();
};

void TstRequest::readerGetsEverythingOnceAndThenTheEnd() {
    TokenStream stream(RequestId{3});
    stream.push("Hel", 1);
    stream.push("lo", 2);
    auto record = std::make_shared<engine::RequestRecord>();
    stream.finish(FinishReason::Stop, "", record);
    const auto chunk = stream.waitNext(0ms);
    QVERIFY(chunk.has_value());
    QCOMPARE(chunk->text, std::string("Hello"));
    QCOMPARE(chunk->ids, (std::vector<engine::TokenId>{1, 2}));
    QVERIFY(!stream.waitNext(0ms).has_value());
    QVERIFY(!stream.waitNext(0ms).has_value());
    QVERIFY(stream.finishReason() == FinishReason::Stop);
    QCOMPARE(stream.record(), std::shared_ptr<const engine::RequestRecord>(record));
}

void TstRequest::emptyChunkMeansTimeIsOver() {
    TokenStream stream(RequestId{1});
    const auto chunk = stream.waitNext(1ms);
    QVERIFY(chunk.has_value());
    QVERIFY(chunk->text.empty() && chunk->ids.empty());
    QVERIFY(!stream.isFinished());
    QVERIFY(!stream.finishReason().has_value());
}

void TstRequest::textWithoutIdAndIdWithoutTextArrive() {
    TokenStream stream(RequestId{1});
    stream.push("", 7);
    QCOMPARE(stream.waitNext(0ms)->ids, std::vector<engine::TokenId>{7});
    stream.push("\xEF\xBF\xBD", std::nullopt);
    const auto chunk = stream.waitNext(0ms);
    QCOMPARE(chunk->text, std::string("\xEF\xBF\xBD"));
    QVERIFY(chunk->ids.empty());
}

void TstRequest::nothingFollowsTheEnd() {
    TokenStream stream(RequestId{1});
    stream.finish(FinishReason::Rejected, "The queue is full.", nullptr);
    stream.push("late", 1);
    stream.finish(FinishReason::Stop, "", nullptr);
    QVERIFY(!stream.waitNext(0ms).has_value());
    QVERIFY(stream.finishReason() == FinishReason::Rejected);
    QCOMPARE(stream.message(), std::string("The queue is full."));
}

void TstRequest::callbackRunsForEachPushAndTheEnd() {
    TokenStream stream(RequestId{1});
    int calls = 0;
    stream.onReady([&calls, &stream] {
        ++calls;
        // The stream is not locked: a callback may look at it.
        QVERIFY(!stream.isFinished() || calls == 3);
    });
    QCOMPARE(calls, 0);
    stream.push("a", 1);
    stream.push("b", 2);
    stream.finish(FinishReason::Length, "", nullptr);
    QCOMPARE(calls, 3);
}

void TstRequest::lateCallbackIsToldAtOnce() {
    int calls = 0;
    TokenStream stream(RequestId{1});
    stream.push("a", 1);
    stream.onReady([&calls] { ++calls; });
    QCOMPARE(calls, 1);
    stream.finish(FinishReason::Stop, "", nullptr);
    QCOMPARE(calls, 2);
    stream.onReady([&calls] { ++calls; });
    QCOMPARE(calls, 3);
}

void TstRequest::callbackIsReleasedAtTheEnd() {
    std::weak_ptr<TokenStream> watched;
    {
        auto stream = std::make_shared<TokenStream>(RequestId{1});
        watched = stream;
        stream->onReady([stream] {}); // a cycle until the end
        stream->finish(FinishReason::Cancelled, "", nullptr);
    }
    QVERIFY(watched.expired());
}

void TstRequest::concurrentReaderMissesNothing() {
    TokenStream stream(RequestId{1});
    constexpr int kTokens = 5000;
    std::atomic<int> calls{0};
    stream.onReady([&calls] { ++calls; });
    std::jthread writer([&stream] {
        for (int i = 0; i < kTokens; ++i) {
            stream.push("x", i);
        }
        stream.finish(FinishReason::Length, "", nullptr);
    });
    std::string text;
    std::vector<engine::TokenId> ids;
    while (auto chunk = stream.waitNext(10s)) {
        text += chunk->text;
        ids.insert(ids.end(), chunk->ids.begin(), chunk->ids.end());
    }
    writer.join();
    QCOMPARE(text.size(), std::size_t{kTokens});
    for (int i = 0; i < kTokens; ++i) {
        QCOMPARE(ids.at(static_cast<std::size_t>(i)), i);
    }
    QCOMPARE(calls.load(), kTokens + 1);
}

void TstRequest::reasonsHaveNames() {
    QCOMPARE(engine::name(FinishReason::Stop), std::string_view("stop"));
    QCOMPARE(engine::name(FinishReason::TooLong), std::string_view("too_long"));
    QCOMPARE(engine::name(FinishReason::Failed), std::string_view("failed"));
}

QTEST_APPLESS_MAIN(TstRequest)
#include "tst_request.moc"
