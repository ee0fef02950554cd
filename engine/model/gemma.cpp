// Gemma 3 text: most layers see a window only, with frequencies of their own; norms before and
// behind each half of a layer, and of q and k.
#include "engine/model/decoder.h"
#include "engine/model/gated_feed_forward.h"
#include "engine/model/grouped_attention.h"
#include "engine/model/registry.h"
#include "engine/model/rope.h"

#include <algorithm>
#include <cmath>

namespace engine {

namespace {

constexpr std::int64_t kLayersOf27B = 62;
constexpr std::int64_t kPeriod = 6; // five layers with a window, then one without

// Files of the largest size do not say that its scores are scaled by hidden / heads.
void correctScale(const HyperParameters& parameters, const ModelSpec& spec,
                  GroupedAttentionNumbers& attention) {
    if (spec.layers == kLayersOf27B && !parameters.has("attention.scale")) {
        attention.scale =
            std::sqrt(static_cast<double>(spec.heads) / static_cast<double>(spec.hidden));
    }
}

} // namespace

std::unique_ptr<Model> makeGemma3(const Checkpoint& checkpoint, kernels::Ops& ops,
                                  const WeightOptions& options) {
    DecoderReader reader(checkpoint, ops, options);
    const HyperParameters& parameters = reader.parameters();
    ModelSpec& spec = reader.spec();
    GroupedAttentionNumbers attention = readGroupedAttention(parameters, spec);
    correctScale(parameters, spec, attention);
    attention.scoreCap = 0.0F; // Gemma 2's: files may name it, the family has none
    const auto widths =
        parameters.perLayer("feed_forward_length", {.minimum = 1, .maximum = 1 << 20}, spec.layers);
    spec.feedForward = std::ranges::max(widths);
    constexpr auto kPairing = kernels::RopePairing::HalfSplit;
    const kernels::RopeSpec globalRope =
        readRope(parameters, reader.loader(), spec.headDim, kPairing);
    const kernels::RopeSpec localRope =
        plainRope(parameters.number("rope.freq_base_swa", {.above = 0.0, .maximum = 1e12}, 10000.0),
                  std::ssize(globalRope.frequencies) * 2, kPairing);
    const auto windows = readWindows(parameters, spec.layers, kPeriod);
    reader.graph().embeddingScale = std::sqrt(static_cast<float>(spec.hidden));
    for (std::int64_t i = 0; i < spec.layers; ++i) {
        const LayerLoader loader = reader.layer(i);
        const auto at = static_cast<std::size_t>(i);
        reader.graph().layers.push_back(
            {.attentionNorm = loader.norm("attn_norm", spec.hidden),
             .attention =
                 makeGroupedAttention(loader, attention, spec.hidden, HeadNorms::QueryAndKey,
                                      windows[at] > 0 ? localRope : globalRope, windows[at]),
             .postAttentionNorm = loader.norm("post_attention_norm", spec.hidden),
             .feedForwardNorm = loader.norm("ffn_norm", spec.hidden),
             .feedForward =
                 makeGatedFeedForward(loader, spec.hidden, widths[at], GateActivation::Gelu),
             .postFeedForwardNorm = loader.norm("post_ffw_norm", spec.hidden)});
    }
    return reader.finish();
}

} // namespace engine
