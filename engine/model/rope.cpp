#include "engine/model/rope.h"

#include "engine/base/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace engine {

namespace {

constexpr double kLargest = 1e9;

enum class Scaling : std::uint8_t { None, Linear, Yarn };

Scaling readScaling(const HyperParameters& parameters) {
    // A factor without a type is linear, as older files have it.
    const std::string type = parameters.text("rope.scaling.type", "linear");
    if (type == "none" || type == "linear") {
        return type == "none" ? Scaling::None : Scaling::Linear;
    }
    if (type == "yarn") {
        return Scaling::Yarn;
    }
    throw Failure(ErrorCode::Unsupported,
                  fmt::format("The rope scaling '{}' (key {}) is not supported; none, linear, yarn "
                              "and the divisors of Llama 3 are.",
                              type, parameters.key("rope.scaling.type")));
}

double readFactor(const HyperParameters& parameters) {
    return parameters.number("rope.scaling.factor", {.above = 0.0, .maximum = kLargest}, 1.0);
}

// 0.1 * mscale_all_dim; 0 where the model has none.
double logMultiplier(const HyperParameters& parameters) {
    return parameters.has("rope.scaling.yarn_log_multiplier")
               ? parameters.number("rope.scaling.yarn_log_multiplier",
                                   {.above = -kLargest, .maximum = kLargest}, 0.0)
               : 0.0;
}

// g(m) = 0.1 * m * ln factor + 1
double magnitudeOf(double multiplier, double factor) {
    return factor <= 1.0 ? 1.0 : multiplier * std::log(factor) + 1.0;
}

// The frequencies of Peng et al. 2023: those that turn often in the original context stay, those
// that never turn once are divided by the factor, with a ramp over the pairs between.
void stretchYarn(const HyperParameters& parameters, double base, kernels::RopeSpec& rope) {
    const double factor = readFactor(parameters);
    const double original = parameters.number(
        "rope.scaling.original_context_length", {.above = 0.0, .maximum = kLargest},
        static_cast<double>(
            parameters.integer("context_length", {.minimum = 1, .maximum = 1 << 24})));
    constexpr NumberLimits kTurns{.above = 0.0, .maximum = kLargest};
    const double fast = parameters.number("rope.scaling.yarn_beta_fast", kTurns, 32.0);
    const double slow = parameters.number("rope.scaling.yarn_beta_slow", kTurns, 1.0);
    const auto width = static_cast<double>(2 * rope.frequencies.size());
    const auto pairOfTurns = [&](double turns) {
        return width * std::log(original / (turns * 2.0 * std::numbers::pi)) /
               (2.0 * std::log(base));
    };
    const double low = std::max(std::floor(pairOfTurns(fast)), 0.0);
    const double high = std::min(std::ceil(pairOfTurns(slow)), width - 1.0);
    for (std::size_t i = 0; i < rope.frequencies.size(); ++i) {
        const double ramp =
            std::clamp((static_cast<double>(i) - low) / std::max(high - low, 0.001), 0.0, 1.0);
        const auto frequency = static_cast<double>(rope.frequencies[i]);
        rope.frequencies[i] =
            static_cast<float>(frequency / factor * ramp + frequency * (1.0 - ramp));
    }
    // Models that say how scores are scaled (DeepSeek) leave the rotated elements alone: their two
    // multipliers are the same and cancel.
    const double own = logMultiplier(parameters) != 0.0 ? 1.0 : magnitudeOf(0.1, factor);
    rope.magnitude = static_cast<float>(
        parameters.number("rope.scaling.attn_factor", {.above = 0.0, .maximum = kLargest}, own));
}

void divide(kernels::RopeSpec& rope, std::size_t pair, double divisor) {
    if (!(std::abs(divisor) > 1.0 / kLargest && std::abs(divisor) < kLargest)) {
        throw Failure(
            ErrorCode::Corrupt,
            fmt::format("The rope frequency {} of the model is divided by {}.", pair, divisor));
    }
    rope.frequencies[pair] =
        static_cast<float>(static_cast<double>(rope.frequencies[pair]) / divisor);
}

// Files of GGUF have the pairs of their architecture; others say how theirs lie.
kernels::RopePairing pairingOf(const HyperParameters& parameters, kernels::RopePairing usual) {
    const std::string said = parameters.text("rope.pairing", "");
    if (said == "half") {
        return kernels::RopePairing::HalfSplit;
    }
    if (said == "interleaved") {
        return kernels::RopePairing::Interleaved;
    }
    if (!said.empty()) {
        parameters.refuse("rope.pairing", "half and interleaved are known");
    }
    return usual;
}

} // namespace

kernels::RopeSpec plainRope(double base, std::int64_t width, kernels::RopePairing pairing) {
    kernels::RopeSpec rope{.frequencies = {}, .pairing = pairing};
    for (std::int64_t i = 0; i < width / 2; ++i) {
        const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(width);
        rope.frequencies.push_back(static_cast<float>(std::pow(base, exponent)));
    }
    return rope;
}

kernels::RopeSpec readRope(const HyperParameters& parameters, WeightLoader& loader,
                           std::int64_t headDim, kernels::RopePairing pairing) {
    const std::int64_t width =
        parameters.integer("rope.dimension_count", {.minimum = 2, .maximum = headDim}, headDim);
    if (width % 2 != 0) {
        parameters.refuse("rope.dimension_count", fmt::format("{} is not even", width));
    }
    const double base =
        parameters.number("rope.freq_base", {.above = 0.0, .maximum = 1e12}, 10000.0);
    kernels::RopeSpec rope = plainRope(base, width, pairingOf(parameters, pairing));
    const Scaling scaling = readScaling(parameters);
    if (scaling == Scaling::Yarn) {
        stretchYarn(parameters, base, rope);
    }
    const double factor = scaling == Scaling::Linear ? readFactor(parameters) : 1.0;
    const kernels::Buffer divisors = loader.has("rope_freqs.weight")
                                         ? loader.readableVector("rope_freqs.weight", width / 2)
                                         : kernels::Buffer();
    for (std::size_t i = 0; i < rope.frequencies.size(); ++i) {
        divide(rope, i, factor * (divisors ? static_cast<double>(divisors.view().f32()[i]) : 1.0));
    }
    return rope;
}

double yarnScoreFactor(const HyperParameters& parameters) {
    if (readScaling(parameters) != Scaling::Yarn) {
        return 1.0;
    }
    const double magnitude = magnitudeOf(logMultiplier(parameters), readFactor(parameters));
    return magnitude * magnitude;
}

} // namespace engine
