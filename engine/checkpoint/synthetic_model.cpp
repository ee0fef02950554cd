#include "engine/checkpoint/synthetic_model.h"

#include "engine/base/display_text.h"
#include "engine/base/failure.h"
#include "engine/checkpoint/gguf_writer.h"
#include "engine/checkpoint/random_blocks.h"
#include "engine/checkpoint/synthetic_vocabulary.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace engine {

namespace {

using kernels::Format;
using kernels::Shape;

constexpr std::size_t kChunkBytes = std::size_t{4} << 20; // written at once

struct Fallback {
    Format format;
    Format instead;
};

// What the reference quantiser takes when rows are no whole blocks (reference: llama.cpp's mixes).
constexpr std::array kFallbacks = {
    Fallback{Format::Q4_K, Format::Q5_0},      Fallback{Format::Q5_K, Format::Q5_1},
    Fallback{Format::Q6_K, Format::Q8_0},      Fallback{Format::Q2_K, Format::Q4_0},
    Fallback{Format::Q3_K, Format::Q4_0},      Fallback{Format::TQ1_0, Format::Q4_0},
    Fallback{Format::TQ2_0, Format::Q4_0},     Fallback{Format::IQ4_XS, Format::IQ4_NL},
    Fallback{Format::IQ2_XXS, Format::IQ4_NL}, Fallback{Format::IQ2_XS, Format::IQ4_NL},
    Fallback{Format::IQ2_S, Format::IQ4_NL},   Fallback{Format::IQ3_XXS, Format::IQ4_NL},
    Fallback{Format::IQ3_S, Format::IQ4_NL},   Fallback{Format::NVFP4, Format::MXFP4},
};

bool fits(Format format, std::int64_t rowLength) {
    return rowLength % kernels::traits(format).blockElements == 0;
}

// Embedding and output of a published file with such matrices.
Format outputFormat(Format format) {
    switch (format) {
    case Format::Q2_K:
    case Format::Q3_K:
    case Format::Q4_K:
    case Format::Q5_K:
    case Format::IQ4_XS:
    case Format::IQ4_NL:
        return Format::Q6_K;
    case Format::F32:
    case Format::F16:
    case Format::BF16:
    case Format::Q6_K:
        return format;
    default:
        return Format::Q8_0;
    }
}

// How a tensor's values are made.
enum class Content : std::uint8_t { Weights, Gains, Biases, RopeFactors };

struct Planned {
    std::string name;
    Format format = Format::F32;
    Shape shape;
    Content content = Content::Weights;
    float deviation = 0.0F;
};

class Plan {
public:
    Plan(const SyntheticShape& shape, const SyntheticOptions& options)
        : m_shape(shape),
          m_options(options) {
        const Format outer = options.mixesLikeFiles ? outputFormat(options.format) : options.format;
        // A tied embedding also makes the logits: a little wider, so that they differ.
        addMatrix("token_embd.weight", m_shape.isTied ? outer : m_options.format,
                  {m_shape.vocabulary, m_shape.hidden}, 2.0F);
        addGains("output_norm.weight", m_shape.hidden);
        if (!m_shape.isTied) {
            addMatrix("output.weight", outer, {m_shape.vocabulary, m_shape.hidden}, 2.0F);
        }
        if (m_shape.hasStretchedRope) {
            m_tensors.push_back({"rope_freqs.weight",
                                 Format::F32,
                                 {m_shape.headDim / 2},
                                 Content::RopeFactors,
                                 0.0F});
        }
        for (std::int64_t layer = 0; layer < m_shape.layers; ++layer) {
            m_prefix = fmt::format("blk.{}.", layer);
            addGains(m_prefix + "attn_norm.weight", m_shape.hidden);
            if (m_shape.experts && m_shape.experts->latentRank > 0) {
                addLatentAttention(*m_shape.experts);
            } else {
                addAttention();
            }
            addPostNorm("post_attention_norm");
            addGains(m_prefix + "ffn_norm.weight", m_shape.hidden);
            if (m_shape.experts && layer >= m_shape.experts->denseLayers) {
                addExperts(*m_shape.experts);
            } else {
                addFeedForward();
            }
            addPostNorm("post_ffw_norm");
        }
    }

