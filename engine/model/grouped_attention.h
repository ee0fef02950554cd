// Attention whose query heads share key and value heads, with what the dense families add: biases,
// norms of q and k, a sliding window, capped scores.
#pragma once

#include "engine/model/block.h"
#include "engine/model/layers.h"
#include "engine/model/model.h"

#include <memory>
#include <vector>

namespace engine {

enum class HeadNorms : std::uint8_t { None, QueryAndKey };

// Numbers of all layers, as files of the dense families have them.
struct GroupedAttentionNumbers {
    std::vector<std::int64_t> heads, kvHeads; // one a layer
    std::int64_t headDim = 0;
    double scale = 1.0;
    float scoreCap = 0.0F; // 0: none
    float epsilon = 1e-5F; // of the norms of q and k
};

// Checks the numbers and writes the largest into the spec.
GroupedAttentionNumbers readGroupedAttention(const HyperParameters& parameters, ModelSpec& spec);

// Tokens that a layer sees, its own included; 0: all. As attention.sliding_window and its pattern
// say; `period` is the pattern of files without one, 0: no window.
std::vector<std::int32_t> readWindows(const HyperParameters& parameters, std::int64_t layers,
                                      std::int64_t period);

std::unique_ptr<AttentionBlock> makeGroupedAttention(const LayerLoader& loader,
                                                     const GroupedAttentionNumbers& numbers,
                                                     std::int64_t hidden, HeadNorms norms,
                                                     const kernels::RopeSpec& rope,
                                                     std::int32_t window);

} // namespace engine
