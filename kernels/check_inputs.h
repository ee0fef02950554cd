// Random inputs of the operator checks, reproducible from a seed on every platform. CPU memory; one
// thread.
#pragma once

#include "kernels/ops.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kernels::check {

class Inputs {
public:
    explicit Inputs(std::uint64_t seed) : m_state(seed) {}

    std::uint64_t bits(); // SplitMix64, Steele et al. 2014
    double uniform();     // [0, 1)
    float normal();       // mean 0, deviation 1

    Buffer normal(Shape shape, float deviation);
    // Normal numbers whose groups differ in size, with a row and a group of zeros and an outlier.
    Buffer activations(Shape shape);
    // Whole blocks of a format: random codes with scales that give values of about 1.
    Buffer weights(Format format, Shape shape);
    // F32 that no operator may leave behind: NaN.
    Buffer poisoned(Shape shape);
    Buffer copy(const Buffer& source);

private:
    void fillScales(Format format, std::byte* block);

    std::uint64_t m_state;
};

// Keys and values of one layer, [blocks, kvHeads, blockTokens, dim], or keys alone.
class Cache {
public:
    Cache(Ops& ops, Inputs& inputs, std::int64_t blocks, std::int64_t kvHeads,
          std::int64_t blockTokens, std::int64_t dim);
    // valueDim 0: values are the first elements of keys.
    Cache(Ops& ops, Inputs& inputs, std::int64_t blocks, std::int64_t kvHeads,
          std::int64_t blockTokens, std::int64_t keyDim, std::int64_t valueDim);

    KvLayer layer() const { return {m_keys.view(), m_values.view()}; }
    // What it was filled with, in the CPU's memory.
    KvLayer filledLayer() const { return {m_filledKeys.view(), m_filledValues.view()}; }
    void fill(Inputs& inputs);
    // The stored rows [slots, kvHeads, dim].
    std::vector<float> rowsAt(const View& stored, std::span<const std::int32_t> slots) const;

private:
    Ops& m_ops;
    Buffer m_keys, m_filledKeys;
    Buffer m_values, m_filledValues;
};

// A long decode, a short decode, a prefill in the middle of a sequence and one from its start, over
// blocks in shuffled order.
class AttentionCase {
public:
    AttentionCase(Ops& ops, Inputs& inputs, std::int64_t heads, std::int64_t kvHeads,
                  std::int64_t dim, std::int64_t blockTokens);
    AttentionCase(Ops& ops, Inputs& inputs, std::int64_t heads, std::int64_t kvHeads,
                  std::int64_t keyDim, std::int64_t valueDim, std::int64_t blockTokens);

    View q() const { return m_q.view(); }
    KvLayer layer() const { return m_cache.layer(); }
    KvLayer filledLayer() const { return m_cache.filledLayer(); }
    AttentionBatch batch() const { return {m_slices, m_blocks}; }
    std::int64_t longest() const;

private:
    std::vector<AttentionSlice> m_slices;
    std::vector<BlockRef> m_blocks;
    Cache m_cache;
    Buffer m_q;
};

} // namespace kernels::check
