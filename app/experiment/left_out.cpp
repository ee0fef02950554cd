#include "app/experiment/left_out.h"

#include "app/experiment/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace app {

namespace {

constexpr std::array<std::string_view, 5> kNames = {"cut", "not_measured", "no_figure",
                                                    "no_statistic", "not_begun"};

std::optional<LeftOutRounds> leftOut(const Experiment& experiment, int round,
                                     const std::vector<Block>& blocks) {
    const auto because = [round](LeftOutReason reason, int side) {
        return LeftOutRounds{.first = round, .last = round, .reason = reason, .side = side};
    };
    const auto sides = static_cast<int>(experiment.sides.size());
    std::vector<const Block*> ofSides(experiment.sides.size(), nullptr);
    for (const Block& block : blocks) {
        if (block.side < 0 || block.side >= sides) {
            continue;
        }
        const Block*& known = ofSides[static_cast<std::size_t>(block.side)];
        known = known == nullptr || block.isWhole ? &block : known;
    }
    for (int side = 0; side < sides; ++side) {
        const Block* block = ofSides[static_cast<std::size_t>(side)];
        if (block == nullptr || !block->isWhole) {
            return because(block == nullptr ? LeftOutReason::NotMeasured : LeftOutReason::Cut,
                           side);
        }
    }
    if (evaluate(experiment, blocks).claim.measured) {
        return std::nullopt;
    }
    for (int side = 0; side < sides; ++side) {
        if (!ofSides[static_cast<std::size_t>(side)]->figures.contains(experiment.metric)) {
            return because(LeftOutReason::NoFigure, side);
        }
    }
    return because(LeftOutReason::NoStatistic, -1);
}

} // namespace

std::string_view name(LeftOutReason reason) {
    return kNames[static_cast<std::size_t>(reason)];
}

std::vector<LeftOutRounds> leftOutRounds(const Experiment& experiment,
                                         const std::vector<Block>& blocks) {
    std::map<int, std::vector<Block>> byRound;
    for (const Block& block : blocks) {
        byRound[block.round].push_back(block);
    }
    std::vector<LeftOutRounds> list;
    int next = 0;
    const auto notBegunUntil = [&](int round) { // a damaged round number is no plan
        round = std::min(round, experiment.rounds());
        if (next < round) {
            list.push_back(
                {.first = next, .last = round - 1, .reason = LeftOutReason::NotBegun, .side = -1});
        }
        next = std::max(next, round);
    };
    for (const auto& [round, ofRound] : byRound) {
        notBegunUntil(round);
        if (const auto rounds = leftOut(experiment, round, ofRound)) {
            list.push_back(*rounds);
        }
        next = round + 1;
    }
    notBegunUntil(experiment.rounds());
    return list;
}

const LeftOutRounds* leftOutOf(const std::vector<LeftOutRounds>& list, const Block& block) {
    const auto found = std::ranges::find_if(list, [&block](const LeftOutRounds& rounds) {
        return rounds.first <= block.round && block.round <= rounds.last;
    });
    return found != list.end() ? &*found : nullptr;
}

std::string blockLabel(const Experiment& experiment, const LeftOutRounds& rounds) {
    return rounds.side < 0 ? std::string()
                           : blockLabel(experiment, Block{.round = rounds.first,
                                                          .side = rounds.side,
                                                          .figures = {},
                                                          .contamination = {}});
}

std::string leftOutText(const Experiment& experiment, const LeftOutRounds& rounds) {
    const std::string label = blockLabel(experiment, rounds);
    switch (rounds.reason) {
    case LeftOutReason::Cut:
        return fmt::format("block {} was cut short", label);
    case LeftOutReason::NotMeasured:
        return fmt::format("block {} was not measured", label);
    case LeftOutReason::NoFigure:
        return fmt::format("block {} has no {}", label, experiment.metric);
    case LeftOutReason::NoStatistic:
        return fmt::format("its {} make no {}", experiment.metric, name(experiment.statistic));
    case LeftOutReason::NotBegun:
        break;
    }
    return "not begun, the experiment ended before";
}

} // namespace app
