#include "kernels/check_parts.h"

#include <array>
#include <cstdio>

namespace kernels::check {

namespace {

std::string describeWorst(std::span<const float> got, std::span<const double> wanted) {
    std::size_t worst = 0;
    double largest = -1.0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const double distance = std::abs(static_cast<double>(got[i]) - wanted[i]);
        if (!(distance <= largest)) {
            largest = distance;
            worst = i;
        }
    }
    std::array<char, 120> text{};
    std::snprintf(text.data(), text.size(), "worst of %zu at %zu: got %.9g, reference %.9g",
                  wanted.size(), worst, static_cast<double>(got[worst]), wanted[worst]);
    return text.data();
}

} // namespace

CheckResult compare(std::string name, std::span<const float> got, const reference::Numbers& wanted,
                    double bound) {
    CheckResult result{.name = std::move(name), .bound = bound, .detail = "nothing to compare"};
    if (got.size() < wanted.size() || wanted.empty()) {
        return result;
    }
    double error = 0.0;
    double norm = 0.0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const double distance = static_cast<double>(got[i]) - wanted[i];
        error += distance * distance;
        norm += wanted[i] * wanted[i];
    }
    result.error = norm > 0.0 ? std::sqrt(error / norm) : std::sqrt(error);
    result.passed = result.error <= bound; // false for NaN
    if (!std::isfinite(result.error)) {
        result.error = HUGE_VAL;
    }
    result.detail = describeWorst(got, wanted);
    return result;
}

} // namespace kernels::check
