// Products of packed weight tiles with a block of activations, written once over Simd. Included by
// instruction-set units only.
//
// A tile is 16 rows; an accumulator holds as many rows as Simd has lanes. For every group of 32
// columns the codes are multiplied exactly in I32, then scaled and added in F32, in ascending k.
// How many tokens (kTokens) or tiles (kTiles) share the loads never changes that order.
#pragma once

#include "kernels/cpu/simd.h"
#include "kernels/cpu/tile_traits.h"

namespace kernels::cpu {
namespace {

using MatmulF = Simd::F;
using MatmulI = Simd::I;

template <int kValue>
struct Index {
    static constexpr int value = kValue;
};

// Bytes of the stream ahead of the loads: far enough for memory, near enough to stay in L1.
constexpr int kPrefetchAhead = 3072;

// Codes of columns 4j .. 4j+3 of 16 (or kLanes) rows, as unsigned bytes.
template <TileKind kKind, int kColumn>
[[gnu::always_inline]] inline MatmulI codesOf(const std::uint8_t* record,
                                              const std::uint8_t* table) {
    constexpr TileTraits kTraits = tileTraits(kKind);
    constexpr int kBits = kTraits.codeBits;
    if constexpr (kBits == 8) {
        return Simd::loadCodes(record + 64 * kColumn);
    } else {
        const MatmulI pair = Simd::loadCodes(record + 64 * (kColumn % 4));
        const MatmulI fifteen = Simd::bytes(15);
        const MatmulI low =
            Simd::bitAnd(kColumn < 4 ? pair : Simd::template shiftRight<4>(pair), fifteen);
        if constexpr (kTraits.usesTable) {
            return Simd::lookUp(Simd::loadTable(table), low);
        } else if constexpr (kBits == 5) { // bit j of the fifth record belongs to column group j
            const MatmulI bits = Simd::loadCodes(record + 256);
            constexpr int kLeft = kColumn < 4 ? 4 - kColumn : 0;
            constexpr int kRight = kColumn > 4 ? kColumn - 4 : 0;
            const MatmulI moved =
                Simd::template shiftRight<kRight>(Simd::template shiftLeft<kLeft>(bits));
            return Simd::bitOr(low, Simd::bitAnd(moved, Simd::bytes(16)));
        } else if constexpr (kBits == 6) { // two bits each, four column groups a record
            const MatmulI bits = Simd::loadCodes(record + 256 + 64 * (kColumn / 4));
            constexpr int kField = kColumn % 4;
            constexpr int kLeft = kField < 2 ? 4 - 2 * kField : 0;
            constexpr int kRight = kField == 3 ? 2 : 0;
            const MatmulI moved =
                Simd::template shiftRight<kRight>(Simd::template shiftLeft<kLeft>(bits));
            return Simd::bitOr(low, Simd::bitAnd(moved, Simd::bytes(48)));
        } else {
            return low;
        }
    }
}

struct Factors {
    MatmulF scale;
    MatmulF minimum; // added; only where the kind has one
};

template <TileKind kKind, int kPart>
[[gnu::always_inline]] inline Factors factorsOf(const std::uint8_t* factors,
                                                const std::uint8_t* super, int lane) {
    constexpr TileTraits kTraits = tileTraits(kKind);
    constexpr int kMinimumPart = kTraits.parts + kPart;
    Factors result{Simd::zero(), Simd::zero()};
    if constexpr (kTraits.factor == FactorKind::Half) {
        const auto* halves = reinterpret_cast<const std::uint16_t*>(factors) + lane;
        result.scale = Simd::loadHalf(halves + 16 * kPart);
        if constexpr (kTraits.hasMinimum) {
            result.minimum = Simd::loadHalf(halves + 16 * kMinimumPart);
        }
    } else if constexpr (kTraits.factor == FactorKind::Float) {
        result.scale = Simd::load(reinterpret_cast<const float*>(factors) + lane + 16 * kPart);
    } else {
        const auto* halves = reinterpret_cast<const std::uint16_t*>(super) + lane;
        const auto* steps = reinterpret_cast<const std::int8_t*>(factors) + lane;
        result.scale = Simd::mul(Simd::loadHalf(halves), Simd::bytesToFloat(steps + 16 * kPart));
        if constexpr (kTraits.hasMinimum) {
            const MatmulF depth =
                Simd::mul(Simd::loadHalf(halves + 16),
                          Simd::unsignedBytesToFloat(factors + lane + 16 * kMinimumPart));
            result.minimum = Simd::sub(Simd::zero(), depth);
        }
    }
    return result;
}

// Streams of one tile, at the current group.
struct TileStreams {
    const std::uint8_t* codes;
    const std::uint8_t* factors;
    const std::uint8_t* super;
};

// Columns of one part in the order that loads a byte's two nibbles together.
template <int kParts, int kPart, class Function>
[[gnu::always_inline]] inline void eachColumn(Function function) {
    if constexpr (kParts == 1) {
        function(Index<0>{}, Index<0>{});
        function(Index<4>{}, Index<1>{});
        function(Index<1>{}, Index<2>{});
        function(Index<5>{}, Index<3>{});
        function(Index<2>{}, Index<4>{});
        function(Index<6>{}, Index<5>{});
        function(Index<3>{}, Index<6>{});
        function(Index<7>{}, Index<7>{});
    } else {
        function(Index<4 * kPart>{}, Index<0>{});
        function(Index<4 * kPart + 1>{}, Index<1>{});
        function(Index<4 * kPart + 2>{}, Index<2>{});
        function(Index<4 * kPart + 3>{}, Index<3>{});
    }
}

// Adds one part of a group to the sums of kTiles x kTokens.
template <TileKind kKind, int kPart, int kTokens, int kTiles>
[[gnu::always_inline]] inline void addPart(const TileStreams* streams, const ActivationBlock& block,
                                           const std::uint8_t* table, int lane,
                                           MatmulF (&sums)[kTiles][kTokens]) {
    constexpr TileTraits kTraits = tileTraits(kKind);
    constexpr int kLargest = largestCode(kTraits);
    constexpr bool kIsBiased = kTraits.bias != 0 && (kLargest < 255 || Simd::kHasUnsignedDot);
    typename Simd::template Dot<kLargest> dots[kTiles][kTokens];
#pragma GCC unroll 8
    for (int t = 0; t < kTokens; ++t) {
#pragma GCC unroll 4
        for (int n = 0; n < kTiles; ++n) {
            dots[n][t].begin(kIsBiased ? block.bias[kPart * block.width + t] : 0);
        }
    }
    eachColumn<kTraits.parts, kPart>([&](auto column, auto step) __attribute__((always_inline)) {
        MatmulI codes[kTiles];
#pragma GCC unroll 4
        for (int n = 0; n < kTiles; ++n) {
            codes[n] = codesOf<kKind, decltype(column)::value>(streams[n].codes + 4 * lane, table);
        }
#pragma GCC unroll 8
        for (int t = 0; t < kTokens; ++t) {
            const MatmulI four =
                Simd::broadcast4(block.codes + kGroupColumns * t + 4 * decltype(column)::value);
#pragma GCC unroll 4
            for (int n = 0; n < kTiles; ++n) {
                dots[n][t].template add<decltype(step)::value>(codes[n], four);
            }
        }
    });
#pragma GCC unroll 4
    for (int n = 0; n < kTiles; ++n) {
        const Factors factors = factorsOf<kKind, kPart>(streams[n].factors, streams[n].super, lane);
#pragma GCC unroll 8
        for (int t = 0; t < kTokens; ++t) {
            const MatmulF scale = Simd::mul(factors.scale, Simd::set1(block.scales[t]));
            sums[n][t] = Simd::fma(Simd::toFloat(dots[n][t].result()), scale, sums[n][t]);
            if constexpr (kTraits.hasMinimum) {
                sums[n][t] = Simd::fma(factors.minimum,
                                       Simd::set1(block.sums[kPart * block.width + t]), sums[n][t]);
            }
        }
    }
}

// Writes the sums of kTiles tiles and kTokens rows of activations, the last tile cut to its rows.
template <int kTokens, int kTiles>
[[gnu::always_inline]] inline void storeSums(const TileRun& run, std::int64_t tile, int token,
                                             int lane, const MatmulF (&sums)[kTiles][kTokens]) {
#pragma GCC unroll 4
    for (int n = 0; n < kTiles; ++n) {
        const int rows = tile + n + 1 == run.tileCount ? run.lastRows : kTileRows;
        const int count = rows - lane < Simd::kLanes ? rows - lane : Simd::kLanes;
        if (count <= 0) {
            continue;
        }
        float* out = run.out + (tile + n) * kTileRows + lane;
        const auto put = [&](int row, MatmulF sum) __attribute__((always_inline)) {
            float* p = out + row * run.outStride;
            if (count == Simd::kLanes) {
                Simd::store(p, sum);
            } else {
                Simd::storePart(p, sum, count);
            }
        };
        if (run.terms == 1) {
#pragma GCC unroll 8
            for (int t = 0; t < kTokens; ++t) {
                put(token + t, sums[n][t]);
            }
        } else {
#pragma GCC unroll 4
            for (int t = 0; t + 1 < kTokens; t += 2) {
                put((token + t) / 2, Simd::add(sums[n][t], sums[n][t + 1]));
            }
        }
    }
}

// kTiles tiles times rows [token, token + kTokens) of the block, rows [lane, lane + kLanes) of
// each.
template <TileKind kKind, int kTokens, int kTiles>
void multiplyCodes(const TileRun& run, std::int64_t tile, int token, int lane) {
    constexpr TileTraits kTraits = tileTraits(kKind);
    const TileShape& shape = *run.shape;
    TileStreams streams[kTiles];
    for (int n = 0; n < kTiles; ++n) {
        const auto* start = reinterpret_cast<const std::uint8_t*>(run.tiles) +
                            static_cast<std::size_t>(tile + n) * shape.bytes;
        streams[n] = {start, start + shape.factorOffset, start + shape.superOffset};
    }
    std::uint8_t table[16];
    if constexpr (kTraits.usesTable) {
        for (int i = 0; i < 16; ++i) {
            table[i] = static_cast<std::uint8_t>(shape.table[i] + 128);
        }
    }
    ActivationBlock block = run.block;
    const std::int64_t width = block.width;
    block.codes += token * kGroupColumns;
    block.scales += token;
    block.bias += token;
    block.sums += token;
    MatmulF sums[kTiles][kTokens];
#pragma GCC unroll 4
    for (int n = 0; n < kTiles; ++n) {
#pragma GCC unroll 8
        for (int t = 0; t < kTokens; ++t) {
            sums[n][t] = Simd::zero();
        }
    }
    const std::int64_t groups = shape.columns / kGroupColumns;
    for (std::int64_t group = 0; group < groups; ++group) {
#pragma GCC unroll 4
        for (int n = 0; n < kTiles; ++n) {
#pragma GCC unroll 8
            for (int line = 0; line < kTraits.codeBits; ++line) {
                Simd::prefetch(streams[n].codes + kPrefetchAhead + 64 * line);
            }
        }
        addPart<kKind, 0>(streams, block, table, lane, sums);
        if constexpr (kTraits.parts == 2) {
            addPart<kKind, 1>(streams, block, table, lane, sums);
        }
#pragma GCC unroll 4
        for (int n = 0; n < kTiles; ++n) {
            streams[n].codes += codeRecord(kTraits);
            streams[n].factors += factorRecord(kTraits);
            streams[n].super += group % 8 == 7 ? superRecord(kTraits) : 0;
        }
        block.codes += width * kGroupColumns;
        block.scales += width;
        block.bias += kTraits.parts * width;
        block.sums += kTraits.parts * width;
    }
    storeSums<kTokens, kTiles>(run, tile, token, lane, sums);
}

template <TileKind kKind>
constexpr std::int64_t numberBytes() {
    return kKind == TileKind::F32 ? 4 : 2;
}

template <TileKind kKind>
[[gnu::always_inline]] inline MatmulF loadNumbers(const std::byte* p) {
    if constexpr (kKind == TileKind::F32) {
        return Simd::load(reinterpret_cast<const float*>(p));
    } else if constexpr (kKind == TileKind::F16) {
        return Simd::loadHalf(reinterpret_cast<const std::uint16_t*>(p));
    } else {
        return Simd::loadBrain(reinterpret_cast<const std::uint16_t*>(p));
    }
}

// The same for tiles of plain numbers, [columns][16 rows].
template <TileKind kKind, int kTokens, int kTiles>
void multiplyNumbers(const TileRun& run, std::int64_t tile, int token, int lane) {
    constexpr std::int64_t kBytes = numberBytes<kKind>();
    const TileShape& shape = *run.shape;
    const std::byte* weights[kTiles];
    for (int n = 0; n < kTiles; ++n) {
        weights[n] = run.tiles + static_cast<std::size_t>(tile + n) * shape.bytes + lane * kBytes;
    }
    const float* x = run.x + token * run.xStride;
    MatmulF sums[kTiles][kTokens];
#pragma GCC unroll 4
    for (int n = 0; n < kTiles; ++n) {
#pragma GCC unroll 8
        for (int t = 0; t < kTokens; ++t) {
            sums[n][t] = Simd::zero();
        }
    }
    for (std::int64_t k = 0; k < shape.columns; ++k) {
        MatmulF w[kTiles];
#pragma GCC unroll 4
        for (int n = 0; n < kTiles; ++n) {
            Simd::prefetch(weights[n] + kPrefetchAhead);
            w[n] = loadNumbers<kKind>(weights[n]);
            weights[n] += kTileRows * kBytes;
        }
#pragma GCC unroll 8
        for (int t = 0; t < kTokens; ++t) {
            const MatmulF value = Simd::set1(x[t * run.xStride + k]);
#pragma GCC unroll 4
            for (int n = 0; n < kTiles; ++n) {
                sums[n][t] = Simd::fma(w[n], value, sums[n][t]);
            }
        }
    }
    storeSums<kTokens, kTiles>(run, tile, token, lane, sums);
}

template <TileKind kKind, int kTokens, int kTiles>
void multiply(const TileRun& run, std::int64_t tile, int token, int lane) {
    if constexpr (tileTraits(kKind).codeBits == 0) {
        multiplyNumbers<kKind, kTokens, kTiles>(run, tile, token, lane);
    } else {
        multiplyCodes<kKind, kTokens, kTiles>(run, tile, token, lane);
    }
}

// Tiles side by side: several streams of memory for few tokens, registers for more.
template <TileKind kKind, int kTokens>
constexpr int tilesTogether() {
    const int wanted = Simd::kMatmulTokens / 2 / kTokens;
    const int least = tileTraits(kKind).codeBits == 0 ? 2 : 1;
    return wanted > least ? wanted : least;
}

template <TileKind kKind, int kTokens>
void multiplyTiles(const TileRun& run, int token) {
    constexpr int kTiles = tilesTogether<kKind, kTokens>();
    std::int64_t tile = 0;
    for (; tile + kTiles <= run.tileCount; tile += kTiles) {
        for (int lane = 0; lane < kTileRows; lane += Simd::kLanes) {
            multiply<kKind, kTokens, kTiles>(run, tile, token, lane);
        }
    }
    for (; tile < run.tileCount; ++tile) {
        for (int lane = 0; lane < kTileRows; lane += Simd::kLanes) {
            multiply<kKind, kTokens, 1>(run, tile, token, lane);
        }
    }
}

template <TileKind kKind>
void matmulRun(const TileRun& run) {
    int token = 0;
    while (token < run.block.width) {
        const int left = run.block.width - token;
        if (left >= Simd::kMatmulTokens) {
            multiplyTiles<kKind, Simd::kMatmulTokens>(run, token);
            token += Simd::kMatmulTokens;
            continue;
        }
        switch (left) {
        case 1:
            multiplyTiles<kKind, 1>(run, token);
            break;
        case 2:
            multiplyTiles<kKind, 2>(run, token);
            break;
        case 3:
            multiplyTiles<kKind, 3>(run, token);
            break;
        default:
            if constexpr (Simd::kMatmulTokens > 4) {
                if (left == 4) {
                    multiplyTiles<kKind, 4>(run, token);
                } else if (left == 5) {
                    multiplyTiles<kKind, 5>(run, token);
                } else if (left == 6) {
                    multiplyTiles<kKind, 6>(run, token);
                } else {
                    multiplyTiles<kKind, 7>(run, token);
                }
            }
            break;
        }
        token += left;
    }
}

constexpr MatmulTable kMatmulRuns{{
    matmulRun<TileKind::F32>,
    matmulRun<TileKind::F16>,
    matmulRun<TileKind::BF16>,
    matmulRun<TileKind::Code4Half>,
    matmulRun<TileKind::Code4HalfMinimum>,
    matmulRun<TileKind::Code5Half>,
    matmulRun<TileKind::Code5HalfMinimum>,
    matmulRun<TileKind::Code8Half>,
    matmulRun<TileKind::Code4Super16>,
    matmulRun<TileKind::Code4SuperMinimum>,
    matmulRun<TileKind::Code4SuperMinimum16>,
    matmulRun<TileKind::Code5SuperMinimum>,
    matmulRun<TileKind::Code6Super16>,
    matmulRun<TileKind::TableHalf>,
    matmulRun<TileKind::TableHalf16>,
    matmulRun<TileKind::TableFloat>,
    matmulRun<TileKind::TableSuper>,
}};

} // namespace
} // namespace kernels::cpu
