// How weights of block formats lie on a device: bits of codes in planes, factors apart, each a row
// after the other. Kernels are compiled once for each kind; formats are rows of a table. Pure, any
// thread, host and device.
//
// A group is 32 columns. Code word j of a group is bytes of its elements 4j .. 4j+3:
//   8 bits  word j of 32 bytes, signed
//   4 bits  (word j/2 of 16 bytes >> 4 (j%2)) & 0x0F0F0F0F
//   2 bits  (word j/4 of 8 bytes >> 2 (j%4)) & 0x03030303
//   1 bit   (the word >> j) & 0x01010101
// 6 bits are a plane of 4 and above it one of 2; 5 are 4 and 1; 3 are 2 and 1.
#pragma once

#include "kernels/formats.h"

#include <cstddef>
#include <cstdint>

namespace kernels::cuda {

inline constexpr int kGroupColumns = 32;
inline constexpr int kSuperGroups = 8; // that share the factors of a block of 256

enum class FactorKind : std::uint8_t {
    Half,         // F16 a part
    HalfMinimum,  // and the minimum that is added, F16
    Super,        // an I8 a part times the block's F16
    SuperMinimum, // and a U8 a part times the block's second F16, subtracted
    Exponent,     // 2^(e - 128)
    Float,        // F32 a part
};

// value = scale[part] * (code - offset, or table[code]) + minimum[part]
struct CodeKind {
    int bits = 8;
    int offset = 0;
    bool usesTable = false; // of 16 steps
    int parts = 1;          // of a group that have factors of their own
    FactorKind factor = FactorKind::Half;
};

inline constexpr CodeKind kCodeKinds[] = {
    {4, 8, false, 1, FactorKind::Half},         // Q4_0
    {4, 0, false, 1, FactorKind::HalfMinimum},  // Q4_1
    {5, 16, false, 1, FactorKind::Half},        // Q5_0
    {5, 0, false, 1, FactorKind::HalfMinimum},  // Q5_1
    {8, 0, false, 1, FactorKind::Half},         // Q8_0
    {2, 0, false, 2, FactorKind::SuperMinimum}, // Q2_K
    {3, 4, false, 2, FactorKind::Super},        // Q3_K
    {4, 0, false, 1, FactorKind::SuperMinimum}, // Q4_K
    {5, 0, false, 1, FactorKind::SuperMinimum}, // Q5_K
    {6, 32, false, 2, FactorKind::Super},       // Q6_K
    {4, 0, true, 1, FactorKind::Float},         // IQ2_XXS, IQ3_XXS, IQ3_S
    {4, 0, true, 2, FactorKind::Float},         // IQ2_XS, IQ2_S, NVFP4 of a matrix with a factor
    {4, 0, true, 1, FactorKind::Half},          // IQ4_NL
    {4, 0, true, 1, FactorKind::Super},         // IQ4_XS
    {4, 0, true, 1, FactorKind::Exponent},      // MXFP4
    {4, 0, true, 2, FactorKind::Half},          // NVFP4
    {2, 1, false, 1, FactorKind::Half},         // TQ1_0, TQ2_0
};
inline constexpr int kCodeKindCount = static_cast<int>(sizeof kCodeKinds / sizeof kCodeKinds[0]);

// Row of kCodeKinds, or -1 for numbers that are no codes. factor: of the whole matrix.
int codeKindOf(Format format, float factor);

constexpr int mainBits(const CodeKind& kind) {
    return kind.bits == 8 ? 8 : kind.bits >= 4 ? 4 : 2;
}
constexpr int extraBits(const CodeKind& kind) {
    return kind.bits - mainBits(kind);
}
// Bytes of a group's planes and factors, and of a block's.
constexpr std::size_t mainBytes(const CodeKind& kind) {
    return static_cast<std::size_t>(4 * mainBits(kind));
}
constexpr std::size_t extraBytes(const CodeKind& kind) {
    return static_cast<std::size_t>(4 * extraBits(kind));
}
constexpr std::size_t factorBytes(const CodeKind& kind) {
    const auto parts = static_cast<std::size_t>(kind.parts);
    switch (kind.factor) {
    case FactorKind::Half:
        return 2 * parts;
    case FactorKind::HalfMinimum:
    case FactorKind::Float:
        return 4 * parts;
    case FactorKind::Super:
    case FactorKind::Exponent:
        return parts;
    case FactorKind::SuperMinimum:
        return 2 * parts;
    }
    return 0;
}
constexpr std::size_t superBytes(const CodeKind& kind) {
    return kind.factor == FactorKind::Super ? 2 : kind.factor == FactorKind::SuperMinimum ? 4 : 0;
}

// A matrix of codes in device memory.
struct WeightCodes {
    const std::uint8_t* main = nullptr;    // [rows, groups, mainBytes]
    const std::uint8_t* extra = nullptr;   // [rows, groups, extraBytes]
    const std::uint8_t* factors = nullptr; // [rows, groups, factorBytes]
    const std::uint8_t* super = nullptr;   // [rows, blocks, superBytes]
    std::uint32_t table[4] = {};           // sixteen signed bytes
    std::int32_t rows = 0;
    std::int32_t groups = 0; // of a row
};

enum class NumberKind : std::uint8_t { F32, F16, BF16, F8 };

// A matrix of plain numbers in device memory; rows are padded with zeros to whole 16 bytes.
struct WeightNumbers {
    const std::byte* values = nullptr; // [rows, stride]
    const float* scales = nullptr;     // F8: [rows]
    std::int32_t rows = 0;
    std::int32_t columns = 0;
    std::int32_t stride = 0; // elements
};

} // namespace kernels::cuda
