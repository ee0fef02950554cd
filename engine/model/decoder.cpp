#include "engine/model/decoder.h"

#include "engine/base/ensure.h"
#include "engine/base/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace engine {

namespace {

class Decoder final : public Model {
public:
    Decoder(DecoderGraph graph, kernels::Ops& ops) : m_ops(ops), m_graph(std::move(graph)) {
        m_scratch.need(ScratchPart::Residual, spec().hidden);
        m_scratch.need(ScratchPart::Normed, spec().hidden);
        m_scratch.need(ScratchPart::Delta, spec().hidden);
        m_scratch.need(ScratchPart::WantedResidual, spec().hidden);
        for (const DecoderLayer& layer : m_graph.layers) {
            layer.attention->needScratch(m_scratch);
            layer.feedForward->needScratch(m_scratch);
        }
        for (const ProjectionSite& site : spec().sites) {
            m_widestSite = std::max(m_widestSite, site.rows);
        }
        m_scratch.need(ScratchPart::WantedAttended, m_graph.layers.back().attention->width());
    }

    const ModelSpec& spec() const override { return m_graph.spec; }

    std::uint64_t weightsBytes() const override {
        std::uint64_t sum = m_graph.embedding->bytes();
        sum += m_graph.output ? m_graph.output->bytes() : 0;
        eachLayerWeight(1, [&](const kernels::Weight& weight, double) { sum += weight.bytes(); });
        return sum;
    }

    std::uint64_t trafficBytes(std::int64_t tokens, bool wantsLogits) const override {
        double sum = 0.0;
        eachLayerWeight(tokens, [&](const kernels::Weight& weight, double share) {
            sum += share * static_cast<double>(weight.trafficBytes());
        });
        return static_cast<std::uint64_t>(sum) + (wantsLogits ? outputWeight().trafficBytes() : 0);
    }

    void reserve(std::int64_t tokens, std::int64_t logitRows) override {
        kernels::Buffer logits = m_logits;
        kernels::Buffer readable = m_readableLogits;
        if (!logits || logits.view().shape[0] != logitRows) {
            const kernels::Shape shape{logitRows, spec().vocabulary};
            logits = m_ops.allocate(kernels::Format::F32, shape);
            readable = logits.view().device == kernels::Device::Cpu
                           ? logits
                           : kernels::Buffer::cpu(kernels::Format::F32, shape);
        }
        m_lowRank.reserve(m_ops, m_widestSite);
        m_scratch.reserve(m_ops, tokens);
        m_logits = std::move(logits);
        m_readableLogits = std::move(readable);
    }

