#include "kernels/encoders.h"

#include "kernels/half.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kernels {

namespace {

using Bytes = std::uint8_t*;

constexpr float kLargestHalf = 65504.0F;

void putHalf(Bytes p, float value) {
    const std::uint16_t half = halfFromFloat(std::clamp(value, -kLargestHalf, kLargestHalf));
    p[0] = static_cast<std::uint8_t>(half & 255);
    p[1] = static_cast<std::uint8_t>(half >> 8);
}

// What a decoder will read back: codes are chosen for the rounded scale, not the ideal one.
float storedHalf(float value) {
    return floatFromHalf(halfFromFloat(std::clamp(value, -kLargestHalf, kLargestHalf)));
}

float finite(float value) {
    return std::isfinite(value) ? value : 0.0F;
}

std::uint8_t nearestCode(float value, float scale, float origin, int largest) {
    if (scale == 0.0F) {
        return static_cast<std::uint8_t>(std::clamp(static_cast<int>(origin), 0, largest));
    }
    const float code = std::nearbyint(value / scale + origin);
    return static_cast<std::uint8_t>(std::clamp(code, 0.0F, static_cast<float>(largest)));
}

float ofLargestMagnitude(const float* in, int count) {
    float largest = 0.0F;
    for (int i = 0; i < count; ++i) {
        if (std::abs(finite(in[i])) > std::abs(largest)) {
            largest = finite(in[i]);
        }
    }
    return largest;
}

struct Range {
    float low = 0.0F, high = 0.0F;
};

Range rangeOf(const float* in, int count) {
    Range range{finite(in[0]), finite(in[0])};
    for (int i = 1; i < count; ++i) {
        range.low = std::min(range.low, finite(in[i]));
        range.high = std::max(range.high, finite(in[i]));
    }
    return range;
}

using Codes32 = std::array<std::uint8_t, 32>;

// Symmetric: value = scale * (code - offset); the element of largest magnitude gets code 0.
float symmetricCodes(const float* in, int offset, Codes32& codes) {
    const float scale = storedHalf(ofLargestMagnitude(in, 32) / static_cast<float>(-offset));
    for (std::size_t i = 0; i < 32; ++i) {
        codes[i] = nearestCode(finite(in[i]), scale, static_cast<float>(offset), 2 * offset - 1);
    }
    return scale;
}

struct Affine {
    float scale = 0.0F, minimum = 0.0F;
};

// value = scale * code + minimum.
Affine affineCodes(const float* in, int largest, Codes32& codes) {
    const Range range = rangeOf(in, 32);
    const Affine affine{storedHalf((range.high - range.low) / static_cast<float>(largest)),
                        storedHalf(range.low)};
    for (std::size_t i = 0; i < 32; ++i) {
        codes[i] = nearestCode(finite(in[i]) - affine.minimum, affine.scale, 0.0F, largest);
    }
    return affine;
}

void putNibbles(Bytes qs, const Codes32& codes) {
    for (std::size_t i = 0; i < 16; ++i) {
        qs[i] = static_cast<std::uint8_t>((codes[i] & 15) | (codes[i + 16] & 15) << 4);
    }
}

void putFifthBits(Bytes qh, const Codes32& codes) {
    for (std::size_t byte = 0; byte < 4; ++byte) {
        int bits = 0;
        for (std::size_t i = 0; i < 8; ++i) {
            bits |= codes[8 * byte + i] >> 4 << i;
        }
        qh[byte] = static_cast<std::uint8_t>(bits);
    }
}

// Six-bit scales and minimums of Q4_K and Q5_K.
void putSixBitScales(Bytes s, const std::array<int, 8>& scales,
                     const std::array<int, 8>& minimums) {
    for (std::size_t j = 0; j < 4; ++j) {
        s[j] = static_cast<std::uint8_t>(scales[j] | scales[j + 4] >> 4 << 6);
        s[j + 4] = static_cast<std::uint8_t>(minimums[j] | minimums[j + 4] >> 4 << 6);
        s[j + 8] = static_cast<std::uint8_t>((scales[j + 4] & 15) | (minimums[j + 4] & 15) << 4);
    }
}

// Scales, minimums and codes of a block of 256 with eight affine groups; p: the 16 bytes they
// share.
void affineSuperBlock(const float* in, int largest, Bytes p, std::array<std::uint8_t, 256>& codes) {
    std::array<float, 8> ideal{}, depth{};
    for (std::size_t j = 0; j < 8; ++j) {
        const Range range = rangeOf(in + 32 * j, 32);
        depth[j] = std::max(0.0F, -range.low); // minimums are subtracted and can't be negative
        ideal[j] = (std::max(range.high, 0.0F) + depth[j]) / static_cast<float>(largest);
    }
    const float scale = storedHalf(*std::max_element(ideal.begin(), ideal.end()) / 63.0F);
    const float minimum = storedHalf(*std::max_element(depth.begin(), depth.end()) / 63.0F);
    std::array<int, 8> scales{}, minimums{};
    for (std::size_t j = 0; j < 8; ++j) {
        scales[j] = nearestCode(ideal[j], scale, 0.0F, 63);
        minimums[j] = nearestCode(depth[j], minimum, 0.0F, 63);
        const float step = scale * static_cast<float>(scales[j]);
        const float shift = minimum * static_cast<float>(minimums[j]);
        for (std::size_t i = 32 * j; i < 32 * j + 32; ++i) {
            codes[i] = nearestCode(finite(in[i]) + shift, step, 0.0F, largest);
        }
    }
    putHalf(p, scale);
    putHalf(p + 2, minimum);
    putSixBitScales(p + 4, scales, minimums);
}

void putNibbles256(Bytes qs, const std::array<std::uint8_t, 256>& codes) {
    for (std::size_t run = 0; run < 4; ++run) {
        for (std::size_t i = 0; i < 32; ++i) {
            qs[32 * run + i] = static_cast<std::uint8_t>((codes[64 * run + i] & 15) |
                                                         (codes[64 * run + 32 + i] & 15) << 4);
        }
    }
}

using Four [[gnu::vector_size(16)]] = float;
using Group32 = std::array<Four, 8>;

// storedHalf() of a positive number, in few operations where it is no subnormal half.
float roundedHalf(float value) {
    constexpr float kLeastNormal = 0x1p-14F;
    if (value < kLeastNormal || value > 0.5F * kLargestHalf) {
        return storedHalf(value);
    }
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return std::bit_cast<float>((bits + 0xFFFU + (bits >> 13U & 1U)) & ~0x1FFFU);
}

// Sum of squares of what rounding a group to multiples of the scale leaves; of half the group where
// that is no less than `most` already.
float squaredError(const Group32& group, float scale, float most) {
    constexpr float kRounds = 12582912.0F; // 1.5 * 2^23: numbers beside it are whole
    Four sums{};
    for (std::size_t i = 0; i < group.size(); ++i) {
        const Four rest = group[i] - (group[i] * (1.0F / scale) + kRounds - kRounds) * scale;
        sums += rest * rest;
        if (i == group.size() / 2 - 1 && sums[0] + sums[1] + sums[2] + sums[3] >= most) {
            break;
        }
    }
    return sums[0] + sums[1] + sums[2] + sums[3];
}

// The largest magnitude becomes a whole code, of 96 to 127 the one with the least squared error.
// Half the error of 127 alone where the group comes from few levels, as four-bit weights do: the
// ends of their range and most levels between them meet whole codes.
float bestScale8(const float* in) {
    constexpr int kLargest = 127, kLeast = 96;
    const float largest = std::abs(ofLargestMagnitude(in, 32));
    Group32 group{};
    for (std::size_t i = 0; i < 32; ++i) {
        group[i / 4][i % 4] = finite(in[i]);
    }
    float best = storedHalf(largest / static_cast<float>(kLargest));
    if (best == 0.0F || !std::isfinite(1.0F / best)) {
        return best;
    }
    float least = squaredError(group, best, std::numeric_limits<float>::infinity());
    for (int code = kLargest - 1; code >= kLeast && least > 0.0F; --code) {
        const float scale = roundedHalf(largest / static_cast<float>(code));
        if (const float error = squaredError(group, scale, least); error < least) {
            least = error;
            best = scale;
        }
    }
    return best;
}

} // namespace

