// Stored keys and values in double precision, decoded apart from the operators.
#pragma once

#include "kernels/ops.h"
#include "kernels/reference/reference.h"

namespace kernels::reference {

// [blocks, kvHeads, blockTokens, dim] of rows in any coding.
Numbers decodeRows(const View& stored, KvCoding coding, std::int64_t dim, std::int64_t plainTail);

} // namespace kernels::reference