    kernels::View forward(const Batch& batch, const KvCache& kv,
                          const std::stop_token& stop) override {
        const std::int64_t tokens = batch.tokens();
        const auto wanted = static_cast<std::int64_t>(batch.logitRows.size());
        ensure(tokens <= m_scratch.tokens() && m_logits && wanted <= m_logits.view().shape[0],
               "the scratch is large enough for the step");
        const StepContext allRows = context(batch, batch.adapters);
        const StepContext wantedRows = context(batch, batch.wantedAdapters);
        kernels::View residual = rows(ScratchPart::Residual, tokens);
        kernels::View normed = rows(ScratchPart::Normed, tokens);
        kernels::View delta = rows(ScratchPart::Delta, tokens);

        m_ops.embed(*m_graph.embedding, batch.ids, residual);
        if (m_graph.embeddingScale != 1.0F) {
            m_ops.scale(residual, m_graph.embeddingScale);
        }
        const float epsilon = spec().rmsEpsilon;
        m_ops.rmsNorm(residual, m_graph.layers.front().attentionNorm.view(), epsilon, normed);
        for (std::size_t i = 0; i < m_graph.layers.size(); ++i) {
            if (stop.stop_requested()) {
                throw Interrupted();
            }
            const bool isLast = i + 1 == m_graph.layers.size();
            const DecoderLayer& layer = m_graph.layers[i];
            kernels::View attended =
                layer.attention->attend(allRows, kv.layer(static_cast<std::int64_t>(i)), normed);
            if (isLast) {
                // Behind the last keys and values only rows with logits matter.
                if (wanted == 0) {
                    return readable(0);
                }
                residual = gather(residual, batch, ScratchPart::WantedResidual);
                attended = gather(attended, batch, ScratchPart::WantedAttended);
                delta = delta.first(wanted);
                normed = normed.first(wanted);
            }
            const StepContext& step = isLast ? wantedRows : allRows;
            layer.attention->project(step, attended, delta);
            postNorm(layer.postAttentionNorm, delta);
            m_ops.addRmsNormForProduct(residual, delta, layer.feedForwardNorm.view(), epsilon,
                                       normed);
            layer.feedForward->apply(step, normed, delta);
            postNorm(layer.postFeedForwardNorm, delta);
            m_ops.addRmsNormForProduct(residual, delta,
                                       isLast ? m_graph.outputNorm.view()
                                              : m_graph.layers[i + 1].attentionNorm.view(),
                                       epsilon, normed);
        }
        const kernels::View logits = m_logits.view().first(wanted);
        const std::array<const kernels::Weight*, 1> output = {&outputWeight()};
        m_ops.matmul(normed, output, std::array{logits});
        if (m_graph.logitCap > 0.0F) {
            m_ops.softCap(logits, m_graph.logitCap);
        }
        return readable(wanted);
    }

private:
    StepContext context(const Batch& batch, std::span<const AdapterRows> adapters) {
        return {.ops = m_ops,
                .batch = batch,
                .scratch = m_scratch,
                .chooser = m_chooser,
                .lowRank = m_lowRank,
                .adapters = adapters};
    }

    // The first rows of the logits in the CPU's memory; the step is done then.
    kernels::View readable(std::int64_t count) const {
        const kernels::View to = m_readableLogits.view().first(count);
        if (m_ops.device() != kernels::Device::Cpu) {
            m_ops.copy(m_logits.view().first(count), to);
        }
        return to;
    }

    const kernels::Weight& outputWeight() const {
        return m_graph.output ? *m_graph.output : *m_graph.embedding;
    }

    kernels::View rows(ScratchPart part, std::int64_t count) const {
        return m_scratch.view(part, {count, spec().hidden});
    }

    kernels::View gather(kernels::View x, const Batch& batch, ScratchPart part) const {
        const auto count = static_cast<std::int64_t>(batch.logitRows.size());
        const kernels::View wanted = m_scratch.view(part, {count, x.shape.rowLength()});
        m_ops.gatherRows(x, batch.logitRows, wanted);
        return wanted;
    }

    void postNorm(const kernels::Buffer& gain, kernels::View x) const {
        if (gain) {
            m_ops.rmsNorm(x, gain.view(), spec().rmsEpsilon, x);
        }
    }

    void eachLayerWeight(std::int64_t tokens, const WeightVisitor& visit) const {
        for (const DecoderLayer& layer : m_graph.layers) {
            layer.attention->eachWeight(tokens, visit);
            layer.feedForward->eachWeight(tokens, visit);
        }
    }

    kernels::Ops& m_ops;
    DecoderGraph m_graph;
    Scratch m_scratch;
    BlockChooser m_chooser;
    LowRankScratch m_lowRank;
    std::int64_t m_widestSite = 1;    // rows of the longest projection that adapters may add to
    kernels::Buffer m_logits;         // [logitRows, vocabulary]
    kernels::Buffer m_readableLogits; // the same, or a copy where those are a device's
};

} // namespace

