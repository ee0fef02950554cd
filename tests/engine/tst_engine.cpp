// What a caller of the engine sees: answers, refusals, cancellation, closing.
#include "tests/support/tiny_engine.h"

#include <QTest>

#include <set>
#include <thread>

using namespace engine;
using tests::Ended;
using tests::TinyEngine;
using namespace std::chrono_literals;

namespace {

std::string words(std::size_t bytes, unsigned salt) {
    std::string text;
    for (std::size_t i = 0; text.size() < bytes; ++i) {
        text += static_cast<char>('a' + (i * 7 + salt * 13 + i * i) % 26);
        if (i % 5 == 4) {
            text += ' ';
        }
    }
    return text;
}

bool isUtf8(const std::string& text) {
    const QByteArray bytes = QByteArray::fromStdString(text);
    return QString::fromUtf8(bytes).toUtf8() == bytes;
}

Request idsRequest(std::vector<TokenId> ids, int maxTokens) {
    Request request = TinyEngine::request({}, maxTokens);
    request.prompt = std::move(ids);
    return request;
}

} // namespace

class TstEngine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void answerHasItsLengthAndIsText();
    void greedyAnswersRepeat();
    void batchGivesTheTextOfAlone_data();
    void batchGivesTheTextOfAlone();
    void seededNoiseIsTheRequestsOwn();
    void preemptionGivesTheSameText();
    void stepsAllocateNoTensors();
    void chatAndEmptyPrompts();
    void whatCannotBeServedIsRefusedWithNumbers();
    void hugePromptsDoNotStallOthers();
    void fullQueueRefuses();
    void stopTextEndsTheAnswerAndIsNotPartOfIt();
    void cancellationTakesOneStep();
    void deadlinesEndWaitingAndRunning();
    void closingUnderLoadIsQuickAndEndsEverything();
    void modelsThatCannotBeLoadedAreErrors();
    void loadingStopsWhenTold();
};

void TstEngine::answerHasItsLengthAndIsText() {
    TinyEngine engine;
    for (const int tokens : {1, 2, 17, 100}) {
        const Ended ended = engine.run(TinyEngine::request("Hello there", tokens));
        QVERIFY2(ended.reason == FinishReason::Length, ended.message.c_str());
        QCOMPARE(ended.ids.size(), static_cast<std::size_t>(tokens));
        QCOMPARE(ended.record->outputTokens, std::int64_t(tokens));
        QVERIFY(isUtf8(ended.text));
    }
}

void TstEngine::greedyAnswersRepeat() {
    TinyEngine one;
    TinyEngine other;
    const Ended first = one.run(TinyEngine::request(words(60, 1), 60));
    QCOMPARE(first.ids, one.run(TinyEngine::request(words(60, 1), 60)).ids);
    QCOMPARE(first.ids, other.run(TinyEngine::request(words(60, 1), 60)).ids);
    QVERIFY(first.ids != one.run(TinyEngine::request(words(60, 2), 60)).ids);
}

void TstEngine::batchGivesTheTextOfAlone_data() {
    QTest::addColumn<int>("batching");
    QTest::newRow("single") << static_cast<int>(Batching::Single);
    QTest::newRow("dynamic") << static_cast<int>(Batching::Dynamic);
    QTest::newRow("continuous") << static_cast<int>(Batching::Continuous);
    QTest::newRow("selective") << static_cast<int>(Batching::Selective);
}

void TstEngine::batchGivesTheTextOfAlone() {
    QFETCH(int, batching);
    EngineConfig config = TinyEngine::smallConfig();
    config.batching = static_cast<Batching>(batching);
    config.maxBatch = 16;
    config.kvBlocks = 400;
    TinyEngine engine(config);
    std::vector<Ended> alone;
    for (unsigned i = 0; i < 16; ++i) {
        alone.push_back(engine.run(TinyEngine::request(words(20 + 12 * i, i), 40)));
    }
    std::vector<std::shared_ptr<TokenStream>> streams;
    for (unsigned i = 0; i < 16; ++i) {
        streams.push_back(engine->submit(TinyEngine::request(words(20 + 12 * i, i), 40)));
    }
    for (unsigned i = 0; i < 16; ++i) {
        const Ended together = tests::readToEnd(*streams[i]);
        QCOMPARE(together.ids, alone[i].ids);
        QCOMPARE(together.text, alone[i].text);
    }
}

