// Every switch of numbers, two hundred times while requests run: each of them takes effect, no
// request is lost, and what was there before is there afterwards.
#include "tests/support/tiny_engine.h"

#include <QTest>

#include <array>
#include <deque>
#include <random>
#include <thread>
#include <vector>

using namespace engine;
using tests::Ended;
using tests::TinyEngine;
using namespace std::chrono_literals;

namespace {

// The last value is what the engine begins with.
struct Toggle {
    const char* key;
    std::vector<const char*> values;
};
const std::array kToggles = {
    Toggle{"weights.precision", {"int8", "fp16", "fp8", "bf16", "int4", "file"}},
    Toggle{"kv.precision", {"int8", "fp32", "int4", "fp16"}},
    Toggle{"kv.key_precision", {"int4", "int8", "fp32", "fp16"}},
    Toggle{"kv.value_precision", {"int4", "int8", "fp32", "fp16"}},
    Toggle{"attention.mode", {"sparse", "full"}},
    Toggle{"kv.cold_blocks", {"on", "off"}},
};
constexpr std::size_t kTimes = 200; // each of them, and more until the last value comes

EngineConfig config() {
    EngineConfig config = TinyEngine::smallConfig();
    config.blockTokens = 32;
    config.kvBlocks = 48;
    config.kvPrecision = KvPrecision::FP16;
    config.attentionFirst = 0;
    config.attentionWindow = 192;
    config.coldAfterMs = 0;
    return config;
}

std::string effectiveOf(TinyEngine& engine, std::string_view key) {
    for (const FieldStatus& status : engine->config().fields) {
        if (status.key == key) {
            return status.effective;
        }
    }
    return {};
}

bool waitForEffective(TinyEngine& engine, const char* key, const std::string& value) {
    const auto patience = Clock::now() + 30s;
    while (effectiveOf(engine, key) != value) {
        if (Clock::now() > patience) {
            return false;
        }
        std::this_thread::sleep_for(200us);
    }
    return true;
}

struct Asked {
    std::shared_ptr<TokenStream> stream;
    std::size_t tokens;
};

} // namespace

class TstEngineToggles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void twoHundredTimesUnderLoadLosesNothing_data();
    void twoHundredTimesUnderLoadLosesNothing();
};

void TstEngineToggles::twoHundredTimesUnderLoadLosesNothing_data() {
    QTest::addColumn<int>("which");
    for (std::size_t i = 0; i < kToggles.size(); ++i) {
        QTest::newRow(kToggles[i].key) << static_cast<int>(i);
    }
}

void TstEngineToggles::twoHundredTimesUnderLoadLosesNothing() {
    QFETCH(const int, which);
    const Toggle& toggle = kToggles[static_cast<std::size_t>(which)];
    const Field& field = *findField(toggle.key);
    TinyEngine engine(config());
    TinyEngine fresh(config());
    const std::string prompt(250, 'a');
    std::mt19937 draw(5);
    std::deque<Asked> asked;
    const auto keepBusy = [&] {
        while (asked.size() < 4) {
            const auto tokens = static_cast<int>(4 + draw() % 12);
            asked.push_back({engine->submit(TinyEngine::request(prompt, tokens)),
                             static_cast<std::size_t>(tokens)});
        }
    };
    const auto endOne = [&] {
        const Ended ended = tests::readToEnd(*asked.front().stream);
        QVERIFY2(ended.reason == FinishReason::Length, ended.message.c_str());
        QCOMPARE(ended.ids.size(), asked.front().tokens);
        asked.pop_front();
    };
    for (std::size_t i = 0; i < kTimes || i % toggle.values.size() != 0; ++i) {
        keepBusy();
        const char* value = toggle.values[i % toggle.values.size()];
        QVERIFY(engine->edit([&](EngineConfig& c) { QVERIFY(setFromText(field, c, value)); }));
        QVERIFY2(waitForEffective(engine, toggle.key, value), value);
        endOne();
    }
    while (!asked.empty()) {
        endOne();
    }
    // The last value is the first one again.
    QCOMPARE(engine.run(TinyEngine::request(prompt, 30)).ids,
             fresh.run(TinyEngine::request(prompt, 30)).ids);
    engine->resetPrefixCache();
    fresh->resetPrefixCache();
    const auto isIdle = [](const Snapshot& s) {
        return s.kvBlocksUsed == 0 && s.kvBlocksKept == 0 && s.kvBlocksPacked == 0 &&
               s.running == 0 && s.waiting == 0;
    };
    const Snapshot now = engine.waitForFigures(isIdle);
    const Snapshot like = fresh.waitForFigures(isIdle);
    QVERIFY(isIdle(now));
    QCOMPARE(now.weightsBytes, like.weightsBytes);
    QCOMPARE(now.weightsAheadBytes, std::uint64_t(0));
    QCOMPARE(now.kvBlocksTotal, like.kvBlocksTotal);
    QCOMPARE(now.kvPackedBytes, std::uint64_t(0));
    QCOMPARE(now.failed + now.rejected + now.cancelled, std::uint64_t(0));
    QCOMPARE(now.received, now.completed);
}

QTEST_GUILESS_MAIN(TstEngineToggles)
#include "tst_engine_toggles.moc"
