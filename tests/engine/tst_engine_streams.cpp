// Prompts written piece by piece, kept beginnings, and what the policies do in a running engine.
#include "tests/support/open_prompts.h"

#include <QTest>

#include <random>
#include <thread>

using namespace engine;
using tests::complete;
using tests::Ended;
using tests::isTextless;
using tests::isWholeAgain;
using tests::TinyEngine;
using tests::words;
using namespace std::chrono_literals;

namespace {

bool hasTag(const RequestRecord& record, SampleTag tag) {
    return (record.tags & static_cast<std::uint32_t>(tag)) != 0;
}

} // namespace

class TstEngineStreams : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sameAnswerUnderEveryPolicy_data();
    void sameAnswerUnderEveryPolicy();
    void policiesSwitchUnderTraffic();
    void keptBeginningsAreHitsAndChangeNothing();
    void tenantsHaveTheirOwnBeginnings();
    void keptBlocksGoWhenTheirTimeIsOver();
    void cancelsInEveryStateLeaveNothingBehind_data();
    void cancelsInEveryStateLeaveNothingBehind();
    void cancelsEndWithinAStep_data();
    void cancelsEndWithinAStep();
    void longPromptStopsWithinAStep();
    void theLargestOfAStepStopsIt();
    void deadlinesOfLanesAreCounted();
    void piecesGiveTheAnswerOfTheWhole();
    void editsBeforeTheEndAreSeen();
    void openPromptsAreComputedBeforehand();
    void abandonedPromptsEnd();
    void whatCannotBeStreamedIsRefused();
    void cancelledBeforeItCameItIsNeverComputed();
    void randomStreamsLeaveNothingBehind();
    void openPromptsHoldUpNoAnswer();
    void openPromptsHoldUpNoStart();
    void hitsOfOpenPromptsAreNotComputed();
    void hitsEndWhereThePromptIsCut();
};

void TstEngineStreams::sameAnswerUnderEveryPolicy_data() {
    QTest::addColumn<int>("batching");
    QTest::newRow("single") << static_cast<int>(Batching::Single);
    QTest::newRow("dynamic") << static_cast<int>(Batching::Dynamic);
    QTest::newRow("continuous") << static_cast<int>(Batching::Continuous);
    QTest::newRow("selective") << static_cast<int>(Batching::Selective);
}

void TstEngineStreams::sameAnswerUnderEveryPolicy() {
    QFETCH(const int, batching);
    EngineConfig config = TinyEngine::smallConfig();
    config.keepsPrefixes = false;
    TinyEngine alone(config);
    config.batching = static_cast<Batching>(batching);
    config.maxBatch = 16;
    config.batchWindowMs = 5;
    config.classTokens = 32;
    config.kvBlocks = 60; // with preemptions
    config.keepsPrefixes = true;
    TinyEngine engine(config);
    std::vector<std::shared_ptr<TokenStream>> streams;
    for (unsigned i = 0; i < 16; ++i) {
        Request request = TinyEngine::request(words(20 + 12 * i, i % 5), 40);
        request.lane = i % 3 == 0 ? Lane::Batch : Lane::Realtime;
        streams.push_back(engine->submit(request));
    }
    for (unsigned i = 0; i < 16; ++i) {
        const Ended together = tests::readToEnd(*streams[i]);
        QVERIFY2(together.reason == FinishReason::Length, together.message.c_str());
        QCOMPARE(together.ids, alone.run(TinyEngine::request(words(20 + 12 * i, i % 5), 40)).ids);
    }
    QVERIFY(isWholeAgain(engine));
}

void TstEngineStreams::policiesSwitchUnderTraffic() {
    EngineConfig config = TinyEngine::smallConfig();
    config.batchWindowMs = 2;
    TinyEngine engine(config);
    const auto expected = engine.run(TinyEngine::request("traffic", 60)).ids;
    std::vector<std::shared_ptr<TokenStream>> streams;
    for (int round = 0; round < 24; ++round) {
        for (int i = 0; i < 3; ++i) {
            streams.push_back(engine->submit(TinyEngine::request("traffic", 60)));
        }
        QVERIFY(engine->edit([&](EngineConfig& edited) {
            edited.batching = static_cast<Batching>(round % 4);
            edited.usesPriority = round % 3 != 0;
        }));
        std::this_thread::sleep_for(2ms);
    }
    for (auto& stream : streams) {
        QCOMPARE(tests::readToEnd(*stream).ids, expected);
    }
    QVERIFY(isWholeAgain(engine));
}

