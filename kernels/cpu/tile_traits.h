// What a kind of tile looks like in memory. Compile-time only, internal linkage: both the packing
// code and the instruction-set units read it.
#pragma once

#include "kernels/cpu/kernel_table.h"

namespace kernels::cpu {

enum class FactorKind : std::uint8_t { None, Half, Float, Super };

struct TileTraits {
    int codeBits = 0; // 0: no codes, plain numbers
    FactorKind factor = FactorKind::None;
    int parts = 1; // scales a group of 32 columns
    bool hasMinimum = false;
    bool usesTable = false;
    int bias = 0; // value = scale * (code - bias); tables hold steps + 128
};

static constexpr TileTraits tileTraits(TileKind kind) {
    switch (kind) {
    case TileKind::F32:
    case TileKind::F16:
    case TileKind::BF16:
    case TileKind::F8:
        return {};
    case TileKind::Code4Half:
        return {.codeBits = 4, .factor = FactorKind::Half, .bias = 8};
    case TileKind::Code4HalfMinimum:
        return {.codeBits = 4, .factor = FactorKind::Half, .hasMinimum = true};
    case TileKind::Code5Half:
        return {.codeBits = 5, .factor = FactorKind::Half, .bias = 16};
    case TileKind::Code5HalfMinimum:
        return {.codeBits = 5, .factor = FactorKind::Half, .hasMinimum = true};
    case TileKind::Code8Half:
        return {.codeBits = 8, .factor = FactorKind::Half, .bias = 128};
    case TileKind::Code4Super16:
        return {.codeBits = 4, .factor = FactorKind::Super, .parts = 2, .bias = 8};
    case TileKind::Code4SuperMinimum:
        return {.codeBits = 4, .factor = FactorKind::Super, .hasMinimum = true};
    case TileKind::Code4SuperMinimum16:
        return {.codeBits = 4, .factor = FactorKind::Super, .parts = 2, .hasMinimum = true};
    case TileKind::Code5SuperMinimum:
        return {.codeBits = 5, .factor = FactorKind::Super, .hasMinimum = true};
    case TileKind::Code6Super16:
        return {.codeBits = 6, .factor = FactorKind::Super, .parts = 2, .bias = 32};
    case TileKind::TableHalf:
        return {.codeBits = 4, .factor = FactorKind::Half, .usesTable = true, .bias = 128};
    case TileKind::TableHalf16:
        return {
            .codeBits = 4, .factor = FactorKind::Half, .parts = 2, .usesTable = true, .bias = 128};
    case TileKind::TableFloat:
        return {.codeBits = 4, .factor = FactorKind::Float, .usesTable = true, .bias = 128};
    case TileKind::TableFloat16:
        return {
            .codeBits = 4, .factor = FactorKind::Float, .parts = 2, .usesTable = true, .bias = 128};
    case TileKind::TableSuper:
        return {.codeBits = 4, .factor = FactorKind::Super, .usesTable = true, .bias = 128};
    }
    return {};
}

// The largest code as the products see it: biased steps of a table fill a byte.
static constexpr int largestCode(TileTraits traits) {
    return traits.usesTable ? 255 : (1 << traits.codeBits) - 1;
}

// Bytes of a group of 32 columns in the planes of codes and factors, and of 256 columns in the
// super plane.
static constexpr std::size_t codeRecord(TileTraits traits) {
    return static_cast<std::size_t>(64 * traits.codeBits);
}

static constexpr std::size_t factorRecord(TileTraits traits) {
    const int numbers = traits.parts * (traits.hasMinimum ? 2 : 1) * kTileRows;
    const int bytes = traits.factor == FactorKind::Half    ? 2
                      : traits.factor == FactorKind::Float ? 4
                                                           : 1;
    return static_cast<std::size_t>(numbers * bytes);
}

static constexpr std::size_t superRecord(TileTraits traits) {
    return traits.factor == FactorKind::Super ? (traits.hasMinimum ? 64 : 32) : 0;
}

} // namespace kernels::cpu