void TstEngine::seededNoiseIsTheRequestsOwn() {
    TinyEngine engine;
    const auto sampled = [](std::uint64_t seed) {
        Request request = TinyEngine::request("once", 50);
        request.sampling = {.temperature = 1.0F, .topK = 100, .topP = 0.95F, .seed = seed};
        return request;
    };
    const Ended alone = engine.run(sampled(7));
    auto noise = engine->submit(sampled(8));
    auto again = engine->submit(sampled(7));
    QCOMPARE(tests::readToEnd(*again).ids, alone.ids);
    QVERIFY(tests::readToEnd(*noise).ids != alone.ids);
}

void TstEngine::preemptionGivesTheSameText() {
    EngineConfig tight = TinyEngine::smallConfig();
    tight.kvBlocks = 20;
    TinyEngine roomy;
    TinyEngine pressed(tight);
    std::vector<std::shared_ptr<TokenStream>> streams;
    for (unsigned i = 0; i < 8; ++i) {
        streams.push_back(pressed->submit(TinyEngine::request(words(30, i), 120)));
    }
    std::int64_t preempted = 0;
    for (unsigned i = 0; i < 8; ++i) {
        const Ended ended = tests::readToEnd(*streams[i]);
        QVERIFY2(ended.reason == FinishReason::Length, ended.message.c_str());
        QCOMPARE(ended.ids, roomy.run(TinyEngine::request(words(30, i), 120)).ids);
        const bool isTagged =
            (ended.record->tags & static_cast<std::uint32_t>(SampleTag::Preempted)) != 0;
        QCOMPARE(isTagged, !ended.record->preemptions.empty());
        for (const PreemptionSpan& span : ended.record->preemptions) {
            QVERIFY(span.end && *span.end >= span.begin);
        }
        preempted += isTagged ? 1 : 0;
    }
    QVERIFY(preempted > 0);
}

void TstEngine::stepsAllocateNoTensors() {
    TinyEngine engine;
    const std::int64_t before = engine.ops().allocations();
    QVERIFY(before > 0);
    std::vector<std::shared_ptr<TokenStream>> streams;
    for (unsigned i = 0; i < 20; ++i) {
        streams.push_back(engine->submit(TinyEngine::request(words(10 * i + 1, i), 40)));
    }
    for (auto& stream : streams) {
        QCOMPARE(tests::readToEnd(*stream).reason, FinishReason::Length);
    }
    QCOMPARE(engine.ops().allocations(), before);
}

void TstEngine::chatAndEmptyPrompts() {
    TinyEngine engine;
    Request chat = TinyEngine::request({}, 5);
    chat.prompt = std::vector<ChatMessage>{{.role = "user", .content = ""}};
    const Ended answer = engine.run(chat);
    QVERIFY2(answer.reason == FinishReason::Length, answer.message.c_str());
    QVERIFY(answer.record->promptTokens > 0);

    const Ended refused = engine.run(TinyEngine::request("", 5));
    QCOMPARE(refused.reason, FinishReason::Rejected);
    QVERIFY2(refused.message.find("empty") != std::string::npos, refused.message.c_str());
    QCOMPARE(engine.run(idsRequest({}, 5)).reason, FinishReason::Rejected);
}

