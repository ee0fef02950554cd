// Stored answers: what is the same question, bounds, lifetime; and relaying what is stored.
#include "engine/serving/answer_store.h"
#include "engine/serving/relayed_stream.h"

#include <QTest>

#include <set>
#include <thread>

using namespace engine;
using namespace std::chrono_literals;

class TstAnswerStore : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theSameQuestionHasTheSameKey();
    void whateverDecidesTheAnswerIsInTheKey();
    void whatCanNotBeGivenAgainHasNoKey();
    void answersAreFoundUntilTheyAreTooOld();
    void memoryIsBoundedAndTheLeastUsedGo();
    void allAreTheLivingInOrderOfUse();
    void anAnswerTooLargeIsNotKept();
    void relayedStreamsLoseNothing();
    void relayedStreamsGoOnElsewhere();
};

namespace {

Request chat(std::string content) {
    Request request;
    request.prompt = std::vector<ChatMessage>{{.role = "user", .content = std::move(content)}};
    return request;
}

std::shared_ptr<const StoredAnswer> answerOf(std::string text) {
    return std::make_shared<const StoredAnswer>(
        StoredAnswer{.pieces = {{.text = std::move(text), .ids = {1}, .logprobs = {}}},
                     .reason = FinishReason::Stop,
                     .promptTokens = 3,
                     .outputTokens = 1});
}

std::string key(const Request& request, SampledAnswers sampled = SampledAnswers::Leave) {
    return answerKey(request, "model", sampled);
}

const TimePoint kNow{std::chrono::hours(1)};

} // namespace

void TstAnswerStore::theSameQuestionHasTheSameKey() {
    QVERIFY(!key(chat("hello")).empty());
    QCOMPARE(key(chat("hello")), key(chat(" hello \r\n")));
    QCOMPARE(key(chat("a\r\nb")), key(chat("a\nb")));
    Request labelled = chat("hello");
    labelled.label = "other";
    labelled.lane = Lane::Batch;
    labelled.deadline = kNow;
    QCOMPARE(key(labelled), key(chat("hello")));
    Request seeded = chat("hello"); // greedy: the seed decides nothing
    seeded.sampling.seed = 5;
    QCOMPARE(key(seeded), key(chat("hello")));
}

void TstAnswerStore::whateverDecidesTheAnswerIsInTheKey() {
    std::set<std::string> keys = {key(chat("hello"))};
    std::size_t count = 1;
    const auto differs = [&](Request request, SampledAnswers sampled = SampledAnswers::Keep) {
        keys.insert(key(request, sampled));
        return keys.size() == ++count;
    };
    QVERIFY(differs(chat("hello there")));
    QVERIFY(differs(chat("Hello")));
    const auto with = [](auto change) {
        Request request = chat("hello");
        change(request);
        return request;
    };
    QVERIFY(differs(with([](Request& r) { r.maxTokens = 7; })));
    QVERIFY(differs(with([](Request& r) { r.tenant = "t"; })));
    QVERIFY(differs(with([](Request& r) { r.ignoreEnd = true; })));
    QVERIFY(differs(with([](Request& r) { r.thinking = Thinking::Off; })));
    QVERIFY(differs(with([](Request& r) { r.stop = {"a"}; })));
    QVERIFY(differs(with([](Request& r) { r.stop = {"a", "b"}; })));
    QVERIFY(differs(with([](Request& r) { r.stop = {"ab"}; })));
    QVERIFY(differs(with([](Request& r) { r.prompt = std::string("hello"); })));
    QVERIFY(differs(with([](Request& r) { r.prompt = std::string("hello "); })));
    QVERIFY(differs(with([](Request& r) { r.prompt = std::vector<TokenId>{1, 2}; })));
    QVERIFY(differs(with([](Request& r) { r.prompt = std::vector<TokenId>{12}; })));
    QVERIFY(differs(with([](Request& r) { r.sampling.temperature = 1.0F; })));
    QVERIFY(differs(with([](Request& r) {
        r.sampling.temperature = 1.0F;
        r.sampling.seed = 1;
    })));
    QVERIFY(answerKey(chat("hello"), "other", SampledAnswers::Leave) != key(chat("hello")));
    // Two messages are not one with both texts.
    Request two;
    two.prompt = std::vector<ChatMessage>{{.role = "user", .content = "hel"},
                                          {.role = "user", .content = "lo"}};
    QVERIFY(differs(two));
}

void TstAnswerStore::whatCanNotBeGivenAgainHasNoKey() {
    Request sampled = chat("hello");
    sampled.sampling.temperature = 0.7F;
    QVERIFY(key(sampled).empty());
    QVERIFY(!key(sampled, SampledAnswers::Keep).empty());
    Request logprobs = chat("hello");
    logprobs.logprobs = 2;
    QVERIFY(key(logprobs, SampledAnswers::Keep).empty());
}

