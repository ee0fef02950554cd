// Going on after blocks that another run measured. See experiment_run.h.
#include "app/experiment/experiment_run.h"

namespace app {

void ExperimentRun::continueAfter(std::vector<Block> earlier, std::optional<double> rateFactor) {
    while (!earlier.empty() && !earlier.back().isWhole) {
        earlier.pop_back(); // cut short: its turn comes again
    }
    const double end = earlier.empty() ? 0.0 : earlier.back().end;
    for (Block& block : earlier) {
        for (double* time : {&block.begin, &block.from, &block.to, &block.end}) {
            *time -= end;
        }
    }
    m_blocks = std::move(earlier);
    m_next = static_cast<int>(m_blocks.size());
    m_rateFactor = rateFactor.value_or(m_rateFactor);
    m_isRateKnown = rateFactor.has_value();
}

std::optional<double> ExperimentRun::rateFactor() const {
    return m_isRateKnown ? std::optional(m_rateFactor) : std::nullopt;
}

void ExperimentRun::recordBlock(const Block& block) {
    m_session.recordBlock({.number = block.number,
                           .fromNs = static_cast<std::int64_t>(block.from * 1e9),
                           .toNs = static_cast<std::int64_t>(block.to * 1e9),
                           .json = blockJson(block)});
}

} // namespace app
