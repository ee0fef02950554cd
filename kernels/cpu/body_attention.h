// Paged attention of one query tile over one span of blocks, written once over Simd. Included by
// instruction-set units only.
//
// A row's sums depend on its own position and its keys only: scores are summed over ascending
// elements, values over ascending keys, blocks in ascending position; a masked key adds exactly 0.
#pragma once

#include "kernels/cpu/body_attention_rows.h"

namespace kernels::cpu {
namespace {

constexpr int kChunk = 4; // vectors of a row that a micro-kernel keeps in registers
constexpr float kNoMaximum = -1e30F;

inline const float* queryRow(const AttentionTile& tile, int row) {
    return tile.q + row / tile.heads * tile.queryStride + row % tile.heads * tile.keyDim;
}

// What lies in cache has been widened; of what is read where it lies, the block that comes next is
// asked for meanwhile: it is about as long as this one.
inline void prefetchNext(const float*, const std::byte*, std::int64_t) {}
inline void prefetchNext(const std::uint16_t*, const std::byte*& next, std::int64_t pitch) {
    const std::byte* end = next + 2 * pitch;
    for (; next < end; next += 64) {
        Simd::prefetch(next);
    }
}

// scores[row][key .. key + kVectors * kLanes) = q[row] . K, of which keys[d * pitch] are elements
// d.
template <int kRows, int kVectors, class Element>
void scoreRows(const AttentionTile& tile, const SpanScratch& s, int row, int key,
               const Element* keys, int pitch, const std::byte* next) {
    const float* q[kRows];
    F sums[kRows][kVectors];
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
        q[r] = queryRow(tile, row + r);
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) {
            sums[r][v] = Simd::zero();
        }
    }
    keys += key;
    for (int d = 0; d < tile.keyDim; ++d, keys += pitch) {
        prefetchNext(keys, next, pitch);
        F factors[kRows];
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) {
            factors[r] = Simd::set1(q[r][d]);
        }
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) {
            const F k = loadElements(keys + v * Simd::kLanes);
#pragma GCC unroll 8
            for (int r = 0; r < kRows; ++r) {
                sums[r][v] = Simd::fma(factors[r], k, sums[r][v]);
            }
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) {
            Simd::store(s.scores + (row + r) * s.paddedTokens + key + v * Simd::kLanes, sums[r][v]);
        }
    }
}

// sums[row][d ..) = sums * correction + weights . V, of which values[key * valuePitch] are rows.
template <int kRows, int kVectors, class Element>
void addValueRows(const SpanScratch& s, float* partial, int row, int keys, int d,
                  const Element* values, std::int64_t valuePitch, const std::byte* next) {
    const int pitch = partialPitch(s.paddedDim);
    F sums[kRows][kVectors];
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
        const F correction = Simd::set1(s.corrections[row + r]);
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) {
            sums[r][v] = Simd::mul(correction,
                                   Simd::load(partial + (row + r) * pitch + d + v * Simd::kLanes));
        }
    }
    const float* weights = s.scores + row * s.paddedTokens;
    values += d;
    for (int key = 0; key < keys; ++key, values += valuePitch) {
        prefetchNext(values, next, valuePitch);
        F factors[kRows];
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) {
            factors[r] = Simd::set1(weights[r * s.paddedTokens + key]);
        }
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) {
            const F value = loadElements(values + v * Simd::kLanes);
#pragma GCC unroll 8
            for (int r = 0; r < kRows; ++r) {
                sums[r][v] = Simd::fma(factors[r], value, sums[r][v]);
            }
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) {
            Simd::store(partial + (row + r) * pitch + d + v * Simd::kLanes, sums[r][v]);
        }
    }
}

template <int kRows, class Element>
void scoreAllKeys(const AttentionTile& tile, const SpanScratch& s, int row, int keys,
                  const Element* from, int pitch, const std::byte* next) {
    int key = 0;
    for (; key + kChunk * Simd::kLanes <= roundedUp(keys); key += kChunk * Simd::kLanes) {
        scoreRows<kRows, kChunk>(tile, s, row, key, from, pitch, next);
    }
    for (; key + 2 * Simd::kLanes <= roundedUp(keys); key += 2 * Simd::kLanes) {
        scoreRows<kRows, 2>(tile, s, row, key, from, pitch, next);
    }
    for (; key < roundedUp(keys); key += Simd::kLanes) {
        scoreRows<kRows, 1>(tile, s, row, key, from, pitch, next);
    }
}

template <int kRows, class Element>
void addAllValues(const SpanScratch& s, float* partial, int row, int keys, const Element* from,
                  std::int64_t pitch, const std::byte* next) {
    int d = 0;
    for (; d + kChunk * Simd::kLanes <= s.paddedDim; d += kChunk * Simd::kLanes) {
        addValueRows<kRows, kChunk>(s, partial, row, keys, d, from, pitch, next);
    }
    for (; d < s.paddedDim; d += Simd::kLanes) {
        addValueRows<kRows, 1>(s, partial, row, keys, d, from, pitch, next);
    }
}

