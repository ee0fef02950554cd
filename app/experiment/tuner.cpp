#include "app/experiment/tuner.h"

#include "app/durations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace app {

namespace {

constexpr const char* kPrecision = "weights.precision";
constexpr double kWarmupSeconds = 1.0;
constexpr double kSwitchSeconds = 1.0; // about, beside warm-up: edit, drain, collect
constexpr double kLeastMeasured = 3.0;
constexpr int kLeastLast = 3; // candidates of the last round

bool hasPrecision() {
    return engine::findField(kPrecision) != nullptr;
}

Side candidate(const std::string& policy, int slots, int budget, const std::string& precision) {
    Side side;
    side.label = policy;
    side.settings = {{"batching.policy", policy}};
    if (policy != "single") {
        side.label += fmt::format(" {} / {}", slots, budget);
        side.settings.emplace_back("batching.max_batch", std::to_string(slots));
    }
    side.settings.emplace_back("batching.token_budget", std::to_string(budget));
    if (!precision.empty()) {
        side.label = precision + " " + side.label;
        side.settings.emplace_back(kPrecision, precision);
    }
    side.settings.emplace_back("workload.users", std::to_string(policy == "single" ? 1 : slots));
    return side;
}

std::vector<Side> candidates() {
    std::vector<std::string> precisions = {""};
    if (hasPrecision()) {
        precisions = {"fp16", "int8"};
    }
    std::vector<Side> sides;
    for (const std::string& precision : precisions) {
        sides.push_back(candidate("single", 1, 512, precision));
        for (const int slots : {2, 4, 8, 16, 32}) {
            for (const int budget : {64, 192, 512}) {
                sides.push_back(candidate("continuous", slots, budget, precision));
            }
        }
        for (const int slots : {4, 8, 16}) {
            sides.push_back(candidate("dynamic", slots, 512, precision));
        }
        sides.push_back(candidate("selective", 16, 512, precision));
    }
    return sides;
}

std::optional<double> figureOf(const Block& block, const char* key) {
    const auto found = block.figures.find(key);
    return found != block.figures.end() ? std::optional(found->second.value) : std::nullopt;
}

// What answered before what did not; then more requests within the limits; among equals, and where
// none is within, the faster.
bool isBetter(const Block& a, const Block& b) {
    const auto ttftA = figureOf(a, "ttft_p99_ms"), ttftB = figureOf(b, "ttft_p99_ms");
    if (ttftA.has_value() != ttftB.has_value()) {
        return ttftA.has_value();
    }
    const double goodA = figureOf(a, "goodput_per_s").value_or(0.0);
    const double goodB = figureOf(b, "goodput_per_s").value_or(0.0);
    return goodA != goodB ? goodA > goodB : ttftA && *ttftA < *ttftB;
}

std::string settingOf(const Side& side, const std::string& key) {
    const auto found = std::ranges::find(side.settings, key, [](const auto& s) { return s.first; });
    return found != side.settings.end() ? found->second : std::string();
}

// Converting weights takes as long as many a block: a round goes on with the precision that the one
// before ended with, and changes it once.
void orderByPrecision(std::vector<int>& sides, const std::vector<Side>& all, int last) {
    const auto precisionOf = [&all](int side) {
        const bool isThere = side >= 0 && side < static_cast<int>(all.size());
        return isThere ? settingOf(all[static_cast<std::size_t>(side)], kPrecision) : std::string();
    };
    std::ranges::stable_partition(
        sides, [&, present = precisionOf(last)](int side) { return precisionOf(side) == present; });
}

// The sides of a round: the best of the round before, in its order by precision.
std::vector<int> sidesOf(const TunerPlan& plan, const std::vector<Block>& blocks, int round) {
    std::vector<int> sides;
    if (round == 0) {
        for (int side = 0; side < static_cast<int>(plan.experiment.sides.size()); ++side) {
            sides.push_back(side);
        }
        return sides;
    }
    std::vector<const Block*> before;
    for (const Block& block : blocks) {
        if (block.round == round - 1 && block.isWhole) {
            before.push_back(&block);
        }
    }
    const int last = before.empty() ? -1 : before.back()->side;
    std::ranges::stable_sort(before,
                             [](const Block* a, const Block* b) { return isBetter(*a, *b); });
    const auto wanted =
        static_cast<std::size_t>(plan.rounds[static_cast<std::size_t>(round)].candidates);
    for (std::size_t i = 0; i < std::min(before.size(), wanted); ++i) {
        sides.push_back(before[i]->side);
    }
    orderByPrecision(sides, plan.experiment.sides, last);
    return sides;
}

// Whether two configurations differ in `key` and in nothing else but the clients that follow it.
bool differOnlyIn(const Side& a, const Side& b, const std::string& key) {
    for (const char* each :
         {"batching.policy", "batching.max_batch", "batching.token_budget", kPrecision}) {
        const bool isSame = settingOf(a, each) == settingOf(b, each);
        if ((key == each) == isSame) {
            return false;
        }
    }
    return true;
}

// Candidates of each round, the better half of the round before.
std::vector<int> roundCounts(std::size_t candidates) {
    std::vector<int> counts;
    for (auto count = static_cast<int>(candidates);;
         count = std::max(kLeastLast, (count + 1) / 2)) {
        counts.push_back(count);
        if (count <= kLeastLast) {
            return counts;
        }
    }
}

void planRounds(TunerPlan& plan, double seconds) {
    Experiment& experiment = plan.experiment;
    const std::vector<int> counts = roundCounts(experiment.sides.size());
    experiment.blocks = 0;
    for (const int count : counts) {
        const double share = seconds / static_cast<double>(counts.size()) / count;
        plan.rounds.push_back(
            {.candidates = count,
             .measureSeconds = std::max(kLeastMeasured, share - kWarmupSeconds - kSwitchSeconds)});
        experiment.blocks += count;
    }
    // The form of experiments asks for whole rounds; the schedule decides.
    const auto sides = static_cast<int>(experiment.sides.size());
    experiment.blocks = (experiment.blocks + sides - 1) / sides * sides;
    experiment.measureSeconds = plan.rounds.front().measureSeconds;
    experiment.workload.stages.front().seconds = experiment.blockSeconds();
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return quantile(values, 0.5).value_or(0.0);
}

void addEffects(const Experiment& experiment, TunerResult& result) {
    struct Pair {
        std::string from, to;
        std::vector<double> output, ttft;
    };
    for (const char* key :
         {kPrecision, "batching.policy", "batching.max_batch", "batching.token_budget"}) {
        std::vector<Pair> pairs;
        for (const TunerPoint& a : result.points) {
            for (const TunerPoint& b : result.points) {
                const Side& sideA = experiment.sides[static_cast<std::size_t>(a.side)];
                const Side& sideB = experiment.sides[static_cast<std::size_t>(b.side)];
                const bool isForward = a.side < b.side;
                const bool isMeasured = a.outputPerSecond > 0 && a.ttftP99Ms && *a.ttftP99Ms > 0 &&
                                        b.ttftP99Ms.has_value();
                if (!isForward || !isMeasured || !differOnlyIn(sideA, sideB, key)) {
                    continue;
                }
                const std::string from = settingOf(sideA, key), to = settingOf(sideB, key);
                auto place = std::ranges::find_if(
                    pairs, [&](const Pair& pair) { return pair.from == from && pair.to == to; });
                if (place == pairs.end()) {
                    pairs.push_back({.from = from, .to = to, .output = {}, .ttft = {}});
                    place = pairs.end() - 1;
                }
                place->output.push_back(b.outputPerSecond / a.outputPerSecond - 1);
                place->ttft.push_back(*b.ttftP99Ms / *a.ttftP99Ms - 1);
            }
        }
        for (Pair& pair : pairs) {
            const auto count = static_cast<int>(pair.output.size());
            result.effects.push_back({.field = key,
                                      .from = pair.from,
                                      .to = pair.to,
                                      .output = median(std::move(pair.output)),
                                      .ttftP99 = median(std::move(pair.ttft)),
                                      .pairs = count});
        }
    }
}

} // namespace

