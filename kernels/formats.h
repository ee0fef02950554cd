// The element and block formats of tensors, and one table that says what each of them is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace kernels {

enum class Format : std::uint8_t {
    F32,
    F16,
    BF16,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q2_K,
    Q3_K,
    Q4_K,
    Q5_K,
    Q6_K,
    IQ2_XXS,
    IQ2_XS,
    IQ2_S,
    IQ3_XXS,
    IQ3_S,
    IQ4_NL,
    IQ4_XS,
    MXFP4,
    NVFP4,
    TQ1_0,
    TQ2_0,
    I8,
    I16,
    I32,
    I64,
    F64,
    F8, // E4M3, no file's: a row of codes, then its scale in F32; see weightRowBytes()
};

struct FormatTraits {
    Format format;
    std::string_view name; // as GGUF tools print it: "Q4_1"
    int ggufType;          // id in GGUF files
    int blockElements;     // elements a block; rows are whole blocks
    int blockBytes;
    bool isWeight; // may be a weight matrix of Ops::prepare
};

const FormatTraits& traits(Format format);
std::optional<Format> formatFromGguf(int ggufType);
// Of a format that files have.
std::optional<Format> formatFromName(std::string_view name);
// Names of GGUF types that exist but are not supported ("IQ1_S"), for messages; empty if unknown.
std::string_view unsupportedGgufTypeName(int ggufType);

// Bytes of `elements` elements in whole blocks. Precondition: elements % blockElements == 0.
std::size_t formatBytes(Format format, std::size_t elements);

// Bytes from a row of a weight matrix to the next: its blocks, and of F8 the row's scale.
std::size_t weightRowBytes(Format format, std::size_t columns);

// out[i] = value of element i; bit-exact to the format's definition. src: whole blocks, any
// alignment.
void dequantize(Format format, const std::byte* src, std::span<float> out);
// Writes whole blocks that decode close to `in`. For synthetic and test models. Throws for formats
// without an encoder.
void quantize(Format format, std::span<const float> in, std::byte* dst);

} // namespace kernels
