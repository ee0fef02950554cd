#include "kernels/ops.h"

namespace kernels {

void Ops::gatedMatmul(View gate, View up, GateActivation activation,
                      std::span<const Weight* const> weights, std::span<const View> outs) {
    if (activation == GateActivation::Silu) {
        siluMul(gate, up, gate);
    } else {
        geluMul(gate, up, gate);
    }
    matmul(gate, weights, outs);
}

} // namespace kernels
