// Frequencies of rotary positions from a model's keys: plain, linear, Llama 3 and YaRN scaling.
#pragma once

#include "engine/model/hyper_parameters.h"
#include "engine/model/weights.h"
#include "kernels/ops.h"

#include <cstdint>

namespace engine {

// base^(-2i/width), scaled as rope.scaling.* and the tensor rope_freqs.weight say. The magnitude of
// YaRN is in the result. width: rope.dimension_count, else `headDim`. Throws for kinds of scaling
// that are not known.
kernels::RopeSpec readRope(const HyperParameters& parameters, WeightLoader& loader,
                           std::int64_t headDim, kernels::RopePairing pairing);

// Without any scaling.
kernels::RopeSpec plainRope(double base, std::int64_t width, kernels::RopePairing pairing);

// What YaRN multiplies attention scores with, over what it does to the rotated elements: 1 without
// YaRN or where the model's keys do not ask for it. DeepSeek.
double yarnScoreFactor(const HyperParameters& parameters);

} // namespace engine
