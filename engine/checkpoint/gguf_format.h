// Names and numbers of the GGUF file format that reader and writer share.
#pragma once

#include "kernels/formats.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace engine::gguf {

inline constexpr std::uint32_t kMagic = 0x46554747; // "GGUF", little endian
inline constexpr std::uint32_t kVersion = 3;
inline constexpr std::uint64_t kHeaderBytes = 24;
inline constexpr std::uint64_t kDefaultAlignment = 32;

enum class ValueType : std::int32_t {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F32,
    Bool,
    String,
    Array,
    U64,
    I64,
    F64,
};
inline constexpr std::int32_t kValueTypes = 13;

// An element format as the file names it; `format` is absent for those we can't compute on.
struct TensorType {
    std::string_view name;
    std::uint64_t blockElements = 1;
    std::uint64_t blockBytes = 1;
    std::optional<kernels::Format> format;
};

// Empty for ids that are unknown, were removed, or never stand in files.
std::optional<TensorType> tensorType(std::int32_t id);

// general.file_type of a file whose matrices have this format: a label, never believed.
std::int64_t fileTypeLabel(kernels::Format format);

inline constexpr std::uint64_t padded(std::uint64_t bytes, std::uint64_t alignment) {
    return (bytes + alignment - 1) / alignment * alignment;
}

} // namespace engine::gguf
