// Sixteen lanes on AVX-512 F, BW, VL, DQ and VNNI. Included by instruction-set units only.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace kernels::cpu {
namespace {

struct Simd {
    static constexpr int kLanes = 16;
    static constexpr int kMatmulTokens = 8;    // accumulators of a product that fit the registers
    static constexpr bool kPairsBlocks = true; // twice as many, the sums beside them in memory
    static constexpr bool kPipesRows = true;   // a group's sums beside the next one's products
    static constexpr int kScoreRows = 6;
    static constexpr bool kHasUnsignedDot = true; // 8-bit codes times signed, no saturation
    using F = __m512;
    using I = __m512i;

    static F zero() { return _mm512_setzero_ps(); }
    static F set1(float x) { return _mm512_set1_ps(x); }
    static F load(const float* p) { return _mm512_loadu_ps(p); }
    static void store(float* p, F x) { _mm512_storeu_ps(p, x); }
    static __mmask16 first(int n) { return static_cast<__mmask16>((1U << n) - 1U); }
    static F loadPart(const float* p, int n) { return _mm512_maskz_loadu_ps(first(n), p); }
    static void storePart(float* p, F x, int n) { _mm512_mask_storeu_ps(p, first(n), x); }
    static F add(F a, F b) { return _mm512_add_ps(a, b); }
    static F sub(F a, F b) { return _mm512_sub_ps(a, b); }
    static F mul(F a, F b) { return _mm512_mul_ps(a, b); }
    static F div(F a, F b) { return _mm512_div_ps(a, b); }
    static F fma(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
    static F max(F a, F b) { return _mm512_max_ps(a, b); }
    static F min(F a, F b) { return _mm512_min_ps(a, b); }
    static F round(F a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | 8); }
    static F zeroWhereLess(F x, F limit, F value) {
        return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, limit, _CMP_NLT_UQ), value);
    }
    // x * 2^n, n a whole number in [-126, 127]
    static F timesPowerOfTwo(F x, F n) { return _mm512_scalef_ps(x, n); }
    static float sum(F x) { return _mm512_reduce_add_ps(x); }
    static float largest(F x) { return _mm512_reduce_max_ps(x); }
    // Neighbours change places.
    static F swapPairs(F x) { return _mm512_permute_ps(x, 0xB1); }

    static F loadHalf(const std::uint16_t* p) {
        return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    }
    static F loadHalfPart(const std::uint16_t* p, int n) {
        return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(first(n), p));
    }
    static F loadBrain(const std::uint16_t* p) {
        const I wide =
            _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
        return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
    }
    // Eight-bit floats (E4M3) as 1/256 of their value: a half with the same exponent bits.
    static F loadFloat8(const std::uint8_t* p) {
        const __m256i wide =
            _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
        return _mm512_cvtph_ps(_mm256_and_si256(_mm256_slli_epi16(wide, 7),
                                                _mm256_set1_epi16(static_cast<short>(0xBFFF))));
    }
    // Two columns of a tile, sixteen codes each.
    static void loadFloat8Columns(const std::uint8_t* p, F (&out)[2]) {
        const I wide =
            _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
        const I halves = _mm512_and_si512(_mm512_slli_epi16(wide, 7),
                                          _mm512_set1_epi16(static_cast<short>(0xBFFF)));
        out[0] = _mm512_cvtph_ps(_mm512_castsi512_si256(halves));
        out[1] = _mm512_cvtph_ps(_mm512_extracti64x4_epi64(halves, 1));
    }
    static F setHalf(const std::uint16_t* p) { // the same number in every lane
        return _mm512_cvtph_ps(_mm256_set1_epi16(static_cast<short>(*p)));
    }
    static void storeHalf(std::uint16_t* p, F x) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtps_ph(x, 0));
    }
    static void storeHalfPart(std::uint16_t* p, F x, int n) {
        _mm256_mask_storeu_epi16(p, first(n), _mm512_cvtps_ph(x, 0));
    }

    static I toInt(F x) { return _mm512_cvtps_epi32(x); }
    static F toFloat(I x) { return _mm512_cvtepi32_ps(x); }
    static F bytesToFloat(const std::int8_t* p) {
        return toFloat(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
    }
    static F unsignedBytesToFloat(const std::uint8_t* p) {
        return toFloat(_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
    }
    // The lower and the upper halves of bytes.
    static F lowNibbles(const std::uint8_t* p) {
        const I wide = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
        return toFloat(_mm512_and_si512(wide, _mm512_set1_epi32(15)));
    }
    static F highNibbles(const std::uint8_t* p) {
        const I wide = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
        return toFloat(_mm512_srli_epi32(wide, 4));
    }
    // Bits of the magnitudes; as integers they order like the numbers, NaN above infinity.
    static F largerMagnitude(F a, F b) {
        const I mask = _mm512_set1_epi32(0x7FFFFFFF);
        return _mm512_castsi512_ps(
            _mm512_max_epi32(_mm512_and_si512(_mm512_castps_si512(a), mask),
                             _mm512_and_si512(_mm512_castps_si512(b), mask)));
    }
    // Stores 32 whole numbers as saturated bytes; sums: of the first and the second 16.
    static void storeCodes(std::int8_t* p, const I* v, std::int32_t* sums) {
        const __m256i codes =
            _mm256_set_m128i(_mm512_cvtsepi32_epi8(v[1]), _mm512_cvtsepi32_epi8(v[0]));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), codes);
        __m256i s = _mm256_dpbusd_epi32(_mm256_setzero_si256(), _mm256_set1_epi8(1), codes);
        s = _mm256_add_epi32(s, _mm256_shuffle_epi32(s, 0x4E));
        s = _mm256_add_epi32(s, _mm256_shuffle_epi32(s, 0xB1));
        _mm_storel_epi64(
            reinterpret_cast<__m128i*>(sums),
            _mm_unpacklo_epi32(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1)));
    }

    // Bytes of weights: 16 rows x 4 columns, a row's four side by side.
    static I loadCodes(const std::uint8_t* p) { return _mm512_loadu_si512(p); }
    static void storeBytes(std::uint8_t* p, I x) { _mm512_storeu_si512(p, x); }
    static I broadcast4(const std::int8_t* p) {
        std::int32_t four;
        std::memcpy(&four, p, sizeof four);
        return _mm512_set1_epi32(four);
    }
    static I bytes(int value) { return _mm512_set1_epi8(static_cast<char>(value)); }
    static I bitAnd(I a, I b) { return _mm512_and_si512(a, b); }
    static I bitOr(I a, I b) { return _mm512_or_si512(a, b); }
    template <int kShift>
    static I shiftRight(I a) {
        return _mm512_srli_epi16(a, kShift);
    }
    template <int kShift>
    static I shiftLeft(I a) {
        return _mm512_slli_epi16(a, kShift);
    }
    static I loadTable(const std::uint8_t* p) {
        return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    }
    static I lookUp(I table, I codes) { return _mm512_shuffle_epi8(table, codes); }

    // Sum of products of four codes and four activations a row. kLargest: the largest code.
    template <int kLargest>
    struct Dot {
        I sum;
        void begin(std::int32_t start) { sum = _mm512_set1_epi32(start); }
        template <int kStep>
        void add(I codes, I activations) {
            sum = _mm512_dpbusd_epi32(sum, codes, activations);
        }
        // The four activations are broadcast by the instruction itself, which GCC 12 doesn't think
        // of: half the instructions, so that the processor looks twice as far ahead.
        template <int kStep>
        [[gnu::always_inline]] void addFrom(I codes, const std::int8_t* activations) {
            using Four [[gnu::may_alias, gnu::aligned(1)]] = std::int32_t;
            asm("vpdpbusd %2%{1to16%}, %1, %0"
                : "+v"(sum)
                : "v"(codes), "m"(*reinterpret_cast<const Four*>(activations)));
        }
        I result() const { return sum; }
    };

    // Not the intrinsics: GCC takes a function that only prefetches for one without effect and
    // drops its calls.
    [[gnu::always_inline]] static void prefetch(const void* p) {
        asm volatile("prefetcht0 (%0)" : : "r"(p));
    }
    // Into L2 only.
    [[gnu::always_inline]] static void prefetchFar(const void* p) {
        asm volatile("prefetcht1 (%0)" : : "r"(p));
    }

    static void transpose(F* v) {
        F t[16];
        for (int i = 0; i < 16; i += 2) {
            t[i] = _mm512_unpacklo_ps(v[i], v[i + 1]);
            t[i + 1] = _mm512_unpackhi_ps(v[i], v[i + 1]);
        }
        for (int i = 0; i < 16; i += 4) { // v[i + c]: column c of each 4 x 4 corner
            v[i] = _mm512_shuffle_ps(t[i], t[i + 2], 0x44);
            v[i + 1] = _mm512_shuffle_ps(t[i], t[i + 2], 0xEE);
            v[i + 2] = _mm512_shuffle_ps(t[i + 1], t[i + 3], 0x44);
            v[i + 3] = _mm512_shuffle_ps(t[i + 1], t[i + 3], 0xEE);
        }
        for (int c = 0; c < 4; ++c) {
            const F a = _mm512_shuffle_f32x4(v[c], v[c + 4], 0x88);
            const F b = _mm512_shuffle_f32x4(v[c], v[c + 4], 0xDD);
            const F d = _mm512_shuffle_f32x4(v[c + 8], v[c + 12], 0x88);
            const F e = _mm512_shuffle_f32x4(v[c + 8], v[c + 12], 0xDD);
            t[c] = _mm512_shuffle_f32x4(a, d, 0x88);
            t[c + 4] = _mm512_shuffle_f32x4(b, e, 0x88);
            t[c + 8] = _mm512_shuffle_f32x4(a, d, 0xDD);
            t[c + 12] = _mm512_shuffle_f32x4(b, e, 0xDD);
        }
        for (int i = 0; i < 16; ++i) {
            v[i] = t[i];
        }
    }
};

} // namespace
} // namespace kernels::cpu
