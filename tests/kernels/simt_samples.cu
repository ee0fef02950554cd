// Kernels whose faults the executor must find. They compile under nvcc as well; started on a real
// device, most faults would go unnoticed.
#include "kernels/cuda/device_intrinsics.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/shared.cuh"
#include "tests/kernels/simt_samples.h"

namespace tests {

using kernels::kFullWarp;
using kernels::launch;
using kernels::LaunchShape;
using kernels::Shared;
using kernels::SharedCarver;
using kernels::SharedSize;

namespace {

// A block: 128 values. Shared: 128 floats.
__global__ void __launch_bounds__(kBlockThreads)
    sumBlocksKernel(const float* in, float* out, int n, Fault fault) {
    SharedCarver carver;
    Shared<float> tree = carver.take<float>(kBlockThreads);
    const int i = static_cast<int>(blockIdx.x) * kBlockThreads + static_cast<int>(threadIdx.x);
    if (fault == Fault::EarlyExit && i >= n) {
        return;
    }
    if (fault == Fault::MissingBarrier) { // not found as a read of what nobody wrote
        tree[threadIdx.x] = 0.0F;
        __syncthreads();
    }
    if (fault != Fault::UninitialisedShared || i < n) {
        tree[threadIdx.x] = i < n ? in[i] : 0.0F;
    }
    if (fault != Fault::MissingBarrier) {
        __syncthreads();
    }
    for (unsigned half = kBlockThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            const float other = tree[threadIdx.x + half];
            tree[threadIdx.x] += other;
            if (fault == Fault::DivergentBarrier) {
                __syncthreads();
            }
        }
        if (fault != Fault::DivergentBarrier || threadIdx.x >= half) {
            __syncthreads();
        }
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = tree[0];
    }
}

__global__ void __launch_bounds__(kBlockThreads)
    sumWarpsKernel(const float* in, float* out, int n, Fault fault) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const unsigned mask = fault == Fault::WrongLaneMask ? 0x0000FFFFU : kFullWarp;
    float sum = i < n ? in[i] : 0.0F;
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(mask, sum, distance);
    }
    if (i % 32 == 0) {
        out[i / 32] = sum;
    }
}

constexpr unsigned kTile = 16;

// A block: one tile of c. Shared: a tile of a and one of b.
__global__ void __launch_bounds__(256) multiplyTilesKernel(const float* a, const float* b, float* c,
                                                           int m, int n, int k, Fault fault) {
    SharedCarver carver;
    Shared<float> left = carver.take<float>(kTile * kTile);
    Shared<float> right = carver.take<float>(kTile * kTile);
    const int row = static_cast<int>(blockIdx.y * kTile + threadIdx.y);
    const int column = static_cast<int>(blockIdx.x * kTile + threadIdx.x);
    float sum = 0.0F;
    for (int begin = 0; begin < k; begin += static_cast<int>(kTile)) {
        const int ofA = begin + static_cast<int>(threadIdx.x);
        const int ofB = begin + static_cast<int>(threadIdx.y);
        const unsigned at = threadIdx.y * kTile + threadIdx.x;
        left[fault == Fault::OffByOneShared ? at + 1 : at] =
            row < m && ofA < k ? a[row * k + ofA] : 0.0F;
        right[at] = ofB < k && column < n ? b[ofB * n + column] : 0.0F;
        __syncthreads();
        for (unsigned i = 0; i < kTile; ++i) {
            sum += left[threadIdx.y * kTile + i] * right[i * kTile + threadIdx.x];
        }
        if (fault != Fault::MissingSecondBarrier) {
            __syncthreads();
        }
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}

__global__ void __launch_bounds__(kBlockThreads)
    copyThroughKernel(const float* in, float* out, int n, Fault fault) {
    SharedCarver carver;
    Shared<float> tile = carver.take<float>(kBlockThreads * 4);
    const unsigned first = blockIdx.x * kBlockThreads * 4;
    const unsigned mine = threadIdx.x * 4;
    const bool isMine = static_cast<int>(first + mine) < n;
    if (isMine) {
        kernels::copyAsync16(tile + mine, in + first + mine);
    }
    kernels::commitCopies();
    if (fault == Fault::LeftCopy) {
        return;
    }
    if (fault != Fault::MissingCopyWait) {
        kernels::waitCopies<0>();
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < kBlockThreads * 4; i += kBlockThreads) {
        if (static_cast<int>(first + i) < n) {
            out[first + i] = tile[i];
        }
    }
}

__global__ void __launch_bounds__(kBlockThreads)
    reverseWarpsKernel(const float* in, float* out, int n, Fault fault) {
    SharedCarver carver;
    Shared<float> values = carver.take<float>(kBlockThreads);
    const int i = static_cast<int>(blockIdx.x * kBlockThreads + threadIdx.x);
    values[threadIdx.x] = 0.0F;
    __syncthreads();
    values[threadIdx.x] = i < n ? in[i] : 0.0F;
    if (fault != Fault::MissingWarpBarrier) {
        __syncwarp();
    }
    const float other = values[threadIdx.x ^ 31U];
    if (i < n) {
        out[i] = other;
    }
}

__global__ void countValuesKernel(const std::uint32_t* values, std::uint32_t* counts, int n) {
    SharedCarver carver;
    Shared<std::uint32_t> local = carver.take<std::uint32_t>(16);
    if (threadIdx.x < 16) {
        local[threadIdx.x] = 0;
    }
    __syncthreads();
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) {
        atomicAdd(&local[values[i] % 16], 1U);
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
    }
}

