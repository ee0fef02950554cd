// down(activation(gate(x)) * up(x)): SwiGLU and GeGLU.
#pragma once

#include "engine/model/block.h"
#include "engine/model/layers.h"

#include <memory>

namespace engine {

using kernels::GateActivation;

std::unique_ptr<FeedForwardBlock> makeGatedFeedForward(const LayerLoader& loader,
                                                       std::int64_t hidden, std::int64_t width,
                                                       GateActivation activation);

// The same over weights of the given names, as a part of another block.
class GatedProjections {
public:
    GatedProjections() = default;
    // Names "ffn_gate<suffix>" and so on.
    GatedProjections(const LayerLoader& loader, std::string_view suffix, std::int64_t hidden,
                     std::int64_t width, GateActivation activation);

    std::int64_t width() const { return m_width; }
    void needScratch(Scratch& scratch) const;
    void apply(const StepContext& step, kernels::View normed, kernels::View out) const;
    void eachWeight(const WeightVisitor& visit) const;

private:
    std::int64_t m_width = 0;
    GateActivation m_activation = GateActivation::Silu;
    Projection m_gate, m_up, m_down;
};

} // namespace engine
