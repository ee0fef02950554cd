// Rotating a step's queries and keys, and storing its keys and values as the layer keeps them.
#include "kernels/cpu/check_view.h"
#include "kernels/cpu/cpu_ops.h"
#include "kernels/thread_pool.h"

#include <algorithm>
#include <array>

namespace kernels::cpu {

namespace {

constexpr std::int64_t kGrainElements = 4096; // as for other row work

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

    std::byte* data;
    KvCoding coding;
    std::int64_t dim, plainTail, rowBytes, heads, blockTokens;
};

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

void checkStore(const View& q, const View& k, const View& v, std::int64_t width,
                std::span<const std::int32_t> positions, const KvSlots& slots, const KvLayer& kv) {
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

} // namespace

void CpuOps::ropeAndStore(View q, View k, View v, const RopeSpec& rope,
                          std::span<const std::int32_t> positions, KvSlots slots,
                          const KvLayer& kv) {
    const auto width = static_cast<int>(2 * rope.frequencies.size());
    checkStore(q, k, v, width, positions, slots, kv);
    const std::int64_t tokens = q.shape[0];
    const std::int64_t heads = q.shape[1];
    const std::int64_t dim = q.shape[2];
    const std::int64_t kvHeads = k.shape[1];
    const std::int64_t keyDim = k.shape[2];
    const bool hasValues = v.data != nullptr;
    const std::int64_t valueDim = hasValues ? v.shape[2] : 0;
    const bool isChannel = kv.keyCoding == KvCoding::Channel4;
    const RowStore keys = isChannel ? RowStore(kv.recent, KvCoding::F16, keyDim, 0)
                                    : RowStore(kv.keys, kv.keyCoding, keyDim, kv.plainTail);
    const std::span<const std::int32_t> keySlots = isChannel ? slots.recent : slots.slots;
    const RowStore values(hasValues ? kv.values : kv.keys, kv.valueCoding, valueDim, 0);
    const RopeTable& table = m_ropeTables.find(rope, positions, m_pool);
    const auto turn =
        rope.pairing == RopePairing::Interleaved ? m_kernels.turnInterleaved : m_kernels.turnHalves;
    const auto turnHeads = [&](float* first, std::int64_t count, std::int64_t length,
                               std::int64_t token) {
        first += rope.place == RopePlace::Back ? length - width : 0;
        for (std::int64_t head = 0; head < count; ++head) {
            turn(first + head * length, table.cosines(token), table.sines(token), width);
        }
    };
    const std::int64_t rowElements = heads * dim + kvHeads * (keyDim + valueDim);
    m_pool.parallelFor(tokens, std::max<std::int64_t>(1, kGrainElements / rowElements),
                       [&](std::int64_t begin, std::int64_t end, int) {
                           for (std::int64_t t = begin; t < end; ++t) {
                               float* key = k.f32() + t * kvHeads * keyDim;
                               turnHeads(q.f32() + t * heads * dim, heads, dim, t);
                               turnHeads(key, kvHeads, keyDim, t);
                               const auto at = static_cast<std::size_t>(t);
                               for (std::int64_t head = 0; head < kvHeads; ++head) {
                                   keys.put(m_kernels, keySlots[at], head, key + head * keyDim);
                                   if (hasValues) {
                                       values.put(m_kernels, slots.slots[at], head,
                                                  v.f32() + (t * kvHeads + head) * valueDim);
                                   }
                               }
                           }
                       });
    if (isChannel) {
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
