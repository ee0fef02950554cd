// Small arithmetic of kernels: what must round step by step, and bytes of words. Device side only.
#pragma once

#include "kernels/cuda/device_intrinsics.cuh"

namespace kernels::cuda {

// Never one fused operation, so that values decode as the format defines them.
__device__ __forceinline__ float productOf(float a, float b) {
#ifdef __CUDACC__
    return __fmul_rn(a, b);
#else
    return a * b;
#endif
}

__device__ __forceinline__ float sumOf(float a, float b) {
#ifdef __CUDACC__
    return __fadd_rn(a, b);
#else
    return a + b;
#endif
}

__device__ __forceinline__ float float32FromBits(std::uint32_t bits) {
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

// Byte i of the result is byte (selector >> 4 i) & 7 of the eight of `low` and `high`.
__device__ __forceinline__ std::uint32_t selectBytes(std::uint32_t low, std::uint32_t high,
                                                     std::uint32_t selector) {
#ifdef __CUDACC__
    return __byte_perm(low, high, selector);
#else
    const std::uint64_t both = low | static_cast<std::uint64_t>(high) << 32;
    std::uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const unsigned from = selector >> 4 * i & 7U;
        result |= static_cast<std::uint32_t>(both >> 8 * from & 255U) << 8 * i;
    }
    return result;
#endif
}

// table[code] of four codes of 0..15.
__device__ __forceinline__ std::uint32_t lookUpBytes(const std::uint32_t (&table)[4],
                                                     std::uint32_t codes) {
    std::uint32_t selector = codes & 0x07070707U;
    selector = (selector | selector >> 4) & 0x00FF00FFU;
    selector = (selector | selector >> 8) & 0xFFFFU;
    const std::uint32_t isUpper = (codes >> 3 & 0x01010101U) * 255U;
    const std::uint32_t lower = selectBytes(table[0], table[1], selector);
    const std::uint32_t upper = selectBytes(table[2], table[3], selector);
    return (lower & ~isUpper) | (upper & isUpper);
}

__device__ __forceinline__ int signedByte(std::uint32_t word, int index) {
    return static_cast<std::int8_t>(word >> 8 * index & 255U);
}

} // namespace kernels::cuda
