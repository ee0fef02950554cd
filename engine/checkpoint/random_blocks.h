// Random weights made directly in a block format, for synthetic models: fast, and every block is
// one that an encoder could have written. Any thread.
#pragma once

#include "kernels/formats.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace engine {

// xoshiro256**: fast, and the same on every machine. Source: Blackman and Vigna 2018.
class RandomBits {
public:
    explicit RandomBits(std::uint64_t seed);
    std::uint64_t next();
    // In [0, 1).
    float unit() { return static_cast<float>(next() >> 40) * 0x1p-24F; }

private:
    std::uint64_t m_state[4];
};

// Fills whole blocks whose elements have mean 0 and standard deviation `deviation`.
// Precondition: traits(format).isWeight.
void fillRandomBlocks(kernels::Format format, float deviation, RandomBits& random,
                      std::span<std::byte> blocks);

} // namespace engine