void TstEngineStreams::keptBeginningsAreHitsAndChangeNothing() {
    TinyEngine engine;
    const Ended first = engine.run(TinyEngine::request(words(100, 1), 20));
    const Ended again = engine.run(TinyEngine::request(words(100, 1), 20));
    QCOMPARE(first.record->hitTokens, std::int64_t(0));
    QVERIFY(again.record->hitTokens > 0);
    QCOMPARE(again.record->hitTokens % 16, std::int64_t(0));
    QVERIFY(again.record->hitTokens < again.record->promptTokens);
    QCOMPARE(again.ids, first.ids);
    // Figures are published some milliseconds after the answer has ended.
    QTRY_COMPARE(engine->snapshot().prefixHits,
                 static_cast<std::uint64_t>(again.record->hitTokens));
    const Snapshot figures = engine->snapshot();
    QCOMPARE(figures.prefixQueries,
             static_cast<std::uint64_t>(first.record->promptTokens + again.record->promptTokens));
    QVERIFY(engine->edit([](EngineConfig& config) { config.keepsPrefixes = false; }));
    QCOMPARE(engine.run(TinyEngine::request(words(100, 1), 20)).record->hitTokens, std::int64_t(0));
    QVERIFY(engine->edit([](EngineConfig& config) { config.keepsPrefixes = true; }));
    QCOMPARE(engine.run(TinyEngine::request(words(100, 1), 20)).record->hitTokens, std::int64_t(0));
    QVERIFY(engine.run(TinyEngine::request(words(100, 1), 20)).record->hitTokens > 0);
    QVERIFY(isWholeAgain(engine));
    QCOMPARE(engine.run(TinyEngine::request(words(100, 1), 20)).record->hitTokens, std::int64_t(0));
}

void TstEngineStreams::tenantsHaveTheirOwnBeginnings() {
    TinyEngine engine;
    const auto hitsOf = [&](const std::string& tenant) {
        Request request = TinyEngine::request(words(100, 1), 3);
        request.tenant = tenant;
        return engine.run(request).record->hitTokens;
    };
    QCOMPARE(hitsOf("one"), std::int64_t(0));
    QCOMPARE(hitsOf("two"), std::int64_t(0));
    QVERIFY(hitsOf("one") > 0);
    QCOMPARE(hitsOf(""), std::int64_t(0));
}

void TstEngineStreams::keptBlocksGoWhenTheirTimeIsOver() {
    EngineConfig config = TinyEngine::smallConfig();
    config.prefixTtlMs = 50;
    TinyEngine engine(config);
    engine.run(TinyEngine::request(words(200, 1), 20));
    const Snapshot after = engine.waitForFigures(
        [](const Snapshot& s) { return s.kvBlocksKept == 0 && s.completed == 1; });
    QCOMPARE(after.kvBlocksKept, std::int64_t(0));
    QCOMPARE(after.kvBlocksUsed, std::int64_t(0));
}

void TstEngineStreams::cancelsInEveryStateLeaveNothingBehind_data() {
    sameAnswerUnderEveryPolicy_data();
}

