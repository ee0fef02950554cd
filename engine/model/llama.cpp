// The families that differ in little: llama, qwen2 (biases on q, k and v, which any projection may
// have), qwen3 (norms of q and k) and qwen3moe (experts too).
#include "engine/model/decoder.h"
#include "engine/model/expert_feed_forward.h"
#include "engine/model/gated_feed_forward.h"
#include "engine/model/grouped_attention.h"
#include "engine/model/registry.h"
#include "engine/model/rope.h"

#include <algorithm>

namespace engine {

namespace {

struct Family {
    kernels::RopePairing pairing = kernels::RopePairing::HalfSplit;
    HeadNorms norms = HeadNorms::None;
    bool hasExperts = false; // in every layer with a router
};

std::unique_ptr<Model> makeFamily(const Checkpoint& checkpoint, kernels::Ops& ops,
                                  const WeightOptions& options, const Family& family) {
    DecoderReader reader(checkpoint, ops, options);
    const HyperParameters& parameters = reader.parameters();
    ModelSpec& spec = reader.spec();
    if (!family.hasExperts) {
        parameters.refuseFeature("expert_count", "a mixture of experts");
    }
    const auto experts = readExperts(parameters, ExpertWeights::Normalised);
    const GroupedAttentionNumbers attention = readGroupedAttention(parameters, spec);
    const auto widths =
        parameters.perLayer("feed_forward_length", {.minimum = 1, .maximum = 1 << 20}, spec.layers);
    spec.feedForward = std::ranges::max(widths);
    const kernels::RopeSpec rope =
        readRope(parameters, reader.loader(), spec.headDim, family.pairing);
    // Without a pattern a window is not used: Qwen 2 files name one that is switched off.
    const auto windows = readWindows(parameters, spec.layers, 0);
    for (std::int64_t i = 0; i < spec.layers; ++i) {
        const LayerLoader loader = reader.layer(i);
        const auto at = static_cast<std::size_t>(i);
        const bool isRouted = experts && loader.has("ffn_gate_inp.weight");
        reader.graph().layers.push_back(
            {.attentionNorm = loader.norm("attn_norm", spec.hidden),
             .attention = makeGroupedAttention(loader, attention, spec.hidden, family.norms, rope,
                                               windows[at]),
             .postAttentionNorm = {},
             .feedForwardNorm = loader.norm("ffn_norm", spec.hidden),
             .feedForward = isRouted ? makeExpertFeedForward(loader, *experts, spec.hidden)
                                     : makeGatedFeedForward(loader, spec.hidden, widths[at],
                                                            GateActivation::Silu),
             .postFeedForwardNorm = {}});
    }
    return reader.finish();
}

} // namespace

std::unique_ptr<Model> makeLlama(const Checkpoint& checkpoint, kernels::Ops& ops,
                                 const WeightOptions& options) {
    return makeFamily(checkpoint, ops, options, {.pairing = kernels::RopePairing::Interleaved});
}

std::unique_ptr<Model> makeQwen2(const Checkpoint& checkpoint, kernels::Ops& ops,
                                 const WeightOptions& options) {
    return makeFamily(checkpoint, ops, options, {});
}

std::unique_ptr<Model> makeQwen3(const Checkpoint& checkpoint, kernels::Ops& ops,
                                 const WeightOptions& options) {
    return makeFamily(checkpoint, ops, options, {.norms = HeadNorms::QueryAndKey});
}

std::unique_ptr<Model> makeQwen3Moe(const Checkpoint& checkpoint, kernels::Ops& ops,
                                    const WeightOptions& options) {
    return makeFamily(checkpoint, ops, options,
                      {.norms = HeadNorms::QueryAndKey, .hasExperts = true});
}

} // namespace engine
