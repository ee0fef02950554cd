// Settings under traffic: requested, pending, in force, refused.
#include "tests/support/address_space.h"
#include "tests/support/tiny_engine.h"

#include <QTest>

#include <thread>

using namespace engine;
using tests::Ended;
using tests::TinyEngine;
using namespace std::chrono_literals;

namespace {

FieldStatus statusOf(TinyEngine& engine, std::string_view key) {
    for (const FieldStatus& status : engine->config().fields) {
        if (status.key == key) {
            return status;
        }
    }
    return {};
}

bool waitForState(TinyEngine& engine, std::string_view key, FieldState state) {
    const auto patience = Clock::now() + 10s;
    while (statusOf(engine, key).state != state) {
        if (Clock::now() > patience) {
            return false;
        }
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

std::function<bool(const Event&)> appliesTo(const std::string& key, const std::string& after) {
    return [=](const Event& event) {
        const auto* applied = std::get_if<ConfigApplied>(&event.body);
        return applied != nullptr &&
               std::ranges::any_of(applied->changes, [&](const FieldChange& change) {
                   return change.key == key && change.after == after;
               });
    };
}

} // namespace

class TstEngineConfig : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void automaticValuesTellWhatTheyBecame();
    void changesUnderTrafficTakeEffectAndAreTold_data();
    void changesUnderTrafficTakeEffectAndAreTold();
    void editsOfAnIdleEngineTakeEffect();
    void invalidEditsChangeNothing();
    void kvBlocksWaitForSequencesToEnd();
    void kvBlocksThatCannotBeHadLeaveTheOldOnes();
    void aRefusedBatchLeavesTheBudgetThatCameWithIt();
    void smallerPoolRefusesWhatNoLongerFits();
    void reloadFieldsSayWhenTheyTakeEffect();
    void requestsAcrossAChangeAreTagged();
    void threadsThatTheSystemRefusesLeaveTheEngineAsItWas();
};

void TstEngineConfig::automaticValuesTellWhatTheyBecame() {
    EngineConfig config = TinyEngine::smallConfig();
    config.kvBlocks = 0;
    config.threads = 0;
    TinyEngine engine(config);
    const FieldStatus blocks = statusOf(engine, "kv.blocks");
    QCOMPARE(blocks.state, FieldState::InForce);
    QCOMPARE(blocks.requested, std::string("0"));
    QCOMPARE(blocks.effective, std::string("256")); // 8 contexts of 512 in blocks of 16
    QVERIFY2(blocks.reason.find("256") != std::string::npos, blocks.reason.c_str());
    QVERIFY(engine->config().effective.threads >= 1);
    QCOMPARE(engine->config().effective.maxContext, std::int64_t(512));
    QCOMPARE(engine->capabilities().contextTokens, std::int64_t(512));
}

void TstEngineConfig::changesUnderTrafficTakeEffectAndAreTold_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value");
    QTest::newRow("policy") << "batching.policy"
                            << "single";
    QTest::newRow("batch") << "batching.max_batch"
                           << "3";
    QTest::newRow("larger batch") << "batching.max_batch"
                                  << "20";
    QTest::newRow("budget") << "batching.token_budget"
                            << "200";
    QTest::newRow("chunk") << "batching.prefill_chunk"
                           << "8";
    QTest::newRow("threads") << "threads"
                             << "2";
    QTest::newRow("waiting") << "batching.max_waiting"
                             << "77";
}

void TstEngineConfig::changesUnderTrafficTakeEffectAndAreTold() {
    QFETCH(const QString, key);
    QFETCH(const QString, value);
    TinyEngine engine;
    const Ended expected = engine.run(TinyEngine::request("traffic", 150));
    std::vector<std::shared_ptr<TokenStream>> streams;
    for (int i = 0; i < 6; ++i) {
        streams.push_back(engine->submit(TinyEngine::request("traffic", 150)));
    }
    const std::uint64_t version = engine->config().version;
    const Field& field = *findField(key.toStdString());
    QVERIFY(engine->edit(
        [&](EngineConfig& config) { QVERIFY(setFromText(field, config, value.toStdString())); }));
    QVERIFY(waitForState(engine, field.key, FieldState::InForce));
    QVERIFY(engine.waitForEvent(appliesTo(key.toStdString(), value.toStdString())));
    QCOMPARE(statusOf(engine, field.key).effective, value.toStdString());
    QVERIFY(engine->config().version > version);
    for (auto& stream : streams) {
        QCOMPARE(tests::readToEnd(*stream).ids, expected.ids);
    }
}

