// Products of packed weight tiles with a block of activations, written once over Simd. Included by
// instruction-set units only.
//
// A tile is 16 rows; an accumulator holds as many rows as Simd has lanes. For every group of 32
// columns the codes are multiplied exactly in I32, then scaled and added in F32, in ascending k.
// How many tokens (kTokens) or tiles (kTiles) share the loads never changes that order.
#pragma once

#include "kernels/cpu/body_matmul_codes.h"

namespace kernels::cpu {
namespace {

// Bytes of the stream ahead of the loads: far enough for memory, near enough to stay in L1.
constexpr std::size_t kPrefetchAhead = 3072;

// Writes the sums of kTiles tiles and kRows tokens from `token` on, the last tile cut to its rows.
template <int kRows, int kTiles>
[[gnu::always_inline]] inline void storeSums(const TileRun& run, std::int64_t tile, int token,
                                             int lane, const MatmulF (&sums)[kTiles][kRows]) {
#pragma GCC unroll 4
    for (int n = 0; n < kTiles; ++n) {
        const int rows = tile + n + 1 == run.tileCount ? run.lastRows : kTileRows;
        const int count = rows - lane < Simd::kLanes ? rows - lane : Simd::kLanes;
        if (count <= 0) {
            continue;
        }
        float* out = run.out + (tile + n) * kTileRows + lane;
#pragma GCC unroll 16
        for (int t = 0; t < kRows; ++t) {
            float* p = out + (token + t) * run.outStride;
            if (count == Simd::kLanes) {
                Simd::store(p, sums[n][t]);
            } else {
                Simd::storePart(p, sums[n][t], count);
            }
        }
    }
}

// Asks for later tiles while one is multiplied: four of them side by side, a group of each in turn,
// because memory gives several streams more than one. Into L2 only: prefetches into L1 take the
// buffers that its misses need. Both cores of a machine with 24 GB/s get 1.3 to 1.5 times as many
// products of 8 rows so.
template <TileKind kKind>
class TilesAhead {
public:
    TilesAhead(const TileRun& run, std::int64_t tile)
        : m_stride(run.shape->bytes),
          m_from(reinterpret_cast<const char*>(run.tiles) +
                 ((run.firstTile + tile) / kTogether * kTogether + kTogether - run.firstTile) *
                     static_cast<std::int64_t>(m_stride)),
          m_group(static_cast<std::size_t>((run.firstTile + tile) % kTogether *
                                           (run.shape->columns / kGroupColumns))) {}

    // What a group of this tile asks for.
    [[gnu::always_inline]] void ask() {
        const char* from =
            m_from + m_group % kTogether * m_stride + m_group / kTogether * kGroupLines * 64;
#pragma GCC unroll 9
        for (std::size_t i = 0; i < kGroupLines; ++i) {
            Simd::prefetchFar(from + 64 * i);
        }
        ++m_group;
    }

private:
    static constexpr TileTraits kTraits = tileTraits(kKind);
    static constexpr std::int64_t kTogether = 4;
    static constexpr std::size_t kGroupLines =
        (codeRecord(kTraits) + factorRecord(kTraits) + (superRecord(kTraits) + 7) / 8 + 63) / 64;

