#include "app/report/csv_cell.h"

#include <fmt/format.h>

#include <cmath>

namespace app {

std::string csvField(std::string_view value) {
    if (value.find_first_of(",\"\r\n") == std::string_view::npos) {
        return std::string(value);
    }
    std::string quoted = "\"";
    for (const char c : value) {
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    }
    return quoted + "\"";
}

std::string csvText(std::string_view value) {
    constexpr std::string_view kFormula = "=+-@\t\r\n";
    const bool isFormula = !value.empty() && kFormula.find(value.front()) != kFormula.npos;
    return csvField(isFormula ? "'" + std::string(value) : std::string(value));
}

std::string csvNumber(const std::optional<double>& value) {
    return value && std::isfinite(*value) ? fmt::format("{:.9g}", *value) : std::string();
}

std::string csvNumber(const std::optional<double>& value, int decimals) {
    return value && std::isfinite(*value) ? fmt::format("{:.{}f}", *value, decimals)
                                          : std::string();
}

} // namespace app
