#include "app/command/field_text.h"

#include <fmt/format.h>

#include <array>

namespace app {

std::string allowedText(const engine::Field& field) {
    switch (field.type) {
    case engine::FieldType::Choice:
        return fmt::format("{}", fmt::join(field.choices, "|"));
    case engine::FieldType::Switch:
        return "on|off";
    case engine::FieldType::Integer:
        break;
    }
    return fmt::format("{}..{}{}{}", field.minimum, field.maximum, field.unit.empty() ? "" : " ",
                       field.unit);
}

std::string defaultText(const engine::Field& field) {
    const std::string value = engine::valueText(field, engine::EngineConfig{});
    return field.defaultValue == 0 && !field.zeroMeans.empty()
               ? fmt::format("{} ({})", value, field.zeroMeans)
               : value;
}

std::string_view name(engine::TakesEffect takesEffect) {
    constexpr std::array<std::string_view, 3> kNames = {"next step", "drained", "reload"};
    return kNames[static_cast<std::size_t>(takesEffect)];
}

} // namespace app
