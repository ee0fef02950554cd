// Argument checks of the CUDA operators: std::invalid_argument that names the operator.
#pragma once

#include "kernels/tensor.h"

#include <stdexcept>
#include <string>

namespace kernels::cuda {

inline void require(bool condition, const char* message) {
    if (!condition) {
        throw std::invalid_argument(message);
    }
}

inline void require(bool condition, const std::string& message) {
    require(condition, message.c_str());
}

// Of this device's memory, or the CPU's: that is copied there and back.
inline bool isF32(const View& view) {
    return view.format == Format::F32 && (view.data != nullptr || view.shape.elements() == 0);
}

} // namespace kernels::cuda