void TstEngine::whatCannotBeServedIsRefusedWithNumbers() {
    TinyEngine engine; // context 512, pool 1024
    const Ended beyond = engine.run(TinyEngine::request(words(5000, 3), 5));
    QCOMPARE(beyond.reason, FinishReason::TooLong);
    QVERIFY2(beyond.message.find("512") != std::string::npos, beyond.message.c_str());

    EngineConfig small = TinyEngine::smallConfig();
    small.kvBlocks = 8;
    TinyEngine tight(small);
    const Ended overPool = tight.run(idsRequest(std::vector<TokenId>(200, 70), 5));
    QCOMPARE(overPool.reason, FinishReason::TooLong);
    QVERIFY2(overPool.message.find("128") != std::string::npos, overPool.message.c_str());
    // What fits but for its end is cut at the end of the context.
    const Ended cut = tight.run(idsRequest(std::vector<TokenId>(120, 70), 100));
    QCOMPARE(cut.reason, FinishReason::Length);
    QCOMPARE(cut.ids.size(), std::size_t(8));
    QVERIFY2(cut.message.find("8 of 100 tokens") != std::string::npos, cut.message.c_str());

    for (const TokenId id : {-1, 320, 1 << 30}) {
        const Ended foreign = engine.run(idsRequest({1, id}, 5));
        QCOMPARE(foreign.reason, FinishReason::Rejected);
        QVERIFY(foreign.message.find(std::to_string(id)) != std::string::npos);
    }
    for (const int tokens : {0, -5}) {
        QCOMPARE(engine.run(TinyEngine::request("a", tokens)).reason, FinishReason::Rejected);
    }
    const Ended broken = engine.run(TinyEngine::request("\xff\xfe ok \xc3", 5));
    QCOMPARE(broken.reason, FinishReason::Length);
}

void TstEngine::hugePromptsDoNotStallOthers() {
    TinyEngine engine;
    const auto begin = Clock::now();
    auto huge = engine->submit(TinyEngine::request(std::string(10'000'000, 'x'), 5));
    const Ended small = engine.run(TinyEngine::request("a", 3));
    QVERIFY(Clock::now() - begin < 1s);
    QCOMPARE(small.reason, FinishReason::Length);
    QCOMPARE(tests::readToEnd(*huge).reason, FinishReason::TooLong);
}

void TstEngine::fullQueueRefuses() {
    EngineConfig config = TinyEngine::smallConfig();
    config.maxWaiting = 3;
    config.maxBatch = 1;
    TinyEngine engine(config);
    auto running = engine.submitHeld(TinyEngine::request("a", 3));
    std::vector<std::shared_ptr<TokenStream>> streams;
    for (int i = 0; i < 6; ++i) {
        streams.push_back(engine->submit(TinyEngine::request("b", 3)));
    }
    engine.ops().release();
    int rejected = 0;
    for (auto& stream : streams) {
        const Ended ended = tests::readToEnd(*stream);
        if (ended.reason == FinishReason::Overloaded) {
            ++rejected;
            QVERIFY2(ended.message.find("3") != std::string::npos, ended.message.c_str());
        }
    }
    QCOMPARE(rejected, 3);
    QCOMPARE(tests::readToEnd(*running).reason, FinishReason::Length);
}

void TstEngine::stopTextEndsTheAnswerAndIsNotPartOfIt() {
    TinyEngine engine;
    const Ended whole = engine.run(TinyEngine::request(words(40, 5), 60));
    QVERIFY(whole.text.size() > 12);
    // A piece of the answer itself, at a character's boundary.
    const QString text = QString::fromStdString(whole.text);
    const std::string stop = text.mid(text.size() / 2, 3).toStdString();
    Request request = TinyEngine::request(words(40, 5), 60);
    request.stop = {"never in it 12345", stop};
    const Ended ended = engine.run(request);
    QCOMPARE(ended.reason, FinishReason::Stop);
    QCOMPARE(ended.text, whole.text.substr(0, whole.text.find(stop)));
}

void TstEngine::cancellationTakesOneStep() {
    TinyEngine engine;
    auto stream = engine->submit(TinyEngine::request("a", 400));
    QVERIFY(stream->waitNext(5s));
    engine->cancel(stream->id());
    const std::uint64_t step = engine->snapshot().step;
    const Ended ended = tests::readToEnd(*stream);
    QCOMPARE(ended.reason, FinishReason::Cancelled);
    QVERIFY(ended.record->outputTokens < 400);
    const Snapshot after =
        engine.waitForFigures([](const Snapshot& s) { return s.cancelled == 1; });
    QCOMPARE(after.cancelled, std::uint64_t(1));
    QCOMPARE(after.kvBlocksUsed, std::int64_t(0));
    QVERIFY(after.step >= step);
    // Unknown and ended ones are ignored; one that still waits ends as well.
    engine->cancel(RequestId{99999});
    engine->cancel(stream->id());
    auto busy = engine.submitHeld(TinyEngine::request("b", 3));
    auto waiting = engine->submit(TinyEngine::request("c", 3));
    engine->cancel(waiting->id());
    engine.ops().release();
    QCOMPARE(tests::readToEnd(*waiting).reason, FinishReason::Cancelled);
    QCOMPARE(tests::readToEnd(*busy).reason, FinishReason::Length);
}

