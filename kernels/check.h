// Every operator of a device against the double-precision reference, over random inputs of awkward
// shapes. What `headway-probe check` prints and the tests require. Takes about a second.
#pragma once

#include "kernels/ops.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kernels {

struct CheckResult {
    std::string name; // operator, format, layout
    bool passed = false;
    double error = 0.0; // relative norm of the difference
    double bound = 0.0; // follows from format, length and precision
    std::string detail; // the worst element, in words
};

// The same seed draws the same inputs.
std::vector<CheckResult> checkOps(Ops& ops, std::uint64_t seed);

} // namespace kernels
