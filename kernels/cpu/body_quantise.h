// Rounding of activations to INT8, one scale a group of 32, written once over Simd. Included by
// instruction-set units only.
#pragma once

#include "kernels/cpu/body_elementwise.h"

namespace kernels::cpu {
namespace {

// Codes of one group and the sums that weights with minimums or biased codes need.
inline void writeGroup(const float* whole, float scale, std::int64_t group,
                       const QuantisedRow& row) {
    std::int8_t* codes = row.codes + group * row.width * kGroupColumns;
    std::int32_t sums[2];
    for (int part = 0; part < 2; ++part) {
        std::int32_t sum = 0;
        for (int i = 16 * part; i < 16 * part + 16; i += Simd::kLanes) {
            const Simd::I v = Simd::toInt(Simd::load(whole + i));
            Simd::storeBytes(codes + i, v);
            sum += Simd::sumInt(v);
        }
        sums[part] = sum;
    }
    row.scales[group * row.width] = scale;
    if (row.sums32 != nullptr) {
        row.sums32[group * row.width] = scale * static_cast<float>(sums[0] + sums[1]);
    }
    if (row.sums16 != nullptr) {
        row.sums16[2 * group * row.width] = scale * static_cast<float>(sums[0]);
        row.sums16[(2 * group + 1) * row.width] = scale * static_cast<float>(sums[1]);
    }
    for (int i = 0; i < row.targetCount; ++i) {
        const BiasTarget& target = row.targets[i];
        if (target.parts == 1) {
            target.out[group * row.width] = -target.bias * (sums[0] + sums[1]);
        } else {
            target.out[2 * group * row.width] = -target.bias * sums[0];
            target.out[(2 * group + 1) * row.width] = -target.bias * sums[1];
        }
    }
}

// Smaller groups round to zero: their scale would be subnormal and its inverse infinite.
constexpr float kSmallestMagnitude = 1e-30F;

// The scale of a group whose codes span [-steps, steps]; inverse: what x is multiplied by.
struct GroupScale {
    float scale;
    float inverse;
};

inline GroupScale scaleOf(const float* x, float steps) {
    F largest = Simd::zero();
    F poison = Simd::zero(); // becomes NaN with any NaN or infinity
    for (int i = 0; i < kGroupColumns; i += Simd::kLanes) {
        const F v = Simd::load(x + i);
        largest = Simd::max(largest, Simd::abs(v));
        poison = Simd::fma(v, Simd::zero(), poison);
    }
    const float magnitude = Simd::largest(largest);
    const float isBroken = Simd::sum(poison);
    if (isBroken != 0.0F) { // codes of zero and a scale of NaN: the row's products become NaN
        return GroupScale{isBroken, 0.0F};
    }
    if (magnitude < kSmallestMagnitude) {
        return GroupScale{0.0F, 0.0F};
    }
    return GroupScale{magnitude / steps, steps / magnitude};
}

void quantiseRow(const float* x, std::int64_t groups, const QuantisedRow& high,
                 const QuantisedRow* low) {
    constexpr float kCodes = 127.0F;
    constexpr float kBase = 254.0F; // x = step * (254 * first + second), both within [-127, 127]
    float first[kGroupColumns] = {};
    float second[kGroupColumns] = {};
    for (std::int64_t group = 0; group < groups; ++group, x += kGroupColumns) {
        const GroupScale scale = scaleOf(x, low == nullptr ? kCodes : kCodes * kBase);
        for (int i = 0; i < kGroupColumns; i += Simd::kLanes) {
            const F v = scale.inverse == 0.0F ? Simd::zero() : Simd::load(x + i);
            const F whole = Simd::round(Simd::mul(v, Simd::set1(scale.inverse)));
            if (low == nullptr) {
                Simd::store(first + i, whole);
            } else {
                const F upper = Simd::round(Simd::mul(whole, Simd::set1(1.0F / kBase)));
                Simd::store(first + i, upper);
                Simd::store(second + i, Simd::fma(upper, Simd::set1(-kBase), whole));
            }
        }
        if (low == nullptr) {
            writeGroup(first, scale.scale, group, high);
        } else {
            writeGroup(first, kBase * scale.scale, group, high);
            writeGroup(second, scale.scale, group, *low);
        }
    }
}

} // namespace
} // namespace kernels::cpu
