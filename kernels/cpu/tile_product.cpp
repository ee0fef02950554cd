#include "kernels/cpu/tile_product.h"

#include <algorithm>

namespace kernels::cpu {

// Two blocks of codes are as fast without, and need no detour over memory.
bool TileProduct::isWide(const KernelTable& kernels, int terms, std::int64_t tokens) {
    return kernels.matmul->wide != nullptr &&
           (terms == 0 ? tokens > kBlockTokens : tokens * terms > 2 * kBlockTokens);
}

void TileProduct::run(std::int64_t first, std::int64_t end) const {
    if (isWide(kernels, terms(), tokens)) {
        for (std::int64_t tile = first; tile < end; tile += kWideTiles) {
            runWide(tile, std::min(tile + kWideTiles, end) - 1);
        }
        return;
    }
    // One block, or two at once, pass over all tiles; more share one while it is in L1.
    const std::int64_t blocks = dividedUp(tokens * rowsPerToken(), kBlockTokens);
    const bool isOnePass =
        blocks == 1 || (blocks == 2 && kernels.matmul->pairsBlocks && activations != nullptr &&
                        tokens * rowsPerToken() == 2 * kBlockTokens);
    constexpr std::int64_t kShared = 2;
    const std::int64_t together = !weight.isPacked() ? 1 : isOnePass ? end - first : kShared;
    for (std::int64_t tile = first; tile < end; tile += together) {
        runNarrow(tile, std::min(tile + together, end) - 1);
    }
}

void TileProduct::runNarrow(std::int64_t first, std::int64_t last) const {
    const TileTraits kind = tileTraits(weight.shape().kind);
    const std::int64_t blockTokens = kBlockTokens / rowsPerToken();
    TileRun run{};
    run.shape = &weight.shape();
    run.tiles = weight.tile(first, memory);
    run.tileCount = last - first + 1;
    run.lastRows = weight.rowsOfTile(last);
    run.firstTile = first;
    run.asksAhead = weight.isPacked();
    run.terms = rowsPerToken();
    run.xStride = weight.columns();
    run.outStride = outStride;
    for (std::int64_t token = 0; token < tokens;) {
        const std::int64_t block = firstBlock + token / blockTokens;
        run.out = out + token * outStride + first * kTileRows;
        run.second = {};
        if (activations == nullptr) {
            run.x = x + token * weight.columns();
            run.block.width = static_cast<int>(std::min(blockTokens, tokens - token));
        } else {
            run.block = activations->block(kernels, kind, block);
            if (kernels.matmul->pairsBlocks && tokens - token >= 2 * blockTokens) {
                run.second = activations->block(kernels, kind, block + 1);
            }
        }
        kernels.matmul->run[static_cast<std::size_t>(weight.shape().kind)](run);
        run.asksAhead = false;
        token += run.second.width > 0 ? 2 * blockTokens : blockTokens;
    }
}

} // namespace kernels::cpu
