// `headway alarms` and `headway metrics`: two tables, for people and scripts.
#include "app/cli_commands.h"
#include "app/command/text_table.h"
#include "app/observe/alarms.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace app {

namespace {

std::string_view sideName(const AlarmRule& rule) {
    return rule.side == AlarmSide::Above ? "above" : "below";
}

std::string alarmsJson() {
    nlohmann::ordered_json document = nlohmann::ordered_json::array();
    for (const AlarmRule& rule : alarmTable()) {
        document.push_back({{"alarm", rule.key},
                            {"label", rule.label},
                            {"unit", rule.unit},
                            {"side", sideName(rule)},
                            {"limit", rule.limit},
                            {"clears", rule.clear},
                            {"hold_s", rule.holdSeconds},
                            {"clear_s", rule.clearSeconds},
                            {"least_n", rule.leastCount}});
    }
    return document.dump(2);
}

std::string alarmsText() {
    TextTable table({{"alarm"},
                     {"figure"},
                     {"raised"},
                     {"for", Align::Right},
                     {"cleared"},
                     {"for", Align::Right},
                     {"least n", Align::Right}});
    for (const AlarmRule& rule : alarmTable()) {
        const bool isAbove = rule.side == AlarmSide::Above;
        table.add({std::string(rule.key), std::string(rule.label),
                   fmt::format("{} {} {}", isAbove ? "above" : "below", rule.limit, rule.unit),
                   fmt::format("{} s", rule.holdSeconds),
                   fmt::format("{} {} {}", isAbove ? "below" : "above", rule.clear, rule.unit),
                   fmt::format("{} s", rule.clearSeconds), fmt::format("{}", rule.leastCount)});
    }
    return table.text();
}

std::string metricsJson() {
    nlohmann::ordered_json document = nlohmann::ordered_json::array();
    for (const engine::Metric& metric : engine::metricTable()) {
        document.push_back({{"metric", metric.key},
                            {"label", metric.label},
                            {"unit", metric.unit},
                            {"kind", metric.isCounter ? "counter" : "gauge"}});
    }
    return document.dump(2);
}

std::string metricsText() {
    TextTable table({{"metric"}, {"kind"}, {"unit"}, {"meaning"}});
    for (const engine::Metric& metric : engine::metricTable()) {
        table.add({std::string(metric.key), metric.isCounter ? "counter" : "gauge",
                   std::string(metric.unit), std::string(metric.label)});
    }
    return table.text();
}

void declareTable(CLI::App& command, ChosenCommand& chosen, std::string (*text)(),
                  std::string (*json)()) {
    const auto asJson = std::make_shared<bool>(false);
    command.add_flag("--json", *asJson, "One JSON document on standard output");
    command.callback([asJson, text, json, &chosen] {
        chosen = [asJson, text, json] {
            printOut(*asJson ? json() + "\n" : text());
            return ExitStatus::Done;
        };
    });
}

} // namespace

void declareAlarms(CLI::App& command, ChosenCommand& chosen) {
    declareTable(command, chosen, alarmsText, alarmsJson);
}

void declareMetrics(CLI::App& command, ChosenCommand& chosen) {
    declareTable(command, chosen, metricsText, metricsJson);
}

} // namespace app
