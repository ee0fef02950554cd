// Products with weights of plain numbers. Activations stay F32: rounding them to the weights' 16
// bits is not what the operators promise.
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/products.h"
#include "kernels/cuda/warp.cuh"

namespace kernels::cuda {

namespace {

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / kWarpLanes;

// What 16 bytes of a row hold.
template <NumberKind kKind>
struct Numbers {
    static constexpr int kCount = kKind == NumberKind::F32 ? 4 : kKind == NumberKind::F8 ? 16 : 8;
    float values[kCount];
};

template <NumberKind kKind>
__device__ __forceinline__ Numbers<kKind> numbersAt(const std::byte* p) {
    Numbers<kKind> result;
    const uint4 bits = loadVector<uint4>(p);
    const std::uint32_t words[4] = {bits.x, bits.y, bits.z, bits.w};
    for (int i = 0; i < Numbers<kKind>::kCount; ++i) {
        if constexpr (kKind == NumberKind::F32) {
            __builtin_memcpy(&result.values[i], &words[i], sizeof(float));
        } else if constexpr (kKind == NumberKind::F8) {
            result.values[i] =
                float32FromE4M3(static_cast<std::uint8_t>(words[i / 4] >> 8 * (i % 4)));
        } else {
            const auto half = static_cast<std::uint16_t>(words[i / 2] >> 16 * (i % 2));
            result.values[i] =
                kKind == NumberKind::F16 ? float32FromHalf(half) : float32FromBrain(half);
        }
    }
    return result;
}

// A block is kWarps rows of a weight with the rows of one unit, a warp a row of the weight, a lane
// every 32nd piece of 16 bytes. Reads the weight's rows once, the unit's rows once a warp.
template <NumberKind kKind, int kRows>
__global__ void __launch_bounds__(kThreads)
    multiplyRows(const NumberPart* parts, const ProductUnit* units, SourceRows x) {
    constexpr int kCount = Numbers<kKind>::kCount;
    const ProductUnit unit = units[blockIdx.y];
    const NumberPart& part = parts[unit.part];
    const WeightNumbers& weight = part.weight;
    const int lane = static_cast<int>(threadIdx.x % kWarpLanes);
    const auto row = static_cast<std::int32_t>(blockIdx.x * kWarps + threadIdx.x / kWarpLanes);
    if (row >= weight.rows) {
        return; // a whole warp
    }
    const float* sources[kRows];
    for (int r = 0; r < kRows; ++r) {
        const std::int64_t own = part.firstRow + unit.firstRow + (r < unit.rows ? r : 0);
        sources[r] = x.x + (x.sources == nullptr ? own : x.sources[own]) * x.stride;
    }
    const std::byte* values =
        weight.values + static_cast<std::int64_t>(row) * weight.stride * (16 / kCount);
    float sums[kRows] = {};
    for (int column = lane * kCount; column < weight.columns; column += kWarpLanes * kCount) {
        const Numbers<kKind> numbers = numbersAt<kKind>(values + column * (16 / kCount));
        const int count = min(kCount, weight.columns - column);
        for (int r = 0; r < kRows; ++r) {
            if (kRows > 1 && r >= unit.rows) {
                break;
            }
            for (int i = 0; i < kCount; ++i) {
                const float value = i < count ? sources[r][column + i] : 0.0F;
                sums[r] = fmaf(value, numbers.values[i], sums[r]);
            }
        }
    }
    for (int r = 0; r < kRows; ++r) {
        if (kRows > 1 && r >= unit.rows) {
            break;
        }
        float total = warpSum(sums[r]);
        if constexpr (kKind == NumberKind::F8) {
            total *= weight.scales[row];
        }
        if (lane == 0) {
            part.out[(unit.firstRow + r) * part.outStride + row] = total;
        }
    }
}

using Kernel = void (*)(const NumberPart*, const ProductUnit*, SourceRows);

template <NumberKind kKind>
Kernel kernelOf(bool isSingle) {
    return isSingle ? multiplyRows<kKind, 1> : multiplyRows<kKind, kUnitRows>;
}

Kernel kernelOf(NumberKind kind, bool isSingle) {
    switch (kind) {
    case NumberKind::F32:
        return kernelOf<NumberKind::F32>(isSingle);
    case NumberKind::F16:
        return kernelOf<NumberKind::F16>(isSingle);
    case NumberKind::BF16:
        return kernelOf<NumberKind::BF16>(isSingle);
    case NumberKind::F8:
        return kernelOf<NumberKind::F8>(isSingle);
    }
    return nullptr;
}

} // namespace

void multiplyNumbers(Call& call, NumberKind kind, const ProductLaunch<NumberPart>& product,
                     const SourceRows& rows) {
    call.start(kernelOf(kind, product.unitRows == 1),
               {.grid = dim3(static_cast<unsigned>((product.weightRows + kWarps - 1) / kWarps),
                             static_cast<unsigned>(product.unitCount)),
                .block = dim3(kThreads)},
               product.parts, product.units, rows);
}

} // namespace kernels::cuda
