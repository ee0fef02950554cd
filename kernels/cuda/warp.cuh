// Reductions over the lanes of a warp, in one fixed order: every lane gets the same bits. All 32
// lanes call them together. Device side only.
#pragma once

#include "kernels/cuda/device_intrinsics.cuh"

namespace kernels::cuda {

inline constexpr int kWarpLanes = 32;

// Of each kLanes neighbours, a power of two.
template <int kLanes>
__device__ __forceinline__ float lanesSum(float value) {
    for (int distance = kLanes / 2; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(kFullWarp, value, distance);
    }
    return value;
}

__device__ __forceinline__ float warpSum(float value) {
    return lanesSum<kWarpLanes>(value);
}

// NaN is kept.
__device__ __forceinline__ float largerOf(float a, float b) {
    return a >= b || a != a ? a : b;
}

template <int kLanes>
__device__ __forceinline__ float lanesLargest(float value) {
    for (int distance = kLanes / 2; distance > 0; distance /= 2) {
        value = largerOf(value, __shfl_xor_sync(kFullWarp, value, distance));
    }
    return value;
}

__device__ __forceinline__ float warpLargest(float value) {
    return lanesLargest<kWarpLanes>(value);
}

__device__ __forceinline__ float warpSmallest(float value) {
    return -warpLargest(-value);
}

// Of the lower and the upper sixteen lanes.
__device__ __forceinline__ int halfWarpSum(int value) {
    for (int distance = kWarpLanes / 4; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(kFullWarp, value, distance);
    }
    return value;
}

} // namespace kernels::cuda
