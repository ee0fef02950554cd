// What a model holds as its headers tell it: also tensors in formats that nothing here computes
// with, which a checkpoint that is opened to run refuses. Any thread.
#pragma once

#include "engine/checkpoint/checkpoint.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace engine {

struct ListedTensor {
    std::string name;   // as GGUF files call it
    std::string format; // as the file calls it
    kernels::Shape shape;
    std::uint64_t bytes = 0;               // in the file
    std::optional<kernels::Format> loaded; // what it is computed with; empty: nothing can
};

struct Listing {
    std::unique_ptr<Checkpoint> checkpoint; // without the tensors that nothing computes with
    std::vector<ListedTensor> tensors;
    std::string container; // "GGUF", "safetensors"
    std::int64_t files = 1;
};

// A file or a folder, as openCheckpoint() takes them. Throws Failure.
Listing listModel(const std::filesystem::path& path);

} // namespace engine