void TstEngineStreams::cancelsInEveryStateLeaveNothingBehind() {
    QFETCH(const int, batching);
    EngineConfig config = TinyEngine::smallConfig();
    config.batching = static_cast<Batching>(batching);
    config.kvBlocks = 40;
    config.batchWindowMs = 3;
    config.classTokens = 64;
    TinyEngine engine(config);
    std::mt19937 random(5);
    std::vector<std::shared_ptr<TokenStream>> streams;
    constexpr int kRequests = 200;
    for (int i = 0; i < kRequests; ++i) {
        Request request = TinyEngine::request(words(1 + random() % 300, static_cast<unsigned>(i)),
                                              1 + static_cast<int>(random() % 20));
        request.lane = random() % 2 == 0 ? Lane::Batch : Lane::Realtime;
        streams.push_back(engine->submit(request));
        if (random() % 10 < 3) {
            engine->cancel(streams[random() % streams.size()]->id());
        }
        if (random() % 8 == 0) {
            std::this_thread::sleep_for(1ms);
        }
    }
    for (auto& stream : streams) {
        const Ended ended = tests::readToEnd(*stream);
        QVERIFY2(ended.reason == FinishReason::Length || ended.reason == FinishReason::Cancelled ||
                     isTextless(ended),
                 ended.message.c_str());
    }
    const Snapshot figures = engine.waitForFigures(
        [](const Snapshot& s) { return s.completed + s.cancelled + s.failed == kRequests; });
    QCOMPARE(figures.completed + figures.cancelled + figures.failed, std::uint64_t(kRequests));
    QCOMPARE(figures.waiting, std::int64_t(0));
    QVERIFY(isWholeAgain(engine));
}

void TstEngineStreams::cancelsEndWithinAStep_data() {
    QTest::addColumn<int>("batching");
    QTest::addColumn<QString>("state");
    for (const Policy& policy : policyTable()) {
        for (const char* state : {"waits", "prefills", "decodes", "open", "completed"}) {
            QTest::addRow("%s, %s", std::string(policy.name).c_str(), state)
                << static_cast<int>(policy.batching) << QString::fromLatin1(state);
        }
    }
}

// Whatever it does, and whoever computes beside it: counted in the other's tokens, one a step.
void TstEngineStreams::cancelsEndWithinAStep() {
    QFETCH(const int, batching);
    QFETCH(const QString, state);
    EngineConfig config = TinyEngine::smallConfig();
    config.batching = static_cast<Batching>(batching);
    config.batchWindowMs = 1;
    config.maxBatch = state == QLatin1String("waits") ? 1 : 4;
    config.prefillChunk = 8;
    config.tokenBudget = 16;
    const bool joins =
        config.batching == Batching::Continuous || config.batching == Batching::Selective;
    TinyEngine engine(config);
    int cancelled = 0;
    for (int round = 0; round < 6; ++round) {
        auto other = engine->submit(TinyEngine::request(words(20, 7), 400));
        QVERIFY(other->waitNext(5s).has_value());
        const bool isOpened = state == QLatin1String("open") || state == QLatin1String("completed");
        const Request request =
            TinyEngine::request(words(state == QLatin1String("decodes") ? 10 : 300, 1), 150);
        const auto stream = isOpened ? engine->open(request) : engine->submit(request);
        if (state == QLatin1String("decodes") && joins) {
            QVERIFY(stream->waitNext(5s).has_value());
        } else {
            std::this_thread::sleep_for(std::chrono::milliseconds(round));
        }
        engine.ops().hold(); // within a step
        if (state == QLatin1String("completed")) {
            engine->complete(stream->id(), complete(150));
            std::this_thread::sleep_for(1ms);
        }
        const TimePoint left = Clock::now();
        engine->cancel(stream->id());
        engine.ops().release();
        const Ended ended = tests::readToEnd(*stream);
        engine->cancel(other->id());
        const Ended beside = tests::readToEnd(*other);
        QVERIFY(ended.reason == FinishReason::Cancelled || ended.reason == FinishReason::Length);
        if (ended.reason == FinishReason::Cancelled) { // else it was done before
            ++cancelled;
            const auto steps = std::ranges::count_if(beside.record->steps, [&](const TokenStep& s) {
                return s.time > left && s.time < *ended.record->stamps.finished;
            });
            QVERIFY2(steps <= 2, qPrintable(QString::number(steps))); // the one under way too
        }
    }
    QVERIFY(cancelled > 0);
    QVERIFY(isWholeAgain(engine));
}

