// Members of EngineConfig as the numbers that the field table reads and writes. Any thread.
#pragma once

#include "engine/config.h"

#include <cstdint>

namespace engine::field_access {

using Config = EngineConfig;

template <std::int64_t Config::*kMember>
std::int64_t getInteger(const Config& config) {
    return config.*kMember;
}

template <std::int64_t Config::*kMember>
void setInteger(Config& config, std::int64_t value) {
    config.*kMember = value;
}

template <auto kMember>
std::int64_t getChoice(const Config& config) {
    return static_cast<std::int64_t>(config.*kMember);
}

template <class Choice, Choice Config::*kMember>
void setChoice(Config& config, std::int64_t value) {
    config.*kMember = static_cast<Choice>(value);
}

template <bool Config::*kMember>
std::int64_t getSwitch(const Config& config) {
    return config.*kMember ? 1 : 0;
}

template <bool Config::*kMember>
void setSwitch(Config& config, std::int64_t value) {
    config.*kMember = value != 0;
}

} // namespace engine::field_access