void encodeQ4_0(const float* in, std::size_t blocks, std::byte* dst) {
    auto* p = reinterpret_cast<Bytes>(dst);
    Codes32 codes{};
    for (; blocks > 0; --blocks, in += 32, p += 18) {
        putHalf(p, symmetricCodes(in, 8, codes));
        putNibbles(p + 2, codes);
    }
}

void encodeQ4_1(const float* in, std::size_t blocks, std::byte* dst) {
    auto* p = reinterpret_cast<Bytes>(dst);
    Codes32 codes{};
    for (; blocks > 0; --blocks, in += 32, p += 20) {
        const Affine affine = affineCodes(in, 15, codes);
        putHalf(p, affine.scale);
        putHalf(p + 2, affine.minimum);
        putNibbles(p + 4, codes);
    }
}

void encodeQ5_0(const float* in, std::size_t blocks, std::byte* dst) {
    auto* p = reinterpret_cast<Bytes>(dst);
    Codes32 codes{};
    for (; blocks > 0; --blocks, in += 32, p += 22) {
        putHalf(p, symmetricCodes(in, 16, codes));
        putFifthBits(p + 2, codes);
        putNibbles(p + 6, codes);
    }
}

void encodeQ5_1(const float* in, std::size_t blocks, std::byte* dst) {
    auto* p = reinterpret_cast<Bytes>(dst);
    Codes32 codes{};
    for (; blocks > 0; --blocks, in += 32, p += 24) {
        const Affine affine = affineCodes(in, 31, codes);
        putHalf(p, affine.scale);
        putHalf(p + 2, affine.minimum);
        putFifthBits(p + 4, codes);
        putNibbles(p + 8, codes);
    }
}