__device__ float deep(volatile float* value, int depth) {
    volatile float mine[64];
    mine[depth % 64] = *value;
    return depth == 0 ? mine[0] : deep(mine, depth - 1) + mine[depth % 64];
}

__global__ void misbehaveKernel(float* out, int n, Fault fault) {
    SharedCarver carver;
    Shared<float> some = carver.take<float>(32);
    const unsigned i = threadIdx.x;
    some[i] = 1.0F;
    switch (fault) {
    case Fault::PastRedzone:
        some.unchecked()[32] = 1.0F;
        break;
    case Fault::GlobalOutOfBounds:
        out[i] = out[static_cast<unsigned>(n) + 4096 + i];
        break;
    case Fault::GlobalWriteBehind:
        out[static_cast<unsigned>(n)] = 1.0F;
        break;
    case Fault::MisalignedVector:
        kernels::storeVector(out + 1, make_float4(1.0F, 2.0F, 3.0F, 4.0F));
        break;
    case Fault::TooMuchShared:
        carver.take<float>(1);
        break;
    case Fault::OneLaneMissing:
        if (i != 7) {
            out[i] = __shfl_sync(kFullWarp, 1.0F, 0);
        }
        __syncwarp();
        break;
    case Fault::Deadlock:
        if (i == 7) {
            __syncthreads();
        }
        __syncwarp();
        break;
    case Fault::DifferentCarving: {
        SharedCarver other;
        other.take<float>(i < 16 ? 32 : 31);
        break;
    }
    case Fault::Recursion: {
        volatile float value = 1.0F;
        out[i] = deep(&value, 10'000'000);
        break;
    }
    case Fault::Trap:
        __trap();
        break;
    default:
        break;
    }
}

__global__ void passBarriersKernel(int rounds) {
    for (int round = 0; round < rounds; ++round) {
        __syncthreads();
    }
}

