// Codes and factors of one group of a weight row, read from the planes of code_kind.h. Device side
// only.
#pragma once

#include "kernels/cuda/code_kind.h"
#include "kernels/cuda/numbers.cuh"

namespace kernels::cuda {

// The functions of code_kind.h are the host's; their results are constants on both sides.
template <int kKind>
inline constexpr int kMainBits = mainBits(kCodeKinds[kKind]);
template <int kKind>
inline constexpr int kExtraBits = extraBits(kCodeKinds[kKind]);
template <int kKind>
inline constexpr std::int64_t kMainBytes = static_cast<std::int64_t>(mainBytes(kCodeKinds[kKind]));
template <int kKind>
inline constexpr std::int64_t
    kExtraBytes = static_cast<std::int64_t>(extraBytes(kCodeKinds[kKind]));
template <int kKind>
inline constexpr std::int64_t
    kFactorBytes = static_cast<std::int64_t>(factorBytes(kCodeKinds[kKind]));
template <int kKind>
inline constexpr std::int64_t
    kSuperBytes = static_cast<std::int64_t>(superBytes(kCodeKinds[kKind]));

// Four steps a word: codes as they are, or looked up in the kind's table.
struct CodeWords {
    std::uint32_t words[8];
};

// index: row * groups + group.
template <int kKind>
__device__ __forceinline__ CodeWords codesAt(const WeightCodes& weight, std::int64_t index) {
    constexpr CodeKind kTraits = kCodeKinds[kKind];
    constexpr int kMain = kMainBits<kKind>;
    constexpr int kExtra = kExtraBits<kKind>;
    CodeWords result;
    const std::uint8_t* main = weight.main + index * kMainBytes<kKind>;
    if constexpr (kMain == 8) {
        const uint4 first = loadVector<uint4>(main);
        const uint4 second = loadVector<uint4>(main + 16);
        result = {{first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w}};
        return result;
    } else if constexpr (kMain == 4) {
        const uint4 plane = loadVector<uint4>(main);
        const std::uint32_t words[4] = {plane.x, plane.y, plane.z, plane.w};
        for (int j = 0; j < 8; ++j) {
            result.words[j] = words[j / 2] >> 4 * (j % 2) & 0x0F0F0F0FU;
        }
    } else {
        const uint2 plane = loadVector<uint2>(main);
        for (int j = 0; j < 8; ++j) {
            result.words[j] = (j < 4 ? plane.x : plane.y) >> 2 * (j % 4) & 0x03030303U;
        }
    }
    const std::uint8_t* extra = weight.extra + index * kExtraBytes<kKind>;
    if constexpr (kExtra == 2) {
        const uint2 plane = loadVector<uint2>(extra);
        for (int j = 0; j < 8; ++j) {
            const std::uint32_t bits = (j < 4 ? plane.x : plane.y) >> 2 * (j % 4);
            result.words[j] |= (bits & 0x03030303U) << kMain;
        }
    } else if constexpr (kExtra == 1) {
        const auto plane = loadVector<std::uint32_t>(extra);
        for (int j = 0; j < 8; ++j) {
            result.words[j] |= (plane >> j & 0x01010101U) << kMain;
        }
    }
    if constexpr (kTraits.usesTable) {
        for (int j = 0; j < 8; ++j) {
            result.words[j] = lookUpBytes(weight.table, result.words[j]);
        }
    }
    return result;
}

// Word j alone: what a lane needs of a row in a matrix product.
template <int kKind>
__device__ __forceinline__ std::uint32_t codeWordAt(const WeightCodes& weight, std::int64_t index,
                                                    int j) {
    constexpr int kMain = kMainBits<kKind>;
    constexpr int kExtra = kExtraBits<kKind>;
    const std::uint8_t* main = weight.main + index * kMainBytes<kKind>;
    std::uint32_t word;
    if constexpr (kMain == 8) {
        word = loadVector<std::uint32_t>(main + 4 * j);
    } else if constexpr (kMain == 4) {
        word = loadVector<std::uint32_t>(main + 4 * (j / 2)) >> 4 * (j % 2) & 0x0F0F0F0FU;
    } else {
        word = loadVector<std::uint32_t>(main + 4 * (j / 4)) >> 2 * (j % 4) & 0x03030303U;
    }
    const std::uint8_t* extra = weight.extra + index * kExtraBytes<kKind>;
    if constexpr (kExtra == 2) {
        const auto bits = loadVector<std::uint32_t>(extra + 4 * (j / 4)) >> 2 * (j % 4);
        word |= (bits & 0x03030303U) << kMain;
    } else if constexpr (kExtra == 1) {
        word |= (loadVector<std::uint32_t>(extra) >> j & 0x01010101U) << kMain;
    }
    if constexpr (kCodeKinds[kKind].usesTable) {
        word = lookUpBytes(weight.table, word);
    }
    return word;
}

// Of the parts of a group; minimum: what is added.
template <int kParts>
struct Factors {
    float scale[kParts];
    float minimum[kParts];
};

__device__ __forceinline__ float halfAt(const std::uint8_t* p, int index) {
    return float32FromHalf(reinterpret_cast<const std::uint16_t*>(p)[index]);
}

template <int kKind>
__device__ __forceinline__ Factors<kCodeKinds[kKind].parts>
factorsAt(const WeightCodes& weight, std::int64_t row, std::int32_t group) {
    constexpr CodeKind kTraits = kCodeKinds[kKind];
    constexpr int kParts = kTraits.parts;
    constexpr auto kBytes = kFactorBytes<kKind>;
    Factors<kParts> result;
    const std::uint8_t* factors = weight.factors + (row * weight.groups + group) * kBytes;
    const std::int64_t blocks = weight.groups / kSuperGroups;
    const std::uint8_t* super =
        weight.super + (row * blocks + group / kSuperGroups) * kSuperBytes<kKind>;
    for (int part = 0; part < kParts; ++part) {
        result.minimum[part] = 0.0F;
        if constexpr (kTraits.factor == FactorKind::Half) {
            result.scale[part] = halfAt(factors, part);
        } else if constexpr (kTraits.factor == FactorKind::HalfMinimum) {
            result.scale[part] = halfAt(factors, 0);
            result.minimum[part] = halfAt(factors, 1);
        } else if constexpr (kTraits.factor == FactorKind::Float) {
            result.scale[part] = reinterpret_cast<const float*>(factors)[part];
        } else if constexpr (kTraits.factor == FactorKind::Exponent) {
            const std::uint32_t exponent = factors[0]; // 2^-128 and 2^-127 are subnormal
            result.scale[part] =
                float32FromBits(exponent < 2 ? 0x200000U << exponent : (exponent - 1U) << 23);
        } else { // both products are exact
            const float step = static_cast<float>(static_cast<std::int8_t>(factors[part]));
            result.scale[part] = productOf(halfAt(super, 0), step);
            if constexpr (kTraits.factor == FactorKind::SuperMinimum) {
                const auto depth = static_cast<float>(factors[kParts + part]);
                result.minimum[part] = -productOf(halfAt(super, 1), depth);
            }
        }
    }
    return result;
}

// What a group adds to a product but for the scale of the activations. dots: of codes, by part;
// halves: sums of sixteen codes of the activations. Every kernel comes here, so that all give the
// same bits.
template <int kKind>
__device__ __forceinline__ float groupProduct(const Factors<kCodeKinds[kKind].parts>& factors,
                                              const int (&dots)[kCodeKinds[kKind].parts],
                                              const int (&halves)[2]) {
    constexpr CodeKind kTraits = kCodeKinds[kKind];
    float sum = 0.0F;
    for (int part = 0; part < kTraits.parts; ++part) {
        const int codes = kTraits.parts == 1 ? halves[0] + halves[1] : halves[part];
        const int dot = dots[part] - kTraits.offset * codes;
        sum = fmaf(factors.scale[part], static_cast<float>(dot), sum);
        if constexpr (kTraits.factor == FactorKind::HalfMinimum ||
                      kTraits.factor == FactorKind::SuperMinimum) {
            sum = fmaf(factors.minimum[part], static_cast<float>(codes), sum);
        }
    }
    return sum;
}

} // namespace kernels::cuda
