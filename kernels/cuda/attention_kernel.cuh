// Attention of a tile of queries over blocks of keys, on the device. A warp owns kRowsOfWarp
// queries; its lanes are keys while scores are made and elements of values while they are summed.
// Online softmax, Milakov & Gimelshein 2018. Included by cuda_attention.cu only.
#pragma once

#include "kernels/cuda/attention_plan.h"
#include "kernels/cuda/stored_rows.cuh"

#include <utility>

namespace kernels::cuda {

inline constexpr int kAttentionThreads = 128;
inline constexpr int kAttentionWarps = kAttentionThreads / kWarpLanes;
inline constexpr int kRowsOfWarp = kTileRows / kAttentionWarps;
inline constexpr int kKeysAtOnce = kWarpLanes;
inline constexpr int kChunk = 64; // elements of keys or values in shared memory
// Lanes read down a column, four elements at a time: eight lanes meet all banks once.
inline constexpr int kChunkPitch = kChunk + 4;
inline constexpr int kLaneElements = kChunk / kWarpLanes;
inline constexpr int kMostKeyElements = 576;
inline constexpr int kMostValueElements = 512;

struct AttentionArguments {
    const float* q; // [tokens, heads, keyDim]
    float* out;     // [tokens, heads, valueDim]
    StoredRows keys, values, recent;
    const TileBlock* blocks;
    const TileSpan* spans;
    const QueryTile* tiles;
    const AttentionUnit* units;
    float* partials; // [partials, heads / headsOfTile, kTileRows, valueDim + 2]
    int heads, keyDim, valueDim;
    int headsOfGroup;  // that share a kv head
    int headsOfTile;   // of these
    int tilesOfGroup;  // tiles of heads that share a kv head
    bool isValueInKey; // values are the first elements of keys
    bool isSplit;
    float scale;
    std::int32_t window; // 0: all
    float scoreCap;
};

// Of one query: largest score, sum of weights, sum of weighted values.
template <int kChunks>
struct RowSums {
    float largest = -INFINITY;
    float total = 0.0F;
    float values[kChunks * kLaneElements] = {};
};

// Elements from a query in shared memory to the next: whole vectors, zeros behind the query.
constexpr int queryPitch(int keyDim) {
    return (keyDim + 3) / 4 * 4;
}

// What a sum over scores up to `from` is multiplied by where the largest is `to`.
__device__ __forceinline__ float rescale(float from, float to) {
    return from == -INFINITY ? 0.0F : expf(from - to);
}

// sums += further, a later span's. Both ways of doing spans come here, with the same bits.
template <int kChunks>
__device__ __forceinline__ void mergeSums(RowSums<kChunks>& sums, const RowSums<kChunks>& further) {
    const float largest = fmaxf(sums.largest, further.largest);
    const float first = rescale(sums.largest, largest);
    const float second = rescale(further.largest, largest);
    sums.largest = largest;
    sums.total = sumOf(productOf(sums.total, first), productOf(further.total, second));
    for (int i = 0; i < kChunks * kLaneElements; ++i) {
        sums.values[i] =
            sumOf(productOf(sums.values[i], first), productOf(further.values[i], second));
    }
}

// Element i of a lane's sums is this element of the row.
__device__ __forceinline__ int elementOf(int i, int lane) {
    return i / kLaneElements * kChunk + i % kLaneElements * kWarpLanes + lane;
}

template <int kChunks>
__device__ __forceinline__ void storeSums(const RowSums<kChunks>& sums, float* to, int valueDim,
                                          int lane) {
    for (int i = 0; i < kChunks * kLaneElements; ++i) {
        if (elementOf(i, lane) < valueDim) {
            to[elementOf(i, lane)] = sums.values[i];
        }
    }
    if (lane == 0) {
        to[valueDim] = sums.largest;
        to[valueDim + 1] = sums.total;
    }
}

template <int kChunks>
__device__ __forceinline__ RowSums<kChunks> loadSums(const float* from, int valueDim, int lane) {
    RowSums<kChunks> sums;
    for (int i = 0; i < kChunks * kLaneElements; ++i) {
        if (elementOf(i, lane) < valueDim) {
            sums.values[i] = from[elementOf(i, lane)];
        }
    }
    sums.largest = from[valueDim];
    sums.total = from[valueDim + 1];
    return sums;
}

template <int kChunks>
__device__ __forceinline__ void writeOut(const RowSums<kChunks>& sums, float* out, int valueDim,
                                         int lane) {
    const float inverse = sums.total > 0.0F ? 1.0F / sums.total : sums.total;
    for (int i = 0; i < kChunks * kLaneElements; ++i) {
        if (elementOf(i, lane) < valueDim) {
            out[elementOf(i, lane)] = sums.values[i] * inverse;
        }
    }
}

// One block of threads at its tile. Shared: queries [kTileRows, keyDim], a chunk of keys or values,
// weights [kTileRows, kKeysAtOnce].
template <int kChunks>
class TileAttention {
public:
    __device__ TileAttention(const AttentionArguments& arguments)
        : m_a(arguments),
          m_unit(arguments.units[blockIdx.x]),
          m_tile(arguments.tiles[m_unit.tile]),
          m_kvHead(static_cast<int>(blockIdx.y) / arguments.tilesOfGroup),
          m_firstHead(m_kvHead * arguments.headsOfGroup + static_cast<int>(blockIdx.y) %
                                                              arguments.tilesOfGroup *
                                                              arguments.headsOfTile),
          m_heads(
              min(arguments.headsOfTile, (m_kvHead + 1) * arguments.headsOfGroup - m_firstHead)),
          m_rows(m_tile.tokens * m_heads),
          m_pitch((arguments.keyDim + 3) / 4 * 4),
          m_lane(static_cast<int>(threadIdx.x % kWarpLanes)),
          m_warp(static_cast<int>(threadIdx.x / kWarpLanes)) {
        SharedCarver carver;
        m_queries = carver.take<float>(static_cast<unsigned>(kTileRows * m_pitch));
        m_chunk = carver.take<float>(kKeysAtOnce * kChunkPitch);
        m_weights = carver.take<float>(kTileRows * kKeysAtOnce);
    }

