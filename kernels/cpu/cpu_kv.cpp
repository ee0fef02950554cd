// Rotating a step's queries and keys, and storing its keys and values as the layer keeps them.
#include "kernels/cpu/check_view.h"
#include "kernels/cpu/token_store.h"
#include "kernels/thread_pool.h"

#include <algorithm>
#include <array>

namespace kernels::cpu {

namespace {

constexpr std::int64_t kGrainElements = 4096; // as for other row work

bool isCache(const View& rows, const View& keys, KvCoding coding, std::int64_t kvHeads,
             std::int64_t dim, std::int64_t tail) {
    const bool isPlain = isPlainCoding(coding);
    const Format format = coding == KvCoding::F32 ? Format::F32
                          : isPlain               ? Format::F16
                                                  : Format::I8;
    return rows.format == format && rows.shape.rank() == 4 && rows.shape[1] == kvHeads &&
           rows.shape[2] == keys.shape[2] &&
           rows.shape[3] == (isPlain ? dim : kvRowBytes(coding, dim, tail));
}

void checkSlots(std::span<const std::int32_t> slots, const View& rows) {
    for (const std::int32_t slot : slots) {
        require(slot >= 0 && slot < rows.shape[0] * rows.shape[2],
                "ropeAndStore: a slot is outside the cache");
    }
}

} // namespace

void checkTokenStore(const View& q, const View& k, const View& v, const RopeSpec& rope,
                     std::span<const std::int32_t> positions, const KvSlots& slots,
                     const KvLayer& kv) {
    const auto width = static_cast<std::int64_t>(2 * rope.frequencies.size());
    const std::int64_t tokens = q.shape[0];
    const std::int64_t kvHeads = k.shape[1];
    const bool hasValues = v.data != nullptr;
    const bool isChannel = kv.keyCoding == KvCoding::Channel4;
    require(isF32(q) && isF32(k) && q.shape.rank() == 3 && k.shape.rank() == 3 &&
                k.shape[0] == tokens && width <= q.shape[2] && width <= k.shape[2] &&
                static_cast<std::int64_t>(positions.size()) == tokens &&
                static_cast<std::int64_t>(slots.slots.size()) == tokens &&
                (!isChannel || slots.recent.size() == slots.slots.size()),
            "ropeAndStore: q, k, positions and slots disagree");
    require(!hasValues ||
                (isF32(v) && v.shape.rank() == 3 && v.shape[0] == tokens && v.shape[1] == kvHeads),
            "ropeAndStore: v is not [tokens, kvHeads, valueDim]");
    require(
        isCache(kv.keys, kv.keys, kv.keyCoding, kvHeads, k.shape[2], kv.plainTail) &&
            hasValues == (kv.values.data != nullptr) &&
            (!hasValues || (isCache(kv.values, kv.keys, kv.valueCoding, kvHeads, v.shape[2], 0) &&
                            kv.values.shape[0] == kv.keys.shape[0])) &&
            (!isChannel || (isCache(kv.recent, kv.keys, KvCoding::F16, kvHeads, k.shape[2], 0) &&
                            kv.blockTokens() % kKvGroup == 0)) &&
            (kv.keyCoding != KvCoding::Channel16 ||
             (hasValues && kv.blockTokens() % kKvVector == 0)),
        "ropeAndStore: keys and values are [blocks, kvHeads, blockTokens, dim] as the layer "
        "codes them");
    checkSlots(slots.slots, kv.keys);
    if (!isChannel) {
        return;
    }
    checkSlots(slots.recent, kv.recent);
    for (std::size_t i = 0; i < positions.size(); ++i) {
        require(positions[i] >= 0 && positions[i] % kKvGroup == slots.slots[i] % kKvGroup &&
                    positions[i] % kKvGroup == slots.recent[i] % kKvGroup,
                "ropeAndStore: groups of 32 positions lie at groups of 32 slots");
    }
}

void RowStore::put(const KernelTable& kernels, std::int64_t slot, std::int64_t head,
                   const float* in) const {
    if (coding != KvCoding::Channel16) {
        kernels.storeKvRow(coding, in, dim, plainTail, row(slot, head));
        return;
    }
    std::array<std::uint16_t, 64> halves;
    constexpr auto kMost = static_cast<std::int64_t>(halves.size());
    auto* out = reinterpret_cast<std::uint16_t*>(block(slot, head)) + slot % blockTokens;
    for (std::int64_t first = 0; first < dim; first += kMost) {
        const std::int64_t count = std::min(kMost, dim - first);
        kernels.storeKvRow(KvCoding::F16, in + first, count, 0,
                           reinterpret_cast<std::byte*>(halves.data()));
        for (std::int64_t i = 0; i < count; ++i, out += blockTokens) {
            *out = halves[static_cast<std::size_t>(i)];
        }
    }
}

CpuOps::TokenStore::TokenStore(CpuOps& ops, View q, View k, View v, const RopeSpec& rope,
                               std::span<const std::int32_t> positions, const KvSlots& slots,
                               const KvLayer& kv)
    : m_kernels(ops.m_kernels),
      m_q(q),
      m_k(k),
      m_v(v),
      m_heads(q.shape[1]),
      m_dim(q.shape[2]),
      m_kvHeads(k.shape[1]),
      m_keyDim(k.shape[2]),
      m_valueDim(v.data != nullptr ? v.shape[2] : 0),
      m_place(rope.place),
      m_width(static_cast<int>(2 * rope.frequencies.size())),
      m_turn(rope.pairing == RopePairing::Interleaved ? m_kernels.turnInterleaved
                                                      : m_kernels.turnHalves),
      m_table(ops.m_ropeTables.find(rope, positions, ops.m_pool)),
      m_spreadsKeys(kv.spreadsKeys),
      m_keys(kv.keyCoding == KvCoding::Channel4
                 ? RowStore(kv.recent, KvCoding::F16, m_keyDim, 0)
                 : RowStore(kv.keys, kv.keyCoding, m_keyDim, kv.plainTail)),
      m_values(v.data != nullptr ? kv.values : kv.keys, kv.valueCoding, m_valueDim, 0),
      m_keySlots(kv.keyCoding == KvCoding::Channel4 ? slots.recent : slots.slots),
      m_slots(slots.slots) {}

void CpuOps::TokenStore::turnHeads(float* first, std::int64_t count, std::int64_t length,
                                   std::int64_t token) const {
    first += m_place == RopePlace::Back ? length - m_width : 0;
    for (std::int64_t head = 0; head < count; ++head) {
        m_turn(first + head * length, m_table.cosines(token), m_table.sines(token), m_width);
    }
}

void CpuOps::TokenStore::spreadHeads(float* first, std::int64_t count, std::int64_t length,
                                     float factor) const {
    for (std::int64_t head = 0; head < count; ++head) {
        m_kernels.spreadHead(first + head * length, length, factor);
    }
}

// A key that lies element by element touches a line for each of them.
void CpuOps::TokenStore::askFor(std::int64_t token) const {
    if (m_keys.coding != KvCoding::Channel16) {
        return;
    }
    const std::int64_t slot = m_keySlots[static_cast<std::size_t>(token)];
    const std::int64_t pitch =
        m_keys.blockTokens * static_cast<std::int64_t>(sizeof(std::uint16_t));
    for (std::int64_t head = 0; head < m_kvHeads; ++head) {
        const std::byte* at = m_keys.block(slot, head) + slot % m_keys.blockTokens * 2;
        for (std::int64_t i = 0; i < m_keyDim; ++i, at += pitch) {
            __builtin_prefetch(at, 1);
        }
    }
}

void CpuOps::TokenStore::put(std::int64_t token) const {
    const auto at = static_cast<std::size_t>(token);
    float* key = m_k.f32() + token * m_kvHeads * m_keyDim;
    float* query = m_q.f32() + token * m_heads * m_dim;
    turnHeads(query, m_heads, m_dim, token);
    turnHeads(key, m_kvHeads, m_keyDim, token);
    if (m_spreadsKeys) {
        spreadHeads(query, m_heads, m_dim, 1.0F / static_cast<float>(spreadLength(m_dim)));
        spreadHeads(key, m_kvHeads, m_keyDim, 1.0F);
    }
    for (std::int64_t head = 0; head < m_kvHeads; ++head) {
        m_keys.put(m_kernels, m_keySlots[at], head, key + head * m_keyDim);
        if (m_valueDim > 0) {
            m_values.put(m_kernels, m_slots[at], head,
                         m_v.f32() + (token * m_kvHeads + head) * m_valueDim);
        }
    }
}

void CpuOps::ropeAndStore(View q, View k, View v, const RopeSpec& rope,
                          std::span<const std::int32_t> positions, KvSlots slots,
                          const KvLayer& kv) {
    checkTokenStore(q, k, v, rope, positions, slots, kv);
    const TokenStore store(*this, q, k, v, rope, positions, slots, kv);
    m_pool.parallelFor(q.shape[0], std::max<std::int64_t>(1, kGrainElements / store.rowElements()),
                       [&](std::int64_t begin, std::int64_t end, int) {
                           for (std::int64_t t = begin; t < end; ++t) {
                               store.put(t);
                           }
                       });
    if (kv.keyCoding == KvCoding::Channel4) {
        codeChannels(positions, slots, kv);
    }
}

// Groups whose last token came with this step: all 32 rows are among the recent ones.
void CpuOps::codeChannels(std::span<const std::int32_t> positions, const KvSlots& slots,
                          const KvLayer& kv) {
    constexpr std::int64_t kLast = kKvGroup - 1;
    const std::int64_t keyDim = kv.recent.shape[3];
    const std::int64_t kvHeads = kv.keys.shape[1];
    const RowStore recent(kv.recent, KvCoding::F16, keyDim, 0);
    const RowStore coded(kv.keys, KvCoding::Channel4, keyDim, 0);
    m_pool.parallelFor(static_cast<std::int64_t>(positions.size()), 8,
                       [&](std::int64_t begin, std::int64_t end, int) {
                           for (std::int64_t t = begin; t < end; ++t) {
                               const auto at = static_cast<std::size_t>(t);
                               if (positions[at] % kKvGroup != kLast) {
                                   continue;
                               }
                               for (std::int64_t head = 0; head < kvHeads; ++head) {
                                   m_kernels.storeKvChannels(
                                       reinterpret_cast<const std::uint16_t*>(
                                           recent.row(slots.recent[at] - kLast, head)),
                                       keyDim, coded.row(slots.slots[at] - kLast, head));
                               }
                           }
                       });
}

} // namespace kernels::cpu
