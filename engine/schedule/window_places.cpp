#include "engine/schedule/window_places.h"

#include "engine/base/ensure.h"

#include <algorithm>

namespace engine {

namespace {

// Whether a token at `position` or one behind it sees the block.
bool isSeen(const kernels::BlockRef& block, std::int64_t position, const WindowSight& sight) {
    return block.firstPosition + sight.blockTokens > position - sight.window + 1;
}

// A sequence's blocks with the window - 1 tokens before a slice and the slice itself: as many as
// are full, and one that is cut at either end.
std::int64_t placesEach(const WindowSight& sight) {
    return sight.window / sight.blockTokens + 3;
}

} // namespace

std::int64_t windowPlacesNeeded(const WindowSight& sight, std::int64_t sequences,
                                std::int64_t stepTokens) {
    return sequences * placesEach(sight) + stepTokens / sight.blockTokens;
}

std::int64_t sequencesWithin(const WindowSight& sight, std::int64_t places,
                             std::int64_t stepTokens) {
    return (places - stepTokens / sight.blockTokens) / placesEach(sight);
}

bool holdsSight(const WindowMap& map, const WindowSight& sight, std::span<const BlockId> table,
                std::int64_t next) {
    const std::int64_t first = std::max<std::int64_t>(0, next - sight.window + 1);
    for (std::int64_t i = first / sight.blockTokens; i * sight.blockTokens < next; ++i) {
        if (map.find(table[static_cast<std::size_t>(i)]) < 0) {
            return false;
        }
    }
    return true;
}

void placeWindows(Batch& batch, WindowMap& map, const WindowSight& sight, const BlockPool& pool) {
    if (map.free() < static_cast<std::int64_t>(batch.blocks.size())) {
        map.dropFree(pool);
    }
    batch.windowBlocks = batch.blocks;
    for (const kernels::AttentionSlice& slice : batch.slices) {
        for (std::int32_t i = 0; i < slice.blockCount; ++i) {
            kernels::BlockRef& block =
                batch.windowBlocks[static_cast<std::size_t>(slice.firstBlock + i)];
            if (!isSeen(block, slice.firstPosition, sight)) {
                block.block = 0; // not read: any place will do
                continue;
            }
            const auto id = static_cast<BlockId>(block.block);
            ensure(block.firstPosition >= slice.firstPosition || map.find(id) >= 0,
                   "tokens in sight have their memory");
            block.block = map.take(id);
        }
    }
    batch.windowSlots.clear();
    for (const std::int32_t slot : batch.slots) {
        const auto block = static_cast<BlockId>(slot / sight.blockTokens);
        batch.windowSlots.push_back(static_cast<std::int32_t>(map.find(block) * sight.blockTokens +
                                                              slot % sight.blockTokens));
    }
}

void trimWindows(const Batch& batch, WindowMap& map, const WindowSight& sight) {
    for (const kernels::AttentionSlice& slice : batch.slices) {
        const std::int64_t next = slice.firstPosition + slice.tokens;
        for (std::int32_t i = 0; i < slice.blockCount; ++i) {
            const kernels::BlockRef& block =
                batch.blocks[static_cast<std::size_t>(slice.firstBlock + i)];
            if (!isSeen(block, next, sight)) {
                map.drop(static_cast<BlockId>(block.block));
            }
        }
    }
}

} // namespace engine