    const std::vector<Planned>& tensors() const { return m_tensors; }

private:
    // Values spread so that a product with a unit-size input has size `gain`.
    void addMatrix(std::string name, Format format, Shape shape, float gain = 1.0F) {
        const std::int64_t row = shape.rowLength();
        m_tensors.push_back({std::move(name), formatForRow(format, row), shape, Content::Weights,
                             gain / std::sqrt(static_cast<float>(row))});
    }

    void addLayerMatrix(std::string_view name, Shape shape) {
        addMatrix(m_prefix + std::string(name) + ".weight", m_options.format, shape);
    }

    void addGains(std::string name, std::int64_t length) {
        m_tensors.push_back({std::move(name), Format::F32, {length}, Content::Gains, 0.1F});
    }

    void addBias(std::string_view name, std::int64_t length) {
        if (m_shape.hasAttentionBias) {
            m_tensors.push_back({m_prefix + std::string(name) + ".bias",
                                 Format::F32,
                                 {length},
                                 Content::Biases,
                                 0.1F});
        }
    }

    void addPostNorm(std::string_view name) {
        if (m_shape.window > 0) {
            addGains(m_prefix + std::string(name) + ".weight", m_shape.hidden);
        }
    }

    void addAttention() {
        const std::int64_t queries = m_shape.heads * m_shape.headDim;
        const std::int64_t keys = m_shape.kvHeads * m_shape.headDim;
        addLayerMatrix("attn_q", {queries, m_shape.hidden});
        addBias("attn_q", queries);
        addLayerMatrix("attn_k", {keys, m_shape.hidden});
        addBias("attn_k", keys);
        addLayerMatrix("attn_v", {keys, m_shape.hidden});
        addBias("attn_v", keys);
        addLayerMatrix("attn_output", {m_shape.hidden, queries});
        if (m_shape.hasHeadNorms) {
            addGains(m_prefix + "attn_q_norm.weight", m_shape.headDim);
            addGains(m_prefix + "attn_k_norm.weight", m_shape.headDim);
        }
    }

    void addLatentAttention(const SyntheticExperts& experts) {
        const std::int64_t queries = m_shape.heads * m_shape.headDim;
        if (experts.queryRank > 0) {
            addLayerMatrix("attn_q_a", {experts.queryRank, m_shape.hidden});
            addGains(m_prefix + "attn_q_a_norm.weight", experts.queryRank);
            addLayerMatrix("attn_q_b", {queries, experts.queryRank});
        } else {
            addLayerMatrix("attn_q", {queries, m_shape.hidden});
        }
        addLayerMatrix("attn_kv_a_mqa", {experts.latentRank + experts.rotaryDim, m_shape.hidden});
        addGains(m_prefix + "attn_kv_a_norm.weight", experts.latentRank);
        addLayerMatrix("attn_k_b", {m_shape.heads, experts.latentRank, experts.plainDim});
        addLayerMatrix("attn_v_b", {m_shape.heads, experts.valueDim, experts.latentRank});
        addLayerMatrix("attn_output", {m_shape.hidden, m_shape.heads * experts.valueDim});
    }

    void addFeedForward() {
        addLayerMatrix("ffn_gate", {m_shape.feedForward, m_shape.hidden});
        addLayerMatrix("ffn_up", {m_shape.feedForward, m_shape.hidden});
        addLayerMatrix("ffn_down", {m_shape.hidden, m_shape.feedForward});
    }

    void addExperts(const SyntheticExperts& experts) {
        const std::int64_t width = experts.expertFeedForward;
        const std::int64_t shared = width * experts.expertsShared;
        addMatrix(m_prefix + "ffn_gate_inp.weight", Format::F32, {experts.experts, m_shape.hidden});
        addLayerMatrix("ffn_gate_exps", {experts.experts, width, m_shape.hidden});
        addLayerMatrix("ffn_up_exps", {experts.experts, width, m_shape.hidden});
        addLayerMatrix("ffn_down_exps", {experts.experts, m_shape.hidden, width});
        if (experts.isSigmoid) {
            m_tensors.push_back({m_prefix + "exp_probs_b.bias",
                                 Format::F32,
                                 {experts.experts},
                                 Content::Biases,
                                 0.1F});
        }
        if (shared > 0) {
            addLayerMatrix("ffn_gate_shexp", {shared, m_shape.hidden});
            addLayerMatrix("ffn_up_shexp", {shared, m_shape.hidden});
            addLayerMatrix("ffn_down_shexp", {m_shape.hidden, shared});
        }
    }

