// The llama graph as GGUF files hold it: RMS norm, grouped attention with interleaved rope, SwiGLU.
#include "engine/base/ensure.h"
#include "engine/base/failure.h"
#include "engine/model/layers.h"
#include "engine/model/registry.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <vector>

namespace engine {

namespace {

struct Layer {
    kernels::Buffer attentionNorm;
    Projection query, key, value, attentionOutput;
    kernels::Buffer feedForwardNorm;
    Projection gate, up, down;
};

// Scratch of one step; T is the token budget.
struct Scratch {
    std::int64_t tokens = 0;
    std::int64_t logitRows = 0;
    kernels::Buffer residual, normed, delta; // [T, hidden]
    kernels::Buffer query, attended;         // [T, heads * headDim]
    kernels::Buffer key, value;              // [T, kvHeads * headDim]
    kernels::Buffer gate, up;                // [T, feedForward]
    // The last layer's rows whose logits are wanted.
    kernels::Buffer wantedResidual; // [logitRows, hidden]
    kernels::Buffer wantedAttended; // [logitRows, heads * headDim]
    kernels::Buffer logits;         // [logitRows, vocabulary]
};

ModelSpec readSpec(const HyperParameters& parameters, const Checkpoint& checkpoint) {
    ModelSpec spec;
    spec.architecture = parameters.architecture();
    spec.layers = parameters.integer("block_count", {.minimum = 1, .maximum = 1024});
    spec.hidden = parameters.integer("embedding_length", {.minimum = 1, .maximum = 1 << 18});
    spec.feedForward =
        parameters.integer("feed_forward_length", {.minimum = 1, .maximum = 1 << 20});
    spec.heads = parameters.integer("attention.head_count", {.minimum = 1, .maximum = 4096});
    spec.kvHeads = parameters.integer("attention.head_count_kv",
                                      {.minimum = 1, .maximum = spec.heads}, spec.heads);
    spec.headDim = parameters.integer("attention.key_length", {.minimum = 2, .maximum = 1024},
                                      spec.hidden / spec.heads);
    spec.contextTokens = parameters.integer("context_length", {.minimum = 1, .maximum = 1 << 24});
    spec.rmsEpsilon = static_cast<float>(parameters.number("attention.layer_norm_rms_epsilon",
                                                           {.above = 0.0, .maximum = 1.0}, 1e-5));
    spec.attentionScale =
        static_cast<float>(parameters.number("attention.scale", {.above = 0.0, .maximum = 1000.0},
                                             1.0 / std::sqrt(static_cast<double>(spec.headDim))));

    const auto refuse = [&](std::string_view name, std::string_view rule) {
        throw Failure(ErrorCode::Unsupported, fmt::format("The model's key {} is refused: {}.",
                                                          parameters.key(name), rule));
    };
    if (spec.heads % spec.kvHeads != 0) {
        refuse("attention.head_count_kv",
               fmt::format("{} does not divide {} heads", spec.kvHeads, spec.heads));
    }
    if (spec.headDim < 2 || spec.headDim % 2 != 0) {
        refuse("attention.key_length",
               fmt::format("heads of {} elements; an even number is needed", spec.headDim));
    }
    if (parameters.integer("attention.value_length", {.minimum = 1, .maximum = 1024},
                           spec.headDim) != spec.headDim) {
        refuse("attention.value_length", "values as long as keys are supported only");
    }
    parameters.refuseFeature("expert_count", "a mixture of experts");
    parameters.refuseFeature("attn_logit_softcapping", "capped attention scores");
    parameters.refuseFeature("final_logit_softcapping", "capped logits");

    const TensorEntry* embedding = checkpoint.find("token_embd.weight");
    if (embedding == nullptr || embedding->shape.rank() != 2 || embedding->shape[0] < 1 ||
        embedding->shape[0] > (1 << 24)) {
        throw Failure(ErrorCode::Unsupported,
                      "The model's tensor token_embd.weight is missing or is not a "
                      "matrix of 1 to 16777216 rows.");
    }
    spec.vocabulary = embedding->shape[0];
    spec.isOutputTied = checkpoint.find("output.weight") == nullptr;
    return spec;
}

class Llama final : public Model {
public:
    Llama(const Checkpoint& checkpoint, kernels::Ops& ops, const WeightOptions& options)
        : m_ops(ops) {
        const HyperParameters parameters(checkpoint);
        m_spec = readSpec(parameters, checkpoint);
        WeightLoader loader(checkpoint, ops, options);
        loadWeights(loader);
        m_rope = readRope(parameters, loader, m_spec.headDim, kernels::RopePairing::Interleaved);
        loader.refuseLeftOvers();
        m_spec.parameters = loader.parameters();
        m_spec.weightFormat = loader.dominantFormat();
    }

    const ModelSpec& spec() const override { return m_spec; }

    std::uint64_t weightsBytes() const override {
        return sumOverWeights([](const kernels::Weight& weight) { return weight.bytes(); });
    }

