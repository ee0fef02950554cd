// Blocks to verdicts: coverage and false alarms by simulation, known effects, claims, sweeps.
#include "app/experiment/verdict.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

using app::Block;
using app::ClaimVerdict;
using app::Experiment;
using app::Verdict;

namespace {

Experiment pairOf(const std::string& metric, int blocks) {
    Experiment experiment;
    experiment.metric = metric;
    experiment.blocks = blocks;
    experiment.sides = {{.label = "A", .settings = {}}, {.label = "B", .settings = {}}};
    return experiment;
}

Block blockOf(int number, int sides, std::map<std::string, app::BlockFigure> figures) {
    return {.number = number + 1,
            .round = number / sides,
            .side = number % sides,
            .isWhole = true,
            .figures = std::move(figures),
            .contamination = {}};
}

// Rounds differ from each other (drift of the machine), blocks of a round by noise: per-block
// medians of latencies that are log-normal.
std::vector<Block> simulate(std::mt19937_64& random, int blocks, double effect) {
    std::normal_distribution<double> normal;
    std::vector<Block> list;
    double drift = 0.0;
    for (int number = 0; number < blocks; ++number) {
        drift = number % 2 == 0 ? normal(random) * 0.2 : drift;
        std::map<std::string, app::BlockFigure> figures;
        for (const char* metric :
             {"ttft_p50_ms", "e2e_p50_ms", "tpot_p50_ms", "output_tokens_per_s"}) {
            std::vector<double> values;
            for (int request = 0; request < 41; ++request) {
                values.push_back(100 * std::exp(drift + 0.4 * normal(random)) *
                                 (number % 2 == 1 ? 1 + effect : 1.0));
            }
            std::ranges::nth_element(values, values.begin() + 20);
            figures[metric] = {values[20], 41};
        }
        list.push_back(blockOf(number, 2, std::move(figures)));
    }
    return list;
}

} // namespace

class TstExperimentVerdict : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void intervalsCover95Percent_data();
    void intervalsCover95Percent();
    void sameAgainstSameIsNotResolved();
    void aKnownEffectIsFound();
    void fewerThanFourRoundsResolveNothing();
    void moreBlocksAreWhatItTakes();
    void claimsAreJudgedByTheWholeInterval_data();
    void claimsAreJudgedByTheWholeInterval();
    void markedBlocksCountAndAreTold();
    void theSlopeOfASweepIsFound();
    void theBestOfASweepIsARange();
    void theCrossingIsBetweenLevels();
    void brokenBlocksAreLeftOut();
    void modelledSharesHaveNoVerdict();
    void stopRuleNeedsANarrowInterval();
};

void TstExperimentVerdict::intervalsCover95Percent_data() {
    QTest::addColumn<int>("blocks");
    for (const int blocks : {8, 12, 16, 24}) {
        QTest::addRow("%d blocks", blocks) << blocks;
    }
}

// 2,500 experiments: one and a half percent points are three and a half standard errors.
void TstExperimentVerdict::intervalsCover95Percent() {
    QFETCH(int, blocks);
    std::mt19937_64 random(static_cast<std::uint64_t>(blocks) * 7919);
    std::normal_distribution<double> normal;
    const int runs = 2500;
    int covered = 0;
    for (int run = 0; run < runs; ++run) {
        std::vector<double> differences;
        for (int pair = 0; pair < blocks / 2; ++pair) {
            std::vector<double> a, b;
            for (int request = 0; request < 31; ++request) {
                a.push_back(std::exp(0.5 * normal(random)));
                b.push_back(std::exp(0.5 * normal(random)));
            }
            std::ranges::nth_element(a, a.begin() + 15);
            std::ranges::nth_element(b, b.begin() + 15);
            differences.push_back(b[15] - a[15]);
        }
        const auto interval = app::pairedInterval(differences);
        covered += interval->low <= 0 && interval->high >= 0;
    }
    const double share = 100.0 * covered / runs;
    QVERIFY2(std::abs(share - 95.0) <= 1.5, std::to_string(share).c_str());
}

void TstExperimentVerdict::sameAgainstSameIsNotResolved() {
    std::mt19937_64 random(20);
    const Experiment experiment = pairOf("ttft_p50_ms", 12);
    const int runs = 1000;
    int quiet = 0;
    for (int run = 0; run < runs; ++run) {
        const auto verdict = app::evaluate(experiment, simulate(random, 12, 0.0));
        QCOMPARE(verdict.measures.size(), std::size_t{4});
        quiet += std::ranges::none_of(verdict.measures, [](const app::MeasureVerdict& row) {
            return row.verdict == Verdict::Better || row.verdict == Verdict::Worse;
        });
    }
    // Over all measures of an experiment together, which is what Holm promises.
    QVERIFY2(quiet >= runs * 95 / 100, std::to_string(quiet).c_str());
}

