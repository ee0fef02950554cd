// Rounding of activations to one or two INT8 terms.
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/products.h"
#include "kernels/cuda/warp.cuh"

namespace kernels::cuda {

namespace {

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / kWarpLanes;
// Smaller groups round to zero: their scale would be subnormal and its inverse infinite.
constexpr float kSmallestMagnitude = 1e-30F;
constexpr float kCodeSteps = 127.0F;

struct RoundedOut {
    std::int8_t* codes;
    float* scales;
    std::int32_t* sums;
    std::int64_t rows;
};

// A block is a row, a warp every fourth group of 32 columns, a lane a column. Reads a row of F32,
// writes kTerms bytes a column and 12 a group.
template <int kTerms>
__global__ void __launch_bounds__(kThreads)
    roundGroups(SourceRows in, std::int32_t columns, RoundedOut out) {
    const std::int64_t row = blockIdx.x;
    const std::int64_t source = in.sources == nullptr ? row : in.sources[row];
    const int lane = static_cast<int>(threadIdx.x % kWarpLanes);
    const int groups = columns / kGroupColumns;
    constexpr float kSteps = kTerms == 2 ? kCodeSteps * kTermBase : kCodeSteps;
    for (int group = static_cast<int>(threadIdx.x / kWarpLanes); group < groups; group += kWarps) {
        const int column = group * kGroupColumns + lane;
        const float x = in.x[source * in.stride + column];
        const float largest = warpLargest(fabsf(x));
        const bool isZero = largest < kSmallestMagnitude;
        // A NaN or an infinity makes the scale one, so that the products of the row show it.
        const bool isFinite = largest <= 3.402823466e38F;
        const float inverse = isZero || !isFinite ? 0.0F : kSteps / largest;
        const float whole = isFinite ? rintf(x * inverse) : 0.0F;
        int upper = static_cast<int>(whole);
        int sum = upper;
        const std::int64_t at = row * columns + column;
        if constexpr (kTerms == 2) {
            upper = static_cast<int>(rintf(whole * (1.0F / kTermBase)));
            out.codes[out.rows * columns + at] = static_cast<std::int8_t>(sum - kTermBase * upper);
        }
        out.codes[at] = static_cast<std::int8_t>(upper);
        sum = halfWarpSum(sum);
        if (lane % 16 == 0) {
            out.sums[2 * (row * groups + group) + lane / 16] = sum;
        }
        if (lane == 0) {
            out.scales[row * groups + group] = isZero ? 0.0F : largest / kSteps;
        }
    }
}

} // namespace

RoundedRows roundRows(Call& call, const SourceRows& rows, std::int32_t columns, int terms) {
    const auto elements = static_cast<std::size_t>(rows.rows * columns);
    const std::size_t groups = elements / kGroupColumns;
    const RoundedOut out{
        .codes = call.arena().take<std::int8_t>(elements * static_cast<std::size_t>(terms)),
        .scales = call.arena().take<float>(groups),
        .sums = call.arena().take<std::int32_t>(2 * groups),
        .rows = rows.rows};
    call.start(terms == 2 ? roundGroups<2> : roundGroups<1>,
               {.grid = dim3(static_cast<unsigned>(rows.rows)), .block = dim3(kThreads)}, rows,
               columns, out);
    return {.codes = out.codes,
            .scales = out.scales,
            .sums = out.sums,
            .rows = rows.rows,
            .columns = columns};
}

} // namespace kernels::cuda
