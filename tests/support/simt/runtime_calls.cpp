#include "tests/support/simt/runtime_calls.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

namespace simt {

namespace {
constexpr std::size_t kPinnedAlignment = 4096;
} // namespace

cudaError_t RuntimeCalls::note(Device& device, const char* name, std::size_t bytes,
                               cudaStream_t stream) {
    if (runningLane != nullptr) {
        failAt(FindingKind::Runtime, std::string(name) + " within a kernel",
               __builtin_return_address(0));
    }
    device.m_calls.push_back({name, bytes, stream});
    if (device.m_callToFail && --*device.m_callToFail == 0) {
        device.m_callToFail.reset();
        device.m_isLost = device.m_losesDevice;
        return device.m_failure;
    }
    return device.m_isLost ? device.m_failure : cudaSuccess;
}

cudaError_t RuntimeCalls::takeLastError(Device& device, bool isKept) {
    const std::lock_guard guard(device.m_lock);
    const cudaError_t status = device.m_lastError;
    // A lost device stays lost.
    device.m_lastError = isKept || device.m_isLost ? status : cudaSuccess;
    return status;
}

bool RuntimeCalls::refuseInCapture(Device& device) {
    bool isCapturing = false;
    for (const cudaStream_t stream : device.m_streams) {
        if (stream->isCapturing) {
            stream->isInvalidated = true;
            isCapturing = true;
        }
    }
    return isCapturing;
}

// --- work in stream order ---

void RuntimeCalls::enqueue(Device& device, cudaStream_t stream, std::function<void()> work) {
    if (stream != nullptr && stream->isCapturing) {
        stream->captured.push_back(std::move(work));
    } else if (device.m_options.workTime == WorkTime::AsLateAsPossible) {
        device.m_queues[stream].push_back(std::move(work));
    } else {
        work();
    }
}

void RuntimeCalls::runOne(Device& device, cudaStream_t stream) {
    auto& queue = device.m_queues[stream];
    const std::function<void()> work = std::move(queue.front());
    queue.pop_front();
    try {
        work();
    } catch (...) {
        device.m_queues.clear(); // a device that failed does nothing more
        throw;
    }
}

bool RuntimeCalls::isIdle(Device& device, cudaStream_t stream) {
    const auto queue = device.m_queues.find(stream);
    return queue == device.m_queues.end() || queue->second.empty();
}

void RuntimeCalls::drain(Device& device, cudaStream_t stream) {
    while (!isIdle(device, stream)) {
        runOne(device, stream);
    }
}

void RuntimeCalls::drainDefault(Device& device) {
    drain(device, nullptr);
    for (const cudaStream_t stream : device.m_streams) {
        if (stream->joinsDefault) {
            drain(device, stream);
        }
    }
}

void RuntimeCalls::drainAll(Device& device) {
    drain(device, nullptr);
    for (const cudaStream_t stream : device.m_streams) {
        drain(device, stream);
    }
}

void RuntimeCalls::drainUntil(Device& device, cudaEvent_t event, unsigned times) {
    while (event->recorded < times && !isIdle(device, event->stream)) {
        runOne(device, event->stream);
    }
}

// --- memory ---

bool RuntimeCalls::isPageable(Device& device, const void* pointer) {
    if (device.m_arena.contains(pointer)) {
        return false;
    }
    const auto after = device.m_pinned.upper_bound(const_cast<void*>(pointer));
    return after == device.m_pinned.begin() ||
           static_cast<const std::byte*>(pointer) >=
               static_cast<std::byte*>(std::prev(after)->first) + std::prev(after)->second;
}

bool RuntimeCalls::mayAllocate(Device& device) {
    if (device.m_allocationToFail && --*device.m_allocationToFail == 0) {
        device.m_allocationToFail.reset();
        return false;
    }
    return true;
}

cudaError_t RuntimeCalls::allocate(Device& device, void** pointer, std::size_t bytes,
                                   Arena::Kind kind) {
    if (refuseInCapture(device)) {
        return cudaErrorStreamCaptureUnsupported;
    }
    if (bytes == 0) {
        *pointer = nullptr;
        return cudaSuccess;
    }
    if (!mayAllocate(device) || bytes > device.m_options.memoryBytes - device.m_arena.liveBytes()) {
        return cudaErrorMemoryAllocation;
    }
    *pointer = device.m_arena.allocate(bytes, kind);
    return cudaSuccess;
}

cudaError_t RuntimeCalls::release(Device& device, void* pointer) {
    if (refuseInCapture(device)) {
        return cudaErrorStreamCaptureUnsupported;
    }
    if (pointer != nullptr && !device.m_arena.release(pointer)) {
        throw Finding(FindingKind::Runtime,
                      fmt::format("{} is freed, which is no allocation of the device", pointer));
    }
    return cudaSuccess;
}

cudaError_t RuntimeCalls::allocatePinned(Device& device, void** pointer, std::size_t bytes) {
    if (refuseInCapture(device)) {
        return cudaErrorStreamCaptureUnsupported;
    }
    const std::size_t length = (bytes + kPinnedAlignment - 1) / kPinnedAlignment * kPinnedAlignment;
    void* memory = mayAllocate(device) ? std::aligned_alloc(kPinnedAlignment, length) : nullptr;
    if (memory == nullptr) {
        return cudaErrorMemoryAllocation;
    }
    std::memset(memory, Arena::kPoison, length);
    device.m_pinned.emplace(memory, bytes);
    *pointer = memory;
    return cudaSuccess;
}

cudaError_t RuntimeCalls::releasePinned(Device& device, void* pointer) {
    if (refuseInCapture(device)) {
        return cudaErrorStreamCaptureUnsupported;
    }
    if (pointer != nullptr && device.m_pinned.erase(pointer) == 0) {
        throw Finding(FindingKind::Runtime,
                      fmt::format("{} is freed, which is no pinned memory", pointer));
    }
    drainAll(device);
    std::free(pointer); // NOLINT: of aligned_alloc
    return cudaSuccess;
}

std::byte* RuntimeCalls::place(Device& device, const void* pointer, std::size_t bytes,
                               bool isDevice, const char* name) {
    const bool isThere = device.m_arena.owns(pointer, bytes);
    if (isDevice && !isThere) {
        throw Finding(FindingKind::GlobalBounds,
                      fmt::format("{} of {} bytes at {}: {}", name, bytes, pointer,
                                  device.m_arena.contains(pointer)
                                      ? device.m_arena.describe(pointer)
                                      : "no device memory"));
    }
    if (!isDevice && device.m_arena.contains(pointer) && !device.m_arena.isManaged(pointer)) {
        throw Finding(FindingKind::Runtime,
                      fmt::format("{} takes device memory for host memory", name));
    }
    return isThere ? device.m_arena.hostView(pointer)
                   : static_cast<std::byte*>(const_cast<void*>(pointer));
}

cudaError_t RuntimeCalls::launch(Device& device, const cudaLaunchConfig_t& config,
                                 const void* kernel, const std::vector<const void*>& pointers,
                                 std::function<void()> body) {
    const std::size_t threads =
        std::size_t{config.blockDim.x} * config.blockDim.y * config.blockDim.z;
    const dim3 grid = config.gridDim;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7FFFFFFFU || grid.y > 65535 ||
        grid.z > 65535 || threads == 0 || threads > 1024 || config.blockDim.z > 64) {
        return cudaErrorInvalidConfiguration;
    }
    const auto limit = device.m_sharedLimits.find(kernel);
    if (config.dynamicSmemBytes >
        (limit == device.m_sharedLimits.end() ? std::size_t{48 * 1024} : limit->second)) {
        return cudaErrorInvalidValue;
    }
    for (const void* pointer : pointers) {
        // One past the end is a fine pointer, as is null for what is absent.
        if (pointer != nullptr && isPageable(device, pointer)) {
            throw Finding(FindingKind::ForeignPointer,
                          fmt::format("{} is given {}, which is neither device nor pinned memory",
                                      nameOfFunction(kernel), pointer));
        }
    }
    enqueue(device, config.stream,
            [&device, launch = KernelLaunch{.grid = config.gridDim,
                                            .block = config.blockDim,
                                            .sharedBytes = config.dynamicSmemBytes,
                                            .kernel = kernel,
                                            .body = std::move(body)}] {
                device.m_executor.run(launch, device.m_options.schedule, device.m_options.seed);
            });
    return cudaSuccess;
}

} // namespace simt
