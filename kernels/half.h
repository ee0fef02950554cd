// Conversions between F32 and the 16-bit floats, in software and exact, for code that runs on any
// processor. Internal linkage on purpose: instruction-set units must not share compiled inlines.
#pragma once

#include <cstdint>
#include <cstring>

namespace kernels {

static inline float floatFromBits(std::uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

static inline std::uint32_t bitsOfFloat(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Keeps the payload of NaNs.
static inline float floatFromHalf(std::uint16_t half) {
    const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
    const std::uint32_t exponent = (half >> 10) & 31U;
    const std::uint32_t mantissa = half & 1023U;
    if (exponent == 31) {
        return floatFromBits(sign | 0x7F800000U | mantissa << 13);
    }
    if (exponent == 0) { // zero or subnormal: mantissa * 2^-24 is exact in F32
        const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
        return floatFromBits(sign | bitsOfFloat(magnitude));
    }
    return floatFromBits(sign | (exponent + 112) << 23 | mantissa << 13);
}

// Nearest, ties to even; too large becomes infinity; NaN stays a quiet NaN.
static inline std::uint16_t halfFromFloat(float value) {
    const std::uint32_t bits = bitsOfFloat(value);
    const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
    if (magnitude > 0x7F800000U) {
        return static_cast<std::uint16_t>(sign | 0x7E00U | (magnitude >> 13 & 0x1FFU));
    }
    if (magnitude >= 0x477FF000U) { // rounds to 65536 or more
        return static_cast<std::uint16_t>(sign | 0x7C00U);
    }
    if (magnitude < 0x38800000U) { // subnormal half: adding 0.5 lets the FPU round at 2^-24
        const float shifted = floatFromBits(magnitude) + 0.5F;
        return static_cast<std::uint16_t>(sign | (bitsOfFloat(shifted) - 0x3F000000U));
    }
    const std::uint32_t rounded = magnitude + 0xFFFU + (magnitude >> 13 & 1U);
    return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000U) >> 13));
}

static inline float floatFromBrain(std::uint16_t brain) {
    return floatFromBits(static_cast<std::uint32_t>(brain) << 16);
}

// Nearest, ties to even; NaN stays a quiet NaN.
static inline std::uint16_t brainFromFloat(float value) {
    const std::uint32_t bits = bitsOfFloat(value);
    if ((bits & 0x7FFFFFFFU) > 0x7F800000U) {
        return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
    }
    return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
}

} // namespace kernels
