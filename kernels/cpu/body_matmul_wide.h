// Products of many rows of activations: a few tiles are expanded once to bytes and F32 factors,
// small enough for L1, and all blocks of activations pass by, four rows at a time: with three tiles
// their dot products and sums just fit the registers. Written for vectors of sixteen lanes with a
// dot product of unsigned codes; the sums of a row are those of body_matmul.h to the bit.
//
// Expanded record of a group of 32 columns: codes of every tile, [8][16 rows][4 columns] each; then
// for each tile and part its scales [16] and, where the kind has them, minimums [16]. Plain numbers
// expand to F32, a record a column: [tile][16 rows].
#pragma once

#include "kernels/cpu/body_matmul.h"

namespace kernels::cpu {
namespace {

constexpr std::size_t kExpandedCodes = 512; // bytes of a tile's group

constexpr std::size_t expandedFactors(int parts, bool hasMinimum) {
    return static_cast<std::size_t>(64 * parts * (hasMinimum ? 2 : 1));
}

constexpr std::size_t expandedRecord(int parts, bool hasMinimum) {
    return kWideTiles * (kExpandedCodes + expandedFactors(parts, hasMinimum));
}

template <TileKind kKind, int kPart>
[[gnu::always_inline]] inline void expandFactors(const TileStreams& streams, std::uint8_t* out) {
    constexpr TileTraits kTraits = tileTraits(kKind);
    constexpr int kNumbers = kTraits.hasMinimum ? 2 : 1;
    const Factors factors = factorsOf<kKind, kPart>(streams.factors, streams.super, 0);
    auto* numbers = reinterpret_cast<float*>(out) + kTileRows * kNumbers * kPart;
    Simd::store(numbers, factors.scale);
    if constexpr (kTraits.hasMinimum) {
        Simd::store(numbers + kTileRows, factors.minimum);
    }
}

template <TileKind kKind>
void expandTiles(const ExpandRun& run) {
    constexpr TileTraits kTraits = tileTraits(kKind);
    constexpr std::size_t kRecord = expandedRecord(kTraits.parts, kTraits.hasMinimum);
    constexpr std::size_t kFactors = expandedFactors(kTraits.parts, kTraits.hasMinimum);
    const TileShape& shape = *run.shape;
    std::uint8_t table[16];
    if constexpr (kTraits.usesTable) {
        for (int i = 0; i < 16; ++i) {
            table[i] = static_cast<std::uint8_t>(shape.table[i] + 128);
        }
    }
    for (int n = 0; n < kWideTiles; ++n) {
        const auto* tile = reinterpret_cast<const std::uint8_t*>(run.tiles[n]);
        auto* out = reinterpret_cast<std::uint8_t*>(run.out) + n * kExpandedCodes;
        auto* outFactors =
            reinterpret_cast<std::uint8_t*>(run.out) + kWideTiles * kExpandedCodes + n * kFactors;
        for (std::int64_t i = 0; i < run.groups; ++i) {
            const auto group = static_cast<std::size_t>(run.firstGroup + i);
            const TileStreams streams{tile + group * codeRecord(kTraits),
                                      tile + shape.factorOffset + group * factorRecord(kTraits),
                                      tile + shape.superOffset + group / 8 * superRecord(kTraits)};
            const auto put = [&](auto column) __attribute__((always_inline)) {
                constexpr int kColumn = decltype(column)::value;
                Simd::storeBytes(out + 64 * kColumn, codesOf<kKind, kColumn>(streams.codes, table));
            };
            put(Index<0>{});
            put(Index<1>{});
            put(Index<2>{});
            put(Index<3>{});
            put(Index<4>{});
            put(Index<5>{});
            put(Index<6>{});
            put(Index<7>{});
            expandFactors<kKind, 0>(streams, outFactors);
            if constexpr (kTraits.parts == 2) {
                expandFactors<kKind, 1>(streams, outFactors);
            }
            out += kRecord;
            outFactors += kRecord;
        }
    }
}

template <int kRows>
using WideSums = MatmulF[kWideTiles][kRows];

// kTokens tokens of kTerms rows each.
template <int kParts, bool kHasMinimum, int kPart, int kTerms, int kTokens>
[[gnu::always_inline]] inline void
addWidePart(const std::uint8_t* record, const ActivationBlock& block, WideSums<kTokens>& sums) {
    constexpr int kRows = kTokens * kTerms;
    constexpr int kColumns = 8 / kParts;
    Simd::Dot<255> dots[kWideTiles][kRows];
#pragma GCC unroll 4
    for (int t = 0; t < kRows; ++t) {
#pragma GCC unroll 3
        for (int n = 0; n < kWideTiles; ++n) {
            dots[n][t].begin(kHasMinimum ? 0 : block.bias[kPart * block.width + t]);
        }
    }
#pragma GCC unroll 8
    for (int i = 0; i < kColumns; ++i) {
        const int column = kPart * kColumns + i;
        MatmulI codes[kWideTiles];
#pragma GCC unroll 3
        for (int n = 0; n < kWideTiles; ++n) {
            codes[n] = Simd::loadCodes(record + n * kExpandedCodes + 64 * column);
        }
#pragma GCC unroll 4
        for (int t = 0; t < kRows; ++t) {
            const MatmulI four = Simd::broadcast4(block.codes + kGroupColumns * t + 4 * column);
#pragma GCC unroll 3
            for (int n = 0; n < kWideTiles; ++n) {
                dots[n][t].template add<0>(codes[n], four);
            }
        }
    }
    constexpr int kNumbers = kHasMinimum ? 2 : 1;
    const auto* factors = reinterpret_cast<const float*>(record + kWideTiles * kExpandedCodes);
#pragma GCC unroll 3
    for (int n = 0; n < kWideTiles; ++n) {
        const float* numbers = factors + kTileRows * kNumbers * (kParts * n + kPart);
        const MatmulF scales = Simd::load(numbers);
#pragma GCC unroll 4
        for (int t = 0; t < kTokens; ++t) {
            const int last = kTerms * t + kTerms - 1;
            const MatmulF scale = Simd::mul(scales, Simd::set1(block.scales[last]));
            sums[n][t] = Simd::fma(termsOf<kTerms>(&dots[n][kTerms * t]), scale, sums[n][t]);
            if constexpr (kHasMinimum) {
                const MatmulF sum = Simd::set1(block.sums[kPart * block.width + last]);
                sums[n][t] = Simd::fma(Simd::load(numbers + kTileRows), sum, sums[n][t]);
            }
        }
    }
}

template <int kRows>
void storeWide(const WideRun& run, int token, const WideSums<kRows>& sums) {
#pragma GCC unroll 3
    for (int n = 0; n < kWideTiles; ++n) {
        const int count = run.rows - n * kTileRows;
        if (count <= 0) {
            return;
        }
#pragma GCC unroll 8
        for (int t = 0; t < kRows; ++t) {
            float* out = run.out + (token + t) * run.outStride + n * kTileRows;
            if (count >= kTileRows) {
                Simd::store(out, sums[n][t]);
            } else {
                Simd::storePart(out, sums[n][t], count);
            }
        }
    }
}

// The kTokens tokens of the block whose rows begin at `row`.
template <int kParts, bool kHasMinimum, int kTerms, int kTokens>
void multiplyWide(const WideRun& run, int row) {
    const auto* record = reinterpret_cast<const std::uint8_t*>(run.expanded);
    ActivationBlock block = run.block;
    block.codes += row * kGroupColumns;
    block.scales += row;
    block.bias += row;
    block.sums += row;
    float* kept = run.sums + kWideTiles * kTileRows * row;
    WideSums<kTokens> sums;
#pragma GCC unroll 3
    for (int n = 0; n < kWideTiles; ++n) {
#pragma GCC unroll 4
        for (int t = 0; t < kTokens; ++t) {
            sums[n][t] =
                run.isFirst ? Simd::zero() : Simd::load(kept + kTileRows * (kTokens * n + t));
        }
    }
    const std::int64_t width = block.width;
    const std::byte* ahead = run.ahead + row / kWideRows * run.groups * run.aheadLines * 64;
    for (std::int64_t group = 0; group < run.groups; ++group) {
        // This group of the next block's rows; and some lines of the tiles that come next, so that
        // memory works while these are multiplied.
        Simd::prefetch(block.codes + run.nextBlock);
        Simd::prefetch(block.codes + run.nextBlock + 64);
        for (int line = 0; line < run.aheadLines; ++line) {
            Simd::prefetchFar(ahead);
            ahead += 64;
        }
        addWidePart<kParts, kHasMinimum, 0, kTerms>(record, block, sums);
        if constexpr (kParts == 2) {
            addWidePart<kParts, kHasMinimum, 1, kTerms>(record, block, sums);
        }
        record += expandedRecord(kParts, kHasMinimum);
        block.codes += width * kGroupColumns;
        block.scales += width;
        block.bias += kParts * width;
        block.sums += kParts * width;
    }
    if (run.isLast) {
        storeWide<kTokens>(run, row / kTerms, sums);
        return;
    }
#pragma GCC unroll 3
    for (int n = 0; n < kWideTiles; ++n) {
#pragma GCC unroll 4
        for (int t = 0; t < kTokens; ++t) {
            Simd::store(kept + kTileRows * (kTokens * n + t), sums[n][t]);
        }
    }
}

template <int kParts, bool kHasMinimum>
void wideRun(const WideRun& run) {
    for (int row = 0; row < run.block.width; row += kWideRows) {
        const int left = run.block.width - row;
        if (run.terms == 2) {
            left < kWideRows ? multiplyWide<kParts, kHasMinimum, 2, 1>(run, row)
                             : multiplyWide<kParts, kHasMinimum, 2, 2>(run, row);
        } else if (left >= kWideRows) {
            multiplyWide<kParts, kHasMinimum, 1, 4>(run, row);
        } else if (left == 3) {
            multiplyWide<kParts, kHasMinimum, 1, 3>(run, row);
        } else if (left == 2) {
            multiplyWide<kParts, kHasMinimum, 1, 2>(run, row);
        } else {
            multiplyWide<kParts, kHasMinimum, 1, 1>(run, row);
        }
    }
}

template <TileKind kKind>
void expandNumbers(const ExpandRun& run) {
    constexpr std::int64_t kStep = kTileRows * numberBytes<kKind>();
    for (int n = 0; n < kWideTiles; ++n) {
        const std::byte* from = run.tiles[n] + run.firstGroup * kStep;
        auto* out = reinterpret_cast<float*>(run.out) + kTileRows * n;
        for (std::int64_t k = 0; k < run.groups; ++k) {
            Simd::store(out, loadNumbers<kKind>(from));
            from += kStep;
            out += kWideTiles * kTileRows;
        }
    }
}

template <int kRows>
void multiplyWideNumbers(const WideRun& run) {
    WideSums<kRows> sums;
#pragma GCC unroll 3
    for (int n = 0; n < kWideTiles; ++n) {
#pragma GCC unroll 8
        for (int t = 0; t < kRows; ++t) {
            sums[n][t] =
                run.isFirst ? Simd::zero() : Simd::load(run.sums + kTileRows * (kRows * n + t));
        }
    }
    const auto* weights = reinterpret_cast<const float*>(run.expanded);
    const std::byte* ahead = run.ahead;
    for (std::int64_t k = 0; k < run.groups; ++k) {
        for (int line = 0; line < run.aheadLines; ++line) {
            Simd::prefetchFar(ahead);
            ahead += 64;
        }
        MatmulF w[kWideTiles];
#pragma GCC unroll 3
        for (int n = 0; n < kWideTiles; ++n) {
            w[n] = Simd::load(weights);
            weights += kTileRows;
        }
#pragma GCC unroll 8
        for (int t = 0; t < kRows; ++t) {
            const MatmulF value = Simd::set1(run.x[t * run.xStride + k]);
#pragma GCC unroll 3
            for (int n = 0; n < kWideTiles; ++n) {
                sums[n][t] = Simd::fma(w[n], value, sums[n][t]);
            }
        }
    }
    if (run.isLast) {
        if (run.scales[0] != nullptr) {
#pragma GCC unroll 3
            for (int n = 0; n < kWideTiles; ++n) {
                const MatmulF scale = Simd::load(run.scales[n]);
#pragma GCC unroll 8
                for (int t = 0; t < kRows; ++t) {
                    sums[n][t] = Simd::mul(sums[n][t], scale);
                }
            }
        }
        storeWide<kRows>(run, 0, sums);
        return;
    }
#pragma GCC unroll 3
    for (int n = 0; n < kWideTiles; ++n) {
#pragma GCC unroll 8
        for (int t = 0; t < kRows; ++t) {
            Simd::store(run.sums + kTileRows * (kRows * n + t), sums[n][t]);
        }
    }
}

void wideNumbers(const WideRun& run) {
    static constexpr void (*kByWidth[kBlockTokens])(const WideRun&) = {
        multiplyWideNumbers<1>, multiplyWideNumbers<2>, multiplyWideNumbers<3>,
        multiplyWideNumbers<4>, multiplyWideNumbers<5>, multiplyWideNumbers<6>,
        multiplyWideNumbers<7>, multiplyWideNumbers<8>};
    kByWidth[run.block.width - 1](run);
}

template <int kKind>
constexpr void addExpansions(WideTable& table) {
    if constexpr (kKind < kTileKinds) {
        constexpr auto kTile = static_cast<TileKind>(kKind);
        if constexpr (tileTraits(kTile).codeBits != 0) {
            table.expand[kKind] = expandTiles<kTile>;
        } else {
            table.expand[kKind] = expandNumbers<kTile>;
        }
        addExpansions<kKind + 1>(table);
    }
}

constexpr WideTable wideTable() {
    WideTable table{
        .expand = {},
        .multiply = {{wideRun<1, false>, wideRun<1, true>}, {wideRun<2, false>, wideRun<2, true>}},
        .multiplyNumbers = wideNumbers,
    };
    addExpansions<0>(table);
    return table;
}

constexpr WideTable kWideRuns = wideTable();

} // namespace
} // namespace kernels::cpu