// The only request of a step is stopped within a layer, not after its whole chunk.
void TstEngineStreams::longPromptStopsWithinAStep() {
    EngineConfig config = TinyEngine::smallConfig();
    config.tokenBudget = 400;
    config.prefillChunk = 400;
    TinyEngine engine(config);
    auto stream = engine.submitHeld(TinyEngine::request(words(450, 1), 3));
    const std::int64_t products = engine.ops().products();
    engine->cancel(stream->id());
    engine.ops().release();
    const Ended ended = tests::readToEnd(*stream);
    QCOMPARE(ended.reason, FinishReason::Cancelled);
    QVERIFY(!ended.record->stamps.prefillDone);
    QVERIFY2(engine.ops().products() - products < 10,
             qPrintable(QString::number(engine.ops().products() - products)));
    QVERIFY(isWholeAgain(engine));
}

// So does one beside others, and what they get is what they get alone.
void TstEngineStreams::theLargestOfAStepStopsIt() {
    EngineConfig config = TinyEngine::smallConfig();
    config.tokenBudget = 400;
    config.prefillChunk = 400;
    TinyEngine engine(config);
    Request answering = TinyEngine::request(words(20, 7), 40);
    answering.ignoreEnd = true;
    const std::string alone = engine.run(answering).text;
    int cancelled = 0;
    for (int round = 0; round < 20; ++round) {
        auto other = engine->submit(answering);
        QVERIFY(other->waitNext(5s).has_value()); // it decodes
        engine.ops().hold();
        auto stream = engine->submit(TinyEngine::request(words(450, 1), 3));
        std::this_thread::sleep_for(5ms);
        engine.ops().release();
        engine.ops().hold(); // within that step, or within the next one, which has the long prompt
        std::this_thread::sleep_for(5ms);
        const auto left = Clock::now();
        engine->cancel(stream->id());
        engine.ops().release();
        const Ended ended = tests::readToEnd(*stream);
        if (ended.reason == FinishReason::Cancelled) { // else it was done before
            ++cancelled;
            QVERIFY(*ended.record->stamps.finished - left < 200ms);
        }
        std::string text;
        while (const auto chunk = other->waitNext(5s)) {
            text += chunk->text;
        }
        QVERIFY(alone.ends_with(text)); // the first piece was read before
        QVERIFY(other->finishReason() == FinishReason::Length);
    }
    QVERIFY(cancelled > 0);
    QVERIFY(isWholeAgain(engine));
}

void TstEngineStreams::deadlinesOfLanesAreCounted() {
    EngineConfig config = TinyEngine::smallConfig();
    config.batchDeadlineMs = 20000;
    TinyEngine engine(config);
    Request batch = TinyEngine::request("a", 3);
    batch.lane = Lane::Batch;
    const Ended met = engine.run(batch);
    QVERIFY(met.record->deadline && met.record->metDeadline() == std::optional(true));
    QVERIFY(!engine.run(TinyEngine::request("a", 3)).record->deadline);
    engine.ops().hold();
    batch.deadline = Clock::now() + 10ms; // its own counts
    auto late = engine->submit(batch);
    std::this_thread::sleep_for(20ms);
    engine.ops().release();
    const Ended missed = tests::readToEnd(*late);
    QCOMPARE(missed.reason, FinishReason::Deadline);
    QVERIFY(missed.record->metDeadline() == std::optional(false));
    const Snapshot figures =
        engine.waitForFigures([](const Snapshot& s) { return s.deadlinesMissed == 1; });
    QCOMPARE(figures.deadlinesMet, std::uint64_t(1));
    QCOMPARE(figures.deadlinesMissed, std::uint64_t(1));
}