    std::uint64_t trafficBytes(bool wantsLogits) const override {
        const auto traffic = [](const kernels::Weight& weight) { return weight.trafficBytes(); };
        const std::uint64_t all = sumOverWeights(traffic) - traffic(*m_embedding);
        const bool countsTied = m_spec.isOutputTied && wantsLogits;
        const bool skipsOutput = !m_spec.isOutputTied && !wantsLogits;
        return all + (countsTied ? traffic(*m_embedding) : 0) -
               (skipsOutput ? traffic(*m_output) : 0);
    }

    void reserve(std::int64_t tokens, std::int64_t logitRows) override {
        if (tokens == m_scratch.tokens && logitRows == m_scratch.logitRows) {
            return;
        }
        const auto rows = [&](std::int64_t count, std::int64_t length) {
            return m_ops.allocate(kernels::Format::F32, {count, length});
        };
        const std::int64_t headWidth = m_spec.heads * m_spec.headDim;
        const std::int64_t kvWidth = m_spec.kvHeads * m_spec.headDim;
        m_scratch = Scratch{.tokens = tokens,
                            .logitRows = logitRows,
                            .residual = rows(tokens, m_spec.hidden),
                            .normed = rows(tokens, m_spec.hidden),
                            .delta = rows(tokens, m_spec.hidden),
                            .query = rows(tokens, headWidth),
                            .attended = rows(tokens, headWidth),
                            .key = rows(tokens, kvWidth),
                            .value = rows(tokens, kvWidth),
                            .gate = rows(tokens, m_spec.feedForward),
                            .up = rows(tokens, m_spec.feedForward),
                            .wantedResidual = rows(logitRows, m_spec.hidden),
                            .wantedAttended = rows(logitRows, headWidth),
                            .logits = rows(logitRows, m_spec.vocabulary)};
    }

    kernels::View forward(const Batch& batch, const KvCache& kv,
                          const std::stop_token& stop) override {
        const std::int64_t tokens = batch.tokens();
        const auto wanted = static_cast<std::int64_t>(batch.logitRows.size());
        ensure(tokens <= m_scratch.tokens && wanted <= m_scratch.logitRows,
               "the scratch is large enough for the step");
        kernels::View residual = m_scratch.residual.view().first(tokens);
        const kernels::View normed = m_scratch.normed.view().first(tokens);
        kernels::View delta = m_scratch.delta.view().first(tokens);

        m_ops.embed(*m_embedding, batch.ids, residual);
        m_ops.rmsNorm(residual, m_layers.front().attentionNorm.view(), m_spec.rmsEpsilon, normed);
        for (std::size_t i = 0; i < m_layers.size(); ++i) {
            if (stop.stop_requested()) {
                throw Interrupted();
            }
            const bool isLast = i + 1 == m_layers.size();
            const Layer& layer = m_layers[i];
            kernels::View attended =
                attend(layer, kv.layer(static_cast<std::int64_t>(i)), batch, normed);
            if (isLast) {
                // Behind the last keys and values only rows with logits matter.
                if (wanted == 0) {
                    return m_scratch.logits.view().first(0);
                }
                residual = gather(residual, batch, m_scratch.wantedResidual.view());
                attended = gather(attended, batch, m_scratch.wantedAttended.view());
                delta = delta.first(wanted);
            }
            project(layer.attentionOutput, attended, delta);
            feedForward(layer, residual, delta);
            const kernels::View nextGain =
                isLast ? m_outputNorm.view() : m_layers[i + 1].attentionNorm.view();
            m_ops.addRmsNorm(residual, delta, nextGain, m_spec.rmsEpsilon,
                             isLast ? normed.first(wanted) : normed);
        }
        const kernels::View logits = m_scratch.logits.view().first(wanted);
        const std::array<const kernels::Weight*, 1> output = {
            m_spec.isOutputTied ? m_embedding.get() : m_output.get()};
        m_ops.matmul(normed.first(wanted), output, std::array{logits});
        return logits;
    }

private:
    void loadWeights(WeightLoader& loader) {
        const std::int64_t hidden = m_spec.hidden;
        const std::int64_t headWidth = m_spec.heads * m_spec.headDim;
        const std::int64_t kvWidth = m_spec.kvHeads * m_spec.headDim;
        m_embedding = loader.matrix("token_embd.weight", m_spec.vocabulary, hidden,
                                    activationPrecision(WeightRole::Embedding, -1, m_spec.layers));
        for (std::int64_t i = 0; i < m_spec.layers; ++i) {
            const auto load = [&](const char* name, WeightRole role, std::int64_t rows,
                                  std::int64_t columns) {
                return Projection::load(loader, fmt::format("blk.{}.{}", i, name), rows, columns,
                                        activationPrecision(role, i, m_spec.layers));
            };
            const auto norm = [&](const char* name) {
                return loader.vector(fmt::format("blk.{}.{}.weight", i, name), hidden);
            };
            Layer layer;
            layer.attentionNorm = norm("attn_norm");
            layer.query = load("attn_q", WeightRole::AttentionInput, headWidth, hidden);
            layer.key = load("attn_k", WeightRole::AttentionInput, kvWidth, hidden);
            layer.value = load("attn_v", WeightRole::AttentionInput, kvWidth, hidden);
            layer.attentionOutput =
                load("attn_output", WeightRole::AttentionOutput, hidden, headWidth);
            layer.feedForwardNorm = norm("ffn_norm");
            layer.gate = load("ffn_gate", WeightRole::FeedForward, m_spec.feedForward, hidden);
            layer.up = load("ffn_up", WeightRole::FeedForward, m_spec.feedForward, hidden);
            layer.down = load("ffn_down", WeightRole::FeedForward, hidden, m_spec.feedForward);
            m_layers.push_back(std::move(layer));
        }
        m_outputNorm = loader.vector("output_norm.weight", hidden);
        if (!m_spec.isOutputTied) {
            m_output = loader.matrix("output.weight", m_spec.vocabulary, hidden,
                                     activationPrecision(WeightRole::Output, -1, m_spec.layers));
        }
    }