    std::size_t m_stride;
    const char* m_from;
    std::size_t m_group;
};

// kTiles tiles times rows [token, token + kTokens) of the block, or all of both blocks, rows [lane,
// lane + kLanes) of each.
template <TileKind kKind, int kTerms, int kTokens, int kTiles>
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
    constexpr int kBlocks = (kTokens + kBlockTokens - 1) / kBlockTokens;
    ActivationBlock blocks[2] = {run.block, run.second};
    blocks[0].codes += token * kGroupColumns;
    blocks[0].scales += token;
    blocks[0].bias += token;
    blocks[0].sums += token;
    constexpr int kRows = kTokens / kTerms;
    MatmulF sums[kTiles][kRows];
#pragma GCC unroll 4
    for (int n = 0; n < kTiles; ++n) {
#pragma GCC unroll 16
        for (int t = 0; t < kRows; ++t) {
            sums[n][t] = Simd::zero();
        }
    }
    TilesAhead<kKind> tilesAhead(run, tile);
    const bool asksAhead = run.asksAhead && lane == 0;
    const std::int64_t groups = shape.columns / kGroupColumns;
    for (std::int64_t group = 0; group < groups; ++group) {
        if constexpr (kTiles == 1) {
            if (asksAhead) {
                tilesAhead.ask();
            }
        } else {
            // Past its end a stream goes on in the tile that follows it there.
            const std::size_t passed = codeRecord(kTraits) * static_cast<std::size_t>(group);
            const std::size_t ahead =
                kPrefetchAhead +
                (passed + kPrefetchAhead < shape.bytes ? 0 : (kTiles - 1) * shape.bytes);
#pragma GCC unroll 4
            for (int n = 0; n < kTiles; ++n) {
#pragma GCC unroll 8
                for (int line = 0; line < kTraits.codeBits; ++line) {
                    Simd::prefetch(streams[n].codes + ahead + 64 * line);
                }
            }
        }
        addPart<kKind, 0, kTerms>(streams, blocks, table, lane, sums);
        if constexpr (kTraits.parts == 2) {
            addPart<kKind, 1, kTerms>(streams, blocks, table, lane, sums);
        }
#pragma GCC unroll 4
        for (int n = 0; n < kTiles; ++n) {
            streams[n].codes += codeRecord(kTraits);
            streams[n].factors += factorRecord(kTraits);
            streams[n].super += group % 8 == 7 ? superRecord(kTraits) : 0;
        }
#pragma GCC unroll 2
        for (int i = 0; i < kBlocks; ++i) {
            const std::int64_t width = blocks[i].width;
            blocks[i].codes += width * kGroupColumns;
            blocks[i].scales += width;
            blocks[i].bias += kTraits.parts * width;
            blocks[i].sums += kTraits.parts * width;
        }
    }
    storeSums<kRows, kTiles>(run, tile, token / kTerms, lane, sums);
}

template <TileKind kKind, int kTerms, int kTokens, int kTiles>
constexpr bool isPiped() {
    constexpr TileTraits kTraits = tileTraits(kKind);
    return Simd::kPipesRows && kTraits.codeBits != 0 && kTraits.parts == 1 && kTerms == 1 &&
           kTokens == kBlockTokens && kTiles == 1;
}

// One tile times all eight rows of the block, with the bits of multiplyCodes.
template <TileKind kKind>
void multiplyPiped(const TileRun& run, std::int64_t tile, int lane) {
    constexpr TileTraits kTraits = tileTraits(kKind);
    const TileShape& shape = *run.shape;
    const auto* start = reinterpret_cast<const std::uint8_t*>(run.tiles) +
                        static_cast<std::size_t>(tile) * shape.bytes;
    TileStreams stream = {start, start + shape.factorOffset, start + shape.superOffset};
    std::uint8_t table[16];
    if constexpr (kTraits.usesTable) {
        for (int i = 0; i < 16; ++i) {
            table[i] = static_cast<std::uint8_t>(shape.table[i] + 128);
        }
    }
    ActivationBlock block = run.block;
    MatmulF sums[1][kBlockTokens];
#pragma GCC unroll 8
    for (int t = 0; t < kBlockTokens; ++t) {
        sums[0][t] = Simd::zero();
    }
    TilesAhead<kKind> tilesAhead(run, tile);
    const bool asksAhead = run.asksAhead && lane == 0;
    const std::int64_t groups = shape.columns / kGroupColumns;
    PipedRows<kKind> piped;
    const auto add = [&]<bool kIsFirst>(std::int64_t group) __attribute__((always_inline)) {
        if (asksAhead) {
            tilesAhead.ask();
        }
        piped.template add<kIsFirst>(stream, block, table, lane, sums[0]);
        stream.codes += codeRecord(kTraits);
        stream.factors += factorRecord(kTraits);
        stream.super += group % 8 == 7 ? superRecord(kTraits) : 0;
        block.codes += kBlockTokens * kGroupColumns;
        block.scales += kBlockTokens;
        block.bias += kBlockTokens;
        block.sums += kBlockTokens;
    };
    add.template operator()<true>(0);
    for (std::int64_t group = 1; group < groups; ++group) {
        add.template operator()<false>(group);
    }
    piped.finish(sums[0]);
    storeSums<kBlockTokens, 1>(run, tile, 0, lane, sums);
}

template <TileKind kKind>
constexpr std::int64_t numberBytes() {
    return kKind == TileKind::F32 ? 4 : kKind == TileKind::F8 ? 1 : 2;
}

// What the sums of a tile's rows are multiplied by at the end, nullptr for nothing.
template <TileKind kKind>
[[gnu::always_inline]] inline const float* numberScales(const TileShape& shape,
                                                        const std::byte* tile) {
    return kKind == TileKind::F8 ? reinterpret_cast<const float*>(tile + shape.factorOffset)
                                 : nullptr;
}

template <TileKind kKind>
[[gnu::always_inline]] inline MatmulF loadNumbers(const std::byte* p) {
    if constexpr (kKind == TileKind::F8) {
        return Simd::loadFloat8(reinterpret_cast<const std::uint8_t*>(p));
    } else if constexpr (kKind == TileKind::F32) {
        return Simd::load(reinterpret_cast<const float*>(p));
    } else if constexpr (kKind == TileKind::F16) {
        return Simd::loadHalf(reinterpret_cast<const std::uint16_t*>(p));
    } else {
        return Simd::loadBrain(reinterpret_cast<const std::uint16_t*>(p));
    }
}

// Adds kColumns columns of every tile, which are read together where that saves instructions.
template <TileKind kKind, int kColumns, int kTokens, int kTiles>
[[gnu::always_inline]] inline void addColumns(const std::byte* (&weights)[kTiles], const float* x,
                                              std::int64_t xStride,
                                              MatmulF (&sums)[kTiles][kTokens]) {
    static_assert(kColumns == 1 || (kColumns == 2 && kKind == TileKind::F8));
    MatmulF w[kTiles][kColumns];
#pragma GCC unroll 4
    for (int n = 0; n < kTiles; ++n) {
        Simd::prefetch(weights[n] + kPrefetchAhead);
        if constexpr (kColumns == 2) {
            const auto* codes = reinterpret_cast<const std::uint8_t*>(weights[n]);
            Simd::loadFloat8Columns(codes, w[n]);
        } else {
            w[n][0] = loadNumbers<kKind>(weights[n]);
        }
        weights[n] += kColumns * kTileRows * numberBytes<kKind>();
    }
#pragma GCC unroll 2
    for (int k = 0; k < kColumns; ++k) {
#pragma GCC unroll 8
        for (int t = 0; t < kTokens; ++t) {
            const MatmulF value = Simd::set1(x[t * xStride + k]);
#pragma GCC unroll 4
            for (int n = 0; n < kTiles; ++n) {
                sums[n][t] = Simd::fma(w[n][k], value, sums[n][t]);
            }
        }
    }
}

// The same for tiles of plain numbers, [columns][16 rows].
template <TileKind kKind, int kTokens, int kTiles>
void multiplyNumbers(const TileRun& run, std::int64_t tile, int token, int lane) {
    constexpr int kColumns = kKind == TileKind::F8 ? 2 : 1;
    const TileShape& shape = *run.shape;
    const std::byte* weights[kTiles];
    const float* scales[kTiles];
#pragma GCC unroll 4
    for (int n = 0; n < kTiles; ++n) {
        const std::byte* start = run.tiles + static_cast<std::size_t>(tile + n) * shape.bytes;
        weights[n] = start + lane * numberBytes<kKind>();
        scales[n] = numberScales<kKind>(shape, start);
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
    std::int64_t k = 0;
    for (; k + kColumns <= shape.columns; k += kColumns) {
        addColumns<kKind, kColumns>(weights, x + k, run.xStride, sums);
    }
    if (kColumns > 1 && k < shape.columns) {
        addColumns<kKind, 1>(weights, x + k, run.xStride, sums);
    }
    if constexpr (kKind == TileKind::F8) {
#pragma GCC unroll 4
        for (int n = 0; n < kTiles; ++n) {
            const MatmulF scale = Simd::load(scales[n] + lane);
#pragma GCC unroll 8
            for (int t = 0; t < kTokens; ++t) {
                sums[n][t] = Simd::mul(sums[n][t], scale);
            }
        }
    }
    storeSums<kTokens, kTiles>(run, tile, token, lane, sums);
}

template <TileKind kKind, int kTerms, int kTokens, int kTiles>
void multiply(const TileRun& run, std::int64_t tile, int token, int lane) {
    if constexpr (tileTraits(kKind).codeBits == 0) {
        multiplyNumbers<kKind, kTokens, kTiles>(run, tile, token, lane);
    } else if constexpr (isPiped<kKind, kTerms, kTokens, kTiles>()) {
        multiplyPiped<kKind>(run, tile, lane);
    } else {
        multiplyCodes<kKind, kTerms, kTokens, kTiles>(run, tile, token, lane);
    }
}

// Tiles side by side: several streams of memory for few tokens, registers for more.
template <TileKind kKind, int kTokens>
constexpr int tilesTogether() {
    const int wanted = Simd::kMatmulTokens / 2 / kTokens;
    const int least = tileTraits(kKind).codeBits == 0 ? 2 : 1;
    return wanted > least ? wanted : least;
}

template <TileKind kKind, int kTerms, int kTokens>
void multiplyTiles(const TileRun& run, int token) {
    constexpr int kTiles = tilesTogether<kKind, kTokens>();
    std::int64_t tile = 0;
    for (; tile + kTiles <= run.tileCount; tile += kTiles) {
        for (int lane = 0; lane < kTileRows; lane += Simd::kLanes) {
            multiply<kKind, kTerms, kTokens, kTiles>(run, tile, token, lane);
        }
    }
    if constexpr (kTiles > 2) {
        for (; tile + 2 <= run.tileCount; tile += 2) {
            for (int lane = 0; lane < kTileRows; lane += Simd::kLanes) {
                multiply<kKind, kTerms, kTokens, 2>(run, tile, token, lane);
            }
        }
    }
    for (; tile < run.tileCount; ++tile) {
        for (int lane = 0; lane < kTileRows; lane += Simd::kLanes) {
            multiply<kKind, kTerms, kTokens, 1>(run, tile, token, lane);
        }
    }
}

// The last `left` rows of a block, fewer than kMost and whole tokens.
template <TileKind kKind, int kTerms, int kMost>
void multiplyRest(const TileRun& run, int token, int left) {
    if constexpr (kMost > kTerms) {
        if (left == kMost - kTerms) {
            multiplyTiles<kKind, kTerms, kMost - kTerms>(run, token);
        } else {
            multiplyRest<kKind, kTerms, kMost - kTerms>(run, token, left);
        }
    }
}

template <TileKind kKind, int kTerms>
void multiplyRows(const TileRun& run) {
    if constexpr (Simd::kPairsBlocks && tileTraits(kKind).codeBits != 0) {
        if (run.second.width == kBlockTokens) {
            multiplyTiles<kKind, kTerms, 2 * kBlockTokens>(run, 0);
            return;
        }
    }
    int token = 0;
    for (; token + Simd::kMatmulTokens <= run.block.width; token += Simd::kMatmulTokens) {
        multiplyTiles<kKind, kTerms, Simd::kMatmulTokens>(run, token);
    }
    multiplyRest<kKind, kTerms, Simd::kMatmulTokens>(run, token, run.block.width - token);
}

template <TileKind kKind>
void matmulRun(const TileRun& run) {
    if constexpr (tileTraits(kKind).codeBits != 0) {
        if (run.terms == 2) {
            multiplyRows<kKind, 2>(run);
            return;
        }
    }
    multiplyRows<kKind, 1>(run);
}

constexpr MatmulTable matmulTable(const WideTable* wide) {
    return MatmulTable{{
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
                           matmulRun<TileKind::TableFloat16>,
                           matmulRun<TileKind::TableSuper>,
                           matmulRun<TileKind::F8>,
                       },
                       Simd::kPairsBlocks,
                       wide};
}

} // namespace
} // namespace kernels::cpu
