#include "kernels/cuda/call.h"
#include "kernels/cuda/cuda_ops.h"
#include "kernels/cuda/cuda_weight.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/make_cuda_ops.h"
#include "kernels/cuda/require.h"

namespace kernels::cuda {

namespace {

int attribute(cudaDeviceAttr which, int device) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

// Before anything is made on it.
int selected(int device) {
    check(cudaSetDevice(device));
    return device;
}

} // namespace

Call::Call(CudaOps& ops) : m_ops(ops) {
    check(cudaSetDevice(ops.m_device)); // a thread's own choice; costs nothing where it is made
    ops.m_arena.begin();
}

std::byte* Call::bytesOf(const View& view, bool isWritten) {
    auto* data = static_cast<std::byte*>(view.data);
    const std::size_t bytes = view.bytes();
    if (view.device == Device::Cuda || bytes == 0) {
        return data;
    }
    for (Staged& staged : m_staged) {
        if (data >= staged.host && data + bytes <= staged.host + staged.bytes) {
            staged.isWritten = staged.isWritten || isWritten;
            return staged.device + (data - staged.host);
        }
    }
    std::byte* device = arena().take(bytes);
    arena().copyIn(device, data, bytes);
    m_staged.push_back({data, bytes, device, isWritten});
    return device;
}

void Call::finish() {
    bool isAwaited = false;
    for (const Staged& staged : m_staged) {
        if (staged.isWritten) {
            check(cudaMemcpyAsync(staged.host, staged.device, staged.bytes, cudaMemcpyDeviceToHost,
                                  stream()));
            isAwaited = true;
        }
    }
    if (isAwaited) {
        m_ops.m_stream.wait();
    }
}

CudaOps::CudaOps(ThreadPool& pool, int device)
    : m_pool(pool),
      m_device(selected(device)),
      m_processors(attribute(cudaDevAttrMultiProcessorCount, device)) {
    const int major = attribute(cudaDevAttrComputeCapabilityMajor, device);
    const int minor = attribute(cudaDevAttrComputeCapabilityMinor, device);
    m_name = "CUDA sm_" + std::to_string(major) + std::to_string(minor);
    if (major < 8) {
        throw std::runtime_error("the CUDA device has compute capability " + std::to_string(major) +
                                 "." + std::to_string(minor) +
                                 "; 8.0 or newer is needed: choose the CPU");
    }
}

Buffer CudaOps::allocate(Format format, Shape shape) {
    check(cudaSetDevice(m_device));
    return allocateBuffer(format, shape, m_stream);
}

void CudaOps::copy(View from, View to) {
    require(from.bytes() == to.bytes(), "copy: the views differ in bytes");
    check(cudaSetDevice(m_device));
    if (from.bytes() > 0) {
        check(cudaMemcpyAsync(to.data, from.data, from.bytes(),
                              from.device == Device::Cpu ? to.device == Device::Cpu
                                                               ? cudaMemcpyHostToHost
                                                               : cudaMemcpyHostToDevice
                              : to.device == Device::Cpu ? cudaMemcpyDeviceToHost
                                                         : cudaMemcpyDeviceToDevice,
                              m_stream.get()));
    }
    m_stream.wait();
}

std::unique_ptr<Weight> CudaOps::prepare(const View& fileWeight, WeightLayout,
                                         ActivationPrecision precision) {
    check(cudaSetDevice(m_device));
    return std::make_unique<CudaWeight>(fileWeight, precision, m_stream, m_pool);
}

std::unique_ptr<Ops> makeCudaOps(ThreadPool& pool, int device) {
    return std::make_unique<CudaOps>(pool, device);
}

} // namespace kernels::cuda