    __device__ void run() {
        loadQueries();
        // A unit that sees nothing has one empty span: a second place that sums live in would cost
        // registers.
        for (int i = 0; i < max(m_unit.spanCount, 1); ++i) {
            const TileSpan span =
                m_unit.spanCount == 0 ? TileSpan{0, 0} : m_a.spans[m_unit.firstSpan + i];
            RowSums<kChunks> sums[kRowsOfWarp];
            for (int b = span.firstBlock; b < span.firstBlock + span.blockCount; ++b) {
                addBlock(m_a.blocks[b], sums);
            }
            endSpan(sums, i, std::make_integer_sequence<int, kRowsOfWarp>());
        }
    }

private:
    // Row i of this warp: few rows are spread over all warps.
    __device__ int rowOf(int i) const { return m_warp + i * kAttentionWarps; }
    __device__ int tokenOf(int row) const { return row / m_heads; }
    __device__ std::int64_t globalRow(int row) const { // of q and out
        return static_cast<std::int64_t>(m_tile.firstRow + tokenOf(row)) * m_a.heads + m_firstHead +
               row % m_heads;
    }
    __device__ float* partialOf(int row) const {
        const std::int64_t place =
            static_cast<std::int64_t>(m_unit.partial) * gridDim.y + blockIdx.y;
        return m_a.partials + (place * kTileRows + row) * (m_a.valueDim + 2);
    }

    __device__ void loadQueries() {
        for (int i = static_cast<int>(threadIdx.x); i < m_rows * m_pitch; i += kAttentionThreads) {
            const int element = i % m_pitch;
            m_queries[static_cast<unsigned>(i)] =
                element < m_a.keyDim ? m_a.q[globalRow(i / m_pitch) * m_a.keyDim + element] : 0.0F;
        }
    }