void TstExperimentVerdict::aKnownEffectIsFound() {
    std::mt19937_64 random(21);
    Experiment experiment = pairOf("ttft_p50_ms", 16);
    experiment.claim = {.kind = app::ClaimKind::AtMost, .value = -20.0};
    int found = 0, covered = 0, held = 0;
    const int runs = 100;
    for (int run = 0; run < runs; ++run) {
        const auto verdict = app::evaluate(experiment, simulate(random, 16, -0.4));
        const auto row =
            std::ranges::find(verdict.measures, "ttft_p50_ms", &app::MeasureVerdict::metric);
        found += row->verdict == Verdict::Better && row->difference < 0;
        QVERIFY(verdict.claim.interval);
        covered += verdict.claim.interval->low <= -40 && verdict.claim.interval->high >= -40;
        held += verdict.claim.verdict == ClaimVerdict::Holds;
    }
    QVERIFY2(found >= runs * 95 / 100, std::to_string(found).c_str());
    QVERIFY2(covered >= runs * 91 / 100, std::to_string(covered).c_str());
    QVERIFY2(held >= runs * 95 / 100, std::to_string(held).c_str());
}

void TstExperimentVerdict::fewerThanFourRoundsResolveNothing() {
    Experiment experiment = pairOf("ttft_p50_ms", 6);
    experiment.claim = {.kind = app::ClaimKind::AtMost, .value = -20.0};
    std::vector<Block> blocks;
    for (int number = 0; number < 6; ++number) {
        blocks.push_back(blockOf(number, 2, {{"ttft_p50_ms", {number % 2 ? 10.0 : 100.0, 50}}}));
    }
    const auto verdict = app::evaluate(experiment, blocks);
    QCOMPARE(verdict.wholeRounds, 3);
    QCOMPARE(verdict.measures.front().verdict, Verdict::NotResolved);
    QCOMPARE(verdict.measures.front().moreBlocks, std::optional<int>(2));
    QCOMPARE(verdict.claim.verdict, ClaimVerdict::NotResolved);
    QCOMPARE(verdict.claim.moreBlocks, std::optional<int>(2));
    QVERIFY(std::abs(*verdict.claim.measured + 90.0) < 1e-9);
    QVERIFY(!verdict.claim.interval);
}

void TstExperimentVerdict::moreBlocksAreWhatItTakes() {
    // Mean 1, deviation 2.3094 over four pairs; SciPy: t(0.975, n - 1) * s / sqrt(n) < 1 from n
    // = 23.
    QCOMPARE(app::morePairs(std::vector<double>{-1, 3, -1, 3}), std::optional<int>(19));
    QVERIFY(!app::morePairs(std::vector<double>{-1, 1, -1, 1})); // no mean to resolve
    QCOMPARE(app::morePairs(std::vector<double>{5}), std::optional<int>(3));
}

void TstExperimentVerdict::claimsAreJudgedByTheWholeInterval_data() {
    QTest::addColumn<app::Claim>("claim");
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::addColumn<ClaimVerdict>("expected");
    using Kind = app::ClaimKind;
    const app::Claim least{.kind = Kind::AtLeast, .value = 1.5};
    const app::Claim most{.kind = Kind::AtMost, .value = -40};
    const app::Claim about{.kind = Kind::About, .value = 50};
    const app::Claim within{.kind = Kind::Within, .value = 8, .high = 16};
    QTest::newRow("least holds") << least << 1.5 << 1.7 << ClaimVerdict::Holds;
    QTest::newRow("least does not") << least << 1.1 << 1.49 << ClaimVerdict::DoesNotHold;
    QTest::newRow("least straddles") << least << 1.4 << 1.6 << ClaimVerdict::NotResolved;
    QTest::newRow("most holds") << most << -46.0 << -41.0 << ClaimVerdict::Holds;
    QTest::newRow("most does not") << most << -39.0 << -10.0 << ClaimVerdict::DoesNotHold;
    QTest::newRow("about holds") << about << 45.5 << 54.5 << ClaimVerdict::Holds;
    QTest::newRow("about does not") << about << 30.0 << 44.0 << ClaimVerdict::DoesNotHold;
    QTest::newRow("about straddles") << about << 40.0 << 50.0 << ClaimVerdict::NotResolved;
    QTest::newRow("within holds") << within << 8.0 << 16.0 << ClaimVerdict::Holds;
    QTest::newRow("within straddles") << within << 12.0 << 24.0 << ClaimVerdict::NotResolved;
    QTest::newRow("nothing claimed") << app::Claim{} << 1.0 << 2.0 << ClaimVerdict::NotStated;
}

