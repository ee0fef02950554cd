// What was asked and what is in force, field by field. Pure; any thread.
#pragma once

#include "engine/config.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace engine {

struct ConfigInForce {
    EngineConfig applied;   // the requested values in force, automatic ones still as 0
    EngineConfig effective; // what the last step used
    // Fields whose requested value could not be had, with the reason.
    std::map<std::string_view, std::string> refused;
    // Why others are in force with another value than was asked for, where 0 is not automatic.
    std::map<std::string_view, std::string> reasons;
    std::vector<WeightGroupStatus> weights;
    std::uint64_t consideredVersion = 0; // of the requested value that refusals speak of
    std::uint64_t version = 0;           // grows with every change of this
};

// `requested` has the box's version `requestedVersion`; `waiting` sequences must end before a
// Drained field can change.
ConfigStatus overlay(const EngineConfig& requested, std::uint64_t requestedVersion,
                     const ConfigInForce& inForce, std::int64_t waiting);

} // namespace engine