    // Elements [first, first + kChunk) of some keys or values; zeros past their ends.
    __device__ void loadChunk(const StoredRows& rows, const std::byte* block, int firstToken,
                              int tokens, int first, int end) {
        __syncthreads(); // others read the last one
        for (int i = static_cast<int>(threadIdx.x); i < kKeysAtOnce * kChunk;
             i += kAttentionThreads) {
            const int token = i / kChunk;
            const int element = first + i % kChunk;
            m_chunk[static_cast<unsigned>(token * kChunkPitch + i % kChunk)] =
                token < tokens && element < end
                    ? elementAt(rows, block, firstToken + token, element)
                    : 0.0F;
        }
        __syncthreads();
    }

    __device__ bool sees(int row, const TileBlock& block, std::int32_t position) const {
        const int token = tokenOf(row);
        const std::int32_t own = m_tile.firstPosition + token;
        const bool isChosen =
            block.tokens == kAllTokens || (block.tokens >> (m_tile.firstToken + token) & 1U) != 0;
        return isChosen && position <= own && (m_a.window == 0 || own - position < m_a.window);
    }

    // Keys of a block, kKeysAtOnce at a time.
    __device__ void addBlock(const TileBlock& block, RowSums<kChunks> (&sums)[kRowsOfWarp]) {
        // All queries of a tile are of one group of 32 positions where there are recent keys.
        const int recentBegin =
            max(m_tile.firstPosition / kGroup * kGroup - static_cast<int>(kKvRecentTokens), 0);
        for (int first = 0; first < m_a.keys.blockTokens; first += kKeysAtOnce) {
            const int position = block.firstPosition + first;
            if (position >= m_tile.firstPosition + m_tile.tokens) {
                return;
            }
            const int tokens = min(kKeysAtOnce, m_a.keys.blockTokens - first);
            const bool isRecent = block.recent >= 0 && position >= recentBegin;
            const StoredRows& keys = isRecent ? m_a.recent : m_a.keys;
            const std::byte* keyBlock = keys.block(isRecent ? block.recent : block.block, m_kvHead);
            float scores[kRowsOfWarp] = {};
            for (int chunk = 0; chunk < m_a.keyDim; chunk += kChunk) {
                loadChunk(keys, keyBlock, first, tokens, chunk, m_a.keyDim);
                addScores(chunk, scores);
            }
            weigh(block, position, tokens, scores, sums,
                  std::make_integer_sequence<int, kRowsOfWarp>());
            const StoredRows& values = m_a.isValueInKey ? m_a.keys : m_a.values;
            const std::byte* valueBlock = values.block(block.block, m_kvHead);
            addAllValues(values, valueBlock, first, tokens, sums,
                         std::make_integer_sequence<int, kChunks>());
        }
    }

    // Chunk by chunk, each in registers of its own.
    template <int... kIndices>
    __device__ void addAllValues(const StoredRows& values, const std::byte* block, int firstToken,
                                 int tokens, RowSums<kChunks> (&sums)[kRowsOfWarp],
                                 std::integer_sequence<int, kIndices...>) {
        (addValues<kIndices>(values, block, firstToken, tokens, sums), ...);
    }

    __device__ void addScores(int firstElement, float (&scores)[kRowsOfWarp]) {
        const int elements = min(kChunk, m_pitch - firstElement);
        for (int d = 0; d < elements; d += 4) {
            const float4 key =
                m_chunk.as<float4>()[static_cast<unsigned>((m_lane * kChunkPitch + d) / 4)];
            for (int i = 0; i < kRowsOfWarp; ++i) {
                if (rowOf(i) < m_rows) {
                    const float4 query = m_queries.as<float4>()[static_cast<unsigned>(
                        (rowOf(i) * m_pitch + firstElement + d) / 4)];
                    scores[i] = fmaf(query.x, key.x, scores[i]);
                    scores[i] = fmaf(query.y, key.y, scores[i]);
                    scores[i] = fmaf(query.z, key.z, scores[i]);
                    scores[i] = fmaf(query.w, key.w, scores[i]);
                }
            }
        }
    }

