// `headway runs` and `headway show`: what a run log holds.
#include "app/cli_commands.h"
#include "app/cli_database.h"
#include "app/report/report.h"
#include "app/run_text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace app {

namespace {

struct ReadArguments {
    std::vector<std::string> targets;
    bool asJson = false;
};

std::shared_ptr<ReadArguments> declareRead(CLI::App& command, const char* targets,
                                           const char* help) {
    auto arguments = std::make_shared<ReadArguments>();
    command.add_option(targets, arguments->targets, help);
    command.add_flag("--json", arguments->asJson, "One JSON document on standard output");
    return arguments;
}

ExitStatus listRuns(const ReadArguments& read) {
    const RunArguments arguments = parseRunArguments(read.targets);
    if (!arguments.runs.empty()) {
        throw CommandError(ExitStatus::Usage,
                           "`headway runs` lists every run; `headway show RUN` shows one.");
    }
    // Before the first run there is no log of the user's own, which is no failure.
    std::error_code ignored;
    const bool isFirst =
        arguments.runLog == defaultRunLog() && !std::filesystem::exists(arguments.runLog, ignored);
    const auto runs =
        isFirst ? std::vector<RunSummary>() : orFail(openForReading(arguments.runLog)->runs());
    if (!read.asJson) {
        printOut(runs.empty() ? "No runs yet; record one with: headway load demo MODEL\n"
                              : runListText(runs));
        return ExitStatus::Done;
    }
    std::string json = "[";
    for (const RunSummary& run : runs) {
        json += (json.size() > 1 ? ",\n" : "\n") + summaryJson(run, false);
    }
    printOut(json + "\n]\n");
    return ExitStatus::Done;
}

ExitStatus showRun(const ReadArguments& read) {
    const RunArguments arguments = parseRunArguments(read.targets);
    if (arguments.runs.size() != 1) {
        throw CommandError(ExitStatus::Usage, "Name one run: headway show [DB] RUN.");
    }
    const auto store = openForReading(arguments.runLog);
    if (read.asJson) {
        printOut(reportJson(orFail(store->load(arguments.runs.front()))) + "\n");
        return ExitStatus::Done;
    }
    const RunData run = orFail(store->load(arguments.runs.front()));
    printOut(runSummaryText(run.summary, arguments.runLog) + runDetailsText(run));
    return ExitStatus::Done;
}

} // namespace

void declareRuns(CLI::App& command, ChosenCommand& chosen) {
    const auto read = declareRead(command, "DB", "Run log (default: the user's own)");
    command.callback([read, &chosen] { chosen = [read] { return listRuns(*read); }; });
}

void declareShow(CLI::App& command, ChosenCommand& chosen) {
    const auto read = declareRead(command, "RUN",
                                  "[DB] RUN: a run id, after a run log other than the user's own");
    command.callback([read, &chosen] { chosen = [read] { return showRun(*read); }; });
}

} // namespace app
