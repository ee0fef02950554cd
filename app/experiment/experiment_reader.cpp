// Reads the TOML form of an experiment; every refusal names its line. See experiment.h.
#include "app/experiment/experiment.h"
#include "app/load/toml_parts.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace app {

namespace {

constexpr WorkloadLimit kBlocksLimit{"blocks", 1.0, 1000.0};
constexpr WorkloadLimit kMeasureLimit{"measure", 0.1, 86'400.0};
constexpr WorkloadLimit kWarmupLimit{"warmup", 0.0, 3600.0};
constexpr WorkloadLimit kDrainLimit{"drain", 0.1, 3600.0};
constexpr WorkloadLimit kStopLimit{"stop", 0.0, 1.0};
constexpr WorkloadLimit kSaturationLimit{"saturation", 0.0, 10.0};
constexpr std::size_t kMostLevels = 64;
constexpr std::size_t kMostSides = 512;

template <class Choice, std::size_t kCount>
Choice choiceOf(const toml::node& node, std::string_view key,
                const std::array<Choice, kCount>& choices) {
    const std::string text = stringOf(node, key);
    std::vector<std::string_view> names;
    for (const Choice choice : choices) {
        if (text == name(choice)) {
            return choice;
        }
        names.push_back(name(choice));
    }
    refuse(node.source(),
           fmt::format("{} is \"{}\": choose from {}", key, text, fmt::join(names, ", ")));
}

void readText(const toml::table& table, const char* key, std::string& value) {
    if (const toml::node* node = table.get(key)) {
        value = stringOf(*node, key);
    }
}

void readSeconds(const toml::table& table, const WorkloadLimit& limit, double& value) {
    if (const toml::node* node = table.get(limit.key)) {
        value = secondsOf(*node, limit);
    }
}

std::vector<std::string> textsOf(const toml::node& node, std::string_view key) {
    const toml::array* array = node.as_array();
    if (array == nullptr) {
        refuse(node.source(), fmt::format("{} must be a list of texts", key));
    }
    std::vector<std::string> texts;
    for (const toml::node& element : *array) {
        texts.push_back(stringOf(element, key));
    }
    return texts;
}

void readMetric(const toml::table& table, Experiment& experiment) {
    if (const toml::node* node = table.get("metric")) {
        experiment.metric = stringOf(*node, "metric");
        if (findExperimentMeasure(experiment.metric) == nullptr) {
            std::vector<std::string_view> keys;
            for (const Measure& measure : experimentMeasures()) {
                keys.push_back(measure.key);
            }
            refuse(node->source(), fmt::format("there is no metric \"{}\"; choose from {}",
                                               experiment.metric, fmt::join(keys, ", ")));
        }
    }
    if (const toml::node* node = table.get("claim")) {
        auto claim = parseClaim(stringOf(*node, "claim"));
        if (!claim) {
            refuse(node->source(), claim.error().message);
        }
        experiment.claim = *claim;
    }
    if (const toml::node* node = table.get("statistic")) {
        experiment.statistic = choiceOf(
            *node, "statistic",
            std::array{Statistic::Change, Statistic::Ratio, Statistic::Difference, Statistic::Level,
                       Statistic::Slope, Statistic::Best, Statistic::Crossing});
    }
}

// A share, or a text like "5 %".
double shareOf(const toml::node& node) {
    if (const auto text = node.value_exact<std::string>()) {
        double percent = 0.0;
        try {
            percent = std::stod(*text);
        } catch (const std::exception&) {
            percent = -1.0;
        }
        if (percent < 0.0 || percent > 100.0 || text->find('%') == std::string::npos) {
            refuse(node.source(), fmt::format("stop is \"{}\": write it as \"5 %\"", *text));
        }
        return percent / 100.0;
    }
    return numberOf(node, kStopLimit);
}

void readHead(const toml::table& table, Experiment& experiment) {
    allowOnly(table, "[experiment]",
              {"title", "group", "note", "needs", "method", "metric", "statistic", "claim", "lane",
               "saturation", "workload", "blocks", "measure", "warmup", "drain", "stop"});
    readText(table, "title", experiment.title);
    readText(table, "group", experiment.group);
    readText(table, "note", experiment.note);
    readText(table, "workload", experiment.workloadName);
    if (const toml::node* node = table.get("needs")) {
        experiment.needs = textsOf(*node, "needs");
    }
    if (const toml::node* node = table.get("method")) {
        experiment.method =
            choiceOf(*node, "method",
                     std::array{Method::Traffic, Method::Load, Method::Typing, Method::Tokenize});
    }
    readMetric(table, experiment);
    if (const toml::node* node = table.get("lane")) {
        experiment.lane = stringOf(*node, "lane");
        if (experiment.lane != "realtime" && experiment.lane != "batch") {
            refuse(node->source(),
                   fmt::format("lane is \"{}\": choose realtime or batch", experiment.lane));
        }
    }
    if (const toml::node* node = table.get("saturation")) {
        experiment.saturation = numberOf(*node, kSaturationLimit);
    }
    if (const toml::node* node = table.get("blocks")) {
        experiment.blocks = static_cast<int>(integerOf(*node, kBlocksLimit));
    }
    readSeconds(table, kMeasureLimit, experiment.measureSeconds);
    readSeconds(table, kWarmupLimit, experiment.warmupSeconds);
    readSeconds(table, kDrainLimit, experiment.drainSeconds);
    if (const toml::node* node = table.get("stop")) {
        experiment.stopAt = shareOf(*node);
    }
}

constexpr std::array<std::string_view, 8> kWorkloadKeys = {
    "workload.prompt", "workload.output",      "workload.users", "workload.rate",
    "workload.set",    "workload.batch_share", "workload.typed", "workload.tenants"};

// A key that `needs` names may be unknown to this build.
void requireKnown(const TomlSetting& setting, const Experiment& experiment) {
    if (setting.path.starts_with("workload.")) {
        if (std::ranges::find(kWorkloadKeys, setting.path) == kWorkloadKeys.end()) {
            refuse(setting.key->source(),
                   fmt::format("there is no \"{}\"; choose from {}", setting.path,
                               fmt::join(kWorkloadKeys, ", ")));
        }
        return;
    }
    const bool isAwaited =
        std::ranges::find(experiment.needs, setting.path) != experiment.needs.end();
    if (!isAwaited || engine::findField(setting.path) != nullptr) {
        requireSetting(setting);
    }
}

Side sideOf(const toml::table& table, std::string label, const Experiment& experiment) {
    Side side{.label = std::move(label), .settings = {}};
    for (TomlSetting& setting : settingsOf(table)) {
        requireKnown(setting, experiment);
        side.settings.emplace_back(std::move(setting.path), std::move(setting.value));
    }
    return side;
}

void readSweep(const toml::table& table, Experiment& experiment) {
    allowOnly(table, "[sweep]", {"key", "values"});
    const toml::node* key = table.get("key");
    const toml::node* values = table.get("values");
    if (key == nullptr || values == nullptr || values->as_array() == nullptr) {
        refuse(table.source(), "a sweep has a key and a list of values");
    }
    experiment.sweepKey = stringOf(*key, "key");
    const toml::array& list = *values->as_array();
    if (list.size() < 2 || list.size() > kMostLevels) {
        refuse(values->source(),
               fmt::format("values has {} entries: allowed is 2 to {}", list.size(), kMostLevels));
    }
    for (const toml::node& value : list) {
        // A workload's figures need not be whole.
        const auto number = value.is_floating_point() ? value.value<double>() : std::nullopt;
        const std::string text = number ? fmt::format("{}", *number) : settingText(value);
        Side side{.label = text, .settings = {{experiment.sweepKey, text}}};
        side.x = value.value<double>().value_or(static_cast<double>(experiment.sides.size()));
        const toml::key place(experiment.sweepKey, key->source());
        requireKnown({.key = &place, .node = &value, .path = experiment.sweepKey, .value = text},
                     experiment);
        experiment.sides.push_back(std::move(side));
    }
}

// [[side]] with a label and its settings: more sides than two, as the tuner has them.
void readSideList(const toml::node& node, Experiment& experiment) {
    const toml::array* array = node.as_array();
    if (array == nullptr || array->empty() || array->size() > kMostSides) {
        refuse(node.source(), fmt::format("write sides as [[side]], 1 to {} of them", kMostSides));
    }
    for (const toml::node& element : *array) {
        const toml::table* table = element.as_table();
        if (table == nullptr) {
            refuse(element.source(), "write sides as [[side]]");
        }
        allowOnly(*table, "[[side]]", {"label", "settings"});
        const toml::node* label = table->get("label");
        if (label == nullptr) {
            refuse(table->source(), "this side has no label");
        }
        const toml::table* settings = tableOf(*table, "settings");
        const std::string name = stringOf(*label, "label");
        experiment.sides.push_back(settings == nullptr ? Side{.label = name, .settings = {}}
                                                       : sideOf(*settings, name, experiment));
    }
}

void readSides(const toml::table& root, Experiment& experiment) {
    if (const toml::node* list = root.get("side")) {
        if (root.contains("a") || root.contains("b") || root.contains("sweep")) {
            refuse(list->source(), "an experiment has [[side]], or [a] and [b], or a [sweep]");
        }
        readSideList(*list, experiment);
        return;
    }
    const toml::table* sweep = tableOf(root, "sweep");
    const toml::table* a = tableOf(root, "a");
    const toml::table* b = tableOf(root, "b");
    if (sweep != nullptr) {
        if (a != nullptr || b != nullptr) {
            refuse(sweep->source(), "an experiment has [a] and [b], or a [sweep]; not both");
        }
        readSweep(*sweep, experiment);
        return;
    }
    if (a == nullptr && experiment.statistic != Statistic::Level) {
        refuse(root.source(),
               "there is no [a]; add the settings of side A, and [b] with those of B");
    }
    experiment.sides.push_back(a == nullptr ? Side{.label = "A", .settings = {}}
                                            : sideOf(*a, "A", experiment));
    if (b != nullptr) {
        experiment.sides.push_back(sideOf(*b, "B", experiment));
    }
}

Experiment experimentOf(const toml::table& root, std::string_view sourceName) {
    allowOnly(root, "an experiment",
              {"experiment", "a", "b", "side", "sweep", "workload", "stage", "lengths", "prompts",
               "lanes", "settings"});
    Experiment experiment;
    experiment.name = std::filesystem::path(sourceName).stem().string();
    const toml::table* head = tableOf(root, "experiment");
    if (head == nullptr) {
        refuse(root.source(), "there is no [experiment]");
    }
    readHead(*head, experiment);
    readSides(root, experiment);
    const bool hasOwn = root.contains("stage");
    if (!experiment.workloadName.empty() && hasOwn) {
        refuse(root.get("stage")->source(),
               fmt::format("the workload is \"{}\" already; leave that out, or this stage",
                           experiment.workloadName));
    }
    const double seconds = experiment.blockSeconds();
    if (hasOwn) {
        experiment.workload = workloadOfToml(root, sourceName, seconds);
    } else {
        const std::string name = experiment.workloadName.empty() ? "chat" : experiment.workloadName;
        const auto builtIn = loadWorkload(name);
        if (!builtIn) {
            refuse(head->source(), builtIn.error().message);
        }
        experiment.workload = *builtIn;
        experiment.workloadName = name;
        if (const toml::table* settings = tableOf(root, "settings")) {
            for (TomlSetting& setting : settingsOf(*settings)) {
                requireKnown(setting, experiment);
                experiment.workload.settings.emplace_back(std::move(setting.path),
                                                          std::move(setting.value));
            }
        }
    }
    if (experiment.workload.stages.size() != 1) {
        refuse(head->source(),
               fmt::format("the workload {} has {} stages; a block has one",
                           experiment.workload.name, experiment.workload.stages.size()));
    }
    experiment.workload.stages.front().seconds = seconds;
    if (experiment.title.empty()) {
        experiment.title = experiment.name;
    }
    return experiment;
}

} // namespace

engine::Result<Experiment> parseExperiment(std::string_view toml, std::string_view sourceName) {
    try {
        Experiment experiment = experimentOf(toml::parse(toml), sourceName);
        if (auto valid = validateExperiment(experiment); !valid) {
            return std::unexpected(refusalError(
                sourceName, 0,
                valid.error().message.substr(0, valid.error().message.find_last_not_of('.') + 1)));
        }
        return experiment;
    } catch (const TomlRefusal& refusal) {
        return std::unexpected(refusalError(sourceName, refusal.line, refusal.message));
    } catch (const toml::parse_error& error) {
        return std::unexpected(
            refusalError(sourceName, error.source().begin.line, error.description()));
    }
}

} // namespace app
