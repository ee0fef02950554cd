#include "engine/checkpoint/hf_config_values.h"

#include "engine/base/failure.h"

#include <fmt/format.h>

#include <cmath>

namespace engine::hf {

using nlohmann::json;

const json& Values::child(std::string_view key) const {
    if (!m_document.is_object()) {
        return m_null;
    }
    const auto found = m_document.find(key);
    return found == m_document.end() ? m_null : *found;
}

std::optional<std::int64_t> Values::integer(std::string_view key) const {
    constexpr double kLargest = 1e15;
    const json& value = child(key);
    if (value.is_null()) {
        return std::nullopt;
    }
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{1} << 62) {
        refuse(key, "the number is too large");
    }
    if (value.is_number_integer()) {
        return value.get<std::int64_t>();
    }
    if (value.is_number_float()) {
        const double number = value.get<double>();
        if (std::abs(number) <= kLargest && number == std::floor(number)) {
            return static_cast<std::int64_t>(number);
        }
    }
    refuse(key, "a whole number is expected");
}

std::optional<double> Values::number(std::string_view key) const {
    const json& value = child(key);
    if (value.is_null()) {
        return std::nullopt;
    }
    if (!value.is_number() || !std::isfinite(value.get<double>())) {
        refuse(key, "a number is expected");
    }
    return value.get<double>();
}

std::optional<bool> Values::boolean(std::string_view key) const {
    const json& value = child(key);
    if (value.is_null()) {
        return std::nullopt;
    }
    if (!value.is_boolean()) {
        refuse(key, "true or false is expected");
    }
    return value.get<bool>();
}

std::optional<std::string> Values::text(std::string_view key) const {
    const json& value = child(key);
    if (value.is_null()) {
        return std::nullopt;
    }
    if (!value.is_string()) {
        refuse(key, "a text is expected");
    }
    return value.get<std::string>();
}

std::optional<std::vector<std::string>> Values::texts(std::string_view key) const {
    const json& value = child(key);
    if (value.is_null()) {
        return std::nullopt;
    }
    std::vector<std::string> texts;
    for (const json& element : value.is_array() ? value : json::array({nullptr})) {
        if (!element.is_string()) {
            refuse(key, "a list of texts is expected");
        }
        texts.push_back(element.get<std::string>());
    }
    return texts;
}

std::int64_t Values::needed(std::string_view key, std::int64_t minimum,
                            std::int64_t maximum) const {
    const auto value = integer(key);
    if (!value) {
        refuse(key, "it is missing");
    }
    if (*value < minimum || *value > maximum) {
        refuse(key, fmt::format("{} is out of the range {} to {}", *value, minimum, maximum));
    }
    return *value;
}

void Values::refuse(std::string_view key, std::string_view rule) const {
    throw Failure(ErrorCode::Unsupported, fmt::format("{}: the key {}: {}.", m_what, key, rule));
}

} // namespace engine::hf
