// The eight-bit float E4M3 (finite kind: no infinities, 0x7F and 0xFF are NaN), in software and
// exact. Internal linkage on purpose, as in half.h.
#pragma once

#include "kernels/half.h"

namespace kernels {

static inline float floatFromE4M3(std::uint8_t code) {
    const std::uint32_t sign = static_cast<std::uint32_t>(code & 0x80U) << 24;
    const std::uint32_t exponent = (code >> 3) & 15U;
    const std::uint32_t mantissa = code & 7U;
    if ((code & 0x7FU) == 0x7FU) {
        return floatFromBits(sign | 0x7FC00000U);
    }
    if (exponent == 0) { // zero or subnormal: mantissa * 2^-9 is exact
        return floatFromBits(sign | bitsOfFloat(static_cast<float>(mantissa) * 0x1p-9F));
    }
    return floatFromBits(sign | (exponent + 120) << 23 | mantissa << 20);
}

constexpr float kLargestE4M3 = 448.0F;

// Nearest, ties to even; too large becomes the largest number; NaN stays NaN.
static inline std::uint8_t e4m3FromFloat(float value) {
    const std::uint32_t bits = bitsOfFloat(value);
    const auto sign = static_cast<std::uint8_t>(bits >> 24 & 0x80U);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
    if (magnitude > 0x7F800000U) {
        return static_cast<std::uint8_t>(sign | 0x7FU);
    }
    if (magnitude >= 0x43E00000U) { // 448 and more
        return static_cast<std::uint8_t>(sign | 0x7EU);
    }
    if (magnitude < 0x3C800000U) { // below 2^-6: adding 2^14 lets the FPU round at 2^-9
        const float shifted = floatFromBits(magnitude) + 0x1p14F;
        return static_cast<std::uint8_t>(sign | (bitsOfFloat(shifted) - 0x46800000U));
    }
    const std::uint32_t rounded = magnitude + 0x7FFFFU + (magnitude >> 20 & 1U);
    return static_cast<std::uint8_t>(sign | ((rounded - 0x3C000000U) >> 20));
}

} // namespace kernels
