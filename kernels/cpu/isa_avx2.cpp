// Row operators and attention for AVX2, FMA and F16C.
#include "kernels/cpu/body_table.h"

namespace kernels::cpu {

namespace {

constexpr KernelTable kTable = kernelTable("avx2", "AVX2", &kAvx2Matmul);

} // namespace

const KernelTable& avx2Kernels() {
    return kTable;
}

} // namespace kernels::cpu
