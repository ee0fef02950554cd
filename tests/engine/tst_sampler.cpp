#include "engine/model/sampler.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

using namespace engine;

class TstSampler : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void greedyTakesTheFirstOfTheLargest();
    void notANumberIsNoToken();
    void sameSeedAndPositionSameToken();
    void noiseIsUniform();
    void frequenciesFollowTheSoftmax();
    void topKTopPAndMinPLeaveOutTheUnlikely();
    void extremeSettingsStillGiveTheLikeliest();
    void logprobsAreThoseOfTheWholeDistribution();
};

namespace {

std::map<TokenId, int> drawMany(const std::vector<float>& logits, Sampling sampling, int draws) {
    Sampler sampler;
    std::map<TokenId, int> counts;
    for (int i = 0; i < draws; ++i) {
        ++counts[sampler.sample(logits, sampling, i).value()];
    }
    return counts;
}

} // namespace

void TstSampler::greedyTakesTheFirstOfTheLargest() {
    Sampler sampler;
    const std::vector<float> logits = {-1.0F, 3.0F, 3.0F, 2.0F};
    QCOMPARE(sampler.sample(logits, {}, 0), std::optional<TokenId>(1));
    const std::vector<float> negative = {-8.0F, -7.0F, -9.0F};
    QCOMPARE(sampler.sample(negative, {}, 0), std::optional<TokenId>(1));
}

void TstSampler::notANumberIsNoToken() {
    Sampler sampler;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinity = std::numeric_limits<float>::infinity();
    QVERIFY(!sampler.sample(std::vector<float>{1.0F, nan, 0.0F}, {}, 0));
    QVERIFY(!sampler.sample(std::vector<float>{1.0F, infinity}, {}, 0));
    QVERIFY(!sampler.sample(std::vector<float>{-infinity, -infinity}, {}, 0));
    QVERIFY(!sampler.sample(std::vector<float>{}, {}, 0));
    QCOMPARE(sampler.sample(std::vector<float>{-infinity, 1.0F}, {.temperature = 1.0F}, 0),
             std::optional<TokenId>(1));
}

void TstSampler::sameSeedAndPositionSameToken() {
    std::mt19937 random(5);
    std::normal_distribution<float> normal(0.0F, 2.0F);
    std::vector<float> logits(1000);
    for (float& logit : logits) {
        logit = normal(random);
    }
    const Sampling sampling{.temperature = 1.0F, .topK = 200, .topP = 0.95F, .seed = 9};
    Sampler one;
    Sampler other;
    int different = 0;
    for (int position = 0; position < 200; ++position) {
        static_cast<void>(other.sample(logits, {.temperature = 0.3F, .seed = 77}, position));
        QCOMPARE(one.sample(logits, sampling, position), other.sample(logits, sampling, position));
        Sampling reseeded = sampling;
        reseeded.seed = 10;
        different +=
            one.sample(logits, sampling, position) != other.sample(logits, reseeded, position);
    }
    QVERIFY(different > 150);
}

void TstSampler::noiseIsUniform() {
    constexpr int kDraws = 100000;
    constexpr int kBins = 20;
    for (const std::uint64_t seed : {0ULL, 1ULL, 0xffffffffffffffffULL}) {
        std::vector<int> bins(kBins, 0);
        for (int position = 0; position < kDraws; ++position) {
            const double value = noise(seed, static_cast<std::uint64_t>(position));
            QVERIFY(value > 0.0 && value < 1.0);
            ++bins[static_cast<std::size_t>(value * kBins)];
        }
        double chiSquare = 0.0;
        constexpr double kExpected = static_cast<double>(kDraws) / kBins;
        for (const int count : bins) {
            chiSquare += (count - kExpected) * (count - kExpected) / kExpected;
        }
        QVERIFY2(chiSquare < 45.0, "20 bins: above 45 once in 1,500 seeds");
    }
}

