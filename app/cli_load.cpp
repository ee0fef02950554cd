// `headway load`: a workload without a window, recorded, with its figures at the end.
#include "app/cli_commands.h"
#include "app/cli_database.h"
#include "app/command/setting_flags.h"
#include "app/durations.h"
#include "app/fail_rule.h"
#include "app/headless_run.h"
#include "app/load/workload_limits.h"
#include "app/remote/remote_address.h"
#include "app/replay.h"
#include "app/report/report.h"
#include "app/run_text.h"

#include <QCoreApplication>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <optional>

namespace app {

namespace {

struct LoadArguments {
    std::string workload, model, duration, record;
    std::vector<std::string> rules;
    std::optional<double> sparseShare;
    bool asJson = false;
    SettingFlags settings;
};

// A workload, or a trace of another system: then the list is the trace's own.
engine::Result<Replay> loadOf(const std::string& name) {
    if (isTraceFile(name)) {
        return loadReplay(name);
    }
    auto workload = loadWorkload(name);
    if (!workload) {
        return std::unexpected(workload.error());
    }
    Replay planned;
    planned.workload = std::move(*workload);
    planned.isOwnList = true;
    return planned;
}

Replay chosenLoad(const LoadArguments& arguments) {
    auto load = loadOf(arguments.workload);
    if (!load) {
        const bool isUnknown =
            load.error().code == engine::ErrorCode::NotFound && !isTraceFile(arguments.workload);
        throw CommandError(isUnknown ? ExitStatus::Usage : ExitStatus::Failed,
                           load.error().message);
    }
    Workload* workload = &load->workload;
    if (!arguments.duration.empty()) {
        const auto seconds = parseDuration(arguments.duration);
        if (!seconds) {
            throw CommandError(ExitStatus::Usage,
                               fmt::format("--for \"{}\" is no duration; write it like 500ms, "
                                           "60s, 5min or 1h.",
                                           arguments.duration));
        }
        if (const auto problem = outsideLimit(kDurationLimit, *seconds)) {
            throw CommandError(ExitStatus::Usage, "--for: " + *problem + " seconds.");
        }
        *load = shortened(std::move(*load), *seconds);
    }
    if (arguments.sparseShare) {
        if (const auto problem = outsideLimit(kSparseShareLimit, *arguments.sparseShare)) {
            throw CommandError(ExitStatus::Usage, "--sparse-share: " + *problem + ".");
        }
        if (!load->isOwnList) {
            throw CommandError(ExitStatus::Usage, "--sparse-share is of workloads; a trace tells "
                                                  "each request itself.");
        }
        workload->sparseShare = *arguments.sparseShare;
    }
    // Flags win over the file, and the run's record holds what was really asked for.
    for (const auto& [key, value] : arguments.settings.changed()) {
        const auto found = std::find_if(workload->settings.begin(), workload->settings.end(),
                                        [&](const auto& setting) { return setting.first == key; });
        if (found != workload->settings.end()) {
            found->second = value;
        } else {
            workload->settings.emplace_back(key, value);
        }
    }
    if (const auto valid = validateWorkload(*workload); !valid) {
        throw CommandError(ExitStatus::Usage, valid.error().message);
    }
    return *load;
}

std::vector<FailRule> chosenRules(const LoadArguments& arguments) {
    std::vector<FailRule> rules;
    for (const std::string& text : arguments.rules) {
        auto rule = parseFailRule(text);
        if (!rule) {
            throw CommandError(ExitStatus::Usage, "--fail-on: " + rule.error().message);
        }
        rules.push_back(std::move(*rule));
    }
    return rules;
}

void printSummary(const RunSummary& summary, const std::filesystem::path& runLog,
                  const std::optional<UnwrittenRun>& unwritten, bool asJson) {
    if (!asJson) {
        printOut(runSummaryText(summary, runLog));
        return;
    }
    auto document = nlohmann::ordered_json::parse(summaryJson(summary, false));
    document["run_log"] = runLog.string();
    if (unwritten) {
        document["unwritten_requests"] = unwritten->requests;
    }
    printOut(document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

ExitStatus judge(const RunSummary& summary, const std::vector<FailRule>& rules) {
    ExitStatus status = ExitStatus::Done;
    for (const FailRule& rule : rules) {
        if (const auto reason = violation(rule, summary)) {
            printNote("Not met: " + *reason);
            status = ExitStatus::NotMet;
        }
    }
    return status;
}

ExitStatus runLoad(const LoadArguments& arguments) {
    const Replay load = chosenLoad(arguments);
    const Workload& workload = load.workload;
    const std::vector<FailRule> rules = chosenRules(arguments);
    engine::EngineConfig config = SettingFlags::applied(workload.settings);
    const std::filesystem::path model =
        modelToOpen(arguments.model, "headway load " + arguments.workload + " MODEL");
    if (isRemoteAddress(model.string())) { // it keeps its own
        config = engine::EngineConfig{.serving = config.serving};
    }
    std::string name = "headway";
    char* argumentList[] = {name.data(), nullptr};
    int count = 1;
    const QCoreApplication application(count, argumentList);
    auto opened = usableRunLog(arguments.record);
    const std::filesystem::path runLog = opened->file();
    HeadlessRun::End end{};
    std::string message;
    std::optional<std::int64_t> run;
    std::optional<UnwrittenRun> unwritten;
    {
        HeadlessRun headless(model, config, workload, std::move(opened));
        headless.setRequests(load.requests);
        end = headless.exec();
        message = headless.message();
        run = headless.run();
        unwritten = headless.unwritten();
    } // the recorder has let go of the log
    if (!message.empty()) {
        printNote("headway load: " + message);
    }
    if (!run) {
        return end == HeadlessRun::End::Interrupted ? ExitStatus::Interrupted : ExitStatus::Failed;
    }
    RunSummary summary = orFail(openForReading(runLog)->summary(*run));
    summary.run.isIncomplete = summary.run.isIncomplete || unwritten;
    printSummary(summary, runLog, unwritten, arguments.asJson);
    if (end != HeadlessRun::End::Done) {
        return end == HeadlessRun::End::Interrupted ? ExitStatus::Interrupted : ExitStatus::Failed;
    }
    if (summary.completed == 0) {
        printNote("headway load: No request was completed; `headway show` tells what became of "
                  "them.");
        return ExitStatus::Failed;
    }
    return judge(summary, rules);
}

} // namespace

void declareLoad(CLI::App& command, ChosenCommand& chosen) {
    const auto arguments = std::make_shared<LoadArguments>();
    std::vector<std::string> names;
    for (const BuiltInWorkload& builtIn : builtInWorkloads()) {
        names.push_back(builtIn.name);
    }
    command
        .add_option("WORKLOAD", arguments->workload,
                    fmt::format("A workload file, a trace (.csv of Azure or BurstGPT, .jsonl of "
                                "Mooncake), or one of {}",
                                fmt::join(names, ", ")))
        ->required();
    command.add_option(
        "MODEL", arguments->model,
        "Model file or folder, or a server: http://127.0.0.1:8000 (default: the default "
        "model)");
    command.add_option("--for", arguments->duration, "Run for this long instead: 500ms, 60s, 5min");
    command.add_option("--sparse-share", arguments->sparseShare,
                       "Share of requests, 0 to 1, that ask for sparse attention, whatever is set");
    command.add_option("--record", arguments->record,
                       "Database to record into (default: the user's run log)");
    command
        .add_option("--fail-on", arguments->rules,
                    "Exit with 3 when this holds: ttft_p99_ms>300, failed>0; may be repeated")
        ->allow_extra_args(false); // a model may follow
    command.add_flag("--json", arguments->asJson, "One JSON document on standard output");
    arguments->settings.declare(command);
    command.callback(
        [arguments, &chosen] { chosen = [arguments] { return runLoad(*arguments); }; });
}

} // namespace app
