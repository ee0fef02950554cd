// Processor time of this process: what a busy machine does not stretch.
#pragma once

#include <ctime>

namespace tests {

// Far above what linear work needs, also under a sanitizer; far below what quadratic work would.
inline constexpr double kLinearSeconds = 20.0;

template <class Work>
double cpuSeconds(const Work& work) {
    const std::clock_t begin = std::clock();
    work();
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

} // namespace tests
