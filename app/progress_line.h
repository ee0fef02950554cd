// What a headless run prints while it works: one line that renews itself on a terminal, a line
// every ten seconds elsewhere. On standard error. Main thread.
#pragma once

#include "app/session.h"

#include <QElapsedTimer>

#include <string>

namespace app {

class ProgressLine {
public:
    ProgressLine();
    ~ProgressLine(); // clears what it left

    void showLoading(const QString& phase, qint64 done, qint64 total);
    void showLoad(const Session& session);
    void showText(const std::string& line);
    void clear();

private:
    void show(const std::string& line);
    bool isDue();

    bool m_isTerminal = false;
    int m_columns = 200; // where it is no terminal
    bool m_isShown = false;
    QElapsedTimer m_sinceLine;
};

// "demo 0:23/1:00  276 of 280 done, 4 running, ...": what matters most first, for a narrow
// terminal.
std::string loadProgressText(const LoadProgress& progress, const Workload& workload,
                             const engine::Snapshot& snapshot, const History& history, int columns);

} // namespace app
