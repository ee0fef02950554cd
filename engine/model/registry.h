// The architectures the engine can run, in one table.
#pragma once

#include "engine/model/model.h"
#include "engine/model/weights.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace engine {

bool isSupportedArchitecture(std::string_view name);
// Why a model of an architecture that is not in the table can't be run, as a sentence's middle:
// "architecture mamba is not supported yet; llama, ... are".
std::string refusalOfArchitecture(std::string_view name);

// Reads hyper-parameters and weights. Throws Failure with a message that names the key or the
// tensor, Interrupted on stop.
std::unique_ptr<Model> makeModel(const Checkpoint& checkpoint, kernels::Ops& ops,
                                 const WeightOptions& options);

// Why makeModel() would refuse, found out by the same code without reading a matrix; empty where it
// would not.
std::optional<std::string> refusalOfModel(const Checkpoint& checkpoint);

// The functions of the table, a file each.
std::unique_ptr<Model> makeLlama(const Checkpoint& checkpoint, kernels::Ops& ops,
                                 const WeightOptions& options);
std::unique_ptr<Model> makeQwen2(const Checkpoint& checkpoint, kernels::Ops& ops,
                                 const WeightOptions& options);
std::unique_ptr<Model> makeQwen3(const Checkpoint& checkpoint, kernels::Ops& ops,
                                 const WeightOptions& options);
std::unique_ptr<Model> makeQwen3Moe(const Checkpoint& checkpoint, kernels::Ops& ops,
                                    const WeightOptions& options);
std::unique_ptr<Model> makeGemma3(const Checkpoint& checkpoint, kernels::Ops& ops,
                                  const WeightOptions& options);
std::unique_ptr<Model> makeDeepSeek2(const Checkpoint& checkpoint, kernels::Ops& ops,
                                     const WeightOptions& options);

} // namespace engine
