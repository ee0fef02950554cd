// A stop token that is also asked to stop at a time, whatever its owner is in the middle of. Owns a
// thread that only waits.
#pragma once

#include "engine/request.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace engine {

class Deadline {
public:
    Deadline(const std::stop_token& outer, TimePoint at)
        : m_outer(outer, [this] { m_source.request_stop(); }),
          m_thread([this, at](const std::stop_token& stop) { wait(stop, at); }) {}

    std::stop_token token() const { return m_source.get_token(); }
    // Whether the time was up before the outer token was asked.
    bool hasPassed() const { return m_hasPassed.load(std::memory_order_acquire); }

private:
    void wait(const std::stop_token& stop, TimePoint at) {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any never;
        never.wait_until(lock, stop, at, [] { return false; });
        if (!stop.stop_requested() && !m_source.stop_requested()) {
            m_hasPassed.store(true, std::memory_order_release); // before whoever stops looks
            m_source.request_stop();
        }
    }

    std::stop_source m_source;
    std::atomic<bool> m_hasPassed{false};
    std::stop_callback<std::function<void()>> m_outer;
    std::jthread m_thread; // last: ends first
};

} // namespace engine
