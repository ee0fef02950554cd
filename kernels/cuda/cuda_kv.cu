// Rotating a step's queries and keys, and storing its keys and values as the layer keeps them.
#include "kernels/cuda/call.h"
#include "kernels/cuda/kv_view.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/require.h"

#include <algorithm>

namespace kernels::cuda {

namespace {

constexpr int kThreads = 128;

// Cosine and sine of every position times frequency, in double precision: angles reach 10^5 and
// more. A thread is a pair of a token; writes 8 bytes.
__global__ void __launch_bounds__(kThreads)
    fillRopeTable(const std::int32_t* positions, const float* frequencies, int pairs,
                  float magnitude, std::int64_t elements, float2* table) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (i >= elements) {
        return;
    }
    const double angle =
        static_cast<double>(positions[i / pairs]) * static_cast<double>(frequencies[i % pairs]);
    float2 turn;
    turn.x = static_cast<float>(cos(angle) * static_cast<double>(magnitude));
    turn.y = static_cast<float>(sin(angle) * static_cast<double>(magnitude));
    table[i] = turn;
}

struct Turn {
    const float2* table; // [tokens, pairs]
    int pairs;
    bool isInterleaved;
    bool isAtBack;
    int spreadLength; // of Ops' spreadsKeys; 1: heads stay
};

struct TokenRows {
    float* q;       // [tokens, heads, dim]
    float* k;       // [tokens, kvHeads, keyDim]
    const float* v; // [tokens, kvHeads, valueDim], or none
    int heads, dim, kvHeads, keyDim, valueDim;
    const std::int32_t* keySlots;
    const std::int32_t* valueSlots;
};

__device__ __forceinline__ void turnHead(float* head, int length, const Turn& turn,
                                         std::int64_t token, int lane) {
    head += turn.isAtBack ? length - 2 * turn.pairs : 0;
    for (int i = lane; i < turn.pairs; i += kWarpLanes) {
        float* a = head + (turn.isInterleaved ? 2 * i : i);
        float* b = turn.isInterleaved ? a + 1 : a + turn.pairs;
        const float2 factor = turn.table[token * turn.pairs + i];
        const float first = *a;
        const float second = *b;
        *a = first * factor.x - second * factor.y;
        *b = first * factor.y + second * factor.x;
    }
}

// Fast Walsh-Hadamard transform of runs, by the lanes of one warp.
__device__ __forceinline__ void spreadHead(float* head, int length, const Turn& turn, float factor,
                                           int lane) {
    for (int apart = 1; apart < turn.spreadLength; apart *= 2) {
        __syncwarp();
        for (int i = lane; i < length / 2; i += kWarpLanes) {
            float* low = head + i / apart * 2 * apart + i % apart;
            const float a = low[0];
            const float b = low[apart];
            low[0] = (a + b) * factor;
            low[apart] = (a - b) * factor;
        }
    }
}

// A block is a warp, and owns a head of a token: of q, or of k with its value. Reads and writes the
// head, writes what is stored of it.
__global__ void __launch_bounds__(kWarpLanes)
    turnAndStore(TokenRows rows, Turn turn, StoredRows keys, StoredRows values) {
    const std::int64_t token = blockIdx.x;
    const int lane = static_cast<int>(threadIdx.x);
    auto head = static_cast<int>(blockIdx.y);
    if (head < rows.heads) {
        float* query = rows.q + (token * rows.heads + head) * rows.dim;
        turnHead(query, rows.dim, turn, token, lane);
        spreadHead(query, rows.dim, turn, 0.5F, lane);
        return;
    }
    head -= rows.heads;
    float* key = rows.k + (token * rows.kvHeads + head) * rows.keyDim;
    turnHead(key, rows.keyDim, turn, token, lane);
    spreadHead(key, rows.keyDim, turn, 1.0F, lane);
    __syncwarp();
    storeRow(keys, rows.keySlots[token], head, key, lane);
    if (rows.v != nullptr) {
        storeRow(values, rows.valueSlots[token], head,
                 rows.v + (token * rows.kvHeads + head) * rows.valueDim, lane);
    }
}

struct ChannelGroup { // slots of the first of 32 tokens
    std::int32_t recent;
    std::int32_t coded;
};

// A block is a group of 32 tokens of a head, a warp every fourth element, a lane a token. Reads 64
// bytes an element, writes 20.
__global__ void __launch_bounds__(kThreads)
    codeChannels(const ChannelGroup* groups, StoredRows recent, StoredRows coded) {
    const ChannelGroup group = groups[blockIdx.x];
    const auto head = static_cast<int>(blockIdx.y);
    const std::uint16_t* in = halvesOf(recent.row(group.recent, head));
    std::byte* out = coded.row(group.coded, head);
    const int dim = recent.dim;
    std::uint16_t* scales = halvesOf(out + 16 * dim);
    const int lane = static_cast<int>(threadIdx.x) % kWarpLanes;
    for (int d = static_cast<int>(threadIdx.x) / kWarpLanes; d < dim; d += kThreads / kWarpLanes) {
        const float x = finiteOrNan(float32FromHalf(in[lane * dim + d]));
        const Row4Factors factors = row4Factors<kGroup>(x);
        storeCodes4(x, factors, out + 16 * d, lane);
        if (lane == 0) {
            scales[d] = factors.scale;
            scales[dim + d] = factors.minimum;
        }
    }
}

void checkSlots(std::span<const std::int32_t> slots, const View& rows) {
    for (const std::int32_t slot : slots) {
        require(slot >= 0 && slot < rows.shape[0] * rows.shape[2],
                "ropeAndStore: a slot is outside the cache");
    }
}

void checkStore(const View& q, const View& k, const View& v, const RopeSpec& rope,
                std::span<const std::int32_t> positions, const KvSlots& slots, const KvLayer& kv) {
    const auto width = static_cast<std::int64_t>(2 * rope.frequencies.size());
    require(isF32(q) && isF32(k) && q.shape.rank() == 3 && k.shape.rank() == 3,
            "ropeAndStore: q and k are [tokens, heads, dim] in F32");
    const std::int64_t tokens = q.shape[0];
    const bool hasValues = v.data != nullptr;
    const bool isChannel = kv.keyCoding == KvCoding::Channel4;
    require(k.shape[0] == tokens && width <= q.shape[2] && width <= k.shape[2] &&
                std::ssize(positions) == tokens && std::ssize(slots.slots) == tokens &&
                (!isChannel || slots.recent.size() == slots.slots.size()),
            "ropeAndStore: q, k, positions and slots disagree");
    require(!hasValues || (isF32(v) && v.shape.rank() == 3 && v.shape[0] == tokens &&
                           v.shape[1] == k.shape[1]),
            "ropeAndStore: v is not [tokens, kvHeads, valueDim]");
    require(hasValues == (kv.values.data != nullptr) && kv.keys.shape.rank() == 4 &&
                kv.keys.shape[1] == k.shape[1],
            "ropeAndStore: the layer keeps other heads, or no values");
    checkLayer(kv, k.shape[2], hasValues ? v.shape[2] : 0, "ropeAndStore");
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

// Groups whose last token came with this step: all 32 rows are among the recent ones.
std::vector<ChannelGroup> endedGroups(std::span<const std::int32_t> positions,
                                      const KvSlots& slots) {
    constexpr auto kLast = static_cast<std::int32_t>(kKvGroup - 1);
    std::vector<ChannelGroup> groups;
    for (std::size_t i = 0; i < positions.size(); ++i) {
        if (positions[i] % kKvGroup == kLast) {
            groups.push_back({.recent = slots.recent[i] - kLast, .coded = slots.slots[i] - kLast});
        }
    }
    return groups;
}

} // namespace

const float2* CudaOps::ropeTable(Call& call, const RopeSpec& rope,
                                 std::span<const std::int32_t> positions) {
    for (const RopeTable& table : m_ropeTables) {
        if (table.spec.magnitude == rope.magnitude && table.spec.frequencies == rope.frequencies &&
            std::ranges::equal(table.positions, positions)) {
            return reinterpret_cast<const float2*>(table.values.data());
        }
    }
    // The few specs a model has, Gemma's local and global layers, and a step's positions.
    constexpr std::size_t kTables = 4;
    if (m_ropeTables.size() < kTables) {
        m_ropeTables.emplace_back();
        m_oldestTable = m_ropeTables.size() - 1;
    }
    RopeTable& table = m_ropeTables[m_oldestTable];
    m_oldestTable = (m_oldestTable + 1) % kTables;
    const std::size_t pairs = rope.frequencies.size();
    const std::size_t elements = pairs * positions.size();
    table.positions.clear(); // holds nothing until it is computed
    if (table.values.bytes() < elements * sizeof(float2)) {
        table.values = DeviceMemory(elements * sizeof(float2));
    }
    auto* values = reinterpret_cast<float2*>(table.values.data());
    call.start(fillRopeTable,
               {.grid = dim3(static_cast<unsigned>((elements + kThreads - 1) / kThreads)),
                .block = dim3(kThreads)},
               call.arena().upload(positions),
               call.arena().upload(std::span<const float>(rope.frequencies)),
               static_cast<int>(pairs), rope.magnitude, static_cast<std::int64_t>(elements),
               values);
    table.spec = rope;
    table.positions.assign(positions.begin(), positions.end());
    return values;
}

void CudaOps::ropeAndStore(View q, View k, View v, const RopeSpec& rope,
                           std::span<const std::int32_t> positions, KvSlots slots,
                           const KvLayer& kv) {
    checkStore(q, k, v, rope, positions, slots, kv);
    if (q.shape[0] == 0) {
        return;
    }
    Call call(*this);
    const bool isChannel = kv.keyCoding == KvCoding::Channel4;
    const bool hasValues = v.data != nullptr;
    const auto keyDim = static_cast<int>(k.shape[2]);
    const auto valueDim = hasValues ? static_cast<int>(v.shape[2]) : 0;
    const StoredRows recent =
        isChannel ? storedRows(kv.recent, call.bytesOut(kv.recent), KvCoding::F16, keyDim, 0)
                  : StoredRows{};
    const StoredRows keys = storedRows(kv.keys, call.bytesOut(kv.keys), kv.keyCoding, keyDim,
                                       static_cast<int>(kv.plainTail));
    const StoredRows values =
        hasValues ? storedRows(kv.values, call.bytesOut(kv.values), kv.valueCoding, valueDim, 0)
                  : StoredRows{};
    const std::int32_t* valueSlots = call.arena().upload(slots.slots);
    const TokenRows rows{.q = call.out(q),
                         .k = call.out(k),
                         .v = hasValues ? call.in(v) : nullptr,
                         .heads = static_cast<int>(q.shape[1]),
                         .dim = static_cast<int>(q.shape[2]),
                         .kvHeads = static_cast<int>(k.shape[1]),
                         .keyDim = keyDim,
                         .valueDim = valueDim,
                         .keySlots = isChannel ? call.arena().upload(slots.recent) : valueSlots,
                         .valueSlots = valueSlots};
    const Turn turn{.table = ropeTable(call, rope, positions),
                    .pairs = static_cast<int>(rope.frequencies.size()),
                    .isInterleaved = rope.pairing == RopePairing::Interleaved,
                    .isAtBack = rope.place == RopePlace::Back,
                    .spreadLength =
                        kv.spreadsKeys ? static_cast<int>(spreadLength(k.shape[2])) : 1};
    call.start(turnAndStore,
               {.grid = dim3(static_cast<unsigned>(q.shape[0]),
                             static_cast<unsigned>(q.shape[1] + k.shape[1])),
                .block = dim3(kWarpLanes)},
               rows, turn, isChannel ? recent : keys, values);
    if (isChannel) {
        const std::vector<ChannelGroup> groups = endedGroups(positions, slots);
        call.start(
            codeChannels,
            {.grid = dim3(static_cast<unsigned>(groups.size()), static_cast<unsigned>(k.shape[1])),
             .block = dim3(kThreads)},
            call.arena().upload(groups), recent, keys);
    }
    call.finish();
}

} // namespace kernels::cuda
