// Weights that are made before a level wants them: by the engine, and when the levels ask for them.
#include "engine/serving.h"
#include "tests/support/fake_backend.h"
#include "tests/support/tiny_engine.h"

#include <QTest>

#include <algorithm>
#include <thread>

using namespace engine;
using namespace std::chrono_literals;
using tests::TinyEngine;

namespace {

class FakeAhead final : public PreparesWeights {
public:
    void prepareWeights(std::optional<WeightPrecision> precision) override { m_wanted = precision; }
    WeightsAhead weightsAhead() const override { return m_ahead; }

    std::optional<WeightPrecision> m_wanted;
    WeightsAhead m_ahead;
};

PreparesWeights& aheadOf(TinyEngine& engine) {
    return dynamic_cast<PreparesWeights&>(*engine);
}

bool waitForState(TinyEngine& engine, WeightsAhead::State state) {
    const auto patience = Clock::now() + 10s;
    while (aheadOf(engine).weightsAhead().state != state) {
        if (Clock::now() > patience) {
            return false;
        }
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

std::string effectivePrecision(TinyEngine& engine) {
    const ConfigStatus status = engine->config();
    return std::ranges::find(status.fields, "weights.precision", &FieldStatus::key)->effective;
}

} // namespace

class TstWeightsAhead : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsReadyIsPutInPlaceAtOnce();
    void answersStayUntilThen();
    void whatNobodyWantsAnyMoreGoes();
    void whatCannotBeMadeIsSaid();
    void whatIsRefusedLeavesThemReady();
    void armedLevelsAskForThem();
};

void TstWeightsAhead::whatIsReadyIsPutInPlaceAtOnce() {
    TinyEngine engine;
    aheadOf(engine).prepareWeights(WeightPrecision::INT8);
    QVERIFY(waitForState(engine, WeightsAhead::State::Ready));
    QCOMPARE(effectivePrecision(engine), std::string("file"));
    std::filesystem::remove(engine->capabilities().modelPath); // it is not read again
    QVERIFY(engine->edit([](EngineConfig& c) { c.precision = WeightPrecision::INT8; }));
    QVERIFY(engine.waitForEvent(
        [](const Event& event) { return std::holds_alternative<ConfigApplied>(event.body); }));
    QCOMPARE(effectivePrecision(engine), std::string("int8"));
    QVERIFY(waitForState(engine, WeightsAhead::State::None));
    QCOMPARE(engine.run(TinyEngine::request("after", 5)).ids.size(), std::size_t{5});
}

void TstWeightsAhead::answersStayUntilThen() {
    TinyEngine engine;
    const auto before = engine.run(TinyEngine::request("the same", 40));
    aheadOf(engine).prepareWeights(WeightPrecision::INT4);
    QVERIFY(waitForState(engine, WeightsAhead::State::Ready));
    QCOMPARE(engine.run(TinyEngine::request("the same", 40)).ids, before.ids);
    // Another precision than the one that is ready.
    QVERIFY(engine->edit([](EngineConfig& c) { c.precision = WeightPrecision::FP16; }));
    QVERIFY(engine.waitForEvent(
        [](const Event& event) { return std::holds_alternative<ConfigApplied>(event.body); }));
    QCOMPARE(effectivePrecision(engine), std::string("fp16"));
    QVERIFY(waitForState(engine, WeightsAhead::State::Ready)); // for the next time
}

void TstWeightsAhead::whatNobodyWantsAnyMoreGoes() {
    TinyEngine engine;
    for (int i = 0; i < 20; ++i) {
        aheadOf(engine).prepareWeights(i % 2 == 0 ? WeightPrecision::INT8 : WeightPrecision::FP16);
        std::this_thread::sleep_for(std::chrono::microseconds(300 * i));
        aheadOf(engine).prepareWeights(std::nullopt);
    }
    QVERIFY(waitForState(engine, WeightsAhead::State::None));
    aheadOf(engine).prepareWeights(WeightPrecision::INT8);
    QVERIFY(waitForState(engine, WeightsAhead::State::Ready));
    QCOMPARE(aheadOf(engine).weightsAhead().precision, WeightPrecision::INT8);
}

void TstWeightsAhead::whatCannotBeMadeIsSaid() {
    TinyEngine engine;
    const std::filesystem::path file = engine->capabilities().modelPath;
    std::filesystem::remove(file);
    tests::writeTinyModel(file, {.layers = 1});
    aheadOf(engine).prepareWeights(WeightPrecision::INT8);
    QVERIFY(waitForState(engine, WeightsAhead::State::Failed));
    QVERIFY(!aheadOf(engine).weightsAhead().reason.empty());
    QCOMPARE(engine.run(TinyEngine::request("goes on", 5)).ids.size(), std::size_t{5});
    QCOMPARE(effectivePrecision(engine), std::string("file"));
}

void TstWeightsAhead::whatIsRefusedLeavesThemReady() {
    TinyEngine engine;
    aheadOf(engine).prepareWeights(WeightPrecision::INT8);
    QVERIFY(waitForState(engine, WeightsAhead::State::Ready));
    engine.ops().limitAllocation(0);
    QVERIFY(engine->edit([](EngineConfig& c) { c.precision = WeightPrecision::FP16; }));
    const auto patience = Clock::now() + 10s;
    const auto state = [&] {
        const ConfigStatus status = engine->config();
        return std::ranges::find(status.fields, "weights.precision", &FieldStatus::key)->state;
    };
    while (state() != FieldState::Unavailable && Clock::now() < patience) {
        std::this_thread::sleep_for(1ms);
    }
    QCOMPARE(state(), FieldState::Unavailable);
    engine.ops().limitAllocation(SIZE_MAX); // nobody edits again
    aheadOf(engine).prepareWeights(WeightPrecision::INT4);
    QVERIFY(waitForState(engine, WeightsAhead::State::Ready));
    QCOMPARE(effectivePrecision(engine), std::string("file"));
    QCOMPARE(state(), FieldState::Unavailable);
}

void TstWeightsAhead::armedLevelsAskForThem() {
    EngineConfig config;
    config.precision = WeightPrecision::FP16;
    FakeAhead ahead;
    TimePoint now{std::chrono::hours(1)};
    const auto backend = withServing({.main = std::make_unique<tests::FakeBackend>(config),
                                      .ahead = &ahead,
                                      .now = [&now] { return now; }});
    const auto set = [&](DegradationMode mode, LevelWeights weights) {
        QVERIFY(backend->edit([&](EngineConfig& c) {
            c.serving.degradation = mode;
            c.serving.level1Weights = weights;
        }));
        now += 1s;
        backend->takeEvents();
    };
    const auto line = [&] {
        const auto actions = backend->serving()->servingStatus().actions;
        return *std::ranges::find(actions, "degradation.weights", &LevelAction::field);
    };
    set(DegradationMode::Off, LevelWeights::Int8);
    QVERIFY(!ahead.m_wanted);
    set(DegradationMode::Auto, LevelWeights::Int8);
    QCOMPARE(ahead.m_wanted, std::optional(WeightPrecision::INT8));
    ahead.m_ahead = {.state = WeightsAhead::State::Failed, .reason = "There is no room."};
    QCOMPARE(line().reason, std::string("There is no room."));
    ahead.m_ahead = {.state = WeightsAhead::State::Ready};
    QCOMPARE(line().state, ActionState::Ready);
    QCOMPARE(line().reason, std::string("They are ready."));
    set(DegradationMode::Auto, LevelWeights::Int4);
    QCOMPARE(ahead.m_wanted, std::optional(WeightPrecision::INT4));
    set(DegradationMode::Auto, LevelWeights::Keep);
    QVERIFY(!ahead.m_wanted);
    set(DegradationMode::Level1, LevelWeights::Int8); // in force: they are the weights in use
    QVERIFY(!ahead.m_wanted);
    QCOMPARE(backend->config().effective.precision, WeightPrecision::INT8);
}

QTEST_APPLESS_MAIN(TstWeightsAhead)
#include "tst_weights_ahead.moc"