engine::Result<ServiceLimits> parseLimits(const std::vector<std::string>& texts) {
    ServiceLimits limits;
    for (const std::string& text : texts) {
        const auto equals = text.find('=');
        const std::string name = text.substr(0, equals);
        const auto seconds = equals == std::string::npos
                                 ? std::nullopt
                                 : parseDuration(std::string_view(text).substr(equals + 1));
        if (!seconds || *seconds <= 0 || (name != "ttft_p99" && name != "tpot_p99")) {
            return std::unexpected(engine::Error{
                engine::ErrorCode::Invalid,
                fmt::format("\"{}\" is no limit; write ttft_p99=300ms or tpot_p99=20ms.", text)});
        }
        (name == "ttft_p99" ? limits.ttftP99Ms : limits.tpotP99Ms) = *seconds * 1000;
    }
    return limits;
}

engine::Result<TunerPlan> planTuner(double minutes, const std::optional<Workload>& workload) {
    TunerPlan plan;
    Experiment& experiment = plan.experiment;
    experiment.name = "tuner";
    experiment.title = "Tuner";
    experiment.metric = "goodput_per_s";
    experiment.statistic = Statistic::Level;
    experiment.warmupSeconds = kWarmupSeconds;
    experiment.drainSeconds = 20.0;
    auto chosen = workload ? engine::Result<Workload>(*workload) : loadWorkload("chat");
    if (!chosen) {
        return std::unexpected(chosen.error());
    }
    if (chosen->stages.size() != 1) {
        return std::unexpected(engine::Error{
            engine::ErrorCode::Invalid,
            fmt::format("The workload {} has {} stages; the tuner takes one of a single stage.",
                        chosen->name, chosen->stages.size())});
    }
    experiment.workload = *chosen;
    experiment.workload.settings.emplace_back("kv.prefix_cache", "off");
    experiment.sides = candidates();
    const double seconds = minutes * 60;
    const double each = kWarmupSeconds + kSwitchSeconds + kLeastMeasured;
    const auto leastSeconds = [&experiment, each] {
        const std::vector<int> counts = roundCounts(experiment.sides.size());
        return each * std::accumulate(counts.begin(), counts.end(), 0.0);
    };
    // Every second candidate goes where the time is short; the ends of each range stay.
    while (leastSeconds() > seconds && experiment.sides.size() > 4) {
        std::vector<Side> fewer;
        for (std::size_t i = 0; i < experiment.sides.size(); i += 2) {
            fewer.push_back(experiment.sides[i]);
        }
        experiment.sides = std::move(fewer);
    }
    planRounds(plan, seconds);
    return plan;
}

