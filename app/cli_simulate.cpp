// `headway simulate`: a workload in virtual time, beside the recorded run that the costs are from.
#include "app/cli_commands.h"
#include "app/cli_database.h"
#include "app/command/setting_flags.h"
#include "app/command/text_table.h"
#include "app/report/report.h"
#include "app/run_text.h"
#include "app/simulated_run.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <memory>

namespace app {

namespace {

struct SimulateArguments {
    std::string workload, profile;
    bool asJson = false;
    SettingFlags settings;
};

// "DB:RUN", or a run of the user's own log.
RunData profileRun(const std::string& text) {
    const auto colon = text.rfind(':');
    std::vector<std::string> words;
    if (colon != std::string::npos) {
        words.push_back(text.substr(0, colon));
    }
    words.push_back(colon == std::string::npos ? text : text.substr(colon + 1));
    const RunArguments arguments = parseRunArguments(words);
    if (arguments.runs.size() != 1) {
        throw CommandError(ExitStatus::Usage,
                           "Name the run whose costs are used: --profile DB:RUN, or --profile RUN "
                           "of your own run log.");
    }
    return orFail(openForReading(arguments.runLog)->load(arguments.runs.front()));
}

struct Figure {
    const char* name;
    std::optional<double> (*of)(const RunSummary& summary);
};

constexpr std::array kFigures = {
    Figure{"requests", [](const RunSummary& s) { return std::optional(double(s.requests)); }},
    Figure{"completed", [](const RunSummary& s) { return std::optional(double(s.completed)); }},
    Figure{"output tok/s", [](const RunSummary& s) { return std::optional(s.outputPerSecond); }},
    Figure{"prompt tok/s", [](const RunSummary& s) { return std::optional(s.promptPerSecond); }},
    Figure{"requests/s", [](const RunSummary& s) { return std::optional(s.requestsPerSecond); }},
    Figure{"goodput/s", [](const RunSummary& s) { return std::optional(s.goodputPerSecond); }},
    Figure{"TTFT p50 ms", [](const RunSummary& s) { return s.ttftMs.p50; }},
    Figure{"TTFT p90 ms", [](const RunSummary& s) { return s.ttftMs.p90; }},
    Figure{"TTFT p99 ms", [](const RunSummary& s) { return s.ttftMs.p99; }},
    Figure{"TPOT p50 ms", [](const RunSummary& s) { return s.tpotMs.p50; }},
    Figure{"E2EL p50 ms", [](const RunSummary& s) { return s.e2eMs.p50; }},
};

std::string sideBySide(const RunSummary& simulated, const RunSummary& recorded, bool isSameList) {
    std::vector<TextTable::Column> columns = {
        {"", Align::Left},
        {"simulated", Align::Right},
        {fmt::format("run {}", recorded.run.id), Align::Right}};
    if (isSameList) {
        columns.push_back({"difference", Align::Right});
    }
    TextTable table(std::move(columns));
    for (const Figure& figure : kFigures) {
        const auto model = figure.of(simulated);
        const auto real = figure.of(recorded);
        std::vector<std::string> cells = {figure.name, figureText(model), figureText(real)};
        if (isSameList) {
            cells.push_back(model && real && *real > 0.0
                                ? fmt::format("{:+.1f} %", (*model / *real - 1.0) * 100.0)
                                : figureText(std::nullopt));
        }
        table.add(std::move(cells));
    }
    std::string text = table.text();
    if (!isSameList) {
        text += fmt::format("Run {} had other requests or settings; its figures are no measure of "
                            "these.\n",
                            recorded.run.id);
    }
    return text;
}

bool hasSameSettings(const engine::EngineConfig& one, const engine::EngineConfig& other) {
    return engine::diff(one, other).empty();
}

ExitStatus runSimulation(const SimulateArguments& arguments) {
    const RunData recorded = profileRun(arguments.profile);
    const SimulationProfile profile = orFail(profileOf(recorded));
    const Workload workload = orFail(loadWorkload(arguments.workload));
    engine::EngineConfig config = profile.config;
    for (const auto& settings : {workload.settings, arguments.settings.changed()}) {
        for (const auto& [key, value] : settings) {
            orFail(engine::setFromText(*engine::findField(key), config, value));
        }
    }
    const SimulatedRun result = orFail(simulateWorkload(workload, profile, config));
    const auto recordedLoad = parseWorkload(recorded.summary.run.workloadToml, "");
    Workload named = workload;
    named.settings.clear();
    bool isSameList = false;
    if (recordedLoad) {
        Workload other = *recordedLoad;
        other.settings.clear();
        other.name = named.name;
        isSameList = other == named && hasSameSettings(config, profile.config);
    }
    if (!arguments.asJson) {
        printOut(sideBySide(result.summary, recorded.summary, isSameList));
        return ExitStatus::Done;
    }
    nlohmann::ordered_json document;
    document["simulated"] = nlohmann::ordered_json::parse(summaryJson(result.summary, false));
    document["recorded"] = nlohmann::ordered_json::parse(summaryJson(recorded.summary, false));
    document["is_same_workload"] = isSameList;
    document["steps"] = result.simulation.steps;
    document["preemptions"] = result.simulation.preemptions;
    printOut(document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    return ExitStatus::Done;
}

} // namespace

void declareSimulate(CLI::App& command, ChosenCommand& chosen) {
    const auto arguments = std::make_shared<SimulateArguments>();
    command.add_option("WORKLOAD", arguments->workload, "A workload file or a built-in name")
        ->required();
    command
        .add_option("--profile", arguments->profile,
                    "Run whose measured costs and settings are used: DB:RUN, or RUN")
        ->required();
    command.add_flag("--json", arguments->asJson, "One JSON document on standard output");
    arguments->settings.declare(command);
    command.callback(
        [arguments, &chosen] { chosen = [arguments] { return runSimulation(*arguments); }; });
}

} // namespace app
