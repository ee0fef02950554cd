// The breaker in virtual time: when it begins a level, how it leaves it, and that a stationary load
// below the limit never makes it flap.
#include "engine/serving/breaker.h"
#include "engine/serving/level_effect.h"

#include <QTest>

#include <cmath>
#include <random>

using namespace engine;
using namespace std::chrono_literals;

class TstBreaker : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theBoundHoldsItsConfidence();
    void belowTheLimitNothingHappens();
    void aboveTheLimitLevelsBeginOneByOne();
    void answersLongerThanTheWindowCount();
    void fewRequestsNeverBeginALevel();
    void aBreakStartsTheHoldAnew();
    void theStayKeepsLevelsApart();
    void recoveryTriesThenStays();
    void aFailedTrialDoublesTheWait();
    void aRelapseDoublesTheWaitUpToTheCap();
    void lastingRecoveryForgetsThePast();
    void withoutTrafficItRecovers();
    void betweenTheLimitsItStays();
    void theOperatorDecides();
    void automaticGoesOnFromThePresentLevel();
    void aTrialBeginsWhenItsLevelIsInForce();
    void whoWaitsForAFirstTokenIsNotWell();
    void anEditedRecoveryHoldsAtOnce();
    void aStationaryLoadNeverFlaps_data();
    void aStationaryLoadNeverFlaps();
    void effectsAreBetterWorseOrOpen();
    void theEffectIsThatOfLaterRequests();
};

namespace {

// A breaker with its own clock and a stream of first tokens.
class Bench {
public:
    explicit Bench(ServingConfig config = {}) : settings(config) {
        if (settings.degradation == DegradationMode::Off) {
            settings.degradation = DegradationMode::Auto;
        }
    }

    // So many seconds with so many first tokens each; the changes that came.
    std::vector<BreakerChange> run(double seconds, int perSecond, double ms) {
        return run(seconds, perSecond, [ms] { return ms; });
    }
    template <class Draw>
    std::vector<BreakerChange> run(double seconds, int perSecond, Draw draw) {
        std::vector<BreakerChange> changes;
        for (int second = 0; second < static_cast<int>(seconds); ++second) {
            for (int i = 0; i < perSecond; ++i) {
                const auto ttft = std::chrono::duration_cast<Nanoseconds>(
                    std::chrono::duration<double, std::milli>(draw()));
                const TimePoint time = now + 1s * (i + 1) / (perSecond + 1);
                breaker.add(time, time - ttft, ttft);
            }
            now += 1s;
            if (auto change = breaker.evaluate(
                    settings, now, {.noise = noise, .isInForce = isInForce, .waiting = waiting})) {
                changes.push_back(*change);
            }
        }
        return changes;
    }

    ServingConfig settings;
    Breaker breaker;
    TimePoint now{std::chrono::hours(1)};
    double noise = 0.5; // no jitter
    bool isInForce = true;
    std::int64_t waiting = 0;
};

} // namespace

