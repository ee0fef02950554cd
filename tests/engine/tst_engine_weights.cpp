// Precision of weights under traffic: what is told while it is made, who is tagged, what is left.
#include "engine/evaluate.h"
#include "engine/loop/memory_reading.h"
#include "engine/loop/weight_preparer.h"
#include "engine/model/weight_precision.h"
#include "kernels/thread_pool.h"
#include "tests/support/tiny_engine.h"

#include <QTest>

#include <fmt/format.h>

#include <cmath>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

using namespace engine;
using tests::Ended;
using tests::TinyEngine;
using namespace std::chrono_literals;

namespace {

constexpr const char* kPrecisions[] = {"file", "fp16", "bf16", "int8", "fp8", "int4"};

FieldStatus precisionStatus(TinyEngine& engine) {
    for (const FieldStatus& status : engine->config().fields) {
        if (status.key == "weights.precision") {
            return status;
        }
    }
    return {};
}

void set(TinyEngine& engine, const std::string& value) {
    const Field& field = *findField("weights.precision");
    QVERIFY(engine->edit([&](EngineConfig& c) { QVERIFY(setFromText(field, c, value)); }));
}

bool waitForEffective(TinyEngine& engine, const std::string& value) {
    const auto patience = Clock::now() + 10s;
    while (precisionStatus(engine).effective != value) {
        if (Clock::now() > patience) {
            return false;
        }
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

bool isMixed(const Ended& ended) {
    return (ended.record->tags & static_cast<std::uint32_t>(SampleTag::Mixed)) != 0;
}

const WeightGroupStatus* findGroup(const ConfigStatus& status, std::string_view name) {
    const auto found = std::ranges::find(status.weights, name, &WeightGroupStatus::group);
    return found == status.weights.end() ? nullptr : &*found;
}

} // namespace

class TstEngineWeights : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void plansSayWhereTheyDiffer();
    void loadingConverts_data();
    void loadingConverts();
    void changesUnderTrafficAnswerAsIfLoadedSo_data();
    void changesUnderTrafficAnswerAsIfLoadedSo();
    void runningSequencesAreTaggedMixed();
    void memoryIsTold();
    void oldWeightsLeaveNoMemoryBehind();
    void goingBackEndsWhatIsMade();
    void whatWasCancelledIsMadeAgain();
    void fileThatChangedIsRefused();
    void changingManyTimesLosesNothing();
};

void TstEngineWeights::plansSayWhereTheyDiffer() {
    using kernels::Format;
    const auto plan = [](WeightPrecision precision, std::string_view tensor, Format file,
                         std::int64_t columns) {
        return planFormat(precision, weightGroup(tensor), file, columns);
    };
    QCOMPARE(plan(WeightPrecision::INT8, "blk.0.attn_q.weight", Format::F16, 64).format,
             Format::Q8_0);
    const PlannedFormat odd = plan(WeightPrecision::INT8, "blk.0.ffn_up.weight", Format::F16, 40);
    QVERIFY(odd.format == Format::F16 && odd.reason.find("40") != std::string::npos);
    const PlannedFormat router =
        plan(WeightPrecision::INT4, "blk.3.ffn_gate_inp.weight", Format::F32, 64);
    QVERIFY(router.format == Format::F32 && !router.reason.empty());
    const PlannedFormat head = plan(WeightPrecision::INT4, "output.weight", Format::F16, 64);
    QVERIFY(head.format == Format::Q8_0 && !head.reason.empty());
    const PlannedFormat small = plan(WeightPrecision::INT4, "token_embd.weight", Format::Q4_1, 64);
    QVERIFY(small.format == Format::Q4_1 && small.reason.find("5.0") != std::string::npos);
    QCOMPARE(plan(WeightPrecision::FP8, "blk.0.attn_v.weight", Format::Q4_K, 256).format,
             Format::F8);
    QVERIFY(
        plan(WeightPrecision::File, "blk.0.ffn_gate_inp.weight", Format::F32, 7).reason.empty());
}

void TstEngineWeights::loadingConverts_data() {
    QTest::addColumn<int>("precision");
    QTest::addColumn<double>("bound"); // of the logits' range
    constexpr double kBounds[] = {0.0, 2e-3, 2e-2, 2e-2, 0.2, 0.3};
    for (int i = 0; i < 6; ++i) {
        QTest::newRow(kPrecisions[i]) << i << kBounds[i];
    }
}

void TstEngineWeights::loadingConverts() {
    QFETCH(const int, precision);
    QFETCH(const double, bound);
    QTemporaryDir folder;
    const std::filesystem::path file = folder.path().toStdString() + "/tiny.gguf";
    tests::writeTinyModel(file);
    const auto logitsOf = [&](WeightPrecision wanted, WeightsLayout layout) {
        auto evaluator =
            openEvaluator(file, {.threads = 1, .weightsLayout = layout, .precision = wanted});
        std::vector<TokenId> ids;
        for (int i = 0; i < 80; ++i) {
            ids.push_back((i * i * 5 + i + 7) % 320);
        }
        std::vector<float> all;
        const auto done =
            (*evaluator)
                ->logits(ids, 32, LogitRows::All, [&](std::int64_t, std::span<const float> row) {
                    all.insert(all.end(), row.begin(), row.end());
                });
        return done ? all : std::vector<float>{};
    };
    const auto exact = logitsOf(WeightPrecision::File, WeightsLayout::Packed);
    const auto got = logitsOf(static_cast<WeightPrecision>(precision), WeightsLayout::Packed);
    QCOMPARE(got.size(), exact.size());
    QVERIFY(got == logitsOf(static_cast<WeightPrecision>(precision), WeightsLayout::File));
    double range = 0.0, worst = 0.0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        range = std::max(range, std::abs(static_cast<double>(exact[i])));
        worst =
            std::max(worst, std::abs(static_cast<double>(exact[i]) - static_cast<double>(got[i])));
    }
    QVERIFY2(worst <= bound * range, fmt::format("{} of {}", worst, range).c_str());
    QVERIFY(precision == 0 || worst > 0.0); // it was converted
}

