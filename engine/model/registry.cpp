#include "engine/model/registry.h"

#include "engine/base/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace engine {

namespace {

struct Architecture {
    std::string_view name; // general.architecture
    std::unique_ptr<Model> (*make)(const Checkpoint&, kernels::Ops&, const WeightOptions&);
};

constexpr std::array<Architecture, 1> kArchitectures = {{
    {.name = "llama", .make = makeLlama},
}};

} // namespace

bool isSupportedArchitecture(std::string_view name) {
    return std::ranges::find(kArchitectures, name, &Architecture::name) != kArchitectures.end();
}

std::string supportedArchitectures() {
    std::string names;
    for (const Architecture& architecture : kArchitectures) {
        names += (names.empty() ? "" : ", ") + std::string(architecture.name);
    }
    return names;
}

std::unique_ptr<Model> makeModel(const Checkpoint& checkpoint, kernels::Ops& ops,
                                 const WeightOptions& options) {
    const std::string_view name = checkpoint.text("general.architecture").value_or("");
    const auto row = std::ranges::find(kArchitectures, name, &Architecture::name);
    if (row == kArchitectures.end()) {
        throw Failure(ErrorCode::Unsupported,
                      fmt::format("The architecture '{}' is not supported. Supported: {}.", name,
                                  supportedArchitectures()));
    }
    return row->make(checkpoint, ops, options);
}

} // namespace engine
