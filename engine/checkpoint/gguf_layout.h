// One GGUF file as its header describes it: metadata and where each tensor lies. Everything is
// validated; nothing outside the given bytes is believed. Pure functions, any thread.
#pragma once

#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/gguf_format.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace engine::gguf {

struct TensorRecord {
    std::string name;
    TensorType type;
    kernels::Shape shape; // outermost first
    std::uint64_t bytes = 0;
    std::uint64_t begin = 0; // in the file
};

struct Layout {
    std::vector<std::string> keys; // in file order
    std::unordered_map<std::string, MetadataValue> metadata;
    std::vector<TensorRecord> tensors;
    std::uint64_t alignment = kDefaultAlignment;
    std::uint64_t dataBegin = 0; // header, metadata and tensor table lie before
};

// Throws Failure: its message starts with `what` and names the tensor or key at fault.
Layout parseLayout(std::span<const std::byte> file, const std::string& what);

} // namespace engine::gguf
