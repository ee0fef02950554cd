// Which tile of queries looks at which blocks, in which spans: made on the CPU for one call of
// attention. Pure, one caller.
//
// Keys are summed in spans of kSpanTokens positions, and spans are added in ascending order. Where
// spans begin depends on positions only, so a query's result does not depend on how many blocks of
// threads share its work.
#pragma once

#include "kernels/ops.h"

#include <cstdint>
#include <vector>

namespace kernels::cuda {

inline constexpr std::int32_t kSpanTokens = 512;
// Queries of a tile: tokens times heads that share keys.
inline constexpr std::int32_t kTileRows = 16;

// A block of keys as a query tile sees it.
struct TileBlock {
    std::int32_t block;
    std::int32_t firstPosition;
    std::uint32_t tokens; // bit i: token i of the slice sees it; all of longer slices do
    std::int32_t recent;  // where it lies among the recent ones, or -1
};

struct QueryTile {
    std::int32_t firstRow;      // of q
    std::int32_t firstToken;    // in its slice
    std::int32_t tokens;        // at least 1
    std::int32_t firstPosition; // of the first token
    std::int32_t firstSpan;
    std::int32_t spanCount; // 0: sees nothing
};

struct TileSpan {
    std::int32_t firstBlock;
    std::int32_t blockCount;
};

// What one block of threads does for one kv head and some of its heads.
struct AttentionUnit {
    std::int32_t tile;
    std::int32_t firstSpan;
    std::int32_t spanCount;
    std::int32_t partial; // where its sums go; those of a tile lie together, span after span
};

struct AttentionPlan {
    std::vector<TileBlock> blocks;
    std::vector<TileSpan> spans;
    std::vector<QueryTile> tiles;
    std::vector<AttentionUnit> units;
    std::int32_t partials = 0;
    bool hasPartials = false; // some tile has more than one span
    bool isSplit = false;     // spans of a tile are units of their own, merged afterwards
};

struct AttentionSizes {
    std::int32_t blockTokens;
    std::int32_t headTiles;    // of all kv heads: units are done so many times
    std::int32_t tokensOfTile; // at most
    std::int32_t wantedUnits;  // that keep the device busy
    bool isByGroup;            // a tile's tokens are of one group of 32 positions
};

AttentionPlan planAttention(const AttentionBatch& batch, std::int32_t window,
                            const AttentionSizes& sizes);

} // namespace kernels::cuda
