// The tuner's plan, its halving, and what its measurements say; the rule beside it.
#include "app/experiment/tuner.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace {

// What a configuration would measure: throughput grows with slots and saturates, latency with
// slots.
std::map<std::string, app::BlockFigure> measured(const app::Side& side, double limit) {
    const auto setting = [&](const char* key) {
        const auto found =
            std::ranges::find(side.settings, key, [](const auto& s) { return s.first; });
        return found != side.settings.end() ? found->second : std::string();
    };
    const bool isSingle = setting("batching.policy") == "single";
    const double slots = isSingle ? 1.0 : std::stod(setting("batching.max_batch"));
    const double output = 1000 * slots / (slots + 6);
    const double ttft = 20 + 8 * slots + (setting("batching.policy") == "dynamic" ? 200 : 0) +
                        std::stod(setting("batching.token_budget")) / 50;
    return {{"output_tokens_per_s", {output, 10}},
            {"ttft_p99_ms", {ttft, 400}},
            {"tpot_p99_ms", {5 + slots, 400}},
            {"goodput_per_s", {ttft <= limit ? output / 30 : 0.1, 10}}};
}

std::vector<app::Block> search(const app::TunerPlan& plan, double limit,
                               std::vector<app::Block> before = {}, int most = 1000) {
    const app::BlockSchedule schedule = app::tunerSchedule(plan, before);
    std::vector<app::Block> blocks;
    while (const auto next = schedule(blocks)) {
        if (static_cast<int>(blocks.size()) >= most) {
            break;
        }
        blocks.push_back({.number = static_cast<int>(blocks.size()) + 1,
                          .round = next->round,
                          .side = next->side,
                          .isWhole = true,
                          .figures = measured(
                              plan.experiment.sides[static_cast<std::size_t>(next->side)], limit),
                          .contamination = {}});
    }
    return blocks;
}

} // namespace

class TstTuner : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void limitsAreRead();
    void theTimeIsKept_data();
    void theTimeIsKept();
    void everyRoundKeepsTheBetterHalf();
    void weightsAreConvertedOnceARound();
    void aSearchGoesOnWhereItStopped();
    void theFrontHoldsWhatNothingBeats();
    void whatAnsweredNothingComesLast();
    void theProofAsksTheSameQuestion();
    void theRuleIsAsTheTextHasIt();
    void thePlanIsAnExperiment();
};

void TstTuner::limitsAreRead() {
    const auto limits = app::parseLimits({"ttft_p99=300ms", "tpot_p99=0.02s"});
    QVERIFY(limits);
    QCOMPARE(limits->ttftP99Ms, std::optional<double>(300.0));
    QCOMPARE(limits->tpotP99Ms, std::optional<double>(20.0));
    for (const char* wrong : {"ttft_p99", "ttft_p99=", "ttft=300ms", "ttft_p99=-3ms", "=3ms"}) {
        QVERIFY2(!app::parseLimits({wrong}), wrong);
    }
}

void TstTuner::theTimeIsKept_data() {
    QTest::addColumn<double>("minutes");
    for (const double minutes : {1.0, 5.0, 20.0, 120.0}) {
        QTest::addRow("%g", minutes) << minutes;
    }
}

void TstTuner::theTimeIsKept() {
    QFETCH(double, minutes);
    const auto plan = app::planTuner(minutes, std::nullopt);
    QVERIFY(plan);
    double seconds = 0.0;
    for (const app::TunerPlan::Round& round : plan->rounds) {
        seconds += round.candidates * (round.measureSeconds + 2.0);
        QVERIFY(round.measureSeconds >= 3.0);
    }
    QVERIFY2(seconds < minutes * 60 * 1.5, std::to_string(seconds).c_str());
    QVERIFY(plan->experiment.sides.size() >= 3);
}

