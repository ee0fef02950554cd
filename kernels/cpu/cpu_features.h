// What this processor and its operating system can run. Any thread.
#pragma once

#include <string>

namespace kernels::cpu {

struct CpuFeatures {
    bool avx2 = false;       // with FMA and F16C
    bool avx512 = false;     // F, BW, VL, DQ and VNNI
    std::string vectorFlags; // blank-separated, for people
};

CpuFeatures cpuFeatures();

} // namespace kernels::cpu
