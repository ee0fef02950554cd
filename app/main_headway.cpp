#include "app/cli.h"
#ifdef HEADWAY_WITH_UI
#include "ui/console.h"
#else
#include "app/command/command.h"
#endif

namespace {

#ifdef HEADWAY_WITH_UI
int openConsole(char** argv, const app::ConsoleOptions& options) {
    return ui::runConsole(1, argv, options); // the rest of the command line is ours, not Qt's
}
#else
int openConsole(char**, const app::ConsoleOptions&) {
    throw app::CommandError(app::ExitStatus::Usage,
                            "This build has no window; headway --help lists what works without.");
}
#endif

} // namespace

int main(int argc, char** argv) {
    return app::runCommandLine(argc, argv, [argv](const app::ConsoleOptions& options) {
        return openConsole(argv, options);
    });
}