void TstExperimentVerdict::claimsAreJudgedByTheWholeInterval() {
    QFETCH(app::Claim, claim);
    QFETCH(double, low);
    QFETCH(double, high);
    QFETCH(ClaimVerdict, expected);
    QCOMPARE(app::judgeClaim(claim, app::Interval{low, high}), expected);
    if (claim.kind != app::ClaimKind::None) {
        QCOMPARE(app::judgeClaim(claim, std::nullopt), ClaimVerdict::NotResolved);
    }
}

void TstExperimentVerdict::markedBlocksCountAndAreTold() {
    const Experiment experiment = pairOf("ttft_p50_ms", 10);
    std::vector<Block> blocks;
    for (int number = 0; number < 10; ++number) {
        const double value = number % 2 ? 50.0 : 100.0;
        blocks.push_back(blockOf(number, 2, {{"ttft_p50_ms", {number == 9 ? 100.0 : value, 50}}}));
    }
    blocks[9].contamination.push_back({.kind = "edit", .value = 1, .detail = "threads"});
    const auto verdict = app::evaluate(experiment, blocks);
    QCOMPARE(verdict.markedBlocks, 1);
    QCOMPARE(verdict.wholeRounds, 5);
    QVERIFY(verdict.claim.withoutMarked);
    QVERIFY(std::abs(*verdict.claim.withoutMarked + 50.0) < 1e-9);
    QVERIFY(*verdict.claim.measured > -50.0);
}

void TstExperimentVerdict::theSlopeOfASweepIsFound() {
    Experiment experiment;
    experiment.metric = "ttft_p50_ms";
    experiment.statistic = app::Statistic::Slope;
    experiment.claim = {.kind = app::ClaimKind::AtMost, .value = 85};
    experiment.sweepKey = "workload.prompt";
    for (const double x : {128.0, 512.0, 1024.0}) {
        experiment.sides.push_back({.label = std::to_string(int(x)), .settings = {}, .x = x});
    }
    experiment.blocks = 12;
    std::vector<Block> blocks;
    for (int number = 0; number < 12; ++number) {
        // Real prompts are a tenth longer than asked; the slope is over real tokens.
        const double tokens = 1.1 * experiment.sides[std::size_t(number % 3)].x;
        const double noise = 0.2 * ((number * 7) % 5 - 2);
        blocks.push_back(blockOf(number, 3,
                                 {{"ttft_p50_ms", {20 + 0.287 * tokens + noise, 30}},
                                  {"prompt_tokens_mean", {tokens, 30}}}));
    }
    const auto verdict = app::evaluate(experiment, blocks);
    QVERIFY2(std::abs(*verdict.claim.measured - 287) < 2,
             std::to_string(*verdict.claim.measured).c_str());
    QCOMPARE(verdict.claim.verdict, ClaimVerdict::DoesNotHold);
    QCOMPARE(verdict.levels.size(), std::size_t{3});
    QCOMPARE(app::claimUnit(experiment), std::string("ms per 1k tok"));
}

void TstExperimentVerdict::theBestOfASweepIsARange() {
    Experiment experiment;
    experiment.metric = "output_tokens_per_s";
    experiment.statistic = app::Statistic::Best;
    experiment.claim = {.kind = app::ClaimKind::Within, .value = 8, .high = 16};
    experiment.sweepKey = "batching.max_batch";
    const std::vector<double> sizes = {1, 2, 4, 8, 16, 32}, means = {100, 180, 300, 500, 501, 420};
    for (const double x : sizes) {
        experiment.sides.push_back({.label = std::to_string(int(x)), .settings = {}, .x = x});
    }
    std::mt19937_64 random(4);
    std::normal_distribution<double> noise(0, 4);
    std::vector<Block> blocks;
    for (int number = 0; number < 36; ++number) {
        const double value = means[std::size_t(number % 6)] + noise(random);
        blocks.push_back(blockOf(number, 6, {{"output_tokens_per_s", {value, 10}}}));
    }
    const auto verdict = app::evaluate(experiment, blocks);
    QVERIFY(verdict.claim.interval);
    QCOMPARE(verdict.claim.interval->low, 8.0);
    QCOMPARE(verdict.claim.interval->high, 16.0);
    QCOMPARE(verdict.claim.verdict, ClaimVerdict::Holds);
    experiment.claim = {.kind = app::ClaimKind::Within, .value = 32, .high = 64};
    QCOMPARE(app::evaluate(experiment, blocks).claim.verdict, ClaimVerdict::DoesNotHold);
}

