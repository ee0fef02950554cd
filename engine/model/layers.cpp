#include "engine/model/layers.h"

#include "engine/base/ensure.h"

#include <fmt/format.h>

#include <array>

namespace engine {

Projection Projection::load(WeightLoader& loader, const std::string& name, std::int64_t rows,
                            std::int64_t columns, kernels::ActivationPrecision precision) {
    return {.name = name,
            .weight = loader.matrix(name + ".weight", rows, columns, precision),
            .bias = loader.vectorIfPresent(name + ".bias", rows)};
}

void addBias(kernels::Ops& ops, const Projection& projection, kernels::View out) {
    if (projection.bias) {
        ops.addToRows(out, projection.bias.view());
    }
}

void project(const StepContext& step, const Projection& projection, kernels::View x,
             kernels::View out) {
    const Projection* const only = &projection;
    project(step, {&only, 1}, x, {&out, 1});
}

void project(const StepContext& step, std::span<const Projection* const> projections,
             kernels::View x, std::span<const kernels::View> outs) {
    constexpr std::size_t kMost = LowRankScratch::kShared;
    std::array<const kernels::Weight*, kMost> weights{};
    ensure(projections.size() <= kMost, "few projections share a row");
    for (std::size_t i = 0; i < projections.size(); ++i) {
        weights[i] = projections[i]->weight.get();
    }
    step.ops.matmul(x, std::span(weights).first(projections.size()), outs);
    for (std::size_t i = 0; i < projections.size(); ++i) {
        addBias(step.ops, *projections[i], outs[i]);
    }
    addLowRank(step, projections, x, outs);
}

std::string LayerLoader::full(std::string_view name) const {
    return fmt::format("blk.{}.{}", m_layer, name);
}

bool LayerLoader::has(std::string_view name) const {
    return m_loader.has(full(name));
}

Projection LayerLoader::projection(std::string_view name, WeightRole role, std::int64_t rows,
                                   std::int64_t columns) const {
    m_loader.addSite({.name = full(name), .rows = rows, .columns = columns});
    return fixedProjection(name, role, rows, columns);
}

Projection LayerLoader::fixedProjection(std::string_view name, WeightRole role, std::int64_t rows,
                                        std::int64_t columns) const {
    return Projection::load(m_loader, full(name), rows, columns, precision(role));
}

WeightVector LayerLoader::stack(std::string_view name, WeightRole role,
                                const WeightLoader::Stacked& stacked) const {
    return m_loader.stack(full(name) + ".weight", stacked, precision(role));
}

kernels::Buffer LayerLoader::norm(std::string_view name, std::int64_t length) const {
    return m_loader.vector(full(name) + ".weight", length);
}

kernels::Buffer LayerLoader::normIfPresent(std::string_view name, std::int64_t length) const {
    return m_loader.vectorIfPresent(full(name) + ".weight", length);
}

kernels::View reshaped(kernels::View view, kernels::Shape shape) {
    ensure(view.shape.elements() == shape.elements(), "a view keeps its number of elements");
    view.shape = shape;
    return view;
}

} // namespace engine
