// Prompts written piece by piece where it is less easy: models and keys that keep only what is in
// sight, cuts at block borders, deadlines and the limit of those that wait.
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

// Places for four sequences, of windows or of recent keys.
TinyEngine windowed(bool isInt4) {
    EngineConfig config = TinyEngine::smallConfig();
    config.maxBatch = 2;
    config.kvBlocks = 200;
    if (isInt4) {
        config.blockTokens = 32;
        config.kvPrecision = KvPrecision::INT4;
        return TinyEngine(config);
    }
    return TinyEngine(config, {.layers = 6, .window = 24});
}

// What a client has written so far, beside the engine's prompt.
struct Written {
    std::shared_ptr<TokenStream> stream;
    std::string text;
};

} // namespace

class TstEngineOpenPrompts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatKeepsOnlyItsSightIsComputedBeforehand_data();
    void whatKeepsOnlyItsSightIsComputedBeforehand();
    void editsOutOfSightGiveTheAnswerOfTheWhole_data();
    void editsOutOfSightGiveTheAnswerOfTheWhole();
    void openPromptsGiveTheirPlacesToThoseThatRun();
    void cutsAtBlockBorders();
    void deadlinesCountFromCompletion();
    void completionsKeepToTheLimitOfThoseThatWait();
};

void TstEngineOpenPrompts::whatKeepsOnlyItsSightIsComputedBeforehand_data() {
    QTest::addColumn<bool>("isInt4");
    QTest::newRow("layers with a window") << false;
    QTest::newRow("INT4 keys") << true;
}

void TstEngineOpenPrompts::whatKeepsOnlyItsSightIsComputedBeforehand() {
    QFETCH(const bool, isInt4);
    TinyEngine engine = windowed(isInt4);
    const std::string text = words(400, 1);
    const Ended whole = engine.run(TinyEngine::request(text, 20));
    const auto stream = engine->open(TinyEngine::request({}, 20));
    for (std::size_t at = 0; at < text.size(); at += 40) {
        engine->append(stream->id(), text.substr(at, 40));
    }
    engine.waitForFigures([](const Snapshot& s) { return s.kvTokens > 380; });
    engine->complete(stream->id(), complete(20));
    const Ended streamed = tests::readToEnd(*stream);
    QVERIFY2(streamed.record->streamedTokens > 380,
             qPrintable(QString::number(streamed.record->streamedTokens)));
    QCOMPARE(streamed.ids, whole.ids);
    QVERIFY(isWholeAgain(engine));
}

void TstEngineOpenPrompts::editsOutOfSightGiveTheAnswerOfTheWhole_data() {
    whatKeepsOnlyItsSightIsComputedBeforehand_data();
}

// Several prompts at once, more than there are places for, cut anywhere and written on, beside
// answers.
void TstEngineOpenPrompts::editsOutOfSightGiveTheAnswerOfTheWhole() {
    QFETCH(const bool, isInt4);
    TinyEngine engine = windowed(isInt4);
    const unsigned seed = std::random_device()();
    std::mt19937 random(seed);
    std::int64_t streamed = 0;
    for (int round = 0; round < 6; ++round) {
        std::vector<Written> prompts(3 + round % 4);
        for (Written& each : prompts) {
            each.text = words(random() % 200, random());
            each.stream = engine->open(TinyEngine::request(each.text, 8));
        }
        std::vector<std::shared_ptr<TokenStream>> answers;
        for (int edit = 0; edit < 60; ++edit) {
            Written& each = prompts[random() % prompts.size()];
            if (random() % 3 == 0) {
                each.text.resize(random() % (each.text.size() + 1));
                engine->truncate(each.stream->id(), each.text.size());
            } else if (each.text.size() < 300) {
                const std::string more = words(1 + random() % 80, random());
                each.text += more;
                engine->append(each.stream->id(), more);
            }
            if (random() % 10 == 0) {
                answers.push_back(
                    engine->submit(TinyEngine::request(words(1 + random() % 200, random()), 20)));
            }
            if (random() % 4 == 0) {
                std::this_thread::sleep_for(2ms);
            }
        }
        for (const Written& each : prompts) {
            engine->append(each.stream->id(), "end");
            engine->complete(each.stream->id(), complete(8));
        }
        for (const Written& each : prompts) {
            const Ended ended = tests::readToEnd(*each.stream);
            QVERIFY2(ended.reason == FinishReason::Length || isTextless(ended),
                     ended.message.c_str());
            const Ended whole = engine.run(TinyEngine::request(each.text + "end", 8));
            QVERIFY2(ended.ids == whole.ids, qPrintable(QString::number(seed)));
            streamed += ended.record->streamedTokens;
        }
        for (const auto& answer : answers) {
            QVERIFY(tests::readToEnd(*answer).message != "no end");
        }
    }
    QVERIFY(streamed > 0);
    QVERIFY(isWholeAgain(engine));
}

