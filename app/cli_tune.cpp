// `headway tune` and `headway advise`: a measured search, and the plain rule beside recorded runs.
#include "app/cli_commands.h"
#include "app/cli_database.h"
#include "app/cli_report.h"
#include "app/command/number_check.h"
#include "app/command/text_table.h"
#include "app/experiment/advice.h"
#include "app/experiment/claims.h"
#include "app/experiment/tuner.h"
#include "app/headless_experiment.h"
#include "app/report/report.h"
#include "app/run_text.h"
#include "app/store/summary.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace app {

namespace {

using Json = nlohmann::ordered_json;

struct TuneArguments {
    std::string model, workload, record;
    std::vector<std::string> limits;
    double minutes = 10.0;
    std::int64_t resume = 0;
    bool asJson = false;
};

std::filesystem::path logOf(const std::string& record) {
    return record.empty() ? defaultRunLog() : std::filesystem::path(record);
}

ServiceLimits limitsOf(const std::vector<std::string>& texts) {
    auto limits = parseLimits(texts);
    if (!limits) {
        throw CommandError(ExitStatus::Usage, limits.error().message);
    }
    return *limits;
}

std::string settingsLine(const SettingTexts& settings) {
    std::string text;
    for (const auto& [key, value] : settings) {
        if (!key.starts_with("workload.")) {
            const engine::Field* field = engine::findField(key);
            text += (text.empty() ? "" : " ") +
                    (field != nullptr ? std::string(field->flag) : key) + " " + value;
        }
    }
    return text;
}

ExperimentResult searchOf(const std::filesystem::path& log, std::int64_t run) {
    for (ExperimentResult& result : orFail(experimentResults(log))) {
        if (result.run.id == run && result.experiment.name == "tuner") {
            return std::move(result);
        }
    }
    throw CommandError(ExitStatus::Failed, fmt::format("Run {} is no search of the tuner.", run));
}

std::string tunerText(const Experiment& experiment, const TunerResult& result,
                      const ServiceLimits& limits) {
    TextTable table({{"configuration"},
                     {"TTFT p99 ms", Align::Right},
                     {"TPOT p99 ms", Align::Right},
                     {"output tok/s", Align::Right},
                     {"goodput req/s", Align::Right},
                     {"n", Align::Right},
                     {"round", Align::Right},
                     {"", Align::Left}});
    for (std::size_t i = 0; i < result.points.size(); ++i) {
        const TunerPoint& point = result.points[i];
        std::string note = point.isOnFront ? "front" : "";
        const auto add = [&note](bool applies, const char* word) {
            note += applies ? (note.empty() ? "" : ", ") + std::string(word) : "";
        };
        add(result.optimum == static_cast<int>(i), "optimum");
        add(result.ruleChoice == static_cast<int>(i), "the rule's choice");
        const bool isLimited = limits.ttftP99Ms || limits.tpotP99Ms;
        add(point.n == 0, "no answer in its time");
        add(point.n > 0 && !point.meetsLimits && isLimited, "beyond the limits");
        table.add({experiment.sides[static_cast<std::size_t>(point.side)].label,
                   figureText(point.ttftP99Ms), figureText(point.tpotP99Ms),
                   figureText(point.outputPerSecond), figureText(point.goodputPerSecond),
                   std::to_string(point.n), std::to_string(point.round + 1), note});
    }
    std::string text = table.text();
    if (result.optimum) {
        const TunerPoint& best = result.points[static_cast<std::size_t>(*result.optimum)];
        text += "\nMost within the limits: " +
                settingsLine(experiment.sides[static_cast<std::size_t>(best.side)].settings) + "\n";
        if (result.ruleChoice && *result.ruleChoice != *result.optimum) {
            const TunerPoint& rule = result.points[static_cast<std::size_t>(*result.ruleChoice)];
            text +=
                fmt::format("The rule's choice serves {} req/s, this {} req/s.\n",
                            figureText(rule.goodputPerSecond), figureText(best.goodputPerSecond));
        }
    } else {
        text += "\nNo configuration was within the limits.\n";
    }
    TextTable effects({{"setting"},
                       {"from"},
                       {"to"},
                       {"output", Align::Right},
                       {"TTFT p99", Align::Right},
                       {"pairs", Align::Right}});
    for (const SettingEffect& effect : result.effects) {
        effects.add({effect.field, effect.from, effect.to,
                     fmt::format("{:+.0f} %", 100 * effect.output),
                     fmt::format("{:+.0f} %", 100 * effect.ttftP99), std::to_string(effect.pairs)});
    }
    return effects.isEmpty()
               ? text
               : text + "\nMedian change where only this setting differs:\n" + effects.text();
}

Json orNull(const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
}

std::string tunerJson(const Experiment& experiment, const TunerResult& result, std::int64_t run) {
    Json json = {{"run_id", run}, {"points", Json::array()}, {"effects", Json::array()}};
    for (const TunerPoint& point : result.points) {
        const Side& side = experiment.sides[static_cast<std::size_t>(point.side)];
        Json settings = Json::object();
        for (const auto& [key, value] : side.settings) {
            settings[key] = value;
        }
        json["points"].push_back({{"configuration", side.label},
                                  {"settings", settings},
                                  {"ttft_p99_ms", orNull(point.ttftP99Ms)},
                                  {"tpot_p99_ms", orNull(point.tpotP99Ms)},
                                  {"output_tokens_per_s", point.outputPerSecond},
                                  {"goodput_per_s", point.goodputPerSecond},
                                  {"n", point.n},
                                  {"round", point.round + 1},
                                  {"meets_limits", point.meetsLimits},
                                  {"is_on_front", point.isOnFront}});
    }
    for (const SettingEffect& effect : result.effects) {
        json["effects"].push_back({{"setting", effect.field},
                                   {"from", effect.from},
                                   {"to", effect.to},
                                   {"output_share", effect.output},
                                   {"ttft_p99_share", effect.ttftP99},
                                   {"pairs", effect.pairs}});
    }
    const auto label = [&](const std::optional<int>& at) {
        return at ? Json(experiment
                             .sides[static_cast<std::size_t>(
                                 result.points[static_cast<std::size_t>(*at)].side)]
                             .label)
                  : Json(nullptr);
    };
    json["optimum"] = label(result.optimum);
    json["rule_choice"] = label(result.ruleChoice);
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

ExitStatus runTune(const TuneArguments& arguments) {
    const ServiceLimits limits = limitsOf(arguments.limits);
    std::optional<Workload> workload;
    if (!arguments.workload.empty()) {
        workload = orFail(loadWorkload(arguments.workload));
    }
    const std::filesystem::path model = modelToOpen(arguments.model, "headway tune MODEL");
    const ReportApplication application;
    auto opened = usableRunLog(arguments.record);
    const std::filesystem::path runLog = opened->file();
    std::vector<Block> before;
    TunerPlan plan;
    if (arguments.resume > 0) {
        ExperimentResult earlier = searchOf(runLog, arguments.resume);
        before = std::move(earlier.blocks);
        plan = resumedPlan(std::move(earlier.experiment), arguments.minutes);
    } else {
        plan = orFail(planTuner(arguments.minutes, workload));
    }
    for (std::size_t i = 0; i < plan.rounds.size(); ++i) {
        printNote(fmt::format("Round {}: {} x {} s", i + 1, plan.rounds[i].candidates,
                              figureText(plan.rounds[i].measureSeconds)));
    }
    HeadlessExperiment::End end{};
    std::string message;
    std::vector<std::int64_t> runs;
    {
        HeadlessExperiment headless(model, {}, {plan.experiment}, std::move(opened));
        headless.setSchedule(tunerSchedule(plan, before));
        headless.setServiceTarget(limits.ttftP99Ms.value_or(kNoLimitMs),
                                  limits.tpotP99Ms.value_or(kNoLimitMs));
        end = headless.exec();
        message = headless.message();
        runs = headless.runs();
    }
    if (!message.empty()) {
        printNote("headway tune: " + message);
    }
    if (!runs.empty()) {
        std::vector<Block> blocks = before;
        const ExperimentResult found = searchOf(runLog, runs.front());
        blocks.insert(blocks.end(), found.blocks.begin(), found.blocks.end());
        const TunerResult result = tunerResult(plan.experiment, blocks, limits);
        printOut(arguments.asJson
                     ? tunerJson(plan.experiment, result, runs.front()) + "\n"
                     : fmt::format("Run {}; go on with --resume {}\n", runs.front(), runs.front()) +
                           tunerText(plan.experiment, result, limits));
    }
    return end == HeadlessExperiment::End::Interrupted ? ExitStatus::Interrupted
           : end == HeadlessExperiment::End::Failed    ? ExitStatus::Failed
                                                       : ExitStatus::Done;
}

struct AdviseArguments {
    std::string record;
    std::vector<std::string> limits;
    bool asJson = false;
};

std::optional<RunSummary> bestOf(const std::filesystem::path& log, const ServiceLimits& limits) {
    std::error_code ignored;
    return std::filesystem::exists(log, ignored)
               ? bestRecorded(orFail(openForReading(log)->runs()), limits)
               : std::nullopt;
}

ExitStatus runAdvise(const AdviseArguments& arguments) {
    const ServiceLimits limits = limitsOf(arguments.limits);
    const Advice advice = ruleFor(limits);
    const auto best = bestOf(logOf(arguments.record), limits);
    if (arguments.asJson) {
        Json json = {{"rule", advice.isRealtime ? "realtime first" : "throughput first"},
                     {"settings", Json::object()}};
        for (const auto& [key, value] : advice.settings) {
            json["settings"][key] = value;
        }
        json["measured"] = best ? Json::parse(summaryJson(*best, true)) : Json(nullptr);
        printOut(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
        return ExitStatus::Done;
    }
    printOut(fmt::format(
        "The rule: {}. Settings: {}, warmed up.\n",
        advice.isRealtime
            ? "a TTFT target below 300 ms asks for realtime first, one request at a time"
            : "no TTFT target below 300 ms, so throughput first, in batches",
        settingsLine(advice.settings)));
    printOut(best ? fmt::format("The recorded runs: of those within the limits run {} ({}) served "
                                "most, {} req/s at TTFT p99 {} ms, n {}.\n",
                                best->run.id, best->run.name, figureText(best->requestsPerSecond),
                                figureText(best->ttftMs.p99), best->ttftMs.n)
                  : fmt::format("No recorded run of {} requests or more was within the limits; "
                                "measure with: headway tune MODEL --slo ...\n",
                                leastCount(0.99)));
    return ExitStatus::Done;
}

} // namespace

void declareTune(CLI::App& command, ChosenCommand& chosen) {
    const auto arguments = std::make_shared<TuneArguments>();
    command.add_option("MODEL", arguments->model,
                       "Model file or folder (default: the default model)");
    command
        .add_option("--slo", arguments->limits,
                    "Limit to keep: ttft_p99=300ms, tpot_p99=20ms; may be repeated")
        ->allow_extra_args(false); // a model may follow
    command.add_option("--minutes", arguments->minutes, "Time to search (default: 10)")
        ->check(within(0.2, 1440.0));
    command.add_option("--workload", arguments->workload,
                       "Workload of one stage (default: chat, as many clients as slots)");
    command.add_option("--record", arguments->record, "Database to record into");
    command.add_option("--resume", arguments->resume, "Run of an earlier search to go on with");
    command.add_flag("--json", arguments->asJson, "One JSON document on standard output");
    command.callback(
        [arguments, &chosen] { chosen = [arguments] { return runTune(*arguments); }; });
}

void declareAdvise(CLI::App& command, ChosenCommand& chosen) {
    const auto arguments = std::make_shared<AdviseArguments>();
    command
        .add_option("--slo", arguments->limits,
                    "Limit to keep: ttft_p99=300ms, tpot_p99=20ms; may be repeated")
        ->allow_extra_args(false); // a model may follow
    command.add_option("--record", arguments->record, "Database with the runs to learn from");
    command.add_flag("--json", arguments->asJson, "One JSON document on standard output");
    command.callback(
        [arguments, &chosen] { chosen = [arguments] { return runAdvise(*arguments); }; });
}

} // namespace app
