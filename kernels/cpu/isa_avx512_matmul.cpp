// Weight products for AVX-512 F, BW, VL, DQ and VNNI.
#include "kernels/cpu/body_matmul.h"

namespace kernels::cpu {

const MatmulTable kAvx512Matmul = kMatmulRuns;

} // namespace kernels::cpu
