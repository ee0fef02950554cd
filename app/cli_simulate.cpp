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

#include <algorithm>
#include <array>
#include <memory>

namespace app {

namespace {

struct SimulateArguments {
    std::string workload, profile;
    bool asJson = false;
    SettingFlags settings;
};

struct Figure {
    const char* key;
    const char* name;
    std::optional<double> (*of)(const RunSummary& summary);
};

using Value = std::optional<double>;
constexpr std::array kFigures = {
    Figure{"requests", "requests", [](const RunSummary& s) { return Value(double(s.requests)); }},
    Figure{"completed", "completed",
           [](const RunSummary& s) { return Value(double(s.completed)); }},
    Figure{"output_tokens_per_s", "output tok/s",
           [](const RunSummary& s) { return s.outputPerSecond; }},
    Figure{"prompt_tokens_per_s", "prompt tok/s",
           [](const RunSummary& s) { return s.promptPerSecond; }},
    Figure{"requests_per_s", "requests/s", [](const RunSummary& s) { return s.requestsPerSecond; }},
    Figure{"goodput_per_s", "goodput/s", [](const RunSummary& s) { return s.goodputPerSecond; }},
    Figure{"ttft_p50_ms", "TTFT p50 ms", [](const RunSummary& s) { return s.ttftMs.p50; }},
    Figure{"ttft_p90_ms", "TTFT p90 ms", [](const RunSummary& s) { return s.ttftMs.p90; }},
    Figure{"ttft_p99_ms", "TTFT p99 ms", [](const RunSummary& s) { return s.ttftMs.p99; }},
    Figure{"tpot_p50_ms", "TPOT p50 ms", [](const RunSummary& s) { return s.tpotMs.p50; }},
    Figure{"e2e_p50_ms", "E2EL p50 ms", [](const RunSummary& s) { return s.e2eMs.p50; }},
};
constexpr std::size_t kTtftP50 = 6;
static_assert(std::string_view(kFigures[kTtftP50].key) == "ttft_p50_ms");

using Runs = std::vector<SimulatedRun>; // the one at the recorded run's paces first

struct Range {
    double low = 0.0, high = 0.0;
};

// Of a figure, over the simulations that have it.
std::optional<Range> rangeOf(const Figure& figure, const Runs& runs) {
    std::optional<Range> range;
    for (const SimulatedRun& run : runs) {
        if (const auto value = figure.of(run.summary)) {
            range = range.value_or(Range{*value, *value});
            range->low = std::min(range->low, *value);
            range->high = std::max(range->high, *value);
        }
    }
    return runs.size() > 1 ? range : std::nullopt;
}

LaneSummaries recordedLanes(const RunData& run) {
    std::vector<const engine::RequestRecord*> records;
    for (const StoredRequest& request : run.requests) {
        records.push_back(&request.record);
    }
    return laneSummaries(run.summary.run, records);
}

std::string differenceText(const std::optional<double>& model, const std::optional<double>& real) {
    return model && real && *real > 0.0 ? fmt::format("{:+.1f} %", (*model / *real - 1.0) * 100.0)
                                        : figureText(std::nullopt);
}

std::string rangeNote(const Runs& runs, std::int64_t run) {
    if (runs.size() < 2) {
        return {};
    }
    std::string text = fmt::format("Range: the same requests in {} simulations that meet the slow "
                                   "and fast moments of run {}'s machine at other times.\n",
                                   runs.size(), run);
    constexpr double kChance = 1.5;
    const auto ttft = rangeOf(kFigures[kTtftP50], runs);
    if (ttft && ttft->high > kChance * ttft->low) {
        text += "This load is close to what the machine can do: how long queues get there is "
                "chance, so no single figure of TTFT tells what the next run will have.\n";
    }
    return text;
}

std::string laneName(std::size_t lane) {
    return lane == static_cast<std::size_t>(engine::Lane::Realtime) ? "realtime" : "batch";
}

// Rows of the lanes, where both are used.
void addLanes(TextTable& table, const Runs& runs, const LaneSummaries& recorded, bool isSameList) {
    const LaneSummaries& simulated = runs.front().lanes;
    for (std::size_t lane = 0; lane < simulated.size(); ++lane) {
        if (!simulated[0] || !simulated[1]) {
            return;
        }
        for (const bool isTail : {false, true}) {
            const auto of = [&](const std::optional<RunSummary>& summary) {
                return !summary ? std::nullopt : isTail ? summary->ttftMs.p99 : summary->ttftMs.p50;
            };
            std::vector<std::string> cells = {
                fmt::format("TTFT {} {} ms", isTail ? "p99" : "p50", laneName(lane)),
                figureText(of(simulated[lane]))};
            if (runs.size() > 1) {
                cells.push_back(figureText(std::nullopt));
            }
            cells.push_back(figureText(of(recorded[lane])));
            if (isSameList) {
                cells.push_back(differenceText(of(simulated[lane]), of(recorded[lane])));
            }
            table.add(std::move(cells));
        }
    }
}

std::string sideBySide(const Runs& runs, const RunData& run, const SimulationProfile& profile,
                       bool keepsPrefixes, bool isSameList) {
    const RunSummary& recorded = run.summary;
    const RunSummary& simulated = runs.front().summary;
    std::vector<TextTable::Column> columns = {
        {"", Align::Left},
        {"simulated", Align::Right},
        {fmt::format("run {}", recorded.run.id), Align::Right}};
    if (runs.size() > 1) {
        columns.insert(columns.end() - 1, {"range", Align::Right});
    }
    if (isSameList) {
        columns.push_back({"difference", Align::Right});
    }
    TextTable table(std::move(columns));
    for (const Figure& figure : kFigures) {
        const auto model = figure.of(simulated);
        const auto real = figure.of(recorded);
        std::vector<std::string> cells = {figure.name, figureText(model), figureText(real)};
        if (const auto range = rangeOf(figure, runs)) {
            cells.insert(cells.end() - 1,
                         fmt::format("{} – {}", figureText(range->low), figureText(range->high)));
        } else if (runs.size() > 1) {
            cells.insert(cells.end() - 1, figureText(std::nullopt));
        }
        if (isSameList) {
            cells.push_back(differenceText(model, real));
        }
        table.add(std::move(cells));
    }
    addLanes(table, runs, recordedLanes(run), isSameList);
    std::string text = table.text() + rangeNote(runs, recorded.run.id);
    constexpr double kWorthTelling = 0.01;
    if (profile.hitShare >= kWorthTelling) {
        text += fmt::format("The prefix cache knew {:.0f} % of run {}'s prompt tokens; {}.\n",
                            profile.hitShare * 100.0, recorded.run.id,
                            keepsPrefixes ? "simulated prompts are shorter by as much"
                                          : "here it is off, and prompts are computed whole");
    }
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
    const RunData recorded = loadProfileRun(arguments.profile);
    const SimulationProfile profile = orFail(profileOf(recorded));
    const Workload workload = orFail(loadWorkload(arguments.workload));
    engine::EngineConfig config = profile.config;
    for (const auto& settings : {workload.settings, arguments.settings.changed()}) {
        for (const auto& [key, value] : settings) {
            orFail(engine::setFromText(*engine::findField(key), config, value));
        }
    }
    const Runs runs = orFail(simulateSpread(workload, profile, config));
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
        printOut(sideBySide(runs, recorded, profile, config.keepsPrefixes, isSameList));
        return ExitStatus::Done;
    }
    const SimulatedRun& result = runs.front();
    nlohmann::ordered_json document;
    document["simulated"] = nlohmann::ordered_json::parse(summaryJson(result.summary, false));
    document["recorded"] = nlohmann::ordered_json::parse(summaryJson(recorded.summary, false));
    document["is_same_workload"] = isSameList;
    nlohmann::ordered_json ranges = nlohmann::ordered_json::object();
    for (const Figure& figure : kFigures) {
        if (const auto range = rangeOf(figure, runs)) {
            ranges[figure.key] = {range->low, range->high};
        }
    }
    document["ranges"] = ranges;
    document["prefix_hit_share"] = profile.hitShare;
    const LaneSummaries real = recordedLanes(recorded);
    for (std::size_t lane = 0; lane < real.size(); ++lane) {
        for (const auto& [name, summary] :
             {std::pair("simulated", &result.lanes[lane]), std::pair("recorded", &real[lane])}) {
            if (*summary) {
                document["lanes"][laneName(lane)][name] =
                    nlohmann::ordered_json::parse(summaryJson(**summary, false));
            }
        }
    }
    document["simulations"] = runs.size();
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