TunerPlan resumedPlan(Experiment experiment, double minutes) {
    TunerPlan plan{.experiment = std::move(experiment), .rounds = {}};
    planRounds(plan, minutes * 60);
    return plan;
}

BlockSchedule tunerSchedule(const TunerPlan& plan, std::vector<Block> before) {
    return [plan, before = std::move(before)](
               const std::vector<Block>& blocks) -> std::optional<NextBlock> {
        std::vector<Block> all = before;
        all.insert(all.end(), blocks.begin(), blocks.end());
        for (int round = 0; round < static_cast<int>(plan.rounds.size()); ++round) {
            for (const int side : sidesOf(plan, all, round)) {
                const bool isDone = std::ranges::any_of(all, [&](const Block& block) {
                    return block.round == round && block.side == side;
                });
                if (!isDone) {
                    return NextBlock{
                        .side = side,
                        .round = round,
                        .measureSeconds =
                            plan.rounds[static_cast<std::size_t>(round)].measureSeconds};
                }
            }
        }
        return std::nullopt;
    };
}

TunerResult tunerResult(const Experiment& experiment, const std::vector<Block>& blocks,
                        const ServiceLimits& limits) {
    std::map<int, const Block*> newest;
    for (const Block& block : blocks) {
        const bool isValid = block.isWhole && block.side >= 0 &&
                             static_cast<std::size_t>(block.side) < experiment.sides.size();
        if (isValid && (!newest.contains(block.side) || newest[block.side]->round <= block.round)) {
            newest[block.side] = &block;
        }
    }
    TunerResult result;
    std::vector<const Block*> order;
    for (const auto& [side, block] : newest) {
        order.push_back(block);
    }
    std::ranges::stable_sort(order,
                             [](const Block* a, const Block* b) { return isBetter(*a, *b); });
    for (const Block* block : order) {
        const auto requests = block->figures.find("ttft_p99_ms");
        TunerPoint point{.side = block->side,
                         .round = block->round,
                         .ttftP99Ms = figureOf(*block, "ttft_p99_ms"),
                         .tpotP99Ms = figureOf(*block, "tpot_p99_ms"),
                         .outputPerSecond = figureOf(*block, "output_tokens_per_s").value_or(0.0),
                         .goodputPerSecond = figureOf(*block, "goodput_per_s").value_or(0.0),
                         .n = requests != block->figures.end() ? requests->second.n : 0};
        point.meetsLimits =
            point.n > 0 && point.ttftP99Ms &&
            (!limits.ttftP99Ms || *point.ttftP99Ms <= *limits.ttftP99Ms) &&
            (!limits.tpotP99Ms || !point.tpotP99Ms || *point.tpotP99Ms <= *limits.tpotP99Ms);
        result.points.push_back(point);
    }
    const SettingTexts rule = ruleFor(limits).settings;
    for (std::size_t i = 0; i < result.points.size(); ++i) {
        TunerPoint& point = result.points[i];
        point.isOnFront =
            point.ttftP99Ms && std::ranges::none_of(result.points, [&](const TunerPoint& other) {
                return other.ttftP99Ms && *other.ttftP99Ms <= *point.ttftP99Ms &&
                       other.outputPerSecond >= point.outputPerSecond &&
                       (*other.ttftP99Ms < *point.ttftP99Ms ||
                        other.outputPerSecond > point.outputPerSecond);
            });
        if (point.meetsLimits && !result.optimum) {
            result.optimum = static_cast<int>(i);
        }
        const Side& side = experiment.sides[static_cast<std::size_t>(point.side)];
        const bool isRule = std::ranges::all_of(rule, [&](const auto& setting) {
            return settingOf(side, setting.first) == setting.second;
        });
        if (isRule && !result.ruleChoice) {
            result.ruleChoice = static_cast<int>(i);
        }
    }
    addEffects(experiment, result);
    return result;
}

