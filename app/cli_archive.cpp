// `headway archive` and `headway import`: a run as a file of its own, and runs of another file.
#include "app/cli_commands.h"
#include "app/cli_database.h"
#include "app/run_import.h"
#include "app/store/run_archive.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace app {

namespace {

struct ArchiveArguments {
    std::vector<std::string> targets;
    std::string file;
};

ExitStatus runArchive(const ArchiveArguments& archive) {
    const RunArguments arguments = parseRunArguments(archive.targets);
    if (arguments.runs.size() != 1) {
        throw CommandError(ExitStatus::Usage, "Name one run: headway archive [DB] RUN --out FILE.");
    }
    openForReading(arguments.runLog); // says what is wrong with it
    orFail(archiveRun(arguments.runLog, arguments.runs.front(), archive.file));
    printNote("Wrote " + archive.file);
    return ExitStatus::Done;
}

struct ImportArguments {
    std::string file, record;
};

ExitStatus runImport(const ImportArguments& arguments) {
    const std::filesystem::path log =
        arguments.record.empty() ? defaultRunLog() : std::filesystem::path(arguments.record);
    const auto store = orFail(RunStore::open(log, StoreMode::Write));
    const auto ids = orFail(importFile(*store, arguments.file));
    printOut(ids.empty() ? "Every run of the file is in the log already.\n"
             : ids.size() == 1
                 ? fmt::format("Imported as run {}.\n", ids.front())
                 : fmt::format("Imported {} runs, from run {} on.\n", ids.size(), ids.front()));
    return ExitStatus::Done;
}

} // namespace

void declareArchive(CLI::App& command, ChosenCommand& chosen) {
    const auto arguments = std::make_shared<ArchiveArguments>();
    command.add_option("RUN", arguments->targets, "[DB] RUN: one run, after another run log");
    command.add_option("--out", arguments->file, "File to write")->required();
    command.callback(
        [arguments, &chosen] { chosen = [arguments] { return runArchive(*arguments); }; });
}

void declareImport(CLI::App& command, ChosenCommand& chosen) {
    const auto arguments = std::make_shared<ImportArguments>();
    command.add_option("FILE", arguments->file, "An archive, another run log, or a run as JSON")
        ->required();
    command.add_option("--record", arguments->record,
                       "Database to import into (default: the user's run log)");
    command.callback(
        [arguments, &chosen] { chosen = [arguments] { return runImport(*arguments); }; });
}

} // namespace app
