// Parts that architectures share: projections with an optional bias, rope frequencies, scratch.
#pragma once

#include "engine/model/hyper_parameters.h"
#include "engine/model/weights.h"
#include "kernels/ops.h"

#include <memory>
#include <string>

namespace engine {

// out = x * weight^T + bias
struct Projection {
    std::unique_ptr<kernels::Weight> weight;
    kernels::Buffer bias; // [rows] F32, or empty

    // Loads "<name>.weight" and, where the file has it, "<name>.bias".
    static Projection load(WeightLoader& loader, const std::string& name, std::int64_t rows,
                           std::int64_t columns, kernels::ActivationPrecision precision);
};

// out[t,:] += bias for every row; nothing where the projection has none.   out: [tokens, rows]
void addBias(kernels::Ops& ops, const Projection& projection, kernels::View out);

// Frequencies of rotated pairs: base^(-2i/width), divided by what the tensor rope_freqs.weight says
// and by the factor of linear scaling. Throws for other kinds of scaling.
kernels::RopeSpec readRope(const HyperParameters& parameters, WeightLoader& loader,
                           std::int64_t headDim, kernels::RopePairing pairing);

// The same bytes with another shape of as many elements.
kernels::View reshaped(kernels::View view, kernels::Shape shape);
// Rows [first, first + count) of a matrix.
kernels::View rowsOf(kernels::View view, std::int64_t first, std::int64_t count);

} // namespace engine
