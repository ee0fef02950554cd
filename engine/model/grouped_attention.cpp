#include "engine/model/grouped_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace engine {

namespace {

class GroupedAttention final : public AttentionBlock {
public:
    GroupedAttention(const LayerLoader& loader, const GroupedAttentionNumbers& numbers,
                     std::int64_t hidden, HeadNorms norms, const kernels::RopeSpec& rope,
                     std::int32_t window)
        : m_heads(numbers.heads[static_cast<std::size_t>(loader.index())]),
          m_kvHeads(numbers.kvHeads[static_cast<std::size_t>(loader.index())]),
          m_headDim(numbers.headDim),
          m_epsilon(numbers.epsilon),
          m_rule{.scale = static_cast<float>(numbers.scale),
                 .window = window,
                 .scoreCap = numbers.scoreCap},
          m_rope(rope),
          m_query(
              loader.projection("attn_q", WeightRole::AttentionInput, m_heads * m_headDim, hidden)),
          m_key(loader.projection("attn_k", WeightRole::AttentionInput, m_kvHeads * m_headDim,
                                  hidden)),
          m_value(loader.projection("attn_v", WeightRole::AttentionInput, m_kvHeads * m_headDim,
                                    hidden)),
          m_output(loader.projection("attn_output", WeightRole::AttentionOutput, hidden,
                                     m_heads * m_headDim)) {
        if (norms == HeadNorms::QueryAndKey) {
            m_queryNorm = loader.norm("attn_q_norm", m_headDim);
            m_keyNorm = loader.norm("attn_k_norm", m_headDim);
        }
    }

    KvLayerShape kvShape() const override {
        return {.heads = m_kvHeads,
                .keyDim = m_headDim,
                .valueDim = m_headDim,
                .window = m_rule.window};
    }

    std::int64_t width() const override { return m_heads * m_headDim; }

    void needScratch(Scratch& scratch) const override {
        scratch.need(ScratchPart::Query, width());
        scratch.need(ScratchPart::Attended, width());
        scratch.need(ScratchPart::Key, m_kvHeads * m_headDim);
        scratch.need(ScratchPart::Value, m_kvHeads * m_headDim);
    }

    kernels::View attend(const StepContext& step, const kernels::KvLayer& kv,
                         kernels::View normed) const override {
        const Batch& batch = step.batch;
        const std::int64_t tokens = batch.tokens();
        const kernels::Shape kvShape{tokens, m_kvHeads * m_headDim};
        const kernels::View query = step.scratch.view(ScratchPart::Query, {tokens, width()});
        const kernels::View key = step.scratch.view(ScratchPart::Key, kvShape);
        const kernels::View value = step.scratch.view(ScratchPart::Value, kvShape);
        engine::project(step, std::array{&m_query, &m_key, &m_value}, normed,
                        std::array{query, key, value});

        const kernels::View heads = reshaped(query, {tokens, m_heads, m_headDim});
        const kernels::Shape byKvHead{tokens, m_kvHeads, m_headDim};
        if (m_queryNorm) {
            step.ops.rmsNorm(heads, m_queryNorm.view(), m_epsilon, heads);
            const kernels::View keys = reshaped(key, byKvHead);
            step.ops.rmsNorm(keys, m_keyNorm.view(), m_epsilon, keys);
        }
        const bool hasPlaces = m_rule.window > 0 && !batch.windowSlots.empty();
        // Without places of their own windows and recent keys lie where everything lies.
        const std::span<const std::int32_t> recentSlots =
            batch.windowSlots.empty() ? batch.slots : batch.windowSlots;
        const kernels::View attended = step.scratch.view(ScratchPart::Attended, {tokens, width()});
        const kernels::KvSlots slots(hasPlaces ? batch.windowSlots : batch.slots, recentSlots);
        const kernels::View out = reshaped(attended, heads.shape);
        if (kv.bounds.data != nullptr && BlockChooser::isNeeded(batch)) {
            step.ops.ropeAndStore(heads, reshaped(key, byKvHead), reshaped(value, byKvHead), m_rope,
                                  batch.positions, slots, kv);
            step.ops.attention(heads, kv,
                               step.chooser.choose(step.ops, batch, heads, kv, m_rule.scale),
                               m_rule, out);
            return attended;
        }
        step.ops.ropeAndAttend(
            heads, reshaped(key, byKvHead), reshaped(value, byKvHead), m_rope, batch.positions,
            slots, kv,
            {.slices = batch.slices,
             .blocks = hasPlaces ? batch.windowBlocks : batch.blocks,
             .recent = batch.windowBlocks.empty() ? batch.blocks : batch.windowBlocks},
            m_rule, out);
        return attended;
    }