Experiment tunerProof(const Experiment& search, const SettingTexts& chosen,
                      const SettingTexts& inForce) {
    Experiment proof;
    proof.name = "proof";
    proof.metric = "goodput_per_s";
    proof.statistic = Statistic::Change;
    proof.warmupSeconds = 3.0;
    proof.drainSeconds = search.drainSeconds;
    proof.workload = search.workload;
    Stage& stage = proof.workload.stages.front();
    const auto side = std::ranges::find_if(search.sides, [&](const Side& each) {
        return std::ranges::all_of(chosen, [&](const auto& setting) {
            return settingOf(each, setting.first) == setting.second;
        });
    });
    if (side != search.sides.end() && stage.kind == ArrivalKind::Closed) {
        const std::string users = settingOf(*side, "workload.users");
        stage.users = users.empty() ? stage.users : std::stoi(users);
    }
    // A workload's own settings hold on both sides; what varies is told by the sides alone.
    std::erase_if(proof.workload.settings, [&](const auto& setting) {
        return std::ranges::any_of(chosen,
                                   [&](const auto& other) { return other.first == setting.first; });
    });
    proof.sides = {{.label = "A", .settings = inForce}, {.label = "B", .settings = chosen}};
    stage.seconds = proof.blockSeconds();
    return proof;
}

Advice ruleFor(const ServiceLimits& limits) {
    Advice advice;
    advice.isRealtime = limits.ttftP99Ms && *limits.ttftP99Ms < kRealtimeBelowMs;
    advice.settings = {{"batching.policy", advice.isRealtime ? "single" : "dynamic"}};
    if (hasPrecision()) {
        advice.settings.emplace_back(kPrecision, advice.isRealtime ? "int8" : "fp16");
    }
    return advice;
}

} // namespace app
