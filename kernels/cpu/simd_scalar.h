// Four lanes in plain C++: what any x86-64-v2 processor runs, and the simplest of the three to
// trust. Included by instruction-set units only.
#pragma once

#include "kernels/half.h"

#include <cstdint>
#include <cstring>

namespace kernels::cpu {
namespace {

struct Simd {
    static constexpr int kLanes = 4;
    static constexpr int kMatmulTokens = 2;
    static constexpr bool kPairsBlocks = false;
    static constexpr bool kPipesRows = false;
    static constexpr int kScoreRows = 1;
    static constexpr bool kHasUnsignedDot = true;
    struct F {
        float v[4];
    };
    struct I {
        std::int32_t v[4];
    };
    template <class Function>
    static F each(Function function) {
        F r;
        for (int i = 0; i < 4; ++i) {
            r.v[i] = function(i);
        }
        return r;
    }
    template <class Function>
    static I eachInt(Function function) {
        I r;
        for (int i = 0; i < 4; ++i) {
            r.v[i] = function(i);
        }
        return r;
    }

    static F zero() { return set1(0.0F); }
    static F set1(float x) { return F{{x, x, x, x}}; }
    static F load(const float* p) {
        F r;
        std::memcpy(r.v, p, sizeof r.v);
        return r;
    }
    static void store(float* p, F x) { std::memcpy(p, x.v, sizeof x.v); }
    static F loadPart(const float* p, int n) {
        F r = zero();
        std::memcpy(r.v, p, static_cast<std::size_t>(n) * sizeof *p);
        return r;
    }
    static void storePart(float* p, F x, int n) {
        std::memcpy(p, x.v, static_cast<std::size_t>(n) * sizeof *p);
    }
    static F add(F a, F b) {
        return each([&](int i) { return a.v[i] + b.v[i]; });
    }
    static F sub(F a, F b) {
        return each([&](int i) { return a.v[i] - b.v[i]; });
    }
    static F mul(F a, F b) {
        return each([&](int i) { return a.v[i] * b.v[i]; });
    }
    static F div(F a, F b) {
        return each([&](int i) { return a.v[i] / b.v[i]; });
    }
    static F fma(F a, F b, F c) {
        return each([&](int i) { return a.v[i] * b.v[i] + c.v[i]; });
    }
    static F max(F a, F b) {
        return each([&](int i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
    }
    static F min(F a, F b) {
        return each([&](int i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
    }
    static F round(F a) {
        return each([&](int i) { return __builtin_rintf(a.v[i]); });
    }
    static F zeroWhereLess(F x, F limit, F value) {
        return each([&](int i) { return x.v[i] < limit.v[i] ? 0.0F : value.v[i]; });
    }
    // x * 2^n, n a whole number in [-126, 127]; NaN stays NaN through x.
    static F timesPowerOfTwo(F x, F n) {
        return each([&](int i) {
            const bool isWhole = n.v[i] >= -126.0F && n.v[i] <= 127.0F;
            const std::uint32_t exponent =
                isWhole ? static_cast<std::uint32_t>(n.v[i] + 127.0F) : 0;
            return x.v[i] * floatFromBits(exponent << 23);
        });
    }
    static float sum(F x) { return (x.v[0] + x.v[2]) + (x.v[1] + x.v[3]); }
    static float largest(F x) {
        float r = x.v[0];
        for (int i = 1; i < 4; ++i) {
            r = r > x.v[i] ? r : x.v[i];
        }
        return r;
    }
    // Neighbours change places.
    static F swapPairs(F x) { return F{{x.v[1], x.v[0], x.v[3], x.v[2]}}; }

    static F loadHalf(const std::uint16_t* p) {
        return each([&](int i) { return floatFromHalf(p[i]); });
    }
    static F loadHalfPart(const std::uint16_t* p, int n) {
        return each([&](int i) { return i < n ? floatFromHalf(p[i]) : 0.0F; });
    }
    static F loadBrain(const std::uint16_t* p) {
        return each([&](int i) { return floatFromBrain(p[i]); });
    }
    // Eight-bit floats (E4M3) as 1/256 of their value: a half with the same exponent bits.
    static F loadFloat8(const std::uint8_t* p) {
        return each([&](int i) {
            return floatFromHalf(
                static_cast<std::uint16_t>((p[i] & 0x80U) << 8 | (p[i] & 0x7FU) << 7));
        });
    }
    // The lanes of two columns of a tile, which are sixteen codes each.
    static void loadFloat8Columns(const std::uint8_t* p, F (&out)[2]) {
        out[0] = loadFloat8(p);
        out[1] = loadFloat8(p + 16);
    }
    static F setHalf(const std::uint16_t* p) { return set1(floatFromHalf(*p)); }
    static void storeHalf(std::uint16_t* p, F x) { storeHalfPart(p, x, kLanes); }
    static void storeHalfPart(std::uint16_t* p, F x, int n) {
        for (int i = 0; i < n; ++i) {
            p[i] = halfFromFloat(x.v[i]);
        }
    }

    // Like the vector instructions: what does not fit becomes the smallest integer.
    static I toInt(F x) {
        return eachInt([&](int i) {
            const float whole = __builtin_rintf(x.v[i]);
            return __builtin_fabsf(whole) < 0x1p31F ? static_cast<std::int32_t>(whole)
                                                    : static_cast<std::int32_t>(0x80000000U);
        });
    }
    static F toFloat(I x) {
        return each([&](int i) { return static_cast<float>(x.v[i]); });
    }
    static F bytesToFloat(const std::int8_t* p) {
        return each([&](int i) { return static_cast<float>(p[i]); });
    }
    static F unsignedBytesToFloat(const std::uint8_t* p) {
        return each([&](int i) { return static_cast<float>(p[i]); });
    }
    // The lower and the upper halves of bytes.
    static F lowNibbles(const std::uint8_t* p) {
        return each([&](int i) { return static_cast<float>(p[i] & 15); });
    }
    static F highNibbles(const std::uint8_t* p) {
        return each([&](int i) { return static_cast<float>(p[i] >> 4); });
    }
    // Bits of the magnitudes; as integers they order like the numbers, NaN above infinity.
    static F largerMagnitude(F a, F b) {
        return each([&](int i) {
            const std::uint32_t first = bitsOfFloat(a.v[i]) & 0x7FFFFFFFU;
            const std::uint32_t second = bitsOfFloat(b.v[i]) & 0x7FFFFFFFU;
            return floatFromBits(first > second ? first : second);
        });
    }
    // Stores 32 whole numbers as saturated bytes; sums: of the first and the second 16.
    static void storeCodes(std::int8_t* p, const I* v, std::int32_t* sums) {
        sums[0] = sums[1] = 0;
        for (int i = 0; i < 32; ++i) {
            const std::int32_t x = v[i / 4].v[i % 4];
            const std::int32_t clamped = x < -128 ? -128 : x > 127 ? 127 : x;
            p[i] = static_cast<std::int8_t>(clamped);
            sums[i / 16] += clamped;
        }
    }

    // Bytes of weights: 4 rows x 4 columns, a row's four side by side in one 32-bit number.
    static I loadCodes(const std::uint8_t* p) {
        I r;
        std::memcpy(r.v, p, sizeof r.v);
        return r;
    }
    static I broadcast4(const std::int8_t* p) {
        std::int32_t four;
        std::memcpy(&four, p, sizeof four);
        return I{{four, four, four, four}};
    }
    static I bytes(int value) {
        const auto four =
            static_cast<std::int32_t>(static_cast<std::uint32_t>(value) * 0x01010101U);
        return I{{four, four, four, four}};
    }
    static I bitAnd(I a, I b) {
        return eachInt([&](int i) { return a.v[i] & b.v[i]; });
    }
    static I bitOr(I a, I b) {
        return eachInt([&](int i) { return a.v[i] | b.v[i]; });
    }
    // Callers mask the bits that cross into a neighbouring byte.
    template <int kShift>
    static I shiftRight(I a) {
        return eachInt([&](int i) {
            return static_cast<std::int32_t>(static_cast<std::uint32_t>(a.v[i]) >> kShift);
        });
    }
    template <int kShift>
    static I shiftLeft(I a) {
        return eachInt([&](int i) {
            return static_cast<std::int32_t>(static_cast<std::uint32_t>(a.v[i]) << kShift);
        });
    }
    static const std::uint8_t* loadTable(const std::uint8_t* p) { return p; }
    static I lookUp(const std::uint8_t* table, I codes) {
        I r;
        std::uint8_t bytes[16];
        std::memcpy(bytes, codes.v, sizeof bytes);
        for (std::uint8_t& byte : bytes) {
            byte = table[byte & 15];
        }
        std::memcpy(r.v, bytes, sizeof bytes);
        return r;
    }

    // Sum of products of four codes and four activations a row. kLargest: the largest code.
    template <int kLargest>
    struct Dot {
        I sum;
        void begin(std::int32_t start) { sum = I{{start, start, start, start}}; }
        template <int kStep>
        void add(I codes, I activations) {
            std::uint8_t c[16];
            std::int8_t a[16];
            std::memcpy(c, codes.v, sizeof c);
            std::memcpy(a, activations.v, sizeof a);
            for (int i = 0; i < 4; ++i) {
                sum.v[i] += c[4 * i] * a[4 * i] + c[4 * i + 1] * a[4 * i + 1] +
                            c[4 * i + 2] * a[4 * i + 2] + c[4 * i + 3] * a[4 * i + 3];
            }
        }
        template <int kStep>
        void addFrom(I codes, const std::int8_t* activations) {
            add<kStep>(codes, broadcast4(activations));
        }
        I result() const { return sum; }
    };

    static void prefetch(const void* p) { __builtin_prefetch(p); }
    static void prefetchFar(const void* p) { __builtin_prefetch(p, 0, 2); }

    static void transpose(F* v) {
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < i; ++j) {
                const float t = v[i].v[j];
                v[i].v[j] = v[j].v[i];
                v[j].v[i] = t;
            }
        }
    }
};

} // namespace
} // namespace kernels::cpu
