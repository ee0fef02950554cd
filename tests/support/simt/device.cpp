#include "tests/support/simt/device.h"

#include <fmt/format.h>

#include <atomic>
#include <stdexcept>

namespace simt {

namespace {
std::atomic<Device*> present = nullptr; // what the C interface of CUDA takes for granted
} // namespace

Device::Device(const DeviceOptions& options) : m_options(options), m_executor(m_arena) {
    Device* none = nullptr;
    if (!present.compare_exchange_strong(none, this)) {
        throw std::logic_error("there is an emulated device already");
    }
}

Device::~Device() {
    present = nullptr;
}

Device* Device::current() {
    return present;
}

void Device::setSchedule(Schedule schedule, std::uint64_t seed) {
    const std::lock_guard guard(m_lock);
    m_options.schedule = schedule;
    m_options.seed = seed;
}

void Device::failCall(std::size_t n, cudaError_t status) {
    const std::lock_guard guard(m_lock);
    m_callToFail = n;
    m_failure = status;
    m_losesDevice = false;
}

void Device::loseDevice(std::size_t n, cudaError_t status) {
    failCall(n, status);
    const std::lock_guard guard(m_lock);
    m_losesDevice = true;
}

void Device::failAllocation(std::size_t n) {
    const std::lock_guard guard(m_lock);
    m_allocationToFail = n;
}

std::vector<Call> Device::calls() {
    const std::lock_guard guard(m_lock);
    return m_calls;
}

void Device::forgetCalls() {
    const std::lock_guard guard(m_lock);
    m_calls.clear();
}

std::vector<std::string> Device::leaks() {
    const std::lock_guard guard(m_lock);
    std::vector<std::string> lines;
    const auto add = [&lines](std::size_t count, const char* what) {
        if (count > 0) {
            lines.push_back(fmt::format("{} {}", count, what));
        }
    };
    if (m_arena.liveAllocations() > 0) {
        lines.push_back(fmt::format("{} allocations of {} bytes of device memory",
                                    m_arena.liveAllocations(), m_arena.liveBytes()));
    }
    add(m_pinned.size(), "allocations of pinned memory");
    add(m_streams.size(), "streams");
    add(m_events.size(), "events");
    add(m_graphs.size(), "graphs");
    add(m_executables.size(), "executable graphs");
    lines.insert(lines.end(), m_held.begin(), m_held.end());
    return lines;
}

std::size_t Device::liveBytes() {
    const std::lock_guard guard(m_lock);
    return m_arena.liveBytes();
}

unsigned long Device::switches() {
    const std::lock_guard guard(m_lock);
    return m_executor.switches();
}

} // namespace simt
