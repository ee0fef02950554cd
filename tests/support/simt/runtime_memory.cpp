// Memory, copies, properties and launches of the emulated CUDA runtime.
#include "tests/support/simt/runtime_calls.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

using simt::Device;
using simt::RuntimeCalls;

namespace {

bool fromDevice(Device& device, cudaMemcpyKind kind, const void* from) {
    return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ||
           (kind == cudaMemcpyDefault && RuntimeCalls::arena(device).contains(from));
}

bool toDevice(Device& device, cudaMemcpyKind kind, const void* to) {
    return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ||
           (kind == cudaMemcpyDefault && RuntimeCalls::arena(device).contains(to));
}

cudaError_t copyRows(Device& device, void* to, std::size_t toPitch, const void* from,
                     std::size_t fromPitch, std::size_t width, std::size_t height,
                     cudaMemcpyKind kind, cudaStream_t stream, const char* name) {
    if (width == 0 || height == 0) {
        return cudaSuccess;
    }
    if (width > toPitch || width > fromPitch) {
        return cudaErrorInvalidValue;
    }
    const auto span = [=](std::size_t pitch) { return pitch * (height - 1) + width; };
    const bool isToDevice = toDevice(device, kind, to),
               isFromDevice = fromDevice(device, kind, from);
    // Both ends are looked up when the copy runs: what was freed before is found.
    const auto copy = [=, &device](const std::byte* staged) {
        std::byte* target = RuntimeCalls::place(device, to, span(toPitch), isToDevice, name);
        const std::byte* source =
            staged != nullptr
                ? staged
                : RuntimeCalls::place(device, from, span(fromPitch), isFromDevice, name);
        for (std::size_t row = 0; row < height; ++row) {
            std::memmove(target + row * toPitch, source + row * fromPitch, width);
        }
    };
    RuntimeCalls::place(device, to, span(toPitch), isToDevice, name);
    RuntimeCalls::place(device, from, span(fromPitch), isFromDevice, name);
    if (!isFromDevice && RuntimeCalls::isPageable(device, from)) {
        // Taken into the driver's own buffer before the call returns.
        const auto* bytes = static_cast<const std::byte*>(from);
        RuntimeCalls::enqueue(device, stream,
                              [copy, staged = std::vector<std::byte>(
                                         bytes, bytes + span(fromPitch))] { copy(staged.data()); });
        return cudaSuccess;
    }
    RuntimeCalls::enqueue(device, stream, [copy] { copy(nullptr); });
    if (!isToDevice && RuntimeCalls::isPageable(device, to)) {
        RuntimeCalls::drain(device, stream); // such a call returns when the copy is there
    }
    return cudaSuccess;
}

cudaError_t fill(Device& device, void* at, int value, std::size_t bytes, cudaStream_t stream,
                 const char* name) {
    if (bytes == 0) {
        return cudaSuccess;
    }
    RuntimeCalls::place(device, at, bytes, true, name);
    RuntimeCalls::enqueue(device, stream, [=, &device] {
        std::memset(RuntimeCalls::place(device, at, bytes, true, name), value, bytes);
    });
    return cudaSuccess;
}

} // namespace

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
    return RuntimeCalls::call("cudaMalloc", bytes, nullptr, [&](Device& device) {
        return RuntimeCalls::allocate(device, pointer, bytes);
    });
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
    return RuntimeCalls::call("cudaMallocAsync", bytes, stream, [&](Device& device) {
        return RuntimeCalls::allocate(device, pointer, bytes);
    });
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned) {
    return RuntimeCalls::call("cudaMallocManaged", bytes, nullptr, [&](Device& device) {
        return RuntimeCalls::allocate(device, pointer, bytes, simt::Arena::Kind::Managed);
    });
}

cudaError_t cudaFree(void* pointer) {
    return RuntimeCalls::freeingCall("cudaFree", nullptr, [&](Device& device) {
        RuntimeCalls::drainAll(device);
        return RuntimeCalls::release(device, pointer);
    });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
    return RuntimeCalls::freeingCall("cudaFreeAsync", stream, [&](Device& device) {
        if (RuntimeCalls::refuseInCapture(device)) {
            return cudaErrorStreamCaptureUnsupported;
        }
        RuntimeCalls::enqueue(device, stream,
                              [&device, pointer] { RuntimeCalls::release(device, pointer); });
        return cudaSuccess;
    });
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) {
    return RuntimeCalls::call("cudaHostAlloc", bytes, nullptr, [&](Device& device) {
        return RuntimeCalls::allocatePinned(device, pointer, bytes);
    });
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
    return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void* pointer) {
    return RuntimeCalls::freeingCall("cudaFreeHost", nullptr, [&](Device& device) {
        return RuntimeCalls::releasePinned(device, pointer);
    });
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return RuntimeCalls::call("cudaMemcpy", bytes, nullptr, [&](Device& device) {
        if (RuntimeCalls::refuseInCapture(device)) {
            return cudaErrorStreamCaptureUnsupported;
        }
        RuntimeCalls::drainDefault(device);
        const cudaError_t status =
            copyRows(device, to, bytes, from, bytes, bytes, 1, kind, nullptr, "cudaMemcpy");
        RuntimeCalls::drain(device, nullptr);
        return status;
    });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    return RuntimeCalls::call("cudaMemcpyAsync", bytes, stream, [&](Device& device) {
        return copyRows(device, to, bytes, from, bytes, bytes, 1, kind, stream, "cudaMemcpyAsync");
    });
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t toPitch, const void* from,
                              std::size_t fromPitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
    return RuntimeCalls::call("cudaMemcpy2DAsync", width * height, stream, [&](Device& device) {
        return copyRows(device, to, toPitch, from, fromPitch, width, height, kind, stream,
                        "cudaMemcpy2DAsync");
    });
}

