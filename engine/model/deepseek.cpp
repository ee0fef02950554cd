// DeepSeek V2, V2-Lite, V3 and R1: latent attention, dense layers at the front, experts behind.
#include "engine/model/decoder.h"
#include "engine/model/expert_feed_forward.h"
#include "engine/model/gated_feed_forward.h"
#include "engine/model/latent_attention.h"
#include "engine/model/registry.h"
#include "engine/model/rope.h"

namespace engine {

std::unique_ptr<Model> makeDeepSeek2(const Checkpoint& checkpoint, kernels::Ops& ops,
                                     const WeightOptions& options) {
    DecoderReader reader(checkpoint, ops, options);
    const HyperParameters& parameters = reader.parameters();
    ModelSpec& spec = reader.spec();
    const LatentAttentionNumbers attention = readLatentAttention(parameters, spec);
    const kernels::RopeSpec rope = readRope(parameters, reader.loader(), attention.rotaryDim,
                                            kernels::RopePairing::Interleaved);
    const auto experts = readExperts(parameters, ExpertWeights::AsTheyAre);
    const std::int64_t denseLayers =
        experts ? parameters.integer("leading_dense_block_count",
                                     {.minimum = 0, .maximum = spec.layers}, 0)
                : spec.layers;
    spec.feedForward = denseLayers > 0 ? parameters.integer("feed_forward_length",
                                                            {.minimum = 1, .maximum = 1 << 20})
                                       : experts->width;
    for (std::int64_t i = 0; i < spec.layers; ++i) {
        const LayerLoader loader = reader.layer(i);
        reader.graph().layers.push_back(
            {.attentionNorm = loader.norm("attn_norm", spec.hidden),
             .attention = makeLatentAttention(loader, attention, spec.hidden, rope),
             .postAttentionNorm = {},
             .feedForwardNorm = loader.norm("ffn_norm", spec.hidden),
             .feedForward = i < denseLayers
                                ? makeGatedFeedForward(loader, spec.hidden, spec.feedForward,
                                                       GateActivation::Silu)
                                : makeExpertFeedForward(loader, *experts, spec.hidden),
             .postFeedForwardNorm = {}});
    }
    return reader.finish();
}

} // namespace engine
