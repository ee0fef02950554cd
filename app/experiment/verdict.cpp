#include "app/experiment/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace app {

namespace {

// A little below 5 %, so that an experiment of a side with itself says "not resolved" in 95 of 100
// cases also where blocks are few and skewed.
constexpr double kFamilyError = 0.04;

double meanOf(std::span<const double> values) {
    return std::reduce(values.begin(), values.end()) / static_cast<double>(values.size());
}

// Blocks by round, each whole and with the metric on every side.
struct Round {
    std::vector<const Block*> sides;
    bool isMarked = false;
};

std::vector<Round> roundsOf(const Experiment& experiment, const std::vector<Block>& blocks) {
    std::map<int, Round> byRound;
    for (const Block& block : blocks) {
        const auto side = static_cast<std::size_t>(block.side);
        if (!block.isWhole || side >= experiment.sides.size()) {
            continue;
        }
        Round& round = byRound[block.round];
        round.sides.resize(experiment.sides.size(), nullptr);
        round.sides[side] = &block;
        round.isMarked = round.isMarked || !block.contamination.empty();
    }
    std::vector<Round> rounds;
    for (auto& [number, round] : byRound) {
        if (std::ranges::none_of(round.sides,
                                 [](const Block* block) { return block == nullptr; })) {
            rounds.push_back(std::move(round));
        }
    }
    return rounds;
}

std::optional<double> figure(const Block* block, const std::string& metric) {
    const auto found = block->figures.find(metric);
    return found != block->figures.end() ? std::optional(found->second.value) : std::nullopt;
}

std::int64_t countOf(const Block* block, const std::string& metric) {
    const auto found = block->figures.find(metric);
    return found != block->figures.end() ? found->second.n : 0;
}

// Least squares slope of the metric over x.
std::optional<double> slopeOf(const std::vector<std::pair<double, double>>& points) {
    double x = 0, y = 0;
    for (const auto& [px, py] : points) {
        x += px / static_cast<double>(points.size());
        y += py / static_cast<double>(points.size());
    }
    double xx = 0, xy = 0;
    for (const auto& [px, py] : points) {
        xx += (px - x) * (px - x);
        xy += (px - x) * (py - y);
    }
    return points.size() >= 2 && xx > 0 ? std::optional(xy / xx) : std::nullopt;
}

// Where the values pass 1, between levels by the logarithm of the value; empty where they don't.
std::optional<double> crossingOf(const std::vector<std::pair<double, double>>& points) {
    for (std::size_t i = 1; i < points.size(); ++i) {
        const auto [x0, y0] = points[i - 1];
        const auto [x1, y1] = points[i];
        if (y0 < 1 && y1 >= 1) {
            if (y0 <= 0) {
                return x0 + (x1 - x0) * (1 - y0) / (y1 - y0);
            }
            return x0 + (x1 - x0) * std::log(1 / y0) / std::log(y1 / y0);
        }
    }
    return std::nullopt;
}

std::vector<std::pair<double, double>> pointsOf(const Experiment& experiment, const Round& round) {
    std::vector<std::pair<double, double>> points;
    for (std::size_t i = 0; i < round.sides.size(); ++i) {
        if (const auto value = figure(round.sides[i], experiment.metric)) {
            double x = experiment.sides[i].x;
            // Prompts come out somewhat longer than the workload asks; a slope is over real tokens.
            if (experiment.sweepKey == "workload.prompt") {
                x = figure(round.sides[i], "prompt_tokens_mean").value_or(x) / 1000;
            } else if (experiment.sweepKey == "workload.rate") {
                x = figure(round.sides[i], "wanted_rate").value_or(x); // a share of the capacity
            }
            points.emplace_back(x, *value);
        }
    }
    return points;
}

// The number of one round whose mean is claimed. Change and Ratio are logarithms here.
std::optional<double> statisticOf(const Experiment& experiment, const Round& round) {
    const auto a = figure(round.sides.front(), experiment.metric);
    const auto b = figure(round.sides.back(), experiment.metric);
    switch (experiment.statistic) {
    case Statistic::Change:
    case Statistic::Ratio:
        return a && b && *a > 0 && *b > 0 ? std::optional(std::log(*b / *a)) : std::nullopt;
    case Statistic::Difference:
        return a && b ? std::optional(*b - *a) : std::nullopt;
    case Statistic::Level:
        return a;
    case Statistic::Slope:
        return slopeOf(pointsOf(experiment, round));
    case Statistic::Crossing:
        return crossingOf(pointsOf(experiment, round));
    case Statistic::Best:
        break;
    }
    return std::nullopt;
}

double shown(Statistic statistic, double value) {
    return statistic == Statistic::Change  ? 100 * std::expm1(value)
           : statistic == Statistic::Ratio ? std::exp(value)
                                           : value;
}

std::vector<double> statistics(const Experiment& experiment, const std::vector<Round>& rounds,
                               bool withMarked) {
    std::vector<double> values;
    for (const Round& round : rounds) {
        if (withMarked || !round.isMarked) {
            if (const auto value = statisticOf(experiment, round)) {
                values.push_back(*value);
            }
        }
    }
    return values;
}

// The best level, and every level that can't be told from it: the claim is about these.
void judgeBest(const Experiment& experiment, const std::vector<Round>& rounds,
               const std::vector<Level>& levels, ClaimResult& claim) {
    const Measure* measure = findExperimentMeasure(experiment.metric);
    const double sign = measure != nullptr && measure->better == Better::Higher ? 1 : -1;
    std::size_t best = levels.size();
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const bool isBetter =
            levels[i].mean &&
            (best == levels.size() || sign * *levels[i].mean > sign * *levels[best].mean);
        best = isBetter ? i : best;
    }
    if (best == levels.size()) {
        claim.verdict = ClaimVerdict::NotResolved;
        return;
    }
    claim.measured = levels[best].x;
    Interval range{levels[best].x, levels[best].x};
    bool isEnough = true;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        std::vector<double> differences;
        for (const Round& round : rounds) {
            const auto here = figure(round.sides[i], experiment.metric);
            const auto there = figure(round.sides[best], experiment.metric);
            if (here && there) {
                differences.push_back(sign * (*there - *here));
            }
        }
        const auto interval = i == best ? std::nullopt : pairedInterval(differences);
        isEnough = isEnough && (i == best || interval);
        if (interval && interval->low <= 0) {
            range.low = std::min(range.low, levels[i].x);
            range.high = std::max(range.high, levels[i].x);
        }
    }
    if (isEnough) {
        claim.interval = range;
    }
}

