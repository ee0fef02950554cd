// The objects that carry values between threads: LatestValue (newest wins), Inbox (many writers,
// the engine thread reads), Outbox (bounded, one consumer). Header only; T is moved, never shared.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace engine {

// Triple buffer: one writer thread, one reader thread, both wait-free. The reader sees whole values
// only and never an older one after a newer one.
template <class T>
class LatestValue {
public:
    LatestValue() = default;
    explicit LatestValue(const T& initial) { m_slots.fill(initial); }
    LatestValue(const LatestValue&) = delete;
    LatestValue& operator=(const LatestValue&) = delete;

    // Writer.
    void publish(const T& value) {
        m_slots[m_back] = value;
        // release: the slot's content before its number; acquire: the reader is done with the slot
        // we get back.
        const unsigned previous = m_middle.exchange(m_back | kFresh, std::memory_order_acq_rel);
        m_back = previous & kIndex;
    }

    // Reader. Valid until the next call.
    const T& read() {
        // relaxed: only a hint; the exchange below orders the contents.
        if ((m_middle.load(std::memory_order_relaxed) & kFresh) != 0) {
            const unsigned previous = m_middle.exchange(m_front, std::memory_order_acq_rel);
            m_front = previous & kIndex;
        }
        return m_slots[m_front];
    }

private:
    static constexpr unsigned kIndex = 3;
    static constexpr unsigned kFresh = 4;

    std::array<T, 3> m_slots{};
    std::atomic<unsigned> m_middle{1}; // slot in transit, and whether it is newer than the reader's
    unsigned m_back = 2;               // writer's own
    unsigned m_front = 0;              // reader's own
};

// A vector swapped under a lock that is held for the swap. Any thread pushes, one takes and waits.
template <class T>
class Inbox {
public:
    void push(T item) {
        {
            const std::lock_guard lock(m_mutex);
            m_items.push_back(std::move(item));
        }
        m_arrived.notify_one();
    }

    // Ends the reader's present or next wait though nothing was pushed: a cancelled request, an
    // edited configuration.
    void wake() {
        {
            const std::lock_guard lock(m_mutex);
            m_isWoken = true;
        }
        m_arrived.notify_one();
    }

    // Everything pushed since the last call, in order.
    std::vector<T> take() {
        std::vector<T> items;
        const std::lock_guard lock(m_mutex);
        items.swap(m_items);
        m_isWoken = false;
        return items;
    }

    bool isEmpty() const {
        const std::lock_guard lock(m_mutex);
        return m_items.empty();
    }

    // Blocks until something was pushed, wake() was called, or stop is requested. False on stop.
    bool wait(std::stop_token stop) {
        std::unique_lock lock(m_mutex);
        m_arrived.wait(lock, stop, [this] { return hasCause(); });
        return !stop.stop_requested();
    }

    // The same with a limit; false on stop or when the time is over with nothing to do.
    bool waitUntil(std::stop_token stop, std::chrono::steady_clock::time_point limit) {
        std::unique_lock lock(m_mutex);
        const bool isReady = m_arrived.wait_until(lock, stop, limit, [this] { return hasCause(); });
        return isReady && !stop.stop_requested();
    }

private:
    bool hasCause() const { return m_isWoken || !m_items.empty(); }

    mutable std::mutex m_mutex;
    std::condition_variable_any m_arrived;
    std::vector<T> m_items;
    bool m_isWoken = false;
};

// What an Outbox does with an item when it is full.
enum class Delivery : std::uint8_t {
    Droppable,  // counted, not kept
    Guaranteed, // kept whatever the bound
};

// Bounded: nobody's stalled reader makes it grow, but for the items that may never be lost. Any
// thread pushes, one consumer takes.
template <class T>
class Outbox {
public:
    explicit Outbox(std::size_t bound) : m_bound(bound) {}

    // False where the item was dropped.
    bool push(T item, Delivery delivery) {
        const std::lock_guard lock(m_mutex);
        if (delivery == Delivery::Droppable && m_items.size() >= m_bound) {
            ++m_dropped;
            return false;
        }
        m_items.push_back(std::move(item));
        return true;
    }

    // Everything since the last call, in order.
    std::vector<T> take() {
        std::vector<T> items;
        const std::lock_guard lock(m_mutex);
        items.swap(m_items);
        return items;
    }

    // Items dropped since construction: not zero means the record is incomplete.
    std::uint64_t dropped() const {
        const std::lock_guard lock(m_mutex);
        return m_dropped;
    }
    bool hasOverflowed() const { return dropped() != 0; }

private:
    const std::size_t m_bound;
    mutable std::mutex m_mutex;
    std::vector<T> m_items;
    std::uint64_t m_dropped = 0;
};

} // namespace engine
