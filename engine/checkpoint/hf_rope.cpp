#include "engine/checkpoint/hf_rope.h"

#include "engine/base/display_text.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace engine::hf {

namespace {

using nlohmann::json;
using Set = std::function<void(std::string_view, MetadataValue)>;

constexpr double kBase = 10000.0;

double positive(const Values& rope, std::string_view key, std::optional<double> otherwise) {
    const auto value = rope.number(key);
    const double number = value.value_or(otherwise.value_or(0.0));
    if (!(number > 0.0)) {
        rope.refuse(fmt::format("rope: {}", key),
                    value ? "a number above 0 is expected" : "it is missing");
    }
    return number;
}

// Long waves are divided by the factor, short ones stay, those between are blended.
std::vector<float> llama3Divisors(const Values& rope, double base, std::int64_t width) {
    const double factor = positive(rope, "factor", std::nullopt);
    const double low = positive(rope, "low_freq_factor", std::nullopt);
    const double high = positive(rope, "high_freq_factor", std::nullopt);
    const double original = positive(rope, "original_max_position_embeddings", std::nullopt);
    std::vector<float> divisors;
    for (std::int64_t i = 0; i < width / 2; ++i) {
        const double frequency =
            std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(width));
        const double wave = 2.0 * std::numbers::pi / frequency;
        double divisor = 1.0;
        if (wave > original / low) {
            divisor = factor;
        } else if (wave >= original / high) {
            const double share = (original / wave - low) / (high - low);
            divisor = 1.0 / ((1.0 - share) / factor + share);
        }
        divisors.push_back(static_cast<float>(divisor));
    }
    return divisors;
}

double magnitude(double factor, double multiplier) {
    return factor <= 1.0 ? 1.0 : 0.1 * multiplier * std::log(factor) + 1.0;
}

void tellYarn(const Values& rope, const RopeContext& context, const Set& set) {
    const auto said = rope.number("original_max_position_embeddings");
    const double original = said                     ? *said
                            : context.originalTokens ? static_cast<double>(*context.originalTokens)
                                                     : static_cast<double>(context.contextTokens);
    constexpr double kLongest = 1e12;
    if (!(original >= 1.0 && original <= kLongest)) {
        rope.refuse("rope: original_max_position_embeddings", fmt::format("{} can't be", original));
    }
    const double factor =
        positive(rope, "factor", static_cast<double>(context.contextTokens) / original);
    if (!rope.boolean("truncate").value_or(true)) {
        rope.refuse("rope: truncate", "yarn without rounding is not supported");
    }
    const double one = rope.number("mscale").value_or(0.0);
    const double all = rope.number("mscale_all_dim").value_or(0.0);
    const double stretch = one != 0.0 && all != 0.0
                               ? magnitude(factor, one) / magnitude(factor, all)
                               : magnitude(factor, 1.0);
    set("rope.scaling.type", std::string("yarn"));
    set("rope.scaling.factor", factor);
    set("rope.scaling.original_context_length", static_cast<std::int64_t>(original));
    set("rope.scaling.attn_factor", rope.number("attention_factor").value_or(stretch));
    set("rope.scaling.yarn_beta_fast", rope.number("beta_fast").value_or(32.0));
    set("rope.scaling.yarn_beta_slow", rope.number("beta_slow").value_or(1.0));
    if (all != 0.0) {
        set("rope.scaling.yarn_log_multiplier", 0.1 * all);
    }
}

} // namespace

json ropeOf(const json& config) {
    const auto child = [&](const char* key) {
        const auto found = config.find(key);
        return found == config.end() ? json(nullptr) : *found;
    };
    json rope = child("rope_parameters");
    if (!rope.is_object()) {
        rope = child("rope_scaling").is_object() ? child("rope_scaling") : json::object();
    }
    if (!rope.contains("rope_type") && rope.contains("type")) {
        rope["rope_type"] = rope["type"];
    }
    if (!rope.contains("rope_theta") && !child("rope_theta").is_null()) {
        rope["rope_theta"] = child("rope_theta");
    }
    return rope;
}

std::vector<float> tellRope(const Values& rope, const RopeContext& context, const Set& set) {
    const double base = positive(rope, "rope_theta", kBase);
    set("rope.freq_base", base);
    // A factor without a type is linear, as older files have it.
    const std::string type =
        rope.text("rope_type").value_or(rope.has("factor") ? "linear" : "default");
    if (type == "linear") {
        set("rope.scaling.type", std::string("linear"));
        set("rope.scaling.factor", positive(rope, "factor", std::nullopt));
    } else if (type == "yarn") {
        tellYarn(rope, context, set);
    } else if (type == "llama3") {
        return llama3Divisors(rope, base, context.width);
    } else if (type != "default" && type != "none") {
        rope.refuse("rope: rope_type", fmt::format("\"{}\" is not supported; default, linear, yarn "
                                                   "and llama3 are",
                                                   displayText(type)));
    }
    return {};
}

} // namespace engine::hf
