#include "app/cli.h"

#include "app/cli_commands.h"
#include "app/command/setting_flags.h"
#include "app/display.h"
#include "app/remote/remote_address.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>

namespace app {

namespace {

constexpr std::array kCommands = {
    CommandRow{"load", "Runs a workload without a window, records it and prints its figures",
               "headway load demo --for 30s --max-batch 8", declareLoad},
    CommandRow{"runs", "Lists the recorded runs", "headway runs --json", declareRuns},
    CommandRow{"show", "Shows one run whole: settings, figures, events", "headway show 12",
               declareShow},
    CommandRow{"report", "Writes a report of one run, or a comparison of two",
               "headway report 12 --html report.html", declareReport},
    CommandRow{"compare", "Compares two runs: differences with intervals and verdicts",
               "headway compare 11 12", declareCompare},
    CommandRow{"simulate", "Runs a workload through the real policies in virtual time",
               "headway simulate demo --profile 12 --batching dynamic", declareSimulate},
    CommandRow{"calibrate", "Finds what INT8 products with one scale a row are smoothed by",
               "headway calibrate model.gguf --samples mine.txt", declareCalibrate},
    CommandRow{"serve", "Serves the OpenAI API on this machine, and records what was asked",
               "headway serve model.gguf --port 8100 --token-file token", declareServe},
    CommandRow{
        "nginx-config", "Writes a configuration of nginx for a realtime and a batch instance",
        "headway nginx-config --realtime 8101 --batch 8102 > nginx.conf", declareNginxConfig},
    CommandRow{"experiment", "Runs an experiment A-B-A-B, or every claim, and tells what holds",
               "headway experiment continuous-single", declareExperiment},
    CommandRow{"tune", "Searches the settings that serve most requests within limits",
               "headway tune model.gguf --slo ttft_p99=300ms --minutes 10", declareTune},
    CommandRow{"advise", "Tells what the rule says for a limit, and what recorded runs say",
               "headway advise --slo ttft_p99=300ms", declareAdvise},
    CommandRow{"replay", "Runs a recorded run or a trace again: simulated, then really",
               "headway replay 12 model.gguf --batching dynamic", declareReplay},
    CommandRow{"archive", "Writes one run as a file of its own",
               "headway archive 12 --out run-12.db", declareArchive},
    CommandRow{"import", "Adds the runs of an archive or of another run log",
               "headway import run-12.db", declareImport},
    CommandRow{"check-db", "Checks a run log, and saves what can be read of a damaged one",
               "headway check-db runs.db --salvage saved.db", declareCheckDb},
    CommandRow{"fields", "Lists every setting with its values, default and when it takes effect",
               "headway fields", declareFields},
    CommandRow{"schema", "Tells what the JSON documents hold, as a JSON Schema",
               "headway schema comparison", declareSchema},
    CommandRow{"metrics", "Lists every recorded metric of the engine with its unit",
               "headway metrics", declareMetrics},
    CommandRow{"alarms", "Lists the alarms with their default limits, hold times and hysteresis",
               "headway alarms", declareAlarms},
};

struct WindowArguments {
    std::string model, workload, runLog, screenshots;
    bool asksForDisplay = false;
    SettingFlags settings;
};

void declareWindow(CLI::App& root, WindowArguments& arguments) {
    root.add_option(
        "MODEL", arguments.model,
        "Model to open in the window: a GGUF or safetensors file, a folder, or a server "
        "(http://...)");
    root.add_option("--workload", arguments.workload,
                    "Workload that starts once the model is loaded: a built-in name or a file");
    root.add_option("--record", arguments.runLog, "Run log to use instead of the user's own");
    root.add_option("--screenshots", arguments.screenshots)->group(""); // packaging/screenshots
    // packaging/run: whether a window could open, or why not.
    root.add_flag("--check-display", arguments.asksForDisplay)->group("");
    arguments.settings.declare(root);
}

int openWindow(const WindowArguments& arguments, const ConsoleOpener& openConsole) {
    if (arguments.asksForDisplay) {
        const auto problem = displayProblem();
        printOut(problem ? *problem + "\n" : "");
        return static_cast<int>(problem ? ExitStatus::Failed : ExitStatus::Done);
    }
    std::error_code ignored;
    if (!arguments.model.empty() && !isRemoteAddress(arguments.model) &&
        !std::filesystem::exists(arguments.model, ignored)) {
        throw CommandError(
            ExitStatus::Usage,
            fmt::format("\"{}\" is neither a command nor a model file; `headway --help` lists the "
                        "commands.",
                        arguments.model));
    }
    ConsoleOptions options;
    options.settings = arguments.settings.changed();
    SettingFlags::applied(options.settings); // refuses what does not go together
    options.workload = arguments.workload;
    if (!arguments.model.empty()) {
        options.model = arguments.model;
    }
    if (!arguments.screenshots.empty()) {
        options.screenshots = arguments.screenshots;
    }
    if (!arguments.runLog.empty()) {
        options.runLog = arguments.runLog;
    }
    if (const auto problem = displayProblem()) {
        throw CommandError(ExitStatus::Usage,
                           fmt::format("{}. Without a window: headway load demo {}", *problem,
                                       arguments.model.empty() ? "MODEL" : arguments.model));
    }
    return openConsole(options);
}

} // namespace

int runCommandLine(int argc, char** argv, const ConsoleOpener& openConsole) {
    // A relative path is invalid by the XDG specification and to be ignored; Qt takes it.
    for (const char* name : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"}) {
        if (const char* folder = std::getenv(name); folder != nullptr && folder[0] != '/') {
            ::unsetenv(name);
        }
    }
    CLI::App root("Headway: an operations console for language-model inference.\n"
                  "Without a command it opens the window.",
                  "headway");
    root.set_version_flag("--version", "headway " HEADWAY_VERSION);
    root.footer("Example:\n  headway model.gguf --workload demo");
    WindowArguments window;
    declareWindow(root, window);
    return runCommands(root, kCommands, argc, argv,
                       [&] { return openWindow(window, openConsole); });
}

} // namespace app
