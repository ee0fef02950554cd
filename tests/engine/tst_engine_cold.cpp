// Cold blocks in a running engine: packed when nobody uses them, unpacked for who begins with them,
// and answers are the same as without.
#include "tests/support/tiny_engine.h"

#include <QTest>

#include <random>
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

// Packed as soon as nobody uses them.
EngineConfig coldConfig(KvPrecision precision = KvPrecision::FP16) {
    EngineConfig config = TinyEngine::smallConfig();
    config.blockTokens = 32;
    config.kvBlocks = 32;
    config.kvPrecision = precision;
    config.packsColdBlocks = true;
    config.coldAfterMs = 0;
    return config;
}

bool isAllPacked(const Snapshot& s) {
    return s.kvBlocksPacked > 0 && s.kvBlocksKept == 0 && s.kvBlocksUsed == 0;
}

bool isWholeAgain(TinyEngine& engine) {
    engine->resetPrefixCache();
    const Snapshot after = engine.waitForFigures([](const Snapshot& s) {
        return s.kvBlocksUsed == 0 && s.kvBlocksKept == 0 && s.kvBlocksPacked == 0;
    });
    return after.kvBlocksUsed == 0 && after.kvBlocksKept == 0 && after.kvBlocksPacked == 0 &&
           after.kvPackedBytes == 0 && after.kvUnpackedBytes == 0;
}

} // namespace

class TstEngineCold : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void packedBeginningsAreHitsAndChangeNothing_data();
    void packedBeginningsAreHitsAndChangeNothing();
    void nothingIsPackedUnlessAsked();
    void switchingOffForgetsWhatIsPacked();
    void theLimitDropsTheOldest();
    void packedBlocksEndWithTheirTime();
    void anIdleOpenPromptIsPackedAndGoesOn();
    void boundsOfKeysComeBackToo();
    void aChangeOfPrecisionForgetsWhatIsPacked();
    void cancelledWhileUnpackingLeavesNothingBehind();
    void randomTrafficLosesNothing();
};

void TstEngineCold::packedBeginningsAreHitsAndChangeNothing_data() {
    QTest::addColumn<int>("precision");
    QTest::newRow("fp32") << static_cast<int>(KvPrecision::FP32);
    QTest::newRow("fp16") << static_cast<int>(KvPrecision::FP16);
    QTest::newRow("int8") << static_cast<int>(KvPrecision::INT8);
}

void TstEngineCold::packedBeginningsAreHitsAndChangeNothing() {
    QFETCH(const int, precision);
    EngineConfig plain = coldConfig(static_cast<KvPrecision>(precision));
    plain.packsColdBlocks = false;
    plain.keepsPrefixes = false;
    TinyEngine alone(plain);
    TinyEngine engine(coldConfig(static_cast<KvPrecision>(precision)));
    const Request request = TinyEngine::request(words(300, 1), 20);
    const Ended expected = alone.run(request);
    const Ended first = engine.run(request);
    QCOMPARE(first.ids, expected.ids);
    const Snapshot cold = engine.waitForFigures(isAllPacked);
    QVERIFY(isAllPacked(cold));
    QVERIFY(cold.kvPackedBytes > 0 && cold.kvPackedBytes < cold.kvUnpackedBytes);
    const Ended again = engine.run(request);
    QCOMPARE(again.ids, expected.ids);
    QVERIFY(again.record->hitTokens >= 256);
    const Snapshot after = engine.waitForFigures(
        [](const Snapshot& s) { return s.completed == 2 && s.kvRestores > 0; });
    QCOMPARE(after.kvRestores * 32, static_cast<std::uint64_t>(again.record->hitTokens));
    // Stages add up with the time of unpacking among that of blocks.
    QVERIFY(again.record->ledgerNs.has_value());
    std::int64_t sum = 0;
    for (const std::int64_t stage : *again.record->ledgerNs) {
        sum += stage;
    }
    QCOMPARE(sum, again.record->ttft()->count());
    QVERIFY((*again.record->ledgerNs)[static_cast<std::size_t>(Stage::Kv)] > 0);
    QVERIFY((*again.record->ledgerNs)[static_cast<std::size_t>(Stage::Queue)] >= 0);
    QVERIFY(isWholeAgain(engine));
}

