// Operators around others that know which matrix of the model a product multiplies: one kind notes
// how large each input channel becomes, one computes products as a matrix unit with one INT8 scale
// a row would. Loading tells the names; one thread.
#pragma once

#include "engine/calibrate.h"
#include "kernels/ops.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kernels {
class ThreadPool;
}

namespace engine {

// The names of prepared weights, told by WeightOptions::onMatrix before each.
struct MatrixNames {
    std::string current;
    std::map<const kernels::Weight*, std::string> names;
};

// Notes into `calibration` what goes into products. All outlive the operators.
std::unique_ptr<kernels::Ops> makeRangeOps(std::unique_ptr<kernels::Ops> ops, MatrixNames& names,
                                           Calibration& calibration);

// Whether makeRowScaleOps() has one scale a row for that matrix.
bool hasRowScales(const std::string& name);
// Products of feed-forward matrices with one scale a row and a token; attention, router, embedding
// and output stay as they come, as their errors reach further. Weights are rounded from what
// prepare() is given, so that should be the file's own; what is multiplied are the rounded numbers
// in F32, which shows what the rounding costs, not how fast it is. `calibration`: null, or what
// both sides are smoothed by. Throws std::invalid_argument for ranges of other matrices.
std::unique_ptr<kernels::Ops> makeRowScaleOps(std::unique_ptr<kernels::Ops> ops, MatrixNames& names,
                                              const Calibration* calibration);

} // namespace engine
