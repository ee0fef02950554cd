// Products of many rows with weights of block formats by integer matrix instructions. Sums run as
// in product_codes.cu: 32 chains of every 32nd group, added as a tree, so that a row's result is
// the same bits however many rows there are.
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/products.h"
#include "kernels/cuda/warp.cuh"
#include "kernels/cuda/weight_codes.cuh"

#include <array>
#include <utility>

namespace kernels::cuda {

namespace {

constexpr int kWarps = 8;
constexpr int kThreads = kWarps * kWarpLanes;
constexpr int kChains = kWarpLanes / kWarps; // of a warp
constexpr int kFragmentRows = 8;             // of a weight in one instruction
constexpr int kFragments = 2;
constexpr int kTileWeightRows = kFragmentRows * kFragments;
static_assert(kChains == 4, "each is named");
static_assert(kThreads == kTileUnitRows * kTileWeightRows, "a thread writes a number");

// Rows of activations and of the weight that are past the end are read from the last ones there
// are, and their products are not written.
struct TileRows {
    std::int64_t firstRow; // of the activations
    int rows;
    std::int32_t firstWeightRow;
    std::int32_t weightRows;

    __device__ __forceinline__ std::int64_t row(int i) const {
        return firstRow + (i < rows ? i : rows - 1);
    }
    __device__ __forceinline__ std::int32_t weightRow(int i) const {
        return firstWeightRow + i < weightRows ? firstWeightRow + i : weightRows - 1;
    }
};

// A lane's part of sixteen rows of activations: rows lane / 4 and that plus 8.
__device__ __forceinline__ void loadRows(const RoundedRows& x, const TileRows& tile, int group,
                                         std::int64_t term, int lane, std::uint32_t (&a)[4]) {
    for (int half = 0; half < 2; ++half) {
        const std::int8_t* codes = x.codes + term * x.rows * x.columns +
                                   tile.row(lane / 4 + 8 * half) * x.columns +
                                   group * kGroupColumns + 4 * (lane % 4);
        a[half] = loadVector<std::uint32_t>(codes);
        a[half + 2] = loadVector<std::uint32_t>(codes + 16);
    }
}

// dots[part] += codes of sixteen rows times those of eight weight rows, a group.
template <int kParts>
__device__ __forceinline__ void addDots(const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                                        int (&dots)[kParts][4]) {
    if constexpr (kParts == 1) {
        multiplyInt8(dots[0], a, b);
    } else { // columns 0 .. 15, then 16 .. 31
        const std::uint32_t first[2] = {b[0], 0U};
        const std::uint32_t second[2] = {0U, b[1]};
        multiplyInt8(dots[0], a, first);
        multiplyInt8(dots[1], a, second);
    }
}

// What a lane holds of a fragment's products: row lane / 4, or that plus 8, of the activations with
// weight row 2 (lane % 4), or that plus 1. Places are arguments of templates: an array that is
// indexed in a loop which stays one would lie in memory.
template <int kKind, int kTerms, int kColumn, int kHalf>
__device__ __forceinline__ void addElement(const RoundedRows& x, std::int64_t group32,
                                           const Factors<kCodeKinds[kKind].parts>& factors,
                                           const int (&upper)[kCodeKinds[kKind].parts][4],
                                           const int (&lower)[kCodeKinds[kKind].parts][4],
                                           float& sum) {
    constexpr int kParts = kCodeKinds[kKind].parts;
    constexpr int kPlace = 2 * kHalf + kColumn;
    const int halves[2] = {x.sums[2 * group32], x.sums[2 * group32 + 1]};
    int dots[kParts];
    dots[0] = kTerms == 2 ? kTermBase * upper[0][kPlace] + lower[0][kPlace] : upper[0][kPlace];
    if constexpr (kParts == 2) {
        dots[1] = kTerms == 2 ? kTermBase * upper[1][kPlace] + lower[1][kPlace] : upper[1][kPlace];
    }
    sum = fmaf(x.scales[group32], groupProduct<kKind>(factors, dots, halves), sum);
}

// One group of one fragment of the weight.
template <int kKind, int kTerms>
__device__ __forceinline__ void addGroup(const WeightCodes& weight, const RoundedRows& x,
                                         const TileRows& tile, int fragment, int group, int lane,
                                         const std::uint32_t (&a)[kTerms][4], float (&sums)[4]) {
    constexpr int kParts = kCodeKinds[kKind].parts;
    const int firstRow = fragment * kFragmentRows;
    const std::int64_t index =
        static_cast<std::int64_t>(tile.weightRow(firstRow + lane / 4)) * weight.groups + group;
    const std::uint32_t b[2] = {codeWordAt<kKind>(weight, index, lane % 4),
                                codeWordAt<kKind>(weight, index, lane % 4 + 4)};
    int upper[kParts][4] = {};
    addDots<kParts>(a[0], b, upper);
    int lower[kParts][4] = {};
    if constexpr (kTerms == 2) {
        addDots<kParts>(a[1], b, lower);
    }
    const std::int64_t first = tile.row(lane / 4) * weight.groups + group;
    const std::int64_t second = tile.row(lane / 4 + 8) * weight.groups + group;
    const int column = firstRow + 2 * (lane % 4);
    const Factors<kParts> left = factorsAt<kKind>(weight, tile.weightRow(column), group);
    addElement<kKind, kTerms, 0, 0>(x, first, left, upper, lower, sums[0]);
    addElement<kKind, kTerms, 0, 1>(x, second, left, upper, lower, sums[2]);
    const Factors<kParts> right = factorsAt<kKind>(weight, tile.weightRow(column + 1), group);
    addElement<kKind, kTerms, 1, 0>(x, first, right, upper, lower, sums[1]);
    addElement<kKind, kTerms, 1, 1>(x, second, right, upper, lower, sums[3]);
}

// All fragments of one group, whose sums are of one chain.
template <int kKind, int kTerms>
__device__ __forceinline__ void addChain(const WeightCodes& weight, const RoundedRows& x,
                                         const TileRows& tile, int group, int lane,
                                         float (&sums)[kFragments][4]) {
    static_assert(kFragments == 2, "both are named");
    if (group >= weight.groups) {
        return; // for all lanes
    }
    std::uint32_t a[kTerms][4];
    loadRows(x, tile, group, 0, lane, a[0]);
    if constexpr (kTerms == 2) {
        loadRows(x, tile, group, 1, lane, a[1]);
    }
    addGroup<kKind, kTerms>(weight, x, tile, 0, group, lane, a, sums[0]);
    addGroup<kKind, kTerms>(weight, x, tile, 1, group, lane, a, sums[1]);
}

// A block is kTileWeightRows rows of a weight with the rows of a unit; a warp takes every eighth
// group of columns. Shared: 8 KiB of sums. Reads the weight's rows and the unit's rows once.
template <int kKind, int kTerms>
__global__ void __launch_bounds__(kThreads, 1)
    multiplyTile(const CodePart* parts, const ProductUnit* units, RoundedRows x) {
    SharedCarver carver;
    const Shared<float> shared = carver.take<float>(kWarps * kThreads);
    const ProductUnit unit = units[blockIdx.y];
    const CodePart& part = parts[unit.part];
    const WeightCodes& weight = part.weight;
    const TileRows tile{.firstRow = part.firstRow + unit.firstRow,
                        .rows = unit.rows,
                        .firstWeightRow = static_cast<std::int32_t>(blockIdx.x) * kTileWeightRows,
                        .weightRows = weight.rows};
    if (tile.firstWeightRow >= weight.rows) {
        return; // the whole block: another weight of the launch has more rows
    }
    const int lane = static_cast<int>(threadIdx.x % kWarpLanes);
    const int warp = static_cast<int>(threadIdx.x / kWarpLanes);
    float sums[kChains][kFragments][4] = {};
    for (int base = 0; base < weight.groups; base += kWarpLanes) {
        const int group = base + warp;
        addChain<kKind, kTerms>(weight, x, tile, group, lane, sums[0]);
        addChain<kKind, kTerms>(weight, x, tile, group + kWarps, lane, sums[1]);
        addChain<kKind, kTerms>(weight, x, tile, group + 2 * kWarps, lane, sums[2]);
        addChain<kKind, kTerms>(weight, x, tile, group + 3 * kWarps, lane, sums[3]);
    }
    // Chains 16 apart, then 8 apart, lie in one warp; what is left is added below.
    for (int fragment = 0; fragment < kFragments; ++fragment) {
        for (int i = 0; i < 4; ++i) {
            const float sum = (sums[0][fragment][i] + sums[2][fragment][i]) +
                              (sums[1][fragment][i] + sums[3][fragment][i]);
            const int row = lane / 4 + 8 * (i / 2);
            const int column = fragment * kFragmentRows + 2 * (lane % 4) + i % 2;
            shared[static_cast<unsigned>(warp * kThreads + row * kTileWeightRows + column)] = sum;
        }
    }
    __syncthreads();
    float left[kWarps];
    for (int i = 0; i < kWarps; ++i) {
        left[i] = shared[static_cast<unsigned>(i * kThreads) + threadIdx.x];
    }
    for (int distance = kWarps / 2; distance > 0; distance /= 2) {
        for (int i = 0; i < distance; ++i) {
            left[i] += left[i + distance];
        }
    }
    const int row = static_cast<int>(threadIdx.x) / kTileWeightRows;
    const std::int32_t weightRow =
        tile.firstWeightRow + static_cast<std::int32_t>(threadIdx.x) % kTileWeightRows;
    if (row < unit.rows && weightRow < weight.rows) {
        part.out[(unit.firstRow + row) * part.outStride + weightRow] = left[0];
    }
}

using Kernel = void (*)(const CodePart*, const ProductUnit*, RoundedRows);
using Kernels = std::array<Kernel, 2>; // by terms

template <int... kKinds>
std::array<Kernels, sizeof...(kKinds)> allKernels(std::integer_sequence<int, kKinds...>) {
    return {Kernels{multiplyTile<kKinds, 1>, multiplyTile<kKinds, 2>}...};
}

} // namespace

void multiplyCodeTiles(Call& call, int codeKind, int terms, const ProductLaunch<CodePart>& product,
                       const RoundedRows& rows) {
    const auto kernels = allKernels(std::make_integer_sequence<int, kCodeKindCount>());
    call.start(kernels[static_cast<std::size_t>(codeKind)][static_cast<std::size_t>(terms - 1)],
               {.grid = dim3(static_cast<unsigned>((product.weightRows + kTileWeightRows - 1) /
                                                   kTileWeightRows),
                             static_cast<unsigned>(product.unitCount)),
                .block = dim3(kThreads),
                .sharedBytes = SharedSize().add<float>(kWarps * kThreads).bytes()},
               product.parts, product.units, rows);
}

} // namespace kernels::cuda