void TstEngineCold::nothingIsPackedUnlessAsked() {
    EngineConfig config = coldConfig();
    config.packsColdBlocks = false;
    TinyEngine engine(config);
    engine.run(TinyEngine::request(words(300, 1), 5));
    QVERIFY(engine.waitForFigures([](const Snapshot& s) { return s.kvBlocksKept > 0; })
                .kvBlocksPacked == 0);
    engine.run(TinyEngine::request(words(300, 1), 5));
    const Snapshot after =
        engine.waitForFigures([](const Snapshot& s) { return s.completed == 2; });
    QCOMPARE(after.kvBlocksPacked, std::int64_t(0));
    QCOMPARE(after.kvRestores, std::uint64_t(0));
    // Live: what is kept already is packed as well.
    QVERIFY(engine->edit([](EngineConfig& c) { c.packsColdBlocks = true; }));
    QVERIFY(isAllPacked(engine.waitForFigures(isAllPacked)));
}

void TstEngineCold::switchingOffForgetsWhatIsPacked() {
    TinyEngine engine(coldConfig());
    const Ended first = engine.run(TinyEngine::request(words(300, 1), 5));
    QVERIFY(isAllPacked(engine.waitForFigures(isAllPacked)));
    QVERIFY(engine->edit([](EngineConfig& c) { c.packsColdBlocks = false; }));
    const Snapshot off = engine.waitForFigures(
        [](const Snapshot& s) { return s.kvBlocksPacked == 0 && s.kvPackedBytes == 0; });
    QCOMPARE(off.kvBlocksPacked, std::int64_t(0));
    const Ended again = engine.run(TinyEngine::request(words(300, 1), 5));
    QCOMPARE(again.ids, first.ids);
    QCOMPARE(again.record->hitTokens, std::int64_t(0));
}

void TstEngineCold::theLimitDropsTheOldest() {
    EngineConfig config = coldConfig(KvPrecision::FP32);
    config.coldLimitMib = 1;
    config.kvBlocks = 512;
    config.maxBatch = 2;
    // 2 layers, 32 tokens, 2 heads of 64, keys and values in F32: 64 KiB a block.
    TinyEngine engine(config, {.headDim = 64});
    for (unsigned i = 0; i < 8; ++i) {
        engine.run(TinyEngine::request(words(300, i), 2));
    }
    const Snapshot cold = engine.waitForFigures(isAllPacked);
    QVERIFY(isAllPacked(cold));
    QVERIFY(cold.kvPackedBytes <= std::uint64_t{1} << 20U);
    QVERIFY(cold.kvBlocksPacked < 8 * 9); // some went
    const Ended newest = engine.run(TinyEngine::request(words(300, 7), 2));
    QVERIFY(newest.record->hitTokens > 0);
    QVERIFY(isWholeAgain(engine));
}

void TstEngineCold::packedBlocksEndWithTheirTime() {
    EngineConfig config = coldConfig();
    config.prefixTtlMs = 300;
    TinyEngine engine(config);
    engine.run(TinyEngine::request(words(300, 1), 2));
    const Snapshot gone = engine.waitForFigures([](const Snapshot& s) {
        return s.completed == 1 && s.kvBlocksPacked == 0 && s.kvBlocksKept == 0 &&
               s.kvBlocksUsed == 0;
    });
    QCOMPARE(gone.kvBlocksPacked, std::int64_t(0));
    QCOMPARE(gone.kvBlocksUsed, std::int64_t(0));
    QCOMPARE(engine.run(TinyEngine::request(words(300, 1), 2)).record->hitTokens, std::int64_t(0));
}

void TstEngineCold::anIdleOpenPromptIsPackedAndGoesOn() {
    EngineConfig plain = coldConfig();
    plain.packsColdBlocks = false;
    TinyEngine alone(plain);
    const std::string whole = words(400, 3);
    const Ended expected = alone.run(TinyEngine::request(whole, 20));
    TinyEngine engine(coldConfig());
    auto stream = engine->open(TinyEngine::request(whole.substr(0, 300), 20));
    QVERIFY(isAllPacked(engine.waitForFigures(isAllPacked)));
    engine->append(stream->id(), whole.substr(300));
    engine->complete(stream->id(), {.maxTokens = 20, .sampling = {}, .scheduled = std::nullopt});
    const Ended ended = tests::readToEnd(*stream);
    QCOMPARE(ended.ids, expected.ids);
    QVERIFY(engine.waitForFigures([](const Snapshot& s) { return s.completed == 1; }).kvRestores >
            0);
    QVERIFY(isWholeAgain(engine));
}