void TstExperimentVerdict::theCrossingIsBetweenLevels() {
    Experiment experiment;
    experiment.metric = "queue_over_compute";
    experiment.statistic = app::Statistic::Crossing;
    experiment.claim = {.kind = app::ClaimKind::About, .value = 50};
    experiment.sweepKey = "workload.rate";
    for (const double x : {0.5, 0.8, 1.1}) {
        experiment.sides.push_back({.label = std::to_string(x), .settings = {}, .x = x});
    }
    std::vector<Block> blocks;
    const std::vector<double> ratios = {0.25, 0.5, 2.0}, rates = {20, 40, 60};
    for (int number = 0; number < 12; ++number) {
        const auto level = std::size_t(number % 3);
        blocks.push_back(blockOf(number, 3,
                                 {{"queue_over_compute", {ratios[level], 99}},
                                  {"wanted_rate", {rates[level] + 0.1 * (number / 3), 99}}}));
    }
    const auto verdict = app::evaluate(experiment, blocks);
    QVERIFY(verdict.claim.measured);
    // Half way between 40 and 60 on a logarithm's scale: from 0.5 to 2 through 1.
    QVERIFY2(std::abs(*verdict.claim.measured - 50.15) < 0.2,
             std::to_string(*verdict.claim.measured).c_str());
    QCOMPARE(verdict.claim.verdict, ClaimVerdict::Holds);
    for (Block& block : blocks) {
        block.figures["queue_over_compute"].value = 0.1; // never crossed
    }
    const auto never = app::evaluate(experiment, blocks);
    QVERIFY(!never.claim.measured);
    QCOMPARE(never.claim.verdict, ClaimVerdict::NotResolved);
}

void TstExperimentVerdict::brokenBlocksAreLeftOut() {
    const Experiment experiment = pairOf("ttft_p50_ms", 8);
    std::vector<Block> blocks;
    for (int number = 0; number < 8; ++number) {
        blocks.push_back(blockOf(number, 2, {{"ttft_p50_ms", {100.0, 50}}}));
    }
    blocks[7].isWhole = false;
    blocks[4].side = 99; // of a file that was tampered with
    const auto verdict = app::evaluate(experiment, blocks);
    QCOMPARE(verdict.wholeRounds, 2);
    const auto nothing = app::evaluate(experiment, {});
    QCOMPARE(nothing.claim.verdict, ClaimVerdict::NotRun);
    QVERIFY(nothing.measures.empty());
    for (const Block& block : blocks) {
        const auto again = app::blockOfJson(app::blockJson(block));
        QVERIFY(again && *again == block);
    }
    QVERIFY(!app::blockOfJson("{\"number\": 1}"));
    QVERIFY(!app::blockOfJson("no json"));
}

void TstExperimentVerdict::modelledSharesHaveNoVerdict() {
    Experiment experiment = pairOf("share_weights_percent", 4);
    experiment.sides.resize(1);
    experiment.statistic = app::Statistic::Level;
    experiment.claim = {.kind = app::ClaimKind::About, .value = 35};
    std::vector<Block> blocks;
    for (int number = 0; number < 4; ++number) {
        blocks.push_back(blockOf(number, 1, {{"share_weights_percent", {35.0 + 0.1 * number, 9}}}));
    }
    QCOMPARE(app::evaluate(experiment, blocks).claim.verdict, ClaimVerdict::Modelled);
}

void TstExperimentVerdict::stopRuleNeedsANarrowInterval() {
    Experiment experiment = pairOf("ttft_p50_ms", 100);
    experiment.stopAt = 0.05;
    std::vector<Block> blocks;
    for (int number = 0; number < 6; ++number) {
        blocks.push_back(blockOf(number, 2, {{"ttft_p50_ms", {number % 2 ? 50.0 : 100.0, 50}}}));
    }
    QVERIFY(!app::mayStop(experiment, app::evaluate(experiment, blocks))); // three rounds
    blocks.push_back(blockOf(6, 2, {{"ttft_p50_ms", {100.0, 50}}}));
    blocks.push_back(blockOf(7, 2, {{"ttft_p50_ms", {51.0, 50}}}));
    QVERIFY(app::mayStop(experiment, app::evaluate(experiment, blocks)));
    blocks.back().figures["ttft_p50_ms"].value = 90.0;
    QVERIFY(!app::mayStop(experiment, app::evaluate(experiment, blocks)));
}

QTEST_APPLESS_MAIN(TstExperimentVerdict)
#include "tst_experiment_verdict.moc"
