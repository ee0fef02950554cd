// Compares numbers with a double-precision reference by relative norm and names the worst element.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <string>

namespace tests {

struct Closeness {
    double relativeNorm = 0.0; // |got - reference| / |reference|
    std::size_t worstIndex = 0;
    double worstGot = 0.0, worstReference = 0.0;
    bool isFinite = true;
    std::string text() const {
        return fmt::format("relative error {:.3g}, worst at {}: got {:.9g}, reference {:.9g}{}",
                           relativeNorm, worstIndex, worstGot, worstReference,
                           isFinite ? "" : ", not finite");
    }
};

template <class T>
Closeness compare(std::span<const T> got, std::span<const double> reference) {
    Closeness result;
    double error = 0.0, norm = 0.0, worst = -1.0;
    for (std::size_t i = 0; i < reference.size(); ++i) {
        const double value = i < got.size() ? static_cast<double>(got[i]) : NAN;
        const double distance = std::abs(value - reference[i]);
        result.isFinite = result.isFinite && std::isfinite(value);
        error += distance * distance;
        norm += reference[i] * reference[i];
        if (!(distance <= worst)) {
            worst = distance;
            result.worstIndex = i;
            result.worstGot = value;
            result.worstReference = reference[i];
        }
    }
    result.relativeNorm = norm > 0.0 ? std::sqrt(error / norm) : std::sqrt(error);
    return result;
}

template <class T>
bool closeTo(std::span<const T> got, std::span<const double> reference, double bound,
             std::string* text = nullptr) {
    const Closeness closeness = compare(got, reference);
    if (text != nullptr) {
        *text = closeness.text();
    }
    return got.size() == reference.size() && closeness.isFinite && closeness.relativeNorm <= bound;
}

} // namespace tests