void TstTuner::everyRoundKeepsTheBetterHalf() {
    const auto plan = *app::planTuner(20, std::nullopt);
    const auto blocks = search(plan, 100);
    std::size_t expected = 0;
    for (const app::TunerPlan::Round& round : plan.rounds) {
        expected += static_cast<std::size_t>(round.candidates);
    }
    QCOMPARE(blocks.size(), expected);
    const auto result =
        app::tunerResult(plan.experiment, blocks, {.ttftP99Ms = 100.0, .tpotP99Ms = {}});
    QVERIFY(result.optimum);
    const app::TunerPoint& best = result.points[static_cast<std::size_t>(*result.optimum)];
    // Eight slots are the most whose latency is within the limit: 20 + 64 + budget / 50.
    QVERIFY2(*best.ttftP99Ms <= 100 && std::abs(best.outputPerSecond - 1000.0 * 8 / 14) < 1e-9,
             plan.experiment.sides[static_cast<std::size_t>(best.side)].label.c_str());
    QCOMPARE(best.round, static_cast<int>(plan.rounds.size()) - 1); // it was kept to the last
    QVERIFY(!result.effects.empty());
    const auto effect = std::ranges::find_if(result.effects, [](const app::SettingEffect& each) {
        return each.field == "batching.max_batch" && each.from == "4" && each.to == "8";
    });
    QVERIFY(effect != result.effects.end());
    QVERIFY(effect->output > 0 && effect->ttftP99 > 0);
}

void TstTuner::weightsAreConvertedOnceARound() {
    const auto plan = *app::planTuner(20, std::nullopt);
    const auto precisionOf = [&](const app::Block& block) {
        for (const auto& [key, value] :
             plan.experiment.sides[static_cast<std::size_t>(block.side)].settings) {
            if (key == "weights.precision") {
                return value;
            }
        }
        return std::string();
    };
    const auto blocks = search(plan, 100);
    int changes = 0;
    for (std::size_t i = 1; i < blocks.size(); ++i) {
        changes += precisionOf(blocks[i]) != precisionOf(blocks[i - 1]) ? 1 : 0;
    }
    QVERIFY(changes > 0);
    QVERIFY(changes <= static_cast<int>(plan.rounds.size()));
}

void TstTuner::aSearchGoesOnWhereItStopped() {
    const auto plan = *app::planTuner(20, std::nullopt);
    const auto whole = search(plan, 100);
    const auto first = search(plan, 100, {}, 7);
    const auto rest = search(plan, 100, first);
    QCOMPARE(first.size() + rest.size(), whole.size());
    const auto resumed = app::resumedPlan(plan.experiment, 20);
    QCOMPARE(resumed.rounds.size(), plan.rounds.size());
}

void TstTuner::theFrontHoldsWhatNothingBeats() {
    const auto plan = *app::planTuner(20, std::nullopt);
    const auto result = app::tunerResult(plan.experiment, search(plan, 100), {});
    int front = 0;
    for (const app::TunerPoint& point : result.points) {
        front += point.isOnFront ? 1 : 0;
        for (const app::TunerPoint& other : result.points) {
            QVERIFY(!point.isOnFront || !(*other.ttftP99Ms < *point.ttftP99Ms &&
                                          other.outputPerSecond > point.outputPerSecond));
        }
    }
    QVERIFY(front >= 3);
    QVERIFY(app::tunerResult(plan.experiment, {}, {}).points.empty());
    std::vector<app::Block> broken = {
        {.side = 4096, .isWhole = true, .figures = {}, .contamination = {}}};
    QVERIFY(app::tunerResult(plan.experiment, broken, {}).points.empty());
}

