// Gathers an instruction-set unit's functions. Included by instruction-set units only.
#pragma once

#include "kernels/cpu/body_attention.h"
#include "kernels/cpu/body_elementwise.h"
#include "kernels/cpu/body_gates.h"
#include "kernels/cpu/body_kv.h"
#include "kernels/cpu/body_quantise.h"

namespace kernels::cpu {
namespace {

constexpr KernelTable kernelTable(const char* name, const char* displayName,
                                  const MatmulTable* matmul) {
    return KernelTable{
        .name = name,
        .displayName = displayName,
        .multipliesSigned = !Simd::kHasUnsignedDot,
        .matmul = matmul,
        .quantiseRow = quantiseRow,
        .rmsNormRow = rmsNormRow,
        .addRmsNormRow = addRmsNormRow,
        .addRange = addRange,
        .siluMulRange = siluMulRange,
        .geluMulRange = geluMulRange,
        .scaleRange = scaleRange,
        .addScaledRange = addScaledRange,
        .softCapRange = softCapRange,
        .turnInterleaved = turnInterleaved,
        .turnHalves = turnHalves,
        .spreadHead = spreadHead,
        .storeKvRow = storeKvRow,
        .storeKvChannels = storeKvChannels,
        .expRange = expRange,
        .largestScore = largestScore,
        .attendSpan = attendSpan,
        .mergeSpans = mergeSpans,
        .finishAttention = finishAttention,
    };
}

} // namespace
} // namespace kernels::cpu
