// Every special instruction of the kernels, once: here for nvcc, in tests/support/simt with the
// documented semantics for the executor. Sections are those of the PTX ISA 8.x. Device side only.
// Warp collectives (__shfl_*_sync, __ballot_sync, __reduce_*_sync, __syncwarp) are called by their
// own names: all lanes of the mask together, from one place.
//
//   dotProduct4(a, b, c)             c + sum of four products of signed bytes
//   loadVector<V>(p) storeVector(p, v)   one access of sizeof(V); p must be aligned to it
//   loadOnce<V>(p)                   the same, not kept in the first-level cache
//   copyAsync16(shared, p)           16 bytes, global to shared memory, behind the thread's back;
//   commitCopies() waitCopies<n>()   ... closes a group; all but the last n groups have landed
//   loadMatrix4(r, row)              four 8x8 matrices of 16-bit elements; row: this lane's own row
//   loadMatrix4Transposed(r, row)
//   multiplyHalf multiplyBrain       d += a b, m16n8k16, F32 sums
//   multiplyInt8                     d += a b, m16n8k32, S32 sums
//   multiplyE4M3                     d += a b, m16n8k32, F32 sums; compute capability 8.9 on
//   exp2Approximate(x)               relative error 2^-22, subnormals are zero
//   inverseSqrtApproximate(x)        relative error 2^-22.9, subnormals are zero
//   halfFromFloat32 float32FromHalf brainFromFloat32 float32FromBrain     on their bits, to nearest
//   float32FromE4M3 e4m3FromFloat32  to nearest, too large becomes 448
#pragma once

#include "kernels/cuda/shared.cuh"

#include <cstdint>
#include <cuda_runtime.h>

namespace kernels {

inline constexpr std::uint32_t kFullWarp = 0xFFFFFFFFU;

} // namespace kernels

#ifdef __CUDACC__

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

namespace kernels {

__device__ __forceinline__ int dotProduct4(std::int32_t a, std::int32_t b, int c) {
    return __dp4a(a, b, c);
}

// --- vectors ---

template <class V>
__device__ __forceinline__ V loadVector(const void* p) {
    static_assert(sizeof(V) == 4 || sizeof(V) == 8 || sizeof(V) == 16, "one instruction");
    return *static_cast<const V*>(p);
}

template <class V>
__device__ __forceinline__ void storeVector(void* p, const V& value) {
    static_assert(sizeof(V) == 4 || sizeof(V) == 8 || sizeof(V) == 16, "one instruction");
    *static_cast<V*>(p) = value;
}

// 9.7.9.9 ld.global.nc with L1::no_allocate: weights are read once a step.
template <class V>
__device__ __forceinline__ V loadOnce(const void* p) {
    static_assert(sizeof(V) == 16, "only worth it for whole vectors");
    uint4 bits;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
                 : "l"(p));
    V value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

// --- asynchronous copies, 9.7.9.25 ---

template <class T>
__device__ __forceinline__ void copyAsync16(Shared<T> to, const void* from) {
    const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(to.unchecked()));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
}

__device__ __forceinline__ void commitCopies() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int kPending>
__device__ __forceinline__ void waitCopies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

// --- matrix loads, 9.7.14.5.15: lane 8 i + j gives the address of row j of matrix i ---

template <class T>
__device__ __forceinline__ void loadMatrix4(std::uint32_t (&r)[4], Shared<T> row) {
    const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row.unchecked()));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}

template <class T>
__device__ __forceinline__ void loadMatrix4Transposed(std::uint32_t (&r)[4], Shared<T> row) {
    const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row.unchecked()));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}

// --- matrix products, 9.7.14.5: fragments as in its figures of m16n8k16 and m16n8k32 ---

__device__ __forceinline__ void multiplyHalf(float (&d)[4], const std::uint32_t (&a)[4],
                                             const std::uint32_t (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ void multiplyBrain(float (&d)[4], const std::uint32_t (&a)[4],
                                              const std::uint32_t (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ void multiplyInt8(int (&d)[4], const std::uint32_t (&a)[4],
                                             const std::uint32_t (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Traps below compute capability 8.9, which has no such instruction: the host must not start a
// kernel with it there.
__device__ __forceinline__ void multiplyE4M3([[maybe_unused]] float (&d)[4],
                                             [[maybe_unused]] const std::uint32_t (&a)[4],
                                             [[maybe_unused]] const std::uint32_t (&b)[2]) {
#if __CUDA_ARCH__ >= 890
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
    __trap();
#endif
}

// --- functions, 9.7.3 ---

__device__ __forceinline__ float exp2Approximate(float x) {
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}

__device__ __forceinline__ float inverseSqrtApproximate(float x) {
    float result;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}

// --- conversions ---

__device__ __forceinline__ std::uint16_t halfFromFloat32(float value) {
    return __half_as_ushort(__float2half_rn(value));
}
__device__ __forceinline__ float float32FromHalf(std::uint16_t bits) {
    return __half2float(__ushort_as_half(bits));
}
__device__ __forceinline__ std::uint16_t brainFromFloat32(float value) {
    return __bfloat16_as_ushort(__float2bfloat16_rn(value));
}
__device__ __forceinline__ float float32FromBrain(std::uint16_t bits) {
    return __bfloat162float(__ushort_as_bfloat16(bits));
}
__device__ __forceinline__ float float32FromE4M3(std::uint8_t code) {
    return __half2float(__half(__nv_cvt_fp8_to_halfraw(code, __NV_E4M3)));
}
__device__ __forceinline__ std::uint8_t e4m3FromFloat32(float value) {
    return __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3);
}

} // namespace kernels

#else
#include <emulated_intrinsics.h> // tests/support/simt
#endif
