// Sparse attention in the engine: beside full requests, in layers with a window, on several
// threads, with blocks that are chosen. What an answer says never depends on who is beside it.
#include "tests/support/tiny_engine.h"

#include <QTest>

#include <fmt/format.h>

#include <random>
#include <thread>

using namespace engine;
using tests::Ended;
using tests::TinyEngine;
using tests::TinyModel;
using namespace std::chrono_literals;

namespace {

constexpr TinyModel kModel{.context = 2048};
constexpr TinyModel kWindowed{.layers = 6, .context = 2048, .window = 400};

// Few first tokens and the least window, so that prompts of some hundred tokens choose blocks.
EngineConfig sparseConfig(int threads) {
    EngineConfig config = TinyEngine::smallConfig();
    config.tokenBudget = 128;
    config.prefillChunk = 96;
    config.kvBlocks = 512;
    config.threads = threads;
    config.attention = Attention::Sparse;
    config.attentionFirst = 16;
    config.attentionWindow = 192;
    config.attentionShare = 30;
    return config;
}

// A token a character, about.
std::string promptOf(std::size_t length, unsigned seed) {
    std::mt19937 random(seed);
    std::string prompt;
    while (prompt.size() < length) {
        prompt += static_cast<char>('0' + random() % 75);
    }
    return prompt;
}

Request requestOf(std::size_t length, unsigned seed, int answer, Attention attention) {
    Request request = TinyEngine::request(promptOf(length, seed), answer);
    request.attention = attention;
    return request;
}

const FieldStatus& statusOf(const ConfigStatus& status, std::string_view key) {
    return *std::ranges::find(status.fields, key, &FieldStatus::key);
}

bool waitForEffective(TinyEngine& engine, std::string_view key, const std::string& value) {
    const auto patience = Clock::now() + 10s;
    while (statusOf(engine->config(), key).effective != value) {
        if (Clock::now() > patience) {
            return false;
        }
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

} // namespace

class TstEngineSparse : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void itIsAnotherAttention();
    void fullPromptsGoOnBesideSparseAnswers_data();
    void fullPromptsGoOnBesideSparseAnswers();
    void changingUnderLoadLosesNothing();
    void layersWithAWindowKeepTheirPlaces_data();
    void layersWithAWindowKeepTheirPlaces();
    void layersWithAWindowSeeAllOfIt();
    void manyShortSlicesAnswerAsAlone();
    void whoWaitsBeginsWithWhatIsInForce();
    void prefixesAndPreemptionChangeNothing();
    void tenantsCannotNameAnotherAttention();
};

void TstEngineSparse::itIsAnotherAttention() {
    TinyEngine engine(sparseConfig(1), kModel);
    const Ended sparse = engine.run(requestOf(900, 1, 60, Attention::Sparse));
    const Ended full = engine.run(requestOf(900, 1, 60, Attention::Full));
    QCOMPARE(sparse.reason, FinishReason::Length);
    QVERIFY(sparse.ids != full.ids);
    QVERIFY(engine->edit([](EngineConfig& c) { c.attentionShare = 100; })); // all that is between
    QCOMPARE(engine.run(requestOf(900, 1, 60, Attention::Sparse)).ids, full.ids);
}

void TstEngineSparse::fullPromptsGoOnBesideSparseAnswers_data() {
    QTest::addColumn<int>("threads");
    QTest::addColumn<bool>("isWindowed");
    QTest::addRow("1 thread") << 1 << false;
    QTest::addRow("2 threads, windows") << 2 << true;
    QTest::addRow("4 threads") << 4 << false;
}

void TstEngineSparse::fullPromptsGoOnBesideSparseAnswers() {
    QFETCH(const int, threads);
    QFETCH(const bool, isWindowed);
    const TinyModel& model = isWindowed ? kWindowed : kModel;
    std::vector<Request> requests;
    for (unsigned i = 0; i < 6; ++i) {
        requests.push_back(
            requestOf(300 + 150 * i, i, 60, i % 2 == 0 ? Attention::Sparse : Attention::Full));
    }
    std::vector<std::vector<TokenId>> wanted;
    TinyEngine alone(sparseConfig(1), model);
    for (const Request& request : requests) {
        wanted.push_back(alone.run(request).ids);
        QCOMPARE(wanted.back().size(), std::size_t{60});
    }
    TinyEngine engine(sparseConfig(threads), model);
    std::vector<std::shared_ptr<TokenStream>> streams;
    for (const Request& request : requests) {
        streams.push_back(engine->submit(request));
    }
    for (std::size_t i = 0; i < streams.size(); ++i) {
        const Ended ended = tests::readToEnd(*streams[i]);
        QVERIFY2(ended.reason == FinishReason::Length, ended.message.c_str());
        QCOMPARE(ended.ids, wanted[i]);
    }
}

// To and fro while prompts of many chunks and answers are under way.
void TstEngineSparse::changingUnderLoadLosesNothing() {
    TinyEngine engine(sparseConfig(2), kModel);
    std::vector<std::vector<TokenId>> sparse, full;
    for (unsigned i = 0; i < 12; ++i) {
        sparse.push_back(engine.run(requestOf(400 + 70 * i, i, 30, Attention::Sparse)).ids);
        full.push_back(engine.run(requestOf(400 + 70 * i, i, 30, Attention::Full)).ids);
    }
    engine->resetPrefixCache();
    std::vector<std::shared_ptr<TokenStream>> streams;
    for (unsigned i = 0; i < 12; ++i) {
        streams.push_back(engine->submit(TinyEngine::request(promptOf(400 + 70 * i, i), 30)));
        QVERIFY(engine->edit([&](EngineConfig& c) {
            c.attention = i % 2 == 0 ? Attention::Full : Attention::Sparse;
        }));
        std::this_thread::sleep_for(4ms);
    }
    for (std::size_t i = 0; i < streams.size(); ++i) {
        const Ended ended = tests::readToEnd(*streams[i]);
        QVERIFY2(ended.reason == FinishReason::Length, ended.message.c_str());
        QVERIFY(ended.ids == sparse[i] || ended.ids == full[i]);
    }
}

void TstEngineSparse::layersWithAWindowKeepTheirPlaces_data() {
    QTest::addColumn<int>("share");
    QTest::addRow("0 %%") << 0;
    QTest::addRow("30 %%") << 30;
}

// Far longer than what their memory holds, one behind the other.
void TstEngineSparse::layersWithAWindowKeepTheirPlaces() {
    QFETCH(const int, share);
    EngineConfig config = sparseConfig(1);
    config.maxBatch = 2;
    config.tokenBudget = config.prefillChunk = 64;
    config.attentionShare = share;
    TinyEngine engine(config, kWindowed);
    std::vector<std::shared_ptr<TokenStream>> streams;
    for (unsigned i = 0; i < 4; ++i) {
        streams.push_back(engine->submit(TinyEngine::request(promptOf(1900, i), 20)));
    }
    for (const auto& stream : streams) {
        const Ended ended = tests::readToEnd(*stream);
        QVERIFY2(ended.reason == FinishReason::Length, ended.message.c_str());
        QCOMPARE(ended.ids.size(), std::size_t{20});
    }
}

void TstEngineSparse::layersWithAWindowSeeAllOfIt() {
    TinyEngine engine(sparseConfig(1), kWindowed);
    const ConfigStatus status = engine->config();
    const FieldStatus& window = statusOf(status, "attention.window");
    QCOMPARE(window.requested, std::string("192"));
    QCOMPARE(window.effective, std::string("400"));
    QCOMPARE(window.state, FieldState::InForce);
    QVERIFY(!window.reason.empty());
    QVERIFY(engine->edit([](EngineConfig& c) { c.attentionWindow = 500; }));
    QVERIFY(waitForEffective(engine, "attention.window", "500"));
    QVERIFY(statusOf(engine->config(), "attention.window").reason.empty());
    TinyEngine other(sparseConfig(1), kModel);
    QCOMPARE(statusOf(other->config(), "attention.window").effective, std::string("192"));
}

// Prompts whose rests are few tokens around multiples of 16: slices of one token that are
// neighbours in one sequence, with more of them than threads.
void TstEngineSparse::manyShortSlicesAnswerAsAlone() {
    for (const TinyModel& model : {kModel, kWindowed}) {
        EngineConfig config = sparseConfig(1);
        config.maxBatch = 16;
        config.prefillChunk = 7;
        config.keepsPrefixes = false;
        TinyEngine alone(config, model);
        config.threads = 2;
        TinyEngine engine(config, model);
        std::vector<std::shared_ptr<TokenStream>> streams;
        for (unsigned i = 0; i < 14; ++i) {
            streams.push_back(engine->submit(requestOf(40 + 11 * i, i, 50, Attention::Sparse)));
        }
        for (unsigned i = 0; i < 14; ++i) {
            QCOMPARE(tests::readToEnd(*streams[i]).ids,
                     alone.run(requestOf(40 + 11 * i, i, 50, Attention::Sparse)).ids);
        }
    }
}

void TstEngineSparse::whoWaitsBeginsWithWhatIsInForce() {
    EngineConfig config = sparseConfig(1);
    config.maxBatch = 1;
    config.attention = Attention::Full;
    config.keepsPrefixes = false;
    TinyEngine engine(config, kModel);
    const Ended wanted = engine.run(requestOf(900, 3, 40, Attention::Sparse));
    auto running = engine->submit(TinyEngine::request(promptOf(300, 1), 1500));
    auto waiting = engine->submit(TinyEngine::request(promptOf(900, 3), 40));
    engine.waitForFigures([](const Snapshot& s) { return s.running == 1 && s.waiting == 1; });
    QVERIFY(engine->edit([](EngineConfig& c) { c.attention = Attention::Sparse; }));
    QCOMPARE(tests::readToEnd(*running).reason, FinishReason::Length);
    QCOMPARE(tests::readToEnd(*waiting).ids, wanted.ids);
}

// Blocks that were filled by somebody else, or twice, are chosen as those of a request alone.
void TstEngineSparse::prefixesAndPreemptionChangeNothing() {
    EngineConfig config = sparseConfig(1);
    config.keepsPrefixes = false;
    TinyEngine alone(config, kModel);
    config.keepsPrefixes = true;
    config.threads = 2;
    config.kvBlocks = 160; // two whole sequences and a half
    TinyEngine engine(config, kModel);
    std::vector<Request> requests;
    for (unsigned i = 0; i < 4; ++i) { // they begin alike
        requests.push_back(TinyEngine::request(promptOf(600, 9) + promptOf(60, i), 300));
    }
    std::vector<std::vector<TokenId>> wanted;
    for (const Request& request : requests) {
        wanted.push_back(alone.run(request).ids);
    }
    QCOMPARE(engine.run(requests[0]).ids, wanted[0]);
    std::vector<std::shared_ptr<TokenStream>> streams;
    for (const Request& request : requests) {
        streams.push_back(engine->submit(request));
    }
    bool hasHits = false;
    for (std::size_t i = 0; i < streams.size(); ++i) {
        const Ended ended = tests::readToEnd(*streams[i]);
        QVERIFY2(ended.reason == FinishReason::Length, ended.message.c_str());
        QCOMPARE(ended.ids, wanted[i]);
        hasHits = hasHits || ended.record->hitTokens > 0;
    }
    QVERIFY(hasHits);
    // No prefix to share: what does not fit at once is preempted.
    streams.clear();
    for (unsigned i = 0; i < 4; ++i) {
        streams.push_back(engine->submit(requestOf(600, 20 + i, 300, Attention::Sparse)));
    }
    std::int64_t preemptions = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const Ended ended = tests::readToEnd(*streams[i]);
        QCOMPARE(ended.ids, alone.run(requestOf(600, 20 + i, 300, Attention::Sparse)).ids);
        preemptions += std::ssize(ended.record->preemptions);
    }
    QVERIFY(preemptions > 0);
}

void TstEngineSparse::tenantsCannotNameAnotherAttention() {
    TinyEngine engine(sparseConfig(1), kModel);
    Request foreign = requestOf(600, 5, 5, Attention::Full);
    for (const char* tenant : {"acme|16|192|30", "16|192|30|acme", "acme"}) {
        foreign.tenant = tenant;
        QCOMPARE(engine.run(foreign).reason, FinishReason::Length);
    }
    Request own = requestOf(600, 5, 5, Attention::Sparse);
    own.tenant = "acme";
    const Ended first = engine.run(own);
    QCOMPARE(first.record->hitTokens, std::int64_t{0});
    QVERIFY(engine.run(own).record->hitTokens > 0);
}

QTEST_APPLESS_MAIN(TstEngineSparse)
#include "tst_engine_sparse.moc"
