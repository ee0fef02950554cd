// Lets the steps of two engines take turns on the cores they share. Any thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace engine {

class StepGate {
public:
    // Held for the time of a step; first come, first served, so that none waits for two of the
    // other's steps.
    class Turn {
    public:
        explicit Turn(StepGate& gate) : m_gate(gate) {
            std::unique_lock lock(m_gate.m_mutex);
            const std::uint64_t ticket = m_gate.m_next++;
            m_gate.m_called.wait(lock, [&] { return m_gate.m_serving == ticket; });
        }
        ~Turn() {
            {
                const std::lock_guard lock(m_gate.m_mutex);
                ++m_gate.m_serving;
            }
            m_gate.m_called.notify_all();
        }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

    private:
        StepGate& m_gate;
    };

private:
    std::mutex m_mutex;
    std::condition_variable m_called;
    std::uint64_t m_next = 0, m_serving = 0;
};

} // namespace engine