void TstEngine::deadlinesEndWaitingAndRunning() {
    EngineConfig config = TinyEngine::smallConfig();
    config.maxBatch = 1;
    TinyEngine engine(config);
    engine.ops().hold();
    Request first = TinyEngine::request("a", 400);
    first.deadline = Clock::now() + 30ms;
    Request second = TinyEngine::request("b", 400);
    second.deadline = Clock::now() + 30ms;
    auto running = engine->submit(first);
    auto waiting = engine->submit(second);
    std::this_thread::sleep_for(40ms);
    engine.ops().release();
    for (auto& stream : {running, waiting}) {
        const Ended ended = tests::readToEnd(*stream);
        QCOMPARE(ended.reason, FinishReason::Deadline);
        QVERIFY(!ended.message.empty());
    }
    const Snapshot after = engine.waitForFigures([](const Snapshot& s) { return s.failed == 2; });
    QCOMPARE(after.failed, std::uint64_t(2));
}

void TstEngine::closingUnderLoadIsQuickAndEndsEverything() {
    EngineConfig config = TinyEngine::smallConfig();
    config.kvBlocks = 200;
    TinyEngine engine(config);
    std::vector<std::shared_ptr<TokenStream>> streams;
    for (unsigned i = 0; i < 200; ++i) {
        streams.push_back(engine->submit(TinyEngine::request(words(100, i), 300)));
    }
    std::this_thread::sleep_for(20ms);
    const auto begin = Clock::now();
    engine.close();
    QVERIFY(Clock::now() - begin < 1s);
    int cancelled = 0;
    for (auto& stream : streams) {
        QVERIFY(stream->isFinished());
        cancelled += stream->finishReason() == FinishReason::Cancelled ? 1 : 0;
    }
    QVERIFY(cancelled > 100);
}

void TstEngine::modelsThatCannotBeLoadedAreErrors() {
    const auto absent = makeEngine("/nowhere/model.gguf", {});
    QVERIFY(!absent);
    QVERIFY(absent.error().message.find("model.gguf") != std::string::npos);
    EngineConfig broken;
    broken.maxBatch = 0;
    QVERIFY(!makeEngine("/nowhere/model.gguf", broken));

    QTemporaryDir folder;
    const std::filesystem::path file = folder.path().toStdString() + "/tiny.gguf";
    tests::writeTinyModel(file);
    EngineConfig greedy = TinyEngine::smallConfig();
    greedy.kvBlocks = 1 << 24;
    greedy.blockTokens = 128;
    const auto tooMuch = makeEngine(file, greedy);
    QVERIFY(!tooMuch);
    QCOMPARE(tooMuch.error().code, ErrorCode::OutOfMemory);
    QVERIFY2(tooMuch.error().message.find("16777216") != std::string::npos,
             tooMuch.error().message.c_str());
}

void TstEngine::loadingStopsWhenTold() {
    QTemporaryDir folder;
    const std::filesystem::path file = folder.path().toStdString() + "/tiny.gguf";
    tests::writeTinyModel(file);
    std::set<std::string> phases;
    for (const std::string_view last : {"open", "map", "convert", "tokenizer", "warm-up"}) {
        std::stop_source stop;
        const auto progress = [&](const LoadProgress& now) {
            phases.insert(now.phase);
            if (now.phase == last) {
                stop.request_stop();
            }
        };
        const auto engine = makeEngine(file, TinyEngine::smallConfig(), progress, stop.get_token());
        QVERIFY2(!engine, last.data());
        QCOMPARE(engine.error().code, ErrorCode::Cancelled);
    }
    QCOMPARE(phases.size(), std::size_t(5));
}

QTEST_APPLESS_MAIN(TstEngine)
#include "tst_engine.moc"
