// Row operators of the families beyond llama: GELU, biases, scales, soft caps.
#include "kernels/cpu/check_view.h"
#include "kernels/cpu/cpu_ops.h"
#include "kernels/thread_pool.h"

#include <algorithm>

namespace kernels::cpu {

namespace {

// A few microseconds, more than waking a worker costs.
constexpr std::int64_t kGrainElements = 16384;
constexpr std::int64_t kGrainExponentials = kGrainElements / 4;

} // namespace

void CpuOps::geluMul(View gate, View up, View out) {
    require(isF32(gate) && isF32(up) && isF32(out) &&
                gate.shape.elements() == up.shape.elements() &&
                gate.shape.elements() == out.shape.elements(),
            "geluMul: gate, up and out differ in shape");
    m_pool.parallelFor(gate.shape.elements(), kGrainExponentials,
                       [&](std::int64_t begin, std::int64_t end, int) {
                           m_kernels.geluMulRange(gate.f32() + begin, up.f32() + begin,
                                                  out.f32() + begin, end - begin);
                       });
}

void CpuOps::addToRows(View x, View row) {
    const std::int64_t length = x.shape.rowLength();
    require(isF32(x) && isF32(row) && row.shape.elements() == length,
            "addToRows: row is not as long as the rows of x");
    const std::int64_t grain =
        std::max<std::int64_t>(1, kGrainElements / std::max<std::int64_t>(1, length));
    m_pool.parallelFor(x.shape.rows(), grain, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t t = begin; t < end; ++t) {
            m_kernels.addRange(x.f32() + t * length, row.f32(), length);
        }
    });
}

void CpuOps::scale(View x, float factor) {
    require(isF32(x), "scale: x is not F32");
    m_pool.parallelFor(x.shape.elements(), kGrainElements,
                       [&](std::int64_t begin, std::int64_t end, int) {
                           m_kernels.scaleRange(x.f32() + begin, factor, end - begin);
                       });
}

void CpuOps::softCap(View x, float cap) {
    require(isF32(x) && cap > 0.0F, "softCap: x is not F32 or cap not above 0");
    m_pool.parallelFor(x.shape.elements(), kGrainExponentials,
                       [&](std::int64_t begin, std::int64_t end, int) {
                           m_kernels.softCapRange(x.f32() + begin, cap, end - begin);
                       });
}

} // namespace kernels::cpu
