// How kernels start and how calls of the CUDA runtime fail: by exception. Host side, any thread.
// No <<<>>>, so that the same source runs under nvcc and in the executor of the tests.
#pragma once

#include <cstddef>
#include <cuda_runtime.h>
#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>

namespace kernels {

class CudaError : public std::runtime_error {
public:
    CudaError(cudaError_t status, const std::string& where)
        : std::runtime_error(where + ": " + cudaGetErrorString(status)),
          m_status(status) {}

    cudaError_t status() const { return m_status; }
    // More memory was asked for than there is: smaller settings or another device help.
    bool isOutOfMemory() const { return m_status == cudaErrorMemoryAllocation; }

private:
    cudaError_t m_status;
};

// Every call of the runtime goes through here. Throws CudaError with the calling function's name.
inline void check(cudaError_t status,
                  const std::source_location& site = std::source_location::current()) {
    if (status != cudaSuccess) {
        throw CudaError(status, site.function_name());
    }
}

struct LaunchShape {
    dim3 grid;
    dim3 block;
    std::size_t sharedBytes = 0; // dynamic; see SharedSize in shared.cuh
};

// What a block may use of shared memory without asking for it, on every architecture.
inline constexpr std::size_t kSharedWithoutAsking = 48 * 1024;

// Arguments are converted to the kernel's parameters. An empty grid starts nothing, since the
// runtime refuses one. Throws CudaError where the launch is refused; faults inside appear at a
// later call.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const LaunchShape& shape, cudaStream_t stream,
            Arguments&&... arguments) {
    if (shape.grid.x == 0 || shape.grid.y == 0 || shape.grid.z == 0) {
        return;
    }
    if (shape.sharedBytes > kSharedWithoutAsking) {
        check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                   cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(shape.sharedBytes)));
    }
    cudaLaunchConfig_t config{};
    config.gridDim = shape.grid;
    config.blockDim = shape.block;
    config.dynamicSmemBytes = shape.sharedBytes;
    config.stream = stream;
    check(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...));
}

} // namespace kernels
