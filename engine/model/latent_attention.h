// Multi-head latent attention (DeepSeek V2, V3): a token leaves one latent row and one rotated key
// for all heads. Computed in the absorbed form: queries are turned into the space of the latents,
// so that the cache holds nothing else. DeepSeek-V2, section 2.1.
#pragma once

#include "engine/model/block.h"
#include "engine/model/layers.h"
#include "engine/model/model.h"

#include <memory>

namespace engine {

struct LatentAttentionNumbers {
    std::int64_t heads = 0;
    std::int64_t latentRank = 0;
    std::int64_t queryRank = 0; // 0: queries come from the hidden row at once
    std::int64_t plainDim = 0;  // of a query head, without the rotated part
    std::int64_t rotaryDim = 0;
    std::int64_t valueDim = 0;
    double scale = 1.0;
    // Of the norms inside, whatever the model's own is: the vendor's code has this number.
    float epsilon = 1e-6F;
};

// The rope stays to be read: its width is the numbers' rotaryDim.
LatentAttentionNumbers readLatentAttention(const HyperParameters& parameters, ModelSpec& spec);

std::unique_ptr<AttentionBlock> makeLatentAttention(const LayerLoader& loader,
                                                    const LatentAttentionNumbers& numbers,
                                                    std::int64_t hidden,
                                                    const kernels::RopeSpec& rope);

} // namespace engine