// All places are taken by open prompts when answers come, in more slots than before.
void TstEngineOpenPrompts::openPromptsGiveTheirPlacesToThoseThatRun() {
    TinyEngine engine = windowed(false);
    std::vector<std::shared_ptr<TokenStream>> open;
    for (unsigned i = 0; i < 6; ++i) {
        open.push_back(engine->open(TinyEngine::request(words(100, i), 5)));
    }
    // Four of them are computed: the others have no places.
    const auto areFull = [](const Snapshot& s) { return s.kvTokens > 4 * 90; };
    QVERIFY(areFull(engine.waitForFigures(areFull)));
    QVERIFY(engine->snapshot().kvTokens < 5 * 90);
    std::vector<std::shared_ptr<TokenStream>> answers;
    for (unsigned i = 0; i < 8; ++i) {
        Request request = TinyEngine::request(words(100, 20 + i), 30);
        request.lane = i < 4 ? Lane::Batch : Lane::Realtime; // the first are paused for the others
        answers.push_back(engine->submit(request));
    }
    for (const auto& answer : answers) {
        const Ended ended = tests::readToEnd(*answer);
        QVERIFY2(ended.reason == FinishReason::Length, ended.message.c_str());
    }
    for (const auto& stream : open) {
        QVERIFY(!stream->isFinished());
        engine->complete(stream->id(), complete(5));
    }
    for (unsigned i = 0; i < open.size(); ++i) {
        QCOMPARE(tests::readToEnd(*open[i]).ids,
                 engine.run(TinyEngine::request(words(100, i), 5)).ids);
    }
    QVERIFY(isWholeAgain(engine));
}

// One token a byte: cut before, at and behind each border, with and without what follows.
void TstEngineOpenPrompts::cutsAtBlockBorders() {
    EngineConfig config = TinyEngine::smallConfig();
    TinyEngine engine(config);
    config.keepsPrefixes = false;
    TinyEngine plain(config);
    const std::string text = words(100, 3);
    for (int border = 16; border <= 64; border += 16) {
        for (const int offset : {-1, 0, 1}) {
            for (const bool goesOn : {false, true}) {
                Request request = TinyEngine::request(text, 6);
                request.tenant = std::to_string(border + offset) + (goesOn ? "+" : "");
                const auto stream = engine->open(request);
                const auto isComputed = [](const Snapshot& s) { return s.kvTokens > 95; };
                QVERIFY(isComputed(engine.waitForFigures(isComputed)));
                // Of bytes the first is the beginning's token, where the model has one.
                const auto kept = static_cast<std::size_t>(border + offset);
                engine->truncate(stream->id(), kept);
                std::string whole = text.substr(0, kept);
                if (goesOn) {
                    whole += words(40, 9);
                    engine->append(stream->id(), words(40, 9));
                }
                engine->complete(stream->id(), complete(6));
                const Ended ended = tests::readToEnd(*stream);
                QCOMPARE(ended.ids, plain.run(TinyEngine::request(whole, 6)).ids);
                QVERIFY(ended.record->streamedTokens > 0 || border == 16);
                QVERIFY(ended.record->streamedTokens < ended.record->promptTokens);
                // The blocks that it left to others hold what they say.
                Request again = TinyEngine::request(whole, 6);
                again.tenant = request.tenant;
                const Ended hit = engine.run(again);
                QCOMPARE(hit.ids, ended.ids);
                QVERIFY(hit.record->hitTokens > 0 || hit.record->promptTokens <= 16);
                QVERIFY(isWholeAgain(engine));
            }
        }
    }
}

void TstEngineOpenPrompts::deadlinesCountFromCompletion() {
    TinyEngine engine;
    Request request = TinyEngine::request(words(40, 1), 3);
    request.deadline = Clock::now() + 3s;
    const auto patient = engine->open(request);
    std::this_thread::sleep_for(3200ms);
    const auto sent = Clock::now();
    engine->complete(patient->id(), complete(3));
    const Ended met = tests::readToEnd(*patient);
    QVERIFY2(met.reason == FinishReason::Length, met.message.c_str());
    QVERIFY(*met.record->deadline >= sent + 2900ms && *met.record->deadline <= sent + 5s);
    QVERIFY(met.record->metDeadline() == std::optional(true));
    request.deadline = Clock::now() + 20ms;
    const auto hurried = engine->open(request);
    const auto other = engine.submitHeld(TinyEngine::request("a", 3));
    engine->complete(hurried->id(), complete(3));
    std::this_thread::sleep_for(60ms);
    engine.ops().release();
    QCOMPARE(tests::readToEnd(*hurried).reason, FinishReason::Deadline);
    tests::readToEnd(*other);
}

void TstEngineOpenPrompts::completionsKeepToTheLimitOfThoseThatWait() {
    EngineConfig config = TinyEngine::smallConfig();
    config.maxWaiting = 1;
    config.maxBatch = 1;
    TinyEngine engine(config);
    std::vector<std::shared_ptr<TokenStream>> open;
    for (unsigned i = 0; i < 3; ++i) {
        open.push_back(engine->open(TinyEngine::request(words(20, i), 3)));
    }
    const auto running = engine.submitHeld(TinyEngine::request("a", 200));
    for (const auto& stream : open) {
        engine->complete(stream->id(), complete(3));
    }
    engine.ops().release();
    int served = 0;
    int refused = 0;
    for (const auto& stream : open) {
        const Ended ended = tests::readToEnd(*stream);
        served += ended.reason == FinishReason::Length || isTextless(ended) ? 1 : 0;
        refused += ended.reason == FinishReason::Overloaded ? 1 : 0;
    }
    QCOMPARE(served + refused, 3);
    QVERIFY(refused >= 1);
    tests::readToEnd(*running);
    const Snapshot after = engine.waitForFigures([](const Snapshot& s) { return s.received == 4; });
    QCOMPARE(after.received, std::uint64_t(4));
    QCOMPARE(after.waiting, std::int64_t(0));
    QVERIFY(isWholeAgain(engine));
}

QTEST_APPLESS_MAIN(TstEngineOpenPrompts)
#include "tst_engine_open_prompts.moc"
