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

} // namespace kernels
