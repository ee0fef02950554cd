// What the system is told about memory that is reserved large and used in places. Any thread.
#pragma once

#include "kernels/tensor.h"

namespace kernels {

// Memory of the CPU that is touched here and there: small pages, or each touch would take a huge
// one. Only advice.
void preferSmallPages(const View& memory);

} // namespace kernels
