// GELU, soft caps and weighted sums, written once over Simd. Included by instruction-set units
// only.
#pragma once

#include "kernels/cpu/body_elementwise.h"

namespace kernels::cpu {
namespace {

// gelu(g) = g * sigmoid(2 * sqrt(2/pi) * (g + 0.044715 g^3)): the tanh form without its
// cancellation for negative g.
void geluMulRange(const float* gate, const float* up, float* out, std::int64_t n) {
    const F one = Simd::set1(1.0F);
    const F outer = Simd::set1(-1.5957691216F); // -2 * sqrt(2/pi)
    const F inner = Simd::set1(0.044715F);
    eachVector(n, [&](std::int64_t i, int count) {
        const F g = loadSome(gate + i, count);
        const F cube = Simd::mul(Simd::mul(g, g), g);
        const F e = exponential(Simd::mul(outer, Simd::fma(inner, cube, g)));
        const F gelu = Simd::div(g, Simd::add(one, e));
        storeSome(out + i, Simd::mul(gelu, loadSome(up + i, count)), count);
    });
}

void scaleRange(float* x, float factor, std::int64_t n) {
    const F f = Simd::set1(factor);
    eachVector(n, [&](std::int64_t i, int count) {
        storeSome(x + i, Simd::mul(loadSome(x + i, count), f), count);
    });
}

void addScaledRange(float* x, const float* delta, float factor, std::int64_t n) {
    const F f = Simd::set1(factor);
    eachVector(n, [&](std::int64_t i, int count) {
        storeSome(x + i, Simd::fma(f, loadSome(delta + i, count), loadSome(x + i, count)), count);
    });
}

// cap * tanh(x / cap), tanh(y) = 1 - 2 / (exp(2y) + 1).
inline F softCapped(F x, F cap, F twiceInverse) {
    const F one = Simd::set1(1.0F);
    const F e = exponential(Simd::mul(x, twiceInverse));
    const F tanh = Simd::sub(one, Simd::div(Simd::set1(2.0F), Simd::add(e, one)));
    return Simd::mul(cap, tanh);
}

void softCapRange(float* x, float cap, std::int64_t n) {
    const F c = Simd::set1(cap);
    const F twiceInverse = Simd::set1(2.0F / cap);
    eachVector(n, [&](std::int64_t i, int count) {
        storeSome(x + i, softCapped(loadSome(x + i, count), c, twiceInverse), count);
    });
}

} // namespace
} // namespace kernels::cpu
