#include "engine/model/latent_attention.h"

#include "engine/model/rope.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace engine {

namespace {

class LatentAttention final : public AttentionBlock {
public:
    LatentAttention(const LayerLoader& loader, const LatentAttentionNumbers& numbers,
                    std::int64_t hidden, const kernels::RopeSpec& rope)
        : m_n(numbers),
          m_rule{.scale = static_cast<float>(numbers.scale)},
          m_rope(rope) {
        m_rope.place = kernels::RopePlace::Back;
        const auto input = [&](std::string_view name, std::int64_t rows, std::int64_t columns) {
            return loader.projection(name, WeightRole::AttentionInput, rows, columns);
        };
        if (m_n.queryRank > 0) {
            m_lowQuery = input("attn_q_a", m_n.queryRank, hidden);
            m_lowQueryNorm = loader.norm("attn_q_a_norm", m_n.queryRank);
            m_query = input("attn_q_b", m_n.heads * queryDim(), m_n.queryRank);
        } else {
            m_query = input("attn_q", m_n.heads * queryDim(), hidden);
        }
        m_latent = input("attn_kv_a_mqa", rowDim(), hidden);
        m_latentNorm = loader.norm("attn_kv_a_norm", m_n.latentRank);
        loadHeads(loader);
        m_output = loader.projection("attn_output", WeightRole::AttentionOutput, hidden,
                                     m_n.heads * m_n.valueDim);
    }

    KvLayerShape kvShape() const override {
        return {.heads = 1, .keyDim = rowDim(), .valueDim = 0, .plainTail = m_n.rotaryDim};
    }

    std::int64_t width() const override { return m_n.heads * m_n.latentRank; }

    void needScratch(Scratch& scratch) const override {
        scratch.need(ScratchPart::LowQuery, m_n.queryRank);
        scratch.need(ScratchPart::Query, m_n.heads * queryDim());
        scratch.need(ScratchPart::AbsorbedQuery, m_n.heads * rowDim());
        scratch.need(ScratchPart::Key, rowDim());
        scratch.need(ScratchPart::Latent, m_n.latentRank);
        scratch.need(ScratchPart::Attended, width());
        scratch.need(ScratchPart::HeadValues, m_n.heads * m_n.valueDim);
    }

    kernels::View attend(const StepContext& step, const kernels::KvLayer& kv,
                         kernels::View normed) const override {
        const Batch& batch = step.batch;
        const std::int64_t tokens = batch.tokens();
        const kernels::View query =
            step.scratch.view(ScratchPart::Query, {tokens, m_n.heads * queryDim()});
        const kernels::View row = step.scratch.view(ScratchPart::Key, {tokens, rowDim()});
        projectInputs(step, normed, query, row);
        normLatents(step, row);
        const kernels::View heads = reshaped(query, {tokens, m_n.heads, queryDim()});
        step.ops.ropeAndStore(heads, reshaped(row, {tokens, 1, rowDim()}), {}, m_rope,
                              batch.positions, batch.slots, kv);

        const kernels::View absorbed =
            step.scratch.view(ScratchPart::AbsorbedQuery, {tokens * m_n.heads, rowDim()});
        absorb(step, reshaped(query, {tokens * m_n.heads, queryDim()}), absorbed);
        const kernels::View attended = step.scratch.view(ScratchPart::Attended, {tokens, width()});
        step.ops.attention(reshaped(absorbed, {tokens, m_n.heads, rowDim()}), kv,
                           {.slices = batch.slices, .blocks = batch.blocks}, m_rule,
                           reshaped(attended, {tokens, m_n.heads, m_n.latentRank}));
        return attended;
    }

    void project(const StepContext& step, kernels::View attended,
                 kernels::View out) const override {
        const std::int64_t rows = attended.shape[0];
        const kernels::View values =
            step.scratch.view(ScratchPart::HeadValues, {rows * m_n.heads, m_n.valueDim});
        multiplyHeads(step.ops, reshaped(attended, {rows * m_n.heads, m_n.latentRank}),
                      m_valueHeads, values);
        engine::project(step, m_output, reshaped(values, {rows, m_n.heads * m_n.valueDim}), out);
    }

