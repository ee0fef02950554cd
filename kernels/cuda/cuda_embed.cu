// Rows of a weight as F32, exactly as its format defines them.
#include "kernels/cuda/call.h"
#include "kernels/cuda/cuda_weight.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/require.h"
#include "kernels/cuda/weight_codes.cuh"

#include <array>
#include <utility>

namespace kernels::cuda {

namespace {

constexpr int kThreads = 128;

// A block is a token, a thread every kThreads-th group of 32 columns. Reads a row of the weight,
// writes 128 bytes a group.
template <int kKind>
__global__ void __launch_bounds__(kThreads)
    decodeRows(WeightCodes weight, const std::int32_t* ids, float* out) {
    constexpr CodeKind kTraits = kCodeKinds[kKind];
    constexpr int kParts = kTraits.parts;
    const std::int64_t row = ids[blockIdx.x];
    float* to = out + static_cast<std::int64_t>(blockIdx.x) * weight.groups * kGroupColumns;
    for (int group = static_cast<int>(threadIdx.x); group < weight.groups; group += kThreads) {
        const CodeWords words = codesAt<kKind>(weight, row * weight.groups + group);
        const Factors<kParts> factors = factorsAt<kKind>(weight, row, group);
        for (int i = 0; i < kGroupColumns; ++i) {
            const int part = i * kParts / kGroupColumns;
            const int step = signedByte(words.words[i / 4], i % 4) - kTraits.offset;
            float value = productOf(factors.scale[part], static_cast<float>(step));
            if constexpr (kTraits.factor == FactorKind::HalfMinimum ||
                          kTraits.factor == FactorKind::SuperMinimum) {
                value = sumOf(value, factors.minimum[part]);
            }
            to[group * kGroupColumns + i] = value;
        }
    }
}

// A block is a token, a thread every kThreads-th column.
template <NumberKind kKind>
__global__ void __launch_bounds__(kThreads)
    copyRows(WeightNumbers weight, const std::int32_t* ids, float* out) {
    const std::int64_t first = static_cast<std::int64_t>(ids[blockIdx.x]) * weight.stride;
    float* to = out + static_cast<std::int64_t>(blockIdx.x) * weight.columns;
    for (int column = static_cast<int>(threadIdx.x); column < weight.columns; column += kThreads) {
        if constexpr (kKind == NumberKind::F32) {
            to[column] = reinterpret_cast<const float*>(weight.values)[first + column];
        } else if constexpr (kKind == NumberKind::F8) {
            const auto code = static_cast<std::uint8_t>(weight.values[first + column]);
            to[column] = float32FromE4M3(code) * weight.scales[ids[blockIdx.x]];
        } else {
            const auto bits = reinterpret_cast<const std::uint16_t*>(weight.values)[first + column];
            to[column] = kKind == NumberKind::F16 ? float32FromHalf(bits) : float32FromBrain(bits);
        }
    }
}

using CodeKernel = void (*)(WeightCodes, const std::int32_t*, float*);
using NumberKernel = void (*)(WeightNumbers, const std::int32_t*, float*);

template <int... kKinds>
std::array<CodeKernel, sizeof...(kKinds)> codeKernels(std::integer_sequence<int, kKinds...>) {
    return {decodeRows<kKinds>...};
}

NumberKernel numberKernel(NumberKind kind) {
    switch (kind) {
    case NumberKind::F32:
        return copyRows<NumberKind::F32>;
    case NumberKind::F16:
        return copyRows<NumberKind::F16>;
    case NumberKind::BF16:
        return copyRows<NumberKind::BF16>;
    case NumberKind::F8:
        return copyRows<NumberKind::F8>;
    }
    return nullptr;
}

} // namespace

void CudaOps::embed(const Weight& table, std::span<const std::int32_t> ids, View out) {
    const CudaWeight& weight = cudaWeight(table);
    require(isF32(out) && out.shape.rowLength() == weight.columns() &&
                out.shape.rows() >= std::ssize(ids),
            "embed: out is not [tokens, columns of the table]");
    for (const std::int32_t id : ids) {
        require(id >= 0 && id < weight.rows(), "embed: a token id is outside the table");
    }
    Call call(*this);
    const LaunchShape shape{.grid = dim3(static_cast<unsigned>(ids.size())),
                            .block = dim3(kThreads)};
    const std::int32_t* onDevice = call.arena().upload(ids);
    if (weight.isCoded()) {
        const auto kernels = codeKernels(std::make_integer_sequence<int, kCodeKindCount>());
        call.start(kernels[static_cast<std::size_t>(weight.codeKind())], shape, weight.codes(),
                   onDevice, call.out(out));
    } else {
        call.start(numberKernel(weight.numberKind()), shape, weight.numbers(), onDevice,
                   call.out(out));
    }
    call.finish();
}

} // namespace kernels::cuda