void TstEngineStreams::piecesGiveTheAnswerOfTheWhole() {
    TinyEngine engine;
    std::mt19937 random(3);
    for (unsigned round = 0; round < 12; ++round) {
        // Pieces cut anywhere, within characters too.
        const std::string text =
            words(150, round) + "\xe4\xbd\xa0\xe5\xa5\xbd, 12345  \n\n x" + words(60, round + 50);
        Request whole = TinyEngine::request(text, 20);
        Request empty = TinyEngine::request({}, 20);
        if (round % 2 == 0) {
            whole.prompt = std::vector<ChatMessage>{{.role = "user", .content = text}};
            empty.prompt = std::vector<ChatMessage>{{.role = "user", .content = {}}};
        }
        whole.tenant = "apart " + std::to_string(round);
        auto stream = engine->open(empty);
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t size = std::min<std::size_t>(1 + random() % 20, text.size() - at);
            engine->append(stream->id(), text.substr(at, size));
            at += size;
            if (random() % 4 == 0) {
                std::this_thread::sleep_for(1ms);
            }
        }
        engine->complete(stream->id(), complete(20));
        const Ended streamed = tests::readToEnd(*stream);
        const Ended plain = engine.run(whole);
        QVERIFY2(streamed.reason == FinishReason::Length, streamed.message.c_str());
        QCOMPARE(streamed.ids, plain.ids);
        QCOMPARE(streamed.record->promptTokens, plain.record->promptTokens);
        QVERIFY(hasTag(*streamed.record, SampleTag::Streamed));
        QVERIFY(!hasTag(*plain.record, SampleTag::Streamed));
    }
    QVERIFY(isWholeAgain(engine));
}

void TstEngineStreams::editsBeforeTheEndAreSeen() {
    TinyEngine engine;
    const std::string kept = words(120, 1);
    auto stream = engine->open(TinyEngine::request(kept + words(100, 2), 20));
    QVERIFY(
        engine.waitForFigures([](const Snapshot& s) { return s.kvBlocksUsed > 10; }).kvBlocksUsed >
        10);
    engine->truncate(stream->id(), kept.size());
    engine->append(stream->id(), words(40, 7));
    engine->truncate(stream->id(), 100000); // more than there is: nothing
    engine->complete(stream->id(), complete(20));
    const Ended edited = tests::readToEnd(*stream);
    Request whole = TinyEngine::request(kept + words(40, 7), 20);
    whole.tenant = "apart";
    QCOMPARE(edited.ids, engine.run(whole).ids);
    QVERIFY(edited.record->streamedTokens > 0);
    QVERIFY(isWholeAgain(engine));
}

void TstEngineStreams::openPromptsAreComputedBeforehand() {
    TinyEngine engine;
    auto stream = engine->open(TinyEngine::request(words(300, 1), 5));
    const Snapshot open = engine.waitForFigures([](const Snapshot& s) { return s.kvTokens > 250; });
    QVERIFY(open.kvTokens > 250);
    QCOMPARE(open.received, std::uint64_t(0)); // nothing is asked yet
    QCOMPARE(open.waiting + open.running, std::int64_t(0));
    engine->complete(stream->id(), complete(5));
    const Ended ended = tests::readToEnd(*stream);
    QVERIFY(ended.record->streamedTokens > 250);
    QVERIFY(ended.record->streamedNs > 0);
    QVERIFY(ended.record->ledgerNs);
    QCOMPARE(engine.waitForFigures([](const Snapshot& s) { return s.completed == 1; }).received,
             std::uint64_t(1));
}

void TstEngineStreams::abandonedPromptsEnd() {
    EngineConfig config = TinyEngine::smallConfig();
    config.streamTtlMs = 1000;
    TinyEngine engine(config);
    auto abandoned = engine->open(TinyEngine::request(words(200, 1), 5));
    auto cancelled = engine->open(TinyEngine::request({}, 5));
    engine->cancel(cancelled->id());
    QCOMPARE(tests::readToEnd(*cancelled).reason, FinishReason::Cancelled);
    const Ended ended = tests::readToEnd(*abandoned);
    QCOMPARE(ended.reason, FinishReason::Cancelled);
    QVERIFY2(ended.message.find("streams.ttl") != std::string::npos, ended.message.c_str());
    const Stamps& stamps = abandoned->record()->stamps; // nobody waited for an answer
    QVERIFY(*stamps.finished - *stamps.received < std::chrono::milliseconds(config.streamTtlMs));
    engine->append(abandoned->id(), "too late");
    engine->complete(abandoned->id(), complete(3));
    const Snapshot figures =
        engine.waitForFigures([](const Snapshot& s) { return s.cancelled == 2; });
    QCOMPARE(figures.received, std::uint64_t(2));
    QVERIFY(isWholeAgain(engine));
}

