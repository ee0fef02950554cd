// Weight products for AVX2, FMA and F16C.
#include "kernels/cpu/body_matmul.h"

namespace kernels::cpu {

const MatmulTable kAvx2Matmul = kMatmulRuns;

} // namespace kernels::cpu
