// How many KV blocks there will be: as set, or from what memory is there; and what they take. Pure;
// any thread.
#pragma once

#include "engine/config.h"
#include "engine/model/model.h"

#include <cstdint>
#include <span>

namespace engine {

// Of the model and of the setting kv.max_context.
std::int64_t contextLimit(const EngineConfig& config, const ModelSpec& spec);

// Blocks that layers with a window have memory for, whatever all blocks are; 0: there are none.
// Where blocks are kept for sequences to come, all of them are needed (schedule/window_places.h).
std::int64_t windowPlaces(const EngineConfig& config, const ModelSpec& spec);
// Of so many blocks, those of layers with a window cut to their places.
std::uint64_t kvMemory(const EngineConfig& config, const ModelSpec& spec, std::int64_t blocks);

// kv.blocks where it is set, and then Failure(OutOfMemory) with the numbers where they do not fit;
// else enough for max_batch whole contexts, at most a quarter of the available memory.
std::int64_t chooseKvBlocks(const EngineConfig& config, const ModelSpec& spec,
                            std::uint64_t availableBytes);

// As many as are of use, within so much memory: enough for max_batch whole contexts.
std::int64_t kvBlocksWithin(const EngineConfig& config, const ModelSpec& spec,
                            std::uint64_t budgetBytes);

// A sequence that keeps the format it began with beside those of the present one.
struct EarlierSequence {
    std::int64_t held = 0;   // blocks
    std::int64_t needed = 0; // blocks to go on with; 0: others are served before it
    double size = 1.0;       // of its blocks, in those of the present format
};

// Blocks that may be in use, whoever holds them, so that all together stay within the memory of
// `wanted` blocks of the present format: smaller ones of before leave room for more. Never fewer
// than one of the earlier sequences needs: it fitted the same memory in its own format, and where
// it was preempted it holds nothing that would leave room.
std::int64_t kvAllowance(std::int64_t wanted, std::span<const EarlierSequence> earlier);

} // namespace engine