    const SyntheticShape& m_shape;
    const SyntheticOptions& m_options;
    std::string m_prefix; // of the layer being planned
    std::vector<Planned> m_tensors;
};

void writeExpertMetadata(gguf::Writer& writer, const std::string& prefix,
                         const SyntheticExperts& experts) {
    const auto number = [&](std::string_view key, std::int64_t value) {
        writer.addUnsigned(prefix + std::string(key), static_cast<std::uint32_t>(value));
    };
    number("expert_count", experts.experts);
    number("expert_used_count", experts.expertsUsed);
    number("expert_feed_forward_length", experts.expertFeedForward);
    number("expert_gating_func", experts.isSigmoid ? 2 : 1);
    writer.addReal(prefix + "expert_weights_scale", experts.weightScale);
    writer.addBool(prefix + "expert_weights_norm", experts.normalisesWeights);
    if (experts.latentRank == 0) {
        return;
    }
    number("leading_dense_block_count", experts.denseLayers);
    number("expert_shared_count", experts.expertsShared);
    if (experts.groups > 1) {
        number("expert_group_count", experts.groups);
        number("expert_group_used_count", experts.groupsUsed);
    }
    number("attention.kv_lora_rank", experts.latentRank);
    if (experts.queryRank > 0) {
        number("attention.q_lora_rank", experts.queryRank);
    }
    number("attention.key_length", experts.latentRank + experts.rotaryDim);
    number("attention.value_length", experts.latentRank);
    number("attention.key_length_mla", experts.plainDim + experts.rotaryDim);
    number("attention.value_length_mla", experts.valueDim);
    number("rope.dimension_count", experts.rotaryDim);
    writer.addText(prefix + "rope.scaling.type", "yarn");
    writer.addReal(prefix + "rope.scaling.factor", 40.0F);
    number("rope.scaling.original_context_length", 4096);
    writer.addReal(prefix + "rope.scaling.yarn_log_multiplier", experts.yarnLogMultiplier);
}

void writeMetadata(gguf::Writer& writer, const SyntheticShape& shape, Format format) {
    const std::string prefix = fmt::format("{}.", shape.architecture);
    const auto number = [&](std::string_view key, std::int64_t value) {
        writer.addUnsigned(prefix + std::string(key), static_cast<std::uint32_t>(value));
    };
    writer.addText("general.architecture", shape.architecture);
    writer.addText("general.name", fmt::format("{} (random weights)", shape.name));
    writer.addText("general.type", "model");
    writer.addUnsigned("general.file_type",
                       static_cast<std::uint32_t>(gguf::fileTypeLabel(format)));
    writer.addUnsigned("general.quantization_version", 2);
    number("block_count", shape.layers);
    number("context_length", shape.context);
    number("embedding_length", shape.hidden);
    number("feed_forward_length", shape.feedForward);
    number("attention.head_count", shape.heads);
    number("attention.head_count_kv", shape.kvHeads);
    number("vocab_size", shape.vocabulary);
    writer.addReal(prefix + "attention.layer_norm_rms_epsilon", shape.epsilon);
    writer.addReal(prefix + "rope.freq_base", shape.ropeBase);
    if (shape.experts) {
        writeExpertMetadata(writer, prefix, *shape.experts);
    }
    if (shape.window > 0) {
        number("attention.sliding_window", shape.window);
    }
    if (!shape.experts || shape.experts->latentRank == 0) {
        number("rope.dimension_count", shape.headDim);
        number("attention.key_length", shape.headDim);
        number("attention.value_length", shape.headDim);
    }
    writeSyntheticVocabulary(writer, shape.vocabulary, shape.preTokenizer);
}

// Divisors of Llama 3.1's frequencies: 1 for short waves, 32 for long ones, smooth in between.
std::vector<float> ropeFactors(const SyntheticShape& shape) {
    constexpr double kFactor = 32.0, kLow = 1.0, kHigh = 4.0, kTrained = 8192.0;
    std::vector<float> factors;
    for (std::int64_t i = 0; i < shape.headDim / 2; ++i) {
        const double frequency =
            std::pow(static_cast<double>(shape.ropeBase),
                     -2.0 * static_cast<double>(i) / static_cast<double>(shape.headDim));
        const double wave = 2.0 * std::numbers::pi / frequency;
        const double smooth = std::clamp((kTrained / wave - kLow) / (kHigh - kLow), 0.0, 1.0);
        factors.push_back(static_cast<float>(1.0 / ((1.0 - smooth) / kFactor + smooth)));
    }
    return factors;
}

class TensorWriter {
public:
    TensorWriter(gguf::Writer& writer, const SyntheticShape& shape, const SyntheticOptions& options)
        : m_writer(writer),
          m_shape(shape),
          m_options(options) {}