void TstAnswerStore::answersAreFoundUntilTheyAreTooOld() {
    AnswerStore store;
    store.limit(1U << 20U, 60s);
    QVERIFY(!store.find("a", kNow));
    store.keep("a", answerOf("one"), kNow);
    const auto found = store.find("a", kNow + 59s);
    QVERIFY(found && found->pieces[0].text == "one");
    QVERIFY(!store.find("a", kNow + 60s));
    QVERIFY(found->pieces[0].text == "one"); // who has it keeps it
    QCOMPARE(store.status().entries, std::int64_t{0});
    QCOMPARE(store.status().bytes, std::uint64_t{0});
    QCOMPARE(store.status().hits, std::uint64_t{1});
    QCOMPARE(store.status().misses, std::uint64_t{2});
    store.keep("a", answerOf("one"), kNow);
    store.keep("a", answerOf("two"), kNow + 30s);
    QCOMPARE(store.find("a", kNow + 80s)->pieces[0].text, std::string("two"));
    store.clear();
    QVERIFY(!store.find("a", kNow + 80s));
}

void TstAnswerStore::memoryIsBoundedAndTheLeastUsedGo() {
    AnswerStore store;
    constexpr std::uint64_t kLimit = 20'000;
    store.limit(kLimit, 1h);
    for (int i = 0; i < 500; ++i) {
        store.keep("key " + std::to_string(i), answerOf(std::string(200, 'x')), kNow);
        store.keep("pinned", answerOf("p"), kNow);
        QVERIFY(store.find("pinned", kNow));
        QVERIFY(store.status().bytes <= kLimit);
    }
    QVERIFY(store.status().entries > 10 && store.status().entries < 100);
    QVERIFY(store.find("key 499", kNow));
    QVERIFY(!store.find("key 0", kNow));
    store.limit(600, 1h);
    QVERIFY(store.status().bytes <= 600);
}

void TstAnswerStore::allAreTheLivingInOrderOfUse() {
    AnswerStore store;
    store.limit(1U << 20U, 60s);
    store.keep("old", answerOf("o"), kNow - 60s);
    store.keep("a", answerOf("a"), kNow - 20s);
    store.keep("b", answerOf("b"), kNow);
    QVERIFY(store.find("a", kNow));
    const std::vector<KeptAnswer> all = store.all(kNow);
    QCOMPARE(all.size(), 2U);
    QCOMPARE(all[0].key, std::string("a"));
    QVERIFY(all[0].age == 20s && all[1].age == 0s);
    QVERIFY(store.holds("old") && !store.holds("c"));
    QCOMPARE(store.status().misses, std::uint64_t{0});
}

void TstAnswerStore::anAnswerTooLargeIsNotKept() {
    AnswerStore store;
    store.limit(2000, 1h);
    store.keep("small", answerOf("s"), kNow);
    store.keep("large", answerOf(std::string(5000, 'x')), kNow);
    QVERIFY(!store.find("large", kNow));
    QVERIFY(store.find("small", kNow));
}

void TstAnswerStore::relayedStreamsLoseNothing() {
    for (int round = 0; round < 20; ++round) {
        const auto source = std::make_shared<TokenStream>(RequestId{7});
        const auto relay = std::make_shared<RelayedStream>(
            RequestId{7}, [](RelayedStream&, const TokenStream&) { return false; });
        constexpr int kTokens = 500;
        std::jthread writer([source] {
            for (int i = 0; i < kTokens; ++i) {
                source->push(std::to_string(i) + " ", i);
            }
            source->finish(FinishReason::Length, "why", nullptr);
        });
        relay->follow(source);
        std::string text;
        std::vector<TokenId> ids;
        while (const auto chunk = relay->stream()->waitNext(1s)) {
            text += chunk->text;
            ids.insert(ids.end(), chunk->ids.begin(), chunk->ids.end());
        }
        std::string expected;
        for (int i = 0; i < kTokens; ++i) {
            expected += std::to_string(i) + " ";
        }
        QCOMPARE(text, expected);
        QCOMPARE(ids.size(), std::size_t{kTokens});
        QVERIFY(relay->stream()->finishReason() == FinishReason::Length);
        QCOMPARE(relay->stream()->message(), std::string("why"));
        std::string kept;
        for (const TokenStream::Chunk& piece : relay->pieces()) {
            kept += piece.text;
        }
        QCOMPARE(kept, expected);
    }
}

void TstAnswerStore::relayedStreamsGoOnElsewhere() {
    const auto first = std::make_shared<TokenStream>(RequestId{1});
    const auto second = std::make_shared<TokenStream>(RequestId{2});
    int ends = 0;
    const auto relay = std::make_shared<RelayedStream>(
        RequestId{1}, [&](RelayedStream& ended, const TokenStream& source) {
            ++ends;
            if (source.id() == RequestId{1}) {
                ended.follow(second);
                return true;
            }
            return false;
        });
    second->push("already there ", 5);
    relay->follow(first);
    first->finish(FinishReason::Overloaded, "full", nullptr);
    second->push("and more", 6);
    second->finish(FinishReason::Stop, {}, nullptr);
    std::string text;
    while (const auto chunk = relay->stream()->waitNext(1s)) {
        text += chunk->text;
    }
    QCOMPARE(text, std::string("already there and more"));
    QVERIFY(relay->stream()->finishReason() == FinishReason::Stop);
    QCOMPARE(ends, 2);
}

QTEST_APPLESS_MAIN(TstAnswerStore)
#include "tst_answer_store.moc"
