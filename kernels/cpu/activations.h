// Activations of one product rounded to INT8, laid out for the tile kernels: blocks of eight rows,
// interleaved a group of 32 columns. Owned by CpuOps, memory is kept between products.
#pragma once

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/tile_traits.h"
#include "kernels/tensor.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace kernels {
class ThreadPool;
}

namespace kernels::cpu {

// Rows that come about right before they are rounded: a borrowed callable that makes row `token` of
// what is rounded, in its place; several workers call it.
class RowMaker {
public:
    RowMaker() = default;
    template <class F>
    RowMaker(const F& f) // NOLINT: implicit by design, call sites pass lambdas
        : m_object(&f),
          m_call([](const void* o, std::int64_t token) { (*static_cast<const F*>(o))(token); }) {}
    explicit operator bool() const { return m_call != nullptr; }
    void operator()(std::int64_t token) const { m_call(m_object, token); }

private:
    const void* m_object = nullptr;
    void (*m_call)(const void*, std::int64_t) = nullptr;
};

class Activations {
public:
    // terms: 1 rounds to 8 bits, 2 to two INT8 terms, rows 2t and 2t + 1 of token t.
    explicit Activations(int terms) : m_terms(terms) {}

    // Begins a product of [tokens, columns]; forgets what the last one needed.
    void begin(std::int64_t tokens, std::int64_t columns) { begin({&tokens, 1}, columns); }
    // The same for groups of tokens that are multiplied apart: no block holds rows of two.
    void begin(std::span<const std::int64_t> groups, std::int64_t columns);
    // Tells that weights of this kind will ask for blocks.
    void require(const KernelTable& kernels, TileTraits kind);
    bool isRequired() const { return m_isRequired; }
    // Rounds all rows of x, [tokens][columns].
    void round(const KernelTable& kernels, const float* x, ThreadPool& pool, RowMaker make = {});

    int terms() const { return m_terms; }
    // Index of a group's first block; its others follow.
    std::int64_t firstBlock(std::size_t group) const { return m_firstBlocks[group]; }
    // Up to 8 rows for weights of a kind that was required.
    ActivationBlock block(const KernelTable& kernels, TileTraits kind, std::int64_t index) const;

private:
    struct Bias {
        std::int32_t bias = 0;
        int parts = 1;
        std::int32_t* values = nullptr;
    };

    void layOut();
    QuantisedRow rowAt(std::int64_t row) const;
    std::int64_t firstRowOf(std::int64_t block) const {
        return m_firstRows[static_cast<std::size_t>(block)];
    }
    int widthOf(std::int64_t block) const {
        return static_cast<int>(firstRowOf(block + 1) - firstRowOf(block));
    }

    int m_terms;
    std::int64_t m_rows = 0; // tokens * terms
    std::int64_t m_columns = 0;
    std::int64_t m_groups = 0;
    std::vector<std::int64_t> m_firstBlocks; // of the groups
    std::vector<std::int64_t> m_firstRows;   // of the blocks, and the end
    std::vector<std::int32_t> m_blocks;      // of the rows
    bool m_isRequired = false;
    bool m_needsSums32 = false;
    bool m_needsSums16 = false;
    std::array<Bias, kMaxBiasTargets> m_biases{};
    int m_biasCount = 0;

    Buffer m_memory;
    std::int8_t* m_codes = nullptr;
    float* m_scales = nullptr;
    float* m_sums32 = nullptr;
    float* m_sums16 = nullptr;
};

} // namespace kernels::cpu