void encodeQ8_0(const float* in, std::size_t blocks, std::byte* dst) {
    auto* p = reinterpret_cast<Bytes>(dst);
    for (; blocks > 0; --blocks, in += 32, p += 34) {
        const float scale = bestScale8(in);
        putHalf(p, scale);
        for (std::size_t i = 0; i < 32; ++i) {
            const int code = scale == 0.0F ? 127 : nearestCode(finite(in[i]), scale, 127.0F, 254);
            p[2 + i] = static_cast<std::uint8_t>(code - 127);
        }
    }
}

void encodeQ4_K(const float* in, std::size_t blocks, std::byte* dst) {
    auto* p = reinterpret_cast<Bytes>(dst);
    std::array<std::uint8_t, 256> codes{};
    for (; blocks > 0; --blocks, in += 256, p += 144) {
        affineSuperBlock(in, 15, p, codes);
        putNibbles256(p + 16, codes);
    }
}

void encodeQ5_K(const float* in, std::size_t blocks, std::byte* dst) {
    auto* p = reinterpret_cast<Bytes>(dst);
    std::array<std::uint8_t, 256> codes{};
    for (; blocks > 0; --blocks, in += 256, p += 176) {
        affineSuperBlock(in, 31, p, codes);
        for (std::size_t l = 0; l < 32; ++l) {
            int bits = 0;
            for (std::size_t j = 0; j < 8; ++j) {
                bits |= codes[32 * j + l] >> 4 << j;
            }
            p[16 + l] = static_cast<std::uint8_t>(bits);
        }
        putNibbles256(p + 48, codes);
    }
}

void encodeQ6_K(const float* in, std::size_t blocks, std::byte* dst) {
    auto* p = reinterpret_cast<Bytes>(dst);
    std::array<std::uint8_t, 256> codes{};
    for (; blocks > 0; --blocks, in += 256, p += 210) {
        std::array<float, 16> ideal{};
        float largest = 0.0F;
        for (std::size_t g = 0; g < 16; ++g) {
            ideal[g] = ofLargestMagnitude(in + 16 * g, 16) / -32.0F;
            largest = std::max(largest, std::abs(ideal[g]));
        }
        const float scale = storedHalf(largest / 127.0F);
        putHalf(p + 208, scale);
        for (std::size_t g = 0; g < 16; ++g) {
            const int step = static_cast<int>(nearestCode(ideal[g], scale, 127.0F, 254)) - 127;
            p[192 + g] = static_cast<std::uint8_t>(step);
            for (std::size_t i = 16 * g; i < 16 * g + 16; ++i) {
                codes[i] = nearestCode(finite(in[i]), scale * static_cast<float>(step), 32.0F, 63);
            }
        }
        for (std::size_t half = 0; half < 2; ++half) {
            const std::uint8_t* c = codes.data() + 128 * half;
            for (std::size_t l = 0; l < 32; ++l) {
                p[64 * half + l] = static_cast<std::uint8_t>((c[l] & 15) | (c[64 + l] & 15) << 4);
                p[64 * half + 32 + l] =
                    static_cast<std::uint8_t>((c[32 + l] & 15) | (c[96 + l] & 15) << 4);
                p[128 + 32 * half + l] = static_cast<std::uint8_t>(
                    c[l] >> 4 | c[32 + l] >> 4 << 2 | c[64 + l] >> 4 << 4 | c[96 + l] >> 4 << 6);
            }
        }
    }
}

} // namespace kernels
