// Quantised blocks taken apart into codes and scales, and the one formula that makes values of
// them. Decoding (formats.cpp) and packing (cpu/) both start here. Pure functions, any thread.
#pragma once

#include "kernels/formats.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace kernels {

constexpr int kMaxBlockElements = 256;

enum class ScaleKind : std::uint8_t {
    Half,     // one F16 a group
    Super,    // F16 of the block times a small integer a group
    Exponent, // a power of two a group, 2^(e - 128)
    Float,    // a group's own, worked out when the block is taken apart
};

enum class MinimumKind : std::uint8_t {
    None,
    Half,  // value = scale * code + minimum
    Super, // value = scale * code - minimum; F16 of the block times a small integer a group
};

// value = scale[group] * step(code) (+ or - minimum[group]); step(code) is table[code], or
// code - offset where there is no table.
struct BlockFormula {
    int groupElements = 32; // that share a scale; a whole block where it has only one
    int codeBits = 8;
    int offset = 0;
    const std::int8_t* table = nullptr; // 16 entries
    ScaleKind scale = ScaleKind::Half;
    MinimumKind minimum = MinimumKind::None;
};

struct BlockCodes {
    std::array<std::uint8_t, kMaxBlockElements> codes;
    std::array<std::uint16_t, 4> halfScales; // Half: a group; Super: [0] the block's
    std::uint16_t halfMinimum;               // Half: of the only group; Super: the block's
    std::array<std::int8_t, 16> superScales;
    std::array<std::uint8_t, 16> superMinimums;
    std::uint8_t exponent;
    std::array<float, 16> floatScales;
};

// nullptr for formats that are no quantised blocks.
const BlockFormula* blockFormula(Format format);
// Takes one block apart. Precondition: blockFormula(format) != nullptr.
void takeApart(Format format, const std::byte* block, BlockCodes& parts);

// The factors of one group as F32; both products are exact.
float groupScale(const BlockFormula& formula, const BlockCodes& parts, int group);
float groupMinimum(const BlockFormula& formula, const BlockCodes& parts, int group);

// Values of whole blocks, exactly as the format defines them.
void decodeBlocks(Format format, const std::byte* src, std::size_t blocks, float* out);

} // namespace kernels