template <int kCount>
struct RowCount {
    static constexpr int value = kCount;
};

// function(RowCount, first row) over all rows in groups of up to kScoreRows.
template <int kMost, class Function>
inline void eachRowGroup(int row, int rows, Function function) {
    for (; row + kMost <= rows; row += kMost) {
        function(RowCount<kMost>{}, row);
    }
    if constexpr (kMost > 1) {
        if (row < rows) {
            eachRowGroup<kMost - 1>(row, rows, function);
        }
    }
}

// Keys of a block that a row sees: [first, end).
struct KeyRange {
    int first;
    int end;
};

inline KeyRange visibleKeys(const AttentionTile& tile, int row, const AttentionBlock& block,
                            int keys) {
    constexpr std::uint32_t kAll = 0xFFFFFFFFU;
    if (block.tokens != kAll && (block.tokens >> (tile.firstToken + row / tile.heads) & 1U) == 0) {
        return {0, 0};
    }
    const auto clamped = [keys](std::int32_t key) { return key < 0 ? 0 : key < keys ? key : keys; };
    const std::int32_t own = tile.firstPosition + row / tile.heads - block.firstPosition;
    return {clamped(own - tile.window + 1), clamped(own + 1)};
}

// Scales a row of scores, hides the keys it does not see, finds its maximum in this block.
void scaleRow(const AttentionTile& tile, const SpanScratch& s, int row, KeyRange seen, int keys) {
    float* scores = s.scores + row * s.paddedTokens;
    const int padded = roundedUp(keys);
    F scale = Simd::set1(tile.scale);
    if (tile.scoreCap > 0.0F) {
        const F cap = Simd::set1(tile.scoreCap);
        const F twiceInverse = Simd::set1(2.0F / tile.scoreCap);
        for (int key = 0; key < padded; key += Simd::kLanes) {
            const F scaled = Simd::mul(Simd::load(scores + key), scale);
            Simd::store(scores + key, softCapped(scaled, cap, twiceInverse));
        }
        scale = Simd::set1(1.0F);
    }
    for (int key = 0; key < seen.first; ++key) {
        scores[key] = -__builtin_inff();
    }
    for (int key = seen.end; key < padded; ++key) {
        scores[key] = -__builtin_inff();
    }
    F largest = Simd::set1(kNoMaximum);
    for (int key = 0; key < padded; key += Simd::kLanes) {
        const F scaled = Simd::mul(Simd::load(scores + key), scale);
        Simd::store(scores + key, scaled);
        largest = Simd::max(scaled, largest);
    }
    s.found[row] = Simd::largest(largest);
}

// Online softmax: the maxima with this block's, and what sums so far are multiplied by.
void correctRows(const SpanScratch& s, int rows) {
    for (int row = 0; row < rows; row += Simd::kLanes) {
        const F before = Simd::load(s.maxima + row);
        const F maximum = Simd::max(Simd::load(s.found + row), before);
        Simd::store(s.maxima + row, maximum);
        Simd::store(s.corrections + row, exponential(Simd::sub(before, maximum)));
    }
}

// Turns a row of scores into weights and adds them to the row's sum of weights.
void weighRow(const AttentionTile& tile, const SpanScratch& s, int row, int keys) {
    float* scores = s.scores + row * s.paddedTokens;
    float* weights = tile.partial + row * partialPitch(s.paddedDim) + s.paddedDim;
    const F maximum = Simd::set1(s.maxima[row]);
    F sum = Simd::mul(Simd::load(weights), Simd::set1(s.corrections[row]));
    for (int key = 0; key < roundedUp(keys); key += Simd::kLanes) {
        const F weight = exponential(Simd::sub(Simd::load(scores + key), maximum));
        Simd::store(scores + key, weight);
        sum = Simd::add(sum, weight);
    }
    Simd::store(weights, sum);
}

// Rows that fit one group read F16 where it lies: widened apart, it would be read once as well.
void scoreBlock(const AttentionTile& tile, const AttentionBlock& block, const SpanScratch& s,
                int keys) {
    const int rows = tile.tokens * tile.heads;
    const bool isDirect = rows <= Simd::kScoreRows && tile.keys.coding == KvCoding::Channel16;
    if (!isDirect) {
        loadKeys(tile, block, keys, s);
    }
    eachRowGroup<Simd::kScoreRows>(0, rows, [&](auto count, int row) {
        constexpr int kRows = decltype(count)::value;
        if (isDirect) {
            scoreAllKeys<kRows>(tile, s, row, keys, channelsOf(tile, block), tile.blockTokens,
                                tile.values.data + block.block * tile.values.blockStride);
        } else {
            scoreAllKeys<kRows>(tile, s, row, keys, s.keys, s.paddedTokens, nullptr);
        }
    });
}

