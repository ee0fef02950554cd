// Writes the TOML form of an experiment. See experiment.h.
#include "app/experiment/experiment.h"
#include "app/load/toml_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace app {

namespace {

std::string settingsToml(const SettingTexts& settings) {
    std::string text;
    for (const auto& [key, value] : settings) {
        text += fmt::format("{} = {}\n", tomlQuoted(key), tomlQuoted(value));
    }
    return text;
}

std::string quotedList(const std::vector<std::string>& texts) {
    std::vector<std::string> quoted;
    std::ranges::transform(texts, std::back_inserter(quoted), tomlQuoted);
    return fmt::format("[{}]", fmt::join(quoted, ", "));
}

std::string headToml(const Experiment& experiment) {
    std::string text = fmt::format("[experiment]\ntitle = {}\n", tomlQuoted(experiment.title));
    const auto addText = [&text](const char* key, const std::string& value) {
        if (!value.empty()) {
            text += fmt::format("{} = {}\n", key, tomlQuoted(value));
        }
    };
    addText("group", experiment.group);
    addText("note", experiment.note);
    if (!experiment.needs.empty()) {
        text += "needs = " + quotedList(experiment.needs) + "\n";
    }
    text += fmt::format("method = \"{}\"\nmetric = {}\nstatistic = \"{}\"\nclaim = \"{}\"\n",
                        name(experiment.method), tomlQuoted(experiment.metric),
                        name(experiment.statistic), claimText(experiment.claim));
    addText("lane", experiment.lane);
    if (experiment.saturation > 0.0) {
        text += fmt::format("saturation = {}\n", experiment.saturation);
    }
    addText("workload", experiment.workloadName);
    text +=
        fmt::format("blocks = {}\nmeasure = {}\nwarmup = {}\ndrain = {}\n", experiment.blocks,
                    experiment.measureSeconds, experiment.warmupSeconds, experiment.drainSeconds);
    if (experiment.stopAt > 0.0) {
        text += fmt::format("stop = {}\n", experiment.stopAt);
    }
    return text;
}

std::string sidesToml(const Experiment& experiment) {
    std::string text;
    if (!experiment.sweepKey.empty()) {
        std::vector<std::string> values;
        std::ranges::transform(experiment.sides, std::back_inserter(values), [](const Side& side) {
            const bool isNumber = fmt::format("{}", side.x) == side.label;
            return isNumber ? side.label : tomlQuoted(side.label);
        });
        return fmt::format("\n[sweep]\nkey = {}\nvalues = [{}]\n", tomlQuoted(experiment.sweepKey),
                           fmt::join(values, ", "));
    }
    const bool isPair = experiment.sides.size() <= 2 && experiment.sides.front().label == "A" &&
                        experiment.sides.back().label == (experiment.sides.size() == 2 ? "B" : "A");
    if (!isPair) {
        for (const Side& side : experiment.sides) {
            text += fmt::format("\n[[side]]\nlabel = {}\n[side.settings]\n{}",
                                tomlQuoted(side.label), settingsToml(side.settings));
        }
        return text;
    }
    constexpr std::array<const char*, 2> kHeads = {"a", "b"};
    for (std::size_t i = 0; i < std::min(experiment.sides.size(), kHeads.size()); ++i) {
        text += fmt::format("\n[{}]\n", kHeads[i]) + settingsToml(experiment.sides[i].settings);
    }
    return text;
}

} // namespace

std::string experimentToml(const Experiment& experiment) {
    std::string text = headToml(experiment) + sidesToml(experiment);
    if (experiment.workloadName.empty()) {
        return text + "\n" + workloadToml(experiment.workload);
    }
    if (!experiment.workload.settings.empty()) {
        text += "\n[settings]\n" + settingsToml(experiment.workload.settings);
    }
    return text;
}

} // namespace app
