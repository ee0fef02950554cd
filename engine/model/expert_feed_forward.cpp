#include "engine/model/expert_feed_forward.h"

#include "engine/model/gated_feed_forward.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace engine {

namespace {

class ExpertFeedForward final : public FeedForwardBlock {
public:
    ExpertFeedForward(const LayerLoader& loader, const ExpertNumbers& numbers, std::int64_t hidden)
        : m_n(numbers),
          m_hidden(hidden),
          m_router(
              loader.fixedProjection("ffn_gate_inp", WeightRole::FeedForward, m_n.experts, hidden)),
          m_choiceBias(
              loader.weights().vectorIfPresent(loader.full("exp_probs_b.bias"), m_n.experts)) {
        WeightLoader::Stacked inner{.count = m_n.experts, .rows = m_n.width, .columns = hidden};
        const auto stack = [&](std::string_view name, const WeightLoader::Stacked& stacked) {
            return loader.stack(name, WeightRole::FeedForward, stacked);
        };
        if (loader.has("ffn_gate_up_exps.weight")) { // an expert's gate before its up
            inner.fileRows = 2 * m_n.width;
            m_gate = stack("ffn_gate_up_exps", inner);
            inner.firstRow = m_n.width;
            m_up = stack("ffn_gate_up_exps", inner);
        } else {
            m_gate = stack("ffn_gate_exps", inner);
            m_up = stack("ffn_up_exps", inner);
        }
        m_down =
            stack("ffn_down_exps", {.count = m_n.experts, .rows = hidden, .columns = m_n.width});
        if (m_n.sharedWidth > 0) {
            m_shared =
                GatedProjections(loader, "_shexp", hidden, m_n.sharedWidth, GateActivation::Silu);
        }
    }

    void needScratch(Scratch& scratch) const override {
        scratch.need(ScratchPart::RouterLogits, m_n.experts);
        scratch.need(ScratchPart::ExpertWeights, m_n.rule.used);
        scratch.need(ScratchPart::ExpertGate, m_n.rule.used * m_n.width);
        scratch.need(ScratchPart::ExpertUp, m_n.rule.used * m_n.width);
        scratch.need(ScratchPart::ExpertOut, m_n.rule.used * m_hidden);
        if (m_n.sharedWidth > 0) {
            m_shared.needScratch(scratch);
        }
    }

    void apply(const StepContext& step, kernels::View normed, kernels::View out) const override {
        const std::int64_t tokens = normed.shape[0];
        const Routes routes = route(step, normed);
        const std::int64_t taken = tokens * m_n.rule.used;
        const kernels::View gate = step.scratch.view(ScratchPart::ExpertGate, {taken, m_n.width});
        const kernels::View up = step.scratch.view(ScratchPart::ExpertUp, {taken, m_n.width});
        const kernels::View said = step.scratch.view(ScratchPart::ExpertOut, {taken, m_hidden});
        step.ops.matmulGroups(normed, routes.sources, routes.groups,
                              std::array<kernels::WeightStack, 2>{m_gate, m_up},
                              std::array{gate, up});
        step.ops.siluMul(gate, up, gate);
        step.ops.matmulGroups(gate, {}, routes.groups, std::array<kernels::WeightStack, 1>{m_down},
                              std::array{said});
        step.ops.mixRows(said, routes.rows, routes.weights, out);
        if (m_n.sharedWidth > 0) {
            // The experts' rows are free again.
            const kernels::View shared =
                step.scratch.view(ScratchPart::ExpertOut, {tokens, m_hidden});
            m_shared.apply(step, normed, shared);
            step.ops.add(out, shared);
        }
    }

    void eachWeight(std::int64_t tokens, const WeightVisitor& visit) const override {
        const double missed =
            1.0 - static_cast<double>(m_n.rule.used) / static_cast<double>(m_n.experts);
        const double share = 1.0 - std::pow(missed, static_cast<double>(tokens));
        visit(*m_router.weight, 1.0);
        for (const WeightVector* experts : {&m_gate, &m_up, &m_down}) {
            for (const auto& weight : *experts) {
                visit(*weight, share);
            }
        }
        if (m_n.sharedWidth > 0) {
            m_shared.eachWeight(visit);
        }
    }

private:
    // Who goes where: rows sorted by expert, and a token's rows in the order of its choice.
    struct Routes {
        std::vector<std::int32_t> sources; // [tokens * used] token of a sorted row
        std::vector<std::int32_t> rows;    // [tokens * used] sorted row of a token's k-th expert
        std::vector<kernels::RowGroup> groups;
        kernels::View weights; // [tokens, used]
    };

