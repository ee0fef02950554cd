// Row operators, written once over Simd. Included by every instruction-set unit;
// everything here has internal linkage. Sums run in one fixed order: lane by lane, then
// across lanes.
#pragma once

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/simd.h"

namespace kernels::cpu {
namespace {

using F = Simd::F;

// e^x within 2 units in the last place for x in [-87, 88]; 0 below, e^88 above. e^0 is exactly 1.
// Range reduction and polynomial after Cephes' expf.
inline F exponential(F x) {
    const F clamped = Simd::min(Simd::set1(88.0F), Simd::max(Simd::set1(-87.0F), x));
    const F n = Simd::round(Simd::mul(clamped, Simd::set1(1.44269504F)));
    F r = Simd::fma(n, Simd::set1(-0.693359375F), clamped);
    r = Simd::fma(n, Simd::set1(2.12194440e-4F), r);
    F p = Simd::set1(1.9875691500e-4F);
    p = Simd::fma(p, r, Simd::set1(1.3981999507e-3F));
    p = Simd::fma(p, r, Simd::set1(8.3334519073e-3F));
    p = Simd::fma(p, r, Simd::set1(4.1665795894e-2F));
    p = Simd::fma(p, r, Simd::set1(1.6666665459e-1F));
    p = Simd::fma(p, r, Simd::set1(5.0000001201e-1F));
    p = Simd::fma(p, Simd::mul(r, r), Simd::add(r, Simd::set1(1.0F)));
    return Simd::zeroWhereLess(x, Simd::set1(-87.0F), Simd::timesPowerOfTwo(p, n));
}

// f(vector of up to kLanes elements, where it starts, how many are real) over [0, n).
template <class Function>
inline void eachVector(std::int64_t n, Function function) {
    std::int64_t i = 0;
    for (; i + Simd::kLanes <= n; i += Simd::kLanes) {
        function(i, Simd::kLanes);
    }
    if (i < n) {
        function(i, static_cast<int>(n - i));
    }
}

inline F loadSome(const float* p, int count) {
    return count == Simd::kLanes ? Simd::load(p) : Simd::loadPart(p, count);
}

inline void storeSome(float* p, F x, int count) {
    if (count == Simd::kLanes) {
        Simd::store(p, x);
    } else {
        Simd::storePart(p, x, count);
    }
}

void rmsNormRow(const float* x, const float* gain, float eps, float* out, std::int64_t n) {
    F squares = Simd::zero();
    eachVector(n, [&](std::int64_t i, int count) {
        const F v = loadSome(x + i, count);
        squares = Simd::fma(v, v, squares);
    });
    const float mean = Simd::sum(squares) / static_cast<float>(n);
    const F scale = Simd::set1(1.0F / __builtin_sqrtf(mean + eps));
    eachVector(n, [&](std::int64_t i, int count) {
        const F v = Simd::mul(loadSome(x + i, count), scale);
        storeSome(out + i, Simd::mul(v, loadSome(gain + i, count)), count);
    });
}

void addRange(float* x, const float* delta, std::int64_t n) {
    eachVector(n, [&](std::int64_t i, int count) {
        storeSome(x + i, Simd::add(loadSome(x + i, count), loadSome(delta + i, count)), count);
    });
}

void addRmsNormRow(float* x, const float* delta, const float* gain, float eps, float* out,
                   std::int64_t n) {
    addRange(x, delta, n);
    rmsNormRow(x, gain, eps, out, n);
}

void siluMulRange(const float* gate, const float* up, float* out, std::int64_t n) {
    const F one = Simd::set1(1.0F);
    eachVector(n, [&](std::int64_t i, int count) {
        const F g = loadSome(gate + i, count);
        const F e = exponential(Simd::sub(Simd::zero(), g));
        const F silu = Simd::div(g, Simd::add(one, e));
        storeSome(out + i, Simd::mul(silu, loadSome(up + i, count)), count);
    });
}

void turnInterleaved(float* head, const float* cosines, const float* sines, int width) {
    eachVector(width, [&](std::int64_t i, int count) {
        const F v = loadSome(head + i, count);
        const F turned = Simd::mul(v, loadSome(cosines + i, count));
        const F other = Simd::mul(Simd::swapPairs(v), loadSome(sines + i, count));
        storeSome(head + i, Simd::add(turned, other), count);
    });
}

void turnHalves(float* head, const float* cosines, const float* sines, int width) {
    float* second = head + width / 2;
    eachVector(width / 2, [&](std::int64_t i, int count) {
        const F a = loadSome(head + i, count);
        const F b = loadSome(second + i, count);
        const F c = loadSome(cosines + i, count);
        const F s = loadSome(sines + i, count);
        storeSome(head + i, Simd::sub(Simd::mul(a, c), Simd::mul(b, s)), count);
        storeSome(second + i, Simd::add(Simd::mul(b, c), Simd::mul(a, s)), count);
    });
}

// Fast Walsh-Hadamard transform of runs, in place: log2(length) passes of sums and differences.
void spreadHead(float* head, std::int64_t n, float factor) {
    const std::int64_t length = spreadLength(n);
    for (std::int64_t apart = 1; apart < length; apart *= 2) {
        for (std::int64_t first = 0; first < n; first += 2 * apart) {
            float* low = head + first;
            float* high = low + apart;
            for (std::int64_t i = 0; i < apart; ++i) {
                const float a = low[i];
                const float b = high[i];
                low[i] = a + b;
                high[i] = a - b;
            }
        }
    }
    for (std::int64_t i = 0; i < n; ++i) {
        head[i] *= factor;
    }
}

void storeHalfRow(const float* in, std::uint16_t* out, std::int64_t n) {
    eachVector(n, [&](std::int64_t i, int count) {
        const F v = loadSome(in + i, count);
        if (count == Simd::kLanes) {
            Simd::storeHalf(out + i, v);
        } else {
            Simd::storeHalfPart(out + i, v, count);
        }
    });
}

void expRange(const float* in, float* out, std::int64_t n) {
    eachVector(n, [&](std::int64_t i, int count) {
        storeSome(out + i, exponential(loadSome(in + i, count)), count);
    });
}

} // namespace
} // namespace kernels::cpu