void TstEngineStreams::whatCannotBeStreamedIsRefused() {
    TinyEngine engine;
    Request ids = TinyEngine::request({}, 5);
    ids.prompt = std::vector<TokenId>{1, 2, 3};
    QCOMPARE(tests::readToEnd(*engine->open(ids)).reason, FinishReason::Rejected);
    Request nobody = TinyEngine::request({}, 5);
    nobody.prompt = std::vector<ChatMessage>{};
    QCOMPARE(tests::readToEnd(*engine->open(nobody)).reason, FinishReason::Rejected);
    auto empty = engine->open(TinyEngine::request({}, 5));
    engine->complete(empty->id(), complete(5));
    QCOMPARE(tests::readToEnd(*empty).reason, FinishReason::Rejected);
    auto without = engine->open(TinyEngine::request("a", 5));
    engine->complete(without->id(), complete(0));
    QCOMPARE(tests::readToEnd(*without).reason, FinishReason::Rejected);
    auto huge = engine->open(TinyEngine::request("a", 5));
    for (int i = 0; i < 50; ++i) {
        engine->append(huge->id(), std::string(1000, 'x'));
    }
    QCOMPARE(tests::readToEnd(*huge).reason, FinishReason::TooLong);
    engine->append(RequestId{4711}, "nobody");
    engine->truncate(RequestId{4711}, 3);
    engine->complete(RequestId{4711}, complete(3));
    QCOMPARE(engine.run(TinyEngine::request("still here", 3)).reason, FinishReason::Length);
}

// The engine learns of the cancellation while the tokenizer still holds the prompt, and gets the
// prompt together with its completion.
void TstEngineStreams::cancelledBeforeItCameItIsNeverComputed() {
    TinyEngine engine;
    for (int round = 0; round < 10; ++round) {
        std::vector<std::shared_ptr<TokenStream>> before;
        for (unsigned i = 0; i < 100; ++i) {
            before.push_back(engine->submit(TinyEngine::request(words(400, i), 1)));
        }
        const auto stream = engine->open(TinyEngine::request("never wanted", 5));
        engine->cancel(stream->id());
        engine->complete(stream->id(), complete(5));
        QCOMPARE(tests::readToEnd(*stream).reason, FinishReason::Cancelled);
        for (auto& other : before) {
            tests::readToEnd(*other);
        }
    }
    QVERIFY(isWholeAgain(engine));
}

// Streams, requests, cancels and edits at once, in a pool that is too small for all.
void TstEngineStreams::randomStreamsLeaveNothingBehind() {
    EngineConfig config = TinyEngine::smallConfig();
    config.kvBlocks = 34;
    TinyEngine engine(config);
    std::mt19937 random(17);
    std::vector<std::shared_ptr<TokenStream>> all;
    std::vector<RequestId> open;
    for (int i = 0; i < 400; ++i) {
        const unsigned lot = random() % 10;
        if (lot < 3) {
            all.push_back(engine->open(TinyEngine::request(words(random() % 200, lot), 5)));
            open.push_back(all.back()->id());
        } else if (lot < 5) {
            all.push_back(engine->submit(TinyEngine::request(words(1 + random() % 200, lot), 10)));
        } else if (!open.empty()) {
            const RequestId id = open[random() % open.size()];
            if (lot < 8) {
                engine->append(id, words(random() % 60, lot));
            } else if (lot == 8) {
                engine->truncate(id, random() % 100);
            } else {
                random() % 2 == 0 ? engine->cancel(id) : engine->complete(id, complete(4));
            }
        }
    }
    for (const RequestId id : open) {
        engine->complete(id, complete(2));
    }
    for (auto& stream : all) {
        const Ended ended = tests::readToEnd(*stream);
        QVERIFY2(ended.message != "no end", "a request hangs");
        QVERIFY2(ended.reason != FinishReason::Failed || isTextless(ended), ended.message.c_str());
    }
    QVERIFY(isWholeAgain(engine));
}

