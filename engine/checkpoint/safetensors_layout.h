// One safetensors file as its header describes it. Everything is validated; nothing outside the
// given bytes is believed. Pure functions, any thread.
#pragma once

#include "kernels/formats.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine::safetensors {

struct Dtype {
    std::string_view name; // "BF16"
    int bits = 0;          // of an element
    // What may be computed with as it lies; F8_E4M3 comes with scales and is converted.
    std::optional<kernels::Format> format;
};

constexpr std::string_view kFloat8 = "F8_E4M3";

// Null for names that the format does not know.
const Dtype* findDtype(std::string_view name);

struct TensorRecord {
    std::string name;
    const Dtype* dtype = nullptr;
    std::vector<std::int64_t> shape; // outermost first; empty for a single number
    std::uint64_t bytes = 0;
    std::uint64_t begin = 0; // in the file
};

struct Layout {
    std::vector<TensorRecord> tensors; // in the order they lie in
    std::uint64_t dataBegin = 0;
};

// Throws Failure: its message starts with `what` and names the tensor or key at fault.
Layout parseLayout(std::span<const std::byte> file, const std::string& what);

} // namespace engine::safetensors