    // A row after the other, each in registers of its own.
    template <int... kIndices>
    __device__ void weigh(const TileBlock& block, int position, int tokens,
                          const float (&scores)[kRowsOfWarp], RowSums<kChunks> (&sums)[kRowsOfWarp],
                          std::integer_sequence<int, kIndices...>) {
        (weighRow(kIndices, block, position, tokens, scores[kIndices], sums[kIndices]), ...);
        __syncwarp();
    }

    __device__ void weighRow(int index, const TileBlock& block, int position, int tokens,
                             float score, RowSums<kChunks>& sums) {
        const int row = rowOf(index);
        if (row >= m_rows) {
            return; // for all lanes
        }
        score *= m_a.scale;
        if (m_a.scoreCap > 0.0F) {
            score = m_a.scoreCap * tanhf(score / m_a.scoreCap);
        }
        const bool isSeen = m_lane < tokens && sees(row, block, position + m_lane);
        score = isSeen ? score : -INFINITY;
        const float largest = largerOf(sums.largest, warpLargest(score));
        const float weight = isSeen ? expf(score - largest) : 0.0F;
        const float factor = rescale(sums.largest, largest);
        sums.total = sums.total * factor + warpSum(weight);
        sums.largest = largest;
        for (float& value : sums.values) {
            value *= factor;
        }
        m_weights[static_cast<unsigned>(row * kKeysAtOnce + m_lane)] = weight;
    }

    template <int kIndex>
    __device__ void addValues(const StoredRows& rows, const std::byte* block, int firstToken,
                              int tokens, RowSums<kChunks> (&sums)[kRowsOfWarp]) {
        if (kIndex * kChunk >= m_a.valueDim) {
            return; // for all threads
        }
        loadChunk(rows, block, firstToken, tokens, kIndex * kChunk, m_a.valueDim);
        for (int token = 0; token < tokens; ++token) {
            float values[kLaneElements];
            for (int e = 0; e < kLaneElements; ++e) {
                values[e] =
                    m_chunk[static_cast<unsigned>(token * kChunkPitch + e * kWarpLanes + m_lane)];
            }
            for (int i = 0; i < kRowsOfWarp; ++i) {
                if (rowOf(i) < m_rows) {
                    const float weight =
                        m_weights[static_cast<unsigned>(rowOf(i) * kKeysAtOnce + token)];
                    // A weight of zero hides what an unused place of a block holds.
                    for (int e = 0; e < kLaneElements; ++e) {
                        float& sum = sums[i].values[kIndex * kLaneElements + e];
                        sum = weight == 0.0F ? sum : fmaf(weight, values[e], sum);
                    }
                }
            }
        }
    }

    template <int... kIndices>
    __device__ void endSpan(RowSums<kChunks> (&sums)[kRowsOfWarp], int span,
                            std::integer_sequence<int, kIndices...>) {
        (endRow(kIndices, sums[kIndices], span), ...);
        __syncwarp(); // sums of a span are read by other lanes of the warp: the first one's factors
    }

    // Of the last span of a whole tile: its result. Else what is merged with the other spans.
    __device__ void endRow(int index, RowSums<kChunks>& sums, int span) {
        const int row = rowOf(index);
        if (row >= m_rows) {
            return; // for all lanes
        }
        if (!m_a.isSplit && span > 0) {
            RowSums<kChunks> before = loadSums<kChunks>(partialOf(row), m_a.valueDim, m_lane);
            mergeSums(before, sums);
            sums = before;
            __syncwarp();
        }
        if (!m_a.isSplit && span + 1 >= m_unit.spanCount) {
            writeOut(sums, m_a.out + globalRow(row) * m_a.valueDim, m_a.valueDim, m_lane);
        } else {
            storeSums(sums, partialOf(row), m_a.valueDim, m_lane);
        }
    }

    const AttentionArguments& m_a;
    AttentionUnit m_unit;
    QueryTile m_tile;
    int m_kvHead, m_firstHead, m_heads, m_rows, m_pitch, m_lane, m_warp;
    Shared<float> m_queries, m_chunk, m_weights;
};

} // namespace kernels::cuda