// An answer that runs alone needs the blocks of a prompt that stays open.
void TstEngineStreams::openPromptsHoldUpNoAnswer() {
    EngineConfig config = TinyEngine::smallConfig();
    config.kvBlocks = 34;
    config.streamTtlMs = 600'000;
    TinyEngine engine(config);
    const auto stream = engine->open(TinyEngine::request(words(400, 1), 5));
    const auto isComputed = [](const Snapshot& s) { return s.kvTokens > 380; };
    QVERIFY(isComputed(engine.waitForFigures(isComputed)));
    const Ended ended = engine.run(TinyEngine::request(words(60, 2), 150));
    QVERIFY2(ended.reason == FinishReason::Length, ended.message.c_str());
    QVERIFY(!stream->isFinished());
    QVERIFY(ended.record->preemptions.empty());
    engine->complete(stream->id(), complete(5));
    const Ended completed = tests::readToEnd(*stream);
    QCOMPARE(completed.ids.size(), std::size_t(5));
    QCOMPARE(completed.record->hitTokens, std::int64_t(0)); // it found again what was its own
    QVERIFY(isWholeAgain(engine));
}

// A request that waits gets them too, while another one runs.
void TstEngineStreams::openPromptsHoldUpNoStart() {
    EngineConfig config = TinyEngine::smallConfig();
    config.kvBlocks = 34;
    config.streamTtlMs = 600'000;
    TinyEngine engine(config);
    const auto stream = engine->open(TinyEngine::request(words(300, 1), 5));
    const auto isComputed = [](const Snapshot& s) { return s.kvTokens > 280; };
    QVERIFY(isComputed(engine.waitForFigures(isComputed)));
    const auto first = engine.submitHeld(TinyEngine::request(words(40, 2), 200));
    const auto second = engine->submit(TinyEngine::request(words(250, 3), 5));
    std::this_thread::sleep_for(50ms); // it is encoded
    engine.ops().release();
    const Ended waited = tests::readToEnd(*second);
    const Ended ran = tests::readToEnd(*first);
    QCOMPARE(waited.ids.size(), std::size_t(5));
    QVERIFY(*waited.record->stamps.planned < *ran.record->stamps.finished);
    QVERIFY(!stream->isFinished());
    engine->cancel(stream->id());
    tests::readToEnd(*stream);
    QVERIFY(isWholeAgain(engine));
}

void TstEngineStreams::hitsOfOpenPromptsAreNotComputed() {
    TinyEngine engine;
    engine.run(TinyEngine::request(words(200, 1), 5));
    const auto hasEnded = [](std::uint64_t count) {
        return [count](const Snapshot& s) { return s.completed + s.failed == count; };
    };
    const std::uint64_t before = engine.waitForFigures(hasEnded(1)).promptTokens;
    const auto stream = engine->open(TinyEngine::request(words(200, 1) + "and more", 5));
    engine.waitForFigures([](const Snapshot& s) { return s.kvTokens > 195; });
    engine->complete(stream->id(), complete(5));
    const Ended ended = tests::readToEnd(*stream);
    QVERIFY(ended.record->hitTokens > 100);
    QCOMPARE(engine.waitForFigures(hasEnded(2)).promptTokens - before,
             static_cast<std::uint64_t>(ended.record->promptTokens - ended.record->hitTokens));
}

void TstEngineStreams::hitsEndWhereThePromptIsCut() {
    TinyEngine engine;
    engine.run(TinyEngine::request(words(200, 1), 5));
    const auto stream = engine->open(TinyEngine::request(words(200, 1) + "and more", 5));
    engine.waitForFigures([](const Snapshot& s) { return s.kvTokens > 195; });
    engine->truncate(stream->id(), 20);
    engine->complete(stream->id(), complete(5));
    const Ended ended = tests::readToEnd(*stream);
    QVERIFY(ended.record->promptTokens <= 21);
    QCOMPARE(ended.record->hitTokens, std::int64_t(16));
    QVERIFY(isWholeAgain(engine));
}

QTEST_APPLESS_MAIN(TstEngineStreams)
#include "tst_engine_streams.moc"
