// The rope of a config.json in its dialects, told as GGUF keys. Pure functions, any thread.
#pragma once

#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/hf_config_values.h"

#include <functional>
#include <vector>

namespace engine::hf {

// rope_parameters (new), or rope_theta with rope_scaling (old), as one object of the new kind.
nlohmann::json ropeOf(const nlohmann::json& config);

struct RopeContext {
    std::int64_t width = 0; // rotated elements of a head
    std::int64_t contextTokens = 0;
    std::optional<std::int64_t> originalTokens; // said beside the rope, not in it
};

// Tells base and scaling through `set`; returns the divisors of Llama 3's scaling, else nothing.
// Throws Failure for kinds of scaling that no graph here has.
std::vector<float>
tellRope(const Values& rope, const RopeContext& context,
         const std::function<void(std::string_view key, MetadataValue value)>& set);

} // namespace engine::hf
