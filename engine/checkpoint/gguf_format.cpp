#include "engine/checkpoint/gguf_format.h"

#include <array>

namespace engine::gguf {

namespace {

struct UncomputableType {
    std::int32_t id;
    std::uint64_t blockElements;
    std::uint64_t blockBytes;
};

// Formats that exist in files and that nothing here computes on: their sizes, so that a file with
// one of them can still be measured and named.
constexpr std::array kUncomputable = {
    UncomputableType{19, 256, 50},
    UncomputableType{29, 256, 56},
    UncomputableType{41, 128, 18},
    UncomputableType{42, 64, 18},
};

struct FileType {
    kernels::Format format;
    std::int64_t label;
};

constexpr std::array kFileTypes = {
    FileType{kernels::Format::F32, 0},      FileType{kernels::Format::F16, 1},
    FileType{kernels::Format::Q4_0, 2},     FileType{kernels::Format::Q4_1, 3},
    FileType{kernels::Format::Q8_0, 7},     FileType{kernels::Format::Q5_0, 8},
    FileType{kernels::Format::Q5_1, 9},     FileType{kernels::Format::Q2_K, 10},
    FileType{kernels::Format::Q3_K, 11},    FileType{kernels::Format::Q4_K, 14},
    FileType{kernels::Format::Q5_K, 16},    FileType{kernels::Format::Q6_K, 18},
    FileType{kernels::Format::IQ2_XXS, 19}, FileType{kernels::Format::IQ2_XS, 20},
    FileType{kernels::Format::IQ3_XXS, 23}, FileType{kernels::Format::IQ3_S, 26},
    FileType{kernels::Format::IQ2_S, 28},   FileType{kernels::Format::IQ4_NL, 25},
    FileType{kernels::Format::IQ4_XS, 30},  FileType{kernels::Format::BF16, 32},
    FileType{kernels::Format::TQ1_0, 36},   FileType{kernels::Format::TQ2_0, 37},
    FileType{kernels::Format::MXFP4, 38},   FileType{kernels::Format::NVFP4, 39},
};

constexpr std::int64_t kGuessed = 1024;

} // namespace

std::optional<TensorType> tensorType(std::int32_t id) {
    if (const auto format = kernels::formatFromGguf(id)) {
        const kernels::FormatTraits& traits = kernels::traits(*format);
        return TensorType{.name = traits.name,
                          .blockElements = static_cast<std::uint64_t>(traits.blockElements),
                          .blockBytes = static_cast<std::uint64_t>(traits.blockBytes),
                          .format = format};
    }
    for (const UncomputableType& type : kUncomputable) {
        if (type.id == id) {
            return TensorType{.name = kernels::unsupportedGgufTypeName(id),
                              .blockElements = type.blockElements,
                              .blockBytes = type.blockBytes,
                              .format = std::nullopt};
        }
    }
    return std::nullopt;
}

std::int64_t fileTypeLabel(kernels::Format format) {
    for (const FileType& type : kFileTypes) {
        if (type.format == format) {
            return type.label;
        }
    }
    return kGuessed;
}

} // namespace engine::gguf