    void write(const Planned& tensor) {
        RandomBits random(
            XXH3_64bits_withSeed(tensor.name.data(), tensor.name.size(), m_options.seed));
        if (tensor.content == Content::RopeFactors) {
            const std::vector<float> factors = ropeFactors(m_shape);
            emit(std::as_bytes(std::span(factors)));
        } else if (tensor.content == Content::Weights) {
            writeBlocks(tensor, random);
        } else {
            writeVector(tensor, random);
        }
    }

private:
    void writeVector(const Planned& tensor, RandomBits& random) {
        std::vector<float> values(static_cast<std::size_t>(tensor.shape.elements()));
        const float middle = tensor.content == Content::Gains ? 1.0F : 0.0F;
        for (float& value : values) {
            value = middle + (2.0F * random.unit() - 1.0F) * tensor.deviation;
        }
        emit(std::as_bytes(std::span(values)));
    }

    void writeBlocks(const Planned& tensor, RandomBits& random) {
        const auto blockBytes = static_cast<std::size_t>(kernels::traits(tensor.format).blockBytes);
        const std::size_t chunk = kChunkBytes / blockBytes * blockBytes;
        std::uint64_t left =
            kernels::formatBytes(tensor.format, static_cast<std::size_t>(tensor.shape.elements()));
        m_chunk.resize(std::min<std::uint64_t>(left, chunk));
        while (left > 0) {
            const auto part =
                std::span(m_chunk).first(std::min<std::uint64_t>(left, m_chunk.size()));
            fillRandomBlocks(tensor.format, tensor.deviation, random, part);
            emit(part);
            left -= part.size();
        }
    }

    void emit(std::span<const std::byte> bytes) {
        if (m_options.stop.stop_requested()) {
            throw Failure(ErrorCode::Cancelled, "Writing the synthetic model was cancelled.");
        }
        m_writer.writeData(bytes);
        m_done += bytes.size();
        if (m_options.progress) {
            m_options.progress(m_done, m_writer.dataBytes());
        }
    }

    gguf::Writer& m_writer;
    const SyntheticShape& m_shape;
    const SyntheticOptions& m_options;
    std::vector<std::byte> m_chunk;
    std::uint64_t m_done = 0;
};

void refuseFullDisk(const std::filesystem::path& file, std::uint64_t bytes) {
    std::error_code isUnknown;
    const auto space = std::filesystem::space(
        file.has_parent_path() ? file.parent_path() : std::filesystem::path("."), isUnknown);
    if (!isUnknown && space.available < bytes) {
        throw Failure(
            ErrorCode::TooLarge,
            fmt::format("{} needs {} MiB; the disk has {} MiB left. Choose fewer layers, a "
                        "smaller format or another place.",
                        displayText(file.string(), 400), (bytes >> 20) + 1, space.available >> 20));
    }
}

} // namespace

Format formatForRow(Format format, std::int64_t rowLength) {
    if (fits(format, rowLength)) {
        return format;
    }
    const auto* const fallback = std::ranges::find(kFallbacks, format, &Fallback::format);
    return fallback != kFallbacks.end() && fits(fallback->instead, rowLength) ? fallback->instead
                                                                              : Format::F16;
}

void writeSyntheticModel(const SyntheticShape& shape, const SyntheticOptions& options,
                         const std::filesystem::path& file) {
    const Plan plan(shape, options);
    gguf::Writer writer(file);
    writeMetadata(writer, shape, options.format);
    for (const Planned& tensor : plan.tensors()) {
        writer.declareTensor(tensor.name, tensor.format, tensor.shape);
    }
    refuseFullDisk(file, writer.dataBytes());
    writer.writeHeader();
    TensorWriter tensors(writer, shape, options);
    for (const Planned& tensor : plan.tensors()) {
        tensors.write(tensor);
    }
    writer.finish();
}

} // namespace engine
