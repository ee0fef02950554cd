// `headway replay`: a recorded run, or a trace of another system, again: simulated where its costs
// are known, then really, with the simulation's error.
#include "app/cli_commands.h"
#include "app/cli_database.h"
#include "app/command/setting_flags.h"
#include "app/command/text_table.h"
#include "app/durations.h"
#include "app/headless_run.h"
#include "app/load/trace.h"
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
    std::string record, duration;
    bool isSimulatedOnly = false;
    bool asJson = false;
    SettingFlags settings;
};

// What is to be sent, and what is known of it before.
struct Source {
    Workload workload;
    std::vector<PlannedRequest> requests;
    std::optional<RunData> recorded;
};

std::optional<std::int64_t> runOf(const std::string& text) {
    std::int64_t run = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), run);
    return error == std::errc{} && end == text.data() + text.size() && run > 0 ? std::optional(run)
                                                                               : std::nullopt;
}

// The list that the workload and its seed make, where the run sent just that; else the requests as
// they were recorded, with texts of about their lengths.
std::vector<PlannedRequest> requestsOf(const RunData& run, const Workload& workload) {
    const auto library = orFail(PromptLibrary::fromResources());
    std::vector<PlannedRequest> planned = planRequests(workload);
    if (requestListDigest(planned, library) == run.summary.run.requestDigest) {
        return planned;
    }
    const auto sets = library.sets();
    planned.clear();
    for (const StoredRequest& stored : run.requests) {
        const engine::RequestRecord& record = stored.record;
        const auto due = record.stamps.scheduled ? record.stamps.scheduled : record.stamps.received;
        const bool isWarmUp =
            (record.tags & static_cast<std::uint32_t>(engine::SampleTag::WarmUp)) != 0;
        if (!due || isWarmUp || record.promptTokens < 1 || record.maxTokens < 1) {
            continue;
        }
        const bool isKnown = std::ranges::find(sets, record.label) != sets.end();
        planned.push_back({.atSeconds = std::max(
                               0.0, std::chrono::duration<double>(due->time_since_epoch()).count()),
                           .stage = 0,
                           .promptSet = isKnown ? record.label : sets.front(),
                           .promptTokens = static_cast<int>(record.promptTokens),
                           .draw = static_cast<std::uint64_t>(stored.n),
                           .maxTokens = static_cast<int>(record.maxTokens),
                           .lane = record.lane,
                           .seed = static_cast<std::uint64_t>(stored.n)});
    }
    std::ranges::stable_sort(planned, {}, &PlannedRequest::atSeconds);
    return planned;
}

Source sourceOfRun(const std::filesystem::path& log, std::int64_t run) {
    Source source;
    source.recorded = orFail(openForReading(log)->load(run));
    const RunInfo& info = source.recorded->summary.run;
    if (auto workload = parseWorkload(info.workloadToml, info.workloadName)) {
        source.workload = std::move(*workload);
        source.requests = requestsOf(*source.recorded, source.workload);
    } else {
        source.requests = requestsOf(*source.recorded, Workload{});
    }
    if (source.requests.empty()) {
        throw CommandError(ExitStatus::Failed, fmt::format("Run {} holds no request.", run));
    }
    if (source.workload.stages.empty()) {
        Trace list;
        list.requests = source.requests;
        source.workload = traceWorkload(list, fmt::format("run {}", run));
    }
    source.workload.settings.clear(); // those of the run are applied by name, then the flags
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
    const Trace trace = orFail(loadTrace(first));
    printNote(fmt::format("{} trace: {} requests in {}{}", name(trace.kind), trace.requests.size(),
                          durationText(trace.seconds()),
                          trace.skipped > 0
                              ? fmt::format(", {} without an answer left out", trace.skipped)
                              : std::string()));
    return {.workload = traceWorkload(trace, std::filesystem::path(first).stem().string()),
            .requests = trace.requests,
            .recorded = std::nullopt};
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
    std::erase_if(source.requests,
                  [&](const PlannedRequest& request) { return request.atSeconds > *seconds; });
    source.workload = withDuration(source.workload, *seconds);
}

