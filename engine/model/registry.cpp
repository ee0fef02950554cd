#include "engine/model/registry.h"

#include "engine/base/display_text.h"
#include "engine/base/failure.h"
#include "kernels/thread_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace engine {

namespace {

struct Architecture {
    std::string_view name; // general.architecture
    std::unique_ptr<Model> (*make)(const Checkpoint&, kernels::Ops&, const WeightOptions&);
};

constexpr std::array kArchitectures = {
    Architecture{.name = "llama", .make = makeLlama},
    Architecture{.name = "qwen2", .make = makeQwen2},
    Architecture{.name = "qwen3", .make = makeQwen3},
    Architecture{.name = "qwen3moe", .make = makeQwen3Moe},
    Architecture{.name = "gemma3", .make = makeGemma3},
    Architecture{.name = "deepseek2", .make = makeDeepSeek2},
};

// Known, and refused with the model's own name.
struct Refused {
    std::string_view name;
    std::string_view model;
    std::string_view missing;
};

constexpr std::array kRefused = {
    Refused{"deepseek32", "DeepSeek V3.2", "its sparse attention chooses keys with an indexer"},
    Refused{"deepseek_v32", "DeepSeek V3.2", "its sparse attention chooses keys with an indexer"},
    Refused{"deepseek4", "DeepSeek V4",
            "it attends over compressed entries and mixes four streams"},
    Refused{"deepseek_v4", "DeepSeek V4",
            "it attends over compressed entries and mixes four streams"},
    Refused{"dflash", "a draft of DeepSeek V4", "it predicts for another model only"},
    Refused{"glm-dsa", "GLM with sparse attention", "it chooses keys with an indexer"},
};

std::string supportedArchitectures() {
    std::string names;
    for (const Architecture& architecture : kArchitectures) {
        names += (names.empty() ? "" : ", ") + std::string(architecture.name);
    }
    return names;
}

} // namespace

bool isSupportedArchitecture(std::string_view name) {
    return std::ranges::find(kArchitectures, name, &Architecture::name) != kArchitectures.end();
}

std::string refusalOfArchitecture(std::string_view name) {
    std::string text =
        fmt::format("architecture {} is not supported yet", displayText(std::string(name), 60));
    if (const auto* const row = std::ranges::find(kRefused, name, &Refused::name);
        row != kRefused.end()) {
        text += fmt::format(" ({}: {})", row->model, row->missing);
    }
    return text + "; supported are " + supportedArchitectures();
}

std::unique_ptr<Model> makeModel(const Checkpoint& checkpoint, kernels::Ops& ops,
                                 const WeightOptions& options) {
    const std::string_view name = checkpoint.text("general.architecture").value_or("");
    const auto* const row = std::ranges::find(kArchitectures, name, &Architecture::name);
    if (row == kArchitectures.end()) {
        throw Failure(ErrorCode::Unsupported,
                      fmt::format("The model can't be run: {}.", refusalOfArchitecture(name)));
    }
    return row->make(checkpoint, ops, options);
}

std::optional<std::string> refusalOfModel(const Checkpoint& checkpoint) {
    kernels::ThreadPool pool(1);
    const auto ops = kernels::makeCpuOps(pool);
    WeightOptions trial;
    trial.isTrial = true;
    try {
        makeModel(checkpoint, *ops, trial);
    } catch (const Failure& failure) {
        return failure.what();
    }
    return std::nullopt;
}

} // namespace engine