void judgeClaimed(const Experiment& experiment, const std::vector<Round>& rounds,
                  ExperimentVerdict& verdict) {
    ClaimResult& claim = verdict.claim;
    if (experiment.statistic == Statistic::Best) {
        judgeBest(experiment, rounds, verdict.levels, claim);
    } else {
        const auto values = statistics(experiment, rounds, true);
        if (!values.empty()) {
            claim.measured = shown(experiment.statistic, meanOf(values));
        }
        if (const auto interval = pairedInterval(values)) {
            claim.interval = Interval{shown(experiment.statistic, interval->low),
                                      shown(experiment.statistic, interval->high)};
        }
        const auto clean = statistics(experiment, rounds, false);
        if (!clean.empty() && clean.size() < values.size()) {
            claim.withoutMarked = shown(experiment.statistic, meanOf(clean));
        }
        const bool isFew = values.size() < static_cast<std::size_t>(kLeastRounds);
        const auto sides = static_cast<int>(experiment.sides.size());
        claim.moreBlocks =
            isFew ? std::optional((kLeastRounds - static_cast<int>(values.size())) * sides)
                  : std::nullopt;
    }
    for (const Round& round : rounds) {
        for (const Block* block : round.sides) {
            claim.n += countOf(block, experiment.metric);
        }
    }
    const bool isModelled = experiment.metric == "share_weights_percent" ||
                            experiment.metric == "share_compute_percent";
    claim.verdict =
        isModelled ? ClaimVerdict::Modelled : judgeClaim(experiment.claim, claim.interval);
    if (rounds.empty()) {
        claim.verdict = ClaimVerdict::NotRun;
    }
}

MeasureVerdict compareSides(const Measure& measure, const std::vector<Round>& rounds,
                            std::vector<double>& differences) {
    MeasureVerdict row{
        .metric = std::string(measure.key), .interval = {}, .p = {}, .moreBlocks = {}};
    std::vector<double> a, b;
    for (const Round& round : rounds) {
        const auto ofA = figure(round.sides[0], row.metric);
        const auto ofB = figure(round.sides[1], row.metric);
        if (!ofA || !ofB) {
            continue;
        }
        a.push_back(*ofA);
        b.push_back(*ofB);
        differences.push_back(*ofB - *ofA);
        const std::int64_t nA = countOf(round.sides[0], row.metric);
        const std::int64_t nB = countOf(round.sides[1], row.metric);
        row.nA += nA;
        row.nB += nB;
        row.isThin =
            row.isThin || (measure.quantile > 0 && std::min(nA, nB) < leastCount(measure.quantile));
    }
    if (!a.empty()) {
        row.a = meanOf(a);
        row.b = meanOf(b);
        row.difference = row.b - row.a;
    }
    row.interval = pairedInterval(differences);
    row.p = pairedP(differences);
    return row;
}

