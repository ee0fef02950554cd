// Products of one group of quantised columns, in registers: codes, factors, exact integer sums.
// Included by instruction-set units only, through body_matmul.h.
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

// Row t of one block, or of two side by side.
struct BlockRow {
    const std::int8_t* codes;
    const float* scale;
    const std::int32_t* bias;
    const float* sum;
};

template <int kPart>
[[gnu::always_inline]] inline BlockRow rowOf(const ActivationBlock* blocks, int t) {
    const ActivationBlock& block = blocks[t / kBlockTokens];
    const int slot = t % kBlockTokens;
    return {block.codes + kGroupColumns * slot, block.scales + slot,
            block.bias + kPart * block.width + slot, block.sums + kPart * block.width + slot};
}

// The product with all terms of a token, in units of the last one's scale.
template <int kTerms, class Dot>
[[gnu::always_inline]] inline MatmulF termsOf(const Dot* dots) {
    const MatmulF first = Simd::toFloat(dots[0].result());
    if constexpr (kTerms == 1) {
        return first;
    } else {
        return Simd::fma(first, Simd::set1(kTermBase), Simd::toFloat(dots[1].result()));
    }
}

// Adds one part of a group to the sums of kTiles x kRows tokens, each of kTerms rows.
template <TileKind kKind, int kPart, int kTerms, int kRows, int kTiles>
[[gnu::always_inline]] inline void addPart(const TileStreams* streams,
                                           const ActivationBlock* blocks, const std::uint8_t* table,
                                           int lane, MatmulF (&sums)[kTiles][kRows]) {
    constexpr int kTokens = kRows * kTerms;
    constexpr TileTraits kTraits = tileTraits(kKind);
    constexpr int kLargest = largestCode(kTraits);
    constexpr bool kIsBiased = kTraits.bias != 0 && (kLargest < 255 || Simd::kHasUnsignedDot);
    typename Simd::template Dot<kLargest> dots[kTiles][kTokens];
#pragma GCC unroll 16
    for (int t = 0; t < kTokens; ++t) {
#pragma GCC unroll 4
        for (int n = 0; n < kTiles; ++n) {
            dots[n][t].begin(kIsBiased ? *rowOf<kPart>(blocks, t).bias : 0);
        }
    }
    eachColumn<kTraits.parts, kPart>([&](auto column, auto step) __attribute__((always_inline)) {
        MatmulI codes[kTiles];
#pragma GCC unroll 4
        for (int n = 0; n < kTiles; ++n) {
            codes[n] = codesOf<kKind, decltype(column)::value>(streams[n].codes + 4 * lane, table);
        }
#pragma GCC unroll 16
        for (int t = 0; t < kTokens; ++t) {
            const std::int8_t* from = rowOf<kPart>(blocks, t).codes + 4 * decltype(column)::value;
            if constexpr (kTiles == 1) {
                dots[0][t].template addFrom<decltype(step)::value>(codes[0], from);
            } else {
                const MatmulI four = Simd::broadcast4(from);
#pragma GCC unroll 4
                for (int n = 0; n < kTiles; ++n) {
                    dots[n][t].template add<decltype(step)::value>(codes[n], four);
                }
            }
        }
    });
#pragma GCC unroll 4
    for (int n = 0; n < kTiles; ++n) {
        const Factors factors = factorsOf<kKind, kPart>(streams[n].factors, streams[n].super, lane);
#pragma GCC unroll 16
        for (int t = 0; t < kRows; ++t) {
            const BlockRow row = rowOf<kPart>(blocks, kTerms * t + kTerms - 1);
            const MatmulF scale = Simd::mul(factors.scale, Simd::set1(*row.scale));
            const MatmulF dot = termsOf<kTerms>(&dots[n][kTerms * t]);
            sums[n][t] = Simd::fma(dot, scale, sums[n][t]);
            if constexpr (kTraits.hasMinimum) {
                sums[n][t] = Simd::fma(factors.minimum, Simd::set1(*row.sum), sums[n][t]);
            }
        }
    }
}

// One tile times the rows of a full block. Eight chains of dot products don't keep the units busy:
// while a group is multiplied the sums of the last one are scaled, a row after each column.
template <TileKind kKind>
class PipedRows {
public:
    template <bool kIsFirst>
    [[gnu::always_inline]] void add(const TileStreams& stream, const ActivationBlock& block,
                                    const std::uint8_t* table, int lane,
                                    MatmulF (&sums)[kBlockTokens]) {
        OwnDot dots[kBlockTokens];
#pragma GCC unroll 8
        for (int t = 0; t < kBlockTokens; ++t) {
            dots[t].begin(kIsBiased ? block.bias[t] : 0);
        }
        eachColumn<1, 0>([&](auto column, auto step) __attribute__((always_inline)) {
            constexpr int kColumn = decltype(column)::value;
            const MatmulI codes = codesOf<kKind, kColumn>(stream.codes + 4 * lane, table);
#pragma GCC unroll 8
            for (int t = 0; t < kBlockTokens; ++t) {
                dots[t].template addFrom<decltype(step)::value>(
                    codes, block.codes + kGroupColumns * t + 4 * kColumn);
            }
            if constexpr (!kIsFirst) {
                scale(decltype(step)::value, sums);
            }
        });
        m_factors = factorsOf<kKind, 0>(stream.factors, stream.super, lane);
        m_scales = block.scales;
        m_sums = block.sums;
#pragma GCC unroll 8
        for (int t = 0; t < kBlockTokens; ++t) {
            m_dots[t] = dots[t];
        }
    }

    // The last group's.
    [[gnu::always_inline]] void finish(MatmulF (&sums)[kBlockTokens]) {
#pragma GCC unroll 8
        for (int t = 0; t < kBlockTokens; ++t) {
            scale(t, sums);
        }
    }

private:
    static constexpr TileTraits kTraits = tileTraits(kKind);
    static constexpr int kLargest = largestCode(kTraits);
    static constexpr bool kIsBiased =
        kTraits.bias != 0 && (kLargest < 255 || Simd::kHasUnsignedDot);
    using OwnDot = typename Simd::template Dot<kLargest>;

    [[gnu::always_inline]] void scale(int t, MatmulF (&sums)[kBlockTokens]) {
        const MatmulF scale = Simd::mul(m_factors.scale, Simd::set1(m_scales[t]));
        sums[t] = Simd::fma(Simd::toFloat(m_dots[t].result()), scale, sums[t]);
        if constexpr (kTraits.hasMinimum) {
            sums[t] = Simd::fma(m_factors.minimum, Simd::set1(m_sums[t]), sums[t]);
        }
    }

    OwnDot m_dots[kBlockTokens];
    Factors m_factors;
    const float* m_scales;
    const float* m_sums;
};

} // namespace
} // namespace kernels::cpu
