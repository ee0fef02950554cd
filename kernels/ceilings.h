// The most that this machine can do: what a share of the roofline is a share of. Measured when
// asked for, in registers and in memory far larger than a core's own caches. One thread; measuring
// uses the pool's.
#pragma once

#include "kernels/thread_pool.h"

#include <optional>
#include <string_view>

namespace kernels {

// Of all the pool's threads together, the best of several rounds.
struct Ceilings {
    double readBytesPerSecond = 0.0;
    double copyBytesPerSecond = 0.0; // read and written, both counted
    // Multiplications and additions; empty where the instruction set has no such product.
    std::optional<double> int8PerSecond; // sums in 32 bits
    std::optional<double> bf16PerSecond; // sums in F32
    std::optional<double> f32PerSecond;
};

// isa: as makeCpuOps takes it. Throws std::invalid_argument like it. Takes about a second.
Ceilings measureCeilings(ThreadPool& pool, std::string_view isa = {});

} // namespace kernels
