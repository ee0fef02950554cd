// Precision of keys and values under traffic: who keeps what, what is told, what is kept within the
// budget.
#include "engine/evaluate.h"
#include "tests/support/tiny_engine.h"

#include <QTest>

#include <fmt/format.h>

#include <cmath>
#include <random>
#include <thread>

using namespace engine;
using tests::Ended;
using tests::TinyEngine;
using namespace std::chrono_literals;

namespace {

constexpr const char* kPrecisions[] = {"fp32", "fp16", "int8", "int4"};

EngineConfig config(KvPrecision precision = KvPrecision::Auto) {
    EngineConfig config = TinyEngine::smallConfig();
    config.blockTokens = 32;
    config.kvPrecision = precision;
    return config;
}

FieldStatus statusOf(TinyEngine& engine, std::string_view key) {
    for (const FieldStatus& status : engine->config().fields) {
        if (status.key == key) {
            return status;
        }
    }
    return {};
}

void set(TinyEngine& engine, const char* key, const std::string& value) {
    const Field& field = *findField(key);
    QVERIFY(engine->edit([&](EngineConfig& c) { QVERIFY(setFromText(field, c, value)); }));
}

bool waitForEffective(TinyEngine& engine, std::string_view key, const std::string& value) {
    const auto patience = Clock::now() + 10s;
    while (statusOf(engine, key).effective != value) {
        if (Clock::now() > patience) {
            return false;
        }
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

// Long enough for INT4 keys to be read back.
std::string longPrompt() {
    std::string text;
    for (int i = 0; i < 40; ++i) {
        text += "word" + std::to_string(i) + " ";
    }
    return text;
}

} // namespace

class TstEngineKv : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void automaticFollowsTheFile_data();
    void automaticFollowsTheFile();
    void keysAndValuesMayDiffer();
    void smallBlocksRefuseInt4Keys();
    void int4KeysWaitForTheLargerBlocks();
    void everyPrecisionAnswersAlikeInAnyBatch_data();
    void everyPrecisionAnswersAlikeInAnyBatch();
    void runningSequencesKeepTheirs();
    void int4SaysWhyNoPrefixesAreKept();
    void anOpenPromptLetsGoOfItsOldCache();
    void changingManyTimesLosesNothing();
    void automaticBlocksFollowTheBudget();
    void evaluatorTakesPrecisionAndChunksChangeNothing_data();
    void evaluatorTakesPrecisionAndChunksChangeNothing();
};

void TstEngineKv::automaticFollowsTheFile_data() {
    QTest::addColumn<int>("format");
    QTest::addColumn<QString>("expected");
    QTest::newRow("F32") << static_cast<int>(kernels::Format::F32) << QStringLiteral("fp32");
    QTest::newRow("F16") << static_cast<int>(kernels::Format::F16) << QStringLiteral("fp16");
    QTest::newRow("Q8_0") << static_cast<int>(kernels::Format::Q8_0) << QStringLiteral("fp16");
}

void TstEngineKv::automaticFollowsTheFile() {
    QFETCH(const int, format);
    QFETCH(const QString, expected);
    TinyEngine engine(config(), {.format = static_cast<kernels::Format>(format)});
    const FieldStatus status = statusOf(engine, "kv.precision");
    QCOMPARE(status.requested, std::string("auto"));
    QCOMPARE(status.effective, expected.toStdString());
    QCOMPARE(status.state, FieldState::InForce);
    QVERIFY(!status.reason.empty());
    QCOMPARE(statusOf(engine, "kv.value_precision").effective, expected.toStdString());
    // 2 layers, 2 kv heads of 16, keys and values
    QCOMPARE(engine->capabilities().kvBytesPerToken,
             std::uint64_t{2 * 2 * 16 * 2} * (expected == QLatin1String("fp32") ? 4 : 2));
}

void TstEngineKv::keysAndValuesMayDiffer() {
    EngineConfig mixed = config(KvPrecision::FP16);
    mixed.valuePrecision = KvPrecision::INT8;
    TinyEngine engine(mixed);
    QCOMPARE(statusOf(engine, "kv.key_precision").effective, std::string("fp16"));
    QCOMPARE(statusOf(engine, "kv.value_precision").effective, std::string("int8"));
    // Values of 16 are padded to 32 codes with a scale of 4 bytes.
    QCOMPARE(engine->capabilities().kvBytesPerToken, std::uint64_t{2 * 2 * (32 + 36)});
    QCOMPARE(engine.run(TinyEngine::request(longPrompt(), 8)).ids.size(), std::size_t{8});
}

void TstEngineKv::smallBlocksRefuseInt4Keys() {
    EngineConfig small = config();
    small.blockTokens = 16;
    TinyEngine engine(small);
    const auto refused = engine->edit([](EngineConfig& c) { c.kvPrecision = KvPrecision::INT4; });
    QVERIFY(!refused && refused.error().message.find("32") != std::string::npos);
    QVERIFY(engine->edit([](EngineConfig& c) { c.valuePrecision = KvPrecision::INT4; }));
}

// The refusal above says to set larger blocks; set together with them the value is valid, and they
// come with the next load.
void TstEngineKv::int4KeysWaitForTheLargerBlocks() {
    for (const char* key : {"kv.precision", "kv.key_precision"}) {
        EngineConfig small = config();
        small.blockTokens = 16;
        TinyEngine engine(small);
        QVERIFY(engine->edit([key](EngineConfig& c) {
            c.blockTokens = 32;
            QVERIFY(setFromText(*findField(key), c, "int4"));
        }));
        QCOMPARE(engine.run(TinyEngine::request(longPrompt(), 8)).ids.size(), std::size_t{8});
        const FieldStatus status = statusOf(engine, key);
        QCOMPARE(status.state, FieldState::Unavailable);
        QVERIFY2(status.reason.find("16") != std::string::npos, status.reason.c_str());
        QCOMPARE(statusOf(engine, "kv.block_tokens").effective, std::string("16"));
        set(engine, key, "int8");
        QVERIFY(waitForEffective(engine, key, "int8"));
    }
}

void TstEngineKv::everyPrecisionAnswersAlikeInAnyBatch_data() {
    QTest::addColumn<int>("precision");
    for (int i = 0; i < 4; ++i) {
        QTest::newRow(kPrecisions[i]) << i + 1;
    }
}

void TstEngineKv::everyPrecisionAnswersAlikeInAnyBatch() {
    QFETCH(const int, precision);
    TinyEngine engine(config(static_cast<KvPrecision>(precision)));
    const Ended alone = engine.run(TinyEngine::request(longPrompt(), 60));
    QCOMPARE(alone.ids.size(), std::size_t{60});
    std::vector<std::shared_ptr<TokenStream>> streams;
    for (int i = 0; i < 6; ++i) {
        streams.push_back(engine->submit(TinyEngine::request(longPrompt(), 60)));
    }
    for (auto& stream : streams) {
        QCOMPARE(tests::readToEnd(*stream).ids, alone.ids);
    }
}

void TstEngineKv::runningSequencesKeepTheirs() {
    TinyEngine engine(config(KvPrecision::FP32));
    const Ended before = engine.run(TinyEngine::request(longPrompt(), 100));
    auto running = engine.submitHeld(TinyEngine::request(longPrompt(), 100));
    set(engine, "kv.precision", "int4");
    engine.ops().release();
    QVERIFY(waitForEffective(engine, "kv.precision", "int4"));
    auto next = engine->submit(TinyEngine::request(longPrompt(), 100));
    const Ended old = tests::readToEnd(*running);
    QCOMPARE(old.ids, before.ids); // not a bit of it was rounded
    QVERIFY((old.record->tags & static_cast<std::uint32_t>(SampleTag::ConfigChanged)) != 0);
    const Ended fresh = tests::readToEnd(*next);
    TinyEngine reference(config(KvPrecision::INT4));
    QCOMPARE(fresh.ids, reference.run(TinyEngine::request(longPrompt(), 100)).ids);
    // The old cache is gone once the engine looks again.
    engine.run(TinyEngine::request("a", 2));
    engine.run(TinyEngine::request("a", 2));
    const Snapshot now = engine.waitForFigures([](const Snapshot& s) { return s.running == 0; });
    reference.run(TinyEngine::request("a", 2));
    const Snapshot like =
        reference.waitForFigures([](const Snapshot& s) { return s.running == 0; });
    QCOMPARE(now.kvBytes, like.kvBytes);
}

void TstEngineKv::int4SaysWhyNoPrefixesAreKept() {
    EngineConfig many = config(KvPrecision::FP16);
    many.kvBlocks = 600; // more than what the recent keys of all sequences take
    TinyEngine engine(many);
    QCOMPARE(statusOf(engine, "kv.prefix_cache").effective, std::string("on"));
    set(engine, "kv.precision", "int4");
    QVERIFY(waitForEffective(engine, "kv.precision", "int4"));
    const FieldStatus status = statusOf(engine, "kv.prefix_cache");
    QCOMPARE(status.effective, std::string("off"));
    QCOMPARE(status.state, FieldState::Unavailable);
    QVERIFY2(status.reason.find("INT4") != std::string::npos, status.reason.c_str());
    set(engine, "kv.precision", "int8");
    QVERIFY(waitForEffective(engine, "kv.precision", "int8"));
    QVERIFY(waitForEffective(engine, "kv.prefix_cache", "on"));
}

// One that has to give its blocks up begins again in the present cache: the old one is not kept for
// a prompt that may stay open for hours.
void TstEngineKv::anOpenPromptLetsGoOfItsOldCache() {
    EngineConfig few = config(KvPrecision::FP16);
    few.kvBlocks = 16;
    few.streamTtlMs = 600'000;
    TinyEngine engine(few);
    const auto stream = engine->open(TinyEngine::request(longPrompt() + longPrompt(), 5));
    const auto isComputed = [](const Snapshot& s) { return s.kvBlocksUsed >= 12; };
    QVERIFY(isComputed(engine.waitForFigures(isComputed)));
    set(engine, "kv.precision", "int8");
    QVERIFY(waitForEffective(engine, "kv.precision", "int8"));
    const auto other = engine.run(TinyEngine::request(longPrompt(), 40)); // in the stream's blocks
    QCOMPARE(other.ids.size(), std::size_t{40});
    few.kvPrecision = KvPrecision::INT8;
    TinyEngine fresh(few);
    const std::uint64_t bytes =
        fresh.waitForFigures([](const Snapshot& s) { return s.kvBytes > 0; }).kvBytes;
    QVERIFY(!stream->isFinished());
    QCOMPARE(
        engine.waitForFigures([bytes](const Snapshot& s) { return s.kvBytes == bytes; }).kvBytes,
        bytes);
    engine->complete(stream->id(), {.maxTokens = 5, .sampling = {}, .scheduled = std::nullopt});
    QCOMPARE(tests::readToEnd(*stream).ids.size(), std::size_t{5});
}

void TstEngineKv::changingManyTimesLosesNothing() {
    TinyEngine engine(config(KvPrecision::FP16));
    std::mt19937 random(7);
    std::vector<std::shared_ptr<TokenStream>> streams;
    std::vector<int> lengths;
    for (int i = 0; i < 60; ++i) {
        lengths.push_back(1 + static_cast<int>(random() % 40));
        streams.push_back(engine->submit(TinyEngine::request(longPrompt(), lengths.back())));
        set(engine, i % 3 == 0 ? "kv.key_precision" : "kv.precision", kPrecisions[random() % 4]);
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
    }
    for (std::size_t i = 0; i < streams.size(); ++i) {
        const Ended ended = tests::readToEnd(*streams[i]);
        QVERIFY2(ended.reason == FinishReason::Length, ended.message.c_str());
        QCOMPARE(ended.ids.size(), static_cast<std::size_t>(lengths[i]));
    }
    set(engine, "kv.key_precision", "same");
    set(engine, "kv.precision", "fp16");
    QVERIFY(waitForEffective(engine, "kv.precision", "fp16"));
    engine.run(TinyEngine::request("a", 2));
    TinyEngine fresh(config(KvPrecision::FP16));
    const Ended wanted = fresh.run(TinyEngine::request(longPrompt(), 30));
    QCOMPARE(engine.run(TinyEngine::request(longPrompt(), 30)).ids, wanted.ids);
    const Snapshot now = engine.waitForFigures([](const Snapshot& s) { return s.running == 0; });
    const Snapshot like = fresh.waitForFigures([](const Snapshot& s) { return s.running == 0; });
    QCOMPARE(now.kvBytes, like.kvBytes);
    QCOMPARE(now.kvBlocksTotal, like.kvBlocksTotal);
    QCOMPARE(now.kvBlocksUsed, std::int64_t{0});
}

void TstEngineKv::automaticBlocksFollowTheBudget() {
    EngineConfig automatic = config(KvPrecision::INT8);
    automatic.kvBlocks = 0;
    TinyEngine engine(automatic);
    const std::int64_t blocks = engine->config().effective.kvBlocks;
    QVERIFY(blocks > 0);
    set(engine, "kv.precision", "fp32");
    QVERIFY(waitForEffective(engine, "kv.precision", "fp32"));
    QVERIFY(engine->config().effective.kvBlocks > 0);
    QVERIFY(engine->config().effective.kvBlocks <= blocks);
    QCOMPARE(engine.run(TinyEngine::request(longPrompt(), 20)).ids.size(), std::size_t{20});
    set(engine, "kv.precision", "int8");
    QVERIFY(waitForEffective(engine, "kv.precision", "int8"));
    QCOMPARE(engine->config().effective.kvBlocks, blocks);
}

void TstEngineKv::evaluatorTakesPrecisionAndChunksChangeNothing_data() {
    everyPrecisionAnswersAlikeInAnyBatch_data();
}

void TstEngineKv::evaluatorTakesPrecisionAndChunksChangeNothing() {
    QFETCH(const int, precision);
    QTemporaryDir folder;
    const std::filesystem::path file = folder.path().toStdString() + "/tiny.gguf";
    tests::writeTinyModel(file);
    const auto logitsOf = [&](KvPrecision kv, std::int64_t chunk) {
        auto evaluator = openEvaluator(file, {.threads = 1, .kvPrecision = kv});
        std::vector<TokenId> ids;
        for (int i = 0; i < 300; ++i) {
            ids.push_back((i * i * 5 + i + 7) % 320);
        }
        std::vector<float> all;
        const auto done =
            (*evaluator)
                ->logits(ids, chunk, LogitRows::All, [&](std::int64_t, std::span<const float> row) {
                    all.insert(all.end(), row.begin(), row.end());
                });
        return done ? all : std::vector<float>{};
    };
    const auto whole = logitsOf(static_cast<KvPrecision>(precision), 1000);
    QCOMPARE(whole.size(), std::size_t{300 * 320});
    for (const std::int64_t chunk : {1, 7, 100}) {
        QVERIFY(logitsOf(static_cast<KvPrecision>(precision), chunk) == whole);
    }
    const auto exact = logitsOf(KvPrecision::FP32, 1000);
    const auto usual = logitsOf(KvPrecision::Auto, 1000);
    QVERIFY(usual == exact); // F32 weights: nothing is rounded by default
    float range = 0.0F;
    float worst = 0.0F;
    for (std::size_t i = 0; i < whole.size(); ++i) {
        range = std::max(range, std::abs(exact[i]));
        worst = std::max(worst, std::abs(exact[i] - whole[i]));
    }
    constexpr float kBounds[] = {0.0F, 2e-3F, 3e-2F, 0.5F};
    QVERIFY2(worst <= range * kBounds[precision - 1],
             fmt::format("{} of {}", worst, range).c_str());
}

QTEST_GUILESS_MAIN(TstEngineKv)
#include "tst_engine_kv.moc"
