// The command line of `headway`: a table of commands, and the window when none is named. Main
// thread.
#pragma once

#include "app/console_options.h"

#include <functional>

namespace app {

// Runs the window; returns its exit status.
using ConsoleOpener = std::function<int(const ConsoleOptions&)>;

// Parses, runs one command, and returns the exit status: 0 done, 1 the work failed, 2 wrong usage,
// 3 a stated condition was not met, 130 interrupted.
int runCommandLine(int argc, char** argv, const ConsoleOpener& openConsole);

} // namespace app