void TstEngineWeights::changesUnderTrafficAnswerAsIfLoadedSo_data() {
    QTest::addColumn<int>("precision");
    for (int i = 1; i < 6; ++i) {
        QTest::newRow(kPrecisions[i]) << i;
    }
}

void TstEngineWeights::changesUnderTrafficAnswerAsIfLoadedSo() {
    QFETCH(const int, precision);
    EngineConfig config = TinyEngine::smallConfig();
    config.precision = static_cast<WeightPrecision>(precision);
    TinyEngine loaded(config);
    const Ended wanted = loaded.run(TinyEngine::request("traffic", 60));
    TinyEngine engine;
    const Ended before = engine.run(TinyEngine::request("traffic", 60));
    std::vector<std::shared_ptr<TokenStream>> streams;
    for (int i = 0; i < 4; ++i) {
        streams.push_back(engine->submit(TinyEngine::request("traffic", 60)));
    }
    set(engine, kPrecisions[precision]);
    QVERIFY(waitForEffective(engine, kPrecisions[precision]));
    for (auto& stream : streams) {
        const Ended ended = tests::readToEnd(*stream);
        QCOMPARE(ended.ids.size(), std::size_t{60});
        QVERIFY(isMixed(ended) || ended.ids == before.ids || ended.ids == wanted.ids);
    }
    QCOMPARE(engine.run(TinyEngine::request("traffic", 60)).ids, wanted.ids);
    QCOMPARE(engine->capabilities().computing, loaded->capabilities().computing);
    const ConfigStatus status = engine->config();
    QCOMPARE(status.weights, loaded->config().weights);
    const WeightGroupStatus* attention = findGroup(status, "attention");
    QVERIFY(attention != nullptr && attention->requested == kPrecisions[precision]);
    // Embedding and output are one here, and held in no less than INT8.
    const bool isWhole = precision != static_cast<int>(WeightPrecision::INT4) &&
                         precision != static_cast<int>(WeightPrecision::FP8);
    QCOMPARE(precisionStatus(engine).reason.empty(), isWhole);
    set(engine, "file");
    QVERIFY(waitForEffective(engine, "file"));
    QCOMPARE(engine.run(TinyEngine::request("traffic", 60)).ids, before.ids);
}

void TstEngineWeights::runningSequencesAreTaggedMixed() {
    TinyEngine engine;
    bool hasMixed = false;
    for (int i = 0; i < 20 && !hasMixed; ++i) { // weights are ready before an answer ends, mostly
        auto running = engine->submit(TinyEngine::request("a", 400));
        const std::string wanted = i % 2 == 0 ? "int8" : "file";
        set(engine, wanted);
        const Ended ended = tests::readToEnd(*running);
        QCOMPARE(ended.ids.size(), std::size_t{400});
        hasMixed = isMixed(ended);
        QVERIFY(waitForEffective(engine, wanted));
    }
    QVERIFY(hasMixed);
    QVERIFY(!isMixed(engine.run(TinyEngine::request("a", 5))));
}

void TstEngineWeights::memoryIsTold() {
    TinyEngine engine;
    const std::uint64_t before =
        engine.waitForFigures([](const Snapshot& s) { return s.weightsBytes > 0; }).weightsBytes;
    set(engine, "int8");
    QVERIFY(engine.waitForEvent([](const Event& event) {
        const auto* notice = std::get_if<Notice>(&event.body);
        return notice != nullptr && notice->kind == "weights_changed";
    }));
    const Snapshot now =
        engine.waitForFigures([&](const Snapshot& s) { return s.weightsBytes != before; });
    QVERIFY(now.weightsBytes < before / 2); // F32 before
    std::uint64_t sum = 0;
    for (const WeightGroupStatus& group : engine->config().weights) {
        sum += group.bytes;
    }
    QCOMPARE(sum, now.weightsBytes);
}

