// Keys and values as they are stored: rows written, and read back as F32 vectors, once over Simd.
// Included by instruction-set units only.
#pragma once

#include "kernels/cpu/body_elementwise.h"
#include "kernels/half.h"
#include "kernels/kv_coding.h"

namespace kernels::cpu {
namespace {

constexpr std::int64_t kRow4Bytes = 24;    // of 32 elements: codes, factors
constexpr std::int64_t kRow4Elements = 16; // that share a scale and a minimum

inline F loadHalves(const std::uint16_t* p, int count) {
    return count >= Simd::kLanes ? Simd::loadHalf(p) : Simd::loadHalfPart(p, count);
}

// One stored row; at(d): elements d .. d + kLanes, d a multiple of kLanes below dim. What lies past
// the end of the row may hold anything finite.
template <KvCoding kCoding>
class KvRow {
public:
    KvRow(const StoredRows& rows, const std::byte* row)
        : m_row(row),
          m_dim(rows.dim),
          m_coded(rows.dim - rows.plainTail) {
        if constexpr (kCoding == KvCoding::Row8) {
            float scale;
            __builtin_memcpy(&scale, row + paddedCodes(), sizeof scale);
            m_scale = Simd::set1(scale);
        }
    }

    F at(int d) const {
        if constexpr (kCoding == KvCoding::F32) {
            const auto* p = reinterpret_cast<const float*>(m_row) + d;
            return m_dim - d >= Simd::kLanes ? Simd::load(p) : Simd::loadPart(p, m_dim - d);
        } else if constexpr (kCoding == KvCoding::F16) {
            return loadHalves(reinterpret_cast<const std::uint16_t*>(m_row) + d, m_dim - d);
        } else {
            if (d + Simd::kLanes <= m_coded || m_coded == m_dim) {
                return coded(d);
            }
            return d >= m_coded ? loadHalves(tail() + (d - m_coded), m_dim - d) : straddling(d);
        }
    }

private:
    int paddedCodes() const {
        return (m_coded + static_cast<int>(kKvGroup) - 1) / static_cast<int>(kKvGroup) *
               static_cast<int>(kKvGroup);
    }
    const std::uint16_t* tail() const {
        const std::int64_t codes =
            kCoding == KvCoding::Row8 ? paddedCodes() + 4 : paddedCodes() / kKvGroup * kRow4Bytes;
        return reinterpret_cast<const std::uint16_t*>(m_row + codes);
    }
    F coded(int d) const {
        if constexpr (kCoding == KvCoding::Row8) {
            return Simd::mul(Simd::bytesToFloat(reinterpret_cast<const std::int8_t*>(m_row) + d),
                             m_scale);
        } else {
            const auto* group = reinterpret_cast<const std::uint8_t*>(m_row) +
                                d / static_cast<int>(kKvGroup) * kRow4Bytes;
            const int within = d % static_cast<int>(kKvGroup);
            const auto* factors =
                reinterpret_cast<const std::uint16_t*>(group + 16) + within / 16 * 2;
            const F codes = within < 16 ? Simd::lowNibbles(group + within)
                                        : Simd::highNibbles(group + within - 16);
            return Simd::fma(codes, Simd::setHalf(factors), Simd::setHalf(factors + 1));
        }
    }
    // The last codes and the first plain elements in one vector.
    F straddling(int d) const {
        float lanes[Simd::kLanes];
        float plain[Simd::kLanes];
        Simd::store(lanes, coded(d));
        const int codes = m_coded - d;
        Simd::store(plain, loadHalves(tail(), m_dim - m_coded));
        for (int i = codes; i < Simd::kLanes; ++i) {
            lanes[i] = plain[i - codes];
        }
        return Simd::load(lanes);
    }

