// One CUDA thread while it runs: its place, what it waits for, its asynchronous copies. The macros
// of cuda_runtime.h (threadIdx and the rest) read the lane that runs.
#pragma once

#include "tests/support/simt/cuda_vectors.h"
#include "tests/support/simt/finding.h"
#include "tests/support/simt/shared_memory.h"

#include <array>
#include <cstdint>
#include <vector>

namespace simt {

class Executor;

// What the lanes of a mask do together. The last to arrive completes it for all.
struct Collective {
    const char* name = "";
    // payloads[lane] of the lanes in `present`, null elsewhere.
    void (*complete)(void* const (&payloads)[32], std::uint32_t present) = nullptr;
    bool isOrdering = false; // __syncwarp: what came before is visible to all of the mask
};

struct AsyncCopy {
    SharedArray* array = nullptr;
    std::size_t offset = 0;
    std::array<std::byte, 16> bytes{};
    unsigned group = 0;
    const void* site = nullptr;
};

struct Lane {
    enum class State : std::uint8_t { Ready, AtBarrier, InCollective, Done };

    Executor* executor = nullptr;
    unsigned index = 0; // in the block
    State state = State::Ready;
    uint3 thread{}, block{};
    Site site; // of the barrier or the collective that it waits in
    const Collective* collective = nullptr;
    std::uint32_t mask = 0;
    void* payload = nullptr;
    unsigned committedGroups = 0;
    std::vector<AsyncCopy> copies; // in order of issue
};

extern constinit thread_local Lane* runningLane; // null outside kernels

// Throws a Finding on the host, where there is no lane.
Lane& lane();

// Ends the kernel with a finding about the lane that runs.
// Nothing of the kernel is run any more, no destructor either: text is moved, not copied.
[[noreturn]] void fail(FindingKind kind, std::string what, const Site& site);
[[noreturn]] void failAt(FindingKind kind, std::string what, const void* instruction);

} // namespace simt