// nextKeys: what is read afterwards.
void addBlockValues(const AttentionTile& tile, const AttentionBlock& block,
                    const std::byte* nextKeys, const SpanScratch& s, int keys) {
    const int rows = tile.tokens * tile.heads;
    const bool isDirect = rows <= Simd::kScoreRows && tile.values.coding == KvCoding::F16 &&
                          tile.valueDim == s.paddedDim;
    if (!isDirect) {
        loadValues(tile, block, keys, s);
    }
    eachRowGroup<Simd::kScoreRows>(0, rows, [&](auto count, int row) {
        constexpr int kRows = decltype(count)::value;
        if (isDirect) {
            addAllValues<kRows>(s, tile.partial, row, keys, halvesOf(tile, block),
                                tile.values.rowBytes / 2, nextKeys);
        } else {
            addAllValues<kRows>(s, tile.partial, row, keys, s.values, s.paddedDim, nullptr);
        }
    });
}

void attendSpan(const AttentionTile& tile) {
    const SpanScratch s = scratchOf(tile);
    const int rows = tile.tokens * tile.heads;
    const int pitch = partialPitch(s.paddedDim);
    for (int row = 0; row < rows; ++row) {
        float* sums = tile.partial + row * pitch;
        for (int d = 0; d < pitch; d += Simd::kLanes) {
            Simd::store(sums + d, Simd::zero());
        }
    }
    for (int row = 0; row < rows; row += Simd::kLanes) {
        Simd::store(s.maxima + row, Simd::set1(kNoMaximum));
        Simd::store(s.found + row, Simd::set1(kNoMaximum));
    }
    const std::int32_t lastPosition = tile.firstPosition + tile.tokens - 1;
    for (int b = 0; b < tile.blockCount; ++b) {
        const AttentionBlock block = tile.blocks[b];
        const std::int32_t seen = lastPosition - block.firstPosition + 1;
        const int keys = seen < tile.blockTokens ? seen : tile.blockTokens;
        if (keys <= 0) {
            break;
        }
        if (tile.firstPosition - block.firstPosition - tile.window + 1 >= tile.blockTokens) {
            continue; // before every row's window: it would add exactly 0
        }
        scoreBlock(tile, block, s, keys);
        for (int row = 0; row < rows; ++row) {
            scaleRow(tile, s, row, visibleKeys(tile, row, block, keys), keys);
        }
        correctRows(s, rows);
        for (int row = 0; row < rows; ++row) {
            weighRow(tile, s, row, keys);
        }
        // Behind the last block what comes next, or nothing new.
        const std::int32_t following = tile.blocks[b + 1 < tile.blockCount ? b + 1 : b].block;
        const std::byte* next = b + 1 == tile.blockCount && tile.nextKeys != nullptr
                                    ? tile.nextKeys
                                    : tile.keys.data + following * tile.keys.blockStride;
        addBlockValues(tile, block, next, s, keys);
    }
    for (int row = 0; row < rows; ++row) {
        tile.partial[row * pitch + pitch - kTileRows] = s.maxima[row];
    }
}

void mergeSpans(float* into, const float* from, int rows, int valueDim) {
    const int pitch = partialPitch(roundedUp(valueDim));
    const int place = pitch - kTileRows; // of the maximum; everything before it is sums
    for (int row = 0; row < rows; ++row, into += pitch, from += pitch) {
        const float maximum = into[place] > from[place] ? into[place] : from[place];
        const F keep = exponential(Simd::set1(into[place] - maximum));
        const F take = exponential(Simd::set1(from[place] - maximum));
        for (int d = 0; d < place; d += Simd::kLanes) {
            const F kept = Simd::mul(Simd::load(into + d), keep);
            Simd::store(into + d, Simd::fma(Simd::load(from + d), take, kept));
        }
        into[place] = maximum;
    }
}

float largestScore(const float* q, const float* least, const float* greatest, int dim) {
    F sum = Simd::zero();
    eachVector(dim, [&](std::int64_t d, int count) {
        const F factor = loadSome(q + d, count);
        sum = Simd::add(sum, Simd::max(Simd::mul(factor, loadSome(least + d, count)),
                                       Simd::mul(factor, loadSome(greatest + d, count))));
    });
    return Simd::sum(sum);
}

void finishAttention(const AttentionTile& tile) {
    const int paddedDim = roundedUp(tile.valueDim);
    const int pitch = partialPitch(paddedDim);
    for (int row = 0; row < tile.tokens * tile.heads; ++row) {
        const float* sums = tile.partial + row * pitch;
        const float weight = Simd::sum(Simd::load(sums + paddedDim));
        const F inverse = Simd::set1(weight > 0.0F ? 1.0F / weight : 0.0F);
        float* out =
            tile.out + row / tile.heads * tile.outStride + row % tile.heads * tile.valueDim;
        eachVector(tile.valueDim, [&](std::int64_t d, int count) {
            storeSome(out + d, Simd::mul(Simd::load(sums + d), inverse), count);
        });
    }
}

} // namespace
} // namespace kernels::cpu
