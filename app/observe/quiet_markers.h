// Markers of what the engine does by itself, many times within seconds: one for all of them,
// without a number, so that what people did keeps its own. Pure; any thread.
#pragma once

#include "app/observe/history.h"

#include <string_view>
#include <vector>

namespace app {

// Kinds of the notices that stand for a burst: {count, seconds}.
inline constexpr std::string_view kPreemptionBurst = "preemption_burst";
inline constexpr std::string_view kColdStart = "cold_start";

// Counts one more at its time: in the burst that it belongs to, or in a new one. Numbers of such
// markers are negative: they have a line on the charts and no pin.
void addToBurst(std::vector<HistoryMarker>& markers, std::string_view kind, double seconds);

} // namespace app