    const std::byte* m_row;
    int m_dim;
    int m_coded;
    F m_scale = Simd::zero();
};

// function(KvRow-like type tag) for the coding of rows; Channel4 has no rows.
template <KvCoding kCoding>
struct CodingTag {
    static constexpr KvCoding value = kCoding;
};

template <class Function>
inline void withRowCoding(KvCoding coding, Function function) {
    switch (coding) {
    case KvCoding::F32:
        function(CodingTag<KvCoding::F32>{});
        break;
    case KvCoding::Row8:
        function(CodingTag<KvCoding::Row8>{});
        break;
    case KvCoding::Row4:
        function(CodingTag<KvCoding::Row4>{});
        break;
    default:
        function(CodingTag<KvCoding::F16>{});
        break;
    }
}

// A part of 32 elements, zero past its end.
inline void copyGroup(const float* in, std::int64_t count, float* group) {
    for (std::int64_t i = 0; i < kKvGroup; ++i) {
        group[i] = i < count ? in[i] : 0.0F;
    }
}

void storeRow8(const float* in, std::int64_t elements, std::byte* out) {
    F largest = Simd::zero();
    eachVector(elements, [&](std::int64_t i, int count) {
        largest = Simd::largerMagnitude(largest, loadSome(in + i, count));
    });
    float magnitudes[Simd::kLanes];
    Simd::store(magnitudes, largest);
    float most = 0.0F;
    for (const float one : magnitudes) {
        most = most >= one || most != most ? most : one; // NaN is kept
    }
    constexpr float kSteps = 127.0F;
    constexpr float kSmallest = 1e-30F; // below it the inverse would be infinite
    const bool isZero = most < kSmallest;
    const float scale = isZero ? 0.0F : most / kSteps;
    const F inverse = Simd::set1(isZero ? 0.0F : kSteps / most);
    constexpr int kVectors = static_cast<int>(kKvGroup) / Simd::kLanes;
    auto* codes = reinterpret_cast<std::int8_t*>(out);
    for (std::int64_t first = 0; first < elements; first += kKvGroup, codes += kKvGroup) {
        float group[kKvGroup];
        copyGroup(in + first, elements - first, group);
        Simd::I whole[kVectors];
        for (int i = 0; i < kVectors; ++i) {
            whole[i] = Simd::toInt(Simd::mul(Simd::load(group + i * Simd::kLanes), inverse));
        }
        std::int32_t sums[2];
        Simd::storeCodes(codes, whole, sums);
    }
    __builtin_memcpy(codes, &scale, sizeof scale);
}

// Scale and minimum of some numbers as they will be read, and what a number is multiplied by.
struct Row4Factors {
    std::uint16_t scale;
    std::uint16_t minimum;
    float origin;
    float inverse;
};

inline Row4Factors row4Factors(float minimum, float scale) {
    Row4Factors factors{};
    factors.minimum = halfFromFloat(minimum);
    factors.origin = floatFromHalf(factors.minimum);
    factors.scale = halfFromFloat(scale);
    const float step = floatFromHalf(factors.scale);
    factors.inverse = step > 0.0F ? 1.0F / step : 0.0F;
    return factors;
}

inline std::uint8_t row4Code(float x, const Row4Factors& factors) {
    const float code = (x - factors.origin) * factors.inverse + 0.5F;
    return static_cast<std::uint8_t>(code > 15.0F ? 15 : code > 0.0F ? static_cast<int>(code) : 0);
}

// From the least to the greatest. A NaN anywhere makes the range NaN, so that whoever reads the
// group sees it.
template <std::size_t kCount>
inline Row4Factors row4Range(const float (&x)[kCount]) {
    float low = x[0];
    float high = x[0];
    float poison = 0.0F;
    for (const float one : x) {
        low = one < low ? one : low;
        high = one > high ? one : high;
        poison += one - one;
    }
    low += poison;
    high += poison;
    const float origin = floatFromHalf(halfFromFloat(low));
    return row4Factors(low, (high - origin) / 15.0F);
}

// In the order in which a warp adds them: stored bytes are the same on every device.
template <std::size_t kCount>
inline float groupSum(float (&x)[kCount]) {
    for (std::size_t half = kCount / 2; half > 0; half /= 2) {
        for (std::size_t i = 0; i < half; ++i) {
            x[i] += x[i + half];
        }
    }
    return x[0];
}

// The line of least squares through the numbers over the codes that they have: scale and minimum
// that suit those codes best.
template <std::size_t kCount>
inline Row4Factors row4Fitted(const float (&x)[kCount], const Row4Factors& from) {
    constexpr auto kNumbers = static_cast<float>(kCount);
    float offsets[kCount];
    float products[kCount];
    int codes = 0;
    int squares = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
        const int code = row4Code(x[i], from);
        codes += code;
        squares += code * code;
        offsets[i] = x[i] - from.origin;
        products[i] = offsets[i] * static_cast<float>(code);
    }
    const int spread = static_cast<int>(kCount) * squares - codes * codes;
    const float sum = groupSum(offsets);
    const float slope = (kNumbers * groupSum(products) - static_cast<float>(codes) * sum) /
                        static_cast<float>(spread);
    constexpr float kMost = 4096.0F; // 15 of them are a half still
    if (spread == 0 || !(slope > 0.0F && slope < kMost)) {
        return from; // one number only, or none
    }
    return row4Factors(from.origin + (sum - slope * static_cast<float>(codes)) / kNumbers, slope);
}

// The range suits the two numbers at its ends; fitting it twice to what the codes make of all of
// them leaves about an eighth less of squared error.
template <std::size_t kCount>
inline Row4Factors row4Factors(const float (&x)[kCount]) {
    return row4Fitted(x, row4Fitted(x, row4Range(x)));
}

void storeRow4(const float* in, std::int64_t elements, std::byte* out) {
    for (std::int64_t first = 0; first < elements; first += kKvGroup, out += kRow4Bytes) {
        float group[kKvGroup];
        copyGroup(in + first, elements - first, group);
        float halves[2][kRow4Elements];
        for (int i = 0; i < kKvGroup; ++i) {
            halves[i / kRow4Elements][i % kRow4Elements] = group[i];
        }
        const Row4Factors factors[2] = {row4Factors(halves[0]), row4Factors(halves[1])};
        for (int i = 0; i < kRow4Elements; ++i) {
            out[i] = static_cast<std::byte>(row4Code(halves[0][i], factors[0]) |
                                            row4Code(halves[1][i], factors[1]) << 4);
        }
        for (int half = 0; half < 2; ++half) {
            __builtin_memcpy(out + 16 + 4 * half, &factors[half].scale, 2);
            __builtin_memcpy(out + 18 + 4 * half, &factors[half].minimum, 2);
        }
    }
}

void storeKvRow(KvCoding coding, const float* in, std::int64_t dim, std::int64_t plainTail,
                std::byte* out) {
    if (coding == KvCoding::F32) {
        __builtin_memcpy(out, in, static_cast<std::size_t>(dim) * sizeof *in);
        return;
    }
    if (coding == KvCoding::F16) {
        storeHalfRow(in, reinterpret_cast<std::uint16_t*>(out), dim);
        return;
    }
    const std::int64_t coded = dim - plainTail;
    coding == KvCoding::Row8 ? storeRow8(in, coded, out) : storeRow4(in, coded, out);
    const std::int64_t tail = kvRowBytes(coding, dim, plainTail) - 2 * plainTail;
    storeHalfRow(in + coded, reinterpret_cast<std::uint16_t*>(out + tail), plainTail);
}

void storeKvChannels(const std::uint16_t* rows, std::int64_t dim, std::byte* out) {
    auto* scales = reinterpret_cast<std::uint16_t*>(out + 16 * dim);
    for (std::int64_t first = 0; first < dim; first += Simd::kLanes) {
        const int count = dim - first < Simd::kLanes ? static_cast<int>(dim - first) : Simd::kLanes;
        float tokens[kKvGroup][Simd::kLanes];
        for (std::int64_t token = 0; token < kKvGroup; ++token) {
            Simd::store(tokens[token], loadHalves(rows + token * dim + first, count));
        }
        for (int lane = 0; lane < count; ++lane) {
            float channel[kKvGroup];
            for (std::int64_t token = 0; token < kKvGroup; ++token) {
                channel[token] = tokens[token][lane];
            }
            const Row4Factors factors = row4Factors(channel);
            std::byte* codes = out + 16 * (first + lane);
            for (int i = 0; i < 16; ++i) {
                codes[i] = static_cast<std::byte>(row4Code(channel[i], factors) |
                                                  row4Code(channel[i + 16], factors) << 4);
            }
            scales[first + lane] = factors.scale;
            scales[dim + first + lane] = factors.minimum;
        }
    }
}

} // namespace
} // namespace kernels::cpu