    void eachWeight(std::int64_t, const WeightVisitor& visit) const override {
        for (const Projection* projection : {&m_lowQuery, &m_query, &m_latent, &m_output}) {
            if (projection->weight) {
                visit(*projection->weight, 1.0);
            }
        }
        for (const WeightVector* heads : {&m_keyHeads, &m_valueHeads}) {
            for (const auto& weight : *heads) {
                visit(*weight, 1.0);
            }
        }
    }

private:
    std::int64_t queryDim() const { return m_n.plainDim + m_n.rotaryDim; }
    std::int64_t rowDim() const { return m_n.latentRank + m_n.rotaryDim; }

    void loadHeads(const LayerLoader& loader) {
        if (loader.has("attn_kv_b.weight")) {
            splitHeads(loader);
            return;
        }
        m_keyHeads =
            loader.stack("attn_k_b", WeightRole::AttentionInput,
                         {.count = m_n.heads, .rows = m_n.latentRank, .columns = m_n.plainDim});
        m_valueHeads =
            loader.stack("attn_v_b", WeightRole::AttentionOutput,
                         {.count = m_n.heads, .rows = m_n.valueDim, .columns = m_n.latentRank});
    }

    // Files with one matrix for keys and values, a head's keys before its values. What absorbs the
    // queries is the keys' transpose, whose rows no block format can keep: it is held in F32.
    void splitHeads(const LayerLoader& loader) {
        const std::int64_t headRows = m_n.plainDim + m_n.valueDim;
        m_valueHeads = loader.stack("attn_kv_b", WeightRole::AttentionOutput,
                                    {.count = m_n.heads,
                                     .rows = m_n.valueDim,
                                     .columns = m_n.latentRank,
                                     .fileRows = headRows,
                                     .firstRow = m_n.plainDim});
        const kernels::Buffer all = loader.weights().values(loader.full("attn_kv_b.weight"),
                                                            m_n.heads * headRows, m_n.latentRank);
        if (!all) {
            return; // a trial
        }
        const kernels::Buffer turned =
            kernels::Buffer::cpu(kernels::Format::F32, {m_n.latentRank, m_n.plainDim});
        for (std::int64_t head = 0; head < m_n.heads; ++head) {
            const float* keys = all.view().f32() + head * headRows * m_n.latentRank;
            for (std::int64_t d = 0; d < m_n.plainDim; ++d) {
                for (std::int64_t c = 0; c < m_n.latentRank; ++c) {
                    turned.view().f32()[c * m_n.plainDim + d] = keys[d * m_n.latentRank + c];
                }
            }
            m_keyHeads.push_back(
                loader.weights().own(loader.full("attn_kv_b.weight"), turned.view(),
                                     loader.precision(WeightRole::AttentionInput)));
        }
    }

    void projectInputs(const StepContext& step, kernels::View normed, kernels::View query,
                       kernels::View row) const {
        if (m_n.queryRank == 0) {
            engine::project(step, std::array{&m_query, &m_latent}, normed, std::array{query, row});
            return;
        }
        const kernels::View low =
            step.scratch.view(ScratchPart::LowQuery, {normed.shape[0], m_n.queryRank});
        engine::project(step, std::array{&m_lowQuery, &m_latent}, normed, std::array{low, row});
        step.ops.rmsNorm(low, m_lowQueryNorm.view(), m_n.epsilon, low);
        engine::project(step, m_query, low, query);
    }

    // The latent part of every row, not the rotated one.
    void normLatents(const StepContext& step, kernels::View row) const {
        const kernels::View latent =
            step.scratch.view(ScratchPart::Latent, {row.shape[0], m_n.latentRank});
        step.ops.copyColumns(row, 0, latent, 0, m_n.latentRank);
        step.ops.rmsNorm(latent, m_latentNorm.view(), m_n.epsilon, latent);
        step.ops.copyColumns(latent, 0, row, 0, m_n.latentRank);
    }