void TstBreaker::theBoundHoldsItsConfidence() {
    // The share of samples whose bound lies above the true quantile, which is 0.9 of uniform ones.
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    for (const std::int64_t n : {30, 100, 400}) {
        for (const double confidence : {0.95, 0.99}) {
            const std::int64_t rank = lowerBoundRank(n, 0.9, confidence);
            QVERIFY(rank > 0 && rank < n);
            int above = 0;
            constexpr int kTrials = 4000;
            for (int trial = 0; trial < kTrials; ++trial) {
                std::vector<double> values(static_cast<std::size_t>(n));
                std::ranges::generate(values, [&] { return uniform(random); });
                std::ranges::sort(values);
                above += values[static_cast<std::size_t>(rank - 1)] > 0.9 ? 1 : 0;
            }
            // Five deviations of the share that is allowed.
            const double allowed = 1.0 - confidence;
            QVERIFY(above <= kTrials * allowed + 5.0 * std::sqrt(kTrials * allowed));
        }
    }
    QCOMPARE(lowerBoundRank(0, 0.9, 0.95), std::int64_t{0});
    QCOMPARE(lowerBoundRank(30, 0.9, 0.95), std::int64_t{24});
    QVERIFY(lowerBoundRank(200'000, 0.9, 0.999) > 179'000);
}

void TstBreaker::belowTheLimitNothingHappens() {
    Bench bench;
    QVERIFY(bench.run(600, 12, 790.0).empty());
    QCOMPARE(bench.breaker.level(), 0);
    QCOMPARE(bench.breaker.figures().n, std::int64_t{360});
    QVERIFY(std::abs(*bench.breaker.figures().p90Ms - 790.0) < 1e-6);
}

void TstBreaker::aboveTheLimitLevelsBeginOneByOne() {
    Bench bench;
    const auto up = bench.run(12, 12, 2000.0);
    QCOMPARE(up.size(), std::size_t{1});
    QCOMPARE(up[0].before, 0);
    QCOMPARE(up[0].after, 1);
    QCOMPARE(up[0].cause, BreakerCause::Limit);
    QCOMPARE(up[0].limitMs, 800.0);
    QVERIFY(up[0].figures.n >= 30 && *up[0].figures.lowMs > 800.0);
    const auto second = bench.run(40, 12, 2000.0);
    QCOMPARE(second.size(), std::size_t{1});
    QCOMPARE(second[0].after, 2);
    QCOMPARE(second[0].limitMs, 1500.0);
    QVERIFY(bench.run(200, 12, 9000.0).empty()); // there is no third
    QCOMPARE(bench.breaker.level(), 2);
    // A latency between the limits ends at level 1.
    Bench between;
    QCOMPARE(between.run(300, 12, 1200.0).size(), std::size_t{1});
    QCOMPARE(between.breaker.level(), 1);
}

// They were received longer ago than the window, and are known now.
void TstBreaker::answersLongerThanTheWindowCount() {
    Bench bench;
    bool isUp = false;
    for (int second = 0; second < 20; ++second) {
        for (int i = 0; i < 6; ++i) {
            bench.breaker.add(bench.now, bench.now - 50s, 3s);
        }
        bench.now += 1s;
        const auto change =
            bench.breaker.evaluate(bench.settings, bench.now, {.noise = bench.noise});
        isUp = isUp || (change && change->after == 1);
    }
    QVERIFY(isUp);
    QCOMPARE(bench.breaker.figures().n, std::int64_t{120});
}

void TstBreaker::fewRequestsNeverBeginALevel() {
    ServingConfig settings;
    settings.leastRequests = 100;
    Bench bench(settings);
    QVERIFY(bench.run(300, 3, 60'000.0).empty()); // 90 in the window
    QCOMPARE(bench.run(300, 4, 60'000.0).size(), std::size_t{2});
}

void TstBreaker::aBreakStartsTheHoldAnew() {
    ServingConfig settings;
    settings.windowMs = 3000;
    settings.holdMs = 10'000;
    Bench bench(settings);
    for (int i = 0; i < 20; ++i) {
        QVERIFY(bench.run(8, 12, 2000.0).empty());
        QVERIFY(bench.run(4, 12, 100.0).empty());
    }
    QCOMPARE(bench.run(20, 12, 2000.0).size(), std::size_t{1});
}

void TstBreaker::theStayKeepsLevelsApart() {
    Bench bench;
    const TimePoint begin = bench.now;
    std::vector<TimePoint> times;
    for (int i = 0; i < 100; ++i) {
        if (!bench.run(1, 12, 5000.0).empty()) {
            times.push_back(bench.now);
        }
    }
    QCOMPARE(times.size(), std::size_t{2});
    QVERIFY(times[0] - begin <= 10s);
    QVERIFY(times[1] - times[0] >= 30s && times[1] - times[0] <= 40s);
}

void TstBreaker::recoveryTriesThenStays() {
    Bench bench;
    bench.run(12, 12, 1200.0);
    QCOMPARE(bench.breaker.level(), 1);
    QVERIFY(bench.run(300, 2, 200.0).empty()); // the window empties first
    QVERIFY(bench.breaker.untilTrial(bench.now).has_value());
    const auto down = bench.run(60, 2, 200.0);
    QCOMPARE(down.size(), std::size_t{2});
    QCOMPARE(down[0].cause, BreakerCause::TrialBegan);
    QCOMPARE(down[0].after, 0);
    QCOMPARE(down[1].cause, BreakerCause::TrialPassed);
    QCOMPARE(down[1].before, 0);
    QCOMPARE(down[1].after, 0);
    QVERIFY(down[1].figures.n >= 10 && down[1].figures.n <= 12);
    QCOMPARE(bench.breaker.settledLevel(), 0);
    QVERIFY(bench.run(3000, 2, 200.0).empty());
}

void TstBreaker::aFailedTrialDoublesTheWait() {
    Bench bench;
    bench.run(12, 12, 1200.0);
    int trials = 0;
    // Level 1 helps, level 0 does not: each trial fails, at growing distances.
    std::vector<TimePoint> begins;
    for (int i = 0; i < 4 * 3600; ++i) {
        const double ms = bench.breaker.isTrying() ? 1500.0 : 200.0;
        for (const BreakerChange& change : bench.run(1, 4, ms)) {
            if (change.cause == BreakerCause::TrialBegan) {
                ++trials;
                begins.push_back(bench.now);
            } else {
                QCOMPARE(change.cause, BreakerCause::TrialFailed);
                QCOMPARE(change.after, 1);
            }
        }
    }
    QVERIFY(trials >= 4);
    for (std::size_t i = 2; i < begins.size(); ++i) {
        const auto distance = begins[i] - begins[i - 1];
        const auto earlier = begins[i - 1] - begins[i - 2];
        QVERIFY(distance >= earlier && distance <= 40min + 2min);
    }
    QCOMPARE(bench.breaker.recovery(), Nanoseconds(40min));
}

void TstBreaker::aRelapseDoublesTheWaitUpToTheCap() {
    for (const double noise : {0.0, 0.999}) {
        Bench bench;
        bench.noise = noise;
        bench.run(12, 12, 1200.0);
        bench.run(400, 2, 100.0);
        QCOMPARE(bench.breaker.settledLevel(), 0);
        const auto relapse = bench.run(20, 12, 1200.0);
        QCOMPARE(relapse.size(), std::size_t{1});
        const double minutes =
            std::chrono::duration<double, std::ratio<60>>(bench.breaker.recovery()).count();
        QVERIFY(std::abs(minutes - (noise < 0.5 ? 9.0 : 11.0)) <
                0.05); // 10, ten per cent either way
    }
}

void TstBreaker::lastingRecoveryForgetsThePast() {
    Bench bench;
    bench.run(12, 12, 1200.0);
    bench.run(400, 2, 100.0);
    bench.run(20, 12, 1200.0); // relapse: 10 minutes
    QCOMPARE(bench.breaker.recovery(), Nanoseconds(10min));
    bench.run(700, 2, 100.0);
    QCOMPARE(bench.breaker.settledLevel(), 0);
    bench.run(700, 2, 100.0); // longer than those
    QCOMPARE(bench.breaker.recovery(), Nanoseconds(5min));
}

void TstBreaker::withoutTrafficItRecovers() {
    Bench bench;
    bench.run(60, 12, 5000.0);
    QCOMPARE(bench.breaker.level(), 2);
    const auto down = bench.run(900, 0, 0.0);
    QCOMPARE(bench.breaker.settledLevel(), 0);
    QCOMPARE(down.size(), std::size_t{4});
    for (std::size_t i = 0; i < down.size(); ++i) {
        QCOMPARE(down[i].cause, i % 2 == 0 ? BreakerCause::TrialBegan : BreakerCause::TrialPassed);
    }
}

void TstBreaker::betweenTheLimitsItStays() {
    Bench bench;
    bench.run(12, 12, 1200.0);
    QVERIFY(bench.run(3600, 4, 700.0).empty()); // neither above 800 nor below 600
    QCOMPARE(bench.breaker.level(), 1);
}

void TstBreaker::theOperatorDecides() {
    Bench bench;
    bench.settings.degradation = DegradationMode::Level2;
    const auto forced = bench.run(5, 12, 50.0);
    QCOMPARE(forced.size(), std::size_t{1});
    QCOMPARE(forced[0].cause, BreakerCause::Forced);
    QCOMPARE(forced[0].after, 2);
    QVERIFY(bench.run(1000, 12, 50.0).empty()); // no recovery from what was chosen
    bench.settings.degradation = DegradationMode::Level0;
    QCOMPARE(bench.run(5, 12, 50.0).size(), std::size_t{1});
    QVERIFY(bench.run(1000, 12, 9000.0).empty());
    QCOMPARE(bench.breaker.level(), 0);
    bench.settings.degradation = DegradationMode::Level1;
    bench.run(5, 12, 50.0);
    bench.settings.degradation = DegradationMode::Off;
    const auto off = bench.run(5, 12, 9000.0);
    QCOMPARE(off.size(), std::size_t{1});
    QCOMPARE(off[0].cause, BreakerCause::Switched);
    QCOMPARE(bench.breaker.level(), 0);
}

void TstBreaker::automaticGoesOnFromThePresentLevel() {
    Bench bench;
    bench.settings.degradation = DegradationMode::Level2;
    bench.run(5, 12, 50.0);
    bench.settings.degradation = DegradationMode::Auto;
    QVERIFY(bench.run(200, 12, 50.0).empty());
    QCOMPARE(bench.breaker.level(), 2);
    const auto down = bench.run(200, 12, 50.0);
    QVERIFY(!down.empty());
    QCOMPARE(down[0].after, 1);
}

void TstBreaker::aTrialBeginsWhenItsLevelIsInForce() {
    Bench bench;
    QCOMPARE(bench.run(12, 12, 1200.0).size(), std::size_t{1});
    bench.isInForce = false; // the heavier weights take a minute
    const auto trial = bench.run(420, 12, 100.0);
    QCOMPARE(trial.size(), std::size_t{1});
    QCOMPARE(trial[0].cause, BreakerCause::TrialBegan);
    QVERIFY(bench.breaker.isTrying()); // however many were fast meanwhile
    bench.isInForce = true;
    const auto end = bench.run(5, 12, 2000.0);
    QVERIFY(!end.empty() && end[0].cause == BreakerCause::TrialFailed);
}

void TstBreaker::whoWaitsForAFirstTokenIsNotWell() {
    for (const bool someWait : {false, true}) {
        Bench bench;
        QCOMPARE(bench.run(12, 12, 1200.0).size(), std::size_t{1});
        bench.run(310, 12, 100.0);
        while (!bench.breaker.isTrying()) {
            bench.run(1, 12, 100.0);
        }
        bench.waiting = someWait ? 5 : 0;
        const auto end = bench.run(60, 0, 0.0); // no first token at all
        QCOMPARE(end.size(), std::size_t{1});
        QCOMPARE(end[0].cause, someWait ? BreakerCause::TrialFailed : BreakerCause::TrialPassed);
    }
}

void TstBreaker::anEditedRecoveryHoldsAtOnce() {
    Bench bench;
    QCOMPARE(bench.run(12, 12, 1200.0).size(), std::size_t{1});
    bench.run(60, 12, 100.0);
    bench.settings.recoveryMs = 90'000; // of 300 s
    const auto trial = bench.run(60, 12, 100.0);
    QVERIFY(!trial.empty());
    QCOMPARE(trial[0].cause, BreakerCause::TrialBegan);
}

void TstBreaker::aStationaryLoadNeverFlaps_data() {
    QTest::addColumn<double>("rate");
    QTest::addColumn<double>("shape");
    QTest::newRow("exponential, just enough requests") << 1.2 << 0.0;
    QTest::newRow("exponential") << 4.0 << 0.0;
    QTest::newRow("exponential, many") << 12.0 << 0.0;
    QTest::newRow("log-normal") << 4.0 << 0.5;
    QTest::newRow("log-normal, wide") << 1.2 << 1.0;
    QTest::newRow("log-normal, wide, many") << 12.0 << 1.0;
}

// At a true 90th percentile of 700 ms at most one of 10^5 windows may begin a level; 10^6 windows
// over all rows.
void TstBreaker::aStationaryLoadNeverFlaps() {
    QFETCH(double, rate);
    QFETCH(double, shape);
    constexpr int kWindows = 170'000;
    constexpr double kNormal90 = 1.2815515655446004;
    std::mt19937_64 random(static_cast<std::uint64_t>(rate * 10 + shape * 1000));
    std::exponential_distribution<double> exponential(std::log(10.0) / 700.0);
    std::lognormal_distribution<double> logNormal(std::log(700.0) - kNormal90 * shape, shape);
    std::poisson_distribution<int> arrivals(rate);
    Bench bench;
    int trips = 0;
    for (int window = 0; window < kWindows; ++window) {
        const auto changes = bench.run(1, arrivals(random), [&] {
            return shape > 0.0 ? logNormal(random) : exponential(random);
        });
        for (const BreakerChange& change : changes) {
            if (change.after > change.before) {
                ++trips;
                bench = Bench();
            }
        }
    }
    QVERIFY2(trips <= kWindows / 100'000, std::to_string(trips).c_str());
    // And the same load four times as slow is noticed within a minute.
    const auto changes = bench.run(60, std::max(2, static_cast<int>(rate)), [&] {
        return 4.0 * (shape > 0.0 ? logNormal(random) : exponential(random));
    });
    QVERIFY(!changes.empty());
}

void TstBreaker::effectsAreBetterWorseOrOpen() {
    const auto values = [](double from, int n) {
        std::vector<double> list;
        for (int i = 0; i < n; ++i) {
            list.push_back(from + i);
        }
        return list;
    };
    QCOMPARE(compareEffect(values(500, 40), values(100, 40)).verdict, EffectVerdict::Better);
    QCOMPARE(compareEffect(values(100, 40), values(500, 40)).verdict, EffectVerdict::Worse);
    QCOMPARE(compareEffect(values(100, 40), values(110, 40)).verdict, EffectVerdict::NotResolved);
    const LevelEffect few = compareEffect(values(500, 40), values(1, 5));
    QCOMPARE(few.verdict, EffectVerdict::NotResolved);
    QCOMPARE(few.afterN, std::int64_t{5});
    QVERIFY(!compareEffect({}, {}).beforeMs);
}

void TstBreaker::theEffectIsThatOfLaterRequests() {
    LevelEffectWatch watch;
    TimePoint now{std::chrono::hours(1)};
    const auto run = [&](int seconds, Nanoseconds ttft) {
        std::optional<LevelEffect> found;
        for (int i = 0; i < seconds * 4; ++i) {
            now += 250ms;
            watch.add(now, now - ttft, ttft);
            if (auto effect = watch.evaluate(now)) {
                found = effect;
            }
        }
        return found;
    };
    QVERIFY(!run(60, 2s));
    watch.begin(0, 1, 30s, now);
    QVERIFY(!run(2, 2s)); // they had waited under the level before
    const auto effect = run(40, 100ms);
    QVERIFY(effect.has_value());
    QCOMPARE(effect->verdict, EffectVerdict::Better);
    QCOMPARE(effect->after, 1);
    QVERIFY(effect->beforeN >= 118 && effect->beforeN <= 121);
    QVERIFY(effect->afterN >= 110 && effect->afterN <= 113);
    QVERIFY(std::abs(*effect->afterMs - 100.0) < 1e-6);
}

QTEST_APPLESS_MAIN(TstBreaker)
#include "tst_breaker.moc"
