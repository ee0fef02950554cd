#include "app/durations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace app {

namespace {

struct DurationUnit {
    std::string_view name;
    double seconds;
};

constexpr std::array kUnits = {
    DurationUnit{"", 1.0},     DurationUnit{"s", 1.0},  DurationUnit{"ms", 0.001},
    DurationUnit{"min", 60.0}, DurationUnit{"m", 60.0}, DurationUnit{"h", 3600.0},
};

} // namespace

std::optional<double> parseDuration(std::string_view text) {
    double number = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || !std::isfinite(number) || number < 0.0) {
        return std::nullopt;
    }
    std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    while (!unit.empty() && unit.front() == ' ') {
        unit.remove_prefix(1);
    }
    for (const DurationUnit& row : kUnits) {
        if (row.name == unit) {
            return number * row.seconds;
        }
    }
    return std::nullopt;
}

std::string durationText(double seconds) {
    // A day counter is of no use here; a hundred thousand hours are enough for any clock.
    const auto whole = static_cast<long long>(std::min(std::max(seconds, 0.0), 3.6e8));
    const long long hours = whole / 3600;
    const long long minutes = whole / 60 % 60;
    return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60)
                     : fmt::format("{}:{:02}", minutes, whole % 60);
}

} // namespace app