// Sparse attention chooses by them.
void TstEngineCold::boundsOfKeysComeBackToo() {
    EngineConfig config = coldConfig();
    config.attention = Attention::Sparse;
    config.attentionFirst = 0;
    config.attentionWindow = 192;
    config.attentionShare = 30;
    config.kvBlocks = 64;
    EngineConfig plain = config;
    plain.packsColdBlocks = plain.keepsPrefixes = false;
    TinyEngine alone(plain, {.context = 1024});
    TinyEngine engine(config, {.context = 1024});
    const Ended expected = alone.run(TinyEngine::request(words(800, 5), 30));
    QCOMPARE(engine.run(TinyEngine::request(words(800, 5), 30)).ids, expected.ids);
    for (int i = 0; i < 3; ++i) {
        QVERIFY(isAllPacked(engine.waitForFigures(isAllPacked)));
        engine.run(TinyEngine::request(words(500, 10U + static_cast<unsigned>(i)), 2));
        const Ended again = engine.run(TinyEngine::request(words(800, 5), 30));
        QCOMPARE(again.ids, expected.ids);
        QVERIFY(again.record->hitTokens > 0);
    }
    QVERIFY(isWholeAgain(engine));
}

void TstEngineCold::aChangeOfPrecisionForgetsWhatIsPacked() {
    TinyEngine engine(coldConfig());
    engine.run(TinyEngine::request(words(300, 1), 5));
    for (const KvPrecision precision : {KvPrecision::INT8, KvPrecision::FP32, KvPrecision::FP16}) {
        QVERIFY(isAllPacked(engine.waitForFigures(isAllPacked)));
        QVERIFY(engine->edit([&](EngineConfig& c) { c.kvPrecision = precision; }));
        const Ended fresh = engine.run(TinyEngine::request(words(300, 1), 5));
        QCOMPARE(fresh.record->hitTokens, std::int64_t(0));
    }
    QVERIFY(isAllPacked(engine.waitForFigures(isAllPacked)));
    QVERIFY(engine->edit([](EngineConfig& c) { c.kvBlocks = 48; }));
    engine.waitForFigures([](const Snapshot& s) { return s.kvBlocksTotal == 48; });
    QCOMPARE(engine.run(TinyEngine::request(words(300, 1), 5)).record->hitTokens, std::int64_t(0));
    QVERIFY(isWholeAgain(engine));
}

void TstEngineCold::cancelledWhileUnpackingLeavesNothingBehind() {
    TinyEngine engine(coldConfig());
    for (int i = 0; i < 40; ++i) {
        engine.run(TinyEngine::request(words(300, 1), 2));
        QVERIFY(isAllPacked(engine.waitForFigures(isAllPacked)));
        const auto stream = engine->submit(TinyEngine::request(words(300, 1), 50));
        engine->cancel(stream->id());
        if (i % 2 == 0) {
            engine->resetPrefixCache();
        }
        tests::readToEnd(*stream);
    }
    QVERIFY(isWholeAgain(engine));
}

// Little room, many beginnings: packed, unpacked, evicted and computed anew.
void TstEngineCold::randomTrafficLosesNothing() {
    EngineConfig plain = coldConfig(KvPrecision::INT8);
    plain.packsColdBlocks = plain.keepsPrefixes = false;
    TinyEngine alone(plain);
    std::vector<std::vector<TokenId>> expected;
    for (unsigned i = 0; i < 6; ++i) {
        expected.push_back(alone.run(TinyEngine::request(words(120 + 40 * i, i), 12)).ids);
    }
    EngineConfig config = coldConfig(KvPrecision::INT8);
    config.kvBlocks = 20;
    config.batching = Batching::Continuous;
    TinyEngine engine(config);
    std::mt19937 draw(3);
    for (int round = 0; round < 30; ++round) {
        std::vector<std::pair<unsigned, std::shared_ptr<TokenStream>>> streams;
        for (unsigned i = 0; i < 1 + draw() % 5; ++i) {
            const unsigned which = draw() % 6;
            streams.emplace_back(
                which, engine->submit(TinyEngine::request(words(120 + 40 * which, which), 12)));
        }
        if (draw() % 4 == 0) {
            QVERIFY(engine->edit([&](EngineConfig& c) {
                c.packsColdBlocks = draw() % 3 != 0;
                c.coldAfterMs = static_cast<std::int64_t>(draw() % 3);
            }));
        }
        for (auto& [which, stream] : streams) {
            const Ended ended = tests::readToEnd(*stream);
            QVERIFY2(ended.reason == FinishReason::Length, ended.message.c_str());
            QCOMPARE(ended.ids, expected[which]);
        }
    }
    QVERIFY(isWholeAgain(engine));
}

QTEST_GUILESS_MAIN(TstEngineCold)
#include "tst_engine_cold.moc"
