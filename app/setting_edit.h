// What editing a setting by hand needs beside the field table: the nearest value that would be
// accepted, sensible steps, and a configuration as command-line flags. Pure; any thread.
#pragma once

#include "engine/config.h"

#include <optional>
#include <string>

namespace app {

// The value nearest to `wanted` that validates with the rest of `current`; empty where none does
// or `wanted` itself would be accepted. Assumes that between a refused value and the value in
// `current`, which is valid, lies one bound.
std::optional<std::int64_t> nearestAllowed(const engine::Field& field,
                                           const engine::EngineConfig& current,
                                           std::int64_t wanted);
// `value` some steps up or down within the field's limits. Small values move by one, larger ones by
// an eighth of their power of two, on multiples of that.
std::int64_t stepped(const engine::Field& field, std::int64_t value, int steps);
// "--max-batch 8 --threads 2": the settings that are not at their default; may be empty.
std::string asFlags(const engine::EngineConfig& config);

} // namespace app
