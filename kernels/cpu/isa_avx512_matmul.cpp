// Weight products for AVX-512 F, BW, VL, DQ and VNNI.
#include "kernels/cpu/body_matmul.h"
#include "kernels/cpu/body_matmul_wide.h"

namespace kernels::cpu {

constinit const MatmulTable kAvx512Matmul = matmulTable(&kWideRuns);

} // namespace kernels::cpu
