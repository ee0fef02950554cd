// Weight products for baseline processors.
#include "kernels/cpu/body_matmul.h"

namespace kernels::cpu {

constinit const MatmulTable kScalarMatmul = matmulTable(nullptr);

} // namespace kernels::cpu
