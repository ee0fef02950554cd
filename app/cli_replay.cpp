// `headway replay`: a recorded run, or a trace of another system, again: simulated where its costs
// are known, then really, with the simulation's error.
#include "app/cli_commands.h"
#include "app/cli_database.h"
#include "app/command/setting_flags.h"
#include "app/command/text_table.h"
#include "app/durations.h"
#include "app/headless_run.h"
#include "app/replay.h"
#include "app/report/report.h"
#include "app/run_text.h"
#include "app/simulated_run.h"

#include <QCoreApplication>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>

namespace app {

namespace {

using Json = nlohmann::ordered_json;

struct ReplayArguments {
    std::vector<std::string> targets; // [DB] RUN | TRACE, then MODEL
    std::string record, duration, profile;
    bool isSimulatedOnly = false;
    bool asJson = false;
    SettingFlags settings;
};

// What is to be sent, and the run that it is from.
struct Source {
    Replay replay;
    std::optional<RunData> recorded;
};

std::optional<std::int64_t> runOf(const std::string& text) {
    std::int64_t run = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), run);
    return error == std::errc{} && end == text.data() + text.size() && run > 0 ? std::optional(run)
                                                                               : std::nullopt;
}

Source sourceOfRun(const std::filesystem::path& log, std::int64_t run) {
    Source source;
    source.recorded = orFail(openForReading(log)->load(run));
    source.replay = orFail(replayOf(*source.recorded));
    return source;
}

Source sourceOf(std::vector<std::string>& targets) {
    if (targets.empty()) {
        throw CommandError(
            ExitStatus::Usage,
            "Name a run or a trace: headway replay [DB] RUN MODEL, or headway replay "
            "TRACE.csv MODEL.");
    }
    const std::string first = targets.front();
    targets.erase(targets.begin());
    if (const auto run = runOf(first)) {
        return sourceOfRun(defaultRunLog(), *run);
    }
    if (!targets.empty()) {
        if (const auto run = runOf(targets.front())) {
            targets.erase(targets.begin());
            return sourceOfRun(first, *run);
        }
    }
    Source source{.replay = orFail(loadReplay(first)), .recorded = std::nullopt};
    const Replay& replay = source.replay;
    printNote(fmt::format("{}: {} requests in {}{}", replay.origin, replay.requests.size(),
                          durationText(replay.requests.back().atSeconds),
                          replay.skipped > 0
                              ? fmt::format(", {} without an answer left out", replay.skipped)
                              : std::string()));
    return source;
}

void shorten(Source& source, const std::string& duration) {
    if (duration.empty()) {
        return;
    }
    const auto seconds = parseDuration(duration);
    if (!seconds || *seconds < 0.1) {
        throw CommandError(ExitStatus::Usage,
                           fmt::format("--for \"{}\" is no duration of 100ms or more.", duration));
    }
    source.replay = shortened(std::move(source.replay), *seconds);
}

// Settings of the recorded run, then those of the command line.
engine::EngineConfig configOf(const Source& source, const SettingFlags& flags) {
    engine::EngineConfig config;
    if (source.recorded) {
        for (const SettingRow& row : source.recorded->summary.settings) {
            if (const engine::Field* field = engine::findField(row.field)) {
                // A value of another version is left at its default.
                static_cast<void>(engine::setFromText(*field, config, row.requested));
            }
        }
    }
    for (const auto& [key, value] : flags.changed()) {
        orFail(engine::setFromText(*engine::findField(key), config, value));
    }
    return config;
}

// The very list that is sent really, with the costs of the run that it is from, or of another one.
std::optional<RunSummary> simulated(const Source& source, const std::optional<RunData>& costs,
                                    engine::EngineConfig config) {
    const RunData* measured = costs ? &*costs : source.recorded ? &*source.recorded : nullptr;
    if (measured == nullptr) {
        printNote("Not simulated: name a run of this model whose costs are used, --profile DB:RUN");
        return std::nullopt;
    }
    const auto profile = profileOf(*measured);
    if (!profile) {
        printNote(profile.error().message);
        return std::nullopt;
    }
    if (config.kvBlocks < 1) { // chosen at load: as many as that run had
        config.kvBlocks = profile->config.kvBlocks;
    }
    auto run = simulateRequests(source.replay.workload, source.replay.requests, *profile, config);
    if (!run) {
        printNote(run.error().message);
        return std::nullopt;
    }
    return std::move(run->summary);
}

