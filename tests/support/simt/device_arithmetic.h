// Atomics and arithmetic of CUDA C++ that C++ has not. Included by device_builtins.h.
#pragma once

#include "tests/support/simt/executor.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

namespace simt {

template <class T>
concept AtomicNumber = std::is_arithmetic_v<T> &&(sizeof(T) == 4 || sizeof(T) == 8);

// Applies an operation where a pointer leads and gives what was there before.
template <class T, class Operation>
T exchange(T* at, Operation operation) {
    const T before = *at;
    *at = operation(before);
    return before;
}

} // namespace simt

namespace kernels {
template <class T>
struct SharedPointer;
}

namespace simt {
void* atomicShared(const SharedArray* array, std::int64_t offset, std::size_t bytes);

// The address behind a plain pointer or a checked one.
template <class T>
T* atomicPlace(T* at) {
    return at;
}
template <class T>
__attribute__((always_inline)) inline T* atomicPlace(kernels::SharedPointer<T> at) {
    return static_cast<T*>(atomicShared(at.array, at.offset, sizeof(T)));
}
template <class P>
using Pointee = std::remove_pointer_t<decltype(atomicPlace(std::declval<P>()))>;
} // namespace simt

#define SIMT_ATOMIC(name, type, expression)                                                        \
    template <class P, class T = simt::Pointee<P>>                                                 \
    requires simt::AtomicNumber<T>                                                                 \
    __attribute__((always_inline)) inline T name(P at, std::type_identity_t<T> value) {            \
        return simt::exchange(simt::atomicPlace(at),                                               \
                              [&](T before) { return static_cast<T>(expression); });               \
    }

SIMT_ATOMIC(atomicAdd, T, before + value)
SIMT_ATOMIC(atomicSub, T, before - value)
SIMT_ATOMIC(atomicMin, T, std::min(before, value))
SIMT_ATOMIC(atomicMax, T, std::max(before, value))
SIMT_ATOMIC(atomicAnd, T, before& value)
SIMT_ATOMIC(atomicOr, T, before | value)
SIMT_ATOMIC(atomicXor, T, before ^ value)
SIMT_ATOMIC(atomicExch, T, value)
// Counts up to value and begins again, as the device does.
SIMT_ATOMIC(atomicInc, T, before >= value ? T{0} : before + 1)

template <class P, class T = simt::Pointee<P>>
__attribute__((always_inline)) inline T atomicCAS(P at, std::type_identity_t<T> expected,
                                                  std::type_identity_t<T> value) {
    return simt::exchange(simt::atomicPlace(at),
                          [&](T before) { return before == expected ? value : before; });
}

// --- arithmetic ---

using std::max;
using std::min;

template <class T>
T __ldg(const T* at) {
    return *at;
}
inline float rsqrtf(float x) {
    return 1.0F / std::sqrt(x);
}
inline float __expf(float x) {
    return std::exp(x);
}
inline float __logf(float x) {
    return std::log(x);
}
inline float __fdividef(float x, float y) {
    return x / y;
}
inline float __frcp_rn(float x) {
    return 1.0F / x;
}
inline float __fmul_rn(float x, float y) {
    return x * y;
}
inline float __fadd_rn(float x, float y) {
    return x + y;
}
inline float __fmaf_rn(float x, float y, float z) {
    return std::fma(x, y, z);
}
inline int __float2int_rn(float x) {
    return static_cast<int>(std::nearbyint(x));
}
inline int __float2int_rz(float x) {
    return static_cast<int>(x);
}
inline float __int2float_rn(int x) {
    return static_cast<float>(x);
}
inline float __saturatef(float x) {
    return x > 0.0F ? std::min(x, 1.0F) : 0.0F;
}
inline unsigned __float_as_uint(float x) {
    return std::bit_cast<unsigned>(x);
}
inline int __float_as_int(float x) {
    return std::bit_cast<int>(x);
}
inline float __uint_as_float(unsigned x) {
    return std::bit_cast<float>(x);
}
inline float __int_as_float(int x) {
    return std::bit_cast<float>(x);
}
inline int __popc(unsigned x) {
    return std::popcount(x);
}
inline int __popcll(unsigned long long x) {
    return std::popcount(x);
}
inline int __clz(int x) {
    return std::countl_zero(static_cast<unsigned>(x));
}
inline int __ffs(int x) {
    return x == 0 ? 0 : std::countr_zero(static_cast<unsigned>(x)) + 1;
}
inline unsigned __umulhi(unsigned x, unsigned y) {
    return static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32);
}
inline int __mulhi(int x, int y) {
    return static_cast<int>(static_cast<long long>(x) * y >> 32);
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return static_cast<unsigned>(
        ((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31U)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >>
                                 (shift & 31U));
}
// prmt: byte i of the result is byte (selector >> 4 i) & 7 of y:x, or its sign where bit 3 is set.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
    unsigned result = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const unsigned choice = selector >> 4 * i & 15U;
        auto byte = static_cast<unsigned>(bytes >> 8 * (choice & 7U) & 0xFFU);
        if ((choice & 8U) != 0) {
            byte = (byte & 0x80U) != 0 ? 0xFFU : 0U;
        }
        result |= byte << 8 * i;
    }
    return result;
}
inline int __dp4a(int a, int b, int c) {
    for (unsigned i = 0; i < 4; ++i) {
        c += static_cast<signed char>(static_cast<unsigned>(a) >> 8 * i & 0xFFU) *
             static_cast<signed char>(static_cast<unsigned>(b) >> 8 * i & 0xFFU);
    }
    return c;
}
