// The executor's side of kernels/cuda/device_intrinsics.cuh: the documented semantics, lane by
// lane. Asynchronous copies land at the wait and not before; approximate functions err as much as
// they may.
#pragma once

#include "kernels/float8.h"
#include "kernels/half.h"
#include "tests/support/simt/device_builtins.h"

#include <array>
#include <cstdint>
#include <type_traits>

namespace simt {

void requireAligned(const void* address, std::size_t bytes, const Site& site);
void beginCopy(const SharedArray* array, std::int64_t offset, const void* from);
void commitGroup();
void landCopies(unsigned pending);
// rows[lane] of the lanes of a warp: where eight 16-bit elements begin.
void loadMatrices(std::uint32_t (&r)[4], const SharedArray* array, std::int64_t offset,
                  bool isTransposed, const Site& site);
std::uint8_t nearestE4M3(float value);
// exact * (1 + e) with |e| < 2^-23, the same for the same bits; subnormals become zero.
float roughly(double exact, float x);

// The fragments of one lane; D is float or int.
template <class D>
struct ProductPayload {
    D* d = nullptr;
    const std::uint32_t* a = nullptr;
    const std::uint32_t* b = nullptr;
};

// d += a b for m16n8k(256 / bits): elements of `bits` bits, decoded by the operation. Positions as
// in the figures of the PTX ISA, 9.7.14.5.
template <class D, unsigned kBits, auto kDecode>
void completeProduct(void* const (&payloads)[32], std::uint32_t present) {
    if (present != 0xFFFFFFFFU) {
        failAt(FindingKind::WarpMask, "a matrix product without all lanes of the warp",
               __builtin_return_address(0));
    }
    constexpr unsigned kPerWord = 32 / kBits;
    constexpr unsigned kDepth = 8 * kPerWord;
    using Element = decltype(kDecode(0U));
    std::array<std::array<Element, kDepth>, 16> left{};
    std::array<std::array<Element, 8>, kDepth> right{};
    for (unsigned lane = 0; lane < 32; ++lane) {
        const auto* payload = static_cast<const ProductPayload<D>*>(payloads[lane]);
        const unsigned group = lane / 4, inGroup = lane % 4;
        for (unsigned i = 0; i < kPerWord; ++i) {
            const unsigned k = inGroup * kPerWord + i;
            const auto element = [&](std::uint32_t word) {
                return kDecode(word >> kBits * i & (0xFFFFFFFFU >> (32 - kBits)));
            };
            left[group][k] = element(payload->a[0]);
            left[group + 8][k] = element(payload->a[1]);
            left[group][k + kDepth / 2] = element(payload->a[2]);
            left[group + 8][k + kDepth / 2] = element(payload->a[3]);
            right[k][group] = element(payload->b[0]);
            right[k + kDepth / 2][group] = element(payload->b[1]);
        }
    }
    for (unsigned lane = 0; lane < 32; ++lane) {
        auto* payload = static_cast<ProductPayload<D>*>(payloads[lane]);
        for (unsigned i = 0; i < 4; ++i) {
            const unsigned row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
            for (unsigned k = 0; k < kDepth; ++k) {
                payload->d[i] += static_cast<D>(left[row][k]) * static_cast<D>(right[k][column]);
            }
        }
    }
}

inline float decodeHalf(unsigned bits) {
    return kernels::floatFromHalf(static_cast<std::uint16_t>(bits));
}
inline float decodeBrain(unsigned bits) {
    return kernels::floatFromBrain(static_cast<std::uint16_t>(bits));
}
inline int decodeInt8(unsigned bits) {
    return static_cast<std::int8_t>(bits);
}
inline float decodeE4M3(unsigned bits) {
    return kernels::floatFromE4M3(static_cast<std::uint8_t>(bits));
}

template <class D, unsigned kBits, auto kDecode>
inline constexpr Collective productCollective{"a matrix product",
                                              &completeProduct<D, kBits, kDecode>, false};

template <class D, unsigned kBits, auto kDecode>
void product(D (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
             const Site& site) {
    ProductPayload<D> payload{d, a, b};
    Lane& self = lane();
    self.executor->collective(self, productCollective<D, kBits, kDecode>, 0xFFFFFFFFU, &payload,
                              site);
}

} // namespace simt

namespace kernels {

inline int dotProduct4(std::int32_t a, std::int32_t b, int c) {
    return __dp4a(a, b, c);
}

template <class V>
V loadVector(const void* p, SIMT_SITE) {
    static_assert(sizeof(V) == 4 || sizeof(V) == 8 || sizeof(V) == 16, "one instruction");
    simt::requireAligned(p, sizeof(V), site);
    V value;
    std::memcpy(&value, p, sizeof value);
    return value;
}
template <class V>
void storeVector(void* p, const V& value, SIMT_SITE) {
    static_assert(sizeof(V) == 4 || sizeof(V) == 8 || sizeof(V) == 16, "one instruction");
    simt::requireAligned(p, sizeof(V), site);
    std::memcpy(p, &value, sizeof value);
}
template <class V>
V loadOnce(const void* p, SIMT_SITE) {
    static_assert(sizeof(V) == 16, "only worth it for whole vectors");
    return loadVector<V>(p, site);
}

template <class T>
SIMT_INLINE void copyAsync16(Shared<T> to, const void* from, SIMT_SITE) {
    simt::requireAligned(from, 16, site);
    simt::beginCopy(to.array(), to.offset(), from);
}
inline void commitCopies() {
    simt::commitGroup();
}
template <int kPending>
void waitCopies() {
    static_assert(kPending >= 0);
    simt::landCopies(kPending);
}

template <class T>
SIMT_INLINE void loadMatrix4(std::uint32_t (&r)[4], Shared<T> row, SIMT_SITE) {
    simt::loadMatrices(r, row.array(), row.offset(), false, site);
}
template <class T>
SIMT_INLINE void loadMatrix4Transposed(std::uint32_t (&r)[4], Shared<T> row, SIMT_SITE) {
    simt::loadMatrices(r, row.array(), row.offset(), true, site);
}

inline void multiplyHalf(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                         SIMT_SITE) {
    simt::product<float, 16, simt::decodeHalf>(d, a, b, site);
}
inline void multiplyBrain(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                          SIMT_SITE) {
    simt::product<float, 16, simt::decodeBrain>(d, a, b, site);
}
inline void multiplyInt8(int (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                         SIMT_SITE) {
    simt::product<int, 8, simt::decodeInt8>(d, a, b, site);
}
inline void multiplyE4M3(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                         SIMT_SITE) {
    simt::product<float, 8, simt::decodeE4M3>(d, a, b, site);
}

inline float exp2Approximate(float x) {
    return simt::roughly(std::exp2(static_cast<double>(x)), x);
}
inline float inverseSqrtApproximate(float x) {
    return simt::roughly(1.0 / std::sqrt(static_cast<double>(x)), x);
}

inline std::uint16_t halfFromFloat32(float value) {
    return halfFromFloat(value);
}
inline float float32FromHalf(std::uint16_t bits) {
    return floatFromHalf(bits);
}
inline std::uint16_t brainFromFloat32(float value) {
    return brainFromFloat(value);
}
inline float float32FromBrain(std::uint16_t bits) {
    return floatFromBrain(bits);
}
inline float float32FromE4M3(std::uint8_t code) {
    return floatFromE4M3(code);
}
inline std::uint8_t e4m3FromFloat32(float value) {
    return simt::nearestE4M3(value);
}

} // namespace kernels