std::string sideBySide(const std::vector<ReplayRow>& rows) {
    TextTable table({{""},
                     {"recorded", Align::Right},
                     {"simulated", Align::Right},
                     {"real", Align::Right},
                     {"error of the simulation", Align::Right}});
    for (const ReplayRow& row : rows) {
        table.add(
            {std::string(row.name), figureText(row.recorded), figureText(row.simulated),
             figureText(row.real),
             row.error ? fmt::format("{:+.1f} %", 100 * *row.error) : figureText(std::nullopt)});
    }
    return table.text();
}

std::string replayJson(const Replay& replay, const std::optional<RunSummary>& recorded,
                       const std::optional<RunSummary>& model,
                       const std::optional<RunSummary>& real) {
    Json json = {{"origin", replay.origin},
                 {"requests", replay.requests.size()},
                 {"is_own_list", replay.isOwnList}};
    const auto add = [&json](const char* key, const std::optional<RunSummary>& summary) {
        json[key] = summary ? Json::parse(summaryJson(*summary, false)) : Json(nullptr);
    };
    add("recorded", recorded);
    add("simulated", model);
    add("real", real);
    Json& errors = json["error_of_simulation"] = Json::object();
    for (const ReplayRow& row : replayRows(recorded, model, real)) {
        errors[std::string(row.key)] = row.error ? Json(*row.error) : Json(nullptr);
    }
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

ExitStatus runReplay(const ReplayArguments& arguments) {
    std::vector<std::string> targets = arguments.targets;
    Source source = sourceOf(targets);
    shorten(source, arguments.duration);
    const engine::EngineConfig config = configOf(source, arguments.settings);
    std::optional<RunData> costs;
    if (!arguments.profile.empty()) {
        costs = loadProfileRun(arguments.profile);
    }
    const std::optional<RunSummary> model = simulated(source, costs, config);
    std::optional<RunSummary> real;
    auto end = HeadlessRun::End::Done;
    if (!arguments.isSimulatedOnly) {
        const std::filesystem::path file = modelToOpen(
            targets.empty() ? std::string() : targets.front(), "headway replay RUN MODEL");
        std::string program = "headway";
        char* argumentList[] = {program.data(), nullptr};
        int count = 1;
        const QCoreApplication application(count, argumentList);
        auto opened = usableRunLog(arguments.record);
        const std::filesystem::path runLog = opened->file();
        std::optional<std::int64_t> run;
        {
            HeadlessRun headless(file, config, source.replay.workload, std::move(opened));
            headless.setRequests(source.replay.requests);
            end = headless.exec();
            run = headless.run();
            if (!headless.message().empty()) {
                printNote("headway replay: " + headless.message());
            }
        }
        if (run) {
            real = orFail(openForReading(runLog)->summary(*run));
        }
    }
    const std::optional<RunSummary> recorded =
        source.recorded ? std::optional(source.recorded->summary) : std::nullopt;
    if (arguments.asJson) {
        printOut(replayJson(source.replay, recorded, model, real));
    } else {
        printOut(sideBySide(replayRows(recorded, model, real)));
        if (real) {
            printOut(fmt::format("Recorded as run {}.\n", real->run.id));
        }
    }
    return end == HeadlessRun::End::Interrupted ? ExitStatus::Interrupted
           : end == HeadlessRun::End::Failed    ? ExitStatus::Failed
                                                : ExitStatus::Done;
}

} // namespace

void declareReplay(CLI::App& command, ChosenCommand& chosen) {
    const auto arguments = std::make_shared<ReplayArguments>();
    command.add_option("RUN", arguments->targets,
                       "[DB] RUN MODEL, or TRACE MODEL: a trace of Azure, BurstGPT or Mooncake");
    command.add_option("--record", arguments->record, "Database to record into");
    command.add_option("--for", arguments->duration, "Only the first part: 30s, 5min");
    command.add_option("--profile", arguments->profile,
                       "Run whose measured costs are simulated with: DB:RUN, or RUN (default: the "
                       "run that is replayed)");
    command.add_flag("--simulate-only", arguments->isSimulatedOnly, "Do not run it really");
    command.add_flag("--json", arguments->asJson, "One JSON document on standard output");
    arguments->settings.declare(command);
    command.callback(
        [arguments, &chosen] { chosen = [arguments] { return runReplay(*arguments); }; });
}

} // namespace app
