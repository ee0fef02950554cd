// What recorded runs say beside the rule: which of them served most within the limits, and which
// ran with the settings of a rule. Pure; any thread.
#pragma once

#include "app/experiment/tuner.h"
#include "app/store/run_store.h"

#include <optional>
#include <vector>

namespace app {

bool isWithin(const RunSummary& run, const ServiceLimits& limits);
// The run that served most requests a second within the limits, of those with enough requests to
// say so.
std::optional<RunSummary> bestRecorded(const std::vector<RunSummary>& runs,
                                       const ServiceLimits& limits);
// The newest run in which these settings were in effect to the end.
std::optional<RunSummary> recordedWith(const std::vector<RunSummary>& runs,
                                       const SettingTexts& settings);
// The settings in effect at a run's end that can be switched live and change how it serves: what
// the tuner searches over.
SettingTexts servingSettings(const RunSummary& run);

} // namespace app