__global__ void multiplyFragmentsKernel(ProductCase product, Product kind) {
    std::uint32_t a[4], b[2];
    for (unsigned i = 0; i < 4; ++i) {
        a[i] = product.a[threadIdx.x * 4 + i];
    }
    for (unsigned i = 0; i < 2; ++i) {
        b[i] = product.b[threadIdx.x * 2 + i];
    }
    if (kind == Product::Int8) {
        int d[4];
        int* const out = static_cast<int*>(product.d) + threadIdx.x * 4;
        for (unsigned i = 0; i < 4; ++i) {
            d[i] = out[i];
        }
        kernels::multiplyInt8(d, a, b);
        for (unsigned i = 0; i < 4; ++i) {
            out[i] = d[i];
        }
        return;
    }
    float d[4];
    float* const out = static_cast<float*>(product.d) + threadIdx.x * 4;
    for (unsigned i = 0; i < 4; ++i) {
        d[i] = out[i];
    }
    if (kind == Product::Half) {
        kernels::multiplyHalf(d, a, b);
    } else if (kind == Product::Brain) {
        kernels::multiplyBrain(d, a, b);
    } else {
        kernels::multiplyE4M3(d, a, b);
    }
    for (unsigned i = 0; i < 4; ++i) {
        out[i] = d[i];
    }
}

__global__ void loadMatricesKernel(const std::uint16_t* rows, std::uint32_t* out,
                                   bool isTransposed) {
    SharedCarver carver;
    Shared<std::uint16_t> tile = carver.take<std::uint16_t>(32 * 8);
    for (unsigned i = 0; i < 8; ++i) {
        tile[threadIdx.x * 8 + i] = rows[threadIdx.x * 8 + i];
    }
    __syncwarp();
    std::uint32_t r[4];
    if (isTransposed) {
        kernels::loadMatrix4Transposed(r, tile + threadIdx.x * 8);
    } else {
        kernels::loadMatrix4(r, tile + threadIdx.x * 8);
    }
    for (unsigned i = 0; i < 4; ++i) {
        out[threadIdx.x * 4 + i] = r[i];
    }
}

__global__ void convertKernel(const float* in, float* halves, float* brains, float* codes, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) {
        halves[i] = kernels::float32FromHalf(kernels::halfFromFloat32(in[i]));
        brains[i] = kernels::float32FromBrain(kernels::brainFromFloat32(in[i]));
        codes[i] = kernels::float32FromE4M3(kernels::e4m3FromFloat32(in[i]));
    }
}

__global__ void approximateKernel(const float* in, float* powers, float* roots, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) {
        powers[i] = kernels::exp2Approximate(in[i]);
        roots[i] = kernels::inverseSqrtApproximate(in[i]);
    }
}

__global__ void shuffleLanesKernel(int argument, int width, unsigned mask, int* out) {
    const int lane = static_cast<int>(threadIdx.x);
    if ((mask >> lane & 1U) == 0) {
        return;
    }
    const auto delta = static_cast<unsigned>(argument);
    out[lane] = __shfl_sync(mask, lane, argument, width);
    out[32 + lane] = __shfl_up_sync(mask, lane, delta, width);
    out[64 + lane] = __shfl_down_sync(mask, lane, delta, width);
    out[96 + lane] = __shfl_xor_sync(mask, lane, argument, width);
}

__global__ void voteLanesKernel(const int* values, unsigned* out) {
    const int value = values[threadIdx.x];
    const unsigned results[] = {__ballot_sync(kFullWarp, value),
                                static_cast<unsigned>(__any_sync(kFullWarp, value)),
                                static_cast<unsigned>(__all_sync(kFullWarp, value)),
                                static_cast<unsigned>(__reduce_add_sync(kFullWarp, value)),
                                static_cast<unsigned>(__reduce_min_sync(kFullWarp, value)),
                                static_cast<unsigned>(__reduce_max_sync(kFullWarp, value)),
                                __reduce_and_sync(kFullWarp, static_cast<unsigned>(value)),
                                __reduce_or_sync(kFullWarp, static_cast<unsigned>(value)),
                                __reduce_xor_sync(kFullWarp, static_cast<unsigned>(value))};
    if (threadIdx.x == 31) {
        for (unsigned i = 0; i < 9; ++i) {
            out[i] = results[i];
        }
    }
}

__global__ void dotProductsKernel(const int* a, const int* b, int* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) {
        out[i] = kernels::dotProduct4(a[i], b[i], i);
    }
}

LaunchShape lineOf(int n, int threads, std::size_t sharedBytes = 0) {
    return {dim3(static_cast<unsigned>((n + threads - 1) / threads)),
            dim3(static_cast<unsigned>(threads)), sharedBytes};
}

