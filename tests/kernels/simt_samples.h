// Small kernels for the tests of the SIMT executor: right ones, and ones with one planted fault
// each.
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

namespace tests {

// What a sample does wrong.
enum class Fault {
    None,
    MissingBarrier,
    MissingSecondBarrier, // of the loop: a fast warp overwrites what a slow one still reads
    OffByOneShared,       // writes one element behind an array
    PastRedzone,          // the same through a plain pointer
    WrongLaneMask,        // half of the lanes are not in it
    MissingCopyWait,
    LeftCopy,         // the thread ends before its copy has landed
    DivergentBarrier, // two halves of a block wait at two barriers
    EarlyExit,
    UninitialisedShared,
    GlobalOutOfBounds, // reads behind an allocation
    GlobalWriteBehind, // writes into the slack of its last page
    HostPointer,
    MisalignedVector,
    MissingWarpBarrier,
    TooMuchShared,    // carves more than the launch asked for
    OneLaneMissing,   // a shuffle that lane 7 does not come to
    Deadlock,         // one lane waits at a barrier, the others for that lane
    DifferentCarving, // half of the threads carve another length
    Recursion,        // until the stack is full
    Trap,
};

constexpr int kBlockThreads = 128;

// out[block] = sum of in[block * 128 ..] up to n, over a tree in shared memory.
void sumBlocks(const float* in, float* out, int n, Fault fault, cudaStream_t stream);
// out[warp] = sum of the 32 values of a warp, by shuffles.
void sumWarps(const float* in, float* out, int n, Fault fault, cudaStream_t stream);
// c[m,n] = a[m,k] b[k,n] in tiles of 16 by 16.
void multiplyTiles(const float* a, const float* b, float* c, int m, int n, int k, Fault fault,
                   cudaStream_t stream);
// out[i] = in[i], through asynchronous copies into shared memory. n a multiple of 4.
void copyThrough(const float* in, float* out, int n, Fault fault, cudaStream_t stream);
// out[32 warp + i] = in[32 warp + 31 - i]: a warp's lanes exchange through shared memory.
void reverseWarps(const float* in, float* out, int n, Fault fault, cudaStream_t stream);
// counts[value % 16] += 1 for every value, in shared memory first.
void countValues(const std::uint32_t* values, std::uint32_t* counts, int n, cudaStream_t stream);
// Faults that need no computation around them. out: one float a thread.
void misbehave(float* out, int n, Fault fault, cudaStream_t stream);
// Passes `rounds` barriers with one block of `threads` threads.
void passBarriers(int threads, int rounds, cudaStream_t stream);

// One warp, every intrinsic: each pointer is an array of one entry a lane and register.
struct ProductCase {
    const std::uint32_t* a = nullptr; // [32][4]
    const std::uint32_t* b = nullptr; // [32][2]
    void* d = nullptr;                // [32][4] float or int, added to
};
enum class Product { Half, Brain, Int8, E4M3 };
void multiplyFragments(const ProductCase& product, Product kind, cudaStream_t stream);
// rows: [32][8] 16-bit elements, out: [32][4] registers.
void loadMatrices(const std::uint16_t* rows, std::uint32_t* out, bool isTransposed,
                  cudaStream_t stream);
// out[0..n): halves, then brain floats, then E4M3 codes of in, each as its float again.
void convert(const float* in, float* halves, float* brains, float* codes, int n,
             cudaStream_t stream);
void approximate(const float* in, float* powers, float* roots, int n, cudaStream_t stream);
// out[kind][lane] of shuffles of the lane number: index, up, down and xor by `argument` in `width`.
void shuffleLanes(int argument, int width, unsigned mask, int* out, cudaStream_t stream);
// out: ballot, any, all, add, min, max, and, or, xor of value[lane].
void voteLanes(const int* values, unsigned* out, cudaStream_t stream);
void dotProducts(const int* a, const int* b, int* out, int n, cudaStream_t stream);

} // namespace tests
