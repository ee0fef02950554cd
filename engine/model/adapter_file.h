// A low-rank adapter as a file has it: PEFT's folder (adapter_config.json beside
// adapter_model.safetensors) or a GGUF file of the type "adapter". Hostile until it is checked here
// against the model that it is for. One thread.
#pragma once

#include "engine/model/adapter.h"
#include "kernels/tensor.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace engine {

class Checkpoint;
struct ModelSpec;

// What of a model decides whether an adapter fits it.
struct AdapterBase {
    std::string architecture;
    std::int64_t layers = 0;
    std::int64_t headDim = 0;
    // llama: rows of q and k lie in pairs, as in GGUF files, or in halves, as transformers has
    // them.
    bool hasPairs = false;
    std::vector<ProjectionSite> sites;
};
AdapterBase adapterBaseOf(const ModelSpec& spec, const Checkpoint& checkpoint);

struct AdapterMatrices {
    std::string site;   // "blk.3.attn_q"
    kernels::Buffer a;  // [rank, columns] F32, F16 or BF16
    kernels::Buffer b;  // [rows, rank] of a's kind or another of them, rows as the model has them
    float scale = 1.0F; // not 0
};

struct AdapterFile {
    std::vector<AdapterMatrices> matrices; // by site, each once, every number finite
    std::string digest;                    // of these
    std::string name;                      // of the file or folder
    std::uint64_t bytes() const;
};

// `claim` is called with the bytes it will take before they are taken. Throws Failure whose message
// names the file and the tensor or key at fault.
AdapterFile readAdapterFile(const std::filesystem::path& path, const AdapterBase& base,
                            const std::function<void(std::uint64_t bytes)>& claim = {});

// F16, of a scale at which answers differ a little. Throws Failure.
void writeRandomAdapter(const std::filesystem::path& file, const AdapterBase& base,
                        std::int64_t rank, std::uint64_t seed);

} // namespace engine
