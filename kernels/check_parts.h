// What the operator checks share, and the checks that have a file of their own. Each appends its
// results.
#pragma once

#include "kernels/check.h"
#include "kernels/check_inputs.h"
#include "kernels/reference/reference.h"

#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace kernels::check {

inline constexpr double kFloatStep = 0x1p-24; // relative error of one rounding to F32
inline constexpr double kHalfStep = 0x1p-11;

// Sums of n products: roundings add like a random walk, the factor covers their unlucky ends.
inline double sumBound(std::int64_t n) {
    return 4.0 * kFloatStep * std::sqrt(static_cast<double>(n) + 16.0);
}

inline std::span<const float> floats(const Buffer& buffer) {
    return {buffer.view().f32(), static_cast<std::size_t>(buffer.view().shape.elements())};
}

CheckResult compare(std::string name, std::span<const float> got, const reference::Numbers& wanted,
                    double bound);

void checkAttention(Ops& ops, Inputs& inputs, std::vector<CheckResult>& results);
void checkExperts(Ops& ops, Inputs& inputs, std::vector<CheckResult>& results);

} // namespace kernels::check
