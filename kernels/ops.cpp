#include "kernels/ops.h"

#include <cstring>
#include <stdexcept>

namespace kernels {

void Ops::copy(View from, View to) {
    if (from.bytes() != to.bytes() || from.device != Device::Cpu || to.device != Device::Cpu) {
        throw std::invalid_argument("copy: the views differ in bytes, or are another device's");
    }
    if (from.bytes() > 0) {
        std::memmove(to.data, from.data, from.bytes());
    }
}

void Ops::gatedMatmul(View gate, View up, GateActivation activation,
                      std::span<const Weight* const> weights, std::span<const View> outs) {
    if (activation == GateActivation::Silu) {
        siluMul(gate, up, gate);
    } else {
        geluMul(gate, up, gate);
    }
    matmul(gate, weights, outs);
}

void Ops::addRmsNormForProduct(View x, View delta, View gain, float eps, View out) {
    addRmsNorm(x, delta, gain, eps, out);
}

void Ops::ropeAndAttend(View q, View k, View v, const RopeSpec& rope,
                        std::span<const std::int32_t> positions, KvSlots slots, const KvLayer& kv,
                        const AttentionBatch& batch, const AttentionRule& rule, View out) {
    ropeAndStore(q, k, v, rope, positions, slots, kv);
    attention(q, kv, batch, rule, out);
}

} // namespace kernels
