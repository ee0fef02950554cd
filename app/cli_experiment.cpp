// `headway experiment`: one of the library or a file's, all of them, the list, the claims table.
#include "app/cli_commands.h"
#include "app/cli_database.h"
#include "app/cli_report.h"
#include "app/command/setting_flags.h"
#include "app/command/text_table.h"
#include "app/durations.h"
#include "app/experiment/claims.h"
#include "app/headless_experiment.h"
#include "app/store/machine_json.h"

#include <QCoreApplication>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace app {

namespace {

struct ExperimentArguments {
    std::string what, model, record, report, measure;
    int blocks = 0;
    bool asJson = false;
    SettingFlags settings;
};

std::vector<Experiment> library() {
    std::vector<Experiment> list;
    for (const BuiltInExperiment& builtIn : builtInExperiments()) {
        list.push_back(orFail(parseExperiment(builtIn.toml, builtIn.name)));
    }
    return list;
}

ExitStatus listLibrary(const ExperimentArguments& arguments) {
    TextTable table({{"name"}, {"experiment"}, {"claim", Align::Right}, {"about"}});
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const Experiment& experiment : library()) {
        const auto need = missingNeed(experiment, nullptr);
        const bool isOfModel = need && (need->starts_with("context:") || *need == "cuda");
        const std::string about =
            need && !isOfModel ? "needs " + needSentence(*need)
                               : durationText(experiment.seconds()) +
                                     (need ? ", needs " + needSentence(*need) : std::string());
        table.add({experiment.name, experiment.title, claimedText(experiment), about});
        json.push_back({{"name", experiment.name},
                        {"title", experiment.title},
                        {"group", experiment.group},
                        {"claim", claimText(experiment.claim)},
                        {"seconds", experiment.seconds()},
                        {"needs", need ? nlohmann::ordered_json(needSentence(*need))
                                       : nlohmann::ordered_json(nullptr)}});
    }
    printOut(arguments.asJson ? json.dump(2) + "\n" : table.text());
    return ExitStatus::Done;
}

std::filesystem::path logOf(const ExperimentArguments& arguments) {
    return arguments.record.empty() ? defaultRunLog() : std::filesystem::path(arguments.record);
}

ExitStatus showClaims(const ExperimentArguments& arguments) {
    const auto all = orFail(experimentResults(logOf(arguments)));
    const auto results = resultsOfMachine(all, machineJson(nullptr));
    if (results.size() < all.size()) {
        printNote(fmt::format("Left out: {} that {} measured on another machine.",
                              all.size() - results.size(),
                              all.size() - results.size() == 1 ? "was" : "were"));
    }
    // One model a table: the one that was measured last.
    const std::string digest = results.empty() ? std::string() : results.front().run.modelDigest;
    const auto rows = claimRows(results, digest, nullptr);
    if (!arguments.report.empty()) {
        const ReportApplication application;
        deliverClaims(arguments.report, rows);
    }
    if (arguments.asJson) {
        printOut(claimsJson(rows) + "\n");
    } else if (arguments.report.empty()) {
        printOut(claimsText(rows));
    }
    return ExitStatus::Done;
}

void shorten(Experiment& experiment, const ExperimentArguments& arguments) {
    if (arguments.blocks > 0) {
        const auto sides = static_cast<int>(experiment.sides.size());
        experiment.blocks = std::max(1, arguments.blocks / sides) * sides;
    }
    if (!arguments.measure.empty()) {
        const auto seconds = parseDuration(arguments.measure);
        if (!seconds || *seconds < 0.1) {
            throw CommandError(ExitStatus::Usage, fmt::format("--measure \"{}\" is no duration of "
                                                              "100ms or more; write it like 10s.",
                                                              arguments.measure));
        }
        experiment.measureSeconds = *seconds;
        experiment.workload.stages.front().seconds = experiment.blockSeconds();
    }
}

std::vector<Experiment> chosenExperiments(const ExperimentArguments& arguments) {
    std::vector<Experiment> list;
    if (arguments.what == "all") {
        list = library();
    } else {
        auto one = loadExperiment(arguments.what);
        if (!one) {
            const bool isUnknown = one.error().code == engine::ErrorCode::NotFound;
            throw CommandError(isUnknown ? ExitStatus::Usage : ExitStatus::Failed,
                               one.error().message);
        }
        list.push_back(std::move(*one));
    }
    for (Experiment& experiment : list) {
        shorten(experiment, arguments);
    }
    return list;
}

