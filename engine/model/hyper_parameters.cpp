#include "engine/model/hyper_parameters.h"

#include "engine/base/failure.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {

HyperParameters::HyperParameters(const Checkpoint& checkpoint)
    : m_checkpoint(checkpoint),
      m_architecture(checkpoint.text("general.architecture").value_or("")) {}

std::string HyperParameters::key(std::string_view name) const {
    return fmt::format("{}.{}", m_architecture, name);
}

bool HyperParameters::has(std::string_view name) const {
    return m_checkpoint.metadata(key(name)) != nullptr;
}

std::optional<std::int64_t> HyperParameters::find(std::string_view name) const {
    const std::string full = key(name);
    if (const auto* layers = m_checkpoint.integers(full)) {
        if (layers->empty() ||
            std::ranges::adjacent_find(*layers, std::ranges::not_equal_to{}) != layers->end()) {
            throw Failure(
                ErrorCode::Unsupported,
                fmt::format(
                    "The model's key {} differs from layer to layer, which is not supported.",
                    full));
        }
        return layers->front();
    }
    const auto value = m_checkpoint.integer(full);
    if (!value && m_checkpoint.metadata(full) != nullptr) {
        throw Failure(ErrorCode::Unsupported,
                      fmt::format("The model's key {} is not an integer.", full));
    }
    return value;
}

std::int64_t HyperParameters::integer(std::string_view name, IntegerLimits limits) const {
    const auto value = find(name);
    if (!value) {
        throw Failure(ErrorCode::Unsupported, fmt::format("The model has no key {}.", key(name)));
    }
    checkLimits(name, *value, limits);
    return *value;
}

void HyperParameters::checkLimits(std::string_view name, std::int64_t value,
                                  IntegerLimits limits) const {
    if (value < limits.minimum || value > limits.maximum) {
        throw Failure(ErrorCode::Unsupported,
                      fmt::format("The model's key {} is {}; {} to {} can be run.", key(name),
                                  value, limits.minimum, limits.maximum));
    }
}

std::int64_t HyperParameters::integer(std::string_view name, IntegerLimits limits,
                                      std::int64_t fallback) const {
    return has(name) ? integer(name, limits) : fallback;
}

std::vector<std::int64_t> HyperParameters::perLayer(std::string_view name, IntegerLimits limits,
                                                    std::int64_t layers) const {
    const auto* list = m_checkpoint.integers(key(name));
    if (list == nullptr) {
        return std::vector<std::int64_t>(static_cast<std::size_t>(layers), integer(name, limits));
    }
    if (std::ssize(*list) < layers) {
        refuse(name, fmt::format("{} numbers for {} layers", list->size(), layers));
    }
    std::vector<std::int64_t> numbers(list->begin(), list->begin() + layers);
    for (const std::int64_t value : numbers) {
        checkLimits(name, value, limits);
    }
    return numbers;
}

std::vector<std::int64_t> HyperParameters::perLayer(std::string_view name, IntegerLimits limits,
                                                    std::int64_t layers,
                                                    std::int64_t fallback) const {
    return has(name) ? perLayer(name, limits, layers)
                     : std::vector<std::int64_t>(static_cast<std::size_t>(layers), fallback);
}

double HyperParameters::number(std::string_view name, NumberLimits limits, double fallback) const {
    if (!has(name)) {
        return fallback;
    }
    const auto value = m_checkpoint.number(key(name));
    if (!value || !(*value > limits.above && *value <= limits.maximum)) {
        throw Failure(ErrorCode::Unsupported,
                      fmt::format("The model's key {} is {}; above {} to {} can be run.", key(name),
                                  value ? fmt::format("{}", *value) : "not a number", limits.above,
                                  limits.maximum));
    }
    return *value;
}

std::string HyperParameters::text(std::string_view name, std::string_view fallback) const {
    return std::string(m_checkpoint.text(key(name)).value_or(fallback));
}

bool HyperParameters::flag(std::string_view name, bool fallback) const {
    if (!has(name)) {
        return fallback;
    }
    const auto value = m_checkpoint.boolean(key(name));
    if (!value) {
        refuse(name, "it is neither true nor false");
    }
    return *value;
}

std::optional<std::vector<bool>> HyperParameters::flags(std::string_view name) const {
    const MetadataValue* const value = m_checkpoint.metadata(key(name));
    const auto* const array = value == nullptr ? nullptr : std::get_if<MetadataArray>(value);
    if (array == nullptr) {
        return std::nullopt;
    }
    if (const auto* const flags = std::get_if<std::vector<bool>>(array)) {
        return *flags;
    }
    const auto* const numbers = std::get_if<std::vector<std::int64_t>>(array);
    if (numbers == nullptr) {
        refuse(name, "it is no array of true and false");
    }
    std::vector<bool> flags;
    for (const std::int64_t number : *numbers) {
        flags.push_back(number != 0);
    }
    return flags;
}

void HyperParameters::refuse(std::string_view name, std::string_view rule) const {
    throw Failure(ErrorCode::Unsupported,
                  fmt::format("The model's key {} is refused: {}.", key(name), rule));
}

void HyperParameters::refuseFeature(std::string_view name, std::string_view what) const {
    const std::string full = key(name);
    const bool isOn = m_checkpoint.number(full).value_or(0.0) != 0.0 ||
                      m_checkpoint.boolean(full).value_or(false);
    if (isOn) {
        throw Failure(
            ErrorCode::Unsupported,
            fmt::format("The model uses {} (key {}), which is not supported.", what, full));
    }
}

} // namespace engine