    void project(const StepContext& step, kernels::View attended,
                 kernels::View out) const override {
        engine::project(step, m_output, attended, out);
    }

    void eachWeight(std::int64_t, const WeightVisitor& visit) const override {
        for (const Projection* projection : {&m_query, &m_key, &m_value, &m_output}) {
            visit(*projection->weight, 1.0);
        }
    }

private:
    std::int64_t m_heads;
    std::int64_t m_kvHeads;
    std::int64_t m_headDim;
    float m_epsilon;
    kernels::AttentionRule m_rule;
    kernels::RopeSpec m_rope;
    Projection m_query, m_key, m_value, m_output;
    kernels::Buffer m_queryNorm, m_keyNorm; // [headDim], or empty
};

} // namespace

GroupedAttentionNumbers readGroupedAttention(const HyperParameters& parameters, ModelSpec& spec) {
    constexpr IntegerLimits kHeads{.minimum = 1, .maximum = 4096};
    GroupedAttentionNumbers numbers;
    numbers.heads = parameters.perLayer("attention.head_count", kHeads, spec.layers);
    numbers.kvHeads = parameters.has("attention.head_count_kv")
                          ? parameters.perLayer("attention.head_count_kv", kHeads, spec.layers)
                          : numbers.heads;
    for (std::size_t i = 0; i < numbers.heads.size(); ++i) {
        if (numbers.heads[i] % numbers.kvHeads[i] != 0) {
            parameters.refuse(
                "attention.head_count_kv",
                fmt::format("{} does not divide {} heads", numbers.kvHeads[i], numbers.heads[i]));
        }
    }
    spec.heads = std::ranges::max(numbers.heads);
    spec.kvHeads = std::ranges::max(numbers.kvHeads);
    spec.headDim = parameters.integer("attention.key_length", {.minimum = 2, .maximum = 1024},
                                      spec.hidden / spec.heads);
    if (spec.headDim < 2 || spec.headDim % 2 != 0) {
        parameters.refuse(
            "attention.key_length",
            fmt::format("heads of {} elements; an even number is needed", spec.headDim));
    }
    if (parameters.integer("attention.value_length", {.minimum = 1, .maximum = 1024},
                           spec.headDim) != spec.headDim) {
        parameters.refuse("attention.value_length", "values as long as keys are supported only");
    }
    numbers.headDim = spec.headDim;
    numbers.epsilon = spec.rmsEpsilon;
    numbers.scale = parameters.number("attention.scale", {.above = 0.0, .maximum = 1000.0},
                                      1.0 / std::sqrt(static_cast<double>(spec.headDim)));
    if (parameters.has("attn_logit_softcapping")) {
        numbers.scoreCap = static_cast<float>(
            parameters.number("attn_logit_softcapping", {.above = 0.0, .maximum = 1e9}, 1.0));
    }
    return numbers;
}

std::vector<std::int32_t> readWindows(const HyperParameters& parameters, std::int64_t layers,
                                      std::int64_t period) {
    std::vector<std::int32_t> windows(static_cast<std::size_t>(layers), 0);
    const std::int64_t window =
        parameters.integer("attention.sliding_window", {.minimum = 0, .maximum = 1 << 30}, 0);
    if (window == 0) {
        return windows;
    }
    constexpr std::string_view kPattern = "attention.sliding_window_pattern";
    const auto flags = parameters.flags(kPattern);
    if (flags && std::ssize(*flags) < layers) {
        parameters.refuse(kPattern, fmt::format("{} flags for {} layers", flags->size(), layers));
    }
    if (!flags) {
        period = parameters.integer(kPattern, {.minimum = 0, .maximum = 1024}, period);
    }
    for (std::int64_t i = 0; i < layers; ++i) {
        const bool isLocal =
            flags ? (*flags)[static_cast<std::size_t>(i)] : period > 0 && i % period < period - 1;
        windows[static_cast<std::size_t>(i)] = isLocal ? static_cast<std::int32_t>(window) : 0;
    }
    return windows;
}

std::unique_ptr<AttentionBlock> makeGroupedAttention(const LayerLoader& loader,
                                                     const GroupedAttentionNumbers& numbers,
                                                     std::int64_t hidden, HeadNorms norms,
                                                     const kernels::RopeSpec& rope,
                                                     std::int32_t window) {
    return std::make_unique<GroupedAttention>(loader, numbers, hidden, norms, rope, window);
}

} // namespace engine
