// The graph that all decoders share: embedding, layers of attention and feed-forward with their
// norms around one residual stream, output. Architectures differ in the blocks they put in.
#pragma once

#include "engine/model/block.h"
#include "engine/model/hyper_parameters.h"
#include "engine/model/layers.h"
#include "engine/model/model.h"

#include <memory>
#include <vector>

namespace engine {

struct DecoderLayer {
    kernels::Buffer attentionNorm;
    std::unique_ptr<AttentionBlock> attention;
    kernels::Buffer postAttentionNorm; // may be empty
    kernels::Buffer feedForwardNorm;
    std::unique_ptr<FeedForwardBlock> feedForward;
    kernels::Buffer postFeedForwardNorm; // may be empty
};

struct DecoderGraph {
    ModelSpec spec;
    std::unique_ptr<kernels::Weight> embedding;
    float embeddingScale = 1.0F;
    std::vector<DecoderLayer> layers;
    kernels::Buffer outputNorm;
    std::unique_ptr<kernels::Weight> output; // null where the embedding serves
    float logitCap = 0.0F;                   // 0: none
};

// Reads what all architectures have in common; a file of the table adds the layers in between.
class DecoderReader {
public:
    // Reads the numbers, loads embedding and output. `options` and `ops` outlive the reader.
    DecoderReader(const Checkpoint& checkpoint, kernels::Ops& ops, const WeightOptions& options);

    const HyperParameters& parameters() const { return m_parameters; }
    WeightLoader& loader() { return m_loader; }
    DecoderGraph& graph() { return m_graph; }
    ModelSpec& spec() { return m_graph.spec; }
    std::int64_t layers() const { return m_graph.spec.layers; }
    LayerLoader layer(std::int64_t index) {
        return LayerLoader(m_loader, index, m_graph.spec.layers);
    }
    // Throws where tensors are left over.
    std::unique_ptr<Model> finish();

private:
    void readSpec(const Checkpoint& checkpoint);
    void skipPredictionLayers(const Checkpoint& checkpoint);

    HyperParameters m_parameters;
    kernels::Ops& m_ops;
    WeightLoader m_loader;
    DecoderGraph m_graph;
};

} // namespace engine
