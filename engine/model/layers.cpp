#include "engine/model/layers.h"

#include "engine/base/ensure.h"
#include "engine/base/failure.h"

#include <fmt/format.h>

#include <cmath>

namespace engine {

Projection Projection::load(WeightLoader& loader, const std::string& name, std::int64_t rows,
                            std::int64_t columns, kernels::ActivationPrecision precision) {
    return {.weight = loader.matrix(name + ".weight", rows, columns, precision),
            .bias = loader.vectorIfPresent(name + ".bias", rows)};
}

void addBias(kernels::Ops& ops, const Projection& projection, kernels::View out) {
    if (!projection.bias) {
        return;
    }
    const std::int64_t length = out.shape.rowLength();
    const kernels::View bias = reshaped(projection.bias.view(), {1, length});
    for (std::int64_t row = 0; row < out.shape[0]; ++row) {
        ops.add(rowsOf(out, row, 1), bias);
    }
}

kernels::RopeSpec readRope(const HyperParameters& parameters, WeightLoader& loader,
                           std::int64_t headDim, kernels::RopePairing pairing) {
    constexpr double kLargest = 1e9;
    const std::int64_t width =
        parameters.integer("rope.dimension_count", {.minimum = 2, .maximum = headDim}, headDim);
    if (width % 2 != 0) {
        throw Failure(ErrorCode::Unsupported,
                      fmt::format("The model's key {} is {}; it must be even.",
                                  parameters.key("rope.dimension_count"), width));
    }
    const double base =
        parameters.number("rope.freq_base", {.above = 0.0, .maximum = 1e12}, 10000.0);
    // A factor without a type is linear, as older files have it.
    const std::string scaling = parameters.text("rope.scaling.type", "linear");
    if (scaling != "linear" && scaling != "none") {
        throw Failure(ErrorCode::Unsupported,
                      fmt::format("The rope scaling '{}' (key {}) is not supported.", scaling,
                                  parameters.key("rope.scaling.type")));
    }
    const double factor =
        scaling == "none"
            ? 1.0
            : parameters.number("rope.scaling.factor", {.above = 0.0, .maximum = kLargest}, 1.0);
    const kernels::Buffer divisors = loader.vectorIfPresent("rope_freqs.weight", width / 2);

    kernels::RopeSpec rope{.frequencies = {}, .pairing = pairing};
    for (std::int64_t i = 0; i < width / 2; ++i) {
        const double divisor =
            factor * (divisors ? static_cast<double>(divisors.view().f32()[i]) : 1.0);
        if (!(std::abs(divisor) > 1.0 / kLargest && std::abs(divisor) < kLargest)) {
            throw Failure(
                ErrorCode::Corrupt,
                fmt::format("The rope frequency {} of the model is divided by {}.", i, divisor));
        }
        const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(width);
        rope.frequencies.push_back(static_cast<float>(std::pow(base, exponent) / divisor));
    }
    return rope;
}

kernels::View reshaped(kernels::View view, kernels::Shape shape) {
    ensure(view.shape.elements() == shape.elements(), "a view keeps its number of elements");
    view.shape = shape;
    return view;
}

kernels::View rowsOf(kernels::View view, std::int64_t first, std::int64_t count) {
    view.data = view.f32() + first * view.shape.rowLength();
    view.shape = kernels::Shape{count, view.shape.rowLength()};
    return view;
}

} // namespace engine