void compareMeasures(const Experiment& experiment, const std::vector<Round>& rounds,
                     ExperimentVerdict& verdict) {
    std::vector<double> p;
    std::vector<std::size_t> places;
    for (const Measure& measure : experimentMeasures()) {
        const bool isMain = findMeasure(measure.key) != nullptr;
        if (!isMain && measure.key != experiment.metric) {
            continue;
        }
        std::vector<double> differences;
        MeasureVerdict row = compareSides(measure, rounds, differences);
        if (differences.empty()) {
            continue;
        }
        if (row.p) {
            p.push_back(*row.p);
            places.push_back(verdict.measures.size());
        }
        const auto more = morePairs(differences);
        row.moreBlocks = more ? std::optional(2 * *more) : std::nullopt;
        verdict.measures.push_back(std::move(row));
    }
    const std::vector<double> adjusted = holm(p);
    for (std::size_t i = 0; i < places.size(); ++i) {
        verdict.measures[places[i]].p = adjusted[i];
    }
    for (MeasureVerdict& row : verdict.measures) {
        const Measure& measure = *findExperimentMeasure(row.metric);
        row.verdict = judge(measure, row.a, row.interval);
        const bool isDirected = row.verdict == Verdict::Better || row.verdict == Verdict::Worse;
        if (isDirected && (!row.p || *row.p > kFamilyError)) {
            row.verdict = Verdict::NotResolved; // one of many measures may differ by chance
        }
        if (row.verdict != Verdict::NotResolved) {
            row.moreBlocks.reset();
        }
    }
}

void describeLevels(const Experiment& experiment, const std::vector<Round>& rounds,
                    ExperimentVerdict& verdict) {
    for (std::size_t i = 0; i < experiment.sides.size(); ++i) {
        Level level{.label = experiment.sides[i].label,
                    .x = experiment.sides[i].x,
                    .mean = {},
                    .interval = {}};
        std::vector<double> values;
        for (const Round& round : rounds) {
            if (const auto value = figure(round.sides[i], experiment.metric)) {
                values.push_back(*value);
                level.n += countOf(round.sides[i], experiment.metric);
            }
        }
        if (!values.empty()) {
            level.mean = meanOf(values);
        }
        level.interval = pairedInterval(values);
        verdict.levels.push_back(std::move(level));
    }
}

// A line through side A's blocks over the rounds, first to last.
std::optional<double> driftOf(const Experiment& experiment, const std::vector<Round>& rounds) {
    std::vector<std::pair<double, double>> points;
    for (const Round& round : rounds) {
        if (const auto value = figure(round.sides.front(), experiment.metric)) {
            points.emplace_back(static_cast<double>(points.size()), *value);
        }
    }
    double mean = 0;
    for (const auto& [x, y] : points) {
        mean += y / static_cast<double>(points.size());
    }
    const auto slope = slopeOf(points);
    return slope && points.size() >= 3 && mean != 0
               ? std::optional(100 * *slope * static_cast<double>(points.size() - 1) / mean)
               : std::nullopt;
}

} // namespace

ExperimentVerdict evaluate(const Experiment& experiment, const std::vector<Block>& blocks) {
    ExperimentVerdict verdict;
    const std::vector<Round> rounds = roundsOf(experiment, blocks);
    verdict.wholeRounds = static_cast<int>(rounds.size());
    verdict.markedBlocks = static_cast<int>(std::ranges::count_if(
        blocks, [](const Block& block) { return !block.contamination.empty(); }));
    const bool isPair = experiment.sweepKey.empty() && experiment.sides.size() == 2;
    if (isPair) {
        compareMeasures(experiment, rounds, verdict);
    }
    describeLevels(experiment, rounds, verdict);
    judgeClaimed(experiment, rounds, verdict);
    verdict.drift = driftOf(experiment, rounds);
    return verdict;
}

} // namespace app
