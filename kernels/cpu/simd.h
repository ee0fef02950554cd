// The vector type of the instruction set this unit is compiled for. Only instruction-set units
// (isa_*.cpp) may include this: their flags, set in CMakeLists.txt, choose.
#pragma once

#if defined(__AVX512VNNI__)
#include "kernels/cpu/simd_avx512.h"
#elif defined(__AVX2__)
#include "kernels/cpu/simd_avx2.h"
#else
#include "kernels/cpu/simd_scalar.h"
#endif
