// Row operators and attention for baseline processors.
#include "kernels/cpu/body_table.h"

namespace kernels::cpu {

namespace {

constexpr KernelTable kTable = kernelTable("scalar", "scalar", &kScalarMatmul);

} // namespace

const KernelTable& scalarKernels() {
    return kTable;
}

} // namespace kernels::cpu
