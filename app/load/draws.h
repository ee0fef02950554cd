// Random numbers as a function of (seed, stream, index): the same on every machine and library,
// and no draw depends on how many were made before it. Pure; any thread.
#pragma once

#include <cstdint>

namespace app {

class Draws {
public:
    Draws(std::uint64_t seed, std::uint64_t stream);

    std::uint64_t bits(std::uint64_t index) const;
    double uniform(std::uint64_t index) const; // in (0, 1)
    // Mean 1. Inverse transform.
    double exponential(std::uint64_t index) const;
    // Mean 1, squared coefficient of variation `variation`. Marsaglia and Tsang 2000.
    double gamma(std::uint64_t index, double variation) const;

private:
    std::uint64_t m_key;
};

} // namespace app
