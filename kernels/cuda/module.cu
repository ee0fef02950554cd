// The one entry point of libheadway_cuda.so, for kernels/cuda_module.cpp. Throws as makeCudaOps.
#include "kernels/cuda/make_cuda_ops.h"

extern "C" __attribute__((visibility("default"))) kernels::Ops*
headwayMakeCudaOps(kernels::ThreadPool* pool, int device);

extern "C" kernels::Ops* headwayMakeCudaOps(kernels::ThreadPool* pool, int device) {
    return kernels::cuda::makeCudaOps(*pool, device).release();
}