struct Figure {
    const char* name;
    std::optional<double> (*of)(const RunSummary& summary);
};
constexpr std::array kFigures = {
    Figure{"completed", [](const RunSummary& s) { return std::optional(double(s.completed)); }},
    Figure{"output tok/s", [](const RunSummary& s) { return std::optional(s.outputPerSecond); }},
    Figure{"requests/s", [](const RunSummary& s) { return std::optional(s.requestsPerSecond); }},
    Figure{"goodput/s", [](const RunSummary& s) { return std::optional(s.goodputPerSecond); }},
    Figure{"TTFT p50 ms", [](const RunSummary& s) { return s.ttftMs.p50; }},
    Figure{"TTFT p90 ms", [](const RunSummary& s) { return s.ttftMs.p90; }},
    Figure{"TTFT p99 ms", [](const RunSummary& s) { return s.ttftMs.p99; }},
    Figure{"TPOT p50 ms", [](const RunSummary& s) { return s.tpotMs.p50; }},
    Figure{"E2EL p50 ms", [](const RunSummary& s) { return s.e2eMs.p50; }},
};

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

// Only the very list of a workload can be simulated: simulate() plans it itself.
std::optional<RunSummary> simulated(const Source& source, const engine::EngineConfig& config) {
    if (!source.recorded) {
        return std::nullopt;
    }
    const auto profile = profileOf(*source.recorded);
    if (!profile) {
        printNote(profile.error().message);
        return std::nullopt;
    }
    auto run = simulateWorkload(source.workload, *profile, config);
    if (!run) {
        printNote(run.error().message);
        return std::nullopt;
    }
    return std::move(run->summary);
}

std::string sideBySide(const std::optional<RunSummary>& recorded,
                       const std::optional<RunSummary>& model,
                       const std::optional<RunSummary>& real) {
    TextTable table({{""},
                     {"recorded", Align::Right},
                     {"simulated", Align::Right},
                     {"real", Align::Right},
                     {"error of the simulation", Align::Right}});
    for (const Figure& figure : kFigures) {
        const auto of = [&](const std::optional<RunSummary>& summary) {
            return summary ? figure.of(*summary) : std::nullopt;
        };
        const auto a = of(recorded), b = of(model), c = of(real);
        table.add({figure.name, figureText(a), figureText(b), figureText(c),
                   b && c && *c > 0 ? fmt::format("{:+.1f} %", 100 * (*b / *c - 1))
                                    : figureText(std::nullopt)});
    }
    return table.text();
}

ExitStatus runReplay(const ReplayArguments& arguments) {
    std::vector<std::string> targets = arguments.targets;
    Source source = sourceOf(targets);
    shorten(source, arguments.duration);
    const engine::EngineConfig config = configOf(source, arguments.settings);
    const std::optional<RunSummary> model = simulated(source, config);
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
            HeadlessRun headless(file, config, source.workload, std::move(opened));
            headless.setRequests(source.requests);
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
        Json json;
        const auto add = [&json](const char* key, const std::optional<RunSummary>& summary) {
            json[key] = summary ? Json::parse(summaryJson(*summary, false)) : Json(nullptr);
        };
        add("recorded", recorded);
        add("simulated", model);
        add("real", real);
        printOut(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    } else {
        printOut(sideBySide(recorded, model, real));
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
    command.add_flag("--simulate-only", arguments->isSimulatedOnly, "Do not run it really");
    command.add_flag("--json", arguments->asJson, "One JSON document on standard output");
    arguments->settings.declare(command);
    command.callback(
        [arguments, &chosen] { chosen = [arguments] { return runReplay(*arguments); }; });
}

} // namespace app
