// The pictures of an experiment, as data for window and reports. Main thread (translations).
#pragma once

#include "app/experiment/claims.h"
#include "app/observe/history.h"
#include "app/plot/plot.h"

namespace app {

// The metric over the experiment, one point a second a side; drain and warm-up shaded, each block
// named with its mean. Output tokens where the metric is no rate and no latency.
Plot blockTimeline(const Experiment& experiment, const std::vector<Block>& blocks,
                   const History& history);
// Share of requests by TTFT, and of seconds by output: stepped outlines of the sides.
Plot ttftDistribution(const Experiment& experiment, const std::vector<Block>& blocks,
                      const History& history);
Plot outputDistribution(const Experiment& experiment, const std::vector<Block>& blocks,
                        const History& history);
// The metric over what is swept, with the means' intervals as a band.
Plot sweepPlot(const Experiment& experiment, const ExperimentVerdict& verdict);

} // namespace app
