// The tensors of a safetensors model under the names of GGUF files, each with how it is made.
// Built once when a model is opened, from headers alone.
#pragma once

#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/hf_config.h"
#include "engine/checkpoint/made_tensor.h"
#include "engine/checkpoint/safetensors_layout.h"

#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace engine::hf {

struct StoredTensor {
    const safetensors::TensorRecord* record = nullptr;
    std::span<const std::byte> bytes;
};

struct PlannedTensor {
    TensorEntry entry;
    TensorRecipe recipe;
    std::string dtype;             // as stored
    std::uint64_t storedBytes = 0; // of it
    bool isComputable = true;      // else entry.format means nothing
};

struct Plan {
    std::vector<PlannedTensor> tensors;
    std::vector<std::string> notices;
};

// `stored` in the order of the files. Throws Failure that names the tensor at fault.
Plan makePlan(const std::vector<StoredTensor>& stored, const Config& config);

} // namespace engine::hf
