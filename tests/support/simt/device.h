// The emulated device: while one exists, the CUDA runtime of the tests finds it as device 0; with
// none, it finds no GPU. It holds memory, streams and graphs, notes every call, can let a chosen
// call fail, and knows what was not given back. Calls come from any thread.
#pragma once

#include "tests/support/simt/arena.h"
#include "tests/support/simt/executor.h"
#include "tests/support/simt/runtime_api.h"

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace simt {

// What differs between architectures as far as kernels see it. Shared memory: the most a block may
// ask for. CUDA C++ Programming Guide, compute capabilities.
struct Architecture {
    int major, minor;
    std::size_t sharedBytes;
};
inline constexpr Architecture kArchitectures[] = {
    {8, 0, 163 * 1024}, {8, 6, 99 * 1024},   {8, 9, 99 * 1024},
    {9, 0, 227 * 1024}, {10, 0, 227 * 1024}, {12, 0, 99 * 1024},
};

// When work that a stream was given runs. Both are allowed to a real device, so the results of a
// program that waits where it must are the same.
enum class WorkTime {
    AtOnce,
    AsLateAsPossible, // when somebody waits for it; findings then come from that call
};

struct DeviceOptions {
    Architecture architecture = kArchitectures[1];
    std::size_t memoryBytes = std::size_t{8} << 30;
    Schedule schedule = Schedule::InOrder;
    std::uint64_t seed = 1;
    WorkTime workTime = WorkTime::AtOnce;
};

struct Call {
    const char* name = "";
    std::size_t bytes = 0;
    cudaStream_t stream = nullptr;
};

class Device {
public:
    explicit Device(const DeviceOptions& options = {});
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    static Device* current(); // null: there is no GPU

    void setSchedule(Schedule schedule, std::uint64_t seed);
    // The n-th call from now on (the first is 1) returns this instead of doing anything.
    void failCall(std::size_t n, cudaError_t status = cudaErrorUnknown);
    // From the n-th call on the device is lost: every call returns this, as after a fault in a
    // kernel. What frees still gives back here, since a process would lose it with the device.
    void loseDevice(std::size_t n, cudaError_t status = cudaErrorIllegalAddress);
    // The n-th allocation of device or pinned memory from now on.
    void failAllocation(std::size_t n);
    std::vector<Call> calls();
    void forgetCalls();
    // What is still allocated, a line each: memory, streams, events, graphs. Also findings of calls
    // that free, which can't throw since destructors make them. Empty: nothing.
    std::vector<std::string> leaks();
    std::size_t liveBytes();
    unsigned long switches();

private:
    friend class RuntimeCalls;

    std::recursive_mutex m_lock; // a kernel's body may not call the runtime, but a finding unwinds
    DeviceOptions m_options;
    Arena m_arena;
    Executor m_executor;
    std::map<cudaStream_t, std::deque<std::function<void()>>> m_queues; // null: the default stream
    std::vector<Call> m_calls;
    std::optional<std::size_t> m_callToFail, m_allocationToFail; // counted down
    cudaError_t m_failure = cudaErrorUnknown;
    bool m_losesDevice = false, m_isLost = false;
    std::vector<std::string> m_held; // findings of calls that free
    std::map<void*, std::size_t> m_pinned;
    std::set<cudaStream_t> m_streams;
    std::set<cudaEvent_t> m_events;
    std::set<cudaGraph_t> m_graphs;
    std::set<cudaGraphExec_t> m_executables;
    std::map<const void*, std::size_t> m_sharedLimits; // kernels that asked for more than 48 KiB
    cudaError_t m_lastError = cudaSuccess;
};

} // namespace simt
