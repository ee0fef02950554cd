// What this machine can do at most, and what a model asks of it: the two sides of a share of the
// roofline. One thread; measuring uses the pool's.
#pragma once

#include "kernels/thread_pool.h"

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace bench {

struct Machine {
    double readBytesPerSecond = 0.0; // all threads, far more memory than their own caches
    double productsPerSecond = 0.0;  // multiplications and additions of INT8, registers only
};

// isa: as kernels::makeCpuOps takes it; products are 0 (no share is told) for "scalar".
Machine measureMachine(kernels::ThreadPool& pool, std::string_view isa);

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
double mostTokensPerSecond(const Machine& machine, const Demand& demand, double tokens,
                           double logitRows);

} // namespace bench
