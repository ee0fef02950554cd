// Row operators and attention for AVX-512 F, BW, VL, DQ and VNNI.
#include "kernels/cpu/body_table.h"

namespace kernels::cpu {

namespace {

constexpr KernelTable kTable = kernelTable("avx512", "AVX-512 VNNI", &kAvx512Matmul);

} // namespace

const KernelTable& avx512Kernels() {
    return kTable;
}

} // namespace kernels::cpu
