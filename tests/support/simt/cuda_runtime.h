// CUDA's header as the executor has it: found before the toolkit's in the tests' build of .cu
// files.
#pragma once

#include "tests/support/simt/cuda_vectors.h"
#include "tests/support/simt/device_builtins.h"
#include "tests/support/simt/runtime_api.h"
