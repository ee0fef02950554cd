// Makes the operators of kernels/cuda/cuda_ops.h for callers that need no CUDA headers.
#pragma once

#include "kernels/ops.h"

namespace kernels::cuda {

// Of device 0, 1, ... as the driver counts them; `pool` codes weights and outlives the result.
// Throws std::runtime_error where there is no such device.
std::unique_ptr<Ops> makeCudaOps(ThreadPool& pool, int device = 0);

} // namespace kernels::cuda