cudaError_t cudaMemset(void* at, int value, std::size_t bytes) {
    return RuntimeCalls::call("cudaMemset", bytes, nullptr, [&](Device& device) {
        return RuntimeCalls::refuseInCapture(device)
                   ? cudaErrorStreamCaptureUnsupported
                   : fill(device, at, value, bytes, nullptr, "cudaMemset");
    });
}

cudaError_t cudaMemsetAsync(void* at, int value, std::size_t bytes, cudaStream_t stream) {
    return RuntimeCalls::call("cudaMemsetAsync", bytes, stream, [&](Device& device) {
        return fill(device, at, value, bytes, stream, "cudaMemsetAsync");
    });
}

// --- the device ---

cudaError_t cudaGetDeviceCount(int* count) {
    *count = Device::current() == nullptr ? 0 : 1;
    return *count == 0 ? cudaErrorNoDevice : cudaSuccess;
}

cudaError_t cudaSetDevice(int number) {
    return RuntimeCalls::call("cudaSetDevice", 0, nullptr, [&](Device&) {
        return number == 0 ? cudaSuccess : cudaErrorInvalidDevice;
    });
}

cudaError_t cudaGetDevice(int* number) {
    return RuntimeCalls::call("cudaGetDevice", 0, nullptr, [&](Device&) {
        *number = 0;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int number) {
    return RuntimeCalls::call("cudaGetDeviceProperties", 0, nullptr, [&](Device& device) {
        if (number != 0) {
            return cudaErrorInvalidDevice;
        }
        const auto& options = RuntimeCalls::options(device);
        *properties = {};
        fmt::format_to_n(properties->name, sizeof properties->name - 1, "emulated device {}.{}",
                         options.architecture.major, options.architecture.minor);
        properties->totalGlobalMem = options.memoryBytes;
        properties->sharedMemPerBlockOptin = options.architecture.sharedBytes;
        properties->major = options.architecture.major;
        properties->minor = options.architecture.minor;
        properties->multiProcessorCount = 4;
        properties->l2CacheSize = 4 << 20;
        properties->memoryBusWidth = 128;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int number) {
    cudaDeviceProp properties;
    if (const cudaError_t status = cudaGetDeviceProperties(&properties, number);
        status != cudaSuccess) {
        return status;
    }
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
        *value = properties.maxThreadsPerBlock;
        return cudaSuccess;
    case cudaDevAttrMultiProcessorCount:
        *value = properties.multiProcessorCount;
        return cudaSuccess;
    case cudaDevAttrL2CacheSize:
        *value = properties.l2CacheSize;
        return cudaSuccess;
    case cudaDevAttrGlobalMemoryBusWidth:
        *value = properties.memoryBusWidth;
        return cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor:
        *value = properties.major;
        return cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
        *value = properties.minor;
        return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = static_cast<int>(properties.sharedMemPerBlockOptin);
        return cudaSuccess;
    case cudaDevAttrClockRate:
    case cudaDevAttrMemoryClockRate:
        *value = 1'000'000; // kHz
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* total) {
    return RuntimeCalls::call("cudaMemGetInfo", 0, nullptr, [&](Device& device) {
        *total = RuntimeCalls::options(device).memoryBytes;
        *available = *total - RuntimeCalls::arena(device).liveBytes();
        return cudaSuccess;
    });
}

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
    return RuntimeCalls::call("cudaFuncSetAttribute", 0, nullptr, [&](Device& device) {
        if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) {
            return cudaSuccess;
        }
        const auto bytes = static_cast<std::size_t>(value);
        if (value < 0 || bytes > RuntimeCalls::options(device).architecture.sharedBytes) {
            return cudaErrorInvalidValue;
        }
        RuntimeCalls::sharedLimits(device)[kernel] = bytes;
        return cudaSuccess;
    });
}

cudaError_t simt::launchKernel(const cudaLaunchConfig_t& config, const void* kernel,
                               const std::vector<const void*>& pointers,
                               std::function<void()> body) {
    return RuntimeCalls::call("cudaLaunchKernelEx", 0, config.stream, [&](Device& device) {
        return RuntimeCalls::launch(device, config, kernel, pointers, std::move(body));
    });
}
