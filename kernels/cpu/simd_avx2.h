// Eight lanes on AVX2 with FMA and F16C. Included by instruction-set units only.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace kernels::cpu {
namespace {

struct Simd {
    static constexpr int kLanes = 8;
    static constexpr int kMatmulTokens = 4;
    static constexpr bool kPairsBlocks = false;
    static constexpr bool kPipesRows = false;
    static constexpr int kScoreRows = 3;
    static constexpr bool kHasUnsignedDot = false;
    using F = __m256;
    using I = __m256i;

    static F zero() { return _mm256_setzero_ps(); }
    static F set1(float x) { return _mm256_set1_ps(x); }
    static F load(const float* p) { return _mm256_loadu_ps(p); }
    static void store(float* p, F x) { _mm256_storeu_ps(p, x); }
    static I first(int n) {
        return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    }
    static F loadPart(const float* p, int n) { return _mm256_maskload_ps(p, first(n)); }
    static void storePart(float* p, F x, int n) { _mm256_maskstore_ps(p, first(n), x); }
    static F add(F a, F b) { return _mm256_add_ps(a, b); }
    static F sub(F a, F b) { return _mm256_sub_ps(a, b); }
    static F mul(F a, F b) { return _mm256_mul_ps(a, b); }
    static F div(F a, F b) { return _mm256_div_ps(a, b); }
    static F fma(F a, F b, F c) { return _mm256_fmadd_ps(a, b, c); }
    static F max(F a, F b) { return _mm256_max_ps(a, b); }
    static F min(F a, F b) { return _mm256_min_ps(a, b); }
    static F round(F a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | 8); }
    static F zeroWhereLess(F x, F limit, F value) {
        return _mm256_andnot_ps(_mm256_cmp_ps(x, limit, _CMP_LT_OQ), value);
    }
    // x * 2^n, n a whole number in [-126, 127]
    static F timesPowerOfTwo(F x, F n) {
        const I exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
        return _mm256_mul_ps(x, _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23)));
    }
    static float sum(F x) {
        __m128 s = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
        s = _mm_add_ps(s, _mm_movehl_ps(s, s));
        return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
    }
    static float largest(F x) {
        __m128 s = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
        s = _mm_max_ps(s, _mm_movehl_ps(s, s));
        return _mm_cvtss_f32(_mm_max_ss(s, _mm_movehdup_ps(s)));
    }
    // Neighbours change places.
    static F swapPairs(F x) { return _mm256_permute_ps(x, 0xB1); }

    static F loadHalf(const std::uint16_t* p) {
        return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    }
    static F loadHalfPart(const std::uint16_t* p, int n) {
        std::uint16_t part[8] = {};
        std::memcpy(part, p, static_cast<std::size_t>(n) * sizeof *p);
        return loadHalf(part);
    }
    static F loadBrain(const std::uint16_t* p) {
        const I wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
        return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
    }
    // Eight-bit floats (E4M3) as 1/256 of their value: a half with the same exponent bits.
    static F loadFloat8(const std::uint8_t* p) {
        const __m128i wide =
            _mm_cvtepi8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
        return _mm256_cvtph_ps(
            _mm_and_si128(_mm_slli_epi16(wide, 7), _mm_set1_epi16(static_cast<short>(0xBFFF))));
    }
    // The lanes of two columns of a tile, which are sixteen codes each.
    static void loadFloat8Columns(const std::uint8_t* p, F (&out)[2]) {
        out[0] = loadFloat8(p);
        out[1] = loadFloat8(p + 16);
    }
    static F setHalf(const std::uint16_t* p) { // the same number in every lane
        return _mm256_cvtph_ps(_mm_set1_epi16(static_cast<short>(*p)));
    }
    static void storeHalf(std::uint16_t* p, F x) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(x, 0));
    }
    static void storeHalfPart(std::uint16_t* p, F x, int n) {
        std::uint16_t part[8];
        storeHalf(part, x);
        std::memcpy(p, part, static_cast<std::size_t>(n) * sizeof *p);
    }

    static I toInt(F x) { return _mm256_cvtps_epi32(x); }
    static F toFloat(I x) { return _mm256_cvtepi32_ps(x); }
    static F bytesToFloat(const std::int8_t* p) {
        return toFloat(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
    }
    static F unsignedBytesToFloat(const std::uint8_t* p) {
        return toFloat(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
    }
    // The lower and the upper halves of bytes.
    static F lowNibbles(const std::uint8_t* p) {
        const I wide = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
        return toFloat(_mm256_and_si256(wide, _mm256_set1_epi32(15)));
    }
    static F highNibbles(const std::uint8_t* p) {
        const I wide = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
        return toFloat(_mm256_srli_epi32(wide, 4));
    }
    // Bits of the magnitudes; as integers they order like the numbers, NaN above infinity.
    static F largerMagnitude(F a, F b) {
        const I mask = _mm256_set1_epi32(0x7FFFFFFF);
        return _mm256_castsi256_ps(
            _mm256_max_epi32(_mm256_and_si256(_mm256_castps_si256(a), mask),
                             _mm256_and_si256(_mm256_castps_si256(b), mask)));
    }
    // Stores 32 whole numbers as saturated bytes; sums: of the first and the second 16.
    static void storeCodes(std::int8_t* p, const I* v, std::int32_t* sums) {
        const I packed = _mm256_packs_epi16(_mm256_packs_epi32(v[0], v[1]),
                                            _mm256_packs_epi32(v[2], v[3])); // lanes interleaved
        const I codes =
            _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), codes);
        I s = _mm256_madd_epi16(_mm256_maddubs_epi16(_mm256_set1_epi8(1), codes),
                                _mm256_set1_epi16(1));
        s = _mm256_add_epi32(s, _mm256_shuffle_epi32(s, 0x4E));
        s = _mm256_add_epi32(s, _mm256_shuffle_epi32(s, 0xB1));
        _mm_storel_epi64(
            reinterpret_cast<__m128i*>(sums),
            _mm_unpacklo_epi32(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1)));
    }

    // Bytes of weights: 8 rows x 4 columns, a row's four side by side.
    static I loadCodes(const std::uint8_t* p) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    }
    static I broadcast4(const std::int8_t* p) {
        std::int32_t four;
        std::memcpy(&four, p, sizeof four);
        return _mm256_set1_epi32(four);
    }
    static I bytes(int value) { return _mm256_set1_epi8(static_cast<char>(value)); }
    static I bitAnd(I a, I b) { return _mm256_and_si256(a, b); }
    static I bitOr(I a, I b) { return _mm256_or_si256(a, b); }
    template <int kShift>
    static I shiftRight(I a) {
        return _mm256_srli_epi16(a, kShift);
    }
    template <int kShift>
    static I shiftLeft(I a) {
        return _mm256_slli_epi16(a, kShift);
    }
    static I loadTable(const std::uint8_t* p) {
        return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    }
    static I lookUp(I table, I codes) { return _mm256_shuffle_epi8(table, codes); }

    // Sum of products of four codes and four activations a row. Codes up to kLargest are unsigned;
    // kLargest 255 means biased by 128: their signed value is multiplied, as two unsigned products
    // of that size would saturate 16 bits. Pairs are added in 16 bits for as many steps as fit.
    template <int kLargest>
    struct Dot {
        static constexpr bool kIsSigned = kLargest == 255;
        static constexpr int kFitting = 32767 / (2 * 127 * kLargest);
        static constexpr int kSteps = kIsSigned ? 1 : kFitting > 4 ? 4 : kFitting;
        I sum;
        I pairs;
        void begin(std::int32_t start) { sum = _mm256_set1_epi32(start); }
        template <int kStep>
        void add(I codes, I activations) {
            I products;
            if constexpr (kIsSigned) {
                const I weights = _mm256_xor_si256(codes, bytes(0x80));
                products = _mm256_maddubs_epi16(_mm256_abs_epi8(weights),
                                                _mm256_sign_epi8(activations, weights));
            } else {
                products = _mm256_maddubs_epi16(codes, activations);
            }
            pairs = kStep % kSteps == 0 ? products : _mm256_add_epi16(pairs, products);
            if constexpr ((kStep + 1) % kSteps == 0) {
                sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
            }
        }
        template <int kStep>
        void addFrom(I codes, const std::int8_t* activations) {
            add<kStep>(codes, broadcast4(activations));
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
        F t[8];
        for (int i = 0; i < 8; i += 2) {
            t[i] = _mm256_unpacklo_ps(v[i], v[i + 1]);
            t[i + 1] = _mm256_unpackhi_ps(v[i], v[i + 1]);
        }
        for (int i = 0; i < 8; i += 4) { // v[i + c]: column c of each 4 x 4 corner
            v[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
            v[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xEE);
            v[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
            v[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xEE);
        }
        for (int c = 0; c < 4; ++c) {
            t[c] = _mm256_permute2f128_ps(v[c], v[c + 4], 0x20);
            t[c + 4] = _mm256_permute2f128_ps(v[c], v[c + 4], 0x31);
        }
        for (int i = 0; i < 8; ++i) {
            v[i] = t[i];
        }
    }
};

} // namespace
} // namespace kernels::cpu
