// Random models of known shapes: a table of shapes, and the writer. What the tensors are called and
// how large they are follows the published files of these models. Any thread.
#pragma once

#include "kernels/formats.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>

namespace engine {

// Experts, and the latent attention of the deepseek2 architecture.
struct SyntheticExperts {
    std::int64_t latentRank = 0; // 0: attention is as elsewhere
    std::int64_t queryRank = 0;  // 0: queries have no low rank
    std::int64_t plainDim = 0;   // of a query or key head, without rope
    std::int64_t rotaryDim = 0;  // of a query or key head
    std::int64_t valueDim = 0;
    std::int64_t denseLayers = 0; // layers without experts, at the front
    std::int64_t experts = 0;
    std::int64_t expertsUsed = 0;
    std::int64_t expertsShared = 0;
    std::int64_t expertFeedForward = 0;
    std::int64_t groups = 1; // of experts, some of which a token may use
    std::int64_t groupsUsed = 1;
    bool isSigmoid = false; // as V3 routes: with a bias of the choice
    bool normalisesWeights = false;
    float weightScale = 1.0F;
    float yarnLogMultiplier = 0.1F;
};

struct SyntheticShape {
    std::string_view name;
    std::string_view summary;
    std::string_view architecture;
    std::string_view preTokenizer;
    std::int64_t layers = 0;
    std::int64_t hidden = 0;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0;
    std::int64_t headDim = 0;
    std::int64_t feedForward = 0;
    std::int64_t vocabulary = 0;
    std::int64_t context = 0;
    float ropeBase = 10000.0F;
    float epsilon = 1e-5F;
    bool isTied = true;            // no output matrix: the embedding serves
    bool hasAttentionBias = false; // on q, k and v
    bool hasStretchedRope = false; // Llama 3: rope_freqs.weight
    bool hasHeadNorms = false;     // of q and k
    std::int64_t window = 0;       // Gemma 3, with norms behind each half of a layer; 0: none
    std::optional<SyntheticExperts> experts;
};

std::span<const SyntheticShape> syntheticShapes();

struct SyntheticOptions {
    kernels::Format format = kernels::Format::Q8_0; // of matrices whose rows allow it
    bool mixesLikeFiles = true; // embedding and output more precise, as published files have them
    std::uint64_t seed = 1;
    std::function<void(std::uint64_t done, std::uint64_t total)> progress;
    std::stop_token stop;
};

// `format`, or what a row of that length falls back to when it is no whole number of blocks.
kernels::Format formatForRow(kernels::Format format, std::int64_t rowLength);

// Throws Failure: disk, Cancelled. A partial file is removed.
void writeSyntheticModel(const SyntheticShape& shape, const SyntheticOptions& options,
                         const std::filesystem::path& file);

} // namespace engine
