// The engine on the default model: sensible answers, the same in any company, and a quick end.
#include "engine/evaluate.h"
#include "engine/loop/engine.h"
#include "tests/support/default_model.h"
#include "tests/support/tiny_engine.h"

#include <QTest>

#include <cstring>
#include <thread>

using namespace engine;
using tests::Ended;
using namespace std::chrono_literals;

namespace {

Request chat(const std::string& question, int maxTokens) {
    Request request;
    request.prompt = std::vector<ChatMessage>{{.role = "user", .content = question}};
    request.maxTokens = maxTokens;
    return request;
}

} // namespace

class TstDefaultEngine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void answersAreSensible();
    void sixteenTogetherAnswerAsAlone();
    void logitsDoNotDependOnChunks();
    void closingInALongPromptIsQuick();

private:
    std::unique_ptr<Backend> start();
};

void TstDefaultEngine::initTestCase() {
    if (tests::defaultModel().empty()) {
        QSKIP("the default model is not on this machine (packaging/model fetches it)");
    }
}

std::unique_ptr<Backend> TstDefaultEngine::start() {
    EngineConfig config;
    config.maxBatch = 16;
    config.kvBlocks = 128;
    config.warmupRequests = 1;
    auto engine = startEngine(
        tests::defaultModel(),
        {.config = config, .progress = {}, .stop = {}, .makeOps = {}, .readBytesPerSecond = 1e10});
    return engine ? std::move(*engine) : nullptr;
}

void TstDefaultEngine::answersAreSensible() {
    const auto engine = start();
    QVERIFY(engine);
    const Ended paris =
        tests::readToEnd(*engine->submit(chat("What is the capital of France?", 30)));
    QVERIFY2(paris.text.find("Paris") != std::string::npos, paris.text.c_str());
    QVERIFY(paris.reason == FinishReason::Stop || paris.reason == FinishReason::Length);
    const Ended sum = tests::readToEnd(*engine->submit(chat("How much is 2 + 2?", 30)));
    QVERIFY2(sum.text.find('4') != std::string::npos, sum.text.c_str());
    QCOMPARE(engine->capabilities().chatFormat, std::string("ChatML"));
    QCOMPARE(engine->capabilities().parameters, std::uint64_t(134'515'008));
    QCOMPARE(engine->capabilities().kvBytesPerToken, std::uint64_t(23'040));
}

void TstDefaultEngine::sixteenTogetherAnswerAsAlone() {
    const auto engine = start();
    QVERIFY(engine);
    const auto question = [](int i) {
        return chat("Tell me about the number " + std::to_string(i * 37) + " and a colour.", 12);
    };
    std::vector<Ended> alone;
    for (const int i : {0, 7, 15}) {
        alone.push_back(tests::readToEnd(*engine->submit(question(i))));
    }
    std::vector<std::shared_ptr<TokenStream>> streams;
    for (int i = 0; i < 16; ++i) {
        streams.push_back(engine->submit(question(i)));
    }
    std::vector<Ended> together;
    for (auto& stream : streams) {
        together.push_back(tests::readToEnd(*stream));
    }
    QCOMPARE(together[0].ids, alone[0].ids);
    QCOMPARE(together[7].ids, alone[1].ids);
    QCOMPARE(together[15].ids, alone[2].ids);
}

void TstDefaultEngine::logitsDoNotDependOnChunks() {
    const auto evaluator = openEvaluator(tests::defaultModel(), {});
    QVERIFY(evaluator);
    std::vector<TokenId> ids;
    for (int i = 0; i < 40; ++i) {
        ids.push_back((i * i * 31 + 977 * i + 5) % 49152);
    }
    const auto logits = [&](std::int64_t chunk) {
        std::vector<float> all;
        const auto done =
            (*evaluator)
                ->logits(ids, chunk, LogitRows::All, [&](std::int64_t, std::span<const float> row) {
                    all.insert(all.end(), row.begin(), row.end());
                });
        return done ? all : std::vector<float>{};
    };
    const auto whole = logits(40);
    QCOMPARE(whole.size(), std::size_t(40 * 49152));
    for (const std::int64_t chunk : {1, 7, 32}) {
        const auto chunked = logits(chunk);
        QVERIFY(chunked.size() == whole.size() &&
                std::memcmp(chunked.data(), whole.data(), whole.size() * sizeof(float)) == 0);
    }
}

void TstDefaultEngine::closingInALongPromptIsQuick() {
    auto engine = start();
    QVERIFY(engine);
    std::vector<std::shared_ptr<TokenStream>> streams;
    for (int i = 0; i < 4; ++i) {
        Request request;
        request.prompt = std::vector<TokenId>(1900, 504 + i);
        request.maxTokens = 50;
        streams.push_back(engine->submit(request));
    }
    std::this_thread::sleep_for(100ms);
    const auto begin = Clock::now();
    engine.reset();
    QVERIFY(Clock::now() - begin < 1s);
    for (auto& stream : streams) {
        QCOMPARE(stream->finishReason(), std::optional(FinishReason::Cancelled));
    }
}

QTEST_APPLESS_MAIN(TstDefaultEngine)
#include "tst_default_engine.moc"
