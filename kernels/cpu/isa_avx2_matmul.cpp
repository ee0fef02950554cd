// Weight products for AVX2, FMA and F16C.
#include "kernels/cpu/body_matmul.h"

namespace kernels::cpu {

constinit const MatmulTable kAvx2Matmul = matmulTable(nullptr);

} // namespace kernels::cpu
