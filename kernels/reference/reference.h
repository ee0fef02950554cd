// The engine's operators in double precision, written for reading: one loop a formula, nothing
// shared with kernels/cpu but the decoding of formats. Tests and `headway-probe check` compare with
// these. Pure functions, any thread.
#pragma once

#include "kernels/ops.h"

#include <span>
#include <vector>

namespace kernels::reference {

using Numbers = std::vector<double>;

// All elements of a tensor of any format.
Numbers decode(const View& view);

// What integer weights see of x, [tokens, K]: groups of 32 rounded to steps of max / 127 or, in two
// terms, max / (127 * 254). The quotient is computed in F32, as ops.h says.
Numbers roundActivations(std::span<const double> x, ActivationPrecision precision);

// out[t,n] = sum_k x[t,k] * w[n,k]
Numbers matmul(std::span<const double> x, std::span<const double> w, std::int64_t columns);

// gain * x / sqrt(mean(x^2) + eps), row by row
Numbers rmsNorm(std::span<const double> x, std::span<const double> gain, double eps);

Numbers siluMul(std::span<const double> gate, std::span<const double> up);
Numbers geluMul(std::span<const double> gate, std::span<const double> up);

// cap * tanh(x / cap)
Numbers softCap(std::span<const double> x, double cap);

// Turns the heads of [tokens, heads, headDim].
Numbers rope(std::span<const double> x, std::int64_t heads, std::int64_t headDim,
             const RopeSpec& rope, std::span<const std::int32_t> positions);

// Of every `length` elements: out[i] = factor * sum_j x[j] * (-1)^(bits of i & j).
Numbers spread(std::span<const double> x, std::int64_t length, double factor);

// softmax(q . K^T * scale) . V over the listed blocks, causal. Shapes as Ops::attention; valueDim:
// of a row of the result, which has as many heads as q.
Numbers attention(const View& q, const KvLayer& kv, const AttentionBatch& batch,
                  const AttentionRule& rule, std::int64_t valueDim);

// [blocks, kvHeads, 2, keyDim] of all blocks, as Ops::boundKeys() has them.
Numbers boundKeys(const KvLayer& kv, std::int64_t keyDim);
// The sums that Ops::selectBlocks() orders a query's candidates by.
Numbers blockShares(const View& q, const KvLayer& kv, const BlockQuery& query,
                    std::span<const std::int32_t> candidates, double scale);

} // namespace kernels::reference
