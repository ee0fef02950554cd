// Ctrl-C and a polite end asked by the system, as a stop token: what works can leave in order, and
// takes its half-written file along. One object a process at a time, made before other threads are.
#pragma once

#include <csignal>
#include <stop_token>
#include <thread>

namespace app {

class InterruptStop {
public:
    InterruptStop();  // the signals are the object's from now on
    ~InterruptStop(); // they do again what they did before
    InterruptStop(const InterruptStop&) = delete;
    InterruptStop& operator=(const InterruptStop&) = delete;

    std::stop_token token() const { return m_source.get_token(); }
    bool isRequested() const { return m_source.stop_requested(); }

private:
    std::stop_source m_source;
    sigset_t m_signals{}, m_before{};
    std::jthread m_thread; // waits for them; last: joined before anything else goes
};

} // namespace app
