#include "engine/checkpoint/synthetic_model.h"

#include <array>

namespace engine {

namespace {

constexpr std::array kShapes = {
    SyntheticShape{.name = "smollm2-135m",
                   .summary = "SmolLM2 135M: llama, 30 layers of 576, 9 heads on 3",
                   .architecture = "llama",
                   .preTokenizer = "smollm",
                   .layers = 30,
                   .hidden = 576,
                   .heads = 9,
                   .kvHeads = 3,
                   .headDim = 64,
                   .feedForward = 1536,
                   .vocabulary = 49152,
                   .context = 8192,
                   .ropeBase = 100000.0F,
                   .epsilon = 1e-5F,
                   .isTied = true,
                   .experts = std::nullopt},
    SyntheticShape{.name = "llama-3.2-1b",
                   .summary = "Llama 3.2 1B: llama, 16 layers of 2048, 32 heads on 8",
                   .architecture = "llama",
                   .preTokenizer = "llama-bpe",
                   .layers = 16,
                   .hidden = 2048,
                   .heads = 32,
                   .kvHeads = 8,
                   .headDim = 64,
                   .feedForward = 8192,
                   .vocabulary = 128256,
                   .context = 131072,
                   .ropeBase = 500000.0F,
                   .epsilon = 1e-5F,
                   .isTied = true,
                   .hasStretchedRope = true,
                   .experts = std::nullopt},
    SyntheticShape{.name = "qwen2.5-0.5b",
                   .summary = "Qwen2.5 0.5B: qwen2, 24 layers of 896, 14 heads on 2",
                   .architecture = "qwen2",
                   .preTokenizer = "qwen2",
                   .layers = 24,
                   .hidden = 896,
                   .heads = 14,
                   .kvHeads = 2,
                   .headDim = 64,
                   .feedForward = 4864,
                   .vocabulary = 151936,
                   .context = 32768,
                   .ropeBase = 1000000.0F,
                   .epsilon = 1e-6F,
                   .isTied = true,
                   .hasAttentionBias = true,
                   .experts = std::nullopt},
    SyntheticShape{.name = "deepseek-v2-lite",
                   .summary = "DeepSeek-V2-Lite: deepseek2, 27 layers of 2048, latent attention, 6 "
                              "of 64 experts",
                   .architecture = "deepseek2",
                   .preTokenizer = "deepseek-llm",
                   .layers = 27,
                   .hidden = 2048,
                   .heads = 16,
                   .kvHeads = 1,
                   .headDim = 192,
                   .feedForward = 10944,
                   .vocabulary = 102400,
                   .context = 163840,
                   .ropeBase = 10000.0F,
                   .epsilon = 1e-6F,
                   .isTied = false,
                   .experts = SyntheticExperts{.latentRank = 512,
                                               .plainDim = 128,
                                               .rotaryDim = 64,
                                               .valueDim = 128,
                                               .denseLayers = 1,
                                               .experts = 64,
                                               .expertsUsed = 6,
                                               .expertsShared = 2,
                                               .expertFeedForward = 1408}},
};

} // namespace

std::span<const SyntheticShape> syntheticShapes() {
    return kShapes;
}

} // namespace engine
