// Products with weights of block formats: exact integer sums of a part, scaled and added in F32.
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/products.h"
#include "kernels/cuda/warp.cuh"
#include "kernels/cuda/weight_codes.cuh"

#include <array>
#include <utility>

namespace kernels::cuda {

namespace {

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / kWarpLanes;
constexpr int kBlocks = 5; // of a multiprocessor: 96 registers a thread, which no kind spills

// Sum over a group of one row's codes times the weight's, by part.
template <int kParts, int kTerms>
__device__ __forceinline__ void dotsOf(const CodeWords& weight, const std::int8_t* first,
                                       std::int64_t second, int (&dots)[kParts]) {
    for (int part = 0; part < kParts; ++part) {
        dots[part] = 0;
    }
    int upper[kParts] = {};
    for (int half = 0; half < 2; ++half) {
        const int4 words = loadVector<int4>(first + 16 * half);
        const int codes[4] = {words.x, words.y, words.z, words.w};
        for (int i = 0; i < 4; ++i) {
            const auto steps = static_cast<std::int32_t>(weight.words[4 * half + i]);
            int& dot = upper[half * kParts / 2];
            dot = dotProduct4(steps, codes[i], dot);
        }
        if constexpr (kTerms == 2) {
            const int4 lower = loadVector<int4>(first + second + 16 * half);
            const int lowerCodes[4] = {lower.x, lower.y, lower.z, lower.w};
            for (int i = 0; i < 4; ++i) {
                const auto steps = static_cast<std::int32_t>(weight.words[4 * half + i]);
                int& dot = dots[half * kParts / 2];
                dot = dotProduct4(steps, lowerCodes[i], dot);
            }
        }
    }
    for (int part = 0; part < kParts; ++part) {
        dots[part] += kTerms == 2 ? kTermBase * upper[part] : upper[part];
    }
}

// A block is kWarps rows of a weight with the rows of one unit, a warp a row of the weight, a lane
// every 32nd group of columns. Reads the weight's rows once, the unit's rows once a warp; writes a
// number for each pair.
template <int kKind, int kTerms, int kRows>
__global__ void __launch_bounds__(kThreads, kBlocks)
    multiplyGroups(const CodePart* parts, const ProductUnit* units, RoundedRows x) {
    constexpr CodeKind kTraits = kCodeKinds[kKind];
    constexpr int kParts = kTraits.parts;
    const ProductUnit unit = units[blockIdx.y];
    const CodePart& part = parts[unit.part];
    const WeightCodes& weight = part.weight;
    const int lane = static_cast<int>(threadIdx.x % kWarpLanes);
    const auto row = static_cast<std::int32_t>(blockIdx.x * kWarps + threadIdx.x / kWarpLanes);
    if (row >= weight.rows) {
        return; // a whole warp
    }
    const std::int64_t firstRow = part.firstRow + unit.firstRow;
    float sums[kRows] = {};
    for (int group = lane; group < weight.groups; group += kWarpLanes) {
        const std::int64_t index = static_cast<std::int64_t>(row) * weight.groups + group;
        const CodeWords words = codesAt<kKind>(weight, index);
        const Factors<kParts> factors = factorsAt<kKind>(weight, row, group);
        for (int r = 0; r < kRows; ++r) {
            if (kRows > 1 && r >= unit.rows) {
                break;
            }
            const std::int64_t group32 = (firstRow + r) * weight.groups + group;
            int dots[kParts];
            dotsOf<kParts, kTerms>(words, x.codes + group32 * kGroupColumns, x.rows * x.columns,
                                   dots);
            const std::int32_t* codeSums = x.sums + 2 * group32;
            const int halves[2] = {codeSums[0], codeSums[1]};
            const float sum = groupProduct<kKind>(factors, dots, halves);
            sums[r] = fmaf(x.scales[group32], sum, sums[r]);
        }
    }
    for (int r = 0; r < kRows; ++r) {
        if (kRows > 1 && r >= unit.rows) {
            break;
        }
        const float total = warpSum(sums[r]);
        if (lane == 0) {
            part.out[(unit.firstRow + r) * part.outStride + row] = total;
        }
    }
}

using Kernel = void (*)(const CodePart*, const ProductUnit*, RoundedRows);
struct Kernels { // of one kind: [terms - 1][one row or more]
    Kernel kernels[2][2];
};

template <int kKind>
constexpr Kernels kernelsOf() {
    return {{{multiplyGroups<kKind, 1, 1>, multiplyGroups<kKind, 1, kUnitRows>},
             {multiplyGroups<kKind, 2, 1>, multiplyGroups<kKind, 2, kUnitRows>}}};
}

template <int... kKinds>
std::array<Kernels, sizeof...(kKinds)> allKernels(std::integer_sequence<int, kKinds...>) {
    return {kernelsOf<kKinds>()...};
}

} // namespace

void multiplyCodes(Call& call, int codeKind, int terms, const ProductLaunch<CodePart>& product,
                   const RoundedRows& rows) {
    if (product.unitRows > kUnitRows) {
        multiplyCodeTiles(call, codeKind, terms, product, rows);
        return;
    }
    const auto kernels = allKernels(std::make_integer_sequence<int, kCodeKindCount>());
    const Kernel kernel = kernels[static_cast<std::size_t>(codeKind)]
                              .kernels[terms - 1][product.unitRows == 1 ? 0 : 1];
    call.start(kernel,
               {.grid = dim3(static_cast<unsigned>((product.weightRows + kWarps - 1) / kWarps),
                             static_cast<unsigned>(product.unitCount)),
                .block = dim3(kThreads)},
               product.parts, product.units, rows);
}

} // namespace kernels::cuda
