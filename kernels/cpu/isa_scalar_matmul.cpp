// Weight products for baseline processors.
#include "kernels/cpu/body_matmul.h"

namespace kernels::cpu {

const MatmulTable kScalarMatmul = kMatmulRuns;

} // namespace kernels::cpu