constexpr LaunchShape oneWarp(std::size_t sharedBytes = 0) {
    return {dim3(1), dim3(32), sharedBytes};
}

} // namespace

void sumBlocks(const float* in, float* out, int n, Fault fault, cudaStream_t stream) {
    const auto shape = lineOf(n, kBlockThreads, SharedSize().add<float>(kBlockThreads).bytes());
    launch(sumBlocksKernel, shape, stream, in, out, n, fault);
}

void sumWarps(const float* in, float* out, int n, Fault fault, cudaStream_t stream) {
    launch(sumWarpsKernel, lineOf(n, 64), stream, in, out, n, fault);
}

void multiplyTiles(const float* a, const float* b, float* c, int m, int n, int k, Fault fault,
                   cudaStream_t stream) {
    const auto tiles = [](int length) {
        return (static_cast<unsigned>(length) + kTile - 1) / kTile;
    };
    const LaunchShape shape{
        dim3(tiles(n), tiles(m)), dim3(kTile, kTile),
        SharedSize().add<float>(kTile * kTile).add<float>(kTile * kTile).bytes()};
    launch(multiplyTilesKernel, shape, stream, a, b, c, m, n, k, fault);
}

void copyThrough(const float* in, float* out, int n, Fault fault, cudaStream_t stream) {
    const auto shape =
        lineOf(n, kBlockThreads * 4, SharedSize().add<float>(kBlockThreads * 4).bytes());
    launch(copyThroughKernel, LaunchShape{shape.grid, dim3(kBlockThreads), shape.sharedBytes},
           stream, in, out, n, fault);
}

void reverseWarps(const float* in, float* out, int n, Fault fault, cudaStream_t stream) {
    const auto shape = lineOf(n, kBlockThreads, SharedSize().add<float>(kBlockThreads).bytes());
    launch(reverseWarpsKernel, shape, stream, in, out, n, fault);
}

void countValues(const std::uint32_t* values, std::uint32_t* counts, int n, cudaStream_t stream) {
    const auto shape = lineOf(n, 96, SharedSize().add<std::uint32_t>(16).bytes());
    launch(countValuesKernel, shape, stream, values, counts, n);
}

void misbehave(float* out, int n, Fault fault, cudaStream_t stream) {
    launch(misbehaveKernel, oneWarp(SharedSize().add<float>(32).bytes()), stream, out, n, fault);
}

void passBarriers(int threads, int rounds, cudaStream_t stream) {
    launch(passBarriersKernel, LaunchShape{dim3(1), dim3(static_cast<unsigned>(threads))}, stream,
           rounds);
}

void multiplyFragments(const ProductCase& product, Product kind, cudaStream_t stream) {
    launch(multiplyFragmentsKernel, oneWarp(), stream, product, kind);
}

void loadMatrices(const std::uint16_t* rows, std::uint32_t* out, bool isTransposed,
                  cudaStream_t stream) {
    launch(loadMatricesKernel, oneWarp(SharedSize().add<std::uint16_t>(256).bytes()), stream, rows,
           out, isTransposed);
}

void convert(const float* in, float* halves, float* brains, float* codes, int n,
             cudaStream_t stream) {
    launch(convertKernel, lineOf(n, 256), stream, in, halves, brains, codes, n);
}

void approximate(const float* in, float* powers, float* roots, int n, cudaStream_t stream) {
    launch(approximateKernel, lineOf(n, 256), stream, in, powers, roots, n);
}

void shuffleLanes(int argument, int width, unsigned mask, int* out, cudaStream_t stream) {
    launch(shuffleLanesKernel, oneWarp(), stream, argument, width, mask, out);
}

void voteLanes(const int* values, unsigned* out, cudaStream_t stream) {
    launch(voteLanesKernel, oneWarp(), stream, values, out);
}

void dotProducts(const int* a, const int* b, int* out, int n, cudaStream_t stream) {
    launch(dotProductsKernel, lineOf(n, 64), stream, a, b, out, n);
}

} // namespace tests