void TstEngineWeights::oldWeightsLeaveNoMemoryBehind() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("A sanitizer holds on to what is freed.");
#endif
    // Some 48 MiB of matrices that lie side by side.
    TinyEngine engine(
        TinyEngine::smallConfig(),
        {.layers = 3, .hidden = 512, .heads = 8, .kvHeads = 8, .headDim = 64, .feedForward = 2048});
    const std::uint64_t before = readMemory().processBytes;
    set(engine, "int4");
    const auto patience = Clock::now() + 10s;
    constexpr std::uint64_t kMebi = 1U << 20U;
    while (readMemory().processBytes + 25 * kMebi > before && Clock::now() < patience) {
        std::this_thread::sleep_for(5ms);
    }
    const std::uint64_t now = readMemory().processBytes;
    QVERIFY2(now + 25 * kMebi <= before,
             fmt::format("{} of {} MiB", now / kMebi, before / kMebi).c_str());
}

void TstEngineWeights::goingBackEndsWhatIsMade() {
    TinyEngine engine;
    const Ended before = engine.run(TinyEngine::request("b", 30));
    for (int i = 0; i < 20; ++i) {
        set(engine, kPrecisions[1 + i % 5]);
        set(engine, "file");
    }
    QVERIFY(waitForEffective(engine, "file"));
    QCOMPARE(engine.run(TinyEngine::request("b", 30)).ids, before.ids);
    QCOMPARE(precisionStatus(engine).state, FieldState::InForce);
}

void TstEngineWeights::whatWasCancelledIsMadeAgain() {
    QTemporaryDir folder;
    const std::filesystem::path file = folder.path().toStdString() + "/tiny.gguf";
    tests::writeTinyModel(file);
    const std::string digest = (*openCheckpoint(file, LoadMode::Mmap, {}))->digest();
    kernels::ThreadPool pool(1);
    const auto ops = kernels::makeCpuOps(pool);
    std::mutex mutex;
    std::condition_variable woken;
    WeightPreparer preparer(std::make_shared<MemoryClaims>(), [&] {
        const std::lock_guard lock(mutex);
        woken.notify_all();
    });
    for (int i = 0; i < 30; ++i) {
        const auto order = [&] {
            preparer.order({.precision = WeightPrecision::INT8,
                            .path = file,
                            .digest = digest,
                            .ops = ops.get(),
                            .stepTokens = 8,
                            .logitRows = 1});
        };
        order();
        std::this_thread::sleep_for(std::chrono::microseconds(100 * i)); // anywhere in it
        preparer.cancel();
        order();
        std::unique_lock lock(mutex);
        QVERIFY(woken.wait_for(lock, 10s, [&] { return preparer.hasResult(); }));
        const auto made = preparer.take();
        QVERIFY(made && made->model);
    }
}

void TstEngineWeights::fileThatChangedIsRefused() {
    TinyEngine engine;
    const std::filesystem::path file = engine->capabilities().modelPath;
    std::filesystem::remove(file);
    tests::writeTinyModel(file, {.layers = 1});
    set(engine, "fp16");
    const auto patience = Clock::now() + 10s;
    while (precisionStatus(engine).state != FieldState::Unavailable && Clock::now() < patience) {
        std::this_thread::sleep_for(1ms);
    }
    const FieldStatus status = precisionStatus(engine);
    QCOMPARE(status.state, FieldState::Unavailable);
    QVERIFY2(status.reason.find("load the model again") != std::string::npos,
             status.reason.c_str());
    QCOMPARE(engine.run(TinyEngine::request("c", 5)).ids.size(), std::size_t{5});
}

void TstEngineWeights::changingManyTimesLosesNothing() {
    TinyEngine engine;
    std::mt19937 random(11);
    std::vector<std::shared_ptr<TokenStream>> streams;
    std::vector<int> lengths;
    for (int i = 0; i < 80; ++i) {
        lengths.push_back(1 + static_cast<int>(random() % 40));
        streams.push_back(engine->submit(TinyEngine::request("many", lengths.back())));
        set(engine, kPrecisions[random() % 6]);
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 4000));
    }
    for (std::size_t i = 0; i < streams.size(); ++i) {
        const Ended ended = tests::readToEnd(*streams[i]);
        QVERIFY2(ended.reason == FinishReason::Length, ended.message.c_str());
        QCOMPARE(ended.ids.size(), static_cast<std::size_t>(lengths[i]));
    }
    set(engine, "file");
    QVERIFY(waitForEffective(engine, "file"));
    TinyEngine fresh;
    QCOMPARE(engine.run(TinyEngine::request("many", 40)).ids,
             fresh.run(TinyEngine::request("many", 40)).ids);
    const Snapshot now = engine.waitForFigures([](const Snapshot& s) { return s.running == 0; });
    const Snapshot like = fresh.waitForFigures([](const Snapshot& s) { return s.running == 0; });
    QCOMPARE(now.weightsBytes, like.weightsBytes);
}

QTEST_APPLESS_MAIN(TstEngineWeights)
#include "tst_engine_weights.moc"
