// What a query tile works on: its scratch, and the keys and values of a block as F32 vectors.
// Included by instruction-set units only.
#pragma once

#include "kernels/cpu/body_gates.h"
#include "kernels/cpu/body_kv.h"

namespace kernels::cpu {
namespace {

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

inline F loadElements(const float* p) {
    return Simd::load(p);
}
inline F loadElements(const std::uint16_t* p) {
    return Simd::loadHalf(p);
}

// A block's keys element by element, or its rows of values.
inline const std::uint16_t* channelsOf(const AttentionTile& tile, const AttentionBlock& block) {
    return reinterpret_cast<const std::uint16_t*>(tile.keys.data +
                                                  block.block * tile.keys.blockStride);
}
inline const std::uint16_t* halvesOf(const AttentionTile& tile, const AttentionBlock& block) {
    return reinterpret_cast<const std::uint16_t*>(tile.values.data +
                                                  block.block * tile.values.blockStride);
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

void widenChannels(const std::uint16_t* channels, const AttentionTile& tile, int keys, float* out,
                   int paddedTokens) {
    for (int d = 0; d < tile.keyDim; ++d, channels += tile.blockTokens, out += paddedTokens) {
        for (int key = 0; key < keys; key += Simd::kLanes) {
            Simd::store(out + key, Simd::loadHalf(channels + key));
        }
    }
}

void loadKeys(const AttentionTile& tile, const AttentionBlock& block, int keys,
              const SpanScratch& s) {
    if (tile.keys.coding == KvCoding::Channel4) {
        loadChannelKeys(tile, block, keys, s);
        return;
    }
    if (tile.keys.coding == KvCoding::Channel16) {
        widenChannels(channelsOf(tile, block), tile, keys, s.keys, s.paddedTokens);
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

} // namespace
} // namespace kernels::cpu