// Where no configuration is within the limits, goodput says nothing: the one that served nobody in
// its time is not the fastest.
void TstTuner::whatAnsweredNothingComesLast() {
    const auto plan = *app::planTuner(20, std::nullopt);
    const app::BlockSchedule schedule = app::tunerSchedule(plan);
    constexpr int kMute = 1;
    std::vector<app::Block> blocks;
    while (const auto next = schedule(blocks)) {
        app::Block block{.number = static_cast<int>(blocks.size()) + 1,
                         .round = next->round,
                         .side = next->side,
                         .isWhole = true,
                         .figures = {{"output_tokens_per_s", {50.0, 3}}, {"goodput_per_s", {0, 3}}},
                         .contamination = {}};
        if (next->side != kMute) {
            block.figures["ttft_p99_ms"] = {500.0 + next->side, 40};
            block.figures["output_tokens_per_s"] = {60.0 + next->side, 3};
        } else {
            QCOMPARE(next->round, 0); // it is not kept
        }
        blocks.push_back(std::move(block));
    }
    const auto result =
        app::tunerResult(plan.experiment, blocks, {.ttftP99Ms = 10.0, .tpotP99Ms = 1.0});
    QVERIFY(!result.optimum);
    QCOMPARE(result.points.back().side, kMute);
    QVERIFY(!result.points.back().ttftP99Ms);
    QVERIFY(!result.points.back().isOnFront);
    QVERIFY(result.points.front().ttftP99Ms);
    // Without a limit, what answered nothing is within none; what has no TPOT is not held against.
    for (const app::TunerPoint& point : app::tunerResult(plan.experiment, blocks, {}).points) {
        QCOMPARE(point.meetsLimits, point.side != kMute);
    }
}

void TstTuner::theProofAsksTheSameQuestion() {
    const auto plan = *app::planTuner(20, std::nullopt);
    const auto& sides = plan.experiment.sides;
    const auto wide = std::ranges::find_if(sides, [](const app::Side& side) {
        return std::ranges::find(side.settings, std::pair<std::string, std::string>(
                                                    "workload.users", "16")) != side.settings.end();
    });
    QVERIFY(wide != sides.end());
    app::SettingTexts chosen = wide->settings;
    std::erase_if(chosen, [](const auto& each) { return each.first.starts_with("workload."); });
    const app::SettingTexts inForce = {{"batching.policy", "single"}};
    const app::Experiment proof = app::tunerProof(plan.experiment, chosen, inForce);
    const auto valid = app::validateExperiment(proof);
    QVERIFY2(valid, valid ? "" : valid.error().message.c_str());
    QCOMPARE(proof.workload.stages.front().users, 16);
    QVERIFY(proof.workload.promptTokens == plan.experiment.workload.promptTokens);
    QVERIFY(proof.workload.outputTokens == plan.experiment.workload.outputTokens);
    QCOMPARE(proof.metric, std::string("goodput_per_s"));
    QVERIFY(proof.sides[0].settings == inForce && proof.sides[1].settings == chosen);
    for (const auto& [key, value] : proof.workload.settings) {
        QVERIFY(std::ranges::none_of(chosen, [&](const auto& each) { return each.first == key; }));
    }
}

void TstTuner::theRuleIsAsTheTextHasIt() {
    QVERIFY(app::ruleFor({.ttftP99Ms = 299.0, .tpotP99Ms = {}}).isRealtime);
    QVERIFY(!app::ruleFor({.ttftP99Ms = 300.0, .tpotP99Ms = {}}).isRealtime);
    QVERIFY(!app::ruleFor({}).isRealtime);
    const auto plan = *app::planTuner(20, std::nullopt);
    const auto result =
        app::tunerResult(plan.experiment, search(plan, 100), {.ttftP99Ms = 100.0, .tpotP99Ms = {}});
    QVERIFY(result.ruleChoice);
    const auto side = result.points[static_cast<std::size_t>(*result.ruleChoice)].side;
    QVERIFY(plan.experiment.sides[static_cast<std::size_t>(side)].label.find("single") !=
            std::string::npos);
}

void TstTuner::thePlanIsAnExperiment() {
    const auto plan = *app::planTuner(5, std::nullopt);
    const auto valid = app::validateExperiment(plan.experiment);
    QVERIFY2(valid, valid ? "" : valid.error().message.c_str());
    const auto again = app::parseExperiment(app::experimentToml(plan.experiment), "tuner");
    QVERIFY2(again, again ? "" : again.error().message.c_str());
    QVERIFY(again->sides == plan.experiment.sides);
    QVERIFY(!app::planTuner(5, *app::loadWorkload("ramp")));
}

QTEST_GUILESS_MAIN(TstTuner)
#include "tst_tuner.moc"