void TstEngineConfig::editsOfAnIdleEngineTakeEffect() {
    TinyEngine engine;
    QVERIFY(engine->edit([](EngineConfig& config) { config.maxBatch = 5; }));
    QVERIFY(engine.waitForEvent(appliesTo("batching.max_batch", "5")));
    const Snapshot now = engine.waitForFigures([](const Snapshot& s) { return s.slots == 5; });
    QCOMPARE(now.slots, std::int64_t(5));
}

void TstEngineConfig::invalidEditsChangeNothing() {
    TinyEngine engine;
    const std::uint64_t version = engine->config().version;
    QVERIFY(!engine->edit([](EngineConfig& config) { config.maxBatch = -1; }));
    QCOMPARE(engine->config().version, version);
    QCOMPARE(engine->config().requested.maxBatch, TinyEngine::smallConfig().maxBatch);
}

void TstEngineConfig::kvBlocksWaitForSequencesToEnd() {
    TinyEngine engine;
    auto running = engine.submitHeld(TinyEngine::request("a", 200));
    QVERIFY(engine->edit([](EngineConfig& config) { config.kvBlocks = 96; }));
    auto waiting = engine->submit(TinyEngine::request("b", 3));
    QCOMPARE(statusOf(engine, "kv.blocks").state, FieldState::Pending);
    engine.ops().release();
    QVERIFY(engine.waitForEvent([](const Event& event) {
        const auto* changed = std::get_if<StateChanged>(&event.body);
        return changed != nullptr && changed->state == EngineState::Draining;
    }));
    QCOMPARE(tests::readToEnd(*running).reason, FinishReason::Length);
    QCOMPARE(tests::readToEnd(*waiting).reason, FinishReason::Length);
    QVERIFY(engine.waitForEvent(appliesTo("kv.blocks", "96")));
    QCOMPARE(statusOf(engine, "kv.blocks").state, FieldState::InForce);
    const Snapshot now =
        engine.waitForFigures([](const Snapshot& s) { return s.kvBlocksTotal == 96; });
    QCOMPARE(now.kvBlocksTotal, std::int64_t(96));
    // The request that waited started in the new pool.
    QVERIFY(tests::readToEnd(*waiting).record->stamps.planned >=
            tests::readToEnd(*running).record->stamps.finished);
}

