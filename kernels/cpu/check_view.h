// Argument checks of the CPU's operators: std::invalid_argument that names the operator.
#pragma once

#include "kernels/tensor.h"

#include <stdexcept>
#include <string>

namespace kernels::cpu {

inline void require(bool condition, const char* message) {
    if (!condition) {
        throw std::invalid_argument(message);
    }
}

inline bool isF32(const View& view) {
    return view.format == Format::F32 && view.device == Device::Cpu &&
           (view.data != nullptr || view.shape.elements() == 0);
}

} // namespace kernels::cpu
