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

// In 64-bit floats nothing overflows: sizes are shown, not allocated.
struct PrecisionNeed {
    std::string precision; // as --precision and --kv-precision take it: "file", "fp16", "int8", ...
    double bytes = 0.0;
    bool isAvailable = false; // with this build
};

struct MemoryNeed {
    std::int64_t contextTokens = 0;
    std::uint64_t weightsBytes = 0;
    std::uint64_t kvBytes = 0;       // one sequence of that length, keys and values in F16
    std::vector<PrecisionNeed> kv{}; // the same in each precision of keys and values
};

struct ModelInspection {
    std::string name, architecture, license;
    std::string container;  // "GGUF", "safetensors"
    std::int64_t files = 1; // that it is stored in
    std::uint64_t fileBytes = 0, parameters = 0;
    std::int64_t layers = 0, hidden = 0, heads = 0, kvHeads = 0, headDim = 0, feedForward = 0,
                 vocabulary = 0, context = 0;
    std::int64_t experts = 0, activeExperts = 0; // 0: none
    bool tiedEmbedding = false;
    std::string tokenizerModel, preTokenizer, chatFormat;
    std::vector<FormatGroup> groups;
    std::vector<MemoryNeed> memory;
    std::vector<PrecisionNeed> weights; // bytes of all weights in each precision
    std::vector<std::pair<std::string, std::string>>
        metadata;                           // key, short text (arrays as "string[49152]")
    std::optional<std::string> unsupported; // why it can't be run, else empty
    std::vector<std::string> problems;      // all reasons of that kind, the first of them above
    std::vector<std::string> notices;       // what is left out or changed when it is opened
};

// A file or a model's folder. Reads headers only, and the tokenizer. A hostile file yields an Error
// that names tensor or key.
Result<ModelInspection> inspectModel(const std::filesystem::path& path);

struct SynthShape {
    std::string name; // smollm2-135m, llama-3.2-1b, deepseek-v2-lite, ...
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