void TstEngineConfig::kvBlocksThatCannotBeHadLeaveTheOldOnes() {
    TinyEngine engine;
    const Ended expected = engine.run(TinyEngine::request("a", 30));
    QVERIFY(engine->edit([](EngineConfig& config) { config.kvBlocks = 1 << 24; }));
    QVERIFY(waitForState(engine, "kv.blocks", FieldState::Unavailable));
    QVERIFY(statusOf(engine, "kv.blocks").reason.find("16777216") != std::string::npos);
    QCOMPARE(statusOf(engine, "kv.blocks").effective, std::string("64"));
    QCOMPARE(engine.run(TinyEngine::request("a", 30)).ids, expected.ids);

    engine.ops().limitAllocation(200'000);
    QVERIFY(engine->edit([](EngineConfig& config) { config.kvBlocks = 5000; }));
    QVERIFY(waitForState(engine, "kv.blocks", FieldState::Unavailable));
    QVERIFY(statusOf(engine, "kv.blocks").reason.find("memory") != std::string::npos);
    QVERIFY(engine->edit([](EngineConfig& config) { config.tokenBudget = 4096; }));
    QVERIFY(waitForState(engine, "batching.token_budget", FieldState::Unavailable));
    QCOMPARE(engine.run(TinyEngine::request("a", 30)).ids, expected.ids);

    engine.ops().limitAllocation(SIZE_MAX);
    QVERIFY(engine->edit([](EngineConfig& config) { config.kvBlocks = 70; }));
    QVERIFY(engine.waitForEvent(appliesTo("kv.blocks", "70")));
    QVERIFY(waitForState(engine, "batching.token_budget", FieldState::InForce));
}

// Both size the same memory: a batch that can't be had takes nothing else with it, and steps keep
// to what is in force.
void TstEngineConfig::aRefusedBatchLeavesTheBudgetThatCameWithIt() {
    EngineConfig config = TinyEngine::smallConfig();
    config.maxBatch = 2;
    config.kvBlocks = 200; // more than windows of all sequences take
    TinyEngine engine(config, {.layers = 6, .window = 24});
    const Request request = TinyEngine::request(std::string(300, 'q'), 20);
    const Ended before = engine.run(request);
    engine.ops().limitAllocation(100'000); // of windows for eight it takes more
    QVERIFY(engine->edit([](EngineConfig& edited) {
        edited.maxBatch = 8;
        edited.tokenBudget = 48;
    }));
    QVERIFY(waitForState(engine, "batching.max_batch", FieldState::Unavailable));
    QVERIFY(waitForState(engine, "batching.token_budget", FieldState::InForce));
    QCOMPARE(engine->config().effective.maxBatch, std::int64_t(2));
    QCOMPARE(engine->config().effective.tokenBudget, std::int64_t(48));
    QCOMPARE(engine.run(request).ids, before.ids);
    engine.ops().limitAllocation(SIZE_MAX);
    QVERIFY(engine->edit([](EngineConfig& edited) { edited.maxBatch = 7; }));
    QVERIFY(waitForState(engine, "batching.max_batch", FieldState::InForce));
    QCOMPARE(engine.run(request).ids, before.ids);
}

void TstEngineConfig::smallerPoolRefusesWhatNoLongerFits() {
    TinyEngine engine;
    auto running = engine.submitHeld(TinyEngine::request("a", 3));
    Request tokens = TinyEngine::request({}, 3);
    tokens.prompt = std::vector<TokenId>(300, 70);
    auto large = engine->submit(tokens);
    auto small = engine->submit(TinyEngine::request("b", 400));
    QVERIFY(engine->edit([](EngineConfig& config) { config.kvBlocks = 8; }));
    engine.ops().release();
    QCOMPARE(tests::readToEnd(*running).reason, FinishReason::Length);
    // Admitted before or after the change, it is refused.
    const Ended refused = tests::readToEnd(*large);
    QVERIFY(refused.reason == FinishReason::TooLong || refused.reason == FinishReason::Length);
    const Ended cut = tests::readToEnd(*small);
    QCOMPARE(cut.reason, FinishReason::Length);
    QVERIFY(cut.record->promptTokens + cut.record->outputTokens <= 128 || cut.ids.size() == 400);
}

void TstEngineConfig::reloadFieldsSayWhenTheyTakeEffect() {
    TinyEngine engine;
    QVERIFY(engine->edit([](EngineConfig& config) {
        config.blockTokens = 32;
        config.weightsLayout = WeightsLayout::File;
    }));
    for (const char* key : {"kv.block_tokens", "weights.layout"}) {
        const FieldStatus status = statusOf(engine, key);
        QCOMPARE(status.state, FieldState::Unavailable);
        QVERIFY(status.requested != status.effective);
        QVERIFY2(status.reason.find("loaded") != std::string::npos, status.reason.c_str());
    }
    QVERIFY(engine->edit([](EngineConfig& config) {
        config.blockTokens = 16;
        config.weightsLayout = WeightsLayout::Packed;
    }));
    QCOMPARE(statusOf(engine, "weights.layout").state, FieldState::InForce);
}

void TstEngineConfig::requestsAcrossAChangeAreTagged() {
    TinyEngine engine;
    auto across = engine.submitHeld(TinyEngine::request("a", 200));
    QVERIFY(engine->edit([](EngineConfig& config) { config.prefillChunk = 16; }));
    engine.ops().release();
    const auto tag = static_cast<std::uint32_t>(SampleTag::ConfigChanged);
    QVERIFY((tests::readToEnd(*across).record->tags & tag) != 0);
    QVERIFY((engine.run(TinyEngine::request("a", 3)).record->tags & tag) == 0);
}

void TstEngineConfig::threadsThatTheSystemRefusesLeaveTheEngineAsItWas() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("sanitizers reserve more address space than the limit leaves");
#else
    TinyEngine engine;
    const Ended before = engine.run(TinyEngine::request("a", 10));
    {
        const tests::AddressSpaceLimit limit(std::uint64_t{200} << 20);
        QVERIFY(engine->edit([](EngineConfig& config) { config.threads = 1024; }));
        QVERIFY(waitForState(engine, "threads", FieldState::Unavailable));
    }
    const FieldStatus status = statusOf(engine, "threads");
    QCOMPARE(status.effective, std::string("1"));
    QVERIFY2(status.reason.find("system") != std::string::npos, status.reason.c_str());
    QCOMPARE(engine.run(TinyEngine::request("a", 10)).ids, before.ids);
    QVERIFY(engine->edit([](EngineConfig& config) { config.threads = 2; }));
    QVERIFY(engine.waitForEvent(appliesTo("threads", "2")));
#endif
}

QTEST_APPLESS_MAIN(TstEngineConfig)
#include "tst_engine_config.moc"
