// What the calls of the emulated CUDA runtime share: noting, failing on demand, streams that
// capture. Used by runtime_memory.cpp and runtime_streams.cpp only.
#pragma once

#include "tests/support/simt/device.h"

#include <chrono>
#include <functional>
#include <vector>

struct CUstream_st {
    bool joinsDefault = true; // not made with cudaStreamNonBlocking
    bool isCapturing = false;
    bool isInvalidated = false; // something that can't be captured was tried
    std::vector<std::function<void()>> captured;
};
struct CUevent_st {
    bool isTimed = true;
    cudaStream_t stream = nullptr;    // of the last record
    unsigned asked = 0, recorded = 0; // how often
    std::chrono::steady_clock::time_point time{};
};
struct CUgraph_st {
    std::vector<std::function<void()>> work;
};
struct CUgraphExec_st {
    std::vector<std::function<void()>> work;
};

namespace simt {

class RuntimeCalls {
public:
    // Notes the call, then runs the body, which may throw a Finding.
    template <class Body>
    static cudaError_t call(const char* name, std::size_t bytes, cudaStream_t stream, Body body) {
        Device* device = Device::current();
        if (device == nullptr) {
            return cudaErrorNoDevice;
        }
        const std::lock_guard guard(device->m_lock);
        cudaError_t status = note(*device, name, bytes, stream);
        if (status == cudaSuccess) {
            if (stream != nullptr && !device->m_streams.contains(stream)) {
                throw Finding(FindingKind::Runtime,
                              std::string(name) + " on a stream that is not there");
            }
            status = body(*device);
        }
        device->m_lastError = status == cudaSuccess ? device->m_lastError : status;
        return status;
    }

    // The same for calls that free. They do so even where they fail, for then they tell of earlier
    // work. Destructors make them, so what they find is held for leaks().
    template <class Body>
    static cudaError_t freeingCall(const char* name, cudaStream_t stream, Body body) {
        Device* device = Device::current();
        if (device == nullptr) {
            return cudaErrorNoDevice;
        }
        const std::lock_guard guard(device->m_lock);
        cudaError_t status = note(*device, name, 0, stream);
        try {
            const cudaError_t freed = body(*device);
            status = status == cudaSuccess ? freed : status;
        } catch (const Finding& finding) {
            device->m_held.push_back(finding.what());
            status = cudaErrorLaunchFailure;
        }
        device->m_lastError = status == cudaSuccess ? device->m_lastError : status;
        return status;
    }

    // Calls that no stream may be capturing at: they allocate, free or wait.
    static bool refuseInCapture(Device& device);
    // Work in stream order: done at once or when waited for, or noted where the stream captures.
    static void enqueue(Device& device, cudaStream_t stream, std::function<void()> work);
    // Does what a stream still has to do; of the default stream also what joins it; of all.
    static void drain(Device& device, cudaStream_t stream);
    static void drainDefault(Device& device);
    static void drainAll(Device& device);
    // Until an event has been recorded `times` times.
    static void drainUntil(Device& device, cudaEvent_t event, unsigned times);
    static void runOne(Device& device, cudaStream_t stream);
    static bool isIdle(Device& device, cudaStream_t stream);

    static cudaError_t allocate(Device& device, void** pointer, std::size_t bytes,
                                Arena::Kind kind = Arena::Kind::Device);
    static cudaError_t release(Device& device, void* pointer);
    // Host memory that is neither pinned nor managed.
    static bool isPageable(Device& device, const void* pointer);
    static cudaError_t allocatePinned(Device& device, void** pointer, std::size_t bytes);
    static cudaError_t releasePinned(Device& device, void* pointer);
    // Where the runtime itself reads or writes these bytes. Throws Finding for device memory that
    // is not there and, in a capture, for host memory that is not pinned.
    static std::byte* place(Device& device, const void* pointer, std::size_t bytes, bool isDevice,
                            const char* name);
    static cudaError_t launch(Device& device, const cudaLaunchConfig_t& config, const void* kernel,
                              const std::vector<const void*>& pointers, std::function<void()> body);

    static DeviceOptions& options(Device& device) { return device.m_options; }
    static Arena& arena(Device& device) { return device.m_arena; }
    static std::set<cudaStream_t>& streams(Device& device) { return device.m_streams; }
    static std::set<cudaEvent_t>& events(Device& device) { return device.m_events; }
    static std::set<cudaGraph_t>& graphs(Device& device) { return device.m_graphs; }
    static std::set<cudaGraphExec_t>& executables(Device& device) { return device.m_executables; }
    static std::map<const void*, std::size_t>& sharedLimits(Device& device) {
        return device.m_sharedLimits;
    }
    static cudaError_t takeLastError(Device& device, bool isKept);

private:
    static cudaError_t note(Device& device, const char* name, std::size_t bytes,
                            cudaStream_t stream);
    static bool mayAllocate(Device& device);
};

} // namespace simt
