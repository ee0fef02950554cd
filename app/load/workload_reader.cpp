// Reads the TOML form of a workload; every refusal names its line. See workload.h.
#include "app/durations.h"
#include "app/load/workload.h"
#include "app/load/workload_limits.h"
#include "engine/config.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <tuple>

namespace app {

namespace {

// Thrown inside the reader, an Error at the door.
struct Refusal {
    std::uint32_t line = 0;
    std::string message;
};

[[noreturn]] void refuse(const toml::source_region& where, std::string message) {
    throw Refusal{where.begin.line, std::move(message)};
}

using Keys = std::initializer_list<std::string_view>;

void allowOnly(const toml::table& table, std::string_view section, const Keys& allowed) {
    for (const auto& [key, value] : table) {
        if (std::find(allowed.begin(), allowed.end(), key.str()) == allowed.end()) {
            refuse(key.source(), fmt::format("unknown key \"{}\" in {}; known are {}", key.str(),
                                             section, fmt::join(allowed, ", ")));
        }
    }
}

double checked(const WorkloadLimit& limit, double value, const toml::node& node) {
    if (const auto problem = outsideLimit(limit, value)) {
        refuse(node.source(), *problem);
    }
    return value;
}

double numberOf(const toml::node& node, const WorkloadLimit& limit) {
    if (!node.is_number()) {
        refuse(node.source(), fmt::format("{} must be a number", limit.key));
    }
    return checked(limit, node.value<double>().value_or(0.0), node);
}

std::int64_t integerOf(const toml::node& node, const WorkloadLimit& limit) {
    const double value = numberOf(node, limit);
    if (const auto integer = node.value_exact<std::int64_t>()) {
        return *integer;
    }
    if (value != std::floor(value)) {
        refuse(node.source(), fmt::format("{} is {}: it must be a whole number", limit.key, value));
    }
    return static_cast<std::int64_t>(value);
}

// A number of seconds, or a text with its unit: "250ms", "60s", "5min".
double secondsOf(const toml::node& node, const WorkloadLimit& limit) {
    if (const auto text = node.value_exact<std::string>()) {
        const auto seconds = parseDuration(*text);
        if (!seconds) {
            refuse(node.source(), fmt::format("{} is \"{}\": write it as 500ms, 60s, 5min or 1h",
                                              limit.key, *text));
        }
        return checked(limit, *seconds, node);
    }
    return numberOf(node, limit);
}

std::string stringOf(const toml::node& node, std::string_view key) {
    const auto text = node.value_exact<std::string>();
    if (!text) {
        refuse(node.source(), fmt::format("{} must be a text in quotes", key));
    }
    return *text;
}

const toml::table* tableOf(const toml::table& root, std::string_view key) {
    const toml::node* node = root.get(key);
    if (node != nullptr && !node->is_table()) {
        refuse(node->source(), fmt::format("{} must be a table: [{}]", key, key));
    }
    return node == nullptr ? nullptr : node->as_table();
}

ArrivalKind kindOf(const toml::node& node) {
    const std::string text = stringOf(node, "kind");
    for (const ArrivalKind kind : {ArrivalKind::Closed, ArrivalKind::Poisson, ArrivalKind::Gamma}) {
        if (text == name(kind)) {
            return kind;
        }
    }
    refuse(node.source(), fmt::format("kind is \"{}\": choose closed, poisson or gamma", text));
}

void requireUsed(const toml::table& table, std::string_view key, bool isUsed,
                 std::string_view reason) {
    const toml::node* node = table.get(key);
    if (node != nullptr && !isUsed) {
        refuse(node->source(), fmt::format("{} has no meaning here: {}", key, reason));
    }
}

// A stage; `seconds` stays 0 where the file leaves it to the workload's duration.
Stage stageOf(const toml::table& table) {
    allowOnly(table, "[[stage]]", {"kind", "rate", "end_rate", "burstiness", "users", "seconds"});
    Stage stage;
    if (const toml::node* node = table.get("kind")) {
        stage.kind = kindOf(*node);
    }
    const bool isOpen = stage.kind != ArrivalKind::Closed;
    requireUsed(table, "rate", isOpen, "closed stages have users");
    requireUsed(table, "end_rate", isOpen, "closed stages have users");
    requireUsed(table, "burstiness", stage.kind == ArrivalKind::Gamma, "only gamma stages burst");
    requireUsed(table, "users", !isOpen, "only closed stages have users");
    if (const toml::node* node = table.get("rate")) {
        stage.ratePerSecond = numberOf(*node, kRateLimit);
    } else if (isOpen) {
        refuse(table.source(), "this stage has no rate; add for example rate = 12");
    }
    stage.endRatePerSecond = stage.ratePerSecond;
    if (const toml::node* node = table.get("end_rate")) {
        stage.endRatePerSecond = numberOf(*node, kEndRateLimit);
    }
    if (const toml::node* node = table.get("burstiness")) {
        stage.burstiness = numberOf(*node, kBurstinessLimit);
    }
    if (const toml::node* node = table.get("users")) {
        stage.users = static_cast<int>(integerOf(*node, kUsersLimit));
    } else if (!isOpen) {
        refuse(table.source(), "this stage has no users; add for example users = 8");
    }
    stage.seconds = 0.0;
    if (const toml::node* node = table.get("seconds")) {
        stage.seconds = secondsOf(*node, kSecondsLimit);
    }
    if (!isOpen) { // not written for closed stages, so that reading gives the same value back
        stage.ratePerSecond = stage.endRatePerSecond = Stage{}.ratePerSecond;
    }
    return stage;
}

// Stages without seconds share what the others leave of the duration.
void distributeDuration(std::vector<Stage>& stages, std::optional<double> duration,
                        const toml::source_region& where) {
    const auto isOpenEnded = [](const Stage& stage) { return stage.seconds == 0.0; };
    const auto openEnded = std::count_if(stages.begin(), stages.end(), isOpenEnded);
    double stated = 0.0;
    for (const Stage& stage : stages) {
        stated += stage.seconds;
    }
    if (openEnded > 0 && !duration) {
        refuse(where, "a stage has no seconds; give it some, or give [workload] a duration");
    }
    if (duration && openEnded == 0 && std::abs(*duration - stated) > 1e-6 * *duration) {
        refuse(where, fmt::format("duration is {} s but the stages add up to {} s; leave one out",
                                  *duration, stated));
    }
    if (openEnded == 0) {
        return;
    }
    const double share = (*duration - stated) / static_cast<double>(openEnded);
    if (share < kSecondsLimit.minimum) {
        refuse(where, fmt::format("the stages already take {} s of the duration of {} s", stated,
                                  *duration));
    }
    for (Stage& stage : stages) {
        stage.seconds = isOpenEnded(stage) ? share : stage.seconds;
    }
}

std::vector<Stage> stagesOf(const toml::table& root) {
    const toml::node* node = root.get("stage");
    if (node == nullptr) {
        refuse(root.source(), "there is no [[stage]]; add one with kind, rate or users, seconds");
    }
    const toml::array* array = node->as_array();
    if (array == nullptr) {
        refuse(node->source(), "write stages in double brackets: [[stage]]");
    }
    if (static_cast<double>(array->size()) > kStagesLimit.maximum) {
        refuse(node->source(), *outsideLimit(kStagesLimit, static_cast<double>(array->size())));
    }
    std::vector<Stage> stages;
    for (const toml::node& element : *array) {
        const toml::table* table = element.as_table();
        if (table == nullptr) {
            refuse(element.source(), "write stages in double brackets: [[stage]]");
        }
        stages.push_back(stageOf(*table));
    }
    return stages;
}

LengthMix mixOf(const toml::node& node, const WorkloadLimit& limit) {
    if (node.is_number()) { // one number: every request the same
        const auto value = static_cast<int>(integerOf(node, limit));
        return {value, value};
    }
    const toml::array* array = node.as_array();
    if (array == nullptr || array->size() != 2) {
        refuse(node.source(),
               fmt::format("{} must be a number of tokens or [least, most]", limit.key));
    }
    const LengthMix mix{static_cast<int>(integerOf(*array->get(0), limit)),
                        static_cast<int>(integerOf(*array->get(1), limit))};
    if (mix.minimum > mix.maximum) {
        refuse(node.source(), fmt::format("{} is [{}, {}]: the first number must not be above the "
                                          "second",
                                          limit.key, mix.minimum, mix.maximum));
    }
    return mix;
}

void readLengths(const toml::table& table, Workload& workload) {
    allowOnly(table, "[lengths]", {"prompt", "output", "fixed_output"});
    if (const toml::node* node = table.get("prompt")) {
        workload.promptTokens = mixOf(*node, kPromptLimit);
    }
    if (const toml::node* node = table.get("output")) {
        workload.outputTokens = mixOf(*node, kOutputLimit);
    }
    if (const toml::node* node = table.get("fixed_output")) {
        if (!node->is_boolean()) {
            refuse(node->source(), "fixed_output must be true or false");
        }
        workload.fixedOutput = node->value<bool>().value_or(true);
    }
}

void readSets(const toml::table& table, Workload& workload) {
    allowOnly(table, "[prompts]", {"sets"});
    const toml::node* node = table.get("sets");
    if (node == nullptr) {
        return;
    }
    const toml::array* array = node->as_array();
    const std::vector<std::string> known = promptSetNames();
    if (array == nullptr || array->empty()) {
        refuse(node->source(),
               fmt::format("sets must be a list with some of {}", fmt::join(known, ", ")));
    }
    workload.promptSets.clear();
    for (const toml::node& element : *array) {
        const std::string set = stringOf(element, "a name in sets");
        if (std::find(known.begin(), known.end(), set) == known.end()) {
            refuse(element.source(), fmt::format("there is no prompt set \"{}\"; choose from {}",
                                                 set, fmt::join(known, ", ")));
        }
        workload.promptSets.push_back(set);
    }
}

std::string settingText(const toml::node& node) {
    if (const auto text = node.value_exact<std::string>()) {
        return *text;
    }
    if (const auto integer = node.value_exact<std::int64_t>()) {
        return std::to_string(*integer);
    }
    if (const auto isOn = node.value_exact<bool>()) {
        return *isOn ? "on" : "off";
    }
    refuse(node.source(), "a setting's value must be a text, a whole number, true or false");
}

struct SettingEntry {
    std::uint32_t line = 0;
    std::string key, value;
};

// Keys have a dot in them; TOML makes tables of them unless they are quoted. Both forms are read.
void collectSettings(const toml::table& table, const std::string& prefix,
                     std::vector<SettingEntry>& entries) {
    for (const auto& [key, node] : table) {
        const std::string path = prefix + std::string(key.str());
        if (const toml::table* nested = node.as_table()) {
            collectSettings(*nested, path + ".", entries);
            continue;
        }
        const engine::Field* field = engine::findField(path);
        if (field == nullptr || field->key != path) {
            refuse(key.source(),
                   fmt::format("there is no setting \"{}\"; `headway fields` lists them", path));
        }
        engine::EngineConfig config;
        const std::string value = settingText(node);
        if (const auto set = engine::setFromText(*field, config, value); !set) {
            refuse(node.source(), set.error().message);
        }
        entries.push_back({key.source().begin.line, path, value});
    }
}

Workload workloadOf(const toml::table& root, std::string_view sourceName) {
    allowOnly(root, "a workload", {"workload", "stage", "lengths", "prompts", "lanes", "settings"});
    Workload workload;
    workload.name = std::filesystem::path(sourceName).stem().string();
    workload.promptSets = promptSetNames();
    std::optional<double> duration;
    toml::source_region where = root.source();
    if (const toml::table* table = tableOf(root, "workload")) {
        allowOnly(*table, "[workload]", {"name", "seed", "duration", "temperature"});
        where = table->source();
        if (const toml::node* node = table->get("name")) {
            workload.name = stringOf(*node, "name");
        }
        if (const toml::node* node = table->get("seed")) {
            workload.seed = static_cast<std::uint64_t>(integerOf(*node, kSeedLimit));
        }
        if (const toml::node* node = table->get("duration")) {
            duration = secondsOf(*node, kDurationLimit);
            where = node->source();
        }
        if (const toml::node* node = table->get("temperature")) {
            workload.temperature = static_cast<float>(numberOf(*node, kTemperatureLimit));
        }
    }
    workload.stages = stagesOf(root);
    distributeDuration(workload.stages, duration, where);
    if (const toml::table* table = tableOf(root, "lengths")) {
        readLengths(*table, workload);
    }
    if (const toml::table* table = tableOf(root, "prompts")) {
        readSets(*table, workload);
    }
    if (const toml::table* table = tableOf(root, "lanes")) {
        allowOnly(*table, "[lanes]", {"batch_share"});
        if (const toml::node* node = table->get("batch_share")) {
            workload.batchShare = numberOf(*node, kBatchShareLimit);
        }
    }
    if (const toml::table* table = tableOf(root, "settings")) {
        std::vector<SettingEntry> entries;
        collectSettings(*table, "", entries);
        std::sort(entries.begin(), entries.end(), [](const auto& left, const auto& right) {
            return std::tie(left.line, left.key) < std::tie(right.line, right.key);
        });
        for (SettingEntry& entry : entries) {
            workload.settings.emplace_back(std::move(entry.key), std::move(entry.value));
        }
    }
    return workload;
}

} // namespace

engine::Result<Workload> parseWorkload(std::string_view toml, std::string_view sourceName) {
    const auto fail = [&](std::uint32_t line, std::string_view message) {
        const std::string place =
            line > 0 ? fmt::format("{}:{}", sourceName, line) : std::string(sourceName);
        return std::unexpected(
            engine::Error{engine::ErrorCode::Invalid, fmt::format("{}: {}.", place, message)});
    };
    try {
        Workload workload = workloadOf(toml::parse(toml), sourceName);
        if (auto valid = validateWorkload(workload); !valid) {
            return std::unexpected(std::move(valid.error()));
        }
        return workload;
    } catch (const Refusal& refusal) {
        return fail(refusal.line, refusal.message);
    } catch (const toml::parse_error& error) {
        return fail(error.source().begin.line, error.description());
    }
}

} // namespace app
