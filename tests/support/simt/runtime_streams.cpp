// Streams, events, graphs and errors of the emulated CUDA runtime. Work runs when it is given, so a
// stream never waits; what order a real device may take besides is not shown here.
#include "tests/support/simt/runtime_calls.h"

#include <memory>
#include <mutex>

using simt::Device;
using simt::Finding;
using simt::FindingKind;
using simt::RuntimeCalls;

namespace {

template <class T>
cudaError_t make(std::set<T*>& all, T** made) {
    *made = new T;
    all.insert(*made);
    return cudaSuccess;
}

template <class T>
cudaError_t destroy(std::set<T*>& all, T* one, const char* what) {
    if (all.erase(one) == 0) {
        throw Finding(FindingKind::Runtime, std::string("there is no such ") + what);
    }
    delete one;
    return cudaSuccess;
}

template <class T>
void require(const std::set<T*>& all, T* one, const char* what) {
    if (!all.contains(one)) {
        throw Finding(FindingKind::Runtime, std::string("there is no such ") + what);
    }
}

cudaError_t waitFor(const char* name, cudaStream_t stream) {
    return RuntimeCalls::call(name, 0, stream, [](Device& device) {
        return RuntimeCalls::refuseInCapture(device) ? cudaErrorStreamCaptureUnsupported
                                                     : cudaSuccess;
    });
}

} // namespace

// --- errors and versions ---

const char* cudaGetErrorName(cudaError_t status) {
    switch (status) {
    case cudaSuccess:
        return "cudaSuccess";
    case cudaErrorInvalidValue:
        return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
        return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration:
        return "cudaErrorInvalidConfiguration";
    case cudaErrorNoDevice:
        return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice:
        return "cudaErrorInvalidDevice";
    case cudaErrorStreamCaptureUnsupported:
        return "cudaErrorStreamCaptureUnsupported";
    case cudaErrorStreamCaptureInvalidated:
        return "cudaErrorStreamCaptureInvalidated";
    default:
        return "cudaError";
    }
}

const char* cudaGetErrorString(cudaError_t status) {
    switch (status) {
    case cudaErrorMemoryAllocation:
        return "out of memory";
    case cudaErrorNoDevice:
        return "no CUDA-capable device is detected";
    default:
        return cudaGetErrorName(status);
    }
}

cudaError_t cudaGetLastError() {
    const cudaError_t status = cudaPeekAtLastError();
    if (Device* device = Device::current()) {
        RuntimeCalls::lastError(*device) = cudaSuccess;
    }
    return status;
}

cudaError_t cudaPeekAtLastError() {
    Device* device = Device::current();
    return device == nullptr ? cudaErrorNoDevice : RuntimeCalls::lastError(*device);
}

cudaError_t cudaDriverGetVersion(int* version) {
    *version = Device::current() == nullptr ? 0 : 13000;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = 13000;
    return cudaSuccess;
}

// --- streams ---

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
    return RuntimeCalls::call("cudaStreamCreateWithFlags", 0, nullptr, [&](Device& device) {
        return make(RuntimeCalls::streams(device), stream);
    });
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return RuntimeCalls::call("cudaStreamDestroy", 0, nullptr, [&](Device& device) {
        return destroy(RuntimeCalls::streams(device), stream, "stream");
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return waitFor("cudaStreamSynchronize", stream);
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    return waitFor("cudaStreamQuery", stream);
}

cudaError_t cudaDeviceSynchronize() {
    return waitFor("cudaDeviceSynchronize", nullptr);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    return RuntimeCalls::call("cudaStreamWaitEvent", 0, stream, [&](Device& device) {
        require(RuntimeCalls::events(device), event, "event");
        return cudaSuccess;
    });
}

// --- events ---

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    return RuntimeCalls::call("cudaEventCreateWithFlags", 0, nullptr, [&](Device& device) {
        const cudaError_t status = make(RuntimeCalls::events(device), event);
        (*event)->isTimed = (flags & cudaEventDisableTiming) == 0;
        return status;
    });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return RuntimeCalls::call("cudaEventDestroy", 0, nullptr, [&](Device& device) {
        return destroy(RuntimeCalls::events(device), event, "event");
    });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return RuntimeCalls::call("cudaEventRecord", 0, stream, [&](Device& device) {
        require(RuntimeCalls::events(device), event, "event");
        RuntimeCalls::enqueue(stream, [event] {
            event->isRecorded = true;
            event->time = std::chrono::steady_clock::now();
        });
        return cudaSuccess;
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return RuntimeCalls::call("cudaEventSynchronize", 0, nullptr, [&](Device& device) {
        require(RuntimeCalls::events(device), event, "event");
        return RuntimeCalls::refuseInCapture(device) ? cudaErrorStreamCaptureUnsupported
                                                     : cudaSuccess;
    });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    return RuntimeCalls::call("cudaEventQuery", 0, nullptr, [&](Device& device) {
        require(RuntimeCalls::events(device), event, "event");
        return cudaSuccess;
    });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
    return RuntimeCalls::call("cudaEventElapsedTime", 0, nullptr, [&](Device& device) {
        require(RuntimeCalls::events(device), start, "event");
        require(RuntimeCalls::events(device), stop, "event");
        if (!start->isTimed || !stop->isTimed || !start->isRecorded || !stop->isRecorded) {
            return cudaErrorInvalidResourceHandle;
        }
        *milliseconds = std::chrono::duration<float, std::milli>(stop->time - start->time).count();
        return cudaSuccess;
    });
}

// --- graphs ---

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    return RuntimeCalls::call("cudaStreamBeginCapture", 0, stream, [&](Device&) {
        if (stream == nullptr || stream->isCapturing) {
            return cudaErrorInvalidValue;
        }
        stream->isCapturing = true;
        stream->isInvalidated = false;
        stream->captured.clear();
        return cudaSuccess;
    });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    return RuntimeCalls::call("cudaStreamEndCapture", 0, stream, [&](Device& device) {
        *graph = nullptr;
        if (stream == nullptr || !stream->isCapturing) {
            return cudaErrorInvalidValue;
        }
        stream->isCapturing = false;
        if (stream->isInvalidated) {
            stream->captured.clear();
            return cudaErrorStreamCaptureInvalidated;
        }
        make(RuntimeCalls::graphs(device), graph);
        (*graph)->work = std::exchange(stream->captured, {});
        return cudaSuccess;
    });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long) {
    return RuntimeCalls::call("cudaGraphInstantiate", 0, nullptr, [&](Device& device) {
        require(RuntimeCalls::graphs(device), graph, "graph");
        if (RuntimeCalls::refuseInCapture(device)) {
            return cudaErrorStreamCaptureUnsupported;
        }
        make(RuntimeCalls::executables(device), executable);
        (*executable)->work = graph->work;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
    return RuntimeCalls::call("cudaGraphLaunch", 0, stream, [&](Device& device) {
        require(RuntimeCalls::executables(device), executable, "executable graph");
        for (const auto& work : executable->work) {
            RuntimeCalls::enqueue(stream, work);
        }
        return cudaSuccess;
    });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    return RuntimeCalls::call("cudaGraphDestroy", 0, nullptr, [&](Device& device) {
        return destroy(RuntimeCalls::graphs(device), graph, "graph");
    });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    return RuntimeCalls::call("cudaGraphExecDestroy", 0, nullptr, [&](Device& device) {
        return destroy(RuntimeCalls::executables(device), executable, "executable graph");
    });
}
