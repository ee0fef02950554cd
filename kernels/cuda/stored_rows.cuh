// Keys and values as a layer keeps them (kernels/kv_coding.h), on the device: where a row lies, how
// it is written by a warp, how its elements are read. Bytes are the CPU's. Device side but for the
// constructor function.
#pragma once

#include "kernels/cuda/numbers.cuh"
#include "kernels/cuda/warp.cuh"
#include "kernels/kv_coding.h"

namespace kernels::cuda {

inline constexpr int kRow4Bytes = 24; // of 32 elements: codes, factors
inline constexpr int kGroup = static_cast<int>(kKvGroup);

struct StoredRows {
    std::byte* data = nullptr; // [blocks, heads, blockTokens, rowBytes]
    KvCoding coding = KvCoding::F16;
    int dim = 0;
    int plainTail = 0;
    int rowBytes = 0;
    int heads = 1;
    int blockTokens = 1;

    __device__ __forceinline__ std::byte* block(std::int64_t index, int head) const {
        return data + (index * heads + head) * blockTokens * rowBytes;
    }
    __device__ __forceinline__ std::byte* row(std::int64_t slot, int head) const {
        return block(slot / blockTokens, head) + slot % blockTokens * rowBytes;
    }
    __device__ __forceinline__ int coded() const { return dim - plainTail; }
    __device__ __forceinline__ int paddedCodes() const {
        return (coded() + kGroup - 1) / kGroup * kGroup;
    }
    // Of the elements that are not coded.
    __device__ __forceinline__ int tailOffset() const {
        return coding == KvCoding::Row8 ? paddedCodes() + 4 : paddedCodes() / kGroup * kRow4Bytes;
    }
};

__device__ __forceinline__ std::uint16_t* halvesOf(std::byte* p) {
    return reinterpret_cast<std::uint16_t*>(p);
}
__device__ __forceinline__ const std::uint16_t* halvesOf(const std::byte* p) {
    return reinterpret_cast<const std::uint16_t*>(p);
}

// Scale and minimum of some numbers as they will be read, and what a number is multiplied by.
struct Row4Factors {
    std::uint16_t scale;
    std::uint16_t minimum;
    float origin;
    float inverse;
};

__device__ __forceinline__ Row4Factors row4Factors(float minimum, float scale) {
    Row4Factors factors;
    factors.minimum = halfFromFloat32(minimum);
    factors.origin = float32FromHalf(factors.minimum);
    factors.scale = halfFromFloat32(scale);
    const float step = float32FromHalf(factors.scale);
    factors.inverse = step > 0.0F ? 1.0F / step : 0.0F;
    return factors;
}

__device__ __forceinline__ int row4Code(float x, const Row4Factors& factors) {
    const float code = sumOf(productOf(x - factors.origin, factors.inverse), 0.5F);
    return code > 15.0F ? 15 : code > 0.0F ? static_cast<int>(code) : 0;
}

// A number, or NaN where it is not finite, so that whoever reads its group sees it.
__device__ __forceinline__ float finiteOrNan(float x) {
    return sumOf(x, x - x);
}

// The line of least squares through the numbers of kLanes neighbours over the codes that they have.
template <int kLanes>
__device__ inline Row4Factors row4Fitted(float x, const Row4Factors& from) {
    constexpr auto kCount = static_cast<float>(kLanes);
    const auto code = static_cast<float>(row4Code(x, from));
    const float offset = x - from.origin;
    const float codes = lanesSum<kLanes>(code);
    const float spread =
        sumOf(productOf(kCount, lanesSum<kLanes>(code * code)), -productOf(codes, codes));
    const float sum = lanesSum<kLanes>(offset);
    const float products = lanesSum<kLanes>(productOf(offset, code));
    const float slope = sumOf(productOf(kCount, products), -productOf(codes, sum)) / spread;
    constexpr float kMost = 4096.0F; // 15 of them are a half still
    if (spread == 0.0F || !(slope > 0.0F && slope < kMost)) {
        return from; // one number only, or none
    }
    const float rest = sumOf(sum, -productOf(slope, codes));
    return row4Factors(sumOf(from.origin, rest / kCount), slope);
}

// Of the numbers of kLanes neighbours, as the CPU has them: the range, fitted twice.
template <int kLanes>
__device__ inline Row4Factors row4Factors(float x) {
    const float low = -lanesLargest<kLanes>(-x);
    const float origin = float32FromHalf(halfFromFloat32(low));
    const Row4Factors range = row4Factors(low, (lanesLargest<kLanes>(x) - origin) / 15.0F);
    return row4Fitted<kLanes>(x, row4Fitted<kLanes>(x, range));
}

// Two codes a byte, those of the upper half of the warp above.
__device__ inline void storeCodes4(float x, const Row4Factors& factors, std::byte* codes,
                                   int lane) {
    const int code = row4Code(x, factors);
    const int upper = __shfl_down_sync(kFullWarp, code, kGroup / 2);
    if (lane < kGroup / 2) {
        codes[lane] = static_cast<std::byte>(code | upper << 4);
    }
}

__device__ inline void storeRow8(const float* in, int elements, std::byte* out, int lane) {
    float largest = 0.0F;
    for (int i = lane; i < elements; i += kWarpLanes) {
        largest = largerOf(largest, fabsf(in[i]));
    }
    largest = warpLargest(largest);
    constexpr float kSteps = 127.0F;
    constexpr float kSmallest = 1e-30F; // below it the inverse would be infinite
    const bool isZero = largest < kSmallest;
    const bool isFinite = largest <= 3.402823466e38F;
    const float inverse = isZero || !isFinite ? 0.0F : kSteps / largest;
    const int padded = (elements + kGroup - 1) / kGroup * kGroup;
    for (int i = lane; i < padded; i += kWarpLanes) {
        const float x = i < elements && isFinite ? in[i] : 0.0F;
        out[i] = static_cast<std::byte>(static_cast<int>(rintf(x * inverse)));
    }
    if (lane == 0) { // a row need not begin at a multiple of four
        const float scale = isZero ? 0.0F : largest / kSteps;
        std::uint16_t words[2];
        __builtin_memcpy(words, &scale, sizeof scale);
        halvesOf(out + padded)[0] = words[0];
        halvesOf(out + padded)[1] = words[1];
    }
}

__device__ inline void storeRow4(const float* in, int elements, std::byte* out, int lane) {
    for (int first = 0; first < elements; first += kGroup, out += kRow4Bytes) {
        const float x = finiteOrNan(first + lane < elements ? in[first + lane] : 0.0F);
        const Row4Factors factors = row4Factors<kGroup / 2>(x);
        storeCodes4(x, factors, out, lane);
        if (lane % 16 == 0) {
            halvesOf(out + 16)[lane / 8] = factors.scale;
            halvesOf(out + 16)[lane / 8 + 1] = factors.minimum;
        }
    }
}

// One row of `rows.dim` numbers by one warp.
__device__ inline void storeRow(const StoredRows& rows, std::int64_t slot, int head,
                                const float* in, int lane) {
    std::byte* out = rows.row(slot, head);
    switch (rows.coding) {
    case KvCoding::F32:
        for (int i = lane; i < rows.dim; i += kWarpLanes) {
            reinterpret_cast<float*>(out)[i] = in[i];
        }
        return;
    case KvCoding::Channel16:
        out = rows.block(slot / rows.blockTokens, head);
        for (int i = lane; i < rows.dim; i += kWarpLanes) {
            halvesOf(out)[i * rows.blockTokens + static_cast<int>(slot % rows.blockTokens)] =
                halfFromFloat32(in[i]);
        }
        return;
    case KvCoding::Row8:
        storeRow8(in, rows.coded(), out, lane);
        break;
    case KvCoding::Row4:
        storeRow4(in, rows.coded(), out, lane);
        break;
    default: // F16; rows of Channel4 are stored as recent ones
        for (int i = lane; i < rows.dim; i += kWarpLanes) {
            halvesOf(out)[i] = halfFromFloat32(in[i]);
        }
        return;
    }
    for (int i = lane; i < rows.plainTail; i += kWarpLanes) {
        halvesOf(out + rows.tailOffset())[i] = halfFromFloat32(in[rows.coded() + i]);
    }
}

// Element d of token `token` of a block and head.
__device__ inline float elementAt(const StoredRows& rows, const std::byte* block, int token,
                                  int d) {
    const std::byte* row = block + token * rows.rowBytes;
    switch (rows.coding) {
    case KvCoding::F32:
        return reinterpret_cast<const float*>(row)[d];
    case KvCoding::F16:
        return float32FromHalf(halvesOf(row)[d]);
    case KvCoding::Channel16:
        return float32FromHalf(halvesOf(block)[d * rows.blockTokens + token]);
    case KvCoding::Channel4: {
        const std::byte* group = block + token / kGroup * kGroup * rows.rowBytes;
        const auto* factors = halvesOf(group + 16 * rows.dim);
        const int within = token % kGroup;
        const auto pair = static_cast<int>(group[16 * d + within % 16]);
        const auto code = static_cast<float>(within < 16 ? pair & 15 : pair >> 4);
        return fmaf(code, float32FromHalf(factors[d]), float32FromHalf(factors[rows.dim + d]));
    }
    case KvCoding::Row8: {
        if (d >= rows.coded()) {
            return float32FromHalf(halvesOf(row + rows.tailOffset())[d - rows.coded()]);
        }
        const std::uint16_t* words = halvesOf(row + rows.paddedCodes());
        const std::uint32_t bits = words[0] | static_cast<std::uint32_t>(words[1]) << 16;
        return float32FromBits(bits) *
               static_cast<float>(static_cast<std::int8_t>(static_cast<std::uint8_t>(row[d])));
    }
    case KvCoding::Row4: {
        if (d >= rows.coded()) {
            return float32FromHalf(halvesOf(row + rows.tailOffset())[d - rows.coded()]);
        }
        const std::byte* group = row + d / kGroup * kRow4Bytes;
        const int within = d % kGroup;
        const auto* factors = halvesOf(group + 16) + within / 16 * 2;
        const auto pair = static_cast<int>(group[within % 16]);
        const auto code = static_cast<float>(within < 16 ? pair & 15 : pair >> 4);
        return fmaf(code, float32FromHalf(factors[0]), float32FromHalf(factors[1]));
    }
    }
    return 0.0F;
}

} // namespace kernels::cuda
