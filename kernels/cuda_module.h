// The CUDA operators come from a library of their own, libheadway_cuda.so beside the program, so
// that one binary starts with and without an NVIDIA driver. Any thread.
#pragma once

#include "kernels/ops.h"

namespace kernels {

// On device 0, 1, ... as the driver counts them; `pool` outlives the result. Throws
// std::runtime_error with the reason where the library, the driver or the device is missing.
std::unique_ptr<Ops> loadCudaOps(ThreadPool& pool, int device = 0);

} // namespace kernels
