// Which blocks of keys a query looks at, by what the keys of a block can score at most.
#include "kernels/cuda/call.h"
#include "kernels/cuda/kv_view.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/require.h"

namespace kernels::cuda {

namespace {

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / kWarpLanes;

bool hasBounds(const KvLayer& kv, std::int64_t keyDim) {
    const bool isKnown =
        isPlainCoding(kv.keyCoding) || (kv.keyCoding == KvCoding::Row8 && kv.plainTail == 0);
    return isKnown && isF32(kv.bounds) && kv.bounds.data != nullptr &&
           kv.bounds.shape.rank() == 4 && kv.bounds.shape[0] == kv.keys.shape[0] &&
           kv.bounds.shape[1] == kv.keys.shape[1] && kv.bounds.shape[2] == 2 &&
           kv.bounds.shape[3] == keyDim;
}

// A block is a block of keys of a head, a thread every kThreads-th element. Reads its keys once,
// writes two numbers an element.
__global__ void __launch_bounds__(kThreads)
    boundElements(StoredRows keys, const std::int32_t* blocks, float* bounds) {
    const auto head = static_cast<int>(blockIdx.y);
    const std::int64_t index = blocks[blockIdx.x];
    const std::byte* block = keys.block(index, head);
    float* least = bounds + (index * keys.heads + head) * 2 * keys.dim;
    for (int d = static_cast<int>(threadIdx.x); d < keys.dim; d += kThreads) {
        float low = elementAt(keys, block, 0, d);
        float high = low;
        for (int token = 1; token < keys.blockTokens; ++token) {
            const float key = elementAt(keys, block, token, d);
            low = key < low ? key : low;
            high = high < key ? key : high;
        }
        least[d] = low;
        least[keys.dim + d] = high;
    }
}

struct Selection {
    const float* q;      // [tokens, heads, dim]
    const float* bounds; // [blocks, kvHeads, 2, dim]
    const BlockQuery* queries;
    const std::int32_t* candidates;
    float* scores; // [all flags, heads]: a query's candidates side by side, head after head
    float* sums;   // [all flags]
    std::uint8_t* flags;
    int heads, kvHeads, dim;
    float scale;
};

// A block is a query and a head, a warp every kWarps-th candidate, a lane every 32nd element. Reads
// a candidate's bounds, writes a score.
__global__ void __launch_bounds__(kThreads) scoreCandidates(Selection s) {
    const BlockQuery query = s.queries[blockIdx.x];
    const auto head = static_cast<int>(blockIdx.y);
    const int lane = static_cast<int>(threadIdx.x % kWarpLanes);
    const float* q = s.q + (static_cast<std::int64_t>(query.row) * s.heads + head) * s.dim;
    const int kvHead = head / (s.heads / s.kvHeads);
    float* scores =
        s.scores + query.firstFlag * s.heads + static_cast<std::int64_t>(head) * query.count;
    for (int c = static_cast<int>(threadIdx.x / kWarpLanes); c < query.count; c += kWarps) {
        const std::int64_t block = s.candidates[query.firstCandidate + c];
        const float* least = s.bounds + (block * s.kvHeads + kvHead) * 2 * s.dim;
        float score = 0.0F;
        for (int d = lane; d < s.dim; d += kWarpLanes) {
            score += fmaxf(q[d] * least[d], q[d] * least[s.dim + d]);
        }
        score = warpSum(score) * s.scale;
        if (lane == 0) {
            scores[c] = score == score ? score : -INFINITY;
        }
    }
}

// A block is a warp, and a query: adds the shares of all heads, and flags the largest sums. Lane i
// alone works on candidates i, i + 32, ...
__global__ void __launch_bounds__(kWarpLanes) flagCandidates(Selection s) {
    const BlockQuery query = s.queries[blockIdx.x];
    const int lane = static_cast<int>(threadIdx.x);
    float* sums = s.sums + query.firstFlag;
    std::uint8_t* flags = s.flags + query.firstFlag;
    for (int c = lane; c < query.count; c += kWarpLanes) {
        sums[c] = 0.0F;
        flags[c] = 0;
    }
    for (int head = 0; head < s.heads; ++head) {
        const float* scores =
            s.scores + query.firstFlag * s.heads + static_cast<std::int64_t>(head) * query.count;
        float largest = -INFINITY;
        for (int c = lane; c < query.count; c += kWarpLanes) {
            largest = fmaxf(largest, scores[c]);
        }
        largest = warpLargest(largest);
        if (!(fabsf(largest) < INFINITY)) {
            continue; // for all lanes
        }
        float total = 0.0F;
        for (int c = lane; c < query.count; c += kWarpLanes) {
            total += expf(scores[c] - largest);
        }
        total = warpSum(total);
        for (int c = lane; c < query.count; c += kWarpLanes) {
            sums[c] += expf(scores[c] - largest) / total;
        }
    }
    for (int k = 0; k < query.keep; ++k) {
        float best = -1.0F; // sums are not negative
        int found = INT32_MAX;
        for (int c = lane; c < query.count; c += kWarpLanes) {
            if (flags[c] == 0 && sums[c] > best) {
                best = sums[c];
                found = c;
            }
        }
        for (int distance = kWarpLanes / 2; distance > 0; distance /= 2) {
            const float other = __shfl_xor_sync(kFullWarp, best, distance);
            const int index = __shfl_xor_sync(kFullWarp, found, distance);
            if (other > best || (other == best && index < found)) {
                best = other;
                found = index;
            }
        }
        if (found != INT32_MAX && lane == found % kWarpLanes) {
            flags[found] = 1;
        }
    }
}

} // namespace

void CudaOps::boundKeys(const KvLayer& kv, std::span<const std::int32_t> blocks) {
    require(kv.bounds.shape.rank() == 4 && hasBounds(kv, kv.bounds.shape[3]),
            "boundKeys: bounds are [blocks, kvHeads, 2, keyDim] of keys in F32, F16 or INT8");
    for (const std::int32_t block : blocks) {
        require(block >= 0 && block < kv.keys.shape[0], "boundKeys: a block is outside the cache");
    }
    const auto dim = static_cast<int>(kv.bounds.shape[3]);
    require(kv.keys.shape[3] == (isPlainCoding(kv.keyCoding)
                                     ? kv.bounds.shape[3]
                                     : kvRowBytes(kv.keyCoding, kv.bounds.shape[3], 0)),
            "boundKeys: keys are [blocks, kvHeads, blockTokens, keyDim] as the layer codes them");
    Call call(*this);
    const StoredRows keys = storedRows(kv.keys, const_cast<std::byte*>(call.bytesIn(kv.keys)),
                                       kv.keyCoding, dim, static_cast<int>(kv.plainTail));
    call.start(boundElements,
               {.grid = dim3(static_cast<unsigned>(blocks.size()),
                             static_cast<unsigned>(kv.keys.shape[1])),
                .block = dim3(kThreads)},
               keys, call.arena().upload(blocks), call.out(kv.bounds));
    call.finish();
}

// The CPU makes block lists of the flags: this waits.
void CudaOps::selectBlocks(View q, const KvLayer& kv, std::span<const BlockQuery> queries,
                           std::span<const std::int32_t> candidates, float scale,
                           std::span<std::uint8_t> flags) {
    require(isF32(q) && q.shape.rank() == 3 && hasBounds(kv, q.shape[2]) &&
                q.shape[1] % kv.keys.shape[1] == 0,
            "selectBlocks: q is [tokens, heads, keyDim] in F32, of a layer with bounds");
    for (const std::int32_t block : candidates) {
        require(block >= 0 && block < kv.keys.shape[0],
                "selectBlocks: a candidate is outside the cache");
    }
    for (const BlockQuery& query : queries) {
        require(query.row >= 0 && query.row < q.shape[0] && query.firstCandidate >= 0 &&
                    query.count >= 0 && query.keep >= 0 && query.keep <= query.count &&
                    std::int64_t{query.firstCandidate} + query.count <= std::ssize(candidates) &&
                    query.firstFlag >= 0 && query.firstFlag + query.count <= std::ssize(flags),
                "selectBlocks: a query reaches outside q, the candidates or the flags");
    }
    if (queries.empty()) {
        return;
    }
    Call call(*this);
    Arena& arena = call.arena();
    const auto heads = static_cast<std::size_t>(q.shape[1]);
    const Selection selection{
        .q = call.in(q),
        .bounds = call.in(kv.bounds),
        .queries = arena.upload(queries),
        .candidates = arena.upload(candidates),
        .scores = arena.take<float>(flags.size() * heads),
        .sums = arena.take<float>(flags.size()),
        .flags = const_cast<std::uint8_t*>(arena.upload(std::span<const std::uint8_t>(flags))),
        .heads = static_cast<int>(heads),
        .kvHeads = static_cast<int>(kv.keys.shape[1]),
        .dim = static_cast<int>(q.shape[2]),
        .scale = scale};
    const auto count = static_cast<unsigned>(queries.size());
    call.start(scoreCandidates,
               {.grid = dim3(count, static_cast<unsigned>(heads)), .block = dim3(kThreads)},
               selection);
    call.start(flagCandidates, {.grid = dim3(count), .block = dim3(kWarpLanes)}, selection);
    check(cudaMemcpyAsync(flags.data(), selection.flags, flags.size(), cudaMemcpyDeviceToHost,
                          call.stream()));
    m_stream.wait();
}

} // namespace kernels::cuda