DecoderReader::DecoderReader(const Checkpoint& checkpoint, kernels::Ops& ops,
                             const WeightOptions& options)
    : m_parameters(checkpoint),
      m_ops(ops),
      m_loader(checkpoint, options.preparing != nullptr ? *options.preparing : ops, options) {
    readSpec(checkpoint);
    skipPredictionLayers(checkpoint);
    m_graph.embedding = m_loader.matrix("token_embd.weight", spec().vocabulary, spec().hidden,
                                        activationPrecision(WeightRole::Embedding, -1, layers()));
    if (!spec().isOutputTied) {
        m_graph.output = m_loader.matrix("output.weight", spec().vocabulary, spec().hidden,
                                         activationPrecision(WeightRole::Output, -1, layers()));
    }
    m_graph.outputNorm = m_loader.vector("output_norm.weight", spec().hidden);
    if (m_parameters.has("final_logit_softcapping")) {
        m_graph.logitCap = static_cast<float>(
            m_parameters.number("final_logit_softcapping", {.above = 0.0, .maximum = 1e9}, 1.0));
    }
}

void DecoderReader::readSpec(const Checkpoint& checkpoint) {
    ModelSpec& spec = m_graph.spec;
    spec.architecture = m_parameters.architecture();
    spec.layers = m_parameters.integer("block_count", {.minimum = 1, .maximum = 1024});
    spec.hidden = m_parameters.integer("embedding_length", {.minimum = 1, .maximum = 1 << 18});
    spec.contextTokens = m_parameters.integer("context_length", {.minimum = 1, .maximum = 1 << 24});
    spec.rmsEpsilon = static_cast<float>(m_parameters.number("attention.layer_norm_rms_epsilon",
                                                             {.above = 0.0, .maximum = 1.0}, 1e-5));
    if (!m_parameters.flag("attention.causal", true)) {
        m_parameters.refuse("attention.causal", "tokens that see later ones can't be generated");
    }
    const TensorEntry* embedding = checkpoint.find("token_embd.weight");
    if (embedding == nullptr || embedding->shape.rank() != 2 || embedding->shape[0] < 1 ||
        embedding->shape[0] > (1 << 24)) {
        throw Failure(ErrorCode::Unsupported,
                      "The model's tensor token_embd.weight is missing or is not a "
                      "matrix of 1 to 16777216 rows.");
    }
    spec.vocabulary = embedding->shape[0];
    spec.isOutputTied = checkpoint.find("output.weight") == nullptr;
}

// Modules that predict further tokens sit behind the layers and are counted among them.
void DecoderReader::skipPredictionLayers(const Checkpoint& checkpoint) {
    ModelSpec& spec = m_graph.spec;
    const std::int64_t all = spec.layers;
    spec.layers -=
        m_parameters.integer("nextn_predict_layers", {.minimum = 0, .maximum = all - 1}, 0);
    std::int64_t skipped = 0;
    // Files that do not count them have them all the same.
    std::int64_t end = all;
    while (checkpoint.find(fmt::format("blk.{}.nextn.eh_proj.weight", end)) != nullptr) {
        ++end;
    }
    for (std::int64_t i = spec.layers; i < end; ++i) {
        skipped += m_loader.leaveOut(fmt::format("blk.{}.", i));
    }
    skipped += m_loader.leaveOut("mtp.");
    if (skipped > 0) {
        spec.notices.push_back(
            fmt::format("The model has layers that predict further tokens (MTP, {} tensors behind "
                        "layer {}): they are left out.",
                        skipped, spec.layers - 1));
    }
}

std::unique_ptr<Model> DecoderReader::finish() {
    m_loader.refuseLeftOvers();
    ModelSpec& spec = m_graph.spec;
    spec.parameters = m_loader.parameters();
    spec.weightFormat = m_loader.dominantFormat();
    spec.preparedFormat = m_loader.dominantPrepared();
    spec.weightGroups = m_loader.groups();
    spec.sites = m_loader.sites();
    for (const DecoderLayer& layer : m_graph.layers) {
        spec.kv.push_back(layer.attention->kvShape());
    }
    return std::make_unique<Decoder>(std::move(m_graph), m_ops);
}

} // namespace engine
