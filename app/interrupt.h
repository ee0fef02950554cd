// Ctrl+C and a polite end asked by the system, as a call on the main thread's event loop. One
// object a process at a time.
#pragma once

#include <QObject>

#include <functional>

class QSocketNotifier;

namespace app {

class InterruptWatch final : public QObject {
    Q_OBJECT

public:
    // `onInterrupt` is called at the first signal; a second one ends the process at once.
    explicit InterruptWatch(std::function<void()> onInterrupt, QObject* parent = nullptr);
    ~InterruptWatch() override; // the signals do again what they did before

private:
    std::function<void()> m_onInterrupt;
    QSocketNotifier* m_notifier = nullptr;
};

} // namespace app
