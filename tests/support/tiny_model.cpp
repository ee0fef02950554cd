#include "tests/support/tiny_model.h"

#include "engine/checkpoint/synthetic_model.h"

namespace tests {

void writeTinyModel(const std::filesystem::path& file, const TinyModel& model) {
    const engine::SyntheticShape shape{.name = "tiny",
                                       .summary = "a small llama for tests",
                                       .architecture = model.window > 0 ? "gemma3" : "llama",
                                       .preTokenizer = "smollm",
                                       .layers = model.layers,
                                       .hidden = model.hidden,
                                       .heads = model.heads,
                                       .kvHeads = model.kvHeads,
                                       .headDim = model.headDim,
                                       .feedForward = model.feedForward,
                                       .vocabulary = model.vocabulary,
                                       .context = model.context,
                                       .ropeBase = 10000.0F,
                                       .epsilon = 1e-5F,
                                       .isTied = model.isTied,
                                       .hasHeadNorms = model.window > 0,
                                       .window = model.window,
                                       .experts = std::nullopt};
    const engine::SyntheticOptions options{.format = model.format,
                                           .mixesLikeFiles = false,
                                           .seed = model.seed,
                                           .progress = {},
                                           .stop = {}};
    engine::writeSyntheticModel(shape, options, file);
}

} // namespace tests
