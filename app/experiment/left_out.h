// Rounds of an experiment that its claim is not made of, and why. Pure; any thread.
#pragma once

#include "app/experiment/block.h"

#include <string>
#include <string_view>
#include <vector>

namespace app {

// Cut: a block was not measured for its full time. NotMeasured: a side has no block. NoFigure: a
// block has nothing that the claim's metric could be made of. NoStatistic: the figures are there,
// but the claimed number can't be made of them (a ratio to 0). NotBegun: the experiment ended
// before.
enum class LeftOutReason : std::uint8_t { Cut, NotMeasured, NoFigure, NoStatistic, NotBegun };
std::string_view name(LeftOutReason reason); // "cut", "not_measured" ...

struct LeftOutRounds {
    int first = 0, last = 0; // from 0; one round but for NotBegun
    LeftOutReason reason = LeftOutReason::Cut;
    int side = -1; // of Cut, NotMeasured and NoFigure: the first such one
    bool operator==(const LeftOutRounds&) const = default;
};
// In the order of the rounds.
std::vector<LeftOutRounds> leftOutRounds(const Experiment& experiment,
                                         const std::vector<Block>& blocks);
// Why a block's round is not in the claim; null where it is.
const LeftOutRounds* leftOutOf(const std::vector<LeftOutRounds>& list, const Block& block);
// The label of the block that it is about; empty where it is about none.
std::string blockLabel(const Experiment& experiment, const LeftOutRounds& rounds);
// One sentence; English.
std::string leftOutText(const Experiment& experiment, const LeftOutRounds& rounds);

} // namespace app