    Routes route(const StepContext& step, kernels::View normed) const {
        const std::int64_t tokens = normed.shape[0];
        const auto used = static_cast<std::size_t>(m_n.rule.used);
        const kernels::View logits =
            step.scratch.view(ScratchPart::RouterLogits, {tokens, m_n.experts});
        project(step, m_router, normed, logits);
        Routes routes;
        routes.weights = step.scratch.view(ScratchPart::ExpertWeights, {tokens, m_n.rule.used});
        std::vector<std::int32_t> experts(static_cast<std::size_t>(tokens) * used);
        step.ops.routeExperts(logits, m_choiceBias.view(), m_n.rule, experts, routes.weights);

        // Counting sort; tokens of an expert stay in order.
        std::vector<std::int32_t> next(static_cast<std::size_t>(m_n.experts) + 1);
        for (const std::int32_t expert : experts) {
            ++next[static_cast<std::size_t>(expert) + 1];
        }
        for (std::size_t e = 0; e + 1 < next.size(); ++e) {
            const std::int32_t count = next[e + 1];
            next[e + 1] += next[e];
            if (count > 0) {
                routes.groups.push_back({.weight = static_cast<std::int32_t>(e),
                                         .rows = count,
                                         .firstSource = next[e],
                                         .firstOut = next[e]});
            }
        }
        routes.sources.resize(experts.size());
        routes.rows.resize(experts.size());
        for (std::size_t i = 0; i < experts.size(); ++i) {
            const std::int32_t row = next[static_cast<std::size_t>(experts[i])]++;
            routes.sources[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(i / used);
            routes.rows[i] = row;
        }
        return routes;
    }

    ExpertNumbers m_n;
    std::int64_t m_hidden;
    Projection m_router;
    kernels::Buffer m_choiceBias; // [experts], or empty
    WeightVector m_gate, m_up, m_down;
    GatedProjections m_shared;
};

kernels::RoutingRule readRule(const HyperParameters& parameters, std::int64_t experts,
                              ExpertWeights weights) {
    constexpr std::int64_t kSoftmax = 1, kSigmoid = 2, kSoftmaxOfChosen = 3;
    kernels::RoutingRule rule;
    rule.used = static_cast<int>(
        parameters.integer("expert_used_count", {.minimum = 1, .maximum = experts}));
    const std::int64_t gate =
        parameters.integer("expert_gating_func", {.minimum = 0, .maximum = 255}, kSoftmax);
    if (gate != kSoftmax && gate != kSigmoid && gate != kSoftmaxOfChosen) {
        parameters.refuse("expert_gating_func",
                          fmt::format("{}; softmax (1, 3) and sigmoid (2) are known", gate));
    }
    rule.gate = gate == kSigmoid ? kernels::ExpertGate::Sigmoid : kernels::ExpertGate::Softmax;
    // The softmax of some of the logits is that of all, normalised over those.
    rule.normalises = gate == kSoftmaxOfChosen ||
                      parameters.flag("expert_weights_norm", weights == ExpertWeights::Normalised);
    const double scale =
        parameters.number("expert_weights_scale", {.above = -1e-9, .maximum = 1e6}, 1.0);
    rule.scale = scale > 0.0 ? static_cast<float>(scale) : 1.0F; // 0: as if it were absent
    rule.groups = static_cast<int>(
        parameters.integer("expert_group_count", {.minimum = 0, .maximum = experts}, 1));
    rule.groups = std::max(rule.groups, 1);
    rule.groupsUsed = static_cast<int>(parameters.integer(
        "expert_group_used_count", {.minimum = 0, .maximum = rule.groups}, rule.groups));
    rule.groupsUsed = rule.groupsUsed == 0 ? rule.groups : rule.groupsUsed;
    // V2 takes groups by their best expert, V3 by their best two.
    rule.groupScore =
        gate == kSigmoid ? kernels::GroupScore::SumOfBestTwo : kernels::GroupScore::Best;
    if (experts % rule.groups != 0) {
        parameters.refuse("expert_group_count",
                          fmt::format("{} does not divide {} experts", rule.groups, experts));
    }
    if (experts / rule.groups * rule.groupsUsed < rule.used) {
        parameters.refuse("expert_used_count",
                          fmt::format("{} experts of {} groups of {}", rule.used, rule.groupsUsed,
                                      experts / rule.groups));
    }
    return rule;
}

} // namespace

std::optional<ExpertNumbers> readExperts(const HyperParameters& parameters, ExpertWeights weights) {
    constexpr IntegerLimits kWidth{.minimum = 1, .maximum = 1 << 20};
    ExpertNumbers numbers;
    numbers.experts = parameters.integer("expert_count", {.minimum = 0, .maximum = 1 << 14}, 0);
    if (numbers.experts == 0) {
        return std::nullopt;
    }
    numbers.rule = readRule(parameters, numbers.experts, weights);
    numbers.width = parameters.integer("expert_feed_forward_length", kWidth);
    numbers.sharedWidth = numbers.width * parameters.integer("expert_shared_count",
                                                             {.minimum = 0, .maximum = 1 << 10}, 0);
    return numbers;
}

std::unique_ptr<FeedForwardBlock> makeExpertFeedForward(const LayerLoader& loader,
                                                        const ExpertNumbers& numbers,
                                                        std::int64_t hidden) {
    return std::make_unique<ExpertFeedForward>(loader, numbers, hidden);
}

} // namespace engine
