// The product of a weight's tiles with rows of activations, for one worker: block by block where
// the rows are few; else a few tiles are expanded once, piece by piece of K, each small enough for
// L1, and all rows pass by. Both give the same bits. Plain data, for one worker at a time.
#pragma once

#include "kernels/cpu/activations.h"
#include "kernels/cpu/cpu_weight.h"
#include "kernels/cpu/kernel_table.h"

namespace kernels::cpu {

constexpr std::int64_t dividedUp(std::int64_t n, std::int64_t by) {
    return (n + by - 1) / by;
}

struct TileProduct {
    const KernelTable& kernels;
    const CpuWeight& weight;
    const Activations* activations; // nullptr for plain numbers
    std::int64_t firstBlock;        // of the activations
    const float* x;                 // plain numbers: the first row
    std::int64_t tokens;
    float* out; // the first row's
    std::int64_t outStride;
    std::byte* memory; // memoryBytes(...), 64-byte aligned; nullptr where that is 0

    // Whether so many tokens pay for expanding, where the instruction set can. terms: of the
    // activations; 0: plain numbers.
    static bool isWide(const KernelTable& kernels, int terms, std::int64_t tokens);
    static std::size_t memoryBytes(const KernelTable& kernels, const CpuWeight& weight, int terms,
                                   std::int64_t tokens);

    // Tiles [first, end); whole kWideTiles of them are the fastest where the product is wide.
    void run(std::int64_t first, std::int64_t end) const;

private:
    int terms() const { return activations == nullptr ? 0 : activations->terms(); }
    int rowsPerToken() const { return activations == nullptr ? 1 : activations->terms(); }
    void runNarrow(std::int64_t first, std::int64_t last) const;
    void runWide(std::int64_t first, std::int64_t last) const;
};

} // namespace kernels::cpu
