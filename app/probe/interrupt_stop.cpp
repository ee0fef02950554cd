#include "app/probe/interrupt_stop.h"

#include "app/command/command.h"

#include <unistd.h>

#include <ctime>

namespace app {

InterruptStop::InterruptStop() {
    sigemptyset(&m_signals);
    sigaddset(&m_signals, SIGINT);
    sigaddset(&m_signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &m_signals, &m_before); // threads that are made later have it too
    m_thread = std::jthread([this](const std::stop_token& end) {
        constexpr timespec kPatience{.tv_sec = 0, .tv_nsec = 50'000'000};
        while (!end.stop_requested()) {
            if (sigtimedwait(&m_signals, nullptr, &kPatience) < 0) {
                continue;
            }
            if (m_source.stop_requested()) {
                _exit(static_cast<int>(ExitStatus::Interrupted)); // the second one: at once
            }
            m_source.request_stop();
        }
    });
}

InterruptStop::~InterruptStop() {
    m_thread.request_stop();
    m_thread.join();
    pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
}

} // namespace app