    // query: [tokens * heads, plain | rotated] -> absorbed: [tokens * heads, latent | rotated]
    void absorb(const StepContext& step, kernels::View query, kernels::View absorbed) const {
        multiplyHeads(step.ops, query, m_keyHeads, absorbed);
        step.ops.copyColumns(query, m_n.plainDim, absorbed, m_n.latentRank, m_n.rotaryDim);
    }

    // Every head's rows with its own weight.   x, out: [rows * heads, ...]
    void multiplyHeads(kernels::Ops& ops, kernels::View x, const WeightVector& weights,
                       kernels::View out) const {
        const auto heads = static_cast<std::int32_t>(m_n.heads);
        const auto rows = static_cast<std::int32_t>(x.shape[0] / m_n.heads);
        std::vector<kernels::RowGroup> groups;
        groups.reserve(weights.size());
        for (std::int32_t head = 0; head < heads; ++head) {
            groups.push_back({.weight = head,
                              .rows = rows,
                              .firstSource = head,
                              .sourceStep = heads,
                              .firstOut = head,
                              .outStep = heads});
        }
        const std::array<kernels::WeightStack, 1> stacks = {weights};
        ops.matmulGroups(x, {}, groups, stacks, std::array{out});
    }

    LatentAttentionNumbers m_n;
    kernels::AttentionRule m_rule;
    kernels::RopeSpec m_rope;
    Projection m_lowQuery; // empty where there is none
    kernels::Buffer m_lowQueryNorm;
    Projection m_query, m_latent, m_output;
    kernels::Buffer m_latentNorm;
    WeightVector m_keyHeads;   // [latentRank, plainDim] each: a head's keys, turned
    WeightVector m_valueHeads; // [valueDim, latentRank] each
};

} // namespace

LatentAttentionNumbers readLatentAttention(const HyperParameters& parameters, ModelSpec& spec) {
    constexpr IntegerLimits kDim{.minimum = 1, .maximum = 1 << 14};
    LatentAttentionNumbers numbers;
    numbers.heads = parameters.integer("attention.head_count", {.minimum = 1, .maximum = 4096});
    numbers.latentRank = parameters.integer("attention.kv_lora_rank", kDim);
    numbers.queryRank =
        parameters.integer("attention.q_lora_rank", {.minimum = 0, .maximum = 1 << 14}, 0);
    numbers.rotaryDim = parameters.integer("rope.dimension_count", kDim);
    // Files that hold heads apart call the lengths of the latent rows key_length and value_length.
    const bool isSplit = parameters.has("attention.key_length_mla");
    const char* keyLength = isSplit ? "attention.key_length_mla" : "attention.key_length";
    const std::int64_t queryDim = parameters.integer(keyLength, kDim);
    numbers.valueDim =
        parameters.integer(isSplit ? "attention.value_length_mla" : "attention.value_length", kDim);
    if (queryDim <= numbers.rotaryDim) {
        parameters.refuse(keyLength, fmt::format("{} leaves nothing beside {} rotated elements",
                                                 queryDim, numbers.rotaryDim));
    }
    numbers.plainDim = queryDim - numbers.rotaryDim;
    // Not of the latent rows: absorbing keeps the scores as they are.
    numbers.scale =
        parameters.number("attention.scale", {.above = 0.0, .maximum = 1000.0},
                          yarnScoreFactor(parameters) / std::sqrt(static_cast<double>(queryDim)));
    numbers.epsilon = static_cast<float>(parameters.number("attention.latent_norm_rms_epsilon",
                                                           {.above = 0.0, .maximum = 1.0}, 1e-6));
    spec.heads = numbers.heads;
    spec.kvHeads = 1;
    spec.headDim = queryDim;
    return numbers;
}

std::unique_ptr<AttentionBlock> makeLatentAttention(const LayerLoader& loader,
                                                    const LatentAttentionNumbers& numbers,
                                                    std::int64_t hidden,
                                                    const kernels::RopeSpec& rope) {
    return std::make_unique<LatentAttention>(loader, numbers, hidden, rope);
}

} // namespace engine
