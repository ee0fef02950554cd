// The window as a program: builds the application, the session and the main window and runs until
// the window closes. Main thread.
#pragma once

#include "app/console_options.h"

namespace ui {

// Returns the exit status. Prints one sentence and returns 1 where there is no display.
int runConsole(int argc, char** argv, const app::ConsoleOptions& options);

} // namespace ui
