// What a layer keeps, as kernels get it, and whether its views are what they say. Host side.
#pragma once

#include "kernels/cuda/stored_rows.cuh"
#include "kernels/ops.h"

namespace kernels::cuda {

// data: the view's bytes on the device.
StoredRows storedRows(const View& view, std::byte* data, KvCoding coding, int dim, int plainTail);

// Throws std::invalid_argument, named after the operator, unless keys, values and recent keys are
// [blocks, kvHeads, blockTokens, dim] as the layer codes them. valueDim is ignored without values.
void checkLayer(const KvLayer& kv, std::int64_t keyDim, std::int64_t valueDim,
                const char* operatorName);

} // namespace kernels::cuda