    // Stores this step's keys and values, returns attention over all.   [tokens, heads * headDim]
    kernels::View attend(const Layer& layer, const kernels::KvLayer& kv, const Batch& batch,
                         kernels::View normed) {
        const std::int64_t tokens = batch.tokens();
        const kernels::View query = m_scratch.query.view().first(tokens);
        const kernels::View key = m_scratch.key.view().first(tokens);
        const kernels::View value = m_scratch.value.view().first(tokens);
        const kernels::View attended = m_scratch.attended.view().first(tokens);
        const std::array<const kernels::Weight*, 3> weights = {
            layer.query.weight.get(), layer.key.weight.get(), layer.value.weight.get()};
        m_ops.matmul(normed, weights, std::array{query, key, value});
        addBias(m_ops, layer.query, query);
        addBias(m_ops, layer.key, key);
        addBias(m_ops, layer.value, value);

        const kernels::Shape byHead{tokens, m_spec.heads, m_spec.headDim};
        const kernels::Shape byKvHead{tokens, m_spec.kvHeads, m_spec.headDim};
        m_ops.ropeAndStore(reshaped(query, byHead), reshaped(key, byKvHead),
                           reshaped(value, byKvHead), m_rope, batch.positions, batch.slots, kv);
        m_ops.attention(reshaped(query, byHead), kv,
                        {.slices = batch.slices, .blocks = batch.blocks}, m_spec.attentionScale,
                        reshaped(attended, byHead));
        return attended;
    }

    // residual += delta; delta = down(silu(gate(n)) * up(n)), n = norm(residual).
    void feedForward(const Layer& layer, kernels::View residual, kernels::View delta) {
        const std::int64_t rows = residual.shape[0];
        const kernels::View normed = m_scratch.normed.view().first(rows);
        const kernels::View gate = m_scratch.gate.view().first(rows);
        const kernels::View up = m_scratch.up.view().first(rows);
        m_ops.addRmsNorm(residual, delta, layer.feedForwardNorm.view(), m_spec.rmsEpsilon, normed);
        const std::array<const kernels::Weight*, 2> weights = {layer.gate.weight.get(),
                                                               layer.up.weight.get()};
        m_ops.matmul(normed, weights, std::array{gate, up});
        addBias(m_ops, layer.gate, gate);
        addBias(m_ops, layer.up, up);
        m_ops.siluMul(gate, up, gate);
        project(layer.down, gate, delta);
    }

    void project(const Projection& projection, kernels::View x, kernels::View out) {
        const std::array<const kernels::Weight*, 1> weight = {projection.weight.get()};
        m_ops.matmul(x, weight, std::array{out});
        addBias(m_ops, projection, out);
    }

    kernels::View gather(kernels::View x, const Batch& batch, kernels::View out) {
        const kernels::View rows = out.first(static_cast<std::int64_t>(batch.logitRows.size()));
        m_ops.gatherRows(x, batch.logitRows, rows);
        return rows;
    }

    template <class Bytes>
    std::uint64_t sumOverWeights(Bytes bytes) const {
        std::uint64_t sum = bytes(*m_embedding) + (m_output ? bytes(*m_output) : 0);
        for (const Layer& layer : m_layers) {
            for (const Projection* projection :
                 {&layer.query, &layer.key, &layer.value, &layer.attentionOutput, &layer.gate,
                  &layer.up, &layer.down}) {
                sum += bytes(*projection->weight);
            }
        }
        return sum;
    }

    kernels::Ops& m_ops;
    ModelSpec m_spec;
    kernels::RopeSpec m_rope;
    std::unique_ptr<kernels::Weight> m_embedding;
    std::vector<Layer> m_layers;
    kernels::Buffer m_outputNorm;
    std::unique_ptr<kernels::Weight> m_output; // null where the embedding serves
    Scratch m_scratch;
};

} // namespace

std::unique_ptr<Model> makeLlama(const Checkpoint& checkpoint, kernels::Ops& ops,
                                 const WeightOptions& options) {
    return std::make_unique<Llama>(checkpoint, ops, options);
}

} // namespace engine
