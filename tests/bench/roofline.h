// What a model asks of the machine, beside what that can do at most: a share of the roofline.
#pragma once

#include "kernels/ceilings.h"

#include <cstdint>
#include <filesystem>

namespace bench {

// Matrices of a model file, from its tensor table.
struct Demand {
    std::uint64_t layerElements = 0; // multiplied for every token
    std::uint64_t headElements = 0;  // multiplied for every row of logits
    std::uint64_t layerBytes = 0;    // read by every step
    std::uint64_t headBytes = 0;
};
// Throws std::runtime_error with the reason when the file can't be opened.
Demand demandOf(const std::filesystem::path& model);

// The tokens a second that the machine allows where each of `tokens` rows is multiplied by all
// layers and `logitRows` of them by the head too, in one step: the slower of memory and products.
// Attention is not counted. 0 where the machine's products are unknown.
double mostTokensPerSecond(const kernels::Ceilings& machine, const Demand& demand, double tokens,
                           double logitRows);

} // namespace bench
