// Parts that architectures share: projections with an optional bias, rope frequencies, scratch.
#pragma once

#include "engine/model/block.h"
#include "engine/model/hyper_parameters.h"
#include "engine/model/weights.h"
#include "kernels/ops.h"

#include <memory>
#include <span>
#include <string>

namespace engine {

// out = x * weight^T + bias
struct Projection {
    std::string name; // "blk.3.attn_q": what adapters call it
    std::unique_ptr<kernels::Weight> weight;
    kernels::Buffer bias; // [rows] F32, or empty

    // Loads "<name>.weight" and, where the file has it, "<name>.bias".
    static Projection load(WeightLoader& loader, const std::string& name, std::int64_t rows,
                           std::int64_t columns, kernels::ActivationPrecision precision);
};

// out[t,:] += bias for every row; nothing where the projection has none.   out: [tokens, rows]
void addBias(kernels::Ops& ops, const Projection& projection, kernels::View out);

// out = x * weight^T + bias of one projection, or of several that read the same rows; with what the
// adapters of the step add.
void project(const StepContext& step, const Projection& projection, kernels::View x,
             kernels::View out);
void project(const StepContext& step, std::span<const Projection* const> projections,
             kernels::View x, std::span<const kernels::View> outs);

// Names and precision of one layer's tensors: "blk.<layer>.<name>.weight".
class LayerLoader {
public:
    LayerLoader(WeightLoader& loader, std::int64_t layer, std::int64_t layers)
        : m_loader(loader),
          m_layer(layer),
          m_layers(layers) {}

    std::int64_t index() const { return m_layer; }
    bool has(std::string_view name) const; // "attn_q.bias"
    std::string full(std::string_view name) const;
    WeightLoader& weights() const { return m_loader; }
    kernels::ActivationPrecision precision(WeightRole role) const {
        return activationPrecision(role, m_layer, m_layers);
    }
    WeightVector stack(std::string_view name, WeightRole role,
                       const WeightLoader::Stacked& stacked) const;
    // That adapters may add to.
    Projection projection(std::string_view name, WeightRole role, std::int64_t rows,
                          std::int64_t columns) const;
    // That they may not: what chooses experts.
    Projection fixedProjection(std::string_view name, WeightRole role, std::int64_t rows,
                               std::int64_t columns) const;
    kernels::Buffer norm(std::string_view name, std::int64_t length) const;
    kernels::Buffer normIfPresent(std::string_view name, std::int64_t length) const;

private:
    WeightLoader& m_loader;
    std::int64_t m_layer;
    std::int64_t m_layers;
};

// The same bytes with another shape of as many elements.
kernels::View reshaped(kernels::View view, kernels::Shape shape);

} // namespace engine
