// What CUDA C++ has built in on the device: indices, barriers, warp collectives, atomics,
// arithmetic. Atomics are plain operations, since one fiber runs at a time. A shuffle from a lane
// that takes no part gives poison: NaN, or 0xDEADBEEF.
#pragma once

#include "tests/support/simt/executor.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): CUDA's names
#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
#pragma GCC poison __shared__ // arrays are carved: see kernels/cuda/shared.cuh

// Of the thread that runs; the executor sets them at each switch.
extern constinit thread_local uint3 threadIdx, blockIdx;
extern constinit thread_local dim3 blockDim, gridDim;
inline constexpr int warpSize = 32;

namespace simt {

template <class T>
T poison() {
    if constexpr (std::is_floating_point_v<T>) {
        return std::numeric_limits<T>::quiet_NaN();
    } else {
        return static_cast<T>(0xDEADBEEFDEADBEEFULL);
    }
}

template <class T>
struct ShufflePayload {
    T value{};
    int source = 0; // lane
    T result{};
};

template <class T>
inline constexpr Collective shuffleCollective{
    "shuffle",
    [](void* const (&payloads)[32], std::uint32_t present) {
        for (unsigned i = 0; i < 32; ++i) {
            if ((present >> i & 1U) == 0) {
                continue;
            }
            auto* mine = static_cast<ShufflePayload<T>*>(payloads[i]);
            const auto* from = static_cast<ShufflePayload<T>*>(payloads[mine->source]);
            mine->result = from == nullptr ? poison<T>() : from->value;
        }
    },
    false};

enum class ShuffleKind { Index, Up, Down, Xor };

// The source lane by the rules of the PTX instruction shfl.sync.
int shuffleSource(ShuffleKind kind, int lane, int argument, int width, const Site& site);

template <class T>
T shuffle(ShuffleKind kind, std::uint32_t mask, T value, int argument, int width,
          const Site& site) {
    static_assert(std::is_arithmetic_v<T>, "shuffles move numbers");
    Lane& self = lane();
    ShufflePayload<T> payload{
        value, shuffleSource(kind, static_cast<int>(self.index % 32), argument, width, site), {}};
    self.executor->collective(self, shuffleCollective<T>, mask, &payload, site);
    return payload.result;
}

enum class Vote { Ballot, Any, All, Add, Min, Max, And, Or, Xor };

// Votes and integer reductions: one value in, one out, the same for all.
std::uint32_t vote(Vote kind, std::uint32_t mask, std::uint32_t value, bool isSigned,
                   const Site& site);
int blockBarrier(int predicate, const Site& site);
void warpBarrier(std::uint32_t mask, const Site& site);

} // namespace simt

#define SIMT_SITE const simt::Site& site = simt::Site::current()

inline void __syncthreads(SIMT_SITE) {
    simt::blockBarrier(0, site);
}
inline int __syncthreads_count(int predicate, SIMT_SITE) {
    return simt::blockBarrier(predicate, site);
}
inline int __syncthreads_or(int predicate, SIMT_SITE) {
    return simt::blockBarrier(predicate, site) != 0 ? 1 : 0;
}
inline int __syncthreads_and(int predicate, SIMT_SITE) {
    return simt::blockBarrier(predicate == 0 ? 1 : 0, site) == 0 ? 1 : 0;
}
inline void __syncwarp(unsigned mask = 0xFFFFFFFFU, SIMT_SITE) {
    simt::warpBarrier(mask, site);
}

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, SIMT_SITE) {
    return simt::shuffle(simt::ShuffleKind::Index, mask, value, source, width, site);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, SIMT_SITE) {
    return simt::shuffle(simt::ShuffleKind::Up, mask, value, static_cast<int>(delta), width, site);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, SIMT_SITE) {
    return simt::shuffle(simt::ShuffleKind::Down, mask, value, static_cast<int>(delta), width,
                         site);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int laneMask, int width = 32, SIMT_SITE) {
    return simt::shuffle(simt::ShuffleKind::Xor, mask, value, laneMask, width, site);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, SIMT_SITE) {
    return simt::vote(simt::Vote::Ballot, mask, predicate != 0 ? 1 : 0, false, site);
}
inline int __any_sync(unsigned mask, int predicate, SIMT_SITE) {
    return static_cast<int>(simt::vote(simt::Vote::Any, mask, predicate != 0 ? 1 : 0, false, site));
}
inline int __all_sync(unsigned mask, int predicate, SIMT_SITE) {
    return static_cast<int>(simt::vote(simt::Vote::All, mask, predicate != 0 ? 1 : 0, false, site));
}

namespace simt {
template <class T>
T reduce(Vote kind, unsigned mask, T value, const Site& site) {
    static_assert(sizeof(T) == 4 && std::is_integral_v<T>, "int and unsigned, as on the device");
    return static_cast<T>(
        vote(kind, mask, static_cast<std::uint32_t>(value), std::is_signed_v<T>, site));
}
} // namespace simt

template <class T>
T __reduce_add_sync(unsigned mask, T value, SIMT_SITE) {
    return simt::reduce(simt::Vote::Add, mask, value, site);
}
template <class T>
T __reduce_min_sync(unsigned mask, T value, SIMT_SITE) {
    return simt::reduce(simt::Vote::Min, mask, value, site);
}
template <class T>
T __reduce_max_sync(unsigned mask, T value, SIMT_SITE) {
    return simt::reduce(simt::Vote::Max, mask, value, site);
}
template <class T>
T __reduce_and_sync(unsigned mask, T value, SIMT_SITE) {
    return simt::reduce(simt::Vote::And, mask, value, site);
}
template <class T>
T __reduce_or_sync(unsigned mask, T value, SIMT_SITE) {
    return simt::reduce(simt::Vote::Or, mask, value, site);
}
template <class T>
T __reduce_xor_sync(unsigned mask, T value, SIMT_SITE) {
    return simt::reduce(simt::Vote::Xor, mask, value, site);
}

[[noreturn]] inline void __trap(SIMT_SITE) {
    simt::fail(simt::FindingKind::Trap, "__trap", site);
}
inline void __threadfence() {}
inline void __threadfence_block() {}

#include "tests/support/simt/device_arithmetic.h"
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
