// The CPU's operators with a hand on them: they fail or wait when a test says so. A test holds the
// control; the engine owns the operators.
#pragma once

#include "kernels/ops.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

namespace tests {

class OpsControl {
public:
    // The next product throws std::runtime_error(reason).
    void failNextProduct(std::string reason);
    // Allocations above so many bytes throw std::bad_alloc.
    void limitAllocation(std::size_t bytes) { m_largestAllocation = bytes; }
    // Products wait, one by one, until released.
    void hold();
    void release();
    // Since the start.
    std::int64_t products() const { return m_products; }
    std::int64_t allocations() const { return m_allocations; }

    // For WatchedOps.
    void enterProduct();
    void enterAllocation(std::size_t bytes);

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::string m_reason;
    bool m_isHeld = false;
    std::atomic<std::size_t> m_largestAllocation{SIZE_MAX};
    std::atomic<std::int64_t> m_products{0};
    std::atomic<std::int64_t> m_allocations{0};
};

// For LoadSettings::makeOps.
std::function<std::unique_ptr<kernels::Ops>(kernels::ThreadPool&)>
watchedOps(std::shared_ptr<OpsControl> control);

} // namespace tests
