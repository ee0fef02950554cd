// What a level of degradation makes of a configuration, and the list of it for people. Pure.
#pragma once

#include "engine/serving.h"

namespace engine {

// effective = underLevel(level, requested). `weightBits` of the weights in use decides whether they
// are light already.
EngineConfig underLevel(int level, const EngineConfig& requested, int weightBits);

// Bits of a weight: of the precision's value, or of the file's format where that decides.
int weightBitsOf(const EngineConfig& config, std::string_view fileFormat);

// The lines of all levels. `status` is the engine's own; its requested values are those under the
// level in force.
std::vector<LevelAction> levelActions(int level, const EngineConfig& requested,
                                      const ConfigStatus& status, std::string_view fileFormat,
                                      const LightModelStatus& light, const WeightsAhead& ahead);

// The engine's status with the operator's requested values: fields that the level holds say so.
ConfigStatus heldStatus(int level, const EngineConfig& requested, ConfigStatus status,
                        int weightBits);

} // namespace engine
