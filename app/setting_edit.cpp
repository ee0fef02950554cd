#include "app/setting_edit.h"

#include <algorithm>
#include <bit>

namespace app {

namespace {

bool isValid(const engine::Field& field, engine::EngineConfig config, std::int64_t value) {
    field.set(config, value);
    return engine::validate(config).has_value();
}

std::int64_t stepSize(std::int64_t value) {
    if (value < 32) {
        return 1;
    }
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(value)) / 8);
}

} // namespace

std::optional<std::int64_t> nearestAllowed(const engine::Field& field,
                                           const engine::EngineConfig& current,
                                           std::int64_t wanted) {
    std::int64_t refused = std::clamp(wanted, field.minimum, field.maximum);
    std::int64_t accepted = field.get(current);
    if (isValid(field, current, refused)) {
        return refused == wanted ? std::nullopt : std::optional(refused);
    }
    if (!isValid(field, current, accepted)) {
        return std::nullopt;
    }
    while (std::max(refused, accepted) - std::min(refused, accepted) > 1) {
        const std::int64_t middle = accepted + (refused - accepted) / 2;
        (isValid(field, current, middle) ? accepted : refused) = middle;
    }
    return accepted;
}

std::int64_t stepped(const engine::Field& field, std::int64_t value, int steps) {
    for (int i = 0; i < std::abs(steps); ++i) {
        if (steps > 0) {
            const std::int64_t step = stepSize(value);
            value = (value / step + 1) * step;
        } else {
            const std::int64_t step = stepSize(value - 1);
            value = (value - 1) / step * step;
        }
        if (value <= field.minimum || value >= field.maximum) {
            break;
        }
    }
    return std::clamp(value, field.minimum, field.maximum);
}

std::string asFlags(const engine::EngineConfig& config) {
    std::string text;
    for (const engine::Field& field : engine::fieldTable()) {
        if (field.get(config) != field.defaultValue) {
            text += (text.empty() ? "" : " ") + std::string(field.flag) + " " +
                    engine::valueText(field, config);
        }
    }
    return text;
}

} // namespace app
