// Reads the TOML form of a workload; every refusal names its line. See workload.h.
#include "app/load/toml_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace app {

namespace {

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

} // namespace

Workload workloadOfToml(const toml::table& root, std::string_view sourceName,
                        std::optional<double> seconds) {
    Workload workload;
    workload.name = std::filesystem::path(sourceName).stem().string();
    workload.promptSets = promptSetNames();
    std::optional<double> duration = seconds;
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
    if (const toml::table* table = tableOf(root, "attention")) {
        allowOnly(*table, "[attention]", {"sparse_share"});
        if (const toml::node* node = table->get("sparse_share")) {
            workload.sparseShare = numberOf(*node, kSparseShareLimit);
        }
    }
    if (const toml::table* table = tableOf(root, "settings")) {
        for (TomlSetting& setting : settingsOf(*table)) {
            requireSetting(setting);
            workload.settings.emplace_back(std::move(setting.path), std::move(setting.value));
        }
    }
    return workload;
}

engine::Result<Workload> parseWorkload(std::string_view toml, std::string_view sourceName) {
    try {
        const toml::table root = toml::parse(toml);
        allowOnly(root, "a workload",
                  {"workload", "stage", "lengths", "prompts", "lanes", "attention", "settings"});
        Workload workload = workloadOfToml(root, sourceName);
        if (auto valid = validateWorkload(workload); !valid) {
            return std::unexpected(std::move(valid.error()));
        }
        return workload;
    } catch (const TomlRefusal& refusal) {
        return std::unexpected(refusalError(sourceName, refusal.line, refusal.message));
    } catch (const toml::parse_error& error) {
        return std::unexpected(
            refusalError(sourceName, error.source().begin.line, error.description()));
    }
}

} // namespace app
