#include "engine/model/gated_feed_forward.h"

#include <fmt/format.h>

#include <array>

namespace engine {

namespace {

class GatedFeedForward final : public FeedForwardBlock {
public:
    explicit GatedFeedForward(GatedProjections projections)
        : m_projections(std::move(projections)) {}

    void needScratch(Scratch& scratch) const override { m_projections.needScratch(scratch); }
    void apply(const StepContext& step, kernels::View normed, kernels::View out) const override {
        m_projections.apply(step, normed, out);
    }
    void eachWeight(std::int64_t, const WeightVisitor& visit) const override {
        m_projections.eachWeight(visit);
    }

private:
    GatedProjections m_projections;
};

} // namespace

GatedProjections::GatedProjections(const LayerLoader& loader, std::string_view suffix,
                                   std::int64_t hidden, std::int64_t width,
                                   GateActivation activation)
    : m_width(width),
      m_activation(activation),
      m_gate(loader.projection(fmt::format("ffn_gate{}", suffix), WeightRole::FeedForward, width,
                               hidden)),
      m_up(loader.projection(fmt::format("ffn_up{}", suffix), WeightRole::FeedForward, width,
                             hidden)),
      m_down(loader.projection(fmt::format("ffn_down{}", suffix), WeightRole::FeedForward, hidden,
                               width)) {}

void GatedProjections::needScratch(Scratch& scratch) const {
    scratch.need(ScratchPart::Gate, m_width);
    scratch.need(ScratchPart::Up, m_width);
}

void GatedProjections::apply(const StepContext& step, kernels::View normed,
                             kernels::View out) const {
    const kernels::Shape shape{normed.shape[0], m_width};
    const kernels::View gate = step.scratch.view(ScratchPart::Gate, shape);
    const kernels::View up = step.scratch.view(ScratchPart::Up, shape);
    project(step, std::array{&m_gate, &m_up}, normed, std::array{gate, up});
    if (isAdapted(step, m_down)) { // its rows are needed apart
        if (m_activation == GateActivation::Silu) {
            step.ops.siluMul(gate, up, gate);
        } else {
            step.ops.geluMul(gate, up, gate);
        }
        project(step, m_down, gate, out);
        return;
    }
    const std::array<const kernels::Weight*, 1> down = {m_down.weight.get()};
    step.ops.gatedMatmul(gate, up, m_activation, down, std::array{out});
    addBias(step.ops, m_down, out);
}

void GatedProjections::eachWeight(const WeightVisitor& visit) const {
    for (const Projection* projection : {&m_gate, &m_up, &m_down}) {
        visit(*projection->weight, 1.0);
    }
}

std::unique_ptr<FeedForwardBlock> makeGatedFeedForward(const LayerLoader& loader,
                                                       std::int64_t hidden, std::int64_t width,
                                                       GateActivation activation) {
    return std::make_unique<GatedFeedForward>(
        GatedProjections(loader, "", hidden, width, activation));
}

} // namespace engine