void TstSampler::frequenciesFollowTheSoftmax() {
    const std::vector<float> logits = {0.0F, 1.0F, 2.0F, -1.0F};
    const float temperature = 0.7F;
    double total = 0.0;
    for (const float logit : logits) {
        total += std::exp(static_cast<double>(logit / temperature));
    }
    constexpr int kDraws = 40000;
    auto counts = drawMany(logits, {.temperature = temperature, .seed = 3}, kDraws);
    for (std::size_t id = 0; id < logits.size(); ++id) {
        const double share = std::exp(static_cast<double>(logits[id] / temperature)) / total;
        const double got = counts[static_cast<TokenId>(id)] / static_cast<double>(kDraws);
        QVERIFY(std::abs(got - share) < 5.0 * std::sqrt(share / kDraws) + 1e-4);
    }
}

void TstSampler::topKTopPAndMinPLeaveOutTheUnlikely() {
    // Probabilities 0.5, 0.25, 0.125, 0.125 at temperature 1.
    const std::vector<float> logits = {std::log(0.125F), std::log(0.5F), std::log(0.125F),
                                       std::log(0.25F)};
    const auto ids = [&](Sampling sampling) {
        sampling.temperature = 1.0F;
        std::vector<TokenId> seen;
        for (const auto& [id, count] : drawMany(logits, sampling, 2000)) {
            seen.push_back(id);
        }
        return seen;
    };
    QCOMPARE(ids({}), (std::vector<TokenId>{0, 1, 2, 3}));
    QCOMPARE(ids({.topK = 1}), (std::vector<TokenId>{1}));
    QCOMPARE(ids({.topK = 3}), (std::vector<TokenId>{0, 1, 3}));
    QCOMPARE(ids({.topP = 0.45F}), (std::vector<TokenId>{1}));
    QCOMPARE(ids({.topP = 0.7F}), (std::vector<TokenId>{1, 3}));
    QCOMPARE(ids({.minP = 0.4F}), (std::vector<TokenId>{1, 3}));
    QCOMPARE(ids({.topK = 100, .topP = 1.0F, .minP = 0.2F}), (std::vector<TokenId>{0, 1, 2, 3}));
}

void TstSampler::extremeSettingsStillGiveTheLikeliest() {
    const std::vector<float> logits = {0.0F, 80.0F, -80.0F};
    for (const Sampling& sampling :
         {Sampling{.temperature = 1e-6F}, Sampling{.temperature = 1.0F, .topP = 0.0F},
          Sampling{.temperature = 1.0F, .minP = 5.0F}, Sampling{.temperature = 1.0F, .topK = -3},
          Sampling{.temperature = -1.0F}}) {
        Sampler sampler;
        QCOMPARE(sampler.sample(logits, sampling, 1), std::optional<TokenId>(1));
    }
}

void TstSampler::logprobsAreThoseOfTheWholeDistribution() {
    Sampler sampler;
    std::mt19937_64 random(3);
    std::normal_distribution<float> normal(0.0F, 4.0F);
    for (const std::size_t count : {1UL, 2UL, 50UL, 5000UL}) {
        std::vector<float> logits(count);
        std::ranges::generate(logits, [&] { return normal(random); });
        double total = 0.0;
        for (const float logit : logits) {
            total += std::exp(static_cast<double>(logit));
        }
        const auto token = static_cast<TokenId>(count / 2);
        const TokenLogprobs found = sampler.logprobs(logits, token, 5);
        QCOMPARE(found.id, token);
        const double expected =
            static_cast<double>(logits[static_cast<std::size_t>(token)]) - std::log(total);
        QVERIFY(std::abs(static_cast<double>(found.logprob) - expected) < 1e-4);
        QCOMPARE(found.top.size(), std::min<std::size_t>(5, count));
        for (std::size_t i = 1; i < found.top.size(); ++i) {
            QVERIFY(found.top[i - 1].second >= found.top[i].second);
        }
        QCOMPARE(found.top[0].first,
                 static_cast<TokenId>(std::ranges::max_element(logits) - logits.begin()));
        QVERIFY(sampler.logprobs(logits, token, 0).top.empty());
    }
    // What can't come has a number too, and none is not finite.
    const std::vector<float> cut = {0.0F, -std::numeric_limits<float>::infinity()};
    const TokenLogprobs never = sampler.logprobs(cut, 1, 2);
    QVERIFY(std::isfinite(never.logprob) && never.logprob < -1e30F);
    QVERIFY(std::abs(never.top[0].second) < 1e-6F);
}

QTEST_APPLESS_MAIN(TstSampler)
#include "tst_sampler.moc"
