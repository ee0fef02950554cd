// Limits of numbers on the command line, which "nan" does not pass.
#pragma once

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <string>

namespace app {

inline CLI::Validator within(double least, double most) {
    const std::string limits = fmt::format("[{:g} - {:g}]", least, most);
    return CLI::Validator(
        [least, most, limits](std::string& text) {
            double value = 0;
            const bool isNumber = CLI::detail::lexical_cast(text, value);
            return isNumber && value >= least && value <= most
                       ? std::string()
                       : fmt::format("{} is not in the range {}", text, limits);
        },
        "NUMBER in " + limits);
}

} // namespace app
