// What a model file holds and needs, from its headers alone; and synthetic files of known shapes.
#pragma once

#include "engine/error.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace engine {

struct FormatGroup {  // tensors of one role and format
    std::string role; // "embedding", "norms", "attention", "experts", "feed-forward", "output"
    std::string format;
    std::int64_t tensors = 0;
    std::uint64_t bytes = 0;
};

struct MemoryNeed {
    std::int64_t contextTokens = 0;
    std::uint64_t weightsBytes = 0;
    std::uint64_t kvBytes = 0; // one sequence of that length
};

struct ModelInspection {
    std::string name, architecture, license;
    std::uint64_t fileBytes = 0, parameters = 0;
    std::int64_t layers = 0, hidden = 0, heads = 0, kvHeads = 0, headDim = 0, feedForward = 0,
                 vocabulary = 0, context = 0;
    bool tiedEmbedding = false;
    std::string tokenizerModel, preTokenizer, chatFormat;
    std::vector<FormatGroup> groups;
    std::vector<MemoryNeed> memory;
    std::vector<std::pair<std::string, std::string>>
        metadata;                           // key, short text (arrays as "string[49152]")
    std::optional<std::string> unsupported; // why it can't be run, else empty
};

// Reads headers only. A hostile file yields an Error that names tensor or key.
Result<ModelInspection> inspectModel(const std::filesystem::path& file);

struct SynthShape {
    std::string name; // smollm2-135m, llama-3.2-1b, qwen2.5-0.5b, deepseek-v2-lite
    std::string summary;
};
std::vector<SynthShape> synthShapes();

struct SynthOptions {
    std::string shape;
    std::optional<std::int64_t> layers;
    std::string format = "Q8_0"; // of matrices
    std::uint64_t seed = 1;
};
// Writes a valid random GGUF (a partial file is removed on error or stop). Blocks for as long as it
// takes.
Result<void>
synthesizeModel(const SynthOptions& options, const std::filesystem::path& file,
                const std::function<void(std::uint64_t done, std::uint64_t total)>& progress = {},
                std::stop_token stop = {});

} // namespace engine
