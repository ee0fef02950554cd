// Rounding of activations to INT8, one scale a group of 32, written once over Simd. Included by
// instruction-set units only.
#pragma once

#include "kernels/cpu/body_elementwise.h"

namespace kernels::cpu {
namespace {

// Smaller groups round to zero: their scale would be subnormal and its inverse infinite.
constexpr float kSmallestMagnitude = 1e-30F;
constexpr float kCodeSteps = 127.0F;

// Scales of kLanes groups whose codes span [-steps, steps]; inverses: what x is multiplied by.
struct GroupScales {
    float scales[Simd::kLanes];
    float inverses[Simd::kLanes];
};

// Groups past `count` are zero. A NaN or an infinity makes the scale one, so that the products of
// the row show it, whatever its codes are.
inline GroupScales scalesOf(const float* x, int count, float steps) {
    F magnitudes[Simd::kLanes];
    for (int g = 0; g < count; ++g) {
        F largest = Simd::load(x + g * kGroupColumns);
        for (int i = Simd::kLanes; i < kGroupColumns; i += Simd::kLanes) {
            largest = Simd::largerMagnitude(largest, Simd::load(x + g * kGroupColumns + i));
        }
        magnitudes[g] = largest;
    }
    for (int g = count; g < Simd::kLanes; ++g) {
        magnitudes[g] = Simd::zero();
    }
    Simd::transpose(magnitudes);
    F largest = magnitudes[0];
    for (int i = 1; i < Simd::kLanes; ++i) {
        largest = Simd::largerMagnitude(largest, magnitudes[i]);
    }
    const F smallest = Simd::set1(kSmallestMagnitude);
    GroupScales result;
    Simd::store(result.scales,
                Simd::zeroWhereLess(largest, smallest, Simd::div(largest, Simd::set1(steps))));
    Simd::store(result.inverses,
                Simd::zeroWhereLess(largest, smallest, Simd::div(Simd::set1(steps), largest)));
    return result;
}

// Sums of the codes of up to kLanes groups, a part of 16 each.
struct CodeSums {
    std::int32_t parts[Simd::kLanes][2];
};

// The scales of some groups, and the sums that weights with minimums need.
inline void writeFactors(const float* scales, const CodeSums& sums, std::int64_t first, int count,
                         const QuantisedRow& row) {
    const std::int64_t width = row.width;
    float* out = row.scales + first * width;
    for (int g = 0; g < count; ++g) {
        out[g * width] = scales[g];
    }
    if (row.sums32 != nullptr) {
        float* sums32 = row.sums32 + first * width;
        for (int g = 0; g < count; ++g) {
            const auto sum = static_cast<float>(sums.parts[g][0] + sums.parts[g][1]);
            sums32[g * width] = scales[g] * sum;
        }
    }
    if (row.sums16 != nullptr) {
        float* sums16 = row.sums16 + 2 * first * width;
        for (int i = 0; i < 2 * count; ++i) {
            sums16[i * width] = scales[i / 2] * static_cast<float>(sums.parts[i / 2][i % 2]);
        }
    }
}

// What accumulators start with where weights have biased codes.
inline void writeBiases(const CodeSums& sums, std::int64_t first, int count,
                        const QuantisedRow& row) {
    const std::int64_t width = row.width;
    for (int i = 0; i < row.targetCount; ++i) {
        const BiasTarget target = row.targets[i];
        std::int32_t* bias = target.out + target.parts * first * width;
        for (int part = 0; part < target.parts * count; ++part) {
            const std::int32_t* own = sums.parts[part / target.parts];
            const std::int32_t sum = target.parts == 1 ? own[0] + own[1] : own[part % 2];
            bias[part * width] = -target.bias * sum;
        }
    }
}

// Codes of groups [first, first + count) and their sums; low: the second term or nullptr.
template <bool kHasLow>
inline void writeCodes(const float* x, const GroupScales& scales, int count, std::int64_t stride,
                       std::int8_t* high, CodeSums& highSums, std::int8_t* low, CodeSums& lowSums) {
    constexpr int kVectors = kGroupColumns / Simd::kLanes;
    for (int g = 0; g < count; ++g, x += kGroupColumns, high += stride) {
        const F inverse = Simd::set1(scales.inverses[g]);
        Simd::I upperCodes[kVectors];
        Simd::I lowerCodes[kVectors];
        for (int i = 0; i < kVectors; ++i) {
            const F scaled = Simd::mul(Simd::load(x + i * Simd::kLanes), inverse);
            if constexpr (kHasLow) {
                const F whole = Simd::round(scaled);
                const F upper = Simd::round(Simd::mul(whole, Simd::set1(1.0F / kTermBase)));
                upperCodes[i] = Simd::toInt(upper);
                lowerCodes[i] = Simd::toInt(Simd::fma(upper, Simd::set1(-kTermBase), whole));
            } else {
                upperCodes[i] = Simd::toInt(scaled);
            }
        }
        Simd::storeCodes(high, upperCodes, highSums.parts[g]);
        if constexpr (kHasLow) {
            Simd::storeCodes(low, lowerCodes, lowSums.parts[g]);
            low += stride;
        }
    }
}

void quantiseRow(const float* x, std::int64_t groups, const QuantisedRow& high,
                 const QuantisedRow* low) {
    const float steps = low == nullptr ? kCodeSteps : kCodeSteps * kTermBase;
    const std::int64_t stride = std::int64_t{high.width} * kGroupColumns;
    CodeSums highSums;
    CodeSums lowSums;
    for (std::int64_t first = 0; first < groups; first += Simd::kLanes) {
        const std::int64_t left = groups - first;
        const int count = left < Simd::kLanes ? static_cast<int>(left) : Simd::kLanes;
        const float* in = x + first * kGroupColumns;
        const GroupScales scales = scalesOf(in, count, steps);
        std::int8_t* codes = high.codes + first * stride;
        if (low == nullptr) {
            writeCodes<false>(in, scales, count, stride, codes, highSums, nullptr, lowSums);
            writeBiases(highSums, first, count, high);
            writeFactors(scales.scales, highSums, first, count, high);
        } else {
            writeCodes<true>(in, scales, count, stride, codes, highSums,
                             low->codes + first * stride, lowSums);
            writeBiases(highSums, first, count, high);
            writeBiases(lowSums, first, count, *low);
            for (int g = 0; g < count; ++g) {
                for (int part = 0; part < 2; ++part) {
                    lowSums.parts[g][part] +=
                        static_cast<std::int32_t>(kTermBase) * highSums.parts[g][part];
                }
            }
            writeFactors(scales.scales, lowSums, first, count, *low);
        }
    }
}

} // namespace
} // namespace kernels::cpu
