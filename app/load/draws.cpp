#include "app/load/draws.h"

#include <cmath>
#include <numbers>

namespace app {

namespace {

// The finalizer of splitmix64 (Steele, Lea, Flood 2014): a bijection whose output passes BigCrush
// over consecutive inputs.
std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBULL;
    return value ^ (value >> 31U);
}

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;

double openUnit(std::uint64_t bits) {
    return (static_cast<double>(bits >> 11U) + 0.5) * 0x1p-53;
}

} // namespace

Draws::Draws(std::uint64_t seed, std::uint64_t stream)
    : m_key(mixed(mixed(seed + kGolden) + stream * kGolden)) {}

std::uint64_t Draws::bits(std::uint64_t index) const {
    return mixed(m_key + (index + 1) * kGolden);
}

double Draws::uniform(std::uint64_t index) const {
    return openUnit(bits(index));
}

double Draws::exponential(std::uint64_t index) const {
    return -std::log(uniform(index));
}

double Draws::gamma(std::uint64_t index, double variation) const {
    const double shape = 1.0 / variation;
    // Below one the method works on shape + 1 and is corrected by a power of a uniform number.
    const double worked = shape < 1.0 ? shape + 1.0 : shape;
    const double d = worked - 1.0 / 3.0;
    const double c = 1.0 / std::sqrt(9.0 * d);
    const Draws own(bits(index), 0); // as many numbers as the rejection takes, none shared
    for (std::uint64_t at = 1;; at += 3) {
        const double normal = std::sqrt(-2.0 * std::log(own.uniform(at))) *
                              std::cos(2.0 * std::numbers::pi * own.uniform(at + 1));
        const double cube = std::pow(1.0 + c * normal, 3.0);
        if (cube <= 0.0) {
            continue;
        }
        const double bound = 0.5 * normal * normal + d - d * cube + d * std::log(cube);
        if (std::log(own.uniform(at + 2)) < bound) {
            const double boost = shape < 1.0 ? std::pow(own.uniform(0), 1.0 / shape) : 1.0;
            return d * cube * boost * variation;
        }
    }
}

} // namespace app
