// Streams, events, graphs and errors of the emulated CUDA runtime.
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
    Device* device = Device::current();
    return device == nullptr ? cudaErrorNoDevice : RuntimeCalls::takeLastError(*device, false);
}

cudaError_t cudaPeekAtLastError() {
    Device* device = Device::current();
    return device == nullptr ? cudaErrorNoDevice : RuntimeCalls::takeLastError(*device, true);
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

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return RuntimeCalls::call("cudaStreamCreateWithFlags", 0, nullptr, [&](Device& device) {
        const cudaError_t status = make(RuntimeCalls::streams(device), stream);
        (*stream)->joinsDefault = (flags & cudaStreamNonBlocking) == 0;
        return status;
    });
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return RuntimeCalls::freeingCall("cudaStreamDestroy", nullptr, [&](Device& device) {
        RuntimeCalls::drain(device, stream);
        return destroy(RuntimeCalls::streams(device), stream, "stream");
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return RuntimeCalls::call("cudaStreamSynchronize", 0, stream, [&](Device& device) {
        if (RuntimeCalls::refuseInCapture(device)) {
            return cudaErrorStreamCaptureUnsupported;
        }
        RuntimeCalls::drain(device, stream);
        return cudaSuccess;
    });
}

// Who asks again and again gets ahead, as on a device.
cudaError_t cudaStreamQuery(cudaStream_t stream) {
    return RuntimeCalls::call("cudaStreamQuery", 0, stream, [&](Device& device) {
        if (RuntimeCalls::isIdle(device, stream)) {
            return cudaSuccess;
        }
        RuntimeCalls::runOne(device, stream);
        return cudaErrorNotReady;
    });
}

cudaError_t cudaDeviceSynchronize() {
    return RuntimeCalls::call("cudaDeviceSynchronize", 0, nullptr, [](Device& device) {
        if (RuntimeCalls::refuseInCapture(device)) {
            return cudaErrorStreamCaptureUnsupported;
        }
        RuntimeCalls::drainAll(device);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    return RuntimeCalls::call("cudaStreamWaitEvent", 0, stream, [&](Device& device) {
        require(RuntimeCalls::events(device), event, "event");
        RuntimeCalls::enqueue(device, stream, [&device, event, times = event->asked] {
            RuntimeCalls::drainUntil(device, event, times);
        });
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
    return RuntimeCalls::freeingCall("cudaEventDestroy", nullptr, [&](Device& device) {
        return destroy(RuntimeCalls::events(device), event, "event");
    });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return RuntimeCalls::call("cudaEventRecord", 0, stream, [&](Device& device) {
        require(RuntimeCalls::events(device), event, "event");
        event->stream = stream;
        RuntimeCalls::enqueue(device, stream, [event, times = ++event->asked] {
            event->recorded = times;
            event->time = std::chrono::steady_clock::now();
        });
        return cudaSuccess;
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return RuntimeCalls::call("cudaEventSynchronize", 0, nullptr, [&](Device& device) {
        require(RuntimeCalls::events(device), event, "event");
        if (RuntimeCalls::refuseInCapture(device)) {
            return cudaErrorStreamCaptureUnsupported;
        }
        RuntimeCalls::drainUntil(device, event, event->asked);
        return cudaSuccess;
    });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    return RuntimeCalls::call("cudaEventQuery", 0, nullptr, [&](Device& device) {
        require(RuntimeCalls::events(device), event, "event");
        if (event->recorded == event->asked || RuntimeCalls::isIdle(device, event->stream)) {
            return cudaSuccess;
        }
        RuntimeCalls::runOne(device, event->stream);
        return event->recorded == event->asked ? cudaSuccess : cudaErrorNotReady;
    });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
    return RuntimeCalls::call("cudaEventElapsedTime", 0, nullptr, [&](Device& device) {
        require(RuntimeCalls::events(device), start, "event");
        require(RuntimeCalls::events(device), stop, "event");
        if (!start->isTimed || !stop->isTimed || start->recorded == 0 || stop->recorded == 0) {
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
            RuntimeCalls::enqueue(device, stream, work);
        }
        return cudaSuccess;
    });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    return RuntimeCalls::freeingCall("cudaGraphDestroy", nullptr, [&](Device& device) {
        return destroy(RuntimeCalls::graphs(device), graph, "graph");
    });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    return RuntimeCalls::freeingCall("cudaGraphExecDestroy", nullptr, [&](Device& device) {
        return destroy(RuntimeCalls::executables(device), executable, "executable graph");
    });
}