ExperimentResult resultOfRun(const std::vector<ExperimentResult>& results, std::int64_t run) {
    const auto found = std::ranges::find_if(
        results, [run](const ExperimentResult& result) { return result.run.id == run; });
    if (found == results.end()) {
        throw CommandError(ExitStatus::Failed,
                           fmt::format("Run {} holds no experiment that can be read.", run));
    }
    return *found;
}

void tell(const ExperimentArguments& arguments, const std::vector<std::int64_t>& runs,
          const std::filesystem::path& runLog, const engine::Capabilities& capabilities) {
    const auto results = orFail(experimentResults(runLog));
    if (arguments.what == "all") {
        const auto rows = claimRows(resultsOfMachine(results, machineJson(&capabilities)),
                                    capabilities.modelDigest, &capabilities);
        printOut(arguments.asJson ? claimsJson(rows) + "\n" : claimsText(rows));
        if (!arguments.report.empty()) {
            deliverClaims(arguments.report, rows);
        }
        return;
    }
    for (const std::int64_t run : runs) {
        const ExperimentResult result = resultOfRun(results, run);
        printOut(arguments.asJson ? experimentJson(result) + "\n" : experimentText(result));
        if (!arguments.report.empty()) {
            deliverExperiment(arguments.report, result, runLog);
        }
    }
}

ExitStatus runExperiments(const ExperimentArguments& arguments) {
    std::vector<Experiment> experiments = chosenExperiments(arguments);
    const engine::EngineConfig config = SettingFlags::applied(arguments.settings.changed());
    const std::filesystem::path model =
        modelToOpen(arguments.model, "headway experiment " + arguments.what + " MODEL");
    const ReportApplication application;
    auto opened = usableRunLog(arguments.record);
    const std::filesystem::path runLog = opened->file();
    HeadlessExperiment::End end{};
    std::string message;
    std::vector<std::int64_t> runs;
    engine::Capabilities capabilities;
    {
        HeadlessExperiment headless(model, config, std::move(experiments), std::move(opened));
        end = headless.exec();
        message = headless.message();
        runs = headless.runs();
        capabilities = headless.capabilities();
    } // the recorder has let go of the log
    if (!message.empty()) {
        printNote("headway experiment: " + message);
    }
    if (!runs.empty()) {
        tell(arguments, runs, runLog, capabilities);
    }
    return end == HeadlessExperiment::End::Interrupted ? ExitStatus::Interrupted
           : end == HeadlessExperiment::End::Failed    ? ExitStatus::Failed
                                                       : ExitStatus::Done;
}

ExitStatus runChosen(const ExperimentArguments& arguments) {
    if (!arguments.report.empty()) {
        requireReportName(arguments.report);
    }
    if (arguments.what == "list") {
        return listLibrary(arguments);
    }
    return arguments.what == "claims" ? showClaims(arguments) : runExperiments(arguments);
}

} // namespace

void declareExperiment(CLI::App& command, ChosenCommand& chosen) {
    const auto arguments = std::make_shared<ExperimentArguments>();
    command
        .add_option("WHAT", arguments->what,
                    "An experiment of the library, a file, or list, all, claims")
        ->required();
    command.add_option("MODEL", arguments->model,
                       "Model file or folder (default: the default model)");
    command.add_option("--record", arguments->record,
                       "Database to record into, or to read claims from (default: the user's run "
                       "log)");
    command.add_option("--report", arguments->report,
                       "Write a report: FILE.html, .pdf, .md, .json or .csv");
    command.add_option("--blocks", arguments->blocks, "Blocks instead of those planned")
        ->check(CLI::Range(1, 1000));
    command.add_option("--measure", arguments->measure, "Measured time of a block instead: 10s");
    command.add_flag("--json", arguments->asJson, "One JSON document on standard output");
    arguments->settings.declare(command);
    command.callback(
        [arguments, &chosen] { chosen = [arguments] { return runChosen(*arguments); }; });
}

} // namespace app
