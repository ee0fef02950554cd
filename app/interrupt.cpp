#include "app/interrupt.h"

#include <QSocketNotifier>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace app {

namespace {

// A signal handler reaches nothing but statics. Written before the handlers are installed.
std::array<int, 2> g_pipe = {-1, -1};

void handleSignal(int signal) {
    // The second one must not depend on anything that may hang.
    std::signal(signal, SIG_DFL);
    const char byte = 1;
    [[maybe_unused]] const auto written = write(g_pipe[1], &byte, 1);
}

} // namespace

InterruptWatch::InterruptWatch(std::function<void()> onInterrupt, QObject* parent)
    : QObject(parent),
      m_onInterrupt(std::move(onInterrupt)) {
    if (pipe2(g_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
        return; // the signals keep ending the process; the log recovers what was recorded
    }
    m_notifier = new QSocketNotifier(g_pipe[0], QSocketNotifier::Read, this);
    connect(m_notifier, &QSocketNotifier::activated, this, [this] {
        std::array<char, 16> bytes{};
        [[maybe_unused]] const auto got = read(g_pipe[0], bytes.data(), bytes.size());
        m_onInterrupt();
    });
    std::signal(SIGINT, handleSignal);
    std::signal(SIGTERM, handleSignal);
}

InterruptWatch::~InterruptWatch() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    delete m_notifier;
    for (int& end : g_pipe) {
        if (end >= 0) {
            close(end);
        }
        end = -1;
    }
}

} // namespace app
