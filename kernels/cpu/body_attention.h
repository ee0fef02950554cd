// Paged attention of one query tile over one span of blocks, written once over Simd. Included by
// instruction-set units only.
//
// A row's sums depend on its own position and its keys only: scores are summed over ascending
// elements, values over ascending keys, blocks in ascending position; a masked key adds exactly 0.
#pragma once

#include "kernels/cpu/body_gates.h"
#include "kernels/cpu/body_kv.h"

namespace kernels::cpu {
namespace {

constexpr int kChunk = 4; // vectors of a row that a micro-kernel keeps in registers
constexpr float kNoMaximum = -1e30F;

inline int roundedUp(int n) {
    return (n + 15) / 16 * 16;
}

// A row of partial sums: of the values [paddedDim], of the weights lane by lane [16], and the
// row's maximum [16, the first of them].
inline int partialPitch(int paddedDim) {
    return paddedDim + kPartialTail;
}

struct SpanScratch {
    float* keys;        // [keyDim][paddedTokens], transposed
    float* values;      // [blockTokens][paddedDim]
    float* scores;      // [rows][paddedTokens]
    float* maxima;      // [rows, rounded up]: of the blocks so far
    float* found;       // of this block
    float* corrections; // what sums so far are multiplied by
    int paddedTokens;
    int paddedDim; // of values
};

inline SpanScratch scratchOf(const AttentionTile& tile) {
    SpanScratch s{};
    s.paddedTokens = roundedUp(tile.blockTokens);
    s.paddedDim = roundedUp(tile.valueDim);
    const int rows = tile.tokens * tile.heads;
    s.keys = tile.scratch;
    s.values = s.keys + roundedUp(tile.keyDim) * s.paddedTokens;
    s.scores = s.values + s.paddedTokens * s.paddedDim;
    s.maxima = s.scores + rows * s.paddedTokens;
    s.found = s.maxima + roundedUp(rows);
    s.corrections = s.found + roundedUp(rows);
    return s;
}

// keys[d][key] = K[key][d] for keys [first, end), first a multiple of 16; zero past the last one.
template <KvCoding kCoding>
void transposeRows(const StoredRows& rows, const std::byte* source, int first, int end,
                   const SpanScratch& s) {
    constexpr int kLanes = Simd::kLanes;
    for (int key = first; key < roundedUp(end); key += kLanes) {
        for (int d = 0; d < rows.dim; d += kLanes) {
            F v[kLanes];
            for (int i = 0; i < kLanes; ++i) {
                v[i] = key + i < end
                           ? KvRow<kCoding>(rows, source + (key + i) * rows.rowBytes).at(d)
                           : Simd::zero();
            }
            Simd::transpose(v);
            for (int i = 0; i < kLanes && d + i < rows.dim; ++i) {
                Simd::store(s.keys + (d + i) * s.paddedTokens + key, v[i]);
            }
        }
    }
}

// The same for a group of 32 keys that lie element by element.
void unpackChannels(const std::byte* group, int dim, float* keys, int paddedTokens) {
    const auto* codes = reinterpret_cast<const std::uint8_t*>(group);
    const auto* scales = reinterpret_cast<const std::uint16_t*>(group + std::ptrdiff_t{16} * dim);
    for (int d = 0; d < dim; ++d, codes += 16, keys += paddedTokens) {
        const F scale = Simd::setHalf(scales + d);
        const F minimum = Simd::setHalf(scales + dim + d);
        for (int i = 0; i < 16; i += Simd::kLanes) {
            Simd::store(keys + i, Simd::fma(Simd::lowNibbles(codes + i), scale, minimum));
            Simd::store(keys + 16 + i, Simd::fma(Simd::highNibbles(codes + i), scale, minimum));
        }
    }
}

// Groups that no row of the tile reads in full precision, then those that all of them do.
void loadChannelKeys(const AttentionTile& tile, const AttentionBlock& block, int keys,
                     const SpanScratch& s) {
    constexpr int kGroup = kKvGroup;
    const std::byte* coded = tile.keys.data + block.block * tile.keys.blockStride;
    const std::byte* recent = tile.recent.data + block.recent * tile.recent.blockStride;
    const auto begin = static_cast<std::int32_t>(kvRecentBegin(tile.firstPosition));
    for (int first = 0; first < keys; first += kGroup) {
        if (block.firstPosition + first < begin) {
            unpackChannels(coded + first * tile.keys.rowBytes, tile.keyDim, s.keys + first,
                           s.paddedTokens);
        } else {
            const int end = first + kGroup < keys ? first + kGroup : keys;
            transposeRows<KvCoding::F16>(tile.recent, recent, first, end, s);
        }
    }
}

void loadKeys(const AttentionTile& tile, const AttentionBlock& block, int keys,
              const SpanScratch& s) {
    if (tile.keys.coding == KvCoding::Channel4) {
        loadChannelKeys(tile, block, keys, s);
        return;
    }
    withRowCoding(tile.keys.coding, [&](auto coding) {
        transposeRows<decltype(coding)::value>(
            tile.keys, tile.keys.data + block.block * tile.keys.blockStride, 0, keys, s);
    });
}

void loadValues(const AttentionTile& tile, const AttentionBlock& block, int keys,
                const SpanScratch& s) {
    const std::byte* source = tile.values.data + block.block * tile.values.blockStride;
    withRowCoding(tile.values.coding, [&](auto coding) {
        for (int key = 0; key < keys; ++key, source += tile.values.rowBytes) {
            const KvRow<decltype(coding)::value> row(tile.values, source);
            float* out = s.values + key * s.paddedDim;
            int d = 0;
            for (; d < tile.valueDim; d += Simd::kLanes) {
                Simd::store(out + d, row.at(d));
            }
            for (; d < s.paddedDim; d += Simd::kLanes) {
                Simd::store(out + d, Simd::zero());
            }
        }
    });
}

inline const float* queryRow(const AttentionTile& tile, int row) {
    return tile.q + row / tile.heads * tile.queryStride + row % tile.heads * tile.keyDim;
}

// scores[row][key .. key + kVectors * kLanes) = q[row] . K
template <int kRows, int kVectors>
void scoreRows(const AttentionTile& tile, const SpanScratch& s, int row, int key) {
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
    const float* keys = s.keys + key;
    for (int d = 0; d < tile.keyDim; ++d, keys += s.paddedTokens) {
        F factors[kRows];
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) {
            factors[r] = Simd::set1(q[r][d]);
        }
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) {
            const F k = Simd::load(keys + v * Simd::kLanes);
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

// sums[row][d ..) = sums * correction + weights . V
template <int kRows, int kVectors>
void addValueRows(const SpanScratch& s, float* partial, int row, int keys, int d) {
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
    const float* values = s.values + d;
    for (int key = 0; key < keys; ++key, values += s.paddedDim) {
        F factors[kRows];
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) {
            factors[r] = Simd::set1(weights[r * s.paddedTokens + key]);
        }
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) {
            const F value = Simd::load(values + v * Simd::kLanes);
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

template <int kRows>
void scoreAllKeys(const AttentionTile& tile, const SpanScratch& s, int row, int keys) {
    int key = 0;
    for (; key + kChunk * Simd::kLanes <= roundedUp(keys); key += kChunk * Simd::kLanes) {
        scoreRows<kRows, kChunk>(tile, s, row, key);
    }
    for (; key < roundedUp(keys); key += Simd::kLanes) {
        scoreRows<kRows, 1>(tile, s, row, key);
    }
}

template <int kRows>
void addAllValues(const SpanScratch& s, float* partial, int row, int keys) {
    int d = 0;
    for (; d + kChunk * Simd::kLanes <= s.paddedDim; d += kChunk * Simd::kLanes) {
        addValueRows<kRows, kChunk>(s, partial, row, keys, d);
    }
    for (; d < s.paddedDim; d += Simd::kLanes) {
        addValueRows<kRows, 1>(s, partial, row, keys, d);
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

inline KeyRange visibleKeys(const AttentionTile& tile, int row, std::int32_t blockPosition,
                            int keys) {
    const auto clamped = [keys](std::int32_t key) { return key < 0 ? 0 : key < keys ? key : keys; };
    const std::int32_t own = tile.firstPosition + row / tile.heads - blockPosition;
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
        loadKeys(tile, block, keys, s);
        eachRowGroup<Simd::kScoreRows>(0, rows, [&](auto count, int row) {
            scoreAllKeys<decltype(count)::value>(tile, s, row, keys);
        });
        for (int row = 0; row < rows; ++row) {
            scaleRow(tile, s, row, visibleKeys(tile, row, block.firstPosition, keys), keys);
        }
        correctRows(s, rows);
        for (int row = 0; row < rows; ++row) {
            weighRow(tile, s, row, keys);
        }
        loadValues(tile, block, keys, s);
        eachRowGroup<Simd::kScoreRows>(0, rows, [&](auto count, int row) {
            addAllValues<decltype(count)::value>(s, tile.partial, row, keys);
        });
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
