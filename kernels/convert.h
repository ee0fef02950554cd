// A weight matrix in another format, row by row on the pool's threads.
#pragma once

#include "kernels/tensor.h"

#include <functional>

namespace kernels {

class ThreadPool;

// The rows of a matrix of any weight format in `to`: F32, F16, BF16, F8, or a format that
// quantize() writes; prepare() takes the result. F8 rows have one scale, the largest magnitude /
// 448. Memory beside the result is one row a thread. Throws what `check` throws, which is called
// now and then on any of the threads; std::invalid_argument for rows that are no whole blocks.
Buffer convertRows(const View& matrix, Format to, ThreadPool& pool,
                   const std::function<void()>& check = {});

} // namespace kernels
