// Turning a step's queries and keys and storing its keys and values, a token at a time. Made for
// one call of CpuOps, whose workers share it.
#pragma once

#include "kernels/cpu/cpu_ops.h"

namespace kernels::cpu {

// Where rows of one kind go.
struct RowStore {
    RowStore(const View& stored, KvCoding rowCoding, std::int64_t elements, std::int64_t tail)
        : data(static_cast<std::byte*>(stored.data)),
          coding(rowCoding),
          dim(elements),
          plainTail(tail),
          rowBytes(kvRowBytes(rowCoding, elements, tail)),
          heads(stored.shape[1]),
          blockTokens(stored.shape[2]) {}

    std::byte* block(std::int64_t slot, std::int64_t head) const {
        return data + (slot / blockTokens * heads + head) * blockTokens * rowBytes;
    }
    std::byte* row(std::int64_t slot, std::int64_t head) const {
        return block(slot, head) + slot % blockTokens * rowBytes;
    }
    void put(const KernelTable& kernels, std::int64_t slot, std::int64_t head,
             const float* in) const;

    std::byte* data;
    KvCoding coding;
    std::int64_t dim, plainTail, rowBytes, heads, blockTokens;
};

// Throws std::invalid_argument where the arguments of ropeAndStore disagree.
void checkTokenStore(const View& q, const View& k, const View& v, const RopeSpec& rope,
                     std::span<const std::int32_t> positions, const KvSlots& slots,
                     const KvLayer& kv);

class CpuOps::TokenStore {
public:
    // Of checked arguments.
    TokenStore(CpuOps& ops, View q, View k, View v, const RopeSpec& rope,
               std::span<const std::int32_t> positions, const KvSlots& slots, const KvLayer& kv);

    void put(std::int64_t token) const;
    // Begins to fetch what put(token) will write to.
    void askFor(std::int64_t token) const;
    std::int64_t rowElements() const {
        return m_heads * m_dim + m_kvHeads * (m_keyDim + m_valueDim);
    }

private:
    void turnHeads(float* first, std::int64_t count, std::int64_t length, std::int64_t token) const;
    void spreadHeads(float* first, std::int64_t count, std::int64_t length, float factor) const;

    const KernelTable& m_kernels;
    View m_q, m_k, m_v;
    std::int64_t m_heads, m_dim, m_kvHeads, m_keyDim, m_valueDim;
    RopePlace m_place;
    int m_width;
    void (*m_turn)(float* head, const float* cosines, const float* sines, int width);
    const RopeTable& m_table;
    bool m_spreadsKeys;
    RowStore m_keys, m_values;
    std::span<const std::int32_t> m_keySlots, m_slots;
};

} // namespace kernels::cpu
