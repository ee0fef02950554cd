// Where a step's tokens lie in layers with a window, whose memory holds only what can still be
// seen. A block serves one sequence then: whoever goes on behind the blocks of another (a kept
// prefix) finds nothing in them, and needs a cache whose windows are whole. Engine thread.
#pragma once

#include "engine/kv/window_map.h"
#include "engine/schedule/batch.h"

#include <cstdint>
#include <span>

namespace engine {

struct WindowSight {
    std::int32_t window = 0;
    std::int64_t blockTokens = 0;
};

// Places that steps of so many sequences and tokens need at most.
std::int64_t windowPlacesNeeded(const WindowSight& sight, std::int64_t sequences,
                                std::int64_t stepTokens);

// Sequences that so many places are enough for, beside steps of so many tokens.
std::int64_t sequencesWithin(const WindowSight& sight, std::int64_t places,
                             std::int64_t stepTokens);

// Whether what a token at `next` sees of its sequence has its places.
bool holdsSight(const WindowMap& map, const WindowSight& sight, std::span<const BlockId> table,
                std::int64_t next);

// Before a step: fills in the batch's windowSlots and windowBlocks. `pool` knows which blocks are
// owned. Preconditions: the map has the places that the step needs; under sparse attention lists
// hold every block within the window.
void placeWindows(Batch& batch, WindowMap& map, const WindowSight& sight, const BlockPool& pool);
// After it: gives back what the next tokens of its sequences can't see.
void trimWindows(const Batch& batch, WindowMap& map, const WindowSight& sight);

} // namespace engine
